//! A small sorted map: the canonical state of the models with keys.
//!
//! The models store only what differs from the initial state, so after a split by key a state has
//! one entry at most, which then needs no heap: a clone is a copy.

use smallvec::SmallVec;

/// A map from `K` to `V`, sorted, for few entries.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Sorted<K, V>(SmallVec<[(K, V); 1]>);

impl<K, V> Default for Sorted<K, V> {
    fn default() -> Self {
        Sorted(SmallVec::new())
    }
}

impl<K: std::fmt::Debug, V: std::fmt::Debug> std::fmt::Debug for Sorted<K, V> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(self.iter().map(|(k, v)| (k, v))).finish()
    }
}

impl<K, V> Sorted<K, V> {
    /// The entries in ascending order.
    pub(super) fn iter(&self) -> std::slice::Iter<'_, (K, V)> {
        self.0.iter()
    }

    /// True if there are no entries.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Bytes of the struct and its entries; what keys and values own elsewhere is not seen.
    pub(super) fn bytes(&self) -> usize {
        let heap = if self.0.spilled() { self.0.capacity() * size_of::<(K, V)>() } else { 0 };
        size_of::<Self>() + heap
    }
}

impl<K: Ord + Clone, V> Sorted<K, V> {
    fn find(&self, key: &K) -> Result<usize, usize> {
        self.0.binary_search_by(|(k, _)| k.cmp(key))
    }

    /// The value of `key`.
    pub(super) fn get(&self, key: &K) -> Option<&V> {
        self.find(key).ok().map(|i| &self.0[i].1)
    }

    /// Gives `key` a value, or removes it.
    pub(super) fn set(&mut self, key: &K, value: Option<V>) {
        match (self.find(key), value) {
            (Ok(i), Some(value)) => self.0[i].1 = value,
            (Ok(i), None) => {
                self.0.remove(i);
            }
            (Err(i), Some(value)) => self.0.insert(i, (key.clone(), value)),
            (Err(_), None) => {}
        }
    }
}
