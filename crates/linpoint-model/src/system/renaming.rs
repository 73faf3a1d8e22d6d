//! A renaming of threads and values, small enough to be a key.

use crate::bounds::MAX_THREADS;
use crate::names::Names;

/// Values of renamed states are smaller than this.
pub(crate) const MAX_VALUES: u8 = 16;

/// For each position the previous position of its thread, and new names for values.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Renaming {
    /// Four bits for each position.
    from: u64,
    /// Four bits for each value; 0 is "not mentioned".
    values: Option<u64>,
}

impl Renaming {
    pub(crate) fn of_threads(from: &[usize]) -> Renaming {
        let packed =
            from.iter().enumerate().fold(0, |all, (to, from)| all | (*from as u64) << (4 * to));
        Renaming { from: packed, values: None }
    }

    /// The identity, as a constant because every step needs it.
    pub(crate) const IDENTITY: Renaming = {
        let (mut from, mut at) = (0, 0);
        while at < MAX_THREADS {
            from |= (at as u64) << (4 * at);
            at += 1;
        }
        Renaming { from, values: None }
    };

    /// Adds the renaming of values, if it changes any mentioned value.
    pub(crate) fn and_values(mut self, mentioned: u64, names: &Names) -> Renaming {
        let used = (1..MAX_VALUES).filter(|value| mentioned >> value & 1 == 1);
        let mut packed = 0;
        let mut changes = false;
        for value in used {
            let new = names.new_value(value);
            changes |= new != value;
            packed |= u64::from(new) << (4 * value);
        }
        self.values = changes.then_some(packed);
        self
    }

    /// The previous position of the thread that is in position `to` now.
    pub(crate) fn from(&self, to: usize) -> usize {
        (self.from >> (4 * to) & 0xf) as usize
    }

    /// The new position of the thread that was in position `from`.
    pub(crate) fn to(&self, from: usize) -> usize {
        (0..MAX_THREADS).find(|to| self.from(*to) == from).unwrap_or(from)
    }

    /// Permutes a list with an entry for each thread.
    pub(crate) fn applied(&self, entries: &[usize]) -> Vec<usize> {
        (0..entries.len()).map(|to| entries[self.from(to)]).collect()
    }

    /// The order of threads as a number.
    pub(crate) fn order(&self) -> u64 {
        self.from
    }

    pub(crate) fn changes_values(&self) -> bool {
        self.values.is_some()
    }

    pub(crate) fn is_identity(&self, threads: usize) -> bool {
        self.values.is_none() && (0..threads).all(|at| self.from(at) == at)
    }

    /// The names that apply the renaming of values.
    pub(crate) fn names(&self) -> Names {
        let packed = self.values.unwrap_or(0);
        let new = |value: u8| (packed >> (4 * value) & 0xf) as u8;
        Names::of_values((1..MAX_VALUES).map(|value| (value, new(value))))
    }
}
