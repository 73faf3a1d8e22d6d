//! The queue of Michael and Scott (PODC 1996). Nodes come from an arena and are never reused, so
//! that pointers need no counters.

use linpoint::spec::models::{QueueOp, QueueRet};

use super::sync::atomic::{AtomicU32, AtomicU64, Ordering::*};

/// A queue.
pub struct MichaelScott {
    head: AtomicU32,
    tail: AtomicU32,
    nodes: Box<[Node]>,
    used: AtomicU32,
}

struct Node {
    value: AtomicU64,
    /// Index of the next node. Zero means none: node 0 is the first and never a successor.
    next: AtomicU32,
}

impl MichaelScott {
    /// An empty queue for at most `enqueues` enqueues; one more panics.
    pub fn new(enqueues: u32) -> Self {
        let node = |_| Node { value: AtomicU64::new(0), next: AtomicU32::new(0) };
        MichaelScott {
            head: AtomicU32::new(0),
            tail: AtomicU32::new(0),
            nodes: (0..=enqueues).map(node).collect(),
            used: AtomicU32::new(1),
        }
    }

    fn next(&self, node: u32) -> &AtomicU32 {
        &self.nodes[node as usize].next
    }

    fn enqueue(&self, value: u64) {
        let node = self.used.fetch_add(1, Relaxed);
        let fresh = self.nodes.get(node as usize).expect("more enqueues than the queue has nodes");
        fresh.value.store(value, Relaxed);
        loop {
            let tail = self.tail.load(Acquire);
            let next = self.next(tail).load(Acquire);
            if next != 0 {
                let _ = self.tail.compare_exchange(tail, next, AcqRel, Relaxed);
            } else if self.next(tail).compare_exchange(0, node, AcqRel, Relaxed).is_ok() {
                let _ = self.tail.compare_exchange(tail, node, AcqRel, Relaxed);
                return;
            }
        }
    }

    fn dequeue(&self) -> Option<u64> {
        loop {
            let head = self.head.load(Acquire);
            let tail = self.tail.load(Acquire);
            let next = self.next(head).load(Acquire);
            if next == 0 {
                return None;
            }
            if head == tail {
                let _ = self.tail.compare_exchange(tail, next, AcqRel, Relaxed);
            }
            let value = self.nodes[next as usize].value.load(Relaxed);
            if self.head.compare_exchange(head, next, AcqRel, Relaxed).is_ok() {
                return Some(value);
            }
        }
    }

    /// Performs one operation.
    pub fn perform(&self, op: &QueueOp<u64>) -> QueueRet<u64> {
        crate::perform_on_queue(op, |value| self.enqueue(value), || self.dequeue())
    }
}
