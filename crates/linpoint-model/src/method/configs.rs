//! The methods `sound` and `points`: states carry sets of specification configurations.
//!
//! A configuration says how the history so far could have taken effect: the state of the specification, and for
//! each open operation whether it has taken effect and with which result. With `sound` the set has all of
//! them that matter: operations take effect lazily, only when some return needs it. What the set says about the
//! future depends on nothing else (it is the subset construction), so two states with equal sets are one. A
//! return that empties the set is a violation, at the earliest moment. With `points` the model says when an
//! operation takes effect, and the set has one configuration.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::{Numbers, Part, Watch};
use crate::names::{MAX_NAMES, Names};
use crate::system::{Event, Interner, Renaming};

/// A set, flat: for each thread its open operation plus one (0 if none), then for each configuration the state
/// and for each thread the result of the operation that took effect plus one (0 if it did not). Sorted.
type Set = Box<[u32]>;

/// Sets of configurations of a model's specification.
pub(crate) struct Configs<'m> {
    numbers: Box<dyn Numbers + 'm>,
    threads: usize,
    by_points: bool,
    sets: Interner<Set>,
    /// What an operation may return in a state, and the state after that.
    outcomes: Mutex<FxHashMap<(u32, u32), Outcomes>>,
    widest: AtomicUsize,
    bytes: AtomicUsize,
}

type Outcomes = Arc<[(u32, u32)]>;

impl<'m> Configs<'m> {
    pub(crate) fn new(numbers: Box<dyn Numbers + 'm>, threads: usize, by_points: bool) -> Self {
        Configs {
            numbers,
            threads,
            by_points,
            sets: Interner::new(),
            outcomes: Mutex::default(),
            widest: AtomicUsize::new(1),
            bytes: AtomicUsize::new(0),
        }
    }

    fn memo(&self) -> MutexGuard<'_, FxHashMap<(u32, u32), Outcomes>> {
        self.outcomes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn outcomes(&self, state: u32, op: u32) -> Outcomes {
        if let Some(known) = self.memo().get(&(state, op)) {
            return known.clone();
        }
        let mut found = Vec::new();
        let are_known = self.numbers.outcomes(state, op, &mut found);
        assert!(are_known, "the specification cannot tell what an operation may return");
        let outcomes: Outcomes = found.into();
        self.memo().insert((state, op), outcomes.clone());
        outcomes
    }

    /// The number of a part of the specification with other names for values.
    fn renamed(&self, part: Part, renaming: &Renaming) -> u32 {
        if !renaming.changes_values() {
            let (Part::Op(same) | Part::Ret(same) | Part::State(same)) = part;
            return same;
        }
        let (Part::Op(new) | Part::Ret(new) | Part::State(new)) =
            self.numbers.rename(part, &mut renaming.names());
        new
    }

    /// Every way in which `thread` can have returned `ret`, starting from one configuration. Operations of others
    /// take effect before that, in any order, or later.
    fn explain(
        &self,
        open: &[u32],
        config: &[u32],
        thread: usize,
        ret: u32,
        into: &mut BTreeSet<Vec<u32>>,
    ) {
        let done = 1 + thread;
        match config[done] {
            0 => {}
            took_effect => {
                if took_effect == ret + 1 {
                    let mut config = config.to_vec();
                    config[done] = 0;
                    into.insert(config);
                }
                return;
            }
        }
        let mut seen = BTreeSet::from([config.to_vec()]);
        let mut todo = vec![config.to_vec()];
        while let Some(config) = todo.pop() {
            for other in 0..self.threads {
                if open[other] == 0 || config[1 + other] != 0 {
                    continue;
                }
                for &(result, state) in self.outcomes(config[0], open[other] - 1).iter() {
                    let mut next = config.clone();
                    next[0] = state;
                    if other == thread {
                        if result == ret {
                            into.insert(next);
                        }
                    } else {
                        next[1 + other] = result + 1;
                        if seen.insert(next.clone()) {
                            todo.push(next);
                        }
                    }
                }
            }
        }
    }

    /// The operation of `thread` takes effect now, in the only configuration.
    fn take_effect(&self, open: &[u32], configs: &mut BTreeSet<Vec<u32>>, thread: usize) {
        let before = std::mem::take(configs);
        for config in before {
            if open[thread] == 0 || config[1 + thread] != 0 {
                // It already has: the later point is the one that counts for nothing.
                configs.insert(config);
                continue;
            }
            for &(result, state) in self.outcomes(config[0], open[thread] - 1).iter() {
                let mut next = config.clone();
                next[0] = state;
                next[1 + thread] = result + 1;
                configs.insert(next);
            }
        }
    }

    fn store(&self, open: &[u32], configs: &BTreeSet<Vec<u32>>) -> u32 {
        let flat: Set = open.iter().copied().chain(configs.iter().flatten().copied()).collect();
        self.widest.fetch_max(configs.len(), Ordering::Relaxed);
        let before = self.sets.len();
        let (bytes, number) = (size_of_val(&flat[..]), self.sets.number(&flat));
        if self.sets.len() > before {
            self.bytes.fetch_add(bytes, Ordering::Relaxed);
        }
        number
    }
}

impl Watch for Configs<'_> {
    fn initial(&self) -> u32 {
        let mut config = vec![self.numbers.initial()];
        config.resize(1 + self.threads, 0);
        self.store(&vec![0; self.threads], &BTreeSet::from([config]))
    }

    fn advance(&self, carried: u32, thread: usize, event: Event) -> Option<u32> {
        let set = self.sets.get(carried);
        let (open, configs) = set.split_at(self.threads);
        let mut open = open.to_vec();
        if let Some(op) = event.call() {
            open[thread] = op + 1;
        }
        let mut configs: BTreeSet<Vec<u32>> =
            configs.chunks(1 + self.threads).map(<[u32]>::to_vec).collect();
        if event.takes_effect() && self.by_points {
            self.take_effect(&open, &mut configs, thread);
        }
        if let Some(ret) = event.ret() {
            let before = std::mem::take(&mut configs);
            for config in &before {
                // With points, what has not taken effect by now is wrong.
                if !self.by_points || config[1 + thread] != 0 {
                    self.explain(&open, config, thread, ret, &mut configs);
                }
            }
            open[thread] = 0;
        }
        (!configs.is_empty()).then(|| self.store(&open, &configs))
    }

    fn rename(&self, carried: u32, renaming: &Renaming) -> u32 {
        let set = self.sets.get(carried);
        let (open, configs) = set.split_at(self.threads);
        let mut new_open = vec![0; self.threads];
        for (to, new) in new_open.iter_mut().enumerate() {
            let op = open[renaming.from(to)];
            *new = if op == 0 { 0 } else { self.renamed(Part::Op(op - 1), renaming) + 1 };
        }
        let rename_config = |config: &[u32]| {
            let mut new = vec![self.renamed(Part::State(config[0]), renaming)];
            new.extend((0..self.threads).map(|to| match config[1 + renaming.from(to)] {
                0 => 0,
                ret => self.renamed(Part::Ret(ret - 1), renaming) + 1,
            }));
            new
        };
        let configs = configs.chunks(1 + self.threads).map(rename_config).collect();
        self.store(&new_open, &configs)
    }

    fn values(&self, carried: u32) -> u64 {
        let set = self.sets.get(carried);
        let (open, configs) = set.split_at(self.threads);
        // In the pass that gives out names, nothing is written; what has a name afterwards was mentioned.
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
        let memo = self.memo().capacity() * (size_of::<(u32, u32)>() + size_of::<Outcomes>() + 40);
        self.sets.bytes() + self.bytes.load(Ordering::Relaxed) + self.numbers.bytes() + memo
    }
}
