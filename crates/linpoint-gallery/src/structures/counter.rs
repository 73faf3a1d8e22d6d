//! A counter; correct, or with additions that are a load and a store.

use linpoint::spec::models::{CounterOp, CounterRet};

use super::sync::atomic::{AtomicI64, Ordering::*};

/// A counter. If it is not `atomic`, one of two concurrent additions may be lost.
pub struct Counter {
    value: AtomicI64,
    atomic: bool,
}

impl Counter {
    /// A counter at zero.
    pub fn new(atomic: bool) -> Self {
        Counter { value: AtomicI64::new(0), atomic }
    }

    fn fetch_add(&self, n: i64) -> i64 {
        if self.atomic {
            return self.value.fetch_add(n, AcqRel);
        }
        let before = self.value.load(Acquire);
        self.value.store(before + n, Release);
        before
    }

    /// Performs one operation.
    pub fn perform(&self, op: &CounterOp) -> CounterRet {
        match op {
            CounterOp::Get => CounterRet::Value(self.value.load(Acquire)),
            CounterOp::Add(n) => {
                self.fetch_add(*n);
                CounterRet::Done
            }
            CounterOp::FetchAdd(n) => CounterRet::Value(self.fetch_add(*n)),
            CounterOp::AddFetch(n) => CounterRet::Value(self.fetch_add(*n) + n),
        }
    }
}
