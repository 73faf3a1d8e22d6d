//! One part of a stream: watched by a monitor where there is one, else explained by configurations.
//!
//! A monitor needs no configurations: with `k` operations open, `2^k` of those may exist. It knows only
//! part of what can happen, though. So the events since the last moment at which nothing was open are kept
//! ([`Kept`]), and if something comes up that the monitor does not know (a result that nobody wrote down, a
//! value that could come from two writes), they are given to a [`Part`], which goes on from there. If
//! there were too many of them, the part is undecided from there on. A monitor takes over again when the state is
//! known and two operations overlap.
//!
//! What has no monitor here, and why:
//!
//! * *Priority queues and stacks.* In a stream, every open removal may have removed anything. No rule is known
//!   that decides these objects with pending removals in polynomial time, and in a stream there are some at nearly
//!   every return.
//! * *Queues.* The rule that takes pending dequeues into account peels values off from the end of the history.
//!   A stream has no end: every enqueue changes which value comes off first, and all that are in the queue
//!   would have to be peeled again at every return.
//! * *Counters and semaphores.* Additions that return nothing are like flips of a flag, which can be claimed by whoever
//!   returns first. A fetch-and-add claims one by its number, so that those who returned before may have to claim
//!   others: that has not been worked out.
//! * *Failed compare-and-sets* that race with writes which nobody has found yet: one of those must have come first, and it
//!   is not known which. Likewise *swaps*, and removals from a map, whose new value is found before they return: what
//!   they replaced becomes known too late. Configurations go on.

use crate::spec::{Mention, Role, Shape, Slot, Spec};

use super::flag_watch::FlagWatch;
use super::kept::{Event, Kept};
use super::monitor::{Mark, Miss, Monitor, Token};
use super::part::{MAX_STATES_SHOWN, NoOutcomes, Part, Verdict};
use super::registers::Register;
use super::snapshots::Snapshot;

/// A part of a stream.
pub(super) struct Watch<S: Spec> {
    engine: Engine<S>,
    /// A monitor may watch it.
    may_monitor: bool,
    /// An operation that tells the state: a read, or a scan.
    reader: Option<S::Op>,
}

enum Engine<S: Spec> {
    Part(Part<S>),
    Monitor(Box<Watched<S>>),
}

/// An enum and not a box, so that a stream can be sent to another thread if its states can.
enum Kind<S: Spec> {
    Flag(FlagWatch<S>),
    Register(Register<S>),
    Snapshot(Snapshot<S>),
}

impl<S: Spec> Kind<S> {
    fn get(&self) -> &dyn Monitor<S> {
        match self {
            Kind::Flag(flag) => flag,
            Kind::Register(register) => register,
            Kind::Snapshot(snapshot) => snapshot,
        }
    }

    fn get_mut(&mut self) -> &mut dyn Monitor<S> {
        match self {
            Kind::Flag(flag) => flag,
            Kind::Register(register) => register,
            Kind::Snapshot(snapshot) => snapshot,
        }
    }
}

/// A monitor, and what is needed to hand over.
struct Watched<S: Spec> {
    monitor: Kind<S>,
    open: Vec<Option<Opened<S::Op>>>,
    free: Vec<u32>,
    open_count: usize,
    kept: Kept<S>,
    /// An operation of this part: all must be about the same key.
    example: Option<S::Op>,
    /// So many operations up to now were alone.
    alone: u32,
    is_over: bool,
}

/// After so many lone operations, a monitor is not worth it.
const LONE: u32 = 16;

struct Opened<O> {
    op: O,
    number: u64,
    token: Token,
}

impl<S: Spec> Watch<S> {
    /// Watches a part. `may_monitor`: a monitor may do it, since all operations are about one key.
    pub(super) fn new(spec: &S, may_monitor: bool) -> Self {
        let monitor = match spec.shaped().filter(|_| may_monitor).map(|shaped| shaped.shape()) {
            Some(Shape::Flags) => Some(Kind::Flag(FlagWatch::new(spec.initial()))),
            Some(Shape::Registers { .. }) => Register::new(spec).map(Kind::Register),
            Some(Shape::Snapshot { .. }) => Snapshot::new(spec).map(Kind::Snapshot),
            _ => None,
        };
        let engine = match monitor {
            Some(monitor) => Engine::Monitor(Box::new(Watched::new(monitor, spec.initial()))),
            None => Engine::Part(Part::new(spec.initial())),
        };
        Watch { engine, may_monitor, reader: None }
    }

    /// Configurations in use.
    pub(super) fn len(&self) -> usize {
        match &self.engine {
            Engine::Part(part) => part.len(),
            Engine::Monitor(watched) => usize::from(!watched.is_over),
        }
    }

    /// True if a monitor watches it, or will as soon as two operations overlap.
    pub(super) fn is_monitored(&self) -> bool {
        match &self.engine {
            Engine::Monitor(_) => true,
            Engine::Part(part) => self.reader.is_some() && part.is_simple(),
        }
    }

    /// Number of things that are stored.
    pub(super) fn stored(&self) -> usize {
        match &self.engine {
            Engine::Part(part) => part.stored(),
            Engine::Monitor(watched) => {
                watched.monitor.get().stored() + watched.open.len() + watched.kept.len()
            }
        }
    }

    pub(super) fn open_op(&self, slot: u32, number: u64) -> Option<&S::Op> {
        match &self.engine {
            Engine::Part(part) => part.open_op(slot, number),
            Engine::Monitor(watched) => {
                let open = watched.open.get(slot as usize)?.as_ref()?;
                (open.number == number).then_some(&open.op)
            }
        }
    }

    pub(super) fn call(&mut self, spec: &S, op: S::Op, number: u64, most: usize) -> u32 {
        self.learn_reader(spec, &op);
        self.resume(spec);
        self.pause(spec);
        let mut op = op;
        if let Engine::Monitor(watched) = &mut self.engine {
            match watched.call(spec, op, number) {
                Ok(slot) => return slot,
                Err(unknown) => op = unknown,
            }
        }
        self.hand_over(spec, most).call(op, number)
    }

    pub(super) fn ret(
        &mut self,
        spec: &S,
        slot: u32,
        ret: Option<&S::Ret>,
        most: usize,
    ) -> Result<Verdict<S>, NoOutcomes<S::Op>> {
        if let Engine::Monitor(watched) = &mut self.engine {
            if let Some(verdict) = watched.ret(spec, slot, ret) {
                return verdict;
            }
        }
        self.hand_over(spec, most).ret(spec, slot, ret, most)
    }

    /// It did not happen.
    pub(super) fn fail(&mut self, spec: &S, slot: u32, most: usize) -> Verdict<S> {
        if let Engine::Monitor(watched) = &mut self.engine {
            if let Some(verdict) = watched.fail(spec, slot) {
                return verdict;
            }
        }
        self.hand_over(spec, most).fail(slot)
    }

    pub(super) fn crash(&mut self, spec: &S, slot: u32) {
        match &mut self.engine {
            Engine::Part(part) => part.crash(spec, slot),
            Engine::Monitor(watched) => watched.crash(spec, slot),
        }
    }

    /// Goes on with configurations.
    fn hand_over(&mut self, spec: &S, most: usize) -> &mut Part<S> {
        if let Engine::Monitor(watched) = &mut self.engine {
            self.engine = Engine::Part(watched.explain(spec, most));
        }
        match &mut self.engine {
            Engine::Part(part) => part,
            Engine::Monitor(_) => unreachable!("handed over just now"),
        }
    }

    /// Goes on with a monitor, if an operation has been alone so far and will not be any more.
    fn resume(&mut self, spec: &S) {
        let (Engine::Part(part), Some(reader)) = (&self.engine, &self.reader) else { return };
        let Some((state, slot, op, number)) = part.lone() else { return };
        let monitor = match spec.shaped().map(|shaped| shaped.shape()) {
            Some(Shape::Registers { .. }) => {
                Register::resume(spec, state, reader).map(Kind::Register)
            }
            Some(Shape::Snapshot { .. }) => {
                Snapshot::resume(spec, state, reader).map(Kind::Snapshot)
            }
            _ => None,
        };
        let Some(monitor) = monitor else { return };
        let mut watched = Watched::new(monitor, state.clone());
        if watched.take_over(spec, op, number, slot) {
            self.engine = Engine::Monitor(Box::new(watched));
        }
    }

    /// Goes on without a monitor if operations have been alone for a while: for those it takes longer
    /// than a single configuration. It can take over again when two of them meet.
    fn pause(&mut self, spec: &S) {
        let Engine::Monitor(watched) = &self.engine else { return };
        let is_idle = watched.open_count == 0 && !watched.is_over;
        if is_idle && watched.alone >= LONE && self.reader.is_some() {
            if let Some(state) = watched.monitor.get().settled(spec) {
                self.engine = Engine::Part(Part::new(state));
            }
        }
    }

    /// Remembers an operation that will tell the state.
    fn learn_reader(&mut self, spec: &S, op: &S::Op) {
        if self.reader.is_some() || !self.may_monitor || !spec.is_read(op, None) {
            return;
        }
        let Some(shaped) = spec.shaped() else { return };
        let tells = matches!(shaped.shape(), Shape::Registers { .. } | Shape::Snapshot { .. });
        if tells && shaped.role(op, None, true) == Role::Idle {
            self.reader = Some(op.clone());
        }
    }
}

impl<S: Spec> Watched<S> {
    fn new(monitor: Kind<S>, base: S::State) -> Self {
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
    fn call(&mut self, spec: &S, op: S::Op, number: u64) -> Result<u32, S::Op> {
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
    fn take_over(&mut self, spec: &S, op: &S::Op, number: u64, slot: u32) -> bool {
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
    fn ret(
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
    fn fail(&mut self, spec: &S, slot: u32) -> Option<Verdict<S>> {
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

    fn crash(&mut self, spec: &S, slot: u32) {
        let Some(Opened { op, number, token }) = self.close(slot) else { return };
        if !self.is_over {
            let mark: Mark = self.monitor.get_mut().crash(spec, &op, token);
            self.keep(number, Event::Crash(mark));
        }
    }

    /// The configurations that explain what was kept.
    fn explain(&mut self, spec: &S, most: usize) -> Part<S> {
        let open = std::mem::take(&mut self.open).into_iter();
        let open = open.map(|opened| opened.map(|opened| (opened.op, opened.number)));
        let free = std::mem::take(&mut self.free);
        self.kept.explain(spec, most, open.collect(), free)
    }
}
