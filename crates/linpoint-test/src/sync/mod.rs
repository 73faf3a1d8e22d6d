//! Synchronisation primitives for code under test: `std`, shuttle and loom under the same names.
//!
//! * [`plain`] is `std`: for production, and for stress tests on OS threads.
//! * `shuttled` is shuttle (feature `shuttle`): random, PCT and depth-first schedules; every atomic
//!   access is sequentially consistent.
//! * `loomed` is loom (feature `loom`): exhaustive, with the stale reads that the C11 memory model
//!   allows.
//!
//! `use linpoint_test::sync::…` selects one of the three by the features of the build: loom if
//! enabled, otherwise shuttle if enabled, otherwise `std`. To run a structure under all three in
//! one test binary, write `use super::sync::…` and include its file as a module once for each:
//!
//! ```ignore
//! mod plain    { use linpoint_test::sync::plain as sync;    #[path = "stack.rs"] pub mod stack; }
//! mod shuttled { use linpoint_test::sync::shuttled as sync; #[path = "stack.rs"] pub mod stack; }
//! mod loomed   { use linpoint_test::sync::loomed as sync;   #[path = "stack.rs"] pub mod stack; }
//! ```
//!
//! A loop that waits for another thread must call [`thread::yield_now`]: a scheduler that does not
//! know that the loop waits may run it forever. [`cell::UnsafeCell`] passes its pointer to a
//! closure, as loom's does, which detects racing accesses.

mod std_cell;
#[cfg(any(feature = "shuttle", feature = "loom"))]
mod traced;
#[cfg(any(feature = "shuttle", feature = "loom"))]
#[cfg_attr(not(feature = "shuttle"), allow(dead_code))] // Loom asks for less.
pub(crate) mod watch;

/// The primitives of `std`.
pub mod plain {
    pub use std::sync::{
        Arc, Barrier, Condvar, Mutex, MutexGuard, RwLock, RwLockReadGuard, RwLockWriteGuard, mpsc,
    };
    pub use std::thread_local;

    /// Atomic types and fences.
    pub mod atomic {
        pub use std::sync::atomic::{
            AtomicBool, AtomicI8, AtomicI16, AtomicI32, AtomicI64, AtomicIsize, AtomicPtr,
            AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence,
        };
    }

    /// Cells without synchronisation.
    pub mod cell {
        pub use super::super::std_cell::UnsafeCell;
    }

    /// Hints for loops that wait.
    pub mod hint {
        pub use std::hint::spin_loop;
    }

    /// Threads.
    pub mod thread {
        pub use std::thread::{Builder, JoinHandle, current, park, spawn, yield_now};
    }
}

/// The primitives of a scheduler under the same names, each wrapped so that it can be watched.
/// `$from` is the crate they come from, `$constness` how its constructors are, `$size` the bound of
/// what its `RwLock` protects.
#[cfg(any(feature = "shuttle", feature = "loom"))]
macro_rules! traced_primitives {
    ($from:ident $constness:tt $size:tt $cell:path; $($more:item)*) => {
        #[allow(unused_imports)] // The macros use each other.
        use super::traced::{traced_acquire, traced_condvar, traced_guard, traced_lock};
        use super::traced::traced_locks;

        pub use $from::sync::{Arc, Barrier, mpsc};
        pub use $from::thread_local;
        traced_locks!($from $constness $size);

        /// Atomic types and fences.
        pub mod atomic {
            use super::super::traced::{traced_atomic, traced_atomics};
            traced_atomics!($from $constness);
            $($more)*
        }

        /// Cells without synchronisation.
        pub mod cell {
            use super::super::traced::traced_cell;
            traced_cell!($cell);
        }

        /// Hints for loops that wait.
        pub mod hint {
            pub use $from::hint::spin_loop;
        }

        /// Threads.
        pub mod thread {
            use super::super::traced::traced_threads;
            traced_threads!($from);
        }
    };
}

/// The primitives of loom. Use them only inside a loom execution.
#[cfg(feature = "loom")]
pub mod loomed {
    traced_primitives!(loom [] [Sized] loom::cell::UnsafeCell;);
}

/// The primitives of shuttle. Use them only inside a shuttle execution.
#[cfg(feature = "shuttle")]
pub mod shuttled {
    traced_primitives!(shuttle [const] [?Sized] crate::sync::std_cell::UnsafeCell;
        crate::sync::traced::atomics_with_mut! {
            AtomicI8: i8, AtomicI16: i16, AtomicI32: i32, AtomicI64: i64, AtomicIsize: isize,
            AtomicU8: u8, AtomicU16: u16, AtomicU32: u32, AtomicU64: u64, AtomicUsize: usize,
            AtomicBool: bool, AtomicPtr<T>: *mut T
        }
    );
}

#[cfg(feature = "loom")]
pub use loomed::*;
#[cfg(not(any(feature = "shuttle", feature = "loom")))]
pub use plain::*;
#[cfg(all(feature = "shuttle", not(feature = "loom")))]
pub use shuttled::*;
