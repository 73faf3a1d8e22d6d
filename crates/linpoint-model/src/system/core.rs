//! The part of a system that does not depend on the model's types, and is compiled once: sorts threads, and renames what
//! the method carries.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::cache_padded::CachePadded;
use super::interner::stable_hash;
use super::renaming::MAX_VALUES;
use super::steps::catch_panic;
use super::{ActiveReductions, Column, Parts, Renaming};
use crate::bounds::MAX_THREADS;
use crate::error::ModelError;
use crate::method::Tracker;
use crate::names::Names;

/// The part of a system that does not depend on the model's types.
pub(super) struct SystemCore<'m> {
    pub(super) reduced: ActiveReductions,
    pub(super) threads: usize,
    /// True if there is an end to operations.
    is_bounded: bool,
    /// A hash of each thread, to sort threads by their contents and not by the order of discovery.
    pub(super) keys: Column,
    pub(super) tracker: Box<dyn Tracker + 'm>,
    /// Caches renamings of what was carried.
    renamed: Renamed,
    /// Caches the values mentioned in what is carried, a bit for each. Bit 0 says that the entry is valid.
    mentioned: Column,
}

impl<'m> SystemCore<'m> {
    pub(super) fn new(
        reduced: ActiveReductions,
        threads: usize,
        is_bounded: bool,
        tracker: Box<dyn Tracker + 'm>,
    ) -> Self {
        SystemCore {
            reduced,
            threads,
            is_bounded,
            keys: Column::new(),
            tracker,
            renamed: Renamed::default(),
            mentioned: Column::new(),
        }
    }

    /// The initial state.
    pub(super) fn initial(&self, shared: u32, threads: &[u32]) -> Result<Parts, ModelError> {
        let mut parts = Parts { shared, ..Parts::default() };
        parts.threads[..self.threads].copy_from_slice(threads);
        self.sort(&mut parts);
        parts.carried = catch_panic(|| "its specification".to_owned(), || self.tracker.initial())?;
        Ok(parts)
    }

    /// Names before any is assigned. Values keep theirs if they are not renamed.
    pub(super) fn names(&self) -> Names {
        let mut names = Names::new(self.reduced.symmetry.nodes);
        if !self.reduced.symmetry.values {
            names.keep_values();
        }
        names
    }

    /// Assigns names to values that only the specification mentions. Returns the next fresh value, if values are renamed.
    pub(super) fn name_carried(&self, carried: u32, names: &mut Names) -> Option<u8> {
        if !self.reduced.symmetry.values {
            return None;
        }
        let mentioned = self.mentioned(carried);
        let left = (1..MAX_VALUES).filter(|value| mentioned >> value & 1 == 1);
        left.for_each(|value| names.assign_value(value));
        // Bounds on operations bound values too. Without bounds, every thread may add a value before names are assigned
        // again.
        let most = usize::from(names.values()) + self.threads;
        let fits = most < usize::from(MAX_VALUES) || self.is_bounded;
        assert!(fits, "more than {MAX_VALUES} values in one state");
        Some(names.values() + 1)
    }

    /// Sorts threads after names were assigned, and renames what is carried. Returns the new order of threads.
    pub(super) fn sort_and_rename(&self, parts: &mut Parts, names: &Names) -> Renaming {
        let order = self.sort(parts);
        let renaming = if self.reduced.symmetry.values {
            order.and_values(self.mentioned(parts.carried), names)
        } else {
            order
        };
        if !renaming.is_identity(self.threads) {
            parts.carried = self.renamed(parts.carried, renaming);
        }
        order
    }

    /// Sorts threads by their keys, if the system sorts them.
    pub(super) fn sort(&self, parts: &mut Parts) -> Renaming {
        if !self.reduced.symmetry.threads {
            return Renaming::IDENTITY;
        }
        let mut from: [usize; MAX_THREADS] = std::array::from_fn(|at| at);
        let before = parts.threads;
        from[..self.threads].sort_by_key(|at| self.keys.get(before[*at]));
        for (to, from) in from.iter().enumerate() {
            parts.threads[to] = before[*from];
        }
        Renaming::of_threads(&from)
    }

    fn mentioned(&self, carried: u32) -> u64 {
        match self.mentioned.get(carried) {
            0 => {
                let mentioned = self.tracker.values(carried);
                self.mentioned.set(carried, mentioned | 1);
                mentioned
            }
            known => known & !1,
        }
    }

    fn renamed(&self, carried: u32, renaming: Renaming) -> u32 {
        let key = (carried, renaming);
        if let Some(known) = self.renamed.part(&key).get(&key) {
            return *known;
        }
        let new = self.tracker.rename(carried, &renaming);
        self.renamed.part(&key).insert(key, new);
        new
    }

    pub(super) fn bytes(&self) -> usize {
        self.keys.bytes() + self.tracker.bytes() + self.renamed.bytes() + self.mentioned.bytes()
    }
}

/// Indices in the order of their keys. The sort is stable.
pub(crate) fn by_key(keys: &[u64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by_key(|at| keys[*at]);
    order
}

/// A cache of renamings, sharded so that two cores rarely contend for a lock.
#[derive(Default)]
struct Renamed([CachePadded<Mutex<Part>>; 16]);

type Part = FxHashMap<(u32, Renaming), u32>;

impl Renamed {
    fn part(&self, key: &(u32, Renaming)) -> MutexGuard<'_, Part> {
        let at = stable_hash(key) as usize % self.0.len();
        self.0[at].lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn bytes(&self) -> usize {
        let parts = self.0.iter().map(|part| part.lock().map_or(0, |part| part.capacity()));
        parts.sum::<usize>() * (size_of::<(u32, Renaming, u32)>() + 8)
    }
}
