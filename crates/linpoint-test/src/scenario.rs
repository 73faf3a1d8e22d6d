//! Scenarios: what every thread will do, as plain data that can be shrunk and written down.
//!
//! A [`Recipe`] holds the choices from which each operation was drawn (see [`crate::Rng`]). A
//! [`Scenario`] holds the operations themselves. Runners see scenarios only. Shrinking and replay
//! files work on recipes, so operations need neither be parsed nor printed.

use crate::rng::{Choice, Place, Rng, mix};

/// What every thread will do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scenario<Op> {
    /// Performed one after the other before the threads start.
    pub setup: Vec<Op>,
    /// Performed concurrently, one list for each thread.
    pub threads: Vec<Vec<Op>>,
    /// Performed one after the other when all threads have ended.
    pub finally: Vec<Op>,
}

impl<Op> Scenario<Op> {
    /// The number of operations, in all phases.
    pub fn len(&self) -> usize {
        self.setup.len() + self.threads.iter().map(Vec::len).sum::<usize>() + self.finally.len()
    }

    /// True if there are no operations.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The process of the setup and the final operations in a history: the number after those of the
/// threads.
pub fn main_process(threads: usize) -> u32 {
    threads as u32
}

/// The choices from which the operations of all threads are drawn.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Recipe {
    /// One list of operations for each thread; each operation is the list of its choices.
    pub threads: Vec<Vec<Vec<u64>>>,
    /// The setup operations that take part.
    pub setup: Kept,
    /// The final operations that take part.
    pub finally: Kept,
}

/// The operations of a fixed list that take part.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Kept {
    /// All of them.
    #[default]
    All,
    /// Those at these positions.
    Only(Vec<usize>),
}

impl Kept {
    /// The operations that take part.
    pub fn of<Op: Clone>(&self, ops: &[Op]) -> Vec<Op> {
        match self {
            Kept::All => ops.to_vec(),
            Kept::Only(kept) => kept.iter().filter_map(|at| ops.get(*at).cloned()).collect(),
        }
    }

    /// The positions that take part, in a list of this length.
    pub fn positions(&self, len: usize) -> Vec<usize> {
        match self {
            Kept::All => (0..len).collect(),
            Kept::Only(kept) => kept.iter().copied().filter(|at| *at < len).collect(),
        }
    }
}

impl Recipe {
    /// The number of operations of all threads.
    pub fn len(&self) -> usize {
        self.threads.iter().map(Vec::len).sum()
    }

    /// True if no thread has an operation.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The seed of one operation. Neighbouring operations must have unrelated seeds.
fn seed_of(seed: u64, run: u64, place: Place) -> u64 {
    let run = mix(seed ^ run.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    mix(run ^ ((place.thread as u64) << 32) ^ place.index as u64)
}

/// The generator of one operation.
#[inline]
pub(crate) fn rng_of(seed: u64, run: u64, place: Place) -> Rng {
    Rng::new(seed_of(seed, run, place), place)
}

/// The values of choices.
pub(crate) fn values(choices: &[Choice]) -> Vec<u64> {
    choices.iter().map(|choice| choice.value).collect()
}
