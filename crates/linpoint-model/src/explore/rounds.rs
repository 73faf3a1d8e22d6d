//! Exploration in rounds, on all cores: breadth-first, or by the cost of runs.
//!
//! In a round every core expands some of the waiting states, and collects new ones. Between rounds a single thread runs:
//! tables grow, limits are checked. Breadth-first, a level is all states at one distance from the initial state, so the
//! number of states of each level does not depend on the number of cores. By cost, a level is all states that runs of one
//! cost reach: a preemption (a switch away from a thread that could continue its operation) costs 1, and so does a call,
//! if calls are counted. Bugs need few of them, and eventually everything is explored.

mod routes;
mod walks;

use std::collections::VecDeque;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::ScopedJoinHandle;

use super::discovered::Discovered;
use super::supervisor::{Stop, Supervisor};
use super::tree::Tree;
use super::visited::{Share, Visited};
use super::worker::{Costs, MoveFilter, SharedCache, Successor, Tables, Worker};
use super::{Counts, Ending, Order};
use crate::error::ModelError;
use crate::system::{CachePadded, MAX_MOVES, Reserve, System};

/// States that a core takes at a time.
const BLOCK: usize = 24;
/// Largest number of states of a round.
const ROUND: usize = 1 << 17;
/// Fewer states than this are expanded by a single core.
const SHARED: usize = 1 << 10;

/// An exploration in rounds.
pub(crate) struct Rounds<'s> {
    system: &'s dyn System,
    tree: Tree,
    visited: Visited,
    discovered: Discovered,
    cores: usize,
    order: Order,
    judges: bool,
    counts: Counts,
    /// The caches of each core, kept across rounds.
    tables: Vec<Mutex<Option<Tables>>>,
    shared_cache: SharedCache,
}

/// The results of one core in a round.
#[derive(Default)]
struct Found {
    new: Vec<(u64, u32, u8)>,
    matched: u64,
    stuck: u64,
    /// The index of the predecessor, and the move.
    violation: Option<(u32, Successor)>,
    /// For each successor of a block, the contents of its first slot.
    firsts: Vec<u64>,
}

/// Which moves are expanded.
#[derive(Clone, Copy)]
enum Pass {
    All,
    /// The moves of each state with this cost.
    Costing(u8),
}

impl<'s> Rounds<'s> {
    pub(crate) fn new(system: &'s dyn System, order: Order, cores: usize, judges: bool) -> Self {
        Rounds {
            system,
            tree: Tree::new(system.threads()),
            visited: Visited::new(),
            discovered: Discovered::new(order.costs().is_some()),
            cores,
            order,
            judges,
            counts: Counts::default(),
            tables: (0..cores).map(|_| Mutex::default()).collect(),
            shared_cache: SharedCache::new(cores),
        }
    }

    /// Runs the exploration.
    pub(crate) fn run(
        mut self,
        supervisor: &mut Supervisor<'_>,
    ) -> Result<(Ending, Counts), ModelError> {
        self.make_room();
        let first = self.tree.state(&self.system.initial()?, &mut Reserve::default());
        let mut share = self.visited.share(1);
        self.visited.insert(first, &mut share);
        self.visited.settle(&share);
        self.discovered.add(&[(first, 0, 0)]);
        let end = match (self.order, self.order.costs()) {
            (_, Some(costs)) => self.by_cost(costs, supervisor),
            (Order::Random(seed), _) => self.by_walks(seed, supervisor),
            _ => self.by_breadth(supervisor),
        };
        let ending = match end {
            Ok(()) => match self.system.tracker().judge_rest() {
                None => Ending::Exhausted,
                Some(carried) => self.route_to_carried(carried)?,
            },
            Err(Stop::Limit(limit)) => Ending::Limit(limit),
            Err(Stop::Error(error)) => return Err(error),
            Err(Stop::Violation(parent, last)) => {
                Ending::Violation(self.route(parent, Some(last))?)
            }
        };
        let bytes = self.bytes();
        let mut counts = self.counts;
        counts.stored = self.discovered.len() as u64;
        counts.bytes = counts.bytes.max(bytes);
        Ok((ending, counts))
    }

    fn by_breadth(&mut self, supervisor: &mut Supervisor<'_>) -> Result<(), Stop> {
        let mut level = 0..1;
        while !level.is_empty() {
            let end = level.end;
            self.pass(level, Pass::All, supervisor)?;
            level = end..self.discovered.len();
            self.counts.depth += u64::from(!level.is_empty());
        }
        Ok(())
    }

    fn by_cost(&mut self, costs: Costs, supervisor: &mut Supervisor<'_>) -> Result<(), Stop> {
        // Levels with moves still to be expanded, the oldest level with the most expensive moves first.
        let mut before = VecDeque::from(vec![0..0; usize::from(costs.most())]);
        let mut begin = 0;
        loop {
            for (level, cost) in before.iter().zip((1..=costs.most()).rev()) {
                self.pass(level.clone(), Pass::Costing(cost), supervisor)?;
            }
            let mut at = begin;
            while at < self.discovered.len() {
                let end = self.discovered.len();
                self.pass(at..end, Pass::Costing(0), supervisor)?;
                at = end;
            }
            before.push_back(begin..self.discovered.len());
            before.pop_front();
            if before.iter().all(Range::is_empty) {
                return Ok(());
            }
            begin = self.discovered.len();
            self.counts.depth += 1;
        }
    }

    /// Expands these states. Breadth-first on several cores, a violation is reported at the end of the level, so that the
    /// number of states is the same in every run.
    fn pass(
        &mut self,
        range: Range<usize>,
        pass: Pass,
        supervisor: &mut Supervisor<'_>,
    ) -> Result<(), Stop> {
        let waits = self.order == Order::Breadth && self.cores > 1;
        let mut violation = None;
        let mut at = range.start;
        while at < range.end {
            if let Err(stop) = self.prepare((range.end - at) as u64, 0, supervisor) {
                // A violation found before the limit was hit counts.
                return Err(violation.map_or(stop, |(parent, last)| Stop::Violation(parent, last)));
            }
            let end = range.end.min(at + ROUND);
            let (done, found) = self.round(at..end, pass, !waits, supervisor)?;
            at = done;
            for (found, share) in found {
                self.visited.settle(&share);
                let other = self.keep(found);
                violation = violation.or(other);
            }
            if let (Some((parent, last)), false) = (violation, waits) {
                return Err(Stop::Violation(parent, last));
            }
        }
        match violation {
            Some((parent, last)) => Err(Stop::Violation(parent, last)),
            None => Ok(()),
        }
    }

    /// Checks the limits and makes room before states are expanded. `more` bytes are in use elsewhere.
    fn prepare(
        &mut self,
        frontier: u64,
        more: usize,
        supervisor: &mut Supervisor<'_>,
    ) -> Result<(), Stop> {
        let bytes = self.bytes() + more;
        self.counts.bytes = self.counts.bytes.max(bytes);
        let states = self.discovered.len() as u64;
        supervisor.check(&self.counts, states, frontier, bytes + self.growth())?;
        self.make_room();
        Ok(())
    }

    /// Stores new states. Returns the violation, if there is one.
    fn keep(&mut self, found: Found) -> Option<(u32, Successor)> {
        self.counts.matched += found.matched;
        self.counts.stuck += found.stuck;
        self.discovered.add(&found.new);
        found.violation
    }

    /// Runs one round. Returns the end of the expanded states, and the results of each core.
    fn round(
        &self,
        range: Range<usize>,
        pass: Pass,
        stops: bool,
        supervisor: &Supervisor<'_>,
    ) -> Result<(usize, Vec<(Found, Share)>), Stop> {
        let next = CachePadded(AtomicUsize::new(range.start));
        let ends = AtomicBool::new(false);
        let cores = if range.len() < SHARED { 1 } else { self.cores };
        let task = Task { range: range.clone(), cores, next: &next, ends: &ends, stops, pass };
        let results = std::thread::scope(|scope| {
            let help = |core: usize| {
                let task = &task;
                scope.spawn(move || self.work(core, task, supervisor))
            };
            let helpers: Vec<_> = (1..cores).map(help).collect();
            let mut results = vec![self.work(0, &task, supervisor)];
            // Propagate panics of helper threads.
            let joined = |helper: ScopedJoinHandle<'_, _>| {
                helper.join().unwrap_or_else(|panic| resume_unwind(panic))
            };
            results.extend(helpers.into_iter().map(joined));
            results
        });
        let found = results.into_iter().collect::<Result<Vec<_>, _>>().map_err(Stop::Error)?;
        Ok((next.0.into_inner().min(range.end), found))
    }

    /// The work of one core in a round.
    fn work(
        &self,
        core: usize,
        task: &Task<'_>,
        supervisor: &Supervisor<'_>,
    ) -> Result<(Found, Share), ModelError> {
        let mut slot = self.tables_of(core);
        let tables = slot.take().unwrap_or_default();
        let mut worker = self.worker(self.judges, tables);
        let mut found = Found::default();
        let mut share = self.visited.share(task.cores);
        while !task.ends.load(Ordering::Relaxed) && !supervisor.is_over() && self.has_room(&share) {
            let begin = task.next.fetch_add(BLOCK, Ordering::Relaxed);
            if begin >= task.range.end {
                break;
            }
            let block = begin..task.range.end.min(begin + BLOCK);
            let result =
                self.expand(&mut worker, block, task.pass, task.stops, &mut found, &mut share);
            if result.is_err() || task.stops && found.violation.is_some() {
                task.ends.store(true, Ordering::Relaxed);
            }
            result?;
        }
        *slot = Some(worker.into_tables());
        Ok((found, share))
    }

    /// Expands these states, up to the first with a violation if `stops` is set.
    fn expand(
        &self,
        worker: &mut Worker<'_>,
        block: Range<usize>,
        pass: Pass,
        stops: bool,
        found: &mut Found,
        share: &mut Share,
    ) -> Result<(), ModelError> {
        for at in block.clone() {
            let filter = match (pass, self.order.costs()) {
                (Pass::Costing(cost), Some(costs)) => {
                    MoveFilter::Costing { cost, costs, last: self.discovered.mover(at) }
                }
                _ => MoveFilter::All,
            };
            let state = self.discovered.states.get(at);
            let before = worker.successors().len();
            let is_stuck = worker.collect(state, filter)?;
            if is_stuck && !self.system.is_over(&self.tree.parts(state)) {
                found.stuck += 1;
            }
            if stops && worker.successors()[before..].iter().any(|(_, next)| next.is_violation) {
                break;
            }
        }
        worker.number();
        let firsts = &mut found.firsts;
        firsts.clear();
        let first_of = |(_, next): &(usize, Successor)| self.visited.first_of(next.state);
        firsts.extend(worker.successors().iter().map(first_of));
        for ((of, next), first) in worker.successors().iter().zip(firsts) {
            let at = (block.start + of) as u32;
            if next.is_violation {
                found.violation.get_or_insert((at, *next));
            } else if *first != next.state && self.visited.insert(next.state, share) {
                found.new.push((next.state, at, next.now));
            } else {
                found.matched += 1;
            }
        }
        worker.clear();
        Ok(())
    }

    fn worker(&self, judges: bool, tables: Tables) -> Worker<'_> {
        Worker::new(self.system, &self.tree, judges, &self.shared_cache, tables)
    }

    fn tables_of(&self, core: usize) -> MutexGuard<'_, Option<Tables>> {
        self.tables[core].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if there is room for the successors of one block.
    fn has_room(&self, share: &Share) -> bool {
        self.tree.pairs.room() >= self.margin().pairs && share.room() >= self.most_states()
    }

    /// Largest number of successors of a block.
    fn most_states(&self) -> usize {
        BLOCK * self.system.threads() * MAX_MOVES
    }

    /// Room that all cores need for the blocks they are expanding.
    fn margin(&self) -> Margin {
        let states = self.most_states();
        let pairs = states * self.system.threads() + Reserve::BATCH as usize;
        Margin { states: states * self.cores, pairs: pairs * self.cores }
    }

    fn make_room(&mut self) {
        let Margin { states, pairs } = self.margin();
        self.tree.pairs.make_room(2 * pairs);
        self.visited.make_room(2 * states, self.cores);
    }

    /// Additional bytes that `make_room` needs.
    fn growth(&self) -> usize {
        let Margin { states, pairs } = self.margin();
        self.tree.pairs.growth(2 * pairs) + self.visited.growth(2 * states)
    }

    fn bytes(&self) -> usize {
        let tables = self.cores * Worker::bytes() + self.shared_cache.bytes();
        self.tree.pairs.bytes()
            + self.visited.bytes()
            + self.discovered.bytes()
            + self.system.bytes()
            + tables
    }
}

/// Numbers of states and pairs.
struct Margin {
    states: usize,
    pairs: usize,
}

/// Shared state of a round.
struct Task<'a> {
    range: Range<usize>,
    /// Number of cores.
    cores: usize,
    next: &'a AtomicUsize,
    ends: &'a AtomicBool,
    /// Stop at the first violation.
    stops: bool,
    pass: Pass,
}
