//! Random numbers. A seed always gives the same ones.

/// A generator of random numbers.
pub(crate) struct Rng(fastrand::Rng);

impl Rng {
    /// Starts at a seed.
    pub(super) fn new(seed: u64) -> Rng {
        Rng(fastrand::Rng::with_seed(seed))
    }

    /// A number below `n`; 0 if there is none.
    pub(super) fn below(&mut self, n: u64) -> u64 {
        if n == 0 { 0 } else { self.0.u64(..n) }
    }

    /// A position in a list of `len`.
    pub(super) fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    /// A number from 0 to 1.
    pub(super) fn fraction(&mut self) -> f64 {
        self.0.f64()
    }

    /// True with this probability.
    pub(super) fn chance(&mut self, probability: f64) -> bool {
        self.fraction() < probability
    }

    /// True in this many of a hundred cases.
    pub(super) fn percent(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}
