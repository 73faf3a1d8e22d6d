//! Exploration: entry point, settings and results.

mod depth;
mod discovered;
mod pairs;
mod rounds;
mod run;
mod supervisor;
mod tree;
mod visited;
mod worker;

#[cfg(test)]
#[allow(unused_imports, reason = "only the tests with loom use them")]
pub(crate) use {visited::Visited, worker::SharedCache};

pub use run::{Operation, Step, Violation};

use std::time::Duration;

use linpoint::{Cancel, Limit, Limits};

use crate::bounds::{Bounds, MostOps};
use crate::error::{ModelError, Unsupported};
use crate::method::Method;
use crate::model::{Model, Op, Symmetry};
use crate::simple::{Simple, SimpleRuns};
use crate::system::{ActiveReductions, ModelSystem, catch_panic};
use run::Replay;
use supervisor::Supervisor;
use worker::{Costs, Successor};

/// The order in which states are explored. The set of states does not depend on it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Order {
    /// Fewest steps first: violations are as short as possible.
    #[default]
    Breadth,
    /// Depth-first, on one core. Finds cycles.
    Depth,
    /// Fewest preemptions first: finds most bugs sooner.
    Preemptions,
    /// Fewest preemptions and calls first: for many threads, or many operations per thread, of which a bug needs few.
    Few,
    /// Random runs with restarts, from this seed. On one core.
    Random(u64),
}

impl Order {
    /// All of them.
    pub const ALL: [Order; 5] =
        [Order::Breadth, Order::Depth, Order::Preemptions, Order::Few, Order::Random(0)];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Order::Breadth => "breadth",
            Order::Depth => "depth",
            Order::Preemptions => "preemptions",
            Order::Few => "few",
            Order::Random(_) => "random",
        }
    }

    /// The costs of moves, for orders by cost.
    fn costs(self) -> Option<Costs> {
        match self {
            Order::Breadth | Order::Depth | Order::Random(_) => None,
            Order::Preemptions => Some(Costs { counts_calls: false }),
            Order::Few => Some(Costs { counts_calls: true }),
        }
    }

    /// The order of this name.
    pub fn from_name(name: &str) -> Option<Order> {
        Order::ALL.into_iter().find(|order| order.name() == name)
    }
}

/// Reductions of the state space that do not change the verdict. Each is used only where the model claims that it may be,
/// and where the method and the bounds allow it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Reductions {
    /// Steps that no other thread can notice are merged into the previous step ([`Model::is_mover`]).
    pub merge: bool,
    /// States that differ only in the order of threads coincide.
    pub threads: bool,
    /// States that differ only in the names of values coincide. Not with programs, which name values.
    pub values: bool,
    /// States that differ only in the names of nodes coincide, and garbage is collected.
    pub nodes: bool,
}

impl Reductions {
    /// All reductions: the default.
    pub const ALL: Reductions =
        Reductions { merge: true, threads: true, values: true, nodes: true };
    /// No reduction.
    pub const NONE: Reductions =
        Reductions { merge: false, threads: false, values: false, nodes: false };
}

impl Default for Reductions {
    fn default() -> Self {
        Reductions::ALL
    }
}

/// Settings of an exploration.
#[derive(Clone, Default)]
pub struct Settings<'a> {
    /// How histories are checked.
    pub method: Method,
    /// The order of states.
    pub order: Order,
    /// The simple executions to explore, with methods for snapshot objects.
    pub simple: SimpleRuns,
    /// The reductions to use.
    pub reductions: Reductions,
    /// Limits of time and memory. The default limit of memory is three quarters of what is free.
    pub limits: Limits,
    /// Number of cores; by default all.
    pub cores: Option<usize>,
    /// Lets another thread cancel the exploration.
    pub cancel: Cancel,
    /// Progress callback, called about ten times a second.
    pub progress: Option<&'a (dyn Fn(Progress) + Sync)>,
}

/// Progress of an exploration.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Progress {
    /// States found so far.
    pub states: u64,
    /// States of the current level that are still to be expanded.
    pub frontier: u64,
    /// The current level: steps from the initial state, or preemptions.
    pub depth: u64,
    /// Bytes in use.
    pub bytes: usize,
    /// Time since the start.
    pub elapsed: Duration,
}

/// Statistics.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Distinct states.
    pub stored: u64,
    /// How often a known state was reached again.
    pub matched: u64,
    /// Histories that the library checked, with methods that use it.
    pub histories: u64,
    /// Levels: steps or preemptions, depending on the order.
    pub depth: u64,
    /// States with open operations in which no thread can move.
    pub stuck: u64,
    /// Steps back to a state on the current path: a loop, such as a thread that spins. Depth-first only.
    pub cycles: u64,
    /// Largest number of specification configurations of a state, with methods that carry them.
    pub widest: usize,
    /// Distinct values that states carried for the method.
    pub carried: usize,
    /// Peak number of bytes in use.
    pub bytes: usize,
    /// Elapsed time.
    pub time: Duration,
}

/// The result of an exploration.
#[derive(Debug)]
pub struct Exploration {
    /// The outcome.
    pub outcome: Outcome,
    /// Statistics.
    pub counts: Counts,
    /// The method. If it is not sound, show [`Method::warning`] with the outcome.
    pub method: Method,
}

/// The outcome.
#[derive(Debug)]
pub enum Outcome {
    /// Every run within the bounds was explored and is linearizable.
    Clean,
    /// A run that is not linearizable.
    Violation(Box<Violation>),
    /// A limit was hit before everything was explored. No violation was found so far.
    Limit(Limit),
}

/// How an exploration of numbered states ended.
pub(crate) enum Ending {
    Exhausted,
    Violation(Route),
    Limit(Limit),
}

/// Moves from the initial state on.
pub(crate) struct Route(pub(crate) Vec<Successor>);

/// Explores a model within bounds.
pub fn explore<M: Model>(
    model: &M,
    bounds: &Bounds<Op<M>>,
    settings: &Settings<'_>,
) -> Result<Exploration, ModelError> {
    let of_pair = |pair, settings: &Settings<'_>| {
        let role = model.snapshot().ok_or(Unsupported::NotSnapshot)?;
        let reduced = (role.omit)(model, pair, settings.simple.omit);
        let simple = Simple { pair, role };
        if !simple.admits_all(bounds) {
            return Ok(None);
        }
        explore_typed(&reduced, bounds, settings, Some(simple)).map(Some)
    };
    // Panics of steps are caught one by one, with the line. This catches panics anywhere else in the model or its
    // specification.
    catch_panic(
        || "its names or its specification".to_owned(),
        || match settings.method.is_for_snapshots() {
            true => pairs::explore(bounds.threads(), settings, &of_pair),
            false => explore_typed(model, bounds, settings, None),
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
    explore_system(&ModelSystem::new(model, bounds, settings.method, reduced, simple)?, settings)
}

/// Explores a system. From here on, nothing depends on the types of the model.
fn explore_system(system: &dyn Replay, settings: &Settings<'_>) -> Result<Exploration, ModelError> {
    let method = settings.method;
    let mut supervisor = Supervisor::new(
        settings.limits.time,
        settings.limits.memory_bytes(),
        &settings.cancel,
        settings.progress,
    );
    let all_cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let cores = settings.cores.unwrap_or_else(all_cores).max(1);
    let (ending, mut counts) = match (method, settings.order) {
        (Method::External | Method::Common, _) | (_, Order::Depth) => {
            depth::explore(system, &*system.numbers(), method, &mut supervisor)?
        }
        (_, order) => {
            let judges = method == Method::Recorded;
            rounds::Rounds::new(system, order, cores, judges).run(&mut supervisor)?
        }
    };
    counts.time = supervisor.elapsed();
    let tracker = system.tracker();
    counts.histories += tracker.judged();
    (counts.widest, counts.carried) = (tracker.widest(), tracker.len());
    let outcome = match ending {
        Ending::Exhausted => Outcome::Clean,
        Ending::Limit(limit) => Outcome::Limit(limit),
        Ending::Violation(route) => {
            Outcome::Violation(Box::new(run::violation(system, method, &route)?))
        }
    };
    Ok(Exploration { outcome, counts, method })
}

/// Values are not renamed beyond this many operations: they would not fit.
const MAX_RENAMED: usize = 14;

/// The reductions that are requested, claimed by the model, and possible.
fn reduced(claimed: Symmetry, most_ops: MostOps, settings: &Settings<'_>) -> ActiveReductions {
    let wanted = settings.reductions;
    let values_fit = match most_ops {
        MostOps::Are(ops) => ops <= MAX_RENAMED,
        // Without renaming, the number of values would be unbounded.
        MostOps::Unbounded => true,
        // Programs name their values.
        MostOps::Listed => false,
    };
    // Histories name threads and values; simple executions distinguish threads.
    let carries_names = !matches!(settings.method, Method::Sound | Method::Points);
    let symmetry = Symmetry {
        threads: claimed.threads && wanted.threads && !carries_names,
        values: claimed.values && wanted.values && !carries_names && values_fit,
        nodes: claimed.nodes && wanted.nodes,
    };
    ActiveReductions { merges: wanted.merge, symmetry }
}
