//! Synchronization primitives of the lock-free tables: those of `std`, or of loom in its tests.
//!
//! The tables ([`GrowingArray`](crate::system::GrowingArray), [`Interner`](crate::system::Interner),
//! [`Pairs`](crate::system::Pairs), the set of visited states) use only what this module exports, so `loom_tests` runs
//! the same code under loom, which tries interleavings and all values that a relaxed load may return:
//!
//! ```sh
//! RUSTFLAGS="--cfg loom" cargo test -p linpoint-model --lib loom_ --release
//! ```
//!
//! Loom keeps a history of every atomic, so tables are tiny there ([`size`]).

#[cfg(not(all(test, loom)))]
pub(crate) use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize};
#[cfg(not(all(test, loom)))]
pub(crate) use std::sync::{Mutex, MutexGuard, OnceLock};

#[cfg(all(test, loom))]
pub(crate) use loom::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize};
#[cfg(all(test, loom))]
pub(crate) use loom::sync::{Mutex, MutexGuard};
#[cfg(all(test, loom))]
pub(crate) use once_lock::OnceLock;

pub(crate) use std::sync::PoisonError;
pub(crate) use std::sync::atomic::Ordering;

#[cfg(all(test, loom))]
mod loom_tests;
#[cfg(all(test, loom))]
mod once_lock;

/// The size of a table: `usual`, or `tiny` under loom.
pub(crate) const fn size(usual: usize, tiny: usize) -> usize {
    if cfg!(all(test, loom)) { tiny } else { usual }
}
