//! The front door: a history and a specification go in, a [`Report`] comes out.

mod foresee;
mod whole;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::budget::{Cancel, Limits, Memory, Progress};
use crate::decide::{PartAnswer, PartReport, Refusals, Run};
use crate::explain::{Setting, explain};
use crate::history::{History, OpId};
use crate::parts::{PartStatus, statuses};
use crate::plan::{Features, Forced, Monitor, Plan, effective_hints};
use crate::search::{Engine, Switches, guard};
use crate::spec::Spec;
use crate::split::Split;
use crate::verdict::{Undecided, Verdict, Violation, Witness, certify};
use whole::Whole;

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
            CheckError::UnknownEngine(name) => {
                let monitors = Monitor::ALL.iter().map(|m| m.name());
                let known: Vec<&str> =
                    Engine::NAMED.iter().map(|e| e.name()).chain(monitors).collect();
                write!(f, "there is no engine {name:?}; the engines are {}", known.join(", "))
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
pub struct Checker<'a, S: Spec> {
    spec: &'a S,
    limits: Limits,
    threads: Option<usize>,
    engine: Option<String>,
    switches: Switches,
    split_by_key: bool,
    pub(crate) hints: Hints,
    all_failures: bool,
    explains: bool,
    cancel: Cancel,
    progress: Option<&'a (dyn Fn(Progress) + Sync)>,
}

/// Checks a history with the default settings.
pub fn check<S: Spec>(spec: &S, history: &History<S::Op, S::Ret>) -> Result<Report, CheckError> {
    Checker::new(spec).check(history)
}

impl<'a, S: Spec> Checker<'a, S> {
    /// No time limit, memory limited to three quarters of what is free, all cores, the planner chooses.
    pub fn new(spec: &'a S) -> Self {
        Checker {
            spec,
            limits: Limits::default(),
            threads: None,
            engine: None,
            switches: Switches::default(),
            split_by_key: true,
            hints: Hints::default(),
            all_failures: false,
            explains: true,
            cancel: Cancel::new(),
            progress: None,
        }
    }

    /// Wall-clock limit, for deciding and explaining together.
    pub fn timeout(mut self, time: Duration) -> Self {
        self.limits.time = Some(time);
        self
    }

    /// Memory limit in bytes, see [`Limits::memory`] for what is counted.
    pub fn memory(mut self, bytes: usize) -> Self {
        self.limits.memory = Some(bytes);
        self
    }

    /// Number of threads; by default as many as there are cores.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads.max(1));
        self
    }

    /// Uses one engine, or several in competition (`"jit-tree+breadth"`), or a monitor and nothing
    /// else (`"monitor"`), instead of the planner.
    pub fn engine(mut self, name: &str) -> Self {
        self.engine = Some(name.to_owned());
        self
    }

    /// Switches parts of the search off. No switch changes a verdict.
    pub fn switches(mut self, switches: Switches) -> Self {
        self.switches = switches;
        self
    }

    /// False: keys are not checked apart from each other. Objects still are.
    pub fn split_by_key(mut self, split: bool) -> Self {
        self.split_by_key = split;
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

    /// False: violations are not explained, as far as that would take time. The verdict is the same.
    pub fn explains(mut self, explains: bool) -> Self {
        self.explains = explains;
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

    fn forced(&self) -> Result<Option<Forced>, CheckError> {
        let Some(names) = &self.engine else { return Ok(None) };
        if let Some(monitor) = Monitor::ALL.into_iter().find(|m| m.name() == names) {
            return Ok(Some(Forced::Monitor(monitor)));
        }
        let find = |name: &str| {
            Engine::from_name(name).ok_or_else(|| CheckError::UnknownEngine(name.to_owned()))
        };
        Ok(Some(Forced::Engines(names.split('+').map(find).collect::<Result<_, _>>()?)))
    }

    /// Why no monitor is asked, if none is.
    fn no_monitor(&self, hints: Hints) -> Option<String> {
        if !self.switches.monitors {
            Some("switched off".into())
        } else if hints == Hints::Assert {
            Some("monitors know nothing of asserted positions".into())
        } else if self.spec.shaped().is_none() {
            Some("there is none for this kind of object".into())
        } else {
            None
        }
    }

    /// How this history would be checked.
    pub fn plan(&self, history: &History<S::Op, S::Ret>) -> Result<Plan, CheckError> {
        let hints = effective_hints(history, self.hints);
        let split = self.split(history, hints)?;
        self.plan_for(history, &split)
    }

    pub(crate) fn split(
        &self,
        history: &History<S::Op, S::Ret>,
        hints: Hints,
    ) -> Result<Split, CheckError> {
        guard(|| Split::new(self.spec, history, hints, self.split_by_key)).map_err(|message| {
            let description = "asked for its footprint".to_owned();
            CheckError::SpecPanicked { op: OpId(0), description, message }
        })
    }

    fn plan_for(
        &self,
        history: &History<S::Op, S::Ret>,
        split: &Split,
    ) -> Result<Plan, CheckError> {
        self.plan_with(history, Features::of(history, split))
    }

    fn plan_with(
        &self,
        history: &History<S::Op, S::Ret>,
        features: Features,
    ) -> Result<Plan, CheckError> {
        let threads = self.threads.unwrap_or_else(|| {
            std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
        });
        let forced = self.forced()?;
        let no_monitor = self.no_monitor(effective_hints(history, self.hints));
        let by_key = self.split_by_key;
        Ok(Plan::new(features, forced.as_ref(), no_monitor, by_key, threads, self.limits))
    }

    /// Checks a history.
    pub fn check(&self, history: &History<S::Op, S::Ret>) -> Result<Report, CheckError> {
        let begin = Instant::now();
        let deadline = self.limits.time.map(|t| begin + t);
        let memory = Memory::new(self.limits.memory);
        let hints = effective_hints(history, self.hints);
        let whole = match self.ask_about_all(history, hints, &memory, begin)? {
            Whole::Linearizable(report) => return Ok(*report),
            whole => whole,
        };
        let (steps, certify_nanos) = (AtomicU64::new(0), AtomicU64::new(0));
        let refusals = Refusals::default();
        let split = self.split(history, hints)?;
        let mut plan = self.plan_for(history, &split)?;
        let run = Run {
            spec: self.spec,
            history,
            split: &split,
            plan: &plan,
            hints,
            switches: self.switches,
            all_failures: self.all_failures,
            deadline,
            memory: &memory,
            cancel: &self.cancel,
            steps: &steps,
            certify_nanos: &certify_nanos,
            progress: self.progress,
            refused_whole: whole.refusal(),
            refusals: &refusals,
        };
        let parts = match whole {
            Whole::Refuted { ref refutation, monitor } => run.refuted(refutation, monitor),
            _ => run.parts()?,
        };
        let replay = Duration::from_nanos(certify_nanos.load(Ordering::Relaxed));
        let mut stats = Stats {
            parts: split.len(),
            decide: begin.elapsed().saturating_sub(replay),
            certify: replay,
            ..Stats::default()
        };
        let until = if self.explains { deadline } else { Some(Instant::now()) };
        let setting = Setting { hints, deadline: until, memory: &memory, cancel: &self.cancel };
        let (verdict, engine, more) =
            self.conclude(history, &split, &parts, &setting, &mut stats)?;
        stats.steps = steps.load(Ordering::Relaxed);
        stats.peak_bytes = memory.peak();
        if let Some(reason) = refusals.reason() {
            plan.note_refusal(reason);
        }
        Ok(Report { verdict, engine, more, plan, stats, parts: statuses(&parts) })
    }

    /// One verdict from the answers for all parts: a violation counts most, then undecided.
    fn conclude(
        &self,
        history: &History<S::Op, S::Ret>,
        split: &Split,
        parts: &[Option<PartReport>],
        setting: &Setting<'_>,
        stats: &mut Stats,
    ) -> Result<(Verdict, String, Vec<Violation>), CheckError> {
        let mut violations = Vec::new();
        let mut undecided = None;
        let mut orders = Vec::new();
        let mut engines: Vec<&str> = Vec::new();
        for (part, report) in parts.iter().enumerate() {
            let Some(PartReport { answer, engine }) = report else { continue };
            match answer {
                PartAnswer::Linearizable(order) => {
                    orders.push(order);
                    if !engines.contains(&engine.as_str()) {
                        engines.push(engine);
                    }
                }
                PartAnswer::Violation(evidence) => {
                    if violations.is_empty() || self.all_failures {
                        violations.push((part, evidence, engine));
                    }
                }
                PartAnswer::Undecided { limit, reached, returns } => {
                    undecided.get_or_insert((*limit, *reached, *returns, engine));
                }
            }
        }
        if let Some((_, _, engine)) = violations.first() {
            let begin = Instant::now();
            let mut explained = Vec::new();
            for (part, evidence, _) in &violations {
                let ops = split.ops(*part);
                explained.push(explain(self.spec, history, &ops, evidence, setting)?);
            }
            stats.explain = begin.elapsed();
            let first = Box::new(explained.remove(0));
            return Ok((Verdict::Violation(first), (*engine).clone(), explained));
        }
        if let Some((limit, reached, returns, engine)) = undecided {
            let undecided = Undecided {
                limit,
                parts_done: orders.len(),
                parts: parts.len(),
                returns_reached: reached as usize,
                returns: returns as usize,
            };
            return Ok((Verdict::Undecided(undecided), engine.clone(), Vec::new()));
        }
        let begin = Instant::now();
        let order = certify::merge(history, &orders);
        certify::order_is_valid(history, &order, setting.hints == Hints::Assert)
            .map_err(CheckError::Internal)?;
        stats.certify += begin.elapsed();
        Ok((Verdict::Linearizable(Witness { order }), engines.join(", "), Vec::new()))
    }
}
