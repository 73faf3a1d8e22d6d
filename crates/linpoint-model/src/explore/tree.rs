//! States as single numbers: a tree of pairs over the numbers of their parts.

use crate::system::{Pairs, Parts};

/// Stores states. The left half of a state is a pair of shared memory and what the method carries, the right half
/// is all threads.
pub(crate) struct Tree {
    pub(crate) pairs: Pairs,
    threads: usize,
}

impl Tree {
    pub(crate) fn new(threads: usize) -> Tree {
        Tree { pairs: Pairs::new(), threads }
    }

    /// The number of a state; it is never 0.
    pub(crate) fn state(&self, parts: &Parts) -> u64 {
        let left = self.pairs.number(parts.shared, parts.carried);
        let mut right = parts.threads[0];
        for thread in &parts.threads[1..self.threads] {
            right = self.pairs.number(right, *thread);
        }
        u64::from(left) << 32 | u64::from(right)
    }

    /// The parts of a state.
    pub(crate) fn parts(&self, state: u64) -> Parts {
        let (shared, carried) = self.pairs.get((state >> 32) as u32);
        let mut parts = Parts { shared, carried, ..Parts::default() };
        let mut right = state as u32;
        for at in (1..self.threads).rev() {
            (right, parts.threads[at]) = self.pairs.get(right);
        }
        parts.threads[0] = right;
        parts
    }
}
