//! A map of small keys whose updates take a lock, and whose reads take none.
//!
//! An update announces itself, writes the datum, and then sets the status; a read checks the status
//! before and after. If the status is set too early, a read returns an old datum of the key that
//! was deleted. This is the error in the early version of the sharded map in section 8 of Lowe's
//! paper.

use linpoint::spec::models::{KeyValueOp, KeyValueRet};

use super::sync::Mutex;
use super::sync::atomic::{AtomicU64, Ordering::*, fence};
use super::sync::thread;

const STORED: u64 = 1;
const WRITING: u64 = 2;
/// One change of the status: the number of changes is above the two bits.
const CHANGE: u64 = 4;

/// A map. If it is `early`, the status is set before the datum is written.
pub struct ReadFreeMap {
    slots: Box<[Slot]>,
    early: bool,
}

struct Slot {
    lock: Mutex<()>,
    status: AtomicU64,
    datum: AtomicU64,
}

impl Slot {
    fn next_status(&self, bits: u64) -> u64 {
        ((self.status.load(Relaxed) | (CHANGE - 1)) + 1) | bits
    }

    fn put(&self, datum: u64, early: bool) {
        let _held = self.lock.lock().unwrap();
        if early {
            self.status.store(self.next_status(STORED), Release);
            self.datum.store(datum, Release);
            return;
        }
        self.status.store(self.next_status(WRITING), Relaxed);
        fence(Release);
        self.datum.store(datum, Relaxed);
        self.status.store(self.next_status(STORED), Release);
    }

    fn delete(&self) {
        let _held = self.lock.lock().unwrap();
        self.status.store(self.next_status(0), Release);
    }

    fn get(&self) -> Option<u64> {
        loop {
            let status = self.status.load(Acquire);
            if status & WRITING != 0 {
                thread::yield_now();
                continue;
            }
            if status & STORED == 0 {
                return None;
            }
            let datum = self.datum.load(Relaxed);
            fence(Acquire);
            if self.status.load(Relaxed) == status {
                return Some(datum);
            }
        }
    }
}

impl ReadFreeMap {
    /// An empty map for the keys below `keys`.
    pub fn new(early: bool, keys: usize) -> Self {
        let slot =
            |_| Slot { lock: Mutex::new(()), status: AtomicU64::new(0), datum: AtomicU64::new(0) };
        ReadFreeMap { slots: (0..keys).map(slot).collect(), early }
    }

    /// Performs one operation.
    pub fn perform(&self, op: &KeyValueOp<u64, u64>) -> KeyValueRet<u64> {
        let slot = |key: &u64| &self.slots[*key as usize];
        match op {
            KeyValueOp::Get(key) => return KeyValueRet::Value(slot(key).get()),
            KeyValueOp::Put(key, datum) => slot(key).put(*datum, self.early),
            KeyValueOp::Delete(key) => slot(key).delete(),
            _ => crate::not_offered(op),
        }
        KeyValueRet::Done
    }
}
