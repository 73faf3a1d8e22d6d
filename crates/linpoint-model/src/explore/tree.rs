//! States as single numbers: trees of pairs over the numbers of their parts.

use crate::bounds::MAX_THREADS;
use crate::system::{Pairs, Parts, Query, Reserve, join_pair, split_pair};

/// Stores states. The left half of a state is the pair of shared memory and what the method carries; the right half is
/// all threads.
pub(crate) struct Tree {
    pub(crate) pairs: Pairs,
    threads: usize,
}

impl Tree {
    pub(crate) fn new(threads: usize) -> Tree {
        Tree { pairs: Pairs::new(), threads }
    }

    /// The number of a state, which is never 0.
    pub(crate) fn state(&self, parts: &Parts, reserve: &mut Reserve) -> u64 {
        let left = self.pairs.number(parts.shared, parts.carried, reserve);
        let mut right = parts.threads[0];
        for thread in &parts.threads[1..self.threads] {
            right = self.pairs.number(right, *thread, reserve);
        }
        join_pair(left, right)
    }

    /// Numbers many states that share most parts with known ones. Pairs are looked up layer by layer, all of a layer together,
    /// so that cache misses overlap.
    pub(crate) fn number_all(
        &self,
        states: &mut [UnnumberedState],
        known: &[KnownState],
        queries: &mut Vec<Query>,
        reserve: &mut Reserve,
    ) {
        queries.clear();
        for (by, state) in states.iter_mut().enumerate() {
            let (parts, near) = (&state.parts, &known[state.near]);
            state.left = near.left;
            state.right = parts.threads[0];
            state.differs = parts.threads[0] != near.parts.threads[0];
            if (parts.shared, parts.carried) != (near.parts.shared, near.parts.carried) {
                queries.push(Query::new(parts.shared, parts.carried, by));
            }
        }
        self.pairs.number_all(queries, reserve);
        queries.iter().for_each(|query| states[query.by as usize].left = query.number);
        for at in 1..self.threads {
            queries.clear();
            for (by, state) in states.iter_mut().enumerate() {
                let near = &known[state.near];
                state.differs |= state.parts.threads[at] != near.parts.threads[at];
                match state.differs {
                    true => queries.push(Query::new(state.right, state.parts.threads[at], by)),
                    false => state.right = near.rights[at],
                }
            }
            self.pairs.number_all(queries, reserve);
            queries.iter().for_each(|query| states[query.by as usize].right = query.number);
        }
    }

    /// The parts of a state.
    pub(crate) fn known(&self, state: u64) -> KnownState {
        let (left, mut right) = split_pair(state);
        let (shared, carried) = self.pairs.get(left);
        let parts = Parts { shared, carried, ..Parts::default() };
        let mut known = KnownState { parts, left, rights: [0; MAX_THREADS] };
        for at in (1..self.threads).rev() {
            known.rights[at] = right;
            (right, known.parts.threads[at]) = self.pairs.get(right);
        }
        known.parts.threads[0] = right;
        known
    }

    /// The parts of a state.
    pub(crate) fn parts(&self, state: u64) -> Parts {
        self.known(state).parts
    }
}

/// A state with the numbers of its pairs.
pub(crate) struct KnownState {
    pub(crate) parts: Parts,
    left: u32,
    /// The numbers of the threads up to each one.
    rights: [u32; MAX_THREADS],
}

/// A state that has no number yet.
pub(crate) struct UnnumberedState {
    parts: Parts,
    /// The index of its predecessor.
    near: usize,
    left: u32,
    /// The number of the threads up to the current layer, and whether they differ from the predecessor's.
    right: u32,
    differs: bool,
}

impl UnnumberedState {
    /// A successor of the known state at `near`.
    pub(crate) fn new(parts: Parts, near: usize) -> UnnumberedState {
        UnnumberedState { parts, near, left: 0, right: 0, differs: false }
    }

    /// The number, after [`Tree::number_all`].
    pub(crate) fn number(&self) -> u64 {
        join_pair(self.left, self.right)
    }
}
