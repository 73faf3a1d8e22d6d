//! Treiber's stack with reused nodes: the top of the stack carries a tag, or else suffers from ABA.
//!
//! Nodes are indices into an arena, so that even the broken stack is memory-safe.

use linpoint::spec::models::{StackOp, StackRet};

use super::sync::Mutex;
use super::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};

/// A stack. If it is not `tagged`, a pop that was paused while its node was popped and pushed again
/// succeeds with the stale values it read before.
pub struct Treiber {
    /// Index of the top node in the low 32 bits, zero for none; the tag above them.
    top: AtomicU64,
    nodes: Box<[Node]>,
    /// Unused nodes. The most recently freed one is taken first.
    unused: Mutex<Vec<u32>>,
    tagged: bool,
}

struct Node {
    value: AtomicU64,
    next: AtomicU32,
}

fn node_of(word: u64) -> u32 {
    word as u32
}

impl Treiber {
    /// An empty stack of at most `nodes` elements; a push beyond that panics.
    pub fn new(tagged: bool, nodes: u32) -> Self {
        let node = |_| Node { value: AtomicU64::new(0), next: AtomicU32::new(0) };
        Treiber {
            top: AtomicU64::new(0),
            nodes: (0..nodes).map(node).collect(),
            unused: Mutex::new((1..=nodes).rev().collect()),
            tagged,
        }
    }

    fn node(&self, number: u32) -> &Node {
        &self.nodes[number as usize - 1]
    }

    /// The word that puts `node` on top and follows `before`.
    fn successor(&self, before: u64, node: u32) -> u64 {
        let tag = if self.tagged { (before >> 32) + 1 } else { 0 };
        tag << 32 | u64::from(node)
    }

    fn replace_top(&self, before: u64, node: u32) -> bool {
        let after = self.successor(before, node);
        self.top.compare_exchange(before, after, AcqRel, Relaxed).is_ok()
    }

    fn push(&self, value: u64) {
        let taken = self.unused.lock().unwrap().pop();
        let number = taken.expect("more elements than the stack has nodes");
        let node = self.node(number);
        node.value.store(value, Relaxed);
        loop {
            let top = self.top.load(Acquire);
            node.next.store(node_of(top), Relaxed);
            if self.replace_top(top, number) {
                return;
            }
        }
    }

    fn pop(&self) -> Option<u64> {
        loop {
            let top = self.top.load(Acquire);
            let number = node_of(top);
            if number == 0 {
                return None;
            }
            let next = self.node(number).next.load(Relaxed);
            let value = self.node(number).value.load(Relaxed);
            if self.replace_top(top, next) {
                self.unused.lock().unwrap().push(number);
                return Some(value);
            }
        }
    }

    /// Performs one operation.
    pub fn perform(&self, op: &StackOp<u64>) -> StackRet<u64> {
        crate::perform_on_stack(op, |value| self.push(value), || self.pop())
    }
}
