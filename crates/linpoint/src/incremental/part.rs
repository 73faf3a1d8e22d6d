//! One part of a stream: decided by a monitor if there is one, and otherwise by configurations.
//!
//! A monitor needs no configurations, of which there may be `2^k` if `k` operations are open. But
//! it does not handle everything. So the events since the last moment at which nothing was open are
//! logged ([`super::event_log`]). If something happens that the monitor does not handle (an
//! unrecorded result, a value that could come from two writes), the events are replayed with the next
//! monitor of the object ([`super::repeats`]), and if there is none that handles them, with
//! [`Configurations`], which continue from there. If there were too many events, the part is
//! undecided from then on. A monitor takes over again when the state is known and two operations
//! overlap.
//!
//! Objects without a monitor here, and why:
//!
//! * *Counters and semaphores.* Additions that return nothing are like flips of a flag: the
//!   operation that returns first can claim one. A fetch-and-add claims one by its number, so that
//!   operations that returned earlier may have to claim others. This has not been worked out.
//! * *Failed compare-and-sets* that race with writes whose values were not found yet: one of the
//!   writes must have come first, and it is not known which. Likewise *swaps*, and removals from a
//!   map, whose new value is found before they return: what they replaced becomes known too late.
//!   Configurations take over.

use crate::history::OpId;
use crate::spec::{Role, Shape};
use crate::subject::{Call, Marks, RetId, StateId, StreamSubject};

use super::configurations::{Configurations, NoOutcomes, PartStep};
use super::container::ContainerMonitor;
use super::flag_monitor::FlagMonitor;
use super::monitor::Token;
use super::monitored::{BoxedMonitor, MonitoredPart};
use super::open_ops::{OpenOp, OpenOps};
use super::register_monitor::RegisterMonitor;
use super::repeats::RepeatsMonitor;
use super::snapshot_monitor::SnapshotMonitor;
use super::stream_limits::StreamLimits;

/// After this many operations without overlap, a monitor is not worth it.
const LONE: u32 = 16;

/// Checks a part of a stream.
pub(super) struct PartChecker {
    engine: Engine,
    open: OpenOps,
    /// True if a monitor may be used.
    may_monitor: bool,
    /// Number of monitors that were tried.
    tried: u8,
    /// An operation whose result reveals the state: a read, or a scan.
    reader: Option<OpId>,
}

enum Engine {
    Configurations(Configurations),
    Monitor(Box<MonitoredPart>),
}

impl PartChecker {
    /// `may_monitor` allows a monitor, since all operations touch one key.
    pub(super) fn new(
        subject: &mut dyn StreamSubject,
        may_monitor: bool,
        limits: &StreamLimits,
    ) -> Self {
        let initial = subject.initial();
        let monitor: Option<BoxedMonitor> = match subject.shape() {
            _ if !may_monitor => None,
            Shape::Flags => Some(Box::new(FlagMonitor::new(initial))),
            Shape::Registers { initial: name } => {
                Some(Box::new(RegisterMonitor::new(name, initial)))
            }
            Shape::Snapshot { segments, initial: name } => {
                SnapshotMonitor::new(segments, name, initial).map(boxed)
            }
            shape => container_monitor(shape, 0, initial, limits),
        };
        let engine = match monitor {
            Some(monitor) => Engine::Monitor(Box::new(MonitoredPart::new(monitor, initial))),
            None => Engine::Configurations(Configurations::new(initial)),
        };
        PartChecker { engine, open: OpenOps::default(), may_monitor, tried: 1, reader: None }
    }

    /// Number of configurations in use.
    pub(super) fn configurations(&self) -> usize {
        match &self.engine {
            Engine::Configurations(configurations) => configurations.len(),
            Engine::Monitor(monitored) => usize::from(!monitored.is_over()),
        }
    }

    /// True if it uses a monitor, or will as soon as two operations overlap.
    pub(super) fn is_monitored(&self) -> bool {
        match &self.engine {
            Engine::Monitor(_) => true,
            Engine::Configurations(configurations) => {
                self.reader.is_some() && configurations.lone_state(&self.open).is_some()
            }
        }
    }

    /// Number of stored items.
    pub(super) fn stored(&self) -> usize {
        let in_engine = match &self.engine {
            Engine::Configurations(configurations) => configurations.stored(),
            Engine::Monitor(monitored) => monitored.stored(),
        };
        in_engine + self.open.slots()
    }

    /// Marks the stored operations, results and states.
    pub(super) fn mark(&self, marks: &mut Marks) {
        match &self.engine {
            Engine::Configurations(configurations) => configurations.mark(marks),
            Engine::Monitor(monitored) => monitored.mark(marks),
        }
        self.open.mark(marks);
        self.reader.into_iter().for_each(|reader| marks.op(reader));
    }

    /// The number of slots of open operations, including vacant ones.
    pub(super) fn open_slots(&self) -> usize {
        self.open.slots()
    }

    /// The operation in this slot, if it is open and has this number.
    pub(super) fn open_op(&self, slot: u32, number: u64) -> Option<OpId> {
        self.open.get(slot).filter(|open| open.number == number).map(|open| open.op)
    }

    /// An operation begins. Returns its slot.
    pub(super) fn call(
        &mut self,
        subject: &mut dyn StreamSubject,
        op: OpId,
        number: u64,
        limits: &StreamLimits,
    ) -> u32 {
        self.learn_reader(subject, op);
        self.resume(subject);
        self.pause(subject);
        if let Engine::Monitor(monitored) = &mut self.engine {
            if let Some(slot) = monitored.call(subject, &mut self.open, op, number) {
                return slot;
            }
            if self.switch(subject, limits)
                && let Engine::Monitor(monitored) = &mut self.engine
                && let Some(slot) = monitored.call(subject, &mut self.open, op, number)
            {
                return slot;
            }
            self.hand_over(subject, limits);
        }
        self.open.insert(OpenOp { op, number, token: Token::default() })
    }

    /// The operation in this slot returns. It stays open if its results cannot be enumerated.
    pub(super) fn ret(
        &mut self,
        subject: &mut dyn StreamSubject,
        slot: u32,
        ret: RetId,
        limits: &StreamLimits,
    ) -> Result<PartStep, NoOutcomes> {
        if self.open.get(slot).is_none() {
            return Ok(PartStep::Fine);
        }
        let by_monitor = self.by_monitor(subject, slot, limits, |subject, monitored, open| {
            monitored.ret(subject, slot, open, ret)
        });
        let step = match by_monitor {
            Some(step) => step?,
            None => {
                let (configurations, open) = self.hand_over(subject, limits);
                configurations.ret(subject, open, slot, ret, limits)?
            }
        };
        self.open.remove(slot);
        Ok(step)
    }

    /// The operation in this slot did not take effect.
    pub(super) fn fail(
        &mut self,
        subject: &mut dyn StreamSubject,
        slot: u32,
        limits: &StreamLimits,
    ) -> PartStep {
        if self.open.get(slot).is_none() {
            return PartStep::Fine;
        }
        let by_monitor = self.by_monitor(subject, slot, limits, |subject, monitored, open| {
            monitored.fail(subject, slot, open)
        });
        let step = by_monitor.unwrap_or_else(|| self.hand_over(subject, limits).0.fail(slot));
        self.open.remove(slot);
        step
    }

    /// The operation in this slot will never return.
    pub(super) fn crash(
        &mut self,
        subject: &mut dyn StreamSubject,
        slot: u32,
        limits: &StreamLimits,
    ) {
        let Some(open) = self.open.remove(slot) else { return };
        match &mut self.engine {
            Engine::Configurations(configurations) => {
                configurations.crash(subject, slot, open.op, limits)
            }
            Engine::Monitor(monitored) => monitored.crash(subject, slot, open),
        }
    }

    /// Asks the monitor about the end of the operation in this slot, and then the next monitor. `None` if
    /// neither can decide.
    fn by_monitor<T>(
        &mut self,
        subject: &mut dyn StreamSubject,
        slot: u32,
        limits: &StreamLimits,
        mut ask: impl FnMut(&mut dyn StreamSubject, &mut MonitoredPart, OpenOp) -> Option<T>,
    ) -> Option<T> {
        loop {
            let open = self.open.get(slot)?;
            let Engine::Monitor(monitored) = &mut self.engine else { return None };
            if let Some(answer) = ask(subject, monitored, open) {
                return Some(answer);
            }
            if !self.switch(subject, limits) {
                return None;
            }
        }
    }

    /// Continues with the next monitor that can explain what happened so far, if there is one.
    fn switch(&mut self, subject: &mut dyn StreamSubject, limits: &StreamLimits) -> bool {
        let Engine::Monitor(monitored) = &mut self.engine else { return false };
        while let Some(monitor) =
            container_monitor(subject.shape(), self.tried, monitored.base(), limits)
        {
            self.tried += 1;
            if monitored.switch(subject, &mut self.open, monitor) {
                return true;
            }
        }
        false
    }

    /// Continues with configurations.
    fn hand_over(
        &mut self,
        subject: &mut dyn StreamSubject,
        limits: &StreamLimits,
    ) -> (&mut Configurations, &OpenOps) {
        if let Engine::Monitor(monitored) = &mut self.engine {
            let is_hopeless = is_container(subject.shape()) && self.open.count() > limits.open();
            self.engine = Engine::Configurations(match is_hopeless {
                true => Configurations::given_up(),
                false => monitored.replay(subject, limits),
            });
        }
        match &mut self.engine {
            Engine::Configurations(configurations) => (configurations, &self.open),
            Engine::Monitor(_) => unreachable!("handed over just now"),
        }
    }

    /// Continues with a monitor, if one operation is open, has been alone so far, and is about to
    /// overlap with another.
    fn resume(&mut self, subject: &mut dyn StreamSubject) {
        let (Engine::Configurations(configurations), Some(reader)) = (&self.engine, self.reader)
        else {
            return;
        };
        if self.open.count() != 1 {
            return;
        }
        let Some(state) = configurations.lone_state(&self.open) else { return };
        let Some((slot, _)) = self.open.iter().next() else { return };
        let Some(monitor) = resume_monitor(subject, state, reader) else { return };
        let mut monitored = MonitoredPart::new(monitor, state);
        if monitored.take_over(subject, &mut self.open, slot) {
            self.engine = Engine::Monitor(Box::new(monitored));
        }
    }

    /// Continues without a monitor if operations have not overlapped for a while: a single
    /// configuration is then faster. The monitor can take over again when two operations overlap.
    fn pause(&mut self, subject: &mut dyn StreamSubject) {
        let Engine::Monitor(monitored) = &self.engine else { return };
        let is_idle = self.open.is_empty() && !monitored.is_over();
        if is_idle
            && monitored.lone_calls() >= LONE
            && self.reader.is_some()
            && let Some(state) = monitored.settled(subject)
        {
            self.engine = Engine::Configurations(Configurations::new(state));
            self.open.clear();
        }
    }

    /// The part has operations on several keys, so that no monitor may take over: it would take the value of one key for that of
    /// another. One that is at work refuses the operation, see [`MonitoredPart::call`].
    pub(super) fn has_keys(&mut self) {
        self.may_monitor = false;
        self.reader = None;
    }

    /// Remembers an operation whose result reveals the state.
    fn learn_reader(&mut self, subject: &dyn StreamSubject, op: OpId) {
        if self.reader.is_some() || !self.may_monitor || !subject.is_read(Call::unknown(op)) {
            return;
        }
        let shows_state =
            matches!(subject.shape(), Shape::Registers { .. } | Shape::Snapshot { .. });
        if shows_state && subject.role(Call::unknown(op), true) == Role::Idle {
            self.reader = Some(op);
        }
    }
}

/// True if the effects of open operations have many orders that all lead to different states.
fn is_container(shape: Shape) -> bool {
    matches!(shape, Shape::Queue | Shape::PriorityQueue | Shape::Stack | Shape::Bag)
}

/// The monitors of a container, best first.
fn container_monitor(
    shape: Shape,
    number: u8,
    initial: StateId,
    limits: &StreamLimits,
) -> Option<BoxedMonitor> {
    let allowance = limits.allowance.clone();
    match (shape, number) {
        (Shape::Queue | Shape::PriorityQueue | Shape::Stack, 0) => {
            ContainerMonitor::new(shape, initial, allowance).map(|monitor| Box::new(monitor) as _)
        }
        (Shape::Queue | Shape::PriorityQueue | Shape::Stack, 1) | (Shape::Bag, 0) => {
            RepeatsMonitor::new(shape, initial, allowance).map(|monitor| Box::new(monitor) as _)
        }
        _ => None,
    }
}

fn boxed(monitor: SnapshotMonitor) -> BoxedMonitor {
    Box::new(monitor)
}

/// A monitor of an object in this state, where the result of `reader` reveals the state.
fn resume_monitor(
    subject: &mut dyn StreamSubject,
    state: StateId,
    reader: OpId,
) -> Option<BoxedMonitor> {
    match subject.shape() {
        Shape::Registers { .. } => Some(Box::new(RegisterMonitor::resume(subject, state, reader)?)),
        Shape::Snapshot { segments, .. } => {
            Some(Box::new(SnapshotMonitor::resume(subject, segments, state, reader)?))
        }
        _ => None,
    }
}
