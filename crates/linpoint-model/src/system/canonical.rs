//! Canonical names for nodes and values, assigned when an operation returns: states that differ only in names coincide.
//!
//! Names are assigned in an order that depends on the state and not on the names: those reachable from shared memory, then
//! those in the local state of each thread, with threads ordered by what is known about them so far. If the claims of the
//! model hold, it cannot distinguish the result from the original state; so any order would be sound, and a good one makes
//! more states coincide.

use super::core::by_key;
use super::interner::stable_hash;
use super::{ModelSystem, Parts, Renaming, Thread, World};
use crate::model::{Model, Op, SpecPart};
use crate::names::Names;

impl<M: Model> ModelSystem<'_, M> {
    pub(super) fn canonicalized(&self, parts: &mut Parts) -> Renaming {
        let core = &self.core;
        let mut world = self.worlds.get(parts.shared).clone();
        let numbers = &parts.threads[..core.threads];
        let mut threads: Vec<_> =
            numbers.iter().map(|thread| self.threads.get(*thread).clone()).collect();
        let mut names = core.names();
        self.visit_shared(&mut world, &mut names);
        for at in self.visiting_order(&threads, &mut names) {
            self.visit(&mut threads[at], &mut names);
        }
        // Nodes that only threads reach.
        self.visit_shared(&mut world, &mut names);
        if let Some(fresh) = core.name_carried(parts.carried, &mut names) {
            world.fresh = fresh;
        }
        names.apply();
        self.visit_shared(&mut world, &mut names);
        for thread in &mut threads {
            self.visit(thread, &mut names);
        }
        parts.shared = self.worlds.intern(&world);
        for (number, thread) in parts.threads.iter_mut().zip(&threads) {
            *number = self.thread_number(thread);
        }
        core.sort_and_rename(parts, &names)
    }

    // Not inlined: both are called several times.
    #[inline(never)]
    fn visit_shared(&self, world: &mut World<M::Shared>, names: &mut Names) {
        self.steps.model.shared_names(&mut world.mem, names);
    }

    #[inline(never)]
    fn visit(&self, thread: &mut Thread<Op<M>, M::Local>, names: &mut Names) {
        if let Some(op) = &mut thread.op {
            (M::INTERFACE.names)(SpecPart::Op(op), names);
        }
        self.steps.model.local_names(&mut thread.local, names);
    }

    /// Threads in the order of their contents, as far as names are assigned.
    fn visiting_order(&self, threads: &[Thread<Op<M>, M::Local>], names: &mut Names) -> Vec<usize> {
        if !self.core.reduced.symmetry.threads {
            return (0..threads.len()).collect();
        }
        names.apply();
        let mut keys = Vec::with_capacity(threads.len());
        for thread in threads {
            let mut thread = thread.clone();
            self.visit(&mut thread, names);
            keys.push(stable_hash(&thread));
        }
        names.assign();
        by_key(&keys)
    }
}
