//! The front door: a history and a specification go in, a [`Report`] comes out.

mod foresee;
mod parts;
mod run;
mod whole;

pub use parts::{Part, PartStatus};

use std::time::Duration;

use crate::budget::{Cancel, Progress};
use crate::history::{History, OpId, Timeline};
use crate::plan::{Algorithm, Plan};
use crate::search::Switches;
use crate::spec::Spec;
use crate::subject::{Case, Subject, Typed};
use crate::verdict::{Verdict, Violation};
pub(crate) use run::Settings;

/// What to do with order hints. See [`crate::history::OrderHint`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Hints {
    /// Nothing.
    Ignore,
    /// Try operations in this order first. The verdict does not depend on it.
    #[default]
    Order,
    /// Require that operations of one scope take effect in this order.
    Assert,
}

/// A check that could not be made: not an answer about the history.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum CheckError {
    /// The specification panicked.
    SpecPanicked {
        /// The operation it was given.
        op: OpId,
        /// That operation in words.
        description: String,
        /// The panic message.
        message: String,
    },
    /// A monitor that was asked for by name does not decide this history.
    Refused {
        /// Its name.
        monitor: String,
        /// Why it does not.
        reason: String,
    },
    /// An engine's answer failed independent validation: a bug in linpoint or a false claim of the
    /// specification. No verdict is given.
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
    /// The engine that gave it; for a linearizable history of several parts, all that took part.
    pub engine: String,
    /// With [`Checker::all_failures`]: violations in other parts.
    pub more: Vec<Violation>,
    /// How the check was done.
    pub plan: Plan,
    /// What it cost.
    pub stats: Stats,
    /// What became of each part; empty if the history was not split. See [`Checker::parts`].
    pub parts: Vec<PartStatus>,
}

/// What a check cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Configurations visited.
    pub steps: u64,
    /// Independent parts.
    pub parts: usize,
    /// Largest number of bytes counted at once.
    pub peak_bytes: usize,
    /// Splitting and deciding, without validation.
    pub decide: Duration,
    /// Validating the witness.
    pub certify: Duration,
    /// Explaining the violation.
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
    /// No time limit, memory limited to three quarters of what is free, all cores, the planner chooses.
    pub fn new(spec: &'a S) -> Self {
        Checker { spec, settings: Settings::default() }
    }

    /// Checks a history.
    pub fn check(&self, history: &History<S::Op, S::Ret>) -> Result<Report, CheckError> {
        let subject = Typed::new(self.spec, history);
        self.settings.check(&Case::new(&subject, history.timeline()))
    }

    /// How this history would be checked.
    pub fn plan(&self, history: &History<S::Op, S::Ret>) -> Result<Plan, CheckError> {
        let subject = Typed::new(self.spec, history);
        self.settings.plan(&Case::new(&subject, history.timeline()))
    }

    /// How this history would be checked, like [`Checker::plan`]; and where the plan has a monitor, whether it
    /// decides the history or why it does not. That takes about as long as a check by the monitor.
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

    /// The independent parts of a history, with the status of each in a check of it by this checker.
    pub fn parts(
        &self,
        history: &History<S::Op, S::Ret>,
        report: &Report,
    ) -> Result<Vec<Part>, CheckError> {
        let subject = Typed::new(self.spec, history);
        self.settings.parts(&Case::new(&subject, history.timeline()), report)
    }
}

/// The same without types, for models that exist only at run time and for code that serves all models.
impl<'a> Checker<'a, dyn Subject + 'a> {
    /// Checks a [`Subject`], see [`crate::subject`]. The timeline of its operations is given to each method.
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
}

impl<'a, S: ?Sized> Checker<'a, S> {
    /// Wall-clock limit, for deciding and explaining together.
    pub fn timeout(mut self, time: Duration) -> Self {
        self.settings.limits.time = Some(time);
        self
    }

    /// Memory limit in bytes, see [`Limits::memory`](crate::Limits::memory) for what is counted.
    pub fn memory(mut self, bytes: usize) -> Self {
        self.settings.limits.memory = Some(bytes);
        self
    }

    /// Number of threads; by default as many as there are cores.
    pub fn threads(mut self, threads: usize) -> Self {
        self.settings.threads = Some(threads.max(1));
        self
    }

    /// Uses this engine, several in competition, or a monitor and nothing else, instead of the planner.
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

    /// Switches parts of the search off. No switch changes a verdict.
    pub fn switches(mut self, switches: Switches) -> Self {
        self.settings.switches = switches;
        self
    }

    /// False: keys are not checked apart from each other. Objects still are.
    pub fn split_by_key(mut self, split: bool) -> Self {
        self.settings.split_by_key = split;
        self
    }

    /// What to do with order hints.
    pub fn hints(mut self, hints: Hints) -> Self {
        self.settings.hints = hints;
        self
    }

    /// Goes on after the first part that fails.
    pub fn all_failures(mut self, all: bool) -> Self {
        self.settings.all_failures = all;
        self
    }

    /// False: violations are not explained, as far as that would take time. The verdict is the same.
    pub fn explains(mut self, explains: bool) -> Self {
        self.settings.explains = explains;
        self
    }

    /// Lets another thread end the check.
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
