//! A stack under a lock, with a size; correct, or with the size kept outside the lock.

use crate::specs::{SizedOp, SizedRet};

use super::sync::Mutex;
use super::sync::atomic::{AtomicI64, Ordering::*};

/// A stack. If it is not `locked`, its size is updated after the elements, outside the lock.
pub struct SizedStack {
    elements: Mutex<Vec<u64>>,
    size: AtomicI64,
    locked: bool,
}

impl SizedStack {
    /// An empty stack.
    pub fn new(locked: bool) -> Self {
        SizedStack { elements: Mutex::new(Vec::new()), size: AtomicI64::new(0), locked }
    }

    fn push(&self, value: u64) {
        self.elements.lock().unwrap().push(value);
        if !self.locked {
            self.size.fetch_add(1, AcqRel);
        }
    }

    fn pop(&self) -> Option<u64> {
        let value = self.elements.lock().unwrap().pop();
        if !self.locked && value.is_some() {
            self.size.fetch_sub(1, AcqRel);
        }
        value
    }

    fn size(&self) -> i64 {
        if self.locked {
            self.elements.lock().unwrap().len() as i64
        } else {
            self.size.load(Acquire)
        }
    }

    /// Performs one operation.
    pub fn perform(&self, op: &SizedOp) -> SizedRet {
        match op {
            SizedOp::Push(value) => {
                self.push(*value);
                SizedRet::Done
            }
            SizedOp::Pop => SizedRet::Value(self.pop()),
            SizedOp::Size => SizedRet::Size(self.size()),
        }
    }
}
