//! The values of one segment: small numbers for their names.

use rustc_hash::FxHashMap;

/// Numbers the values that are written to a segment. Names in a small range are their own numbers.
pub(super) enum Values {
    Range { least: u64, count: usize },
    Map(FxHashMap<u64, u32>),
}

/// Names are used as numbers if their range is at most this many times their count: segments often
/// share one source of fresh values.
const SPARSE: u64 = 8;

impl Values {
    pub(super) fn of(names: &[u64]) -> Values {
        let least = names.iter().copied().min().unwrap_or(0);
        let range = names.iter().copied().max().unwrap_or(0) - least;
        if range < SPARSE * (names.len() as u64 + 1) {
            return Values::Range { least, count: range as usize + 1 };
        }
        let mut map = FxHashMap::default();
        for name in names {
            let next = map.len() as u32;
            map.entry(*name).or_insert(next);
        }
        Values::Map(map)
    }

    /// The number of a name, if it is among them. Some numbers may be unused.
    pub(super) fn number(&self, name: u64) -> Option<u32> {
        match self {
            Values::Range { least, count } => {
                let number = name.checked_sub(*least)?;
                (number < *count as u64).then_some(number as u32)
            }
            Values::Map(map) => map.get(&name).copied(),
        }
    }

    /// One more than the largest number.
    pub(super) fn count(&self) -> usize {
        match self {
            Values::Range { count, .. } => *count,
            Values::Map(map) => map.len(),
        }
    }
}
