//! A part of a stream that has a monitor, and what another engine needs to take over.

use crate::history::OpId;
use crate::spec::Slot;
use crate::subject::{Call, Marks, Place, RetId, StateId, StreamSubject};

use super::configurations::{Configurations, NoOutcomes, PartStep, first_states};
use super::event_log::{EventLog, What};
use super::monitor::{Allowed, Miss, StreamMonitor, Token};
use super::open_ops::{OpenOp, OpenOps};
use super::stream_limits::StreamLimits;

/// A monitor that can be sent to another thread.
pub(super) type BoxedMonitor = Box<dyn StreamMonitor + Send + Sync>;

/// A monitor, and the events since nothing was open.
pub(super) struct MonitoredPart {
    monitor: BoxedMonitor,
    log: EventLog,
    /// An operation of this part. All must touch the same key.
    example: Option<OpId>,
    /// The number of recent operations that were called while nothing was open.
    lone_calls: u32,
    /// True once a violation was reported.
    is_over: bool,
}

impl MonitoredPart {
    /// Nothing is open, and `base` is the state that the monitor starts from.
    pub(super) fn new(monitor: BoxedMonitor, base: StateId) -> Self {
        let log = EventLog::new(base);
        MonitoredPart { monitor, log, example: None, lone_calls: 0, is_over: false }
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    pub(super) fn lone_calls(&self) -> u32 {
        self.lone_calls
    }

    /// See [`StreamMonitor::settled`].
    pub(super) fn settled(&self, subject: &mut dyn StreamSubject) -> Option<StateId> {
        self.monitor.settled(subject)
    }

    /// The state before the first logged event.
    pub(super) fn base(&self) -> StateId {
        self.log.base()
    }

    /// Continues with another monitor, which starts from [`MonitoredPart::base`]. Returns false, having
    /// changed nothing, if that monitor cannot decide the logged events.
    pub(super) fn switch(
        &mut self,
        subject: &mut dyn StreamSubject,
        open: &mut OpenOps,
        mut monitor: BoxedMonitor,
    ) -> bool {
        if self.is_over {
            return false;
        }
        let Some(tokens) = self.log.feed(subject, &mut *monitor) else { return false };
        tokens.into_iter().for_each(|(slot, token)| open.set_token(slot, token));
        self.monitor = monitor;
        true
    }

    /// Number of stored items.
    pub(super) fn stored(&self) -> usize {
        self.monitor.stored() + self.log.len()
    }

    pub(super) fn mark(&self, marks: &mut Marks) {
        self.monitor.mark(marks);
        self.log.mark(marks);
        self.example.into_iter().for_each(|op| marks.op(op));
    }

    /// True if the operation touches the same key as all others.
    fn is_of_this_key(&mut self, subject: &dyn StreamSubject, op: OpId) -> bool {
        let Some(example) = self.example else {
            self.example = Some(op);
            return true;
        };
        let place = |op| Place { call: Call::unknown(op), slot: Slot::Key };
        match (subject.key(example), subject.key(op)) {
            (None, None) => true,
            (a, b) => a == b && subject.same_name(place(example), place(op)),
        }
    }

    fn token(&mut self, subject: &mut dyn StreamSubject, op: OpId) -> Option<Token> {
        if !self.is_of_this_key(subject, op) {
            return None;
        }
        self.monitor.call(subject, op)
    }

    fn log(&mut self, slot: u32, number: u64, what: What) {
        if !self.is_over {
            self.log.push(slot, number, what, &*self.monitor);
        }
    }

    /// An operation begins. Returns its slot, or `None` if the monitor does not know such
    /// operations.
    pub(super) fn call(
        &mut self,
        subject: &mut dyn StreamSubject,
        open: &mut OpenOps,
        op: OpId,
        number: u64,
    ) -> Option<u32> {
        let mut token = Token::default();
        // Events after a violation have no meaning.
        if !self.is_over {
            if open.is_empty() {
                self.settle(subject, open);
            }
            token = self.token(subject, op)?;
        }
        self.lone_calls = if open.is_empty() { self.lone_calls.saturating_add(1) } else { 0 };
        let slot = open.insert(OpenOp { op, number, token });
        self.log(slot, number, What::Call(op));
        Some(slot)
    }

    /// An operation has already begun in this slot, and no other is open. Returns false if the
    /// monitor does not know it.
    pub(super) fn take_over(
        &mut self,
        subject: &mut dyn StreamSubject,
        open: &mut OpenOps,
        slot: u32,
    ) -> bool {
        let Some(OpenOp { op, number, .. }) = open.get(slot) else { return false };
        let Some(token) = self.token(subject, op) else { return false };
        open.set_token(slot, token);
        self.log(slot, number, What::Call(op));
        true
    }

    /// Nothing is open: if the state is known, what came before no longer matters.
    fn settle(&mut self, subject: &mut dyn StreamSubject, open: &mut OpenOps) {
        if let Some(state) = self.monitor.settled(subject) {
            self.log.restart(state);
            open.clear();
        }
    }

    /// An operation returns. `None` if the monitor cannot decide.
    pub(super) fn ret(
        &mut self,
        subject: &mut dyn StreamSubject,
        slot: u32,
        open: OpenOp,
        ret: RetId,
    ) -> Option<Result<PartStep, NoOutcomes>> {
        if self.is_over {
            return Some(Ok(PartStep::Fine));
        }
        let OpenOp { op, number, token } = open;
        match self.monitor.ret(subject, Call { op, ret }, token) {
            Ok(relevance) => {
                self.log(slot, number, What::Return(ret, relevance));
                Some(Ok(PartStep::Fine))
            }
            Err(Miss::Unclear) => None,
            Err(Miss::Impossible) => Some(match self.monitor.allowed(subject, open) {
                Some(allowed) => Ok(self.violated(subject, allowed)),
                None => Err(NoOutcomes(op)),
            }),
        }
    }

    fn violated(&mut self, subject: &mut dyn StreamSubject, allowed: Allowed) -> PartStep {
        self.is_over = true;
        PartStep::Violation { allowed, states: first_states(self.monitor.states(subject)) }
    }

    /// An operation did not take effect. `None` if the monitor cannot decide.
    pub(super) fn fail(
        &mut self,
        subject: &mut dyn StreamSubject,
        slot: u32,
        open: OpenOp,
    ) -> Option<PartStep> {
        if self.is_over {
            return Some(PartStep::Fine);
        }
        match self.monitor.fail(subject, open) {
            Ok(()) => {
                self.log(slot, open.number, What::Fail);
                Some(PartStep::Fine)
            }
            Err(Miss::Unclear) => None,
            Err(Miss::Impossible) => Some(self.violated(subject, Allowed::all(Vec::new()))),
        }
    }

    /// An operation will never return.
    pub(super) fn crash(&mut self, subject: &mut dyn StreamSubject, slot: u32, open: OpenOp) {
        if !self.is_over {
            let relevance = self.monitor.crash(subject, open);
            self.log(slot, open.number, What::Crash(relevance));
        }
    }

    /// The configurations that explain the events since nothing was open.
    pub(super) fn replay(
        &mut self,
        subject: &mut dyn StreamSubject,
        limits: &StreamLimits,
    ) -> Configurations {
        self.log.replay(subject, limits)
    }
}
