//! The methods `sound` and `points`: states carry sets of specification configurations.
//!
//! A configuration is one explanation of the history so far: the state of the specification, and for each open operation
//! whether it has taken effect and with which result. With `sound` the set contains all configurations that matter:
//! operations take effect lazily, only when a return needs it. The set determines which continuations can be explained
//! (this is the subset construction), so two states of the algorithm that are equal and have equal sets coincide. A return
//! that empties the set is a violation, at the earliest possible return. With `points` the model says when an operation
//! takes effect, and the set has one configuration.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::row_set::RowSet;
use super::scratch::{Outcomes, Scratch};
use super::{Numbers, Part, ThreadEvent, Tracker};
use crate::bounds::MAX_THREADS;
use crate::names::{MAX_NAMES, Names};
use crate::system::{CachePadded, Interner, Renaming};

/// A flat set: for each thread its open operation plus one (0 if none), then for each configuration the state and for each
/// thread the result of the operation that took effect plus one (0 if it did not). Sorted.
type Set = Box<[u32]>;

/// Sets of configurations of a model's specification.
pub(crate) struct Configs<'m> {
    numbers: Box<dyn Numbers + 'm>,
    threads: usize,
    by_points: bool,
    sets: Interner<Set>,
    widest: CachePadded<AtomicUsize>,
    bytes: CachePadded<AtomicUsize>,
}

impl<'m> Configs<'m> {
    pub(crate) fn new(numbers: Box<dyn Numbers + 'm>, threads: usize, by_points: bool) -> Self {
        Configs {
            numbers,
            threads,
            by_points,
            sets: Interner::new(),
            widest: CachePadded(AtomicUsize::new(1)),
            bytes: CachePadded::default(),
        }
    }

    /// The number of a renamed part of the specification.
    fn renamed(&self, part: Part, renaming: &Renaming) -> u32 {
        if !renaming.changes_values() {
            let (Part::Op(same) | Part::Ret(same) | Part::State(same)) = part;
            return same;
        }
        let (Part::Op(new) | Part::Ret(new) | Part::State(new)) =
            self.numbers.rename(part, &mut renaming.names());
        new
    }

    /// Before `thread` returns `ret`: configurations in which its operation has taken effect with this result are done, and
    /// those in which it has not taken effect are to do.
    fn split(
        &self,
        configs: &[u32],
        (thread, ret): (usize, u32),
        todo: &mut RowSet,
        done: &mut RowSet,
    ) {
        let mut next = [0; 1 + MAX_THREADS];
        for config in configs.chunks(1 + self.threads) {
            match config[1 + thread] {
                // With points, an operation that returns has to have taken effect.
                0 if self.by_points => {}
                0 => todo.insert(config),
                result if result == ret + 1 => {
                    let next = &mut next[..config.len()];
                    next.copy_from_slice(config);
                    next[1 + thread] = 0;
                    done.insert(next);
                }
                _ => {}
            }
        }
    }

    /// Every way in which `thread` can have returned `ret`, starting from the configurations `todo`, in which its operation
    /// has not taken effect. Operations of other threads take effect before it, in any order, or later.
    fn explain(
        &self,
        open: &[u32],
        (thread, ret): (usize, u32),
        outcomes: &mut Outcomes,
        todo: &mut RowSet,
        into: &mut RowSet,
    ) {
        let mut next = [0; 1 + MAX_THREADS];
        let next = &mut next[..1 + self.threads];
        let mut at = 0;
        while at < todo.len() {
            for other in 0..self.threads {
                next.copy_from_slice(todo.row(at));
                if open[other] == 0 || next[1 + other] != 0 {
                    continue;
                }
                for &(result, state) in outcomes.of(&*self.numbers, next[0], open[other] - 1) {
                    next[0] = state;
                    if other != thread {
                        next[1 + other] = result + 1;
                        todo.insert(next);
                    } else if result == ret {
                        into.insert(next);
                    }
                }
            }
            at += 1;
        }
    }

    /// The operation of `thread` takes effect now.
    fn take_effect(
        &self,
        open: &[u32],
        thread: usize,
        outcomes: &mut Outcomes,
        configs: &[u32],
        into: &mut RowSet,
    ) {
        for config in configs.chunks(1 + self.threads) {
            if open[thread] == 0 || config[1 + thread] != 0 {
                // It already has: later points are ignored.
                into.insert(config);
                continue;
            }
            let mut next = config.to_vec();
            for &(result, state) in outcomes.of(&*self.numbers, config[0], open[thread] - 1) {
                next[0] = state;
                next[1 + thread] = result + 1;
                into.insert(&next);
            }
        }
    }

    fn store(
        &self,
        open: &[u32],
        configs: &RowSet,
        order: &mut Vec<u32>,
        set: &mut Vec<u32>,
    ) -> u32 {
        set.clear();
        set.extend_from_slice(open);
        configs.sorted(order, set);
        // PERF: written rarely, because all cores read it.
        if self.widest.load(Ordering::Relaxed) < configs.len() {
            self.widest.fetch_max(configs.len(), Ordering::Relaxed);
        }
        let (number, is_new) = self.sets.intern_with(&set[..], || set[..].into());
        if is_new {
            self.bytes.fetch_add(size_of_val(&set[..]), Ordering::Relaxed);
        }
        number
    }
}

impl Tracker for Configs<'_> {
    fn initial(&self) -> u32 {
        let mut config = vec![self.numbers.initial()];
        config.resize(1 + self.threads, 0);
        let mut configs = RowSet::default();
        configs.clear(config.len());
        configs.insert(&config);
        self.store(&vec![0; self.threads], &configs, &mut Vec::new(), &mut Vec::new())
    }

    fn advance(&self, carried: u32, taken: ThreadEvent, scratch: &mut Scratch) -> Option<u32> {
        let (thread, event) = (usize::from(taken.thread), taken.event);
        let Scratch { outcomes, before, todo, done, order, set } = scratch;
        let (open_before, mut configs) = self.sets.get(carried).split_at(self.threads);
        let mut open = [0; MAX_THREADS];
        let open = &mut open[..self.threads];
        open.copy_from_slice(open_before);
        if let Some(op) = event.call() {
            open[thread] = op + 1;
        }
        let width = 1 + self.threads;
        if event.takes_effect() && self.by_points {
            before.clear(width);
            self.take_effect(open, thread, outcomes, configs, before);
            configs = before.rows();
        }
        done.clear(width);
        match event.ret() {
            Some(ret) => {
                todo.clear(width);
                self.split(configs, (thread, ret), todo, done);
                self.explain(open, (thread, ret), outcomes, todo, done);
                open[thread] = 0;
            }
            None => configs.chunks(width).for_each(|config| done.insert(config)),
        }
        (done.len() > 0).then(|| self.store(open, done, order, set))
    }

    fn rename(&self, carried: u32, renaming: &Renaming) -> u32 {
        let (open, configs) = self.sets.get(carried).split_at(self.threads);
        let mut new_open = vec![0; self.threads];
        for (to, new) in new_open.iter_mut().enumerate() {
            let op = open[renaming.from(to)];
            *new = if op == 0 { 0 } else { self.renamed(Part::Op(op - 1), renaming) + 1 };
        }
        let mut renamed = RowSet::default();
        renamed.clear(1 + self.threads);
        let mut new = Vec::new();
        for config in configs.chunks(1 + self.threads) {
            new.clear();
            new.push(self.renamed(Part::State(config[0]), renaming));
            new.extend((0..self.threads).map(|to| match config[1 + renaming.from(to)] {
                0 => 0,
                ret => self.renamed(Part::Ret(ret - 1), renaming) + 1,
            }));
            renamed.insert(&new);
        }
        self.store(&new_open, &renamed, &mut Vec::new(), &mut Vec::new())
    }

    fn values(&self, carried: u32) -> u64 {
        let set = self.sets.get(carried);
        let (open, configs) = set.split_at(self.threads);
        // The pass that assigns names changes nothing; values with a name afterwards are mentioned.
        let mut names = Names::new(false);
        let mut visit = |part: Part| {
            self.numbers.rename(part, &mut names);
        };
        open.iter().filter(|op| **op != 0).for_each(|op| visit(Part::Op(op - 1)));
        for config in configs.chunks(1 + self.threads) {
            visit(Part::State(config[0]));
            config[1..].iter().filter(|ret| **ret != 0).for_each(|ret| visit(Part::Ret(ret - 1)));
        }
        let mentioned = (1..MAX_NAMES as u8).filter(|value| names.new_value(*value) != 0);
        mentioned.fold(0, |mask, value| mask | 1 << value)
    }

    fn widest(&self) -> usize {
        self.widest.load(Ordering::Relaxed)
    }

    fn len(&self) -> usize {
        self.sets.len()
    }

    fn bytes(&self) -> usize {
        self.sets.bytes() + self.bytes.load(Ordering::Relaxed) + self.numbers.bytes()
    }
}
