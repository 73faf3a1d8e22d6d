//! GrowingArray arrays that all threads read without locks, also while they grow.

use crate::sync::{AtomicU64, OnceLock, Ordering, size};

/// Chunks of equal size: first this many, then as many of twice the size, and so on. Only the last chunk may be partly
/// full, so at most one entry in this many is unused.
const EQUAL: u32 = 8;
/// Entries of the first chunks.
const FIRST: u32 = 1 << 3;
/// Enough for all 32-bit indices.
const CHUNKS: usize = size(EQUAL as usize * 27, 4);

/// An array whose entries have their default value until they are written.
pub(crate) struct GrowingArray<T> {
    chunks: [OnceLock<Box<[T]>>; CHUNKS],
}

impl<T: Default> GrowingArray<T> {
    pub(crate) fn new() -> Self {
        GrowingArray { chunks: std::array::from_fn(|_| OnceLock::new()) }
    }

    /// The chunk of an index, and the offset in it. Shifted by the size of the first group, indices in chunks of the same size
    /// have the same number of binary digits; the digits after the first select the chunk, and the rest is the offset.
    fn place(at: u32) -> (usize, usize) {
        let shifted = u64::from(at) + u64::from(FIRST * EQUAL);
        let doubled = shifted.ilog2() - (FIRST * EQUAL).ilog2();
        let digits = doubled + FIRST.ilog2();
        let chunk = u64::from(doubled * EQUAL) + (shifted >> digits) - u64::from(EQUAL);
        (chunk as usize, (shifted & !(!0 << digits)) as usize)
    }

    fn size(chunk: usize) -> usize {
        (FIRST as usize) << (chunk / EQUAL as usize)
    }

    #[cold]
    fn allocate(chunk: usize) -> Box<[T]> {
        let mut entries = Vec::new();
        entries.resize_with(Self::size(chunk), T::default);
        entries.into_boxed_slice()
    }

    /// The entry. Allocates its chunk if necessary.
    pub(crate) fn entry(&self, at: u32) -> &T {
        let (chunk, offset) = Self::place(at);
        &self.chunks[chunk].get_or_init(|| Self::allocate(chunk))[offset]
    }

    /// The entry, if its chunk is allocated.
    pub(crate) fn get(&self, at: u32) -> Option<&T> {
        let (chunk, offset) = Self::place(at);
        self.chunks.get(chunk)?.get().map(|chunk| &chunk[offset])
    }

    pub(crate) fn bytes(&self) -> usize {
        self.chunks.iter().filter_map(OnceLock::get).map(|chunk| size_of_val(&chunk[..])).sum()
    }
}

/// An array of numbers. Those that were never written are 0.
pub(crate) struct Column(GrowingArray<AtomicU64>);

impl Column {
    pub(crate) fn new() -> Column {
        Column(GrowingArray::new())
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
    fn every_index_has_its_own_entry() {
        let column = Column::new();
        (0..20_000).for_each(|i| column.set(i, u64::from(i) + 1));
        assert!((0..20_000).all(|i| column.get(i) == u64::from(i) + 1));
        assert!(GrowingArray::<u8>::place(u32::MAX).0 < CHUNKS);
    }

    #[test]
    fn indices_fill_chunks_in_order() {
        let mut expected = (0, 0);
        for at in 0..200_000 {
            assert_eq!(GrowingArray::<u8>::place(at), expected);
            expected.1 += 1;
            if expected.1 == GrowingArray::<u8>::size(expected.0) {
                expected = (expected.0 + 1, 0);
            }
        }
    }

    #[test]
    fn allocated_memory_is_at_most_an_eighth_more_than_used() {
        let column = Column::new();
        for at in 0..100_000 {
            column.set(at, 1);
            let used = (at as usize + 1) * size_of::<u64>();
            assert!(column.bytes() <= used + used / 8 + 100, "{at}");
        }
    }
}
