//! Which operations that never returned have taken effect.
//!
//! Those of one kind and value are alike but for their calls. If one of them takes effect, it may as
//! well be the one that was called first, so it is enough to count them. Counts are numbered, so that
//! a state has one number for all.

use rustc_hash::FxHashMap;

use crate::monitor::Refusal;
use crate::monitor::effort::Effort;

/// A pop, in place of the value that is pushed.
pub(in crate::monitor) const TAKE: u32 = u32::MAX;

/// Counts of pending operations that have taken effect: those of each value pushed, and [`TAKE`].
/// [`NONE_USED`] at first.
pub(in crate::monitor) type Used = u32;

pub(in crate::monitor) const NONE_USED: Used = 0;

/// Sorted by kind.
type Counts = Box<[(u32, u32)]>;

pub(in crate::monitor) struct Pending {
    counts: Vec<Counts>,
    numbers: FxHashMap<Counts, Used>,
}

impl Pending {
    pub(in crate::monitor) fn new() -> Pending {
        let none = Counts::default();
        Pending { counts: vec![none.clone()], numbers: FxHashMap::from_iter([(none, NONE_USED)]) }
    }

    /// How many of this kind have taken effect.
    pub(in crate::monitor) fn count(&self, used: Used, kind: u32) -> u32 {
        let counts = &self.counts[used as usize];
        counts.iter().find(|(k, _)| *k == kind).map_or(0, |(_, count)| *count)
    }

    /// How many have taken effect in all.
    pub(in crate::monitor) fn total(&self, used: Used) -> u32 {
        self.counts[used as usize].iter().map(|(_, count)| count).sum()
    }

    /// One more of this kind has taken effect.
    pub(in crate::monitor) fn add(
        &mut self,
        used: Used,
        kind: u32,
        effort: &mut Effort<'_>,
    ) -> Result<Used, Refusal> {
        let mut counts = self.counts[used as usize].to_vec();
        effort.work(16 + counts.len())?;
        match counts.binary_search_by_key(&kind, |(k, _)| *k) {
            Ok(at) => counts[at].1 += 1,
            Err(at) => counts.insert(at, (kind, 1)),
        }
        let counts: Counts = counts.into();
        if let Some(number) = self.numbers.get(&counts) {
            return Ok(*number);
        }
        effort.reserve(128 + 16 * counts.len())?;
        let number = self.counts.len() as Used;
        self.counts.push(counts.clone());
        self.numbers.insert(counts, number);
        Ok(number)
    }
}
