//! A persistent set that only grows: versions share what they have in common.
//!
//! A binary tree over the bits of the hash of each value. Its shape depends on the values alone, not on the order in which they
//! came, so equal sets have equal trees. A version costs a path: about sixteen nodes for a set of 50,000 values.
//! Comparing looks at sizes and hashes first and then walks until both sides run into a node that they share.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::spec::stable_hash;

/// Depth at which the bits of a hash are used up. Values with the same hash share a leaf.
const DEPTH: u32 = 64;

#[derive(Debug)]
enum Node<T> {
    /// One value, or several with one hash, sorted.
    Leaf {
        hash: u64,
        values: Vec<T>,
    },
    Branch {
        sum: u64,
        sides: [Option<Arc<Node<T>>>; 2],
    },
}

/// A persistent set.
#[derive(Debug)]
pub struct Trie<T> {
    root: Option<Arc<Node<T>>>,
    len: usize,
}

/// The hash of a value, spread: neighbouring numbers must not have neighbouring hashes.
fn hash_of<T: Hash>(value: &T) -> u64 {
    let x = stable_hash(value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^ (x >> 32)
}

fn bit(hash: u64, depth: u32) -> usize {
    (hash >> (DEPTH - 1 - depth) & 1) as usize
}

impl<T> Node<T> {
    /// The sum of the hashes of all values.
    fn sum(&self) -> u64 {
        match self {
            Node::Leaf { hash, values } => hash.wrapping_mul(values.len() as u64),
            Node::Branch { sum, .. } => *sum,
        }
    }
}

impl<T> Trie<T> {
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// What one more version costs, the rest being shared.
    pub(super) fn bytes_of_version(&self) -> usize {
        let node = size_of::<Node<T>>() + 2 * size_of::<usize>();
        let depth = usize::BITS - self.len.leading_zeros() + 1;
        size_of::<Self>() + depth as usize * node
    }

    /// All values, in no particular order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        let mut nodes: Vec<&Node<T>> = self.root.as_deref().into_iter().collect();
        let mut leaf = [].iter();
        std::iter::from_fn(move || {
            loop {
                if let Some(value) = leaf.next() {
                    return Some(value);
                }
                match nodes.pop()? {
                    Node::Leaf { values, .. } => leaf = values.iter(),
                    Node::Branch { sides, .. } => {
                        nodes.extend(sides.iter().flatten().map(|n| &**n))
                    }
                }
            }
        })
    }
}

impl<T: Hash + Ord + Clone> Trie<T> {
    /// True if the value is in the set.
    pub(super) fn contains(&self, value: &T) -> bool {
        let hash = hash_of(value);
        let (mut at, mut depth) = (self.root.as_deref(), 0);
        while let Some(node) = at {
            match node {
                Node::Leaf { hash: known, values } => {
                    return *known == hash && values.binary_search(value).is_ok();
                }
                Node::Branch { sides, .. } => {
                    at = sides[bit(hash, depth)].as_deref();
                    depth += 1;
                }
            }
        }
        false
    }

    /// The set with this value too.
    pub(super) fn with(&self, value: &T) -> Trie<T> {
        if self.contains(value) {
            return self.clone();
        }
        let root = insert(self.root.as_ref(), hash_of(value), value, 0);
        Trie { root: Some(root), len: self.len + 1 }
    }
}

/// The tree with a value that it does not have.
fn insert<T: Ord + Clone>(
    node: Option<&Arc<Node<T>>>,
    hash: u64,
    value: &T,
    depth: u32,
) -> Arc<Node<T>> {
    let leaf = || Arc::new(Node::Leaf { hash, values: vec![value.clone()] });
    let Some(node) = node else { return leaf() };
    let (mut sides, mut sum) = match &**node {
        Node::Leaf { hash: known, values } if *known == hash || depth == DEPTH => {
            let mut values = values.clone();
            let at = values.partition_point(|other| other < value);
            values.insert(at, value.clone());
            return Arc::new(Node::Leaf { hash, values });
        }
        Node::Leaf { hash: known, .. } => {
            let mut sides = [None, None];
            sides[bit(*known, depth)] = Some(node.clone());
            (sides, node.sum())
        }
        Node::Branch { sides, sum } => (sides.clone(), *sum),
    };
    let side = &mut sides[bit(hash, depth)];
    *side = Some(insert(side.as_ref(), hash, value, depth + 1));
    sum = sum.wrapping_add(hash);
    Arc::new(Node::Branch { sum, sides })
}

fn is_same<T: PartialEq>(a: &Option<Arc<Node<T>>>, b: &Option<Arc<Node<T>>>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => {
            Arc::ptr_eq(a, b)
                || match (&**a, &**b) {
                    (Node::Leaf { values: a, .. }, Node::Leaf { values: b, .. }) => a == b,
                    (
                        Node::Branch { sum: s, sides: [a, b] },
                        Node::Branch { sum: t, sides: [c, d] },
                    ) => s == t && is_same(a, c) && is_same(b, d),
                    _ => false,
                }
        }
        _ => false,
    }
}

impl<T> Default for Trie<T> {
    fn default() -> Self {
        Trie { root: None, len: 0 }
    }
}

impl<T> Clone for Trie<T> {
    fn clone(&self) -> Self {
        Trie { root: self.root.clone(), len: self.len }
    }
}

impl<T: PartialEq> PartialEq for Trie<T> {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && is_same(&self.root, &other.root)
    }
}

impl<T: Eq> Eq for Trie<T> {}

impl<T> Hash for Trie<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.root.as_ref().map_or(0, |node| node.sum()).hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_sets_are_equal_in_whatever_order_they_grew() {
        let up = (0..300).fold(Trie::default(), |set: Trie<i64>, n| set.with(&n));
        let down = (0..300).rev().fold(Trie::default(), |set: Trie<i64>, n| set.with(&n).with(&n));
        assert_eq!((up.len(), down.len()), (300, 300));
        assert!(up == down && stable_hash(&up) == stable_hash(&down));
        assert!(up != up.with(&300) && up == up.with(&7));
        let mut all: Vec<i64> = up.iter().copied().collect();
        all.sort_unstable();
        assert!(all.iter().copied().eq(0..300));
        assert!(up.contains(&299) && !up.contains(&300) && !Trie::default().contains(&0));
    }

    #[test]
    fn values_with_one_hash_are_told_apart() {
        #[derive(PartialEq, Eq, PartialOrd, Ord, Clone, Debug)]
        struct Colliding(u8);
        impl Hash for Colliding {
            fn hash<H: Hasher>(&self, state: &mut H) {
                (self.0 / 10).hash(state);
            }
        }
        let (a, b) = (Colliding(1), Colliding(2));
        let one = Trie::default().with(&b).with(&a);
        assert_eq!((one.len(), one.contains(&a), one.contains(&Colliding(3))), (2, true, false));
        assert!(one == Trie::default().with(&a).with(&b));
        assert!(one != Trie::default().with(&a).with(&Colliding(3)));
        // With a value of another hash, they have equal sums too.
        let other = Trie::default().with(&Colliding(10));
        assert!(other.with(&a) != other.with(&b));
    }
}
