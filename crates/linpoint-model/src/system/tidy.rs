//! States that differ only in names are one: nodes and values get canonical names when an operation returns.
//!
//! Names are given out in an order that depends on the state and not on the names: what shared memory reaches,
//! then what each thread remembers, threads in the order of what is known about them by then. The result is a state
//! that the model cannot tell from the one before, if its claims hold; so any order would be right, and a good one
//! lets more states coincide.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::apart::Apart;
use super::interner::stable_hash;
use super::renaming::MAX_VALUES;
use super::{Parts, Renaming, System, Thread, Typed};
use crate::bounds::MAX_THREADS;
use crate::model::{Model, Op, SpecPart};
use crate::names::Names;

impl<M: Model> Typed<'_, M> {
    pub(super) fn tidied(&self, parts: &mut Parts) -> Renaming {
        let count = self.threads();
        let mut world = self.worlds.get(parts.shared).clone();
        let mut threads: Vec<_> =
            parts.threads[..count].iter().map(|thread| self.threads.get(*thread).clone()).collect();
        let mut names = Names::new(self.reduced.symmetry.nodes);
        if !self.reduced.symmetry.values {
            names.keep_values();
        }
        let model = self.steps.model;
        model.shared_names(&mut world.mem, &mut names);
        for at in self.visiting_order(&threads, &mut names) {
            self.visit(&mut threads[at], &mut names);
        }
        // What only threads reach.
        model.shared_names(&mut world.mem, &mut names);
        let mentioned = self.mentioned(parts.carried);
        if self.reduced.symmetry.values {
            // What nobody but the specification knows any more.
            let left = (1..MAX_VALUES).filter(|value| mentioned >> value & 1 == 1);
            left.for_each(|value| names.give_value(value));
            world.fresh = names.values() + 1;
            // Bounds on operations bound values too; without, every thread may bring one more before names are
            // given again.
            let most = usize::from(names.values()) + count;
            let fits = most < usize::from(MAX_VALUES) || self.steps.bounds.is_bounded();
            assert!(fits, "more than {MAX_VALUES} values at once");
        }
        names.write_down();
        model.shared_names(&mut world.mem, &mut names);
        for thread in &mut threads {
            self.visit(thread, &mut names);
        }
        parts.shared = self.worlds.number(&world);
        for (number, thread) in parts.threads.iter_mut().zip(&threads) {
            *number = self.thread_number(thread);
        }
        let order = self.sort(parts);
        let renaming =
            if self.reduced.symmetry.values { order.and_values(mentioned, &names) } else { order };
        if !renaming.is_identity(count) {
            parts.carried = self.renamed(parts.carried, renaming);
        }
        order
    }

    fn visit(&self, thread: &mut Thread<Op<M>, M::Local>, names: &mut Names) {
        if let Some(op) = &mut thread.op {
            self.steps.model.spec_names(SpecPart::Op(op), names);
        }
        self.steps.model.local_names(&mut thread.local, names);
    }

    /// Threads in the order of what they are, as far as their names are known.
    fn visiting_order(&self, threads: &[Thread<Op<M>, M::Local>], names: &mut Names) -> Vec<usize> {
        let mut order: Vec<usize> = (0..threads.len()).collect();
        if self.reduced.symmetry.threads {
            names.write_down();
            let keys: Vec<u64> = threads
                .iter()
                .map(|thread| {
                    let mut thread = thread.clone();
                    self.visit(&mut thread, names);
                    stable_hash(&thread)
                })
                .collect();
            names.give_out();
            order.sort_by_key(|at| keys[*at]);
        }
        order
    }

    fn sort(&self, parts: &mut Parts) -> Renaming {
        if !self.reduced.symmetry.threads {
            return Renaming::IDENTITY;
        }
        let count = self.threads();
        let mut from: [usize; MAX_THREADS] = std::array::from_fn(|at| at);
        let before = parts.threads;
        from[..count].sort_by_key(|at| self.key(before[*at]));
        for (to, from) in from.iter().enumerate() {
            parts.threads[to] = before[*from];
        }
        Renaming::of_threads(&from)
    }

    fn mentioned(&self, carried: u32) -> u64 {
        if !self.reduced.symmetry.values {
            return 0;
        }
        match self.mentioned.get(carried) {
            0 => {
                let mentioned = self.watch().values(carried);
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
        let new = self.watch().rename(carried, &renaming);
        self.renamed.part(&key).insert(key, new);
        new
    }
}

/// What was carried, and how it was renamed; in parts, so that two cores hardly ever want the same one.
#[derive(Default)]
pub(super) struct Renamed([Apart<Mutex<Part>>; 16]);

type Part = FxHashMap<(u32, Renaming), u32>;

impl Renamed {
    fn part(&self, key: &(u32, Renaming)) -> MutexGuard<'_, Part> {
        let at = stable_hash(key) as usize % self.0.len();
        self.0[at].lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn bytes(&self) -> usize {
        let parts = self.0.iter().map(|part| part.lock().map_or(0, |part| part.capacity()));
        parts.sum::<usize>() * (size_of::<(u32, Renaming, u32)>() + 8)
    }
}
