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

#[cfg(feature = "loom")]
pub mod loomed;
pub mod plain;
#[cfg(feature = "shuttle")]
pub mod shuttled;

#[cfg(feature = "loom")]
pub use loomed::*;
#[cfg(not(any(feature = "shuttle", feature = "loom")))]
pub use plain::*;
#[cfg(all(feature = "shuttle", not(feature = "loom")))]
pub use shuttled::*;
