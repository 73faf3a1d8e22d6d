//! Depth-first exploration on one core.
//!
//! For `external` and `common` the order is part of the method: the history belongs to the path, not to the state. A
//! search that reaches a known state backtracks (`external`), or backtracks if its history shares a linearization with one
//! that led to the state before (`common`). Threads and moves are tried in order.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::supervisor::{Stop, Supervisor};
use super::tree::Tree;
use super::visited::{Share, Visited};
use super::worker::{MoveFilter, SharedCache, Successor, Tables, Worker};
use super::{Counts, Ending, Route};
use crate::bounds::MAX_THREADS;
use crate::error::{ModelError, Unsupported};
use crate::method::{Linearization, Method, Numbers, ThreadEvent, is_linearizable, linearizations};
use crate::system::{MAX_MOVES, System};

/// States between two checks of the limits.
const BATCH: usize = 1 << 12;
/// Room in the tables. Half of it is enough for the successors of one state.
const ROOM: usize = 1 << 16;
const _: () = assert!(ROOM / 2 >= MAX_THREADS * MAX_MOVES * MAX_THREADS);

/// Explores depth-first.
pub(crate) fn explore(
    system: &dyn System,
    numbers: &dyn Numbers,
    method: Method,
    supervisor: &mut Supervisor<'_>,
) -> Result<(Ending, Counts), ModelError> {
    let visited = Visited::new();
    let mut depth = Depth {
        system,
        numbers,
        method,
        share: visited.share(1),
        visited,
        path: Vec::new(),
        on_path: FxHashSet::default(),
        judged: FxHashMap::default(),
        known: FxHashMap::default(),
        known_bytes: 0,
        counts: Counts::default(),
    };
    let mut tree = Tree::new(system.threads());
    let ending = match depth.run(&mut tree, supervisor) {
        Ok(()) => match system.tracker().judge_rest() {
            None => Ending::Exhausted,
            Some(_) => {
                return Err(Unsupported::EndlessHistory.into());
            }
        },
        Err(Stop::Limit(limit)) => Ending::Limit(limit),
        Err(Stop::Error(error)) => return Err(error),
        Err(Stop::Violation(_, last)) => Ending::Violation(depth.route(last)),
    };
    let mut counts = depth.counts;
    counts.stored = depth.stored();
    counts.histories = depth.judged.len() as u64;
    Ok((ending, counts))
}

/// A state on the path, and its successors.
struct Frame {
    state: u64,
    next: Vec<Successor>,
    at: usize,
}

struct Depth<'s> {
    system: &'s dyn System,
    numbers: &'s dyn Numbers,
    method: Method,
    visited: Visited,
    share: Share,
    path: Vec<Frame>,
    on_path: FxHashSet<u64>,
    /// Verdicts of checked histories.
    judged: FxHashMap<Vec<ThreadEvent>, bool>,
    /// For `common`: the linearizations of histories that led to a state.
    known: FxHashMap<u64, Vec<BTreeSet<Linearization>>>,
    known_bytes: usize,
    counts: Counts,
}

impl Depth<'_> {
    fn run(&mut self, tree: &mut Tree, supervisor: &mut Supervisor<'_>) -> Result<(), Stop> {
        let mut tables = Tables::default();
        let initial = self.system.initial().map_err(Stop::Error)?;
        let first = tree.state(&initial, &mut tables.reserve);
        self.visited.insert(first, &mut self.share);
        let shared_cache = SharedCache::new(1);
        let mut is_first = true;
        loop {
            self.visited.settle(&self.share);
            self.share = self.visited.share(1);
            let bytes = self.bytes(tree);
            self.counts.bytes = self.counts.bytes.max(bytes);
            let states = self.stored();
            supervisor.check(
                &self.counts,
                states,
                self.path.len() as u64,
                bytes + self.visited.growth(ROOM),
            )?;
            tree.pairs.make_room(ROOM);
            self.visited.make_room(ROOM, 1);
            self.share = self.visited.share(1);
            let judges = self.method == Method::Recorded || !self.method.is_sound();
            let mut worker = Worker::new(self.system, tree, judges, &shared_cache, tables);
            if std::mem::take(&mut is_first) {
                self.enter(&mut worker, first)?;
            }
            for _ in 0..BATCH {
                if self.path.is_empty() {
                    return Ok(());
                }
                if tree.pairs.room() < ROOM / 2
                    || self.share.room() < ROOM / 2
                    || supervisor.is_over()
                {
                    break;
                }
                self.step(&mut worker)?;
            }
            tables = worker.into_tables();
        }
    }

    /// Follows the next move of the last state on the path, or backtracks.
    fn step(&mut self, worker: &mut Worker<'_>) -> Result<(), Stop> {
        let Some(frame) = self.path.last_mut() else { return Ok(()) };
        let Some(next) = frame.next.get(frame.at).copied() else {
            self.on_path.remove(&frame.state);
            self.path.pop();
            return Ok(());
        };
        frame.at += 1;
        if next.is_violation {
            return Err(Stop::Violation(0, next));
        }
        if !self.method.is_sound() && next.is_over && !self.history_is_linearizable() {
            return Err(Stop::Violation(0, next));
        }
        let is_new = self.visited.insert(next.state, &mut self.share);
        if self.on_path.contains(&next.state) {
            self.counts.cycles += 1;
        }
        if is_new || (self.method == Method::Common && self.is_different(next.state)) {
            self.enter(worker, next.state)?;
        } else {
            self.counts.matched += 1;
        }
        Ok(())
    }

    fn enter(&mut self, worker: &mut Worker<'_>, state: u64) -> Result<(), Stop> {
        let mut next = Vec::new();
        let is_stuck = worker.expand(state, MoveFilter::All, |successor| next.push(successor));
        let is_stuck = is_stuck.map_err(Stop::Error)?;
        if is_stuck && !self.system.is_over(&worker.tree.parts(state)) {
            self.counts.stuck += 1;
        }
        if self.method == Method::Common {
            let orders = linearizations(self.numbers, &self.events());
            let each = |order: &Linearization| 48 + 8 * order.len();
            self.known_bytes += 64 + orders.iter().map(each).sum::<usize>();
            self.known.entry(state).or_default().push(orders);
        }
        self.on_path.insert(state);
        self.path.push(Frame { state, next, at: 0 });
        self.counts.depth = self.counts.depth.max(self.path.len() as u64 - 1);
        Ok(())
    }

    /// The events on the path, up to the move that is being followed.
    fn events(&self) -> Vec<ThreadEvent> {
        let followed = self.path.iter().map(|frame| frame.next[frame.at - 1]);
        let events = followed.filter(|next| !next.event.is_none());
        events.map(|next| ThreadEvent { thread: next.thread, event: next.event }).collect()
    }

    /// True if the complete history of the path is linearizable.
    fn history_is_linearizable(&mut self) -> bool {
        let events = self.events();
        if let Some(known) = self.judged.get(&events) {
            return *known;
        }
        let answer = is_linearizable(self.numbers, &events);
        self.judged.insert(events, answer);
        answer
    }

    /// True if the history shares no linearization with any that led to this state before.
    fn is_different(&self, state: u64) -> bool {
        let mine = linearizations(self.numbers, &self.events());
        let known = self.known.get(&state).map_or(&[][..], Vec::as_slice);
        !known.iter().any(|theirs| !theirs.is_disjoint(&mine))
    }

    fn stored(&self) -> u64 {
        (self.visited.len() + self.share.added()) as u64
    }

    fn route(&self, last: Successor) -> Route {
        let mut route: Vec<Successor> =
            self.path.iter().map(|frame| frame.next[frame.at - 1]).collect();
        // The violation is the last move of the path.
        route.pop();
        route.push(last);
        Route(route)
    }

    fn bytes(&self, tree: &Tree) -> usize {
        let frame = size_of::<Frame>() + 6 * size_of::<Successor>() + 16;
        let event = size_of::<ThreadEvent>();
        tree.pairs.bytes()
            + self.visited.bytes()
            + self.path.len() * frame
            + self.judged.len() * (48 + 16 * event)
            + self.known_bytes
            + self.system.bytes()
            + Worker::bytes()
    }
}
