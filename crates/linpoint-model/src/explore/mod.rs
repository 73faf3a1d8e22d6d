//! Exploring: the front door, settings, and what comes out.

mod depth;
mod met;
mod pairs;
mod rounds;
mod run;
mod tree;
mod visited;
mod watcher;
mod worker;

#[cfg(test)]
#[allow(unused_imports, reason = "only the tests with loom use them")]
pub(crate) use {visited::Visited, worker::Common};

pub use run::{Operation, Step, Violation};

use std::time::Duration;

use linpoint::{Cancel, Limit, Limits};

use crate::bounds::{Bounds, MostOps};
use crate::error::{ModelError, Unsupported};
use crate::method::Method;
use crate::model::{Model, Op, Symmetry};
use crate::simple::{Simple, SimpleRuns};
use crate::system::{Reduced, Typed, guard};
use run::Replay;
use watcher::Watcher;
use worker::{Prices, Successor};

/// In which order states are explored. The set of states does not depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Order {
    /// Those with the fewest steps first: violations are as short as possible.
    #[default]
    Breadth,
    /// Deeper and deeper, back only where there is nothing new. On one core. Finds cycles.
    Depth,
    /// Those with the fewest preemptions first: finds most bugs sooner.
    Preemptions,
    /// Those with the fewest preemptions and calls first: for many threads, or many operations of each, of which a bug
    /// needs few.
    Few,
    /// Random runs with restarts, by this seed. On one core.
    Random(u64),
}

impl Order {
    /// All of them.
    pub const ALL: [Order; 5] =
        [Order::Breadth, Order::Depth, Order::Preemptions, Order::Few, Order::Random(0)];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Order::Breadth => "breadth",
            Order::Depth => "depth",
            Order::Preemptions => "preemptions",
            Order::Few => "few",
            Order::Random(_) => "random",
        }
    }

    /// What moves cost, in orders by cost.
    fn prices(self) -> Option<Prices> {
        match self {
            Order::Breadth | Order::Depth | Order::Random(_) => None,
            Order::Preemptions => Some(Prices { counts_calls: false }),
            Order::Few => Some(Prices { counts_calls: true }),
        }
    }

    /// The order of this name.
    pub fn from_name(name: &str) -> Option<Order> {
        Order::ALL.into_iter().find(|order| order.name() == name)
    }
}

/// What makes the set of states smaller without changing the verdict. Each is used only where the model says that it
/// may be, and where the method and the bounds allow it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Reductions {
    /// Steps that nobody else can notice are joined to the step before ([`Model::is_mover`]).
    pub merge: bool,
    /// States that differ only in the order of threads are one.
    pub threads: bool,
    /// States that differ only in the names of values are one. Not with programs, which name values.
    pub values: bool,
    /// States that differ only in the names of nodes are one, and garbage is collected.
    pub nodes: bool,
}

impl Reductions {
    /// All of them: the default.
    pub const ALL: Reductions =
        Reductions { merge: true, threads: true, values: true, nodes: true };
    /// None.
    pub const NONE: Reductions =
        Reductions { merge: false, threads: false, values: false, nodes: false };
}

impl Default for Reductions {
    fn default() -> Self {
        Reductions::ALL
    }
}

/// How to explore.
#[derive(Clone, Default)]
pub struct Settings<'a> {
    /// How histories are checked.
    pub method: Method,
    /// In which order.
    pub order: Order,
    /// Which simple executions, with methods for snapshot objects.
    pub simple: SimpleRuns,
    /// What makes it faster.
    pub reductions: Reductions,
    /// Time and memory. Without a limit on memory, three quarters of what is free.
    pub limits: Limits,
    /// Number of cores; by default all.
    pub cores: Option<usize>,
    /// Lets another thread end it.
    pub cancel: Cancel,
    /// Called about ten times a second.
    pub progress: Option<&'a (dyn Fn(Progress) + Sync)>,
}

/// How far an exploration has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// States met so far.
    pub states: u64,
    /// States that wait in the current level.
    pub frontier: u64,
    /// The current level: steps from the first state, or preemptions.
    pub depth: u64,
    /// Bytes in use.
    pub bytes: usize,
    /// Since the beginning.
    pub elapsed: Duration,
}

/// What was counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Different states.
    pub stored: u64,
    /// Times a state was met again.
    pub matched: u64,
    /// Histories that were checked by the library, with methods that do so.
    pub histories: u64,
    /// Levels: steps or preemptions, by the order.
    pub depth: u64,
    /// States in which operations are open and no thread can move.
    pub stuck: u64,
    /// Steps back to a state on the way to itself: a loop, such as a thread that spins. Depth-first only.
    pub cycles: u64,
    /// Most specification configurations of one state, with methods that carry them.
    pub widest: usize,
    /// Different things that states carried for the method.
    pub carried: usize,
    /// Most bytes in use.
    pub bytes: usize,
    /// How long it took.
    pub time: Duration,
}

/// What came out.
#[derive(Debug)]
pub struct Exploration {
    /// The answer.
    pub outcome: Outcome,
    /// What was counted.
    pub counts: Counts,
    /// The method; if it is not sound, [`Method::warning`] belongs beside the outcome.
    pub method: Method,
}

/// The answer.
#[derive(Debug)]
pub enum Outcome {
    /// Everything within the bounds was explored, and nothing is wrong with it.
    Clean,
    /// A run that is not linearizable.
    Violation(Box<Violation>),
    /// A limit was hit before everything was explored; nothing wrong so far.
    Limit(Limit),
}

/// How an exploration of numbers ends.
pub(crate) enum Ending {
    Exhausted,
    Violation(Route),
    Limit(Limit),
}

/// Moves from the first state on.
pub(crate) struct Route(pub(crate) Vec<Successor>);

/// Explores a model within bounds.
pub fn explore<M: Model>(
    model: &M,
    bounds: &Bounds<Op<M>>,
    settings: &Settings<'_>,
) -> Result<Exploration, ModelError> {
    let all = || explore_typed(model, bounds, settings, None);
    let of_pair = |pair, settings: &Settings<'_>| {
        let role = model.snapshot().ok_or(Unsupported::NotSnapshot)?;
        let reduced = (role.omit)(model, pair, settings.simple.omit);
        let simple = Simple { pair, role };
        if !simple.admits_all(bounds) {
            return Ok(None);
        }
        explore_typed(&reduced, bounds, settings, Some(simple)).map(Some)
    };
    // Steps are guarded one by one; this is for everything else that a model or a specification may do.
    guard(
        || "its names or its specification".to_owned(),
        || match settings.method.is_for_snapshots() {
            true => pairs::explore(bounds.threads(), settings, &of_pair),
            false => all(),
        },
    )?
}

fn explore_typed<M: Model>(
    model: &M,
    bounds: &Bounds<Op<M>>,
    settings: &Settings<'_>,
    simple: Option<Simple<M>>,
) -> Result<Exploration, ModelError> {
    let reduced = reduced(model.symmetry(), bounds.most_ops(), settings);
    explore_system(&Typed::new(model, bounds, settings.method, reduced, simple)?, settings)
}

/// From here on the types of the model are not known: this is compiled once.
fn explore_system(system: &dyn Replay, settings: &Settings<'_>) -> Result<Exploration, ModelError> {
    let method = settings.method;
    let mut watcher = Watcher::new(
        settings.limits.time,
        settings.limits.memory_bytes(),
        &settings.cancel,
        settings.progress,
    );
    let all_cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let cores = settings.cores.unwrap_or_else(all_cores).max(1);
    let (ending, mut counts) = match (method, settings.order) {
        (Method::External | Method::Common, _) | (_, Order::Depth) => {
            depth::explore(system, &*system.numbers(), method, &mut watcher)?
        }
        (_, order) => {
            let judges = method == Method::Recorded;
            rounds::Rounds::new(system, order, cores, judges).run(&mut watcher)?
        }
    };
    counts.time = watcher.elapsed();
    let watch = system.watch();
    counts.histories += watch.judged();
    (counts.widest, counts.carried) = (watch.widest(), watch.len());
    let outcome = match ending {
        Ending::Exhausted => Outcome::Clean,
        Ending::Limit(limit) => Outcome::Limit(limit),
        Ending::Violation(route) => {
            Outcome::Violation(Box::new(run::violation(system, method, &route)?))
        }
    };
    Ok(Exploration { outcome, counts, method })
}

/// More operations than this are not renamed: their values would not fit.
const MAX_RENAMED: usize = 14;

/// The reductions that are wanted, claimed by the model, and possible.
fn reduced(claimed: Symmetry, most_ops: MostOps, settings: &Settings<'_>) -> Reduced {
    let wanted = settings.reductions;
    let values_fit = match most_ops {
        MostOps::Are(ops) => ops <= MAX_RENAMED,
        // Without renaming there would be no end to them.
        MostOps::Unbounded => true,
        // Programs name their values.
        MostOps::Listed => false,
    };
    // Histories name threads and values; simple executions tell threads apart.
    let carries_names = !matches!(settings.method, Method::Sound | Method::Points);
    let symmetry = Symmetry {
        threads: claimed.threads && wanted.threads && !carries_names,
        values: claimed.values && wanted.values && !carries_names && values_fit,
        nodes: claimed.nodes && wanted.nodes,
    };
    Reduced { merges: wanted.merge, symmetry }
}
