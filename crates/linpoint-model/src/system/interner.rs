//! Interning: equal values get the same number.
//!
//! Reading a value takes no lock, and neither does interning one that was interned recently. Otherwise one shard of the
//! index is locked, so that two cores rarely contend.

use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use super::cache_padded::CachePadded;
use super::column::GrowingArray;
use crate::sync::{
    AtomicU32, AtomicUsize, Mutex, MutexGuard, OnceLock, Ordering, PoisonError, size,
};

/// Shards of the index.
const PARTS: usize = size(32, 1);
/// Numbers that can be found without a lock.
const RECENT: usize = size(1 << 14, 1);

/// Values and their numbers: 0, 1, 2, …, in the order of discovery.
pub(crate) struct Interner<T> {
    values: GrowingArray<OnceLock<T>>,
    index: Index,
}

/// A hash that is the same in every run.
pub(crate) fn stable_hash<T: Hash + ?Sized>(value: &T) -> u64 {
    // Fx leaves the entropy in the upper bits; tables use the lower ones.
    FxBuildHasher.hash_one(value).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26)
}

impl<T: Clone + Eq + Hash> Interner<T> {
    // Not inlined: it is large, and a system creates several.
    #[inline(never)]
    pub(crate) fn new() -> Self {
        Interner { values: GrowingArray::new(), index: Index::new() }
    }

    /// The number of a value.
    // Not inlined, so that it is compiled once for each type.
    #[inline(never)]
    pub(crate) fn intern(&self, value: &T) -> u32 {
        self.intern_with(value, || value.clone()).0
    }

    /// The number of the value that equals `value`, and whether it is new. A new value is created by `make`.
    pub(crate) fn intern_with<Q>(&self, value: &Q, make: impl FnOnce() -> T) -> (u32, bool)
    where
        T: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let hash = stable_hash(value);
        let is_equal = |number: u32| self.get(number).borrow() == value;
        if let Some(number) = self.index.recent(hash).filter(|number| is_equal(*number)) {
            return (number, false);
        }
        let mut part = self.index.part(hash);
        let known = part.find(hash, &is_equal);
        let number = known.unwrap_or_else(|| {
            // Created before it gets a number: the model may panic here.
            let made = make();
            let number = part.next();
            let _ = self.values.entry(number).set(made);
            part.insert(hash, number, &|number| stable_hash(self.get(number)));
            number
        });
        drop(part);
        self.index.remember(hash, number);
        (number, known.is_none())
    }

    /// The value with this number.
    pub(crate) fn get(&self, number: u32) -> &T {
        let value = self.values.get(number).and_then(OnceLock::get);
        value.expect("every number in use has a value")
    }

    pub(crate) fn len(&self) -> usize {
        self.index.len()
    }

    /// Bytes in use, without what values own on the heap.
    pub(crate) fn bytes(&self) -> usize {
        self.values.bytes() + self.index.bytes()
    }
}

/// Numbers by hash. It does not depend on the type of values, so it is compiled once.
struct Index {
    /// By hash, the number of a value plus one; 0 is none. Callers compare the value.
    recent: Box<[AtomicU32]>,
    parts: [CachePadded<Mutex<HashTable<u32>>>; PARTS],
    next: CachePadded<AtomicU32>,
    /// Bytes of the shards, counted because every round needs them.
    bytes: AtomicUsize,
}

/// A locked shard of the index.
struct Part<'a> {
    index: &'a Index,
    table: MutexGuard<'a, HashTable<u32>>,
}

impl Index {
    fn new() -> Index {
        Index {
            recent: (0..RECENT).map(|_| AtomicU32::new(0)).collect(),
            parts: std::array::from_fn(|_| CachePadded::default()),
            next: CachePadded::default(),
            bytes: AtomicUsize::new(0),
        }
    }

    /// The most recent number in the slot of this hash.
    fn recent(&self, hash: u64) -> Option<u32> {
        // Acquire: the value was stored before its number (see `remember`).
        self.recent[hash as usize % RECENT].load(Ordering::Acquire).checked_sub(1)
    }

    fn remember(&self, hash: u64, number: u32) {
        self.recent[hash as usize % RECENT].store(number + 1, Ordering::Release);
    }

    /// Locks the shard of this hash.
    fn part(&self, hash: u64) -> Part<'_> {
        // Bits that the hash tables do not use first.
        let part = &self.parts[(hash >> 40) as usize % PARTS];
        Part { index: self, table: part.lock().unwrap_or_else(PoisonError::into_inner) }
    }

    fn len(&self) -> usize {
        self.next.load(Ordering::Relaxed) as usize
    }

    fn bytes(&self) -> usize {
        size_of_val(&self.recent[..]) + self.bytes.load(Ordering::Relaxed)
    }
}

impl Part<'_> {
    fn find(&self, hash: u64, is_equal: &dyn Fn(u32) -> bool) -> Option<u32> {
        self.table.find(hash, |number| is_equal(*number)).copied()
    }

    /// A number that is not in use.
    fn next(&self) -> u32 {
        let number = self.index.next.fetch_add(1, Ordering::Relaxed);
        assert!(number < u32::MAX, "too many values to number");
        number
    }

    fn insert(&mut self, hash: u64, number: u32, hash_of: &dyn Fn(u32) -> u64) {
        let before = self.table.allocation_size();
        self.table.insert_unique(hash, number, |number| hash_of(*number));
        let more = self.table.allocation_size().saturating_sub(before);
        if more > 0 {
            self.index.bytes.fetch_add(more, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concurrent_threads_agree_on_dense_numbers() {
        let interner = Interner::<Box<[u32]>>::new();
        let value = |i: u32| vec![i % 5_000; 3].into_boxed_slice();
        let numbers = |from: u32| {
            (from..from + 10_000).map(|i| interner.intern(&value(i))).collect::<Vec<_>>()
        };
        let found = std::thread::scope(|scope| {
            let others = [0, 1_000, 2_000].map(|from| scope.spawn(move || numbers(from)));
            others.map(|other| other.join().unwrap())
        });
        assert_eq!(interner.len(), 5_000);
        for (from, numbers) in [0, 1_000, 2_000].into_iter().zip(found) {
            assert!((from..).zip(numbers).all(|(i, n)| *interner.get(n) == value(i)));
        }
        assert_eq!(
            interner.intern_with(&value(7)[..], || value(8)),
            (interner.intern(&value(7)), false)
        );
    }
}
