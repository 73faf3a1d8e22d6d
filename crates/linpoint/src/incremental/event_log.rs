//! The events of a part with a monitor, kept in case another engine has to take over.
//!
//! The log begins at a moment at which nothing was open and the state was known. Operations that no
//! longer matter are dropped as soon as they are the majority. *Why that is correct for registers:*
//! a zone is dead because some other zone had to come after it, and that one had returned before
//! the call of any operation that is still open. All dead zones can come before all others: if one
//! had to come after a zone that is not dead, that zone would be dead too. So whatever the others
//! do, it is as if the dead ones had all happened before the first event. In either case, what they
//! wrote can no longer be found.

use rustc_hash::FxHashSet;

use crate::history::OpId;
use crate::subject::{Call, Marks, RetId, StateId, StreamSubject};

use super::configurations::Configurations;
use super::monitor::{Relevance, StreamMonitor, Token};
use super::open_ops::{OpenOp, OpenOps};
use super::stream_limits::StreamLimits;

/// The maximum number of events kept after dropping those that do not matter.
const MOST: usize = 1 << 15;

/// Do not drop events if there are fewer than this.
const FEW: usize = 64;

/// The events since nothing was open.
pub(super) struct EventLog {
    /// The state before the first event.
    base: StateId,
    /// `None` if there were too many.
    events: Option<Vec<Event>>,
    /// The number of events at which to drop those that do not matter.
    tidy_at: usize,
}

/// An event of an operation.
struct Event {
    /// The number of the operation in the stream.
    number: u64,
    /// The slot of the operation.
    slot: u32,
    what: What,
}

pub(super) enum What {
    Call(OpId),
    Return(RetId, Relevance),
    Fail,
    Crash(Relevance),
}

impl EventLog {
    /// Nothing is open, and the object is in this state.
    pub(super) fn new(base: StateId) -> Self {
        EventLog { base, events: Some(Vec::new()), tidy_at: FEW }
    }

    /// Number of events.
    pub(super) fn len(&self) -> usize {
        self.events.as_ref().map_or(0, Vec::len)
    }

    /// Starts over: nothing is open, and the object is in this state.
    pub(super) fn restart(&mut self, base: StateId) {
        self.base = base;
        match &mut self.events {
            Some(events) => events.clear(),
            None => self.events = Some(Vec::new()),
        }
        self.tidy_at = FEW;
    }

    pub(super) fn push(&mut self, slot: u32, number: u64, what: What, monitor: &dyn StreamMonitor) {
        let Some(events) = &mut self.events else { return };
        events.push(Event { number, slot, what });
        if events.len() < self.tidy_at {
            return;
        }
        if monitor.forgets() {
            let ended = events.iter().filter_map(|event| match event.what {
                What::Return(_, relevance) | What::Crash(relevance) => {
                    Some((event.number, relevance))
                }
                What::Fail => Some((event.number, Relevance::Never)),
                What::Call(_) => None,
            });
            let over: FxHashSet<u64> = ended
                .filter(|(_, relevance)| !monitor.matters(*relevance))
                .map(|(number, _)| number)
                .collect();
            events.retain(|event| !over.contains(&event.number));
            events.shrink_to(2 * events.len() + FEW);
        }
        self.tidy_at = 2 * events.len().max(FEW);
        if self.tidy_at > 2 * MOST {
            self.events = None;
        }
    }

    /// Gives the events to another monitor of the object before the first event. Returns the slots of open
    /// operations with their tokens; `None` if there were too many events or the monitor cannot
    /// decide.
    pub(super) fn feed(
        &self,
        subject: &mut dyn StreamSubject,
        monitor: &mut dyn StreamMonitor,
    ) -> Option<Vec<(u32, Token)>> {
        let mut open = OpenOps::default();
        for &Event { number, slot, ref what } in self.events.as_ref()? {
            if let What::Call(op) = *what {
                let token = monitor.call(subject, op)?;
                open.insert_at(slot, OpenOp { op, number, token });
                continue;
            }
            let ended = open.remove(slot)?;
            match *what {
                What::Return(ret, _) => {
                    monitor.ret(subject, Call { op: ended.op, ret }, ended.token).ok()?;
                }
                What::Fail => monitor.fail(subject, ended).ok()?,
                _ => drop(monitor.crash(subject, ended)),
            }
        }
        Some(open.iter().map(|(slot, open)| (slot, open.token)).collect())
    }

    /// The state before the first event.
    pub(super) fn base(&self) -> StateId {
        self.base
    }

    /// The configurations that explain the events. Clears the log.
    pub(super) fn replay(
        &mut self,
        subject: &mut dyn StreamSubject,
        limits: &StreamLimits,
    ) -> Configurations {
        let Some(events) = self.events.take() else { return Configurations::given_up() };
        let mut configurations = Configurations::new(self.base);
        let mut open = OpenOps::default();
        for Event { number, slot, what } in events {
            if limits.allowance.work(1).is_err() {
                return Configurations::given_up();
            }
            match what {
                What::Call(op) => {
                    open.insert_at(slot, OpenOp { op, number, token: Token::default() });
                }
                What::Return(ret, _) => {
                    // There was no violation. Results that cannot be enumerated are reported at the
                    // next return.
                    drop(configurations.ret(subject, &open, slot, ret, limits));
                    open.remove(slot);
                }
                What::Fail => {
                    drop(configurations.fail(slot));
                    open.remove(slot);
                }
                What::Crash(_) => {
                    if let Some(OpenOp { op, .. }) = open.remove(slot) {
                        configurations.crash(subject, slot, op, limits);
                    }
                }
            }
        }
        configurations
    }

    pub(super) fn mark(&self, marks: &mut Marks) {
        marks.state(self.base);
        for event in self.events.iter().flatten() {
            match event.what {
                What::Call(op) => marks.op(op),
                What::Return(ret, _) => marks.ret(ret),
                What::Fail | What::Crash(_) => {}
            }
        }
    }
}
