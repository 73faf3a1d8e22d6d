//! One part of a stream: watched by a monitor where there is one, else explained by configurations.
//!
//! A monitor needs no configurations: with `k` operations open, `2^k` of those may exist. It knows only
//! part of what can happen, though. So the events since the last moment at which nothing was open are kept
//! ([`super::kept`]), and if something comes up that the monitor does not know (a result that nobody wrote down, a
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

use crate::spec::{Role, Shape, Spec};

use super::flag_watch::FlagWatch;
use super::part::{NoOutcomes, Part, Verdict};
use super::registers::Register;
use super::snapshots::Snapshot;
use super::watched::{Kind, Watched};

/// After so many lone operations, a monitor is not worth it.
const LONE: u32 = 16;

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

impl<S: Spec> Watch<S> {
    /// Watches a part. `may_monitor`: a monitor may do it, since all operations are about one key.
    pub(super) fn new(spec: &S, may_monitor: bool) -> Self {
        let monitor = match spec.shaped().filter(|_| may_monitor).map(|shaped| shaped.shape()) {
            Some(Shape::Flags) => Some(Kind::Flag(FlagWatch::new(spec.initial()))),
            Some(Shape::Registers { .. }) => Register::new(spec).map(Kind::register),
            Some(Shape::Snapshot { .. }) => Snapshot::new(spec).map(Kind::snapshot),
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
        if let Engine::Monitor(watched) = &mut self.engine
            && let Some(verdict) = watched.ret(spec, slot, ret)
        {
            return verdict;
        }
        self.hand_over(spec, most).ret(spec, slot, ret, most)
    }

    /// It did not happen.
    pub(super) fn fail(&mut self, spec: &S, slot: u32, most: usize) -> Verdict<S> {
        if let Engine::Monitor(watched) = &mut self.engine
            && let Some(verdict) = watched.fail(spec, slot)
        {
            return verdict;
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
                Register::resume(spec, state, reader).map(Kind::register)
            }
            Some(Shape::Snapshot { .. }) => {
                Snapshot::resume(spec, state, reader).map(Kind::snapshot)
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
        if is_idle
            && watched.alone >= LONE
            && self.reader.is_some()
            && let Some(state) = watched.monitor.get().settled(spec)
        {
            self.engine = Engine::Part(Part::new(state));
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
