//! A skip list of two levels, ordered by hash, in which keys may share a hash.
//!
//! Changes take a lock, searches take none. Keys with the same hash are in the order of insertion,
//! so a search that walks past some of them on the upper level has walked past others that are only
//! on the lower one. The correct search descends before the first node with that hash. This is the
//! error of the skip list in section 8 of Lowe's paper.

use linpoint::spec::models::{SetOp, SetRet};

use super::sync::Mutex;
use super::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::*};

/// Ends a level. Node 0 is the head and never a successor.
const NONE: u32 = 0;
const LOWER: usize = 0;
const UPPER: usize = 1;

/// A set. If it is not `careful`, searches walk past keys with the same hash.
pub struct SkipList {
    /// The first one is the head. Nodes are never reused.
    nodes: Box<[Node]>,
    used: AtomicU32,
    lock: Mutex<()>,
    careful: bool,
}

struct Node {
    key: AtomicU64,
    next: [AtomicU32; 2],
    removed: AtomicBool,
}

/// A bad hash function: only two values.
fn hash(key: u64) -> u64 {
    key / 2 % 2
}

/// Every other key is also on the upper level.
fn is_high(key: u64) -> bool {
    key % 2 == 1
}

impl SkipList {
    /// An empty set for at most `inserts` successful inserts; one more panics.
    pub fn new(careful: bool, inserts: u32) -> Self {
        let node = |_| Node {
            key: AtomicU64::new(0),
            next: [AtomicU32::new(NONE), AtomicU32::new(NONE)],
            removed: AtomicBool::new(false),
        };
        SkipList {
            nodes: (0..=inserts).map(node).collect(),
            used: AtomicU32::new(1),
            lock: Mutex::new(()),
            careful,
        }
    }

    fn next(&self, node: u32, level: usize) -> &AtomicU32 {
        &self.nodes[node as usize].next[level]
    }

    fn key(&self, node: u32) -> u64 {
        self.nodes[node as usize].key.load(Acquire)
    }

    /// Walks from `begin` while `goes_on` holds for the next node, and returns the node where it
    /// stops.
    fn walk(&self, begin: u32, level: usize, goes_on: impl Fn(u32) -> bool) -> u32 {
        let mut at = begin;
        loop {
            let next = self.next(at, level).load(Acquire);
            if next == NONE || !goes_on(next) {
                return at;
            }
            at = next;
        }
    }

    fn find(&self, key: u64) -> Option<u32> {
        let start = self.walk(0, UPPER, |node| {
            let there = self.key(node);
            hash(there) < hash(key) || !self.careful && hash(there) == hash(key) && there != key
        });
        let is_it =
            |node| self.key(node) == key && !self.nodes[node as usize].removed.load(Acquire);
        let mut at = start;
        loop {
            // Each link is read once. A node may be inserted where the walk ends, and a second read
            // would return it instead of the key.
            let node = self.next(at, LOWER).load(Acquire);
            if node == NONE || hash(self.key(node)) > hash(key) {
                return None;
            }
            if is_it(node) {
                return Some(node);
            }
            at = node;
        }
    }

    fn insert(&self, key: u64) -> bool {
        let _held = self.lock.lock().unwrap();
        if self.find(key).is_some() {
            return false;
        }
        let node = self.used.fetch_add(1, AcqRel);
        let fresh = self.nodes.get(node as usize).expect("more inserts than the set has nodes");
        fresh.key.store(key, Release);
        let levels = if is_high(key) { LOWER..=UPPER } else { LOWER..=LOWER };
        for level in levels {
            let before = self.walk(0, level, |other| hash(self.key(other)) <= hash(key));
            let link = self.next(before, level);
            fresh.next[level].store(link.load(Acquire), Release);
            link.store(node, Release);
        }
        true
    }

    fn remove(&self, key: u64) -> bool {
        let _held = self.lock.lock().unwrap();
        let Some(node) = self.find(key) else { return false };
        self.nodes[node as usize].removed.store(true, Release);
        for level in [UPPER, LOWER] {
            let before = self.walk(0, level, |other| other != node);
            let link = self.next(before, level);
            if link.load(Acquire) == node {
                link.store(self.next(node, level).load(Acquire), Release);
            }
        }
        true
    }

    /// Performs one operation.
    pub fn perform(&self, op: &SetOp<u64>) -> SetRet {
        SetRet(match op {
            SetOp::Insert(key) => self.insert(*key),
            SetOp::Remove(key) => self.remove(*key),
            SetOp::Contains(key) => self.find(*key).is_some(),
        })
    }
}
