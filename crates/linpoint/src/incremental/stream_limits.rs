//! The limits of the checker of a stream.

use crate::allowance::Allowance;
use crate::budget::Limit;

/// What the parts of a stream may take.
#[derive(Clone, Debug)]
pub(super) struct StreamLimits {
    /// The maximum number of configurations of a part.
    pub(super) configurations: usize,
    /// Time and memory for all parts.
    pub(super) allowance: Allowance,
}

impl StreamLimits {
    /// With more operations open than this, whose effects differ, there would be too many configurations: each may have
    /// taken effect or not.
    pub(super) fn open(&self) -> usize {
        self.configurations.max(1).ilog2() as usize
    }

    /// Why a part was given up.
    pub(super) fn reason(&self) -> Limit {
        self.allowance.exhausted().unwrap_or(Limit::Configurations)
    }
}
