//! Persistent sequences for states that are long: a stack and a queue whose versions share nodes.
//!
//! The search keeps every state that it meets, clones them, hashes them, and compares them. Here a
//! clone copies a pointer or two, the hash is kept up to date by each step, and memory grows by a
//! node for each step, not by a copy of the whole sequence. Equality is exact: it compares hashes
//! first, then walks until both sides run into a node that they share.
//!
//! PERF: a throw-away walk of 60,000 states that adds and removes elements at about constant length
//! and puts every state into a hash table (u64 elements of 2 values, two busy cores), in nanoseconds
//! for each state. Nearly all stacks were met before; of the queues 92 % at length 10, else none, so
//! that the figures of `VecDeque` are mostly page faults for copies that are kept.
//!
//! | length | `List` | `Vec` | `Fifo` | `VecDeque` |
//! |---|---|---|---|---|
//! | 10 | 60-125 | 85-175 | 250-415 | 180-330 |
//! | 100 | 57 | 220 | 400 | 2,800 |
//! | 1000 | 60-125 | 1,650 | 140-290 | 21,000 |
//!
//! Short queues lose a third to the walk that proves them equal; long ones win by far, and what
//! they keep in memory is a node each.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::spec::stable_hash;

/// Spreads the bits of a hash.
fn mix(x: u64) -> u64 {
    let x = (x ^ (x >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^ (x >> 32)
}

struct Node<T> {
    value: T,
    /// Hash of `value` and everything below it.
    hash: u64,
    /// Number of elements, this one included.
    len: usize,
    below: Option<Arc<Node<T>>>,
}

/// A persistent stack.
pub struct List<T> {
    top: Option<Arc<Node<T>>>,
}

impl<T> List<T> {
    pub(super) fn new() -> Self {
        List { top: None }
    }

    pub(super) fn len(&self) -> usize {
        self.top.as_ref().map_or(0, |n| n.len)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.top.is_none()
    }

    /// The last element pushed.
    pub(super) fn first(&self) -> Option<&T> {
        self.top.as_ref().map(|n| &n.value)
    }

    /// Everything but the last element pushed.
    pub(super) fn rest(&self) -> Self {
        List { top: self.top.as_ref().and_then(|n| n.below.clone()) }
    }

    /// From the last element pushed to the first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        let mut at = self.top.as_deref();
        std::iter::from_fn(move || {
            let node = at?;
            at = node.below.as_deref();
            Some(&node.value)
        })
    }

    /// What one more version of a list costs: itself and one node, the others being shared.
    pub(super) fn bytes_of_version() -> usize {
        size_of::<Self>() + 2 * size_of::<usize>() + size_of::<Node<T>>()
    }

    fn hash_code(&self) -> u64 {
        self.top.as_ref().map_or(0, |n| n.hash)
    }

    fn is_same(&self, other: &Self) -> bool {
        match (&self.top, &other.top) {
            (None, None) => true,
            (Some(a), Some(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl<T: Hash> List<T> {
    /// The list with `value` on top.
    pub(super) fn push(&self, value: T) -> Self {
        let hash = mix(self.hash_code().wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ mix(stable_hash(&value)));
        let node = Node { value, hash, len: self.len() + 1, below: self.top.clone() };
        List { top: Some(Arc::new(node)) }
    }
}

impl<T> Clone for List<T> {
    fn clone(&self) -> Self {
        List { top: self.top.clone() }
    }
}

impl<T: PartialEq> PartialEq for List<T> {
    fn eq(&self, other: &Self) -> bool {
        if self.hash_code() != other.hash_code() || self.len() != other.len() {
            return false;
        }
        let (mut a, mut b) = (self.top.as_ref(), other.top.as_ref());
        while let (Some(x), Some(y)) = (a, b) {
            if Arc::ptr_eq(x, y) {
                return true;
            }
            if x.value != y.value {
                return false;
            }
            (a, b) = (x.below.as_ref(), y.below.as_ref());
        }
        true
    }
}

impl<T: Eq> Eq for List<T> {}

impl<T> Hash for List<T> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(self.hash_code());
    }
}

impl<T: std::fmt::Debug> std::fmt::Debug for List<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T> Drop for List<T> {
    /// In a loop: dropping a long chain by recursion would overflow the call stack. `into_inner`
    /// gives the node to exactly one of several threads that drop the last references at once.
    fn drop(&mut self) {
        let mut next = self.top.take();
        while let Some(mut node) = next.and_then(Arc::into_inner) {
            next = node.below.take();
        }
    }
}

/// The hash of a queue is a polynomial in this base, so that both ends can be changed in O(1).
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;
const INVERSE: u64 = inverse(BASE);

/// The inverse of an odd number modulo 2^64: Newton's method doubles the number of right bits.
const fn inverse(odd: u64) -> u64 {
    let mut x = odd; // right in the lowest 3 bits
    let mut i = 0;
    while i < 5 {
        x = x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x)));
        i += 1;
    }
    x
}

/// A persistent queue: a list of the front part, and a list of the back part in reverse.
///
/// Taking the last element of the front part turns the back part round, O(length). A search that
/// asks several times from the same state pays several times; engines remember the successors of a
/// state, so it does not.
pub struct Fifo<T> {
    /// INVARIANT: empty only if the queue is.
    front: List<T>,
    back: List<T>,
    /// Sum of `hash(element i) * BASE^i`, from the front.
    sum: u64,
    /// `BASE^length`.
    power: u64,
}

impl<T> Fifo<T> {
    pub(super) fn new() -> Self {
        Fifo { front: List::new(), back: List::new(), sum: 0, power: 1 }
    }

    pub(super) fn len(&self) -> usize {
        self.front.len() + self.back.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.front.is_empty()
    }

    /// From the front to the back.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        let back: Vec<&T> = self.back.iter().collect();
        self.front.iter().chain(back.into_iter().rev())
    }

    /// The element at the front.
    pub(super) fn first(&self) -> Option<&T> {
        self.front.first()
    }

    /// What one more version of a queue costs: itself, one node for a new element, and one for
    /// turning it round later, which each branch of a search does for itself.
    pub(super) fn bytes_of_version() -> usize {
        let node = List::<T>::bytes_of_version() - size_of::<List<T>>();
        size_of::<Self>() + 2 * node
    }
}

impl<T: Hash + Clone> Fifo<T> {
    /// The queue with `value` at the back.
    pub(super) fn push(&self, value: T) -> Self {
        let hash = mix(stable_hash(&value));
        let (front, back) = if self.is_empty() {
            (self.front.push(value), List::new())
        } else {
            (self.front.clone(), self.back.push(value))
        };
        Fifo {
            front,
            back,
            sum: self.sum.wrapping_add(hash.wrapping_mul(self.power)),
            power: self.power.wrapping_mul(BASE),
        }
    }

    /// The first element and the queue without it.
    pub(super) fn pop(&self) -> Option<(T, Self)> {
        let value = self.front.first()?.clone();
        let hash = mix(stable_hash(&value));
        let (mut front, mut back) = (self.front.rest(), self.back.clone());
        if front.is_empty() {
            front = back.iter().fold(front, |list, v| list.push(v.clone()));
            back = List::new();
        }
        let after = Fifo {
            front,
            back,
            sum: self.sum.wrapping_sub(hash).wrapping_mul(INVERSE),
            power: self.power.wrapping_mul(INVERSE),
        };
        Some((value, after))
    }
}

impl<T> Clone for Fifo<T> {
    fn clone(&self) -> Self {
        Fifo { front: self.front.clone(), back: self.back.clone(), ..*self }
    }
}

impl<T: PartialEq> PartialEq for Fifo<T> {
    fn eq(&self, other: &Self) -> bool {
        if self.sum != other.sum || self.len() != other.len() {
            return false;
        }
        if self.front.len() == other.front.len() {
            // `is_same` first: an equal front is the common case, and shared by most versions.
            return (self.front.is_same(&other.front) || self.front == other.front)
                && self.back == other.back;
        }
        self.iter().eq(other.iter())
    }
}

impl<T: Eq> Eq for Fifo<T> {}

impl<T> Hash for Fifo<T> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        hasher.write_u64(mix(self.sum ^ self.power));
    }
}

impl<T: std::fmt::Debug> std::fmt::Debug for Fifo<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    #[test]
    fn the_inverse_is_one() {
        assert_eq!(BASE.wrapping_mul(INVERSE), 1);
    }

    #[test]
    fn versions_agree_with_plain_sequences() {
        let mut rng = fastrand::Rng::with_seed(1);
        let mut versions = vec![(Fifo::new(), List::new(), VecDeque::new(), Vec::new())];
        for _ in 0..2000 {
            let (fifo, list, deque, vec) = versions[rng.usize(..versions.len())].clone();
            let (mut fifo, mut list, mut deque, mut vec) = (fifo, list, deque, vec);
            if rng.bool() {
                let v = rng.u8(..3);
                fifo = fifo.push(v);
                list = list.push(v);
                deque.push_back(v);
                vec.push(v);
            } else {
                let popped = fifo.pop();
                assert_eq!(popped.as_ref().map(|p| p.0), deque.pop_front());
                fifo = popped.map_or(fifo, |p| p.1);
                assert_eq!(list.first().copied(), vec.pop());
                list = list.rest();
            }
            assert!(fifo.iter().eq(deque.iter()) && list.iter().eq(vec.iter().rev()));
            assert_eq!((fifo.first(), fifo.len()), (deque.front(), deque.len()));
            versions.push((fifo, list, deque, vec));
        }
        for (i, a) in versions.iter().enumerate().step_by(7) {
            for b in &versions[..i] {
                assert_eq!(a.0 == b.0, a.2 == b.2);
                assert_eq!(a.1 == b.1, a.3 == b.3);
                assert!(a.2 != b.2 || stable_hash(&a.0) == stable_hash(&b.0));
                assert!(a.3 != b.3 || stable_hash(&a.1) == stable_hash(&b.1));
            }
        }
    }

    #[test]
    fn long_sequences_are_dropped_without_recursion() {
        let list = (0..1_000_000u32).fold(List::new(), |l, v| l.push(v));
        let shared = list.rest();
        drop(list);
        assert_eq!(shared.len(), 999_999);
        drop(shared);
        let fifo = (0..1_000_000u32).fold(Fifo::new(), |q, v| q.push(v));
        drop(fifo.pop());
    }
}
