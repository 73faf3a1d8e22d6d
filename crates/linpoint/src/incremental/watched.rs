//! A part of a stream that a monitor watches: its open operations, and what is kept for another engine.

use crate::spec::{Mention, Slot, Spec};

use super::flag_watch::FlagWatch;
use super::kept::{Event, Kept};
use super::monitor::{Mark, Miss, Monitor, Token};
use super::part::{MAX_STATES_SHOWN, NoOutcomes, Part, Verdict};
use super::registers::Register;
use super::snapshots::Snapshot;

/// An enum and not a trait object, so that a stream can be sent to another thread if its states can.
pub(super) enum Kind<S: Spec> {
    Flag(FlagWatch<S>),
    Register(Box<Register<S>>),
    Snapshot(Box<Snapshot<S>>),
}

impl<S: Spec> Kind<S> {
    pub(super) fn register(register: Register<S>) -> Self {
        Kind::Register(Box::new(register))
    }

    pub(super) fn snapshot(snapshot: Snapshot<S>) -> Self {
        Kind::Snapshot(Box::new(snapshot))
    }

    pub(super) fn get(&self) -> &dyn Monitor<S> {
        match self {
            Kind::Flag(flag) => flag,
            Kind::Register(register) => register.as_ref(),
            Kind::Snapshot(snapshot) => snapshot.as_ref(),
        }
    }

    pub(super) fn get_mut(&mut self) -> &mut dyn Monitor<S> {
        match self {
            Kind::Flag(flag) => flag,
            Kind::Register(register) => register.as_mut(),
            Kind::Snapshot(snapshot) => snapshot.as_mut(),
        }
    }
}

/// A monitor, and what is needed to hand over.
pub(super) struct Watched<S: Spec> {
    pub(super) monitor: Kind<S>,
    pub(super) open: Vec<Option<Opened<S::Op>>>,
    free: Vec<u32>,
    pub(super) open_count: usize,
    pub(super) kept: Kept<S>,
    /// An operation of this part: all must be about the same key.
    example: Option<S::Op>,
    /// So many operations up to now were alone.
    pub(super) alone: u32,
    pub(super) is_over: bool,
}

pub(super) struct Opened<O> {
    pub(super) op: O,
    pub(super) number: u64,
    token: Token,
}

impl<S: Spec> Watched<S> {
    pub(super) fn new(monitor: Kind<S>, base: S::State) -> Self {
        Watched {
            monitor,
            open: Vec::new(),
            free: Vec::new(),
            open_count: 0,
            kept: Kept::new(base),
            example: None,
            alone: 0,
            is_over: false,
        }
    }

    /// True if the operation is about the same key as all others.
    fn is_of_this_key(&mut self, spec: &S, op: &S::Op) -> bool {
        let Some(shaped) = spec.shaped() else { return false };
        let Some(example) = &self.example else {
            self.example = Some(op.clone());
            return true;
        };
        let mention = |op| Mention { op, ret: None, slot: Slot::Key };
        match (shaped.key(example), shaped.key(op)) {
            (None, None) => true,
            (a, b) => a == b && shaped.same_name(mention(example), mention(op)),
        }
    }

    /// An operation begins. Gives it back if the monitor does not know it.
    pub(super) fn call(&mut self, spec: &S, op: S::Op, number: u64) -> Result<u32, S::Op> {
        // After a violation nothing means anything.
        let mut token = Some(Token::default());
        if !self.is_over {
            if self.open_count == 0 {
                self.settle(spec);
            }
            let is_ours = self.is_of_this_key(spec, &op);
            token = if is_ours { self.monitor.get_mut().call(spec, &op) } else { None };
        }
        let Some(token) = token else { return Err(op) };
        self.keep(number, Event::Call(op.clone()));
        self.alone = if self.open_count == 0 { self.alone.saturating_add(1) } else { 0 };
        self.open_count += 1;
        let opened = Some(Opened { op, number, token });
        Ok(match self.free.pop() {
            Some(slot) => {
                self.open[slot as usize] = opened;
                slot
            }
            None => {
                self.open.push(opened);
                self.open.len() as u32 - 1
            }
        })
    }

    /// An operation has begun before, in this slot. False if the monitor does not know it.
    pub(super) fn take_over(&mut self, spec: &S, op: &S::Op, number: u64, slot: u32) -> bool {
        if !self.is_of_this_key(spec, op) {
            return false;
        }
        let Some(token) = self.monitor.get_mut().call(spec, op) else { return false };
        self.keep(number, Event::Call(op.clone()));
        self.free = (0..slot).collect();
        self.open.resize_with(slot as usize, || None);
        self.open.push(Some(Opened { op: op.clone(), number, token }));
        self.open_count = 1;
        true
    }

    fn keep(&mut self, number: u64, event: Event<S>) {
        if !self.is_over {
            self.kept.push(number, event, self.monitor.get());
        }
    }

    /// Nothing is open: if the state is known, what came before does not matter any more.
    fn settle(&mut self, spec: &S) {
        if let Some(state) = self.monitor.get().settled(spec) {
            self.kept.restart(state);
            self.open.clear();
            self.free.clear();
        }
    }

    fn close(&mut self, slot: u32) -> Option<Opened<S::Op>> {
        let opened = self.open[slot as usize].take()?;
        self.open_count -= 1;
        self.free.push(slot);
        Some(opened)
    }

    /// `None` if the monitor cannot tell.
    pub(super) fn ret(
        &mut self,
        spec: &S,
        slot: u32,
        ret: Option<&S::Ret>,
    ) -> Option<Result<Verdict<S>, NoOutcomes<S::Op>>> {
        let Some(Opened { op, number, token }) = &self.open[slot as usize] else {
            return Some(Ok(Verdict::Fine));
        };
        if self.is_over {
            self.close(slot);
            return Some(Ok(Verdict::Fine));
        }
        match self.monitor.get_mut().ret(spec, op, *token, ret) {
            Ok(mark) => {
                let number = *number;
                self.keep(number, Event::Return(ret.cloned(), mark));
                self.close(slot);
                Some(Ok(Verdict::Fine))
            }
            Err(Miss::Unclear) => None,
            Err(Miss::Impossible) => match self.monitor.get().allowed(spec, op, *token) {
                Some(allowed) => Some(Ok(self.violated(spec, slot, allowed))),
                None => Some(Err(NoOutcomes(op.clone()))),
            },
        }
    }

    fn violated(&mut self, spec: &S, slot: u32, allowed: Vec<S::Ret>) -> Verdict<S> {
        self.is_over = true;
        let mut states: Vec<S::State> = Vec::new();
        for state in self.monitor.get().states(spec) {
            if states.len() < MAX_STATES_SHOWN && !states.contains(&state) {
                states.push(state);
            }
        }
        match self.close(slot) {
            Some(opened) => Verdict::Violation { op: opened.op, allowed, states },
            None => Verdict::Fine,
        }
    }

    /// `None` if the monitor cannot tell.
    pub(super) fn fail(&mut self, spec: &S, slot: u32) -> Option<Verdict<S>> {
        let Some(Opened { op, number, token }) = &self.open[slot as usize] else {
            return Some(Verdict::Fine);
        };
        if self.is_over {
            self.close(slot);
            return Some(Verdict::Fine);
        }
        match self.monitor.get_mut().fail(spec, op, *token) {
            Ok(()) => {
                let number = *number;
                self.keep(number, Event::Fail);
                self.close(slot);
                Some(Verdict::Fine)
            }
            Err(Miss::Unclear) => None,
            Err(Miss::Impossible) => Some(self.violated(spec, slot, Vec::new())),
        }
    }

    pub(super) fn crash(&mut self, spec: &S, slot: u32) {
        let Some(Opened { op, number, token }) = self.close(slot) else { return };
        if !self.is_over {
            let mark: Mark = self.monitor.get_mut().crash(spec, &op, token);
            self.keep(number, Event::Crash(mark));
        }
    }

    /// The configurations that explain what was kept.
    pub(super) fn explain(&mut self, spec: &S, most: usize) -> Part<S> {
        let open = std::mem::take(&mut self.open).into_iter();
        let open = open.map(|opened| opened.map(|opened| (opened.op, opened.number)));
        let free = std::mem::take(&mut self.free);
        self.kept.explain(spec, most, open.collect(), free)
    }
}
