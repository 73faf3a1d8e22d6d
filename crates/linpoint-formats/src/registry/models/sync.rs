//! Locks, semaphores, counters.

use linpoint::spec::models::{
    Counter, CounterOp, CounterRet, Mutex, MutexOp, MutexRet, Semaphore, SemaphoreOp, SemaphoreRet,
};

use super::super::join::{Join, Mismatch, bool_ret, done, int_arg, int_ret, none, one};
use super::super::{Entry, ModelInfo};
use crate::Value;
use crate::raw::RawOp;

pub(super) const COUNTER: Entry = Entry {
    info: ModelInfo {
        name: "counter",
        about: "a number that is added to",
        operations: &["get() -> number", "add(number)", "fetch_add(number) -> the number before"],
        options: &["initial=N: the number at first (0)"],
    },
    join: |options| {
        let initial = options.int("initial")?.unwrap_or(0);
        Ok(Box::new(CounterJoin { initial }))
    },
};

struct CounterJoin {
    initial: i64,
}

impl Join for CounterJoin {
    type Spec = Counter;

    fn spec(&self) -> Counter {
        Counter { initial: self.initial }
    }

    fn op(&self, raw: &RawOp<'_>) -> Result<CounterOp, Mismatch> {
        match raw.name {
            "get" => none(raw).map(|()| CounterOp::Get),
            "add" => int_arg(one(raw)?).map(CounterOp::Add),
            "fetch_add" => int_arg(one(raw)?).map(CounterOp::FetchAdd),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    fn ret(&self, op: &CounterOp, value: &Value) -> Result<CounterRet, Mismatch> {
        match op {
            CounterOp::Add(_) => done(value).map(|()| CounterRet::Done),
            CounterOp::Get | CounterOp::FetchAdd(_) => int_ret(value).map(CounterRet::Value),
        }
    }

    fn only_ret(&self, op: &CounterOp) -> Option<CounterRet> {
        matches!(op, CounterOp::Add(_)).then_some(CounterRet::Done)
    }
}

pub(super) const MUTEX: Entry = Entry {
    info: ModelInfo {
        name: "mutex",
        about: "a lock that one can hold at a time",
        operations: &["acquire()", "release()", "try_acquire() -> true or false"],
        options: &["owner: only the process that holds it can release it"],
    },
    join: |options| Ok(Box::new(MutexJoin { owner: options.switch("owner")? })),
};

struct MutexJoin {
    owner: bool,
}

impl Join for MutexJoin {
    type Spec = Mutex;

    fn spec(&self) -> Mutex {
        Mutex { owner: self.owner }
    }

    fn op(&self, raw: &RawOp<'_>) -> Result<MutexOp, Mismatch> {
        // Without owners it does not matter who asks, and then fewer operations differ.
        let by = raw.extras.process.filter(|_| self.owner);
        match raw.name {
            "acquire" => none(raw).map(|()| MutexOp::Acquire(by)),
            "release" => none(raw).map(|()| MutexOp::Release(by)),
            "try_acquire" => none(raw).map(|()| MutexOp::TryAcquire(by)),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    fn ret(&self, op: &MutexOp, value: &Value) -> Result<MutexRet, Mismatch> {
        match op {
            MutexOp::TryAcquire(_) => bool_ret(value).map(MutexRet::Bool),
            MutexOp::Acquire(_) | MutexOp::Release(_) => done(value).map(|()| MutexRet::Done),
        }
    }

    fn only_ret(&self, op: &MutexOp) -> Option<MutexRet> {
        (!matches!(op, MutexOp::TryAcquire(_))).then_some(MutexRet::Done)
    }
}

pub(super) const SEMAPHORE: Entry = Entry {
    info: ModelInfo {
        name: "semaphore",
        about: "permits that are taken and given back",
        operations: &["acquire()", "release()", "try_acquire() -> true or false"],
        options: &["initial=N: the permits at first (0)"],
    },
    join: |options| {
        let initial = options.int("initial")?.unwrap_or(0);
        Ok(Box::new(SemaphoreJoin { initial }))
    },
};

struct SemaphoreJoin {
    initial: u64,
}

impl Join for SemaphoreJoin {
    type Spec = Semaphore;

    fn spec(&self) -> Semaphore {
        Semaphore { initial: self.initial }
    }

    fn op(&self, raw: &RawOp<'_>) -> Result<SemaphoreOp, Mismatch> {
        match raw.name {
            "acquire" => none(raw).map(|()| SemaphoreOp::Acquire),
            "release" => none(raw).map(|()| SemaphoreOp::Release),
            "try_acquire" => none(raw).map(|()| SemaphoreOp::TryAcquire),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    fn ret(&self, op: &SemaphoreOp, value: &Value) -> Result<SemaphoreRet, Mismatch> {
        match op {
            SemaphoreOp::TryAcquire => bool_ret(value).map(SemaphoreRet::Bool),
            SemaphoreOp::Acquire | SemaphoreOp::Release => done(value).map(|()| SemaphoreRet::Done),
        }
    }

    fn only_ret(&self, op: &SemaphoreOp) -> Option<SemaphoreRet> {
        (*op != SemaphoreOp::TryAcquire).then_some(SemaphoreRet::Done)
    }
}
