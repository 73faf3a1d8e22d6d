//! A map of small keys in the manner of Laarman, van de Pol and Weber (FMCAD 2010), with updates
//! and deletions.
//!
//! Every key has a slot (collisions are not tested here), and the status of a slot is also its
//! lock. A deletion must not simply set the status: a running update holds the lock, and would
//! finally declare stored what is in the slot by then. This is Lowe's figure 7; it takes five
//! operations.

use linpoint::spec::models::{KeyValueOp, KeyValueRet};

use super::sync::atomic::{AtomicU8, AtomicU64, Ordering::*};
use super::sync::thread;

const EMPTY: u8 = 0;
const UPDATING: u8 = 1;
const STORED: u8 = 2;
const DELETED: u8 = 3;

/// A map. If its deletions are not `careful`, they set the status without checking it.
pub struct SlotMap {
    slots: Box<[Slot]>,
    careful: bool,
}

struct Slot {
    status: AtomicU8,
    value: AtomicU64,
}

impl Slot {
    /// Waits until no update is running and returns the status.
    fn settled(&self) -> u8 {
        loop {
            let status = self.status.load(Acquire);
            if status != UPDATING {
                return status;
            }
            thread::yield_now();
        }
    }

    fn change(&self, from: u8, to: u8) -> bool {
        self.status.compare_exchange(from, to, AcqRel, Relaxed).is_ok()
    }

    fn update(&self, value: u64) {
        while !self.change(self.settled(), UPDATING) {}
        // Not relaxed: a thread that reads the value early must not read an older status
        // afterwards. (Loom found that.)
        self.value.store(value, Release);
        self.status.store(STORED, Release);
    }

    fn delete(&self) {
        while self.settled() == STORED {
            if self.change(STORED, DELETED) {
                return;
            }
        }
    }

    fn get(&self) -> Option<u64> {
        (self.settled() == STORED).then(|| self.value.load(Acquire))
    }
}

impl SlotMap {
    /// An empty map for the keys below `keys`.
    pub fn new(careful: bool, keys: usize) -> Self {
        let slot = |_| Slot { status: AtomicU8::new(EMPTY), value: AtomicU64::new(0) };
        SlotMap { slots: (0..keys).map(slot).collect(), careful }
    }

    fn slot(&self, key: u64) -> &Slot {
        &self.slots[key as usize]
    }

    /// Performs one operation.
    pub fn perform(&self, op: &KeyValueOp<u64, u64>) -> KeyValueRet<u64> {
        match op {
            KeyValueOp::Get(key) => return KeyValueRet::Value(self.slot(*key).get()),
            KeyValueOp::Put(key, value) => self.slot(*key).update(*value),
            KeyValueOp::Delete(key) if self.careful => self.slot(*key).delete(),
            KeyValueOp::Delete(key) => self.slot(*key).status.store(DELETED, Release),
            _ => crate::not_offered(op),
        }
        KeyValueRet::Done
    }
}
