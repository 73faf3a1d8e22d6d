//! The transition system over numbered parts of states.
//!
//! A state has parts: shared memory, one part for each thread, and what the method carries. Each part has a number. The
//! moves of a thread depend only on shared memory and on its own part, and are cached for each pair of numbers. [`ModelSystem`]
//! knows the model; everything else uses [`System`], and is compiled once.

mod cache_padded;
mod canonical;
mod column;
mod core;
mod event;
mod interner;
mod model_system;
#[cfg(test)]
mod movers;
mod pairs;
mod renaming;
mod steps;

pub(crate) use cache_padded::CachePadded;
pub(crate) use column::{Column, GrowingArray};
pub(crate) use core::by_key;
pub(crate) use event::Event;
pub(crate) use interner::{Interner, stable_hash};
pub(crate) use model_system::{ActiveReductions, ModelSystem};
pub(crate) use pairs::{Pairs, Query, Reserve, join_pair, mix, split_pair};
pub(crate) use renaming::Renaming;
pub(crate) use steps::{Thread, TypedMove, World, catch_panic};

use crate::bounds::MAX_THREADS;
use crate::error::ModelError;
use crate::method::Tracker;

/// The largest number of moves of a thread.
pub(crate) const MAX_MOVES: usize = 256;

/// The parts of a state, as numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Parts {
    pub(crate) shared: u32,
    pub(crate) carried: u32,
    pub(crate) threads: [u32; MAX_THREADS],
}

/// A possible next move of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Move {
    pub(crate) shared: u32,
    pub(crate) thread: u32,
    pub(crate) event: Event,
}

/// A transition system over numbered parts.
pub(crate) trait System: Send + Sync {
    /// Number of threads.
    fn threads(&self) -> usize;

    /// The initial state.
    fn initial(&self) -> Result<Parts, ModelError>;

    /// The next moves of a thread.
    fn moves(&self, shared: u32, thread: u32, out: &mut Vec<Move>) -> Result<(), ModelError>;

    /// The method.
    fn tracker(&self) -> &dyn Tracker;

    /// The keys by which threads are sorted; `None` if they are not sorted.
    fn sort_keys(&self) -> Option<&Column>;

    /// True if names are made canonical after a return.
    fn canonicalizes(&self) -> bool;

    /// Makes names canonical, and sorts threads if they are sorted. Returns the new order of threads.
    fn canonical(&self, parts: &mut Parts) -> Renaming;

    /// True if the thread is between two operations.
    fn is_idle(&self, thread: u32) -> bool;

    /// True if no operation is open and no thread may call one.
    fn is_over(&self, parts: &Parts) -> bool;

    /// Bytes in use.
    fn bytes(&self) -> usize;
}
