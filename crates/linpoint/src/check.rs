//! The front door: a history and a specification go in, a [`Report`] comes out.

mod foresee;
mod parts;
mod run;
mod whole;

pub use parts::{Part, PartStatus};

use std::time::{Duration, Instant};

use crate::budget::{Cancel, Progress};
use crate::history::{History, OpId, Timeline};
use crate::plan::{Algorithm, Plan};
use crate::search::Switches;
use crate::spec::Spec;
use crate::subject::{Case, Subject, Typed};
use crate::verdict::{OrderWith, Verdict, Violation};
pub(crate) use run::Settings;

/// What to do with order hints. See [`crate::history::OrderHint`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Hints {
    /// Ignore them.
    Ignore,
    /// Try operations in this order first. This does not affect the verdict.
    #[default]
    Order,
    /// Require that operations of one scope take effect in this order.
    Assert,
}

/// The check failed. This says nothing about the history.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CheckError {
    /// The specification panicked.
    SpecPanicked {
        /// The operation that was being processed.
        op: OpId,
        /// That operation as text.
        description: String,
        /// The panic message.
        message: String,
    },
    /// A monitor that was selected by name cannot decide this history.
    Refused {
        /// The monitor's name.
        monitor: String,
        /// The reason.
        reason: String,
    },
    /// The model failed: a script with an error, or a program that does not answer.
    Failed(String),
    /// An engine's answer failed independent validation, because of a bug in linpoint or a false
    /// claim by the specification. No verdict is given.
    Internal(String),
}

impl std::fmt::Display for CheckError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            CheckError::SpecPanicked { op, description, message } => {
                write!(f, "the specification panicked at operation {op}, {description}: {message}")
            }
            CheckError::Refused { monitor, reason } => {
                write!(f, "{monitor} does not decide this history: {reason}")
            }
            CheckError::Failed(message) => f.write_str(message),
            CheckError::Internal(what) => write!(
                f,
                "internal error: {what}; either linpoint has a bug, or the specification claims \
                 something false (see spec::claims)"
            ),
        }
    }
}

impl std::error::Error for CheckError {}

/// The outcome of a check.
#[derive(Clone, Debug)]
pub struct Report {
    /// The answer.
    pub verdict: Verdict,
    /// The engine that gave the answer. For a linearizable history with several parts, all engines
    /// involved.
    pub engine: String,
    /// With [`Checker::all_failures`], violations in other parts.
    pub more: Vec<Violation>,
    /// How the check was done.
    pub plan: Plan,
    /// What it cost.
    pub stats: Stats,
    /// The outcome for each part; empty if the history was not split. See [`Checker::parts`].
    pub parts: Vec<PartStatus>,
}

/// What a check cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Configurations visited.
    pub steps: u64,
    /// Independent parts.
    pub parts: usize,
    /// Peak number of bytes counted.
    pub peak_bytes: usize,
    /// Time for splitting and deciding, excluding validation.
    pub decide: Duration,
    /// Time for validating the witness.
    pub certify: Duration,
    /// Time for explaining the violation.
    pub explain: Duration,
}

/// Checks histories against one specification.
///
/// ```
/// use std::time::Duration;
/// use linpoint::{Checker, History, Verdict};
/// use linpoint::spec::models::{Register, RegisterOp, RegisterRet};
///
/// let mut events = History::from_events();
/// let write = events.call(RegisterOp::Write(1));
/// events.ret(write, RegisterRet::Written)?;
/// let read = events.call(RegisterOp::Read);
/// events.ret(read, RegisterRet::Value(0))?;
///
/// let spec = Register { initial: 0 };
/// let report = Checker::new(&spec).timeout(Duration::from_secs(10)).check(&events.finish())?;
/// let Verdict::Violation(violation) = report.verdict else { panic!("a stale read") };
/// assert_eq!(violation.failing, Some(read));
/// assert_eq!(violation.core, [write, read]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Checker<'a, S: ?Sized> {
    spec: &'a S,
    settings: Settings<'a>,
}

/// Checks a history with the default settings.
pub fn check<S: Spec>(spec: &S, history: &History<S::Op, S::Ret>) -> Result<Report, CheckError> {
    Checker::new(spec).check(history)
}

impl<'a, S: Spec> Checker<'a, S> {
    /// No time limit, memory limited to three quarters of the free memory, all cores, engines
    /// chosen by the planner.
    pub fn new(spec: &'a S) -> Self {
        Checker { spec, settings: Settings::default() }
    }

    /// Checks a history.
    pub fn check(&self, history: &History<S::Op, S::Ret>) -> Result<Report, CheckError> {
        let subject = Typed::new(self.spec, history);
        self.settings.check(&Case::new(&subject, history.timeline()))
    }

    /// Returns the plan for this history without running it.
    pub fn plan(&self, history: &History<S::Op, S::Ret>) -> Result<Plan, CheckError> {
        let subject = Typed::new(self.spec, history);
        self.settings.plan(&Case::new(&subject, history.timeline()))
    }

    /// Like [`Checker::plan`], but also asks the monitor, if the plan has one, whether it decides
    /// the history and if not, why. This takes about as long as a check by the monitor.
    ///
    /// ```
    /// use linpoint::spec::models::{Queue, QueueOp, QueueRet};
    /// use linpoint::{Checker, History};
    ///
    /// let mut events = History::from_events();
    /// let put = events.call(QueueOp::Enqueue(1));
    /// events.ret(put, QueueRet::Done)?;
    /// let plan = Checker::new(&Queue::new()).foresee(&events.finish())?;
    /// assert_eq!(plan.ladder[0].why, "queue-monitor decides this history");
    /// assert_eq!(plan.steps().count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn foresee(&self, history: &History<S::Op, S::Ret>) -> Result<Plan, CheckError> {
        let subject = Typed::new(self.spec, history);
        self.settings.foresee(&Case::new(&subject, history.timeline()))
    }

    /// Number of operations in each independent part of a history.
    pub fn part_sizes(&self, history: &History<S::Op, S::Ret>) -> Result<Vec<usize>, CheckError> {
        let subject = Typed::new(self.spec, history);
        self.settings.part_sizes(&Case::new(&subject, history.timeline()))
    }

    /// The independent parts of a history, with the status that `report` gives each of them.
    pub fn parts(
        &self,
        history: &History<S::Op, S::Ret>,
        report: &Report,
    ) -> Result<Vec<Part>, CheckError> {
        let subject = Typed::new(self.spec, history);
        self.settings.parts(&Case::new(&subject, history.timeline()), report)
    }

    /// The order that gets furthest and contains an operation with its own result, searched for until some time. It explains a
    /// violation further: if this had happened as recorded, what then?
    pub fn order_with(
        &self,
        history: &History<S::Op, S::Ret>,
        violation: &Violation,
        op: OpId,
        until: Instant,
    ) -> OrderWith {
        let subject = Typed::new(self.spec, history);
        self.settings.order_with(&Case::new(&subject, history.timeline()), violation, op, until)
    }
}

/// The untyped interface, for models that exist only at run time and for code that handles every
/// model.
impl<'a> Checker<'a, dyn Subject + 'a> {
    /// Checks a [`Subject`], see [`crate::subject`]. Each method takes the timeline of its
    /// operations.
    pub fn of_subject(subject: &'a dyn Subject) -> Self {
        Checker { spec: subject, settings: Settings::default() }
    }

    /// Checks the subject.
    pub fn check(&self, timeline: &Timeline) -> Result<Report, CheckError> {
        self.settings.check(&Case::new(self.spec, timeline))
    }

    /// See [`Checker::plan`].
    pub fn plan(&self, timeline: &Timeline) -> Result<Plan, CheckError> {
        self.settings.plan(&Case::new(self.spec, timeline))
    }

    /// See [`Checker::foresee`].
    pub fn foresee(&self, timeline: &Timeline) -> Result<Plan, CheckError> {
        self.settings.foresee(&Case::new(self.spec, timeline))
    }

    /// See [`Checker::part_sizes`].
    pub fn part_sizes(&self, timeline: &Timeline) -> Result<Vec<usize>, CheckError> {
        self.settings.part_sizes(&Case::new(self.spec, timeline))
    }

    /// See [`Checker::parts`].
    pub fn parts(&self, timeline: &Timeline, report: &Report) -> Result<Vec<Part>, CheckError> {
        self.settings.parts(&Case::new(self.spec, timeline), report)
    }

    /// See [`Checker::order_with`].
    pub fn order_with(
        &self,
        timeline: &Timeline,
        violation: &Violation,
        op: OpId,
        until: Instant,
    ) -> OrderWith {
        self.settings.order_with(&Case::new(self.spec, timeline), violation, op, until)
    }
}

impl<'a, S: ?Sized> Checker<'a, S> {
    /// Wall-clock limit for deciding and explaining together.
    pub fn timeout(mut self, time: Duration) -> Self {
        self.settings.limits.time = Some(time);
        self
    }

    /// Memory limit in bytes. See [`Limits::memory`](crate::Limits::memory) for what is counted.
    pub fn memory(mut self, bytes: usize) -> Self {
        self.settings.limits.memory = Some(bytes);
        self
    }

    /// Number of threads. The default is the number of cores.
    pub fn threads(mut self, threads: usize) -> Self {
        self.settings.threads = Some(threads.max(1));
        self
    }

    /// Overrides the planner: uses this engine, several competing engines, or only a monitor.
    ///
    /// ```
    /// use linpoint::spec::models::Queue;
    /// use linpoint::{Algorithm, Checker, Engine};
    ///
    /// let queue = Queue::<u32>::new();
    /// let one = Checker::new(&queue).engine(Engine::Breadth);
    /// let several = Checker::new(&queue).engine("jit-tree+breadth".parse::<Algorithm>()?);
    /// # Ok::<(), linpoint::UnknownEngine>(())
    /// ```
    pub fn engine(mut self, algorithm: impl Into<Algorithm>) -> Self {
        self.settings.algorithm = Some(algorithm.into());
        self
    }

    /// Switches off parts of the search. No switch changes a verdict.
    pub fn switches(mut self, switches: Switches) -> Self {
        self.settings.switches = switches;
        self
    }

    /// If false, keys of one object are not checked separately. Objects still are.
    pub fn split_by_key(mut self, split: bool) -> Self {
        self.settings.split_by_key = split;
        self
    }

    /// How to use order hints.
    pub fn hints(mut self, hints: Hints) -> Self {
        self.settings.hints = hints;
        self
    }

    /// If true, continues after the first part that fails.
    pub fn all_failures(mut self, all: bool) -> Self {
        self.settings.all_failures = all;
        self
    }

    /// If false, skips the expensive parts of explaining a violation. The verdict is the same.
    pub fn explains(mut self, explains: bool) -> Self {
        self.settings.explains = explains;
        self
    }

    /// Lets another thread stop the check.
    pub fn cancel(mut self, cancel: &Cancel) -> Self {
        self.settings.cancel = cancel.clone();
        self
    }

    /// Calls `progress` about ten times a second.
    pub fn progress(mut self, progress: &'a (dyn Fn(Progress) + Sync)) -> Self {
        self.settings.progress = Some(progress);
        self
    }
}
