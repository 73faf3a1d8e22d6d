//! Numbers for things that come again and again: the same thing always has the same number.

use std::hash::{BuildHasher, Hash};
use std::sync::{PoisonError, RwLock};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

/// Things and their numbers: 0, 1, 2, …, in the order in which they were met.
pub(crate) struct Interner<T> {
    inner: RwLock<Inner<T>>,
}

struct Inner<T> {
    things: Vec<T>,
    index: HashTable<u32>,
}

/// The same for equal things, in every run.
pub(crate) fn stable_hash<T: Hash + ?Sized>(thing: &T) -> u64 {
    // Fx leaves the entropy in the upper bits; tables want it in the lower ones.
    FxBuildHasher.hash_one(thing).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(26)
}

impl<T: Clone + Eq + Hash> Interner<T> {
    pub(crate) fn new() -> Self {
        Interner { inner: RwLock::new(Inner { things: Vec::new(), index: HashTable::new() }) }
    }

    /// The number of a thing.
    pub(crate) fn number(&self, thing: &T) -> u32 {
        let hash = stable_hash(thing);
        {
            let inner = self.inner.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(number) = inner.find(hash, thing) {
                return number;
            }
        }
        let mut inner = self.inner.write().unwrap_or_else(PoisonError::into_inner);
        inner.add(hash, thing)
    }

    /// The thing with this number.
    pub(crate) fn get(&self, number: u32) -> T {
        let inner = self.inner.read().unwrap_or_else(PoisonError::into_inner);
        inner.things[number as usize].clone()
    }

    pub(crate) fn len(&self) -> usize {
        self.inner.read().unwrap_or_else(PoisonError::into_inner).things.len()
    }

    /// Bytes in use, without what things own on the heap.
    pub(crate) fn bytes(&self) -> usize {
        let inner = self.inner.read().unwrap_or_else(PoisonError::into_inner);
        inner.things.capacity() * size_of::<T>() + inner.index.allocation_size()
    }
}

impl<T: Clone + Eq + Hash> Inner<T> {
    fn find(&self, hash: u64, thing: &T) -> Option<u32> {
        self.index.find(hash, |&n| self.things[n as usize] == *thing).copied()
    }

    fn add(&mut self, hash: u64, thing: &T) -> u32 {
        if let Some(number) = self.find(hash, thing) {
            return number;
        }
        let number = self.things.len() as u32;
        self.things.push(thing.clone());
        let things = &self.things;
        self.index.insert_unique(hash, number, |&n| stable_hash(&things[n as usize]));
        number
    }
}
