//! Values behind numbers that come and go.

use std::hash::Hash;

use super::index::{Bits, Index};
use crate::spec::stable_hash;

/// Values with numbers that stay the same as long as the values are there. Free numbers are used again.
pub(super) struct Slab<T> {
    entries: Vec<Option<T>>,
    /// Numbers that are not in use, in descending order.
    free: Vec<u32>,
    /// The values that were interned.
    index: Index,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Slab { entries: Vec::new(), free: Vec::new(), index: Index::default() }
    }
}

impl<T> Slab<T> {
    /// The value behind a number.
    #[inline]
    pub(super) fn get(&self, id: u32) -> &T {
        match self.entries.get(id as usize) {
            Some(Some(value)) => value,
            _ => panic!("number {id} is not in use"),
        }
    }

    /// Number of values.
    pub(super) fn len(&self) -> usize {
        self.entries.len() - self.free.len()
    }

    /// Number of values for which there is room. A sweep takes time in proportion to it.
    pub(super) fn room(&self) -> usize {
        self.entries.len()
    }

    /// Adds a value, even if an equal one is there.
    #[inline]
    pub(super) fn push(&mut self, value: T) -> u32 {
        match self.free.pop() {
            Some(id) => {
                self.entries[id as usize] = Some(value);
                id
            }
            None => {
                self.entries.push(Some(value));
                self.entries.len() as u32 - 1
            }
        }
    }

    /// Drops all values that are not `live`.
    pub(super) fn sweep(&mut self, live: &Bits) {
        self.index.retain(live);
        self.free.clear();
        let mut len = 0;
        for (id, entry) in self.entries.iter_mut().enumerate() {
            match live.get(id as u32) && entry.is_some() {
                true => len = id + 1,
                false => {
                    *entry = None;
                    self.free.push(id as u32);
                }
            }
        }
        self.entries.truncate(len);
        self.free.truncate(self.free.partition_point(|id| (*id as usize) < len));
        self.free.reverse();
        let (room, enough) = (self.entries.capacity(), 4 * len.max(64));
        if room > 2 * enough {
            self.entries.shrink_to(enough);
        }
    }

    /// All values.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.entries.iter().flatten()
    }
}

impl<T: Eq + Hash> Slab<T> {
    /// The number of a value, which is the same for equal ones. True if it is new.
    pub(super) fn intern(&mut self, value: T) -> (u32, bool) {
        let hash = stable_hash(&value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        if self.index.is_full() {
            self.index.resize((2 * self.index.cells()).max(16));
        }
        let entries = &self.entries;
        match self.index.find(hash, |id| entries[id].as_ref() == Some(&value)) {
            Ok(known) => (known, false),
            Err(at) => {
                let id = self.push(value);
                self.index.insert(at, id, hash);
                (id, true)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(is_in: impl Fn(u32) -> bool) -> Bits {
        let mut bits = Bits::default();
        (0..100_000).filter(|id| is_in(*id)).for_each(|id| bits.set(id));
        bits
    }

    #[test]
    fn numbers_survive_a_sweep_and_free_ones_are_reused() {
        let mut slab = Slab::default();
        let ids: Vec<u32> = (0..100u64).map(|n| slab.intern(n).0).collect();
        assert_eq!(ids, (0..100).collect::<Vec<u32>>());
        slab.sweep(&bits(|id| id % 10 == 3));
        assert_eq!(slab.len(), 10);
        assert_eq!(slab.room(), 94);
        assert_eq!(slab.intern(53), (53, false));
        assert_eq!(slab.intern(54), (0, true), "the lowest free number");
        assert_eq!(slab.push(54), 1, "not interned");
        assert_eq!(slab.intern(54), (0, false));
        assert_eq!((*slab.get(0), *slab.get(1), *slab.get(93)), (54, 54, 93));
    }

    #[test]
    fn room_shrinks_after_a_peak() {
        let mut slab = Slab::default();
        for n in 0..100_000u64 {
            slab.intern(n);
        }
        slab.sweep(&bits(|id| id < 5));
        assert_eq!((slab.len(), slab.room()), (5, 5));
        assert!(slab.entries.capacity() < 1_000 && slab.index.cells() < 5_000);
        assert!((0..5).all(|n| slab.intern(n) == (n as u32, false)));
    }
}
