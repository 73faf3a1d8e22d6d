//! Objects with blocking operations.

use linpoint::spec::models::{Mutex, MutexOp, MutexRet, Semaphore, SemaphoreOp, SemaphoreRet};

use crate::vocabulary::Vocabulary;

/// A lock that anyone may release.
pub fn mutex() -> Vocabulary<Mutex> {
    use MutexOp::{Acquire, Release, TryAcquire};
    use MutexRet::{Bool, Done};
    Vocabulary::new("mutex", Mutex { owner: false })
        .op(Acquire(None), [Done])
        .op(Release(None), [Done])
        .op(TryAcquire(None), [true, false].map(Bool))
        .exhaustive_so_far()
        .op(Acquire(Some(1)), [Done])
        .op(Release(Some(2)), [Done])
        .op(TryAcquire(Some(1)), [true, false].map(Bool))
}

/// A lock that only its holder may release.
pub fn owned_mutex() -> Vocabulary<Mutex> {
    use MutexOp::{Acquire, Release, TryAcquire};
    use MutexRet::{Bool, Done};
    Vocabulary::new("mutex with owner", Mutex { owner: true })
        .op(Acquire(Some(1)), [Done])
        .op(Release(Some(1)), [Done])
        .op(Acquire(Some(2)), [Done])
        .op(Release(Some(2)), [Done])
        .op(TryAcquire(Some(2)), [true, false].map(Bool))
        .exhaustive_so_far()
        .op(TryAcquire(Some(1)), [true, false].map(Bool))
        .op(Acquire(None), [Done])
        .op(Release(None), [Done])
}

/// A semaphore with one permit.
pub fn semaphore() -> Vocabulary<Semaphore> {
    use SemaphoreOp::{Acquire, Release, TryAcquire};
    use SemaphoreRet::{Bool, Done};
    Vocabulary::new("semaphore", Semaphore { initial: 1 })
        .op(Acquire, [Done])
        .op(Release, [Done])
        .op(TryAcquire, [true, false].map(Bool))
        .exhaustive_so_far()
        .op(Acquire, [Done, Bool(true)])
}
