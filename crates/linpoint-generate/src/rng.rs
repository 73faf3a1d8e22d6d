//! Random choices of generated histories. A seed always gives the same ones: commands in bug reports stay valid.

use linpoint::random::SplitMix64;

/// A generator of random numbers.
pub(crate) struct Rng(SplitMix64);

impl Rng {
    /// Starts at a seed.
    pub(crate) fn new(seed: u64) -> Rng {
        Rng(SplitMix64::new(seed))
    }

    /// A number below `n`; 0 if there is none.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0.up_to(n.saturating_sub(1))
    }

    /// A position in a list of this length; 0 if it is empty.
    pub(crate) fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    /// A number from 0 to less than 1.
    pub(crate) fn fraction(&mut self) -> f64 {
        // All 53 bits that fit exactly.
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// True with this probability.
    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        self.0.chance(probability)
    }

    /// True in this many of a hundred cases.
    pub(crate) fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}
