//! The primitives of loom. Use them only inside a loom execution.

pub use loom::sync::{
    Arc, Barrier, Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, mpsc,
};
pub use loom::thread_local;

/// Atomic types and fences.
pub mod atomic {
    pub use loom::sync::atomic::{
        AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicPtr, AtomicU8,
        AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
    };
}

/// Cells without synchronisation.
pub mod cell {
    pub use loom::cell::UnsafeCell;
}

/// Hints for loops that wait.
pub mod hint {
    pub use loom::hint::spin_loop;
}

/// Threads.
pub mod thread {
    pub use loom::thread::{Builder, JoinHandle, current, park, spawn, yield_now};
}
