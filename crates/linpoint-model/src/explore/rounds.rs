//! Exploration in rounds, on all cores: breadth-first, or by what a run costs.
//!
//! In a round every core expands some of the states that wait, and collects those that are new. Between rounds nobody
//! else is at work: tables grow, limits are looked at. Breadth-first, a level is all states at one distance from the
//! first, so the number of states of each level does not depend on the cores. By cost, a level is all states that can be
//! reached by runs that cost so much: a preemption, that is a switch away from a thread that could have gone on within
//! its operation, costs 1, and so does a call, if calls are counted. Bugs need few of them, and in the end everything is
//! explored.

mod walks;

use std::collections::VecDeque;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::ScopedJoinHandle;

use super::met::Met;
use super::tree::Tree;
use super::visited::Visited;
use super::watcher::{Stop, Watcher};
use super::worker::{Prices, Successor, Tables, Who, Worker};
use super::{Counts, Ending, Order, Route};
use crate::system::{MAX_MOVES, ModelError, System};

/// States that a core takes at once.
const BLOCK: usize = 8;
/// States of a round at most.
const ROUND: usize = 1 << 17;
/// Fewer states than this are expanded by one core.
const SHARED: usize = 1 << 10;

/// An exploration in rounds.
pub(crate) struct Rounds<'s> {
    system: &'s dyn System,
    tree: Tree,
    visited: Visited,
    met: Met,
    cores: usize,
    order: Order,
    judges: bool,
    counts: Counts,
    /// What each core remembers from round to round.
    tables: Vec<Mutex<Option<Tables>>>,
}

/// What one core has found in a round.
#[derive(Default)]
struct Found {
    new: Vec<(u64, u32, u8)>,
    matched: u64,
    stuck: u64,
    /// Reached from which state, by which move.
    violation: Option<(u32, Successor)>,
}

/// Which states are expanded, and by whom.
#[derive(Clone, Copy)]
enum Pass {
    All,
    /// Those moves of each state that cost so much.
    Costing(u8),
}

impl<'s> Rounds<'s> {
    pub(crate) fn new(system: &'s dyn System, order: Order, cores: usize, judges: bool) -> Self {
        Rounds {
            system,
            tree: Tree::new(system.threads()),
            visited: Visited::new(),
            met: Met::new(order.prices().is_some()),
            cores,
            order,
            judges,
            counts: Counts::default(),
            tables: (0..cores).map(|_| Mutex::default()).collect(),
        }
    }

    /// Explores until everything is, or something ends it.
    pub(crate) fn run(mut self, watcher: &mut Watcher<'_>) -> Result<(Ending, Counts), ModelError> {
        let first = self.tree.state(&self.system.initial()?);
        self.make_room();
        self.visited.insert(first);
        self.met.add(first, 0, 0);
        let end = match (self.order, self.order.prices()) {
            (_, Some(prices)) => self.by_cost(prices, watcher),
            (Order::Random(seed), _) => self.by_walks(seed, watcher),
            _ => self.by_breadth(watcher),
        };
        let ending = match end {
            Ok(()) => match self.system.watch().judge_rest() {
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
        counts.stored = self.met.len() as u64;
        counts.bytes = counts.bytes.max(bytes);
        Ok((ending, counts))
    }

    fn by_breadth(&mut self, watcher: &mut Watcher<'_>) -> Result<(), Stop> {
        let mut level = 0..1;
        while !level.is_empty() {
            let end = level.end;
            self.pass(level, Pass::All, watcher)?;
            level = end..self.met.len();
            self.counts.depth += u64::from(!level.is_empty());
        }
        Ok(())
    }

    fn by_cost(&mut self, prices: Prices, watcher: &mut Watcher<'_>) -> Result<(), Stop> {
        // Levels of which some moves are still to be made, the oldest and dearest first.
        let mut before = VecDeque::from(vec![0..0; usize::from(prices.most())]);
        let mut begin = 0;
        loop {
            for (level, cost) in before.iter().zip((1..=prices.most()).rev()) {
                self.pass(level.clone(), Pass::Costing(cost), watcher)?;
            }
            let mut at = begin;
            while at < self.met.len() {
                let end = self.met.len();
                self.pass(at..end, Pass::Costing(0), watcher)?;
                at = end;
            }
            before.push_back(begin..self.met.len());
            before.pop_front();
            if before.iter().all(Range::is_empty) {
                return Ok(());
            }
            begin = self.met.len();
            self.counts.depth += 1;
        }
    }

    /// Expands these states. Breadth-first on several cores, a violation waits for the end of the level, so that
    /// the number of states is the same in every run.
    fn pass(
        &mut self,
        range: Range<usize>,
        pass: Pass,
        watcher: &mut Watcher<'_>,
    ) -> Result<(), Stop> {
        let waits = self.order == Order::Breadth && self.cores > 1;
        let mut violation = None;
        let mut at = range.start;
        while at < range.end {
            if let Err(stop) = self.prepare((range.end - at) as u64, 0, watcher) {
                // What was found before the limit was hit is found.
                return Err(violation.map_or(stop, |(parent, last)| Stop::Violation(parent, last)));
            }
            let end = range.end.min(at + ROUND);
            let (done, found) = self.round(at..end, pass, !waits, watcher)?;
            at = done;
            for found in found {
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

    /// Before states are expanded: looks at the limits, and makes room. `more` bytes are in use elsewhere.
    fn prepare(
        &mut self,
        frontier: u64,
        more: usize,
        watcher: &mut Watcher<'_>,
    ) -> Result<(), Stop> {
        let bytes = self.bytes() + more;
        self.counts.bytes = self.counts.bytes.max(bytes);
        let states = self.met.len() as u64;
        watcher.look(&self.counts, states, frontier, bytes + self.growth())?;
        self.make_room();
        Ok(())
    }

    /// After states were expanded: keeps what is new. Gives the violation, if there is one.
    fn keep(&mut self, found: Found) -> Option<(u32, Successor)> {
        self.counts.matched += found.matched;
        self.counts.stuck += found.stuck;
        for (state, parent, mover) in found.new {
            self.met.add(state, parent, mover);
        }
        found.violation
    }

    /// One round. Gives how far it came, and what each core found.
    fn round(
        &self,
        range: Range<usize>,
        pass: Pass,
        stops: bool,
        watcher: &Watcher<'_>,
    ) -> Result<(usize, Vec<Found>), Stop> {
        let next = AtomicUsize::new(range.start);
        let ends = AtomicBool::new(false);
        let task = Task { range: range.clone(), next: &next, ends: &ends, stops, pass };
        let cores = if range.len() < SHARED { 1 } else { self.cores };
        let results = std::thread::scope(|scope| {
            let help = |core: usize| {
                let task = &task;
                scope.spawn(move || self.work(core, task, watcher))
            };
            let helpers: Vec<_> = (1..cores).map(help).collect();
            let mut results = vec![self.work(0, &task, watcher)];
            // A panic of a helper is as good as one here.
            let joined = |helper: ScopedJoinHandle<'_, _>| {
                helper.join().unwrap_or_else(|panic| resume_unwind(panic))
            };
            results.extend(helpers.into_iter().map(joined));
            results
        });
        let found = results.into_iter().collect::<Result<Vec<_>, _>>().map_err(Stop::Error)?;
        Ok((next.into_inner().min(range.end), found))
    }

    /// What one core does in a round.
    fn work(
        &self,
        core: usize,
        task: &Task<'_>,
        watcher: &Watcher<'_>,
    ) -> Result<Found, ModelError> {
        let mut slot = self.tables_of(core);
        let tables = slot.take().unwrap_or_default();
        let mut worker = Worker::new(self.system, &self.tree, self.judges, tables);
        let mut found = Found::default();
        while !task.ends.load(Ordering::Relaxed) && !watcher.is_over() && self.has_room() {
            let begin = task.next.fetch_add(BLOCK, Ordering::Relaxed);
            if begin >= task.range.end {
                break;
            }
            for at in begin..task.range.end.min(begin + BLOCK) {
                if let Err(error) = self.expand(&mut worker, at, task.pass, &mut found) {
                    task.ends.store(true, Ordering::Relaxed);
                    return Err(error);
                }
                if task.stops && found.violation.is_some() {
                    task.ends.store(true, Ordering::Relaxed);
                    break;
                }
            }
        }
        *slot = Some(worker.into_tables());
        Ok(found)
    }

    fn expand(
        &self,
        worker: &mut Worker<'_>,
        at: usize,
        pass: Pass,
        found: &mut Found,
    ) -> Result<(), ModelError> {
        let who = match (pass, self.order.prices()) {
            (Pass::Costing(cost), Some(prices)) => {
                Who::Costing { cost, prices, last: self.met.mover(at) }
            }
            _ => Who::All,
        };
        let state = self.met.states.get(at);
        let is_stuck = worker.expand(state, who, |next| {
            if next.state == 0 {
                found.violation.get_or_insert((at as u32, next));
            } else if self.visited.insert(next.state) {
                found.new.push((next.state, at as u32, next.now));
            } else {
                found.matched += 1;
            }
        })?;
        if is_stuck && !self.system.is_over(&self.tree.parts(state)) {
            found.stuck += 1;
        }
        Ok(())
    }

    fn tables_of(&self, core: usize) -> MutexGuard<'_, Option<Tables>> {
        self.tables[core].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn has_room(&self) -> bool {
        let margin = self.margin();
        self.tree.pairs.room() >= margin && self.visited.room() >= margin
    }

    /// Room that has to be left while blocks are being expanded.
    fn margin(&self) -> usize {
        let threads = self.system.threads();
        BLOCK * threads * MAX_MOVES * threads * self.cores
    }

    fn make_room(&mut self) {
        self.tree.pairs.make_room(2 * self.margin());
        self.visited.make_room(2 * self.margin());
    }

    /// Bytes that making room will take.
    fn growth(&self) -> usize {
        self.tree.pairs.growth(2 * self.margin()) + self.visited.growth(2 * self.margin())
    }

    fn bytes(&self) -> usize {
        let tables = self.cores * Worker::bytes();
        self.tree.pairs.bytes()
            + self.visited.bytes()
            + self.met.bytes()
            + self.system.bytes()
            + tables
    }

    /// The moves that lead to this state, and then the last one.
    fn route(&self, to: u32, last: Option<Successor>) -> Result<Route, ModelError> {
        let path = self.met.path(to);
        let mut worker = Worker::new(self.system, &self.tree, false, Tables::default());
        let mut route = Vec::new();
        for pair in path.windows(2) {
            let mut step = None;
            worker.expand(pair[0], Who::All, |next| {
                if next.state == pair[1] && step.is_none() {
                    step = Some(next);
                }
            })?;
            let step =
                step.ok_or_else(|| ModelError::Internal("a step cannot be found again".into()))?;
            route.push(step);
        }
        route.extend(last);
        Ok(Route(route))
    }

    /// The moves to some state that carries this.
    fn route_to_carried(&self, carried: u32) -> Result<Ending, ModelError> {
        let carries = |at: &usize| self.tree.parts(self.met.states.get(*at)).carried == carried;
        match (0..self.met.len()).find(carries) {
            Some(at) => Ok(Ending::Violation(self.route(at as u32, None)?)),
            None => Err(ModelError::Internal("a history belongs to no state".into())),
        }
    }
}

/// What the cores share in a round.
struct Task<'a> {
    range: Range<usize>,
    next: &'a AtomicUsize,
    ends: &'a AtomicBool,
    /// Ends at the first violation.
    stops: bool,
    pass: Pass,
}
