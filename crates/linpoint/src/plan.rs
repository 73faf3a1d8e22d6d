//! The planner chooses the engines, their order and their parts before anything runs. The plan is
//! plain data.
//!
//! A plan is a ladder. Rung 0 asks the object's monitor about the whole history, all keys together.
//! If it refuses, the history is split, and each part climbs the rest of the ladder: the monitor on
//! the part, a depth-first search with hardly more steps than operations, cheap exact refuters, a
//! longer depth-first search, a search in which pending operations may take effect any number of
//! times (its "no" is conclusive), and finally the complete engines in competition. A rung that
//! cannot help is refused with a reason. The last rung is never refused.
//!
//! A plan is executed literally: `decide/` climbs its rungs and has no order of its own.
//! Explanations query derived histories with plans too, which have small limits (`Plan::query`).
//!
//! Strong hitting families ([`Engine::Hitting`]) are not on the ladder and must be selected by
//! name. Where they find a witness, a straight run nearly always finds one sooner (see the table in
//! `bench/README.md`), and they cannot refute.

use crate::budget::Limits;
use crate::check::Hints;
use crate::history::Timeline;
use crate::search::Engine;
use crate::split::Split;
use crate::subject::Case;

/// The features of a history that the planner uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Features {
    /// Number of operations.
    pub operations: usize,
    /// Operations that never returned.
    pub pending: usize,
    /// Completed operations with unknown results.
    pub unknown: usize,
    /// Largest number of completed operations of one part that are open at the same time.
    pub width: usize,
    /// Number of independent parts.
    pub parts: usize,
    /// Operations in the largest part.
    pub largest_part: usize,
    /// True if operations carry order hints.
    pub hints: bool,
}

/// What a rung of the ladder does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tactic {
    /// Ask the monitor of the object about the whole history, before it is split.
    Whole,
    /// Ask a monitor about a part.
    Monitor(Monitor),
    /// Ask the specification for an obvious contradiction.
    Refute,
    /// One engine, with hardly more steps than operations.
    Straight(Engine),
    /// One engine with a limited number of steps.
    Probe(Engine),
    /// Breadth-first search with pending operations in unlimited supply; can only refute.
    UnlimitedPending,
    /// Engines in competition.
    Compete(Vec<Engine>),
}

/// Which monitor decides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Monitor {
    /// The one for the shape of the object, see [`crate::monitor::decide`].
    OfShape,
    /// Lowe's queue-oriented search, see [`crate::monitor::decide_queue_oriented`].
    QueueOriented,
}

impl Monitor {
    /// All monitors.
    pub const ALL: [Monitor; 2] = [Monitor::OfShape, Monitor::QueueOriented];

    /// The name that selects it.
    pub fn name(self) -> &'static str {
        match self {
            Monitor::OfShape => "monitor",
            Monitor::QueueOriented => "queue-oriented",
        }
    }

    /// A one-line description.
    pub fn about(self) -> &'static str {
        match self {
            Monitor::OfShape => {
                "near-linear time for queues, stacks, deques, sets, locks, registers, …"
            }
            Monitor::QueueOriented => {
                "Lowe's search that builds the order of a queue's values, which may repeat"
            }
        }
    }
}

/// Overrides the planner's choice, see [`Checker::engine`](crate::Checker::engine).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Algorithm {
    /// These engines, in competition if there are several.
    Engines(Vec<Engine>),
    /// This monitor and nothing else.
    Monitor(Monitor),
}

impl From<Engine> for Algorithm {
    fn from(engine: Engine) -> Self {
        Algorithm::Engines(vec![engine])
    }
}

impl From<Monitor> for Algorithm {
    fn from(monitor: Monitor) -> Self {
        Algorithm::Monitor(monitor)
    }
}

/// The name of a monitor or an engine, or the names of several engines: `jit-tree+breadth`.
impl std::str::FromStr for Algorithm {
    type Err = UnknownEngine;

    fn from_str(names: &str) -> Result<Self, UnknownEngine> {
        if let Some(monitor) = Monitor::ALL.into_iter().find(|m| m.name() == names) {
            return Ok(Algorithm::Monitor(monitor));
        }
        let engines = names.split('+').map(str::parse);
        Ok(Algorithm::Engines(engines.collect::<Result<_, _>>()?))
    }
}

impl std::fmt::Display for Algorithm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Algorithm::Monitor(monitor) => f.write_str(monitor.name()),
            Algorithm::Engines(engines) => f.write_str(&names_of(engines)),
        }
    }
}

/// No engine or monitor has this name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownEngine(pub String);

impl std::fmt::Display for UnknownEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let monitors = Monitor::ALL.iter().map(|m| m.name());
        let known: Vec<&str> = Engine::NAMED.iter().map(|e| e.name()).chain(monitors).collect();
        write!(f, "unknown engine {:?}; the engines are {}", self.0, known.join(", "))
    }
}

impl std::error::Error for UnknownEngine {}

fn names_of(engines: &[Engine]) -> String {
    engines.iter().map(|engine| engine.name()).collect::<Vec<_>>().join("+")
}

impl Tactic {
    /// A name for reports.
    pub fn name(&self) -> String {
        match self {
            Tactic::Whole => Monitor::OfShape.name().into(),
            Tactic::Monitor(monitor) => format!("{} by part", monitor.name()),
            Tactic::Refute => "refute".into(),
            Tactic::Straight(engine) => format!("straight {}", engine.name()),
            Tactic::Probe(engine) => format!("probe {}", engine.name()),
            Tactic::UnlimitedPending => "unlimited-pending".into(),
            Tactic::Compete(engines) => names_of(engines),
        }
    }
}

/// A limit on search steps that grows with the number of operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StepLimit {
    /// Steps for any history.
    pub fixed: u64,
    /// Steps for each operation.
    pub per_op: u64,
}

impl StepLimit {
    /// The limit for a part with this many operations.
    pub fn limit(self, ops: usize) -> u64 {
        self.fixed.saturating_add(self.per_op.saturating_mul(ops as u64))
    }
}

/// Hardly more steps than operations.
const STRAIGHT: StepLimit = StepLimit { fixed: 1_000, per_op: 2 };
/// A small search.
const PROBE: StepLimit = StepLimit { fixed: 20_000, per_op: 16 };
/// The search with unlimited pending operations has small configurations, so it may take 64 times
/// as many steps.
const UNLIMITED: StepLimit = StepLimit { fixed: 64 * PROBE.fixed, per_op: 64 * PROBE.per_op };

/// A rung of the ladder, and whether it is used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rung {
    /// What it does.
    pub tactic: Tactic,
    /// Step limit; `None` means only the limits of the check apply.
    pub steps: Option<StepLimit>,
    /// Why it is not used, if it is not.
    pub refused: Option<String>,
    /// Why it is on the ladder.
    pub why: String,
}

impl Rung {
    fn new(tactic: Tactic, steps: Option<StepLimit>, refused: Option<String>, why: &str) -> Rung {
        Rung { tactic, steps, refused, why: why.to_owned() }
    }

    /// Search steps for a part with this many operations.
    pub(crate) fn limit(&self, ops: usize) -> u64 {
        self.steps.map_or(u64::MAX, |steps| steps.limit(ops))
    }
}

/// How a history will be checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The features that the plan is based on.
    pub features: Features,
    /// How the history is split, and why.
    pub split: String,
    /// The ladder.
    pub ladder: Vec<Rung>,
    /// Number of threads.
    pub threads: usize,
    /// Limits.
    pub limits: Limits,
}

/// Why monitors are not used.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct NoMonitor {
    /// The reason to use them neither for the whole history nor for parts.
    pub(crate) at_all: Option<String>,
    /// The reason not to use them for the whole history.
    pub(crate) whole: Option<String>,
}

impl NoMonitor {
    /// Why the monitor is not used for parts, if it is not.
    fn parts(&self, features: &Features) -> Option<String> {
        let is_asked_before = self.whole.is_none() && features.parts <= 1;
        let asked = || is_asked_before.then(|| "the whole history is one part".to_owned());
        self.at_all.clone().or_else(asked)
    }
}

impl Plan {
    /// The tactics in use, in order.
    pub fn steps(&self) -> impl Iterator<Item = &Tactic> {
        self.rungs().map(|rung| &rung.tactic)
    }

    /// The rungs in use, in order.
    pub(crate) fn rungs(&self) -> impl Iterator<Item = &Rung> {
        self.ladder.iter().filter(|rung| rung.refused.is_none())
    }

    /// True if rung 0 is in use.
    pub(crate) fn asks_about_whole(&self) -> bool {
        self.steps().next() == Some(&Tactic::Whole)
    }

    pub(crate) fn new(
        features: Features,
        algorithm: Option<&Algorithm>,
        no_monitor: NoMonitor,
        split_by_key: bool,
        threads: usize,
        limits: Limits,
    ) -> Plan {
        let split = describe_split(&features, split_by_key);
        let ladder = match algorithm {
            Some(Algorithm::Engines(engines)) => {
                vec![by_name(Tactic::Compete(engines.clone()), None)]
            }
            Some(Algorithm::Monitor(Monitor::OfShape)) => {
                let parts = no_monitor.parts(&features);
                let of_shape = Tactic::Monitor(Monitor::OfShape);
                let whole = no_monitor.at_all.or(no_monitor.whole);
                vec![by_name(Tactic::Whole, whole), by_name(of_shape, parts)]
            }
            Some(Algorithm::Monitor(monitor)) => vec![by_name(Tactic::Monitor(*monitor), None)],
            None => ladder(&features, no_monitor),
        };
        Plan { features, split, ladder, threads, limits }
    }

    /// The rungs for a query about a derived history: the same ladder with small limits.
    pub(crate) fn query() -> Vec<Rung> {
        let rung = |tactic, steps| Rung::new(tactic, steps, None, "");
        vec![
            rung(Tactic::Whole, None),
            rung(Tactic::Straight(Engine::JitGraph), Some(STRAIGHT)),
            rung(Tactic::Refute, None),
            rung(Tactic::UnlimitedPending, Some(PROBE)),
            rung(Tactic::Probe(Engine::JitGraph), Some(PROBE)),
            rung(Tactic::Probe(Engine::Breadth), Some(PROBE)),
        ]
    }

    /// The reason, if no rung is in use.
    pub(crate) fn refused(&self) -> Option<&str> {
        let reasons = self.ladder.iter().map(|rung| rung.refused.as_deref());
        reasons.collect::<Option<Vec<_>>>().and_then(|reasons| reasons.first().copied())
    }

    /// True if only monitors are used.
    pub(crate) fn only_asks_monitor(&self) -> bool {
        self.steps().all(|tactic| matches!(tactic, Tactic::Whole | Tactic::Monitor(_)))
    }

    /// Records why a monitor refused.
    pub(crate) fn note_refusal(&mut self, tactic: &Tactic, reason: &str) {
        if let Some(rung) = self.rung_mut(tactic) {
            rung.refused = Some(reason.to_owned());
        }
    }

    /// Records a monitor's answer.
    pub(crate) fn note_why(&mut self, tactic: &Tactic, why: String) {
        if let Some(rung) = self.rung_mut(tactic) {
            rung.why = why;
        }
    }

    /// Records that this rung decides everything, so that no later rung is used.
    pub(crate) fn note_decided(&mut self, tactic: &Tactic, why: String) {
        self.note_why(tactic, why);
        let later = self.ladder.iter_mut().skip_while(|rung| rung.tactic != *tactic).skip(1);
        for rung in later.filter(|rung| rung.refused.is_none()) {
            rung.refused = Some("not needed".into());
        }
    }

    fn rung_mut(&mut self, tactic: &Tactic) -> Option<&mut Rung> {
        self.ladder.iter_mut().find(|rung| rung.tactic == *tactic)
    }
}

fn by_name(tactic: Tactic, refused: Option<String>) -> Rung {
    Rung::new(tactic, None, refused, "asked for by name")
}

fn describe_split(features: &Features, split_by_key: bool) -> String {
    let Features { parts, largest_part, .. } = features;
    if !split_by_key {
        "not split: switched off".into()
    } else if *parts <= 1 {
        "one part: all operations depend on each other".into()
    } else {
        format!("{parts} independent parts, the largest with {largest_part} operations")
    }
}

fn ladder(features: &Features, no_monitor: NoMonitor) -> Vec<Rung> {
    let no_pending = (features.pending == 0).then(|| "no operation is pending".to_owned());
    let no_part_monitor = no_monitor.parts(features);
    vec![
        Rung::new(
            Tactic::Whole,
            None,
            no_monitor.at_all.or(no_monitor.whole),
            "knows this kind of object and needs no search",
        ),
        Rung::new(
            Tactic::Monitor(Monitor::OfShape),
            None,
            no_part_monitor,
            "what is refused as a whole may be accepted in parts",
        ),
        Rung::new(
            Tactic::Straight(Engine::JitGraph),
            Some(STRAIGHT),
            None,
            "most linearizable histories need hardly more steps than operations",
        ),
        Rung::new(Tactic::Refute, None, None, "an obvious contradiction needs no search"),
        Rung::new(Tactic::Probe(Engine::JitGraph), Some(PROBE), None, "small searches end soon"),
        Rung::new(
            Tactic::UnlimitedPending,
            Some(UNLIMITED),
            no_pending,
            "refutes without keeping track of which pending operations took effect",
        ),
        Rung::new(
            Tactic::Compete(vec![Engine::JitGraph, Engine::Breadth]),
            None,
            None,
            "complete: depth-first and breadth-first search run in parallel",
        ),
    ]
}

impl Features {
    pub(crate) fn of(case: &Case<'_>, split: &Split) -> Features {
        let mut features = Features {
            operations: case.len(),
            parts: split.len(),
            hints: case.timeline().has_hints(),
            unknown: case.unknown_results(),
            ..Features::default()
        };
        for part in 0..split.len() {
            let mut open: usize = 0;
            let mut ops = 0;
            for event in split.events(part) {
                let id = event.op();
                if event.is_return() {
                    open -= 1;
                    continue;
                }
                ops += 1;
                if case.span(id).is_pending() {
                    features.pending += 1;
                } else {
                    open += 1;
                    features.width = features.width.max(open);
                }
            }
            features.largest_part = features.largest_part.max(ops);
        }
        features
    }
}

impl Features {
    /// The features of a history that is not split.
    pub(crate) fn of_whole(case: &Case<'_>) -> Features {
        let timeline = case.timeline();
        Features {
            operations: case.len(),
            parts: usize::from(!timeline.is_empty()),
            largest_part: case.len(),
            width: timeline.most_open(),
            hints: timeline.has_hints(),
            pending: timeline.pending(),
            unknown: case.unknown_results(),
        }
    }
}

impl std::fmt::Display for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let x = &self.features;
        writeln!(
            f,
            "{} operations ({} pending, {} with unknown result), up to {} open at once",
            x.operations, x.pending, x.unknown, x.width
        )?;
        writeln!(f, "{}", self.split)?;
        for (i, c) in self.ladder.iter().enumerate() {
            match &c.refused {
                None => writeln!(f, "{i}. {}: {}", c.tactic.name(), c.why)?,
                Some(reason) => writeln!(f, "{i}. {}: not used, {reason}", c.tactic.name())?,
            }
        }
        let time = self.limits.time.map_or("no time limit".into(), |t| format!("at most {t:?}"));
        let memory = match self.limits.memory {
            Some(bytes) => format!("at most {} MiB", bytes >> 20),
            None => "at most three quarters of the free memory".into(),
        };
        write!(f, "{} thread(s), {time}, {memory}", self.threads)
    }
}

/// Drops hints that are not used.
pub(crate) fn effective_hints(timeline: &Timeline, hints: Hints) -> Hints {
    if timeline.has_hints() { hints } else { Hints::Ignore }
}
