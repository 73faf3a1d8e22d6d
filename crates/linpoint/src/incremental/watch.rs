//! One part of a stream: watched by a monitor where there is one, else explained by configurations.
//!
//! A monitor needs no configurations: with `k` operations open, `2^k` of those may exist. It knows only
//! part of what can happen, though. So the events since the last moment at which nothing was open are kept,
//! and if something comes up that the monitor does not know (a result that nobody wrote down), they
//! are given to a [`Part`], which goes on from there. If there were more of them than [`KEPT`], the part is
//! undecided from there on.

use crate::spec::{Mention, Role, Shape, Slot, Spec};

use super::flags::{Did, Flag, Way};
use super::part::{NoOutcomes, Part, Verdict};

/// Events that are kept for another engine.
const KEPT: usize = 1 << 16;

/// A part of a stream.
pub(super) enum Watch<S: Spec> {
    Part(Part<S>),
    Flag(Box<FlagWatch<S>>),
}

/// What happened to the operation in a slot.
enum Event<S: Spec> {
    Call(S::Op, u64),
    Return(u32, Option<S::Ret>),
    Fail(u32),
    Crash(u32),
}

/// A flag, and what is needed to hand it over.
pub(super) struct FlagWatch<S: Spec> {
    flag: Flag,
    open: Vec<Option<Opened<S::Op>>>,
    free: Vec<u32>,
    open_count: usize,
    /// The states in which the flag is down and up, as far as they are known.
    states: [Option<S::State>; 2],
    /// The state before the first event that is kept.
    base: S::State,
    /// What happened since nothing was open; `None` if it was too much.
    kept: Option<Vec<Event<S>>>,
    /// An operation of this part: all must be about the same key.
    example: Option<S::Op>,
    is_over: bool,
}

struct Opened<O> {
    op: O,
    number: u64,
    call: u64,
    way: Way,
}

/// The monitor does not know this.
struct Unknown;

impl<S: Spec> Watch<S> {
    /// Watches a part. `one_key`: all operations are about one key.
    pub(super) fn new(spec: &S, one_key: bool) -> Self {
        let initial = spec.initial();
        match spec.shaped().map(|shaped| shaped.shape()) {
            Some(Shape::Flags) if one_key => Watch::Flag(Box::new(FlagWatch::new(initial))),
            _ => Watch::Part(Part::new(initial)),
        }
    }

    /// Configurations in use.
    pub(super) fn len(&self) -> usize {
        match self {
            Watch::Part(part) => part.len(),
            Watch::Flag(watch) => usize::from(!watch.is_over),
        }
    }

    pub(super) fn open_op(&self, slot: u32, number: u64) -> Option<&S::Op> {
        match self {
            Watch::Part(part) => part.open_op(slot, number),
            Watch::Flag(watch) => {
                let open = watch.open.get(slot as usize)?.as_ref()?;
                (open.number == number).then_some(&open.op)
            }
        }
    }

    pub(super) fn call(&mut self, spec: &S, op: S::Op, number: u64, most: usize) -> u32 {
        if let Watch::Flag(watch) = self {
            match watch.way(spec, &op) {
                Some(way) => return watch.call(op, number, way),
                // The violation has been reported; what follows it means nothing.
                None if watch.is_over => return watch.call(op, number, Way::Neither),
                None => self.hand_over(spec, most),
            }
        }
        match self {
            Watch::Part(part) => part.call(op, number),
            // Handed over just now.
            Watch::Flag(watch) => watch.call(op, number, Way::Neither),
        }
    }

    pub(super) fn ret(
        &mut self,
        spec: &S,
        slot: u32,
        ret: Option<&S::Ret>,
        most: usize,
    ) -> Result<Verdict<S>, NoOutcomes<S::Op>> {
        if let Watch::Flag(watch) = self {
            match watch.ret(spec, slot, ret) {
                Ok(verdict) => return verdict,
                Err(Unknown) => self.hand_over(spec, most),
            }
        }
        match self {
            Watch::Part(part) => part.ret(spec, slot, ret, most),
            // Handed over just now.
            Watch::Flag(_) => Ok(Verdict::Undecided),
        }
    }

    /// It did not happen.
    pub(super) fn fail(&mut self, spec: &S, slot: u32) -> Verdict<S> {
        match self {
            Watch::Part(part) => part.fail(slot),
            Watch::Flag(watch) => watch.fail(spec, slot),
        }
    }

    pub(super) fn crash(&mut self, spec: &S, slot: u32) {
        match self {
            Watch::Part(part) => part.crash(spec, slot),
            Watch::Flag(watch) => watch.crash(spec, slot),
        }
    }

    /// Goes on with configurations.
    fn hand_over(&mut self, spec: &S, most: usize) {
        if let Watch::Flag(watch) = self {
            *self = Watch::Part(watch.explain(spec, most));
        }
    }
}

impl<S: Spec> FlagWatch<S> {
    fn new(initial: S::State) -> Self {
        FlagWatch {
            flag: Flag::default(),
            open: Vec::new(),
            free: Vec::new(),
            open_count: 0,
            states: [Some(initial.clone()), None],
            base: initial,
            kept: Some(Vec::new()),
            example: None,
            is_over: false,
        }
    }

    /// Which way the operation may flip the flag; `None` if the monitor does not know it, or if it is
    /// about another key.
    fn way(&mut self, spec: &S, op: &S::Op) -> Option<Way> {
        let shaped = spec.shaped()?;
        match &self.example {
            None => self.example = Some(op.clone()),
            Some(example) => {
                let mention = |op| Mention { op, ret: None, slot: Slot::Key };
                let keys = (shaped.key(example), shaped.key(op));
                let same_key = match keys {
                    (None, None) => true,
                    (a, b) => a == b && shaped.same_name(mention(example), mention(op)),
                };
                if !same_key {
                    return None;
                }
            }
        }
        match shaped.role(op, None, true) {
            Role::Raise => Some(Way::Up),
            Role::Lower => Some(Way::Down),
            Role::Idle => Some(Way::Neither),
            _ => None,
        }
    }

    fn keep(&mut self, event: Event<S>) {
        if let Some(kept) = &mut self.kept {
            kept.push(event);
            if kept.len() > KEPT {
                self.kept = None;
            }
        }
    }

    /// Slots are handed out as [`Part`] does, so that they keep their meaning when it takes over.
    fn call(&mut self, op: S::Op, number: u64, way: Way) -> u32 {
        if self.open_count == 0 {
            self.settle();
        }
        self.keep(Event::Call(op.clone(), number));
        self.open_count += 1;
        let opened = Some(Opened { op, number, call: self.flag.call(way), way });
        match self.free.pop() {
            Some(slot) => {
                self.open[slot as usize] = opened;
                slot
            }
            None => {
                self.open.push(opened);
                self.open.len() as u32 - 1
            }
        }
    }

    /// Nothing is open: if the state is known, what came before does not matter any more.
    fn settle(&mut self) {
        let up = self.flag.settled();
        if let Some(state) = up.and_then(|up| self.states[usize::from(up)].clone()) {
            self.base = state;
            self.kept = Some(Vec::new());
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

    #[allow(clippy::type_complexity)] // an answer of the part, unless there is none
    fn ret(
        &mut self,
        spec: &S,
        slot: u32,
        ret: Option<&S::Ret>,
    ) -> Result<Result<Verdict<S>, NoOutcomes<S::Op>>, Unknown> {
        let Some(Opened { op, call, way, .. }) = &self.open[slot as usize] else {
            return Ok(Ok(Verdict::Fine));
        };
        if self.is_over {
            self.close(slot);
            return Ok(Ok(Verdict::Fine));
        }
        let (call, way) = (*call, *way);
        let did = did(spec, op, ret, way)?;
        if did == Did::Flip && way == Way::Up && self.states[1].is_none() {
            self.states[1] = after(spec, self.states[0].as_ref(), op);
        }
        let before = self.flag.clone();
        if self.flag.end(call, way, did) {
            self.keep(Event::Return(slot, ret.cloned()));
            self.close(slot);
            return Ok(Ok(Verdict::Fine));
        }
        self.flag = before;
        Ok(self.violated(spec, slot))
    }

    fn violated(&mut self, spec: &S, slot: u32) -> Result<Verdict<S>, NoOutcomes<S::Op>> {
        self.is_over = true;
        self.learn_up(spec);
        let mut allowed: Vec<S::Ret> = Vec::new();
        let mut outcomes = Vec::new();
        if let Some(Opened { op, call, way, .. }) = &self.open[slot as usize] {
            for state in self.states.iter().flatten() {
                if !spec.outcomes(state, op, &mut outcomes) {
                    return Err(NoOutcomes(op.clone()));
                }
            }
            for (ret, _) in outcomes {
                let Ok(did) = did(spec, op, Some(&ret), *way) else { continue };
                if !allowed.contains(&ret) && self.flag.clone().end(*call, *way, did) {
                    allowed.push(ret);
                }
            }
        }
        let states = self.possible_states();
        match self.close(slot) {
            Some(opened) => Ok(Verdict::Violation { op: opened.op, allowed, states }),
            None => Ok(Verdict::Fine),
        }
    }

    fn fail(&mut self, spec: &S, slot: u32) -> Verdict<S> {
        self.learn_up(spec);
        let states = self.possible_states();
        self.keep(Event::Fail(slot));
        let Some(Opened { op, call, way, .. }) = self.close(slot) else { return Verdict::Fine };
        if self.is_over || self.flag.end(call, way, Did::Nothing) {
            return Verdict::Fine;
        }
        self.is_over = true;
        Verdict::Violation { op, allowed: Vec::new(), states }
    }

    /// Finds the state in which the flag is up, if there is anybody who could have raised it.
    fn learn_up(&mut self, spec: &S) {
        if self.states[1].is_none() {
            let raise = self.open.iter().flatten().find(|opened| opened.way == Way::Up);
            let down = self.states[0].as_ref();
            self.states[1] = raise.and_then(|raise| after(spec, down, &raise.op));
        }
    }

    fn possible_states(&self) -> Vec<S::State> {
        let possible = [false, true].into_iter().filter(|up| self.flag.may_be(*up));
        possible.filter_map(|up| self.states[usize::from(up)].clone()).collect()
    }

    /// It stays among the operations that may flip the flag, for ever.
    fn crash(&mut self, spec: &S, slot: u32) {
        self.learn_up(spec);
        self.keep(Event::Crash(slot));
        self.close(slot);
    }

    /// The configurations that explain what was kept.
    fn explain(&mut self, spec: &S, most: usize) -> Part<S> {
        let Some(kept) = self.kept.take() else {
            let open = std::mem::take(&mut self.open).into_iter();
            let open = open.map(|opened| opened.map(|opened| (opened.op, opened.number)));
            let free = std::mem::take(&mut self.free);
            return Part::given_up(open.collect(), free, self.base.clone());
        };
        let mut part = Part::new(self.base.clone());
        for event in kept {
            match event {
                Event::Call(op, number) => drop(part.call(op, number)),
                // All were fine. What cannot be enumerated is found out at the next return.
                Event::Return(slot, ret) => drop(part.ret(spec, slot, ret.as_ref(), most)),
                Event::Fail(slot) => drop(part.fail(slot)),
                Event::Crash(slot) => part.crash(spec, slot),
            }
        }
        part
    }
}

/// What an operation did, going by its result.
fn did<S: Spec>(spec: &S, op: &S::Op, ret: Option<&S::Ret>, way: Way) -> Result<Did, Unknown> {
    let shaped = spec.shaped().ok_or(Unknown)?;
    match (shaped.role(op, ret, false), way) {
        (Role::Raise, Way::Up) | (Role::Lower, Way::Down) => Ok(Did::Flip),
        (Role::IsUp, _) => Ok(Did::Find(true)),
        (Role::IsDown, _) => Ok(Did::Find(false)),
        (Role::Idle, _) => Ok(Did::Nothing),
        _ => Err(Unknown),
    }
}

/// The state in which the flag is up: what a raise makes of the one in which it is down.
fn after<S: Spec>(spec: &S, down: Option<&S::State>, op: &S::Op) -> Option<S::State> {
    let (down, mut next) = (down?, Vec::new());
    spec.successors(down, op, None, &mut next);
    next.into_iter().find(|state| state != down)
}
