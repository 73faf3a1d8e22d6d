//! The two ends of a deque.

/// An end of the deque.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum End {
    Front,
    Back,
}

impl End {
    pub(super) const BOTH: [End; 2] = [End::Front, End::Back];

    pub(super) fn other(self) -> End {
        match self {
            End::Front => End::Back,
            End::Back => End::Front,
        }
    }

    /// The place in an array with one entry for each end.
    #[inline]
    pub(super) fn index(self) -> usize {
        self as usize
    }
}
