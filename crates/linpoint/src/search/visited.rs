//! The configurations that a search has visited: an open-addressing table under a memory budget.
//!
//! When the budget allows no further growth, the table turns lossy: new entries replace old ones. A
//! depth-first search stays correct, since forgetting a configuration only means exploring it
//! again. It merely loses time.

use super::StateId;
use super::mask::Mask;
use crate::budget::Budget;

/// A point of a search: `returns` return events are explained, and of the operations open now,
/// those in `mask` have taken effect too. The specification is in `state`, and `used` identifies
/// the multiset of pending operations that took effect (see [`super::ledger`]).
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Config<M> {
    pub(crate) returns: u32,
    pub(crate) state: StateId,
    pub(crate) used: u32,
    pub(crate) mask: M,
}

impl<M: Mask> Config<M> {
    #[inline]
    fn hash(&self) -> u64 {
        let a = u64::from(self.returns) << 32 | u64::from(self.state.0);
        let h = a.wrapping_mul(0xff51_afd7_ed55_8ccd) ^ self.mask.mix();
        let h = (h ^ u64::from(self.used)).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
        h ^ (h >> 32)
    }
}

/// `returns` of an empty cell.
const VACANT: u32 = u32::MAX;
/// How many cells a lossy table probes before it replaces one.
const LOSSY_PROBES: usize = 8;

pub(crate) struct Visited<M> {
    /// A power of two long, or empty. INVARIANT: unless `lossy`, every entry is reachable from its
    /// hash by linear probing, and at least one cell in eight is vacant.
    cells: Vec<Config<M>>,
    len: usize,
    lossy: bool,
    heap_bytes: usize,
}

impl<M: Mask> Visited<M> {
    pub(crate) fn new() -> Self {
        Visited { cells: Vec::new(), len: 0, lossy: false, heap_bytes: 0 }
    }

    fn vacant() -> Config<M> {
        Config { returns: VACANT, state: StateId(0), used: 0, mask: M::empty(0) }
    }

    fn bytes_of(cells: usize) -> usize {
        cells * size_of::<Config<M>>()
    }

    /// True if the table contains `config`.
    #[inline]
    pub(crate) fn contains(&self, config: &Config<M>) -> bool {
        if self.len == 0 {
            return false;
        }
        let wrap = self.cells.len() - 1;
        let mut at = config.hash() as usize & wrap;
        let mut probes = 0;
        while self.cells[at].returns != VACANT {
            if self.cells[at] == *config {
                return true;
            }
            probes += 1;
            if self.lossy && probes == LOSSY_PROBES {
                return false;
            }
            at = (at + 1) & wrap;
        }
        false
    }

    /// Inserts `config`. True if it was not in the table.
    pub(crate) fn insert(&mut self, config: &Config<M>, budget: &mut Budget<'_>) -> bool {
        if self.cells.is_empty() || self.len * 8 >= self.cells.len() * 7 {
            self.grow(budget);
        }
        if self.cells.is_empty() {
            return true; // not even the smallest table fits: search without memory
        }
        let wrap = self.cells.len() - 1;
        let home = config.hash() as usize & wrap;
        let mut at = home;
        let mut probes = 0;
        while self.cells[at].returns != VACANT {
            if self.cells[at] == *config {
                return false;
            }
            probes += 1;
            if self.lossy && probes == LOSSY_PROBES {
                self.cells[(home + self.len % LOSSY_PROBES) & wrap] = config.clone();
                self.len = self.len.wrapping_add(1); // from here on, only spreads the replacements
                return true;
            }
            at = (at + 1) & wrap;
        }
        self.note_heap(config, budget);
        self.cells[at] = config.clone();
        self.len += 1;
        true
    }

    fn note_heap(&mut self, config: &Config<M>, budget: &mut Budget<'_>) {
        let bytes = config.mask.heap_bytes();
        if bytes > 0 && budget.reserve(bytes).is_ok() {
            self.heap_bytes += bytes;
        }
    }

    fn grow(&mut self, budget: &mut Budget<'_>) {
        if self.lossy {
            return;
        }
        let old = self.cells.len();
        let new = if old == 0 { 64 } else { old * 2 };
        if budget.reserve(Self::bytes_of(new)).is_err() {
            self.lossy = true;
            return;
        }
        let old_cells = std::mem::replace(&mut self.cells, vec![Self::vacant(); new]);
        for config in old_cells {
            if config.returns != VACANT {
                let mut at = config.hash() as usize & (new - 1);
                while self.cells[at].returns != VACANT {
                    at = (at + 1) & (new - 1);
                }
                self.cells[at] = config;
            }
        }
        budget.release(Self::bytes_of(old));
    }

    /// True if entries have been lost for lack of memory.
    pub(crate) fn is_lossy(&self) -> bool {
        self.lossy
    }

    /// Removes all entries, in time proportional to their number. Releases a table that has become
    /// much too large.
    pub(crate) fn clear(&mut self, budget: &mut Budget<'_>) {
        if self.lossy || self.cells.len() > 64.max(self.len * 8) {
            self.forget(budget);
        } else if self.len > 0 {
            self.cells.fill(Self::vacant());
            self.len = 0;
            budget.release(std::mem::take(&mut self.heap_bytes));
        }
    }

    /// Removes all entries and releases the memory.
    pub(crate) fn forget(&mut self, budget: &mut Budget<'_>) {
        budget.release(Self::bytes_of(self.cells.len()) + self.heap_bytes);
        *self = Visited::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Memory;

    fn config(i: u64) -> Config<u64> {
        Config { returns: (i % 7) as u32, state: StateId((i / 7) as u32), used: 0, mask: i % 3 }
    }

    #[test]
    fn finds_what_was_inserted() {
        let memory = Memory::new(None);
        let mut budget = Budget::new(None, &memory);
        let mut seen = Visited::new();
        assert!((0..10_000).all(|i| seen.insert(&config(i), &mut budget)));
        assert!((0..10_000).all(|i| !seen.insert(&config(i), &mut budget)));
        seen.forget(&mut budget);
        assert_eq!(memory.used(), 0);
    }

    #[test]
    fn a_full_table_drops_entries_and_stays_within_its_memory() {
        let memory = Memory::new(Some(8 << 10));
        let mut budget = Budget::new(None, &memory);
        let mut seen = Visited::new();
        for i in 0..10_000 {
            seen.insert(&config(i), &mut budget);
        }
        assert!(memory.used() <= 8 << 10);
        assert!(!seen.insert(&config(9_999), &mut budget));
    }
}
