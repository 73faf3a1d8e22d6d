//! Which engines, in which order, on which parts: decided before anything runs, as plain data.
//!
//! The planner is a ladder. If there is a monitor for the object, it comes first: on the whole
//! history, all keys at once, and if it refuses that, on each part. Then a depth-first search with
//! luck, with hardly more steps than operations, then cheap exact refuters, then depth-first search
//! with more steps, then, if there are pending operations, a search in which they may take effect any
//! number of times (its "no" is a "no"), and at last the complete engines in competition. A step
//! that cannot help is refused with a reason; the last one is never refused.
//!
//! Strong hitting families ([`Engine::Hitting`]) are not on the ladder, only available by name: where they have
//! a witness, a straight run nearly always finds one sooner (`bench/README.md` has the table), and they refute
//! nothing.

use crate::budget::Limits;
use crate::check::Hints;
use crate::history::Timeline;
use crate::search::Engine;
use crate::split::Split;
use crate::subject::Case;

/// What is known about a history before it is checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Features {
    /// Operations.
    pub operations: usize,
    /// Operations that never returned.
    pub pending: usize,
    /// Completed operations with unknown results.
    pub unknown: usize,
    /// Largest number of completed operations of one part open at once.
    pub width: usize,
    /// Independent parts.
    pub parts: usize,
    /// Operations in the largest part.
    pub largest_part: usize,
    /// True if operations carry order hints.
    pub hints: bool,
}

/// A step of the ladder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Tactic {
    /// A monitor of this kind.
    Monitor(Monitor),
    /// Ask the specification for an obvious contradiction.
    Refute,
    /// One engine, with hardly more steps than there are operations.
    Straight(Engine),
    /// One engine with a limited number of steps.
    Probe(Engine),
    /// Breadth-first search with pending operations in unlimited supply; can only refute.
    UnlimitedPending,
    /// Engines in competition, to the end of the budget.
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
    /// All of them.
    pub const ALL: [Monitor; 2] = [Monitor::OfShape, Monitor::QueueOriented];

    /// The name by which it is asked for.
    pub fn name(self) -> &'static str {
        match self {
            Monitor::OfShape => "monitor",
            Monitor::QueueOriented => "queue-oriented",
        }
    }

    /// One line about it.
    pub fn about(self) -> &'static str {
        match self {
            Monitor::OfShape => {
                "near-linear time for queues, stacks, priority queues, sets, locks, registers, …"
            }
            Monitor::QueueOriented => {
                "Lowe's search that builds the order of a queue's values, which may repeat"
            }
        }
    }
}

/// What is used instead of the planner's choice, see [`Checker::engine`](crate::Checker::engine).
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
        write!(f, "there is no engine {:?}; the engines are {}", self.0, known.join(", "))
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
            Tactic::Monitor(monitor) => monitor.name().into(),
            Tactic::Refute => "refute".into(),
            Tactic::Straight(engine) => format!("straight {}", engine.name()),
            Tactic::Probe(engine) => format!("probe {}", engine.name()),
            Tactic::UnlimitedPending => "unlimited-pending".into(),
            Tactic::Compete(engines) => names_of(engines),
        }
    }
}

/// A step of the ladder, and whether it is used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// The step.
    pub tactic: Tactic,
    /// Why it is refused, if it is.
    pub refused: Option<String>,
    /// Why it is there.
    pub why: String,
}

/// How a history is going to be checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// What the plan is based on.
    pub features: Features,
    /// Why the history is split as it is.
    pub split: String,
    /// The ladder.
    pub ladder: Vec<Candidate>,
    /// Threads.
    pub threads: usize,
    /// Limits.
    pub limits: Limits,
}

impl Plan {
    /// The steps that are used, in order.
    pub fn steps(&self) -> impl Iterator<Item = &Tactic> {
        self.ladder.iter().filter(|c| c.refused.is_none()).map(|c| &c.tactic)
    }

    pub(crate) fn new(
        features: Features,
        forced: Option<&Algorithm>,
        no_monitor: Option<String>,
        split_by_key: bool,
        threads: usize,
        limits: Limits,
    ) -> Plan {
        let split = describe_split(&features, split_by_key);
        let by_name =
            |tactic| vec![Candidate { tactic, refused: None, why: "asked for by name".into() }];
        let ladder = match forced {
            Some(Algorithm::Engines(engines)) => by_name(Tactic::Compete(engines.clone())),
            Some(Algorithm::Monitor(monitor)) => by_name(Tactic::Monitor(*monitor)),
            None => ladder(&features, no_monitor),
        };
        Plan { features, split, ladder, threads, limits }
    }

    /// True if nothing but a monitor is to be asked.
    pub(crate) fn only_asks_monitor(&self) -> bool {
        self.steps().all(|tactic| matches!(tactic, Tactic::Monitor(_)))
    }

    /// Notes why a monitor did not decide what it was asked.
    pub(crate) fn note_refusal(&mut self, reason: String) {
        if let Some(candidate) = self.monitor_mut() {
            candidate.refused = Some(reason);
        }
    }

    /// Notes what is known about a monitor's answer.
    pub(crate) fn note_monitor(&mut self, why: String) {
        if let Some(candidate) = self.monitor_mut() {
            candidate.why = why;
        }
    }

    /// Notes that a monitor decides everything, so that nobody else is asked.
    pub(crate) fn note_decided(&mut self, why: String) {
        self.note_monitor(why);
        for candidate in &mut self.ladder {
            if !matches!(candidate.tactic, Tactic::Monitor(_)) && candidate.refused.is_none() {
                candidate.refused = Some("not needed".into());
            }
        }
    }

    fn monitor_mut(&mut self) -> Option<&mut Candidate> {
        let is_monitor = |c: &&mut Candidate| matches!(c.tactic, Tactic::Monitor(_));
        self.ladder.iter_mut().find(is_monitor)
    }
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

fn ladder(features: &Features, no_monitor: Option<String>) -> Vec<Candidate> {
    let no_pending = (features.pending == 0).then(|| "no operation is pending".to_owned());
    let candidate = |tactic, refused, why: &str| Candidate { tactic, refused, why: why.into() };
    vec![
        candidate(
            Tactic::Monitor(Monitor::OfShape),
            no_monitor,
            "knows this kind of object and needs no search",
        ),
        candidate(
            Tactic::Straight(Engine::JitGraph),
            None,
            "most linearizable histories need hardly more steps than operations",
        ),
        candidate(Tactic::Refute, None, "an obvious contradiction needs no search"),
        candidate(Tactic::Probe(Engine::JitGraph), None, "small searches end soon"),
        candidate(
            Tactic::UnlimitedPending,
            no_pending,
            "refutes without keeping track of which pending operations took effect",
        ),
        candidate(
            Tactic::Compete(vec![Engine::JitGraph, Engine::Breadth]),
            None,
            "complete; luck and robustness race each other",
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
    /// The same for a history that is not split.
    pub(crate) fn of_whole(case: &Case<'_>) -> Features {
        let timeline = case.timeline();
        Features {
            operations: case.len(),
            parts: usize::from(!timeline.is_empty()),
            largest_part: case.len(),
            width: timeline.most_open(),
            hints: timeline.has_hints(),
            pending: timeline.spans().iter().filter(|span| span.is_pending()).count(),
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
                None => writeln!(f, "{}. {}: {}", i + 1, c.tactic.name(), c.why)?,
                Some(reason) => writeln!(f, "{}. {}: not used, {reason}", i + 1, c.tactic.name())?,
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

/// Silences hints that are not used.
pub(crate) fn effective_hints(timeline: &Timeline, hints: Hints) -> Hints {
    if timeline.has_hints() { hints } else { Hints::Ignore }
}
