//! Growing lists that all threads read without locks, and that nobody has to stop reading while they grow.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The first chunk has so many entries, each later one twice as many as the one before.
const FIRST: u32 = 1 << 6;
const CHUNKS: usize = 27;

/// Entries that nobody has touched are as they are by default.
pub(crate) struct Growing<T> {
    chunks: [OnceLock<Box<[T]>>; CHUNKS],
}

impl<T: Default> Growing<T> {
    pub(crate) fn new() -> Self {
        Growing { chunks: [const { OnceLock::new() }; CHUNKS] }
    }

    fn place(at: u32) -> (usize, usize) {
        // Chunk k begins at FIRST * (2^k - 1).
        let shifted = u64::from(at) + u64::from(FIRST);
        let chunk = shifted.ilog2() - FIRST.ilog2();
        (chunk as usize, (shifted - (u64::from(FIRST) << chunk)) as usize)
    }

    /// The entry, with its whole chunk if it is not there yet.
    pub(crate) fn entry(&self, at: u32) -> &T {
        let (chunk, offset) = Self::place(at);
        let all = || (0..(FIRST as usize) << chunk).map(|_| T::default()).collect();
        &self.chunks[chunk].get_or_init(all)[offset]
    }

    /// The entry, if its chunk is there.
    pub(crate) fn get(&self, at: u32) -> Option<&T> {
        let (chunk, offset) = Self::place(at);
        self.chunks[chunk].get().map(|chunk| &chunk[offset])
    }

    pub(crate) fn bytes(&self) -> usize {
        self.chunks.iter().filter_map(OnceLock::get).map(|chunk| size_of_val(&chunk[..])).sum()
    }
}

/// A column of numbers. Those that nobody has written are 0.
pub(crate) struct Column(Growing<AtomicU64>);

impl Column {
    pub(crate) fn new() -> Column {
        Column(Growing::new())
    }

    pub(crate) fn set(&self, at: u32, value: u64) {
        self.0.entry(at).store(value, Ordering::Relaxed);
    }

    pub(crate) fn get(&self, at: u32) -> u64 {
        self.0.get(at).map_or(0, |entry| entry.load(Ordering::Relaxed))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.0.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_entry_has_a_place_of_its_own() {
        let column = Column::new();
        (0..20_000).for_each(|i| column.set(i, u64::from(i) + 1));
        assert!((0..20_000).all(|i| column.get(i) == u64::from(i) + 1));
        assert_eq!(Growing::<u8>::place(FIRST), (1, 0));
        assert_eq!(Growing::<u8>::place(3 * FIRST - 1), (1, 2 * FIRST as usize - 1));
        assert!(Growing::<u8>::place(u32::MAX).0 < CHUNKS);
    }
}
