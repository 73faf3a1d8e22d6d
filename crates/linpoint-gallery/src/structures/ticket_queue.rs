//! A queue over an array: enqueues and dequeues take tickets, and the ticket is the index of the
//! slot.
//!
//! An enqueue takes its ticket before it stores its value. A dequeue in between must wait for the
//! value, or the value is lost.

use linpoint::spec::models::{QueueOp, QueueRet};

use super::sync::atomic::{AtomicU64, AtomicUsize, Ordering::*};
use super::sync::thread;

/// A queue. If it is not `patient`, a dequeue skips the slot of an enqueue that has not finished.
pub struct TicketQueue {
    /// Values, zero for none.
    places: Box<[AtomicU64]>,
    front: AtomicUsize,
    rear: AtomicUsize,
    patient: bool,
}

impl TicketQueue {
    /// An empty queue for at most `enqueues` enqueues; one more panics.
    pub fn new(patient: bool, enqueues: usize) -> Self {
        TicketQueue {
            places: (0..enqueues).map(|_| AtomicU64::new(0)).collect(),
            front: AtomicUsize::new(0),
            rear: AtomicUsize::new(0),
            patient,
        }
    }

    fn enqueue(&self, value: u64) {
        let ticket = self.rear.fetch_add(1, AcqRel);
        let place = self.places.get(ticket).expect("more enqueues than the queue has places");
        place.store(value, Release);
    }

    fn dequeue(&self) -> Option<u64> {
        loop {
            let ticket = self.front.load(Acquire);
            if ticket >= self.rear.load(Acquire) {
                return None;
            }
            if self.front.compare_exchange(ticket, ticket + 1, AcqRel, Relaxed).is_err() {
                continue;
            }
            let value = self.take(ticket);
            if value != 0 {
                return Some(value);
            }
        }
    }

    fn take(&self, ticket: usize) -> u64 {
        loop {
            let value = self.places[ticket].load(Acquire);
            if value != 0 || !self.patient {
                return value;
            }
            thread::yield_now();
        }
    }

    /// Performs one operation. Values are above zero.
    pub fn perform(&self, op: &QueueOp<u64>) -> QueueRet<u64> {
        crate::perform_on_queue(op, |value| self.enqueue(value), || self.dequeue())
    }
}
