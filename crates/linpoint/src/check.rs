//! The front door: a history and a specification go in, a [`Report`] comes out.

use std::time::Duration;

use crate::budget::{Cancel, Limits, Progress};
use crate::history::{History, OpId};
use crate::spec::Spec;
use crate::verdict::{Verdict, Violation};

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
    /// No engine of this name.
    UnknownEngine(String),
    /// An engine's answer failed independent validation: a bug in linpoint or a false claim of the
    /// specification. No verdict is given.
    Internal(String),
}

/// The outcome of a check.
#[derive(Clone, Debug)]
pub struct Report {
    /// The answer.
    pub verdict: Verdict,
    /// The engine that gave it.
    pub engine: String,
    /// With [`Checker::all_failures`]: violations in other parts.
    pub more: Vec<Violation>,
    /// Where the time went.
    pub stats: Stats,
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
    /// Deciding.
    pub decide: Duration,
    /// Validating the witness.
    pub certify: Duration,
    /// Explaining the violation.
    pub explain: Duration,
}

/// Checks histories against one specification.
pub struct Checker<'a, S: Spec> {
    spec: &'a S,
    limits: Limits,
    threads: Option<usize>,
    engine: Option<String>,
    hints: Hints,
    all_failures: bool,
    cancel: Cancel,
    progress: Option<&'a (dyn Fn(Progress) + Sync)>,
}

/// Checks a history with the default settings.
pub fn check<S: Spec>(spec: &S, history: &History<S::Op, S::Ret>) -> Result<Report, CheckError> {
    Checker::new(spec).check(history)
}

impl<'a, S: Spec> Checker<'a, S> {
    /// No limits, all cores, the planner chooses.
    pub fn new(spec: &'a S) -> Self {
        Checker {
            spec,
            limits: Limits::default(),
            threads: None,
            engine: None,
            hints: Hints::default(),
            all_failures: false,
            cancel: Cancel::new(),
            progress: None,
        }
    }
    /// Wall-clock limit.
    pub fn timeout(mut self, time: Duration) -> Self {
        self.limits.time = Some(time);
        self
    }
    /// Memory limit in bytes.
    pub fn memory(mut self, bytes: usize) -> Self {
        self.limits.memory = Some(bytes);
        self
    }
    /// Number of threads.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }
    /// Uses one engine, or several in competition (`"jit-tree+breadth"`).
    pub fn engine(mut self, name: &str) -> Self {
        self.engine = Some(name.to_owned());
        self
    }
    /// What to do with order hints.
    pub fn hints(mut self, hints: Hints) -> Self {
        self.hints = hints;
        self
    }
    /// Goes on after the first part that fails.
    pub fn all_failures(mut self, all: bool) -> Self {
        self.all_failures = all;
        self
    }
    /// Lets another thread end the check.
    pub fn cancel(mut self, cancel: &Cancel) -> Self {
        self.cancel = cancel.clone();
        self
    }
    /// Calls `progress` about ten times a second.
    pub fn progress(mut self, progress: &'a (dyn Fn(Progress) + Sync)) -> Self {
        self.progress = Some(progress);
        self
    }
    /// Checks a history.
    pub fn check(&self, _history: &History<S::Op, S::Ret>) -> Result<Report, CheckError> {
        todo!()
    }
}
