//! Successors of states. Each core has a worker, which caches answers of the model in tables of a fixed size, so that the
//! model itself is rarely called.
//!
//! States are expanded in blocks. First the successors of a block are collected, then all of them are numbered together
//! ([`Tree::number_all`]), so that cache misses overlap.

use crate::bounds::MAX_THREADS;
use crate::error::ModelError;
use crate::method::{Scratch, ThreadEvent};
use crate::sync::{OnceLock, size};
use crate::system::{Column, Event, Move, Parts, Query, Renaming, Reserve, System, mix};

use super::tree::{KnownState, Tree, UnnumberedState};

/// Entries of each cache.
const STEPS: usize = 1 << 17;
const CALLS: usize = 1 << 12;
const CARRIED: usize = size(1 << 16, 2);

/// The moves to collect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MoveFilter {
    /// All of them.
    All,
    /// Moves with this cost after a move of thread `last`.
    Costing { cost: u8, costs: Costs, last: u8 },
}

/// The costs of moves. A preemption costs 1: switching away from a thread that could continue its operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Costs {
    /// A call costs 1 as well.
    pub(crate) counts_calls: bool,
}

impl Costs {
    /// The cost of the most expensive move.
    pub(crate) fn most(self) -> u8 {
        1 + u8::from(self.counts_calls)
    }
}

/// A successor of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Successor {
    /// The state; 0 if the result cannot be explained, or if the state has no number yet.
    pub(crate) state: u64,
    /// The position of the thread that moved, before and after sorting.
    pub(crate) thread: u8,
    pub(crate) now: u8,
    /// The index of the move among the moves of the thread.
    pub(crate) index: u8,
    pub(crate) event: Event,
    /// The new order of threads.
    pub(crate) order: Renaming,
    /// No operation is open, and no thread may call one.
    pub(crate) is_over: bool,
    /// The result cannot be explained: a violation.
    pub(crate) is_violation: bool,
}

/// Computes the successors of states.
pub(crate) struct Worker<'s> {
    system: &'s dyn System,
    pub(crate) tree: &'s Tree,
    judges: bool,
    /// [`System::canonicalizes`], cached.
    canonicalizes: bool,
    sort_keys: Option<&'s Column>,
    /// Answers shared with other workers.
    shared_cache: &'s SharedCache,
    tables: Tables,
    scratch: Vec<Move>,
}

/// States that are being expanded, and their successors.
#[derive(Default)]
struct Block {
    known: Vec<KnownState>,
    /// In the order of collection, each with the index of its predecessor in the block.
    successors: Vec<(usize, Successor)>,
    /// One for each successor that is not a violation.
    unnumbered: Vec<UnnumberedState>,
    queries: Vec<Query>,
}

/// A cache that all workers share: what is carried after an event. The first entry in a slot stays.
pub(crate) struct SharedCache(Box<[OnceLock<(u64, u32)>]>);

impl SharedCache {
    /// A single core does not use it.
    pub(crate) fn new(cores: usize) -> SharedCache {
        let size = if cores > 1 { CARRIED } else { 0 };
        SharedCache((0..size).map(|_| OnceLock::new()).collect())
    }

    /// The answer for this key, if it is the one in this slot.
    pub(crate) fn get(&self, at: usize, key: u64) -> Option<u32> {
        let (known, next) = self.0.get(at)?.get()?;
        (*known == key).then_some(*next)
    }

    pub(crate) fn add(&self, at: usize, key: u64, next: u32) {
        if let Some(entry) = self.0.get(at) {
            // The first entry stays.
            let _ = entry.set((key, next));
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.0[..])
    }
}

/// The caches of a worker. Each entry has its whole key; a newer entry replaces an older one.
pub(crate) struct Tables {
    steps: Vec<(u64, Move)>,
    calls: Vec<(u64, Vec<Move>)>,
    /// By what was carried and the event.
    carried: Vec<(u64, u32)>,
    /// By what was carried and the new order of threads.
    sorted: Vec<(u32, u64, u32)>,
    /// Numbers for new pairs.
    pub(crate) reserve: Reserve,
    /// The caches of the method.
    method: Scratch,
    block: Block,
}

impl Default for Tables {
    fn default() -> Self {
        Tables {
            steps: vec![(NO_KEY, Move::default()); STEPS],
            calls: vec![(NO_KEY, Vec::new()); CALLS],
            carried: vec![(NO_KEY, 0); CARRIED],
            sorted: vec![(0, NO_KEY, 0); CARRIED],
            reserve: Reserve::default(),
            method: Scratch::default(),
            block: Block::default(),
        }
    }
}

const NO_KEY: u64 = u64::MAX;
/// Marks a result that cannot be explained.
const VIOLATION: u32 = u32::MAX;

impl<'s> Worker<'s> {
    /// `judges`: the method judges complete histories.
    pub(crate) fn new(
        system: &'s dyn System,
        tree: &'s Tree,
        judges: bool,
        shared_cache: &'s SharedCache,
        tables: Tables,
    ) -> Self {
        let (canonicalizes, sort_keys) = (system.canonicalizes(), system.sort_keys());
        Worker {
            system,
            tree,
            judges,
            canonicalizes,
            sort_keys,
            shared_cache,
            tables,
            scratch: Vec::new(),
        }
    }

    /// The caches, for the next worker on this core.
    pub(crate) fn into_tables(self) -> Tables {
        self.tables
    }

    /// Bytes in use.
    pub(crate) fn bytes() -> usize {
        STEPS * size_of::<(u64, Move)>()
            + CALLS * (size_of::<(u64, Vec<Move>)>() + 8 * size_of::<Move>())
            + CARRIED * (size_of::<(u64, u32)>() + size_of::<(u32, u64, u32)>())
            + Scratch::bytes()
    }

    /// Calls `found` for every successor of a state. True if no thread could move.
    pub(crate) fn expand(
        &mut self,
        state: u64,
        filter: MoveFilter,
        mut found: impl FnMut(Successor),
    ) -> Result<bool, ModelError> {
        let is_stuck = self.collect(state, filter)?;
        self.number();
        self.tables.block.successors.iter().for_each(|(_, successor)| found(*successor));
        self.clear();
        Ok(is_stuck)
    }

    /// The collected successors, each with the index of its predecessor in the block.
    pub(crate) fn successors(&self) -> &[(usize, Successor)] {
        &self.tables.block.successors
    }

    /// Starts a new block.
    pub(crate) fn clear(&mut self) {
        self.tables.block.known.clear();
        self.tables.block.successors.clear();
        self.tables.block.unnumbered.clear();
    }

    /// Numbers all collected successors.
    pub(crate) fn number(&mut self) {
        let Tables { block, reserve, .. } = &mut self.tables;
        let Block { known, successors, unnumbered, queries } = block;
        self.tree.number_all(unnumbered, known, queries, reserve);
        let with_states = successors.iter_mut().filter(|(_, successor)| !successor.is_violation);
        for ((_, successor), state) in with_states.zip(unnumbered) {
            successor.state = state.number();
        }
    }

    /// Collects the successors of another state. True if no thread could move.
    pub(crate) fn collect(&mut self, state: u64, filter: MoveFilter) -> Result<bool, ModelError> {
        let known = self.tree.known(state);
        let is_stuck = self.collect_from(&known, filter);
        self.tables.block.known.push(known);
        is_stuck
    }

    fn collect_from(&mut self, known: &KnownState, filter: MoveFilter) -> Result<bool, ModelError> {
        let all = 0..self.system.threads() as u8;
        let (cost, costs, last) = match filter {
            MoveFilter::Costing { cost, costs, last } => (cost, costs, last),
            MoveFilter::All => {
                let mut moved = false;
                for thread in all {
                    moved |= self.collect_thread(known, thread)?;
                }
                return Ok(!moved);
            }
        };
        let parts = &known.parts;
        let own = parts.threads[usize::from(last)];
        let may_go_on = !self.system.is_idle(own) && self.can_move(parts.shared, own)?;
        // Other moves cost more, or have been expanded before.
        let (mut moved, mut left_out) = (false, false);
        for thread in all {
            let part = parts.threads[usize::from(thread)];
            let calls = costs.counts_calls && self.system.is_idle(part);
            if u8::from(may_go_on && thread != last) + u8::from(calls) == cost {
                moved |= self.collect_thread(known, thread)?;
            } else {
                left_out = left_out || cost > 0 || self.can_move(parts.shared, part)?;
            }
        }
        Ok(!(moved || left_out))
    }

    fn can_move(&mut self, shared: u32, thread: u32) -> Result<bool, ModelError> {
        let mut moves = std::mem::take(&mut self.scratch);
        let answer = self.ask(shared, thread, &mut moves).map(|()| !moves.is_empty());
        self.scratch = moves;
        answer
    }

    /// The moves of a thread, cached. They replace the contents of `out`.
    fn ask(&mut self, shared: u32, thread: u32, out: &mut Vec<Move>) -> Result<(), ModelError> {
        out.clear();
        let key = u64::from(shared) << 32 | u64::from(thread);
        let hash = mix(key) as usize;
        let (step, calls) = (hash % STEPS, (hash >> 20) % CALLS);
        if self.tables.steps[step].0 == key {
            out.push(self.tables.steps[step].1);
        } else if self.tables.calls[calls].0 == key {
            out.extend_from_slice(&self.tables.calls[calls].1);
        } else {
            self.system.moves(shared, thread, out)?;
            match out[..] {
                [only] => self.tables.steps[step] = (key, only),
                _ => {
                    self.tables.calls[calls].0 = key;
                    self.tables.calls[calls].1.clear();
                    self.tables.calls[calls].1.extend_from_slice(out);
                }
            }
        }
        Ok(())
    }

    fn collect_thread(&mut self, known: &KnownState, thread: u8) -> Result<bool, ModelError> {
        let mut moves = std::mem::take(&mut self.scratch);
        let result =
            self.ask(known.parts.shared, known.parts.threads[usize::from(thread)], &mut moves);
        if result.is_ok() {
            for (index, step) in moves.iter().enumerate() {
                self.follow(known, thread, index as u8, step);
            }
        }
        let any = !moves.is_empty();
        self.scratch = moves;
        result.map(|()| any)
    }

    fn follow(&mut self, known: &KnownState, thread: u8, index: u8, step: &Move) {
        let mut next = known.parts;
        next.shared = step.shared;
        next.threads[usize::from(thread)] = step.thread;
        let mut successor = Successor {
            state: 0,
            thread,
            now: thread,
            index,
            event: step.event,
            order: Renaming::IDENTITY,
            is_over: false,
            is_violation: false,
        };
        successor.is_violation = !self.arrive(&mut next, &mut successor);
        // The predecessor is pushed to `known` after its successors.
        let near = self.tables.block.known.len();
        self.tables.block.successors.push((near, successor));
        if !successor.is_violation {
            self.tables.block.unnumbered.push(UnnumberedState::new(next, near));
        }
    }

    /// Completes the state after a step. False if the result cannot be explained.
    fn arrive(&mut self, next: &mut Parts, successor: &mut Successor) -> bool {
        let (thread, event) = (successor.thread, successor.event);
        if !event.is_none() {
            match self.advance(next.carried, thread, event) {
                VIOLATION => return false,
                carried => next.carried = carried,
            }
        }
        if event.ret().is_some() {
            successor.is_over = self.judges && self.system.is_over(next);
            if successor.is_over && self.system.tracker().judge(next.carried) == Some(false) {
                return false;
            }
            if self.canonicalizes {
                successor.order = self.system.canonical(next);
                successor.now = successor.order.to(usize::from(thread)) as u8;
                return true;
            }
        }
        if let Some(keys) = self.sort_keys {
            self.sort(keys, next, successor);
        }
        true
    }

    fn advance(&mut self, carried: u32, thread: u8, event: Event) -> u32 {
        // The thread goes into bits that no number of anything carried uses; otherwise the answer is not cached.
        let key = (u64::from(carried) << 32 | u64::from(event.0)) ^ u64::from(thread) << 60;
        let exact = carried < 1 << 28;
        let slot = mix(key) as usize % CARRIED;
        if exact && self.tables.carried[slot].0 == key {
            return self.tables.carried[slot].1;
        }
        let known = if exact { self.shared_cache.get(slot, key) } else { None };
        let next = known.unwrap_or_else(|| {
            let taken = ThreadEvent { thread, event };
            let next = self.system.tracker().advance(carried, taken, &mut self.tables.method);
            let next = next.unwrap_or(VIOLATION);
            if exact {
                self.shared_cache.add(slot, key, next);
            }
            next
        });
        if exact {
            self.tables.carried[slot] = (key, next);
        }
        next
    }

    /// Sorts threads by their keys. All but the one that moved are in order already.
    fn sort(&mut self, keys: &Column, parts: &mut Parts, successor: &mut Successor) {
        let count = self.system.threads();
        let mut at = usize::from(successor.thread);
        let mine = keys.get(parts.threads[at]);
        let mut from: [usize; MAX_THREADS] = std::array::from_fn(|at| at);
        while at > 0 && keys.get(parts.threads[at - 1]) > mine {
            parts.threads.swap(at, at - 1);
            from.swap(at, at - 1);
            at -= 1;
        }
        while at + 1 < count && keys.get(parts.threads[at + 1]) < mine {
            parts.threads.swap(at, at + 1);
            from.swap(at, at + 1);
            at += 1;
        }
        if at == usize::from(successor.thread) {
            return;
        }
        successor.now = at as u8;
        successor.order = Renaming::of_threads(&from);
        let order = successor.order.order();
        let slot = mix(order ^ u64::from(parts.carried) << 32) as usize % CARRIED;
        let entry = &mut self.tables.sorted[slot];
        if entry.0 != parts.carried || entry.1 != order {
            let renamed = self.system.tracker().rename(parts.carried, &successor.order);
            *entry = (parts.carried, order, renamed);
        }
        parts.carried = entry.2;
    }
}
