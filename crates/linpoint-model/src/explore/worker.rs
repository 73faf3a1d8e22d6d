//! What follows a state. One worker belongs to one core: it remembers what it has asked before in tables of a fixed
//! size, so that the model itself is rarely asked.
//!
//! States are expanded some at a time. First their successors are collected, then all of them are numbered at once
//! ([`Tree::number_all`]): memory is slow to answer, but answers many questions at a time.

use crate::bounds::MAX_THREADS;
use crate::error::ModelError;
use crate::method::Scratch;
use crate::sync::{OnceLock, size};
use crate::system::{Column, Event, Move, Parts, Query, Renaming, Reserve, System, mix};

use super::tree::{Known, Tree, Unnumbered};

/// Entries of each table of remembered answers.
const STEPS: usize = 1 << 17;
const CALLS: usize = 1 << 12;
const CARRIED: usize = size(1 << 16, 2);

/// Which threads move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Who {
    /// All of them.
    All,
    /// Those whose moves cost so much after a move of thread `last`.
    Costing { cost: u8, prices: Prices, last: u8 },
}

/// What moves cost. A preemption costs 1: leaving a thread that could go on within its operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Prices {
    /// A call costs 1, too.
    pub(crate) counts_calls: bool,
}

impl Prices {
    /// The dearest move.
    pub(crate) fn most(self) -> u8 {
        1 + u8::from(self.counts_calls)
    }
}

/// A state that follows another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Successor {
    /// The state; 0 if nothing can explain what was returned, or if it has no number yet.
    pub(crate) state: u64,
    /// The position of the thread that moved, before and after.
    pub(crate) thread: u8,
    pub(crate) now: u8,
    /// Which of its moves it was.
    pub(crate) index: u8,
    pub(crate) event: Event,
    /// How threads were sorted.
    pub(crate) order: Renaming,
    /// Nothing is open any more, and nobody may call anything.
    pub(crate) is_over: bool,
    /// Nothing can explain what was returned.
    pub(crate) is_wrong: bool,
}

/// Finds the successors of states.
pub(crate) struct Worker<'s> {
    system: &'s dyn System,
    pub(crate) tree: &'s Tree,
    judges: bool,
    /// What the system says about every step.
    tidies: bool,
    sort_keys: Option<&'s Column>,
    /// What others have found out, too.
    common: &'s Common,
    tables: Tables,
    scratch: Vec<Move>,
}

/// States that are being expanded, and what follows them.
#[derive(Default)]
struct Block {
    known: Vec<Known>,
    /// In the order in which they were collected, and which of the states they follow.
    successors: Vec<(usize, Successor)>,
    /// One for each successor that has a state.
    unnumbered: Vec<Unnumbered>,
    queries: Vec<Query>,
}

/// What all workers remember: what is carried after an event. Whatever comes first stays.
pub(crate) struct Common(Box<[OnceLock<(u64, u32)>]>);

impl Common {
    /// One core alone has no use for it.
    pub(crate) fn new(cores: usize) -> Common {
        let size = if cores > 1 { CARRIED } else { 0 };
        Common((0..size).map(|_| OnceLock::new()).collect())
    }

    /// What was added for this key at this place, if it was the first there.
    pub(crate) fn get(&self, at: usize, key: u64) -> Option<u32> {
        let (known, next) = self.0.get(at)?.get()?;
        (*known == key).then_some(*next)
    }

    pub(crate) fn add(&self, at: usize, key: u64, next: u32) {
        if let Some(entry) = self.0.get(at) {
            // Whatever comes first stays.
            let _ = entry.set((key, next));
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&self.0[..])
    }
}

/// What a worker remembers. Each entry has its whole key; a newer one takes the place of an older one.
pub(crate) struct Tables {
    steps: Vec<(u64, Move)>,
    calls: Vec<(u64, Vec<Move>)>,
    /// By what was carried and what happened.
    carried: Vec<(u64, u32)>,
    /// By what was carried and the new order of threads.
    sorted: Vec<(u32, u64, u32)>,
    /// Numbers for pairs that are new.
    pub(crate) reserve: Reserve,
    /// What the method remembers.
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
/// Stands for "nothing can explain it" in the table.
const VIOLATION: u32 = u32::MAX;

impl<'s> Worker<'s> {
    /// `judges`: the method judges histories when they are over.
    pub(crate) fn new(
        system: &'s dyn System,
        tree: &'s Tree,
        judges: bool,
        common: &'s Common,
        tables: Tables,
    ) -> Self {
        let (tidies, sort_keys) = (system.tidies(), system.sort_keys());
        Worker { system, tree, judges, tidies, sort_keys, common, tables, scratch: Vec::new() }
    }

    /// What it remembers, for the worker after it.
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

    /// Hands every successor of a state to `found`. True if no thread could move.
    pub(crate) fn expand(
        &mut self,
        state: u64,
        who: Who,
        mut found: impl FnMut(Successor),
    ) -> Result<bool, ModelError> {
        let is_stuck = self.collect(state, who)?;
        self.number();
        self.tables.block.successors.iter().for_each(|(_, successor)| found(*successor));
        self.clear();
        Ok(is_stuck)
    }

    /// What was collected and numbered: which of the states it follows, and a successor.
    pub(crate) fn successors(&self) -> &[(usize, Successor)] {
        &self.tables.block.successors
    }

    /// Makes ready for other states.
    pub(crate) fn clear(&mut self) {
        self.tables.block.known.clear();
        self.tables.block.successors.clear();
        self.tables.block.unnumbered.clear();
    }

    /// Numbers all successors that were collected.
    pub(crate) fn number(&mut self) {
        let Tables { block, reserve, .. } = &mut self.tables;
        let Block { known, successors, unnumbered, queries } = block;
        self.tree.number_all(unnumbered, known, queries, reserve);
        let with_states = successors.iter_mut().filter(|(_, successor)| !successor.is_wrong);
        for ((_, successor), state) in with_states.zip(unnumbered) {
            successor.state = state.number();
        }
    }

    /// Collects the successors of one more state. True if no thread could move.
    pub(crate) fn collect(&mut self, state: u64, who: Who) -> Result<bool, ModelError> {
        let known = self.tree.known(state);
        let is_stuck = self.collect_from(&known, who);
        self.tables.block.known.push(known);
        is_stuck
    }

    fn collect_from(&mut self, known: &Known, who: Who) -> Result<bool, ModelError> {
        let all = 0..self.system.threads() as u8;
        let (cost, prices, last) = match who {
            Who::Costing { cost, prices, last } => (cost, prices, last),
            Who::All => {
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
        // What is left out costs more, or has been expanded before.
        let (mut moved, mut left_out) = (false, false);
        for thread in all {
            let part = parts.threads[usize::from(thread)];
            let calls = prices.counts_calls && self.system.is_idle(part);
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

    /// The moves of a thread, remembered. They take the place of whatever is in `out`.
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

    fn collect_thread(&mut self, known: &Known, thread: u8) -> Result<bool, ModelError> {
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

    fn follow(&mut self, known: &Known, thread: u8, index: u8, step: &Move) {
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
            is_wrong: false,
        };
        successor.is_wrong = !self.arrive(&mut next, &mut successor);
        // The state that is being expanded will be the next of those that are known.
        let near = self.tables.block.known.len();
        self.tables.block.successors.push((near, successor));
        if !successor.is_wrong {
            self.tables.block.unnumbered.push(Unnumbered::new(next, near));
        }
    }

    /// Completes the state after a step. False if nothing can explain what was returned.
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
            if successor.is_over && self.system.watch().judge(next.carried) == Some(false) {
                return false;
            }
            if self.tidies {
                successor.order = self.system.tidy(next);
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
        // The thread goes where no number of anything carried reaches, or nothing is remembered.
        let key = (u64::from(carried) << 32 | u64::from(event.0)) ^ u64::from(thread) << 60;
        let exact = carried < 1 << 28;
        let slot = mix(key) as usize % CARRIED;
        if exact && self.tables.carried[slot].0 == key {
            return self.tables.carried[slot].1;
        }
        let known = if exact { self.common.get(slot, key) } else { None };
        let next = known.unwrap_or_else(|| {
            let (watch, thread) = (self.system.watch(), usize::from(thread));
            let next = watch.advance(carried, thread, event, &mut self.tables.method);
            let next = next.unwrap_or(VIOLATION);
            if exact {
                self.common.add(slot, key, next);
            }
            next
        });
        if exact {
            self.tables.carried[slot] = (key, next);
        }
        next
    }

    /// Puts threads in the order of their keys. All but the one that moved are in order already.
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
            let renamed = self.system.watch().rename(parts.carried, &successor.order);
            *entry = (parts.carried, order, renamed);
        }
        parts.carried = entry.2;
    }
}
