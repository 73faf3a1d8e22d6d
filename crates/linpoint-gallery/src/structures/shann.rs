//! The bounded array queue of Shann, Huang and Chen (ICPADS 2000), as published and repaired.
//!
//! As published, a slot is read before the test for emptiness. If the slot was empty when it was
//! read, and the queue is not empty any more when that is tested, the dequeue assumes that another
//! thread has emptied the slot, and moves on. Found by Colvin and Groves (ICECCS 2005). The enqueue
//! is symmetric. The same error can make an operation loop forever, so an operation panics after
//! too many attempts: a thread that does not end cannot be stopped.

use linpoint::spec::models::{QueueOp, QueueRet};

use super::sync::atomic::{AtomicU64, Ordering::*};

/// A bounded queue. If it is not `repaired`, it skips elements.
pub struct Shann {
    /// Value (zero for none) above 32 bits, number of changes below.
    slots: Box<[AtomicU64]>,
    front: AtomicU64,
    rear: AtomicU64,
    repaired: bool,
    patience: u32,
}

fn value_of(word: u64) -> u32 {
    (word >> 32) as u32
}

fn changed(word: u64, value: u32) -> u64 {
    u64::from(value) << 32 | u64::from((word as u32).wrapping_add(1))
}

impl Shann {
    /// An empty queue for at most `capacity` elements, whose operations panic after `patience`
    /// attempts.
    pub fn new(repaired: bool, capacity: usize, patience: u32) -> Self {
        Shann {
            slots: (0..capacity).map(|_| AtomicU64::new(0)).collect(),
            front: AtomicU64::new(0),
            rear: AtomicU64::new(0),
            repaired,
            patience,
        }
    }

    fn slot(&self, position: u64) -> &AtomicU64 {
        &self.slots[(position % self.slots.len() as u64) as usize]
    }

    fn replace(&self, position: u64, before: u64, value: u32) -> bool {
        let after = changed(before, value);
        self.slot(position).compare_exchange(before, after, SeqCst, SeqCst).is_ok()
    }

    fn is_full(&self, rear: u64) -> bool {
        self.front.load(SeqCst) + self.slots.len() as u64 == rear
    }

    fn is_empty(&self, front: u64) -> bool {
        self.rear.load(SeqCst) == front
    }

    fn enqueue(&self, value: u32) -> bool {
        for _ in 0..self.patience {
            let rear = self.rear.load(SeqCst);
            if self.repaired && self.is_full(rear) {
                return false;
            }
            let word = self.slot(rear).load(SeqCst);
            if self.rear.load(SeqCst) != rear {
                continue;
            }
            if !self.repaired && self.is_full(rear) {
                return false;
            }
            let vacant = value_of(word) == 0;
            if vacant && !self.replace(rear, word, value) {
                continue;
            }
            let _ = self.rear.compare_exchange(rear, rear + 1, SeqCst, SeqCst);
            if vacant {
                return true;
            }
        }
        panic!("enqueue gave up after too many attempts");
    }

    fn dequeue(&self) -> Option<u32> {
        for _ in 0..self.patience {
            let front = self.front.load(SeqCst);
            if self.repaired && self.is_empty(front) {
                return None;
            }
            let word = self.slot(front).load(SeqCst);
            if self.front.load(SeqCst) != front {
                continue;
            }
            if !self.repaired && self.is_empty(front) {
                return None;
            }
            let value = value_of(word);
            if value != 0 && !self.replace(front, word, 0) {
                continue;
            }
            let _ = self.front.compare_exchange(front, front + 1, SeqCst, SeqCst);
            if value != 0 {
                return Some(value);
            }
        }
        panic!("dequeue gave up after too many attempts");
    }

    /// Performs one operation. Values are above zero and fit into 32 bits.
    pub fn perform(&self, op: &QueueOp<u64>) -> QueueRet<u64> {
        match op {
            QueueOp::Enqueue(value) => {
                if self.enqueue(*value as u32) {
                    QueueRet::Done
                } else {
                    QueueRet::Full
                }
            }
            QueueOp::Dequeue => QueueRet::Value(self.dequeue().map(u64::from)),
            QueueOp::Peek => crate::not_offered(op),
        }
    }
}
