//! The primitives of shuttle. Use them only inside a shuttle execution.

pub use shuttle::sync::{
    Arc, Barrier, Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, mpsc,
};
pub use shuttle::thread_local;

/// Atomic types and fences.
pub mod atomic {
    pub use shuttle::sync::atomic::{
        AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicPtr, AtomicU8,
        AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
    };
}

/// Cells without synchronisation.
pub mod cell {
    pub use super::super::std_cell::UnsafeCell;
}

/// Hints for loops that wait.
pub mod hint {
    pub use shuttle::hint::spin_loop;
}

/// Threads.
pub mod thread {
    pub use shuttle::thread::{Builder, JoinHandle, current, park, spawn, yield_now};
}
