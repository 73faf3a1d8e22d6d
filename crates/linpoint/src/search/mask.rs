//! Sets of slots: one machine word if concurrency allows it, otherwise several.

use std::hash::Hash;

use smallvec::SmallVec;

/// A set of slots `0..width`.
pub(crate) trait Mask: Clone + Eq + Hash {
    /// The empty set, with room for `width` slots.
    fn empty(width: usize) -> Self;
    fn has(&self, slot: u32) -> bool;
    fn insert(&mut self, slot: u32);
    fn remove(&mut self, slot: u32);
    /// Visits the slots that are in `self` and not in `other`, in increasing order.
    fn for_each_without(&self, other: &Self, visit: impl FnMut(u32));
    /// True if `self` is a subset of `other`.
    fn is_covered_by(&self, other: &Self) -> bool;
    /// A well-mixed hash.
    fn mix(&self) -> u64;
    /// Heap bytes of one mask.
    fn heap_bytes(&self) -> usize;
}

impl Mask for u64 {
    fn empty(_width: usize) -> u64 {
        0
    }

    #[inline]
    fn has(&self, slot: u32) -> bool {
        self >> slot & 1 != 0
    }

    #[inline]
    fn insert(&mut self, slot: u32) {
        *self |= 1 << slot;
    }

    #[inline]
    fn remove(&mut self, slot: u32) {
        *self &= !(1 << slot);
    }

    #[inline]
    fn for_each_without(&self, other: &u64, mut visit: impl FnMut(u32)) {
        let mut rest = self & !other;
        while rest != 0 {
            visit(rest.trailing_zeros());
            rest &= rest - 1;
        }
    }

    #[inline]
    fn is_covered_by(&self, other: &u64) -> bool {
        self & !other == 0
    }

    #[inline]
    fn mix(&self) -> u64 {
        self.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    fn heap_bytes(&self) -> usize {
        0
    }
}

/// More than 64 slots: words inline up to 256 slots, on the heap beyond.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Wide(SmallVec<[u64; 4]>);

impl Mask for Wide {
    fn empty(width: usize) -> Wide {
        Wide(SmallVec::from_elem(0, width.div_ceil(64)))
    }

    fn has(&self, slot: u32) -> bool {
        self.0[slot as usize / 64].has(slot % 64)
    }

    fn insert(&mut self, slot: u32) {
        self.0[slot as usize / 64].insert(slot % 64);
    }

    fn remove(&mut self, slot: u32) {
        self.0[slot as usize / 64].remove(slot % 64);
    }

    fn for_each_without(&self, other: &Wide, mut visit: impl FnMut(u32)) {
        for (i, (a, b)) in self.0.iter().zip(&other.0).enumerate() {
            a.for_each_without(b, |slot| visit(slot + 64 * i as u32));
        }
    }

    fn is_covered_by(&self, other: &Wide) -> bool {
        self.0.iter().zip(&other.0).all(|(a, b)| a.is_covered_by(b))
    }

    fn mix(&self) -> u64 {
        self.0.iter().fold(0, |h, w| (h ^ w).mix().rotate_left(29))
    }

    fn heap_bytes(&self) -> usize {
        if self.0.spilled() { self.0.len() * 8 } else { 0 }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// A random set of slots, and the mask of it.
    fn random<M: Mask>(width: usize, rng: &mut fastrand::Rng) -> (BTreeSet<u32>, M) {
        let (mut slots, mut mask) = (BTreeSet::new(), M::empty(width));
        for _ in 0..rng.usize(..8) {
            let slot = rng.u32(..width as u32);
            if rng.u32(..4) > 0 {
                slots.insert(slot);
                mask.insert(slot);
            } else {
                slots.remove(&slot);
                mask.remove(slot);
            }
        }
        (slots, mask)
    }

    fn is_a_set<M: Mask>(width: usize) {
        let mut rng = fastrand::Rng::with_seed(width as u64);
        let mut covered = 0;
        for _ in 0..5_000 {
            let (a, a_mask) = random::<M>(width, &mut rng);
            let (mut b, mut b_mask) = random::<M>(width, &mut rng);
            // A subset, or almost.
            for slot in a.iter().filter(|_| rng.u32(..6) > 0) {
                b.insert(*slot);
                b_mask.insert(*slot);
            }
            assert!((0..width as u32).all(|slot| a_mask.has(slot) == a.contains(&slot)));
            let mut without = Vec::new();
            a_mask.for_each_without(&b_mask, |slot| without.push(slot));
            assert!(without.iter().eq(a.difference(&b)), "{a:?} without {b:?}: {without:?}");
            assert_eq!(a_mask.is_covered_by(&b_mask), a.is_subset(&b), "{a:?}, {b:?}");
            covered += u32::from(!a.is_empty() && a.is_subset(&b));
        }
        assert!(covered > 500, "{covered}");
    }

    #[test]
    fn narrow_masks_are_sets() {
        is_a_set::<u64>(64);
    }

    #[test]
    fn wide_masks_are_sets() {
        is_a_set::<Wide>(65);
        is_a_set::<Wide>(300);
    }
}
