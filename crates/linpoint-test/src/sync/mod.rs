//! The primitives that a structure under test is written against, three times under the same names.
//!
//! * [`plain`] is `std`: for production, and for stress tests on real threads.
//! * `shuttled` is shuttle (feature `shuttle`): random, PCT and depth-first schedules; every atomic
//!   access counts as sequentially consistent.
//! * `loomed` is loom (feature `loom`): exhaustive, with the stale reads that the C11 memory model allows.
//!
//! A structure says `use linpoint_test::sync::…` and gets one of the three: loom before shuttle before
//! `std`, as features of a build add up. A structure that is to run under all three in one test binary
//! says `use super::sync::…` instead, and is included as a module once for each:
//!
//! ```ignore
//! mod plain    { use linpoint_test::sync::plain as sync;    #[path = "stack.rs"] pub mod stack; }
//! mod shuttled { use linpoint_test::sync::shuttled as sync; #[path = "stack.rs"] pub mod stack; }
//! mod loomed   { use linpoint_test::sync::loomed as sync;   #[path = "stack.rs"] pub mod stack; }
//! ```
//!
//! What waits for another thread must say so with [`thread::yield_now`]: a scheduler that does not know
//! that a loop is waiting may run it for ever. [`cell::UnsafeCell`] hands out its pointer to a closure, as
//! loom's does, which finds accesses that race.

mod ordinary_cell;

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
