//! States as single numbers: a tree of pairs over the numbers of their parts.

use crate::bounds::MAX_THREADS;
use crate::system::{Pairs, Parts, join, parted};

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
        join(left, right)
    }

    /// The same for a state that has most parts in common with a known one.
    pub(crate) fn state_near(&self, parts: &Parts, known: &Known) -> u64 {
        let same = (parts.shared, parts.carried) == (known.parts.shared, known.parts.carried);
        let left = if same { known.left } else { self.pairs.number(parts.shared, parts.carried) };
        let mut right = parts.threads[0];
        let mut differs = right != known.parts.threads[0];
        for at in 1..self.threads {
            differs |= parts.threads[at] != known.parts.threads[at];
            right = match differs {
                true => self.pairs.number(right, parts.threads[at]),
                false => known.rights[at],
            };
        }
        join(left, right)
    }

    /// The parts of a state.
    pub(crate) fn known(&self, state: u64) -> Known {
        let (left, mut right) = parted(state);
        let (shared, carried) = self.pairs.get(left);
        let parts = Parts { shared, carried, ..Parts::default() };
        let mut known = Known { parts, left, rights: [0; MAX_THREADS] };
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
pub(crate) struct Known {
    pub(crate) parts: Parts,
    left: u32,
    /// The threads up to each one.
    rights: [u32; MAX_THREADS],
}
