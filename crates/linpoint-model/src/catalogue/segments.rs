//! The segments of a snapshot object that are read and written: all, or those of a pair (`simple.rs` explains why).

use crate::simple::Pair;

/// Segments, in their order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Segments {
    n: usize,
    pair: Option<Pair>,
}

impl Segments {
    /// All segments.
    pub(super) fn all(n: usize) -> Segments {
        Segments { n, pair: None }
    }

    /// Only the two of the pair.
    pub(super) fn of_pair(self, pair: Pair) -> Segments {
        Segments { pair: Some(pair), ..self }
    }

    /// Number of segments.
    pub(super) fn len(&self) -> usize {
        if self.pair.is_some() { 2 } else { self.n }
    }

    /// The segment in this position.
    pub(super) fn at(&self, position: usize) -> usize {
        match self.pair {
            None => position,
            Some(Pair(first, _)) if position == 0 => first,
            Some(Pair(_, second)) => second,
        }
    }

    /// The next position; 0 after the last.
    pub(super) fn after(&self, position: u8) -> u8 {
        (position + 1) % self.len() as u8
    }

    /// True if the segment is among them.
    pub(super) fn has(&self, segment: usize) -> bool {
        self.iter().any(|own| own == segment)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = usize> + use<> {
        let all = *self;
        (0..all.len()).map(move |position| all.at(position))
    }
}
