//! The primitives of a scheduler, wrapped so that their accesses can be watched.
//!
//! A wrapper has the methods that all three flavours share, and hands the others down to what it
//! wraps. Without a listener, it does nothing else: see [`watch`](super::watch).

mod atomic;
mod cell;
mod lock;
mod thread;

#[cfg(feature = "shuttle")]
pub(super) use atomic::atomics_with_mut;
pub(super) use atomic::{traced_atomic, traced_atomics};
pub(super) use cell::traced_cell;
pub(super) use lock::{traced_acquire, traced_condvar, traced_guard, traced_lock, traced_locks};
pub(super) use thread::traced_threads;
