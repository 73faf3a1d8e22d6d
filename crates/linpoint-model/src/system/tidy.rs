//! States that differ only in names are one: nodes and values get canonical names when an operation returns.
//!
//! Names are given out in an order that depends on the state and not on the names: what shared memory reaches,
//! then what each thread remembers, threads in the order of what is known about them by then. The result is a state
//! that the model cannot tell from the one before, if its claims hold; so any order would be right, and a good one
//! lets more states coincide.

use super::interner::stable_hash;
use super::untyped::by_key;
use super::{Parts, Renaming, Thread, Typed};
use crate::model::{Model, Op, SpecPart};
use crate::names::Names;

impl<M: Model> Typed<'_, M> {
    pub(super) fn tidied(&self, parts: &mut Parts) -> Renaming {
        let (model, untyped) = (self.steps.model, &self.untyped);
        let mut world = self.worlds.get(parts.shared).clone();
        let numbers = &parts.threads[..untyped.threads];
        let mut threads: Vec<_> =
            numbers.iter().map(|thread| self.threads.get(*thread).clone()).collect();
        let mut names = untyped.names();
        model.shared_names(&mut world.mem, &mut names);
        for at in self.visiting_order(&threads, &mut names) {
            self.visit(&mut threads[at], &mut names);
        }
        // What only threads reach.
        model.shared_names(&mut world.mem, &mut names);
        if let Some(fresh) = untyped.name_carried(parts.carried, &mut names) {
            world.fresh = fresh;
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
        untyped.sort_and_rename(parts, &names)
    }

    fn visit(&self, thread: &mut Thread<Op<M>, M::Local>, names: &mut Names) {
        if let Some(op) = &mut thread.op {
            self.steps.model.spec_names(SpecPart::Op(op), names);
        }
        self.steps.model.local_names(&mut thread.local, names);
    }

    /// Threads in the order of what they are, as far as their names are known.
    fn visiting_order(&self, threads: &[Thread<Op<M>, M::Local>], names: &mut Names) -> Vec<usize> {
        if !self.untyped.reduced.symmetry.threads {
            return (0..threads.len()).collect();
        }
        names.write_down();
        let mut keys = Vec::with_capacity(threads.len());
        for thread in threads {
            let mut thread = thread.clone();
            self.visit(&mut thread, names);
            keys.push(stable_hash(&thread));
        }
        names.give_out();
        by_key(&keys)
    }
}
