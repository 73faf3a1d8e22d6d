//! A growing column of numbers that all threads read without locks.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The first chunk has so many entries, each later one twice as many as the one before.
const FIRST: u32 = 1 << 12;
const CHUNKS: usize = 21;

/// Entries that nobody has written are 0.
pub(crate) struct Column {
    chunks: [OnceLock<Box<[AtomicU64]>>; CHUNKS],
}

impl Column {
    pub(crate) fn new() -> Column {
        Column { chunks: [const { OnceLock::new() }; CHUNKS] }
    }

    fn place(at: u32) -> (usize, usize) {
        // Chunk k begins at FIRST * (2^k - 1).
        let shifted = u64::from(at) + u64::from(FIRST);
        let chunk = shifted.ilog2() - FIRST.ilog2();
        (chunk as usize, (shifted - (u64::from(FIRST) << chunk)) as usize)
    }

    fn chunk(&self, chunk: usize) -> &[AtomicU64] {
        self.chunks[chunk]
            .get_or_init(|| (0..(FIRST as usize) << chunk).map(|_| AtomicU64::new(0)).collect())
    }

    pub(crate) fn set(&self, at: u32, value: u64) {
        let (chunk, offset) = Column::place(at);
        self.chunk(chunk)[offset].store(value, Ordering::Relaxed);
    }

    pub(crate) fn get(&self, at: u32) -> u64 {
        let (chunk, offset) = Column::place(at);
        self.chunks[chunk].get().map_or(0, |chunk| chunk[offset].load(Ordering::Relaxed))
    }

    pub(crate) fn bytes(&self) -> usize {
        self.chunks.iter().filter_map(OnceLock::get).map(|chunk| size_of_val(&chunk[..])).sum()
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
        assert_eq!(Column::place(FIRST), (1, 0));
        assert_eq!(Column::place(3 * FIRST - 1), (1, 2 * FIRST as usize - 1));
        assert!(Column::place(u32::MAX).0 < CHUNKS);
    }
}
