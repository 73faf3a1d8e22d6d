//! The transition system behind numbers.
//!
//! A state has parts: shared memory, one part for each thread, and what the method carries. Each part has a number.
//! What a thread does next depends on shared memory and on its own part only, and is asked for once for each pair of
//! numbers while it is remembered. [`Typed`] knows the model; everything else sees [`System`], and is compiled once.

mod apart;
mod column;
mod event;
mod interner;
#[cfg(test)]
mod movers;
mod pairs;
mod renaming;
mod steps;
mod tidy;
mod typed;
mod untyped;

pub(crate) use apart::Apart;
pub(crate) use column::{Column, Growing};
pub(crate) use event::Event;
pub(crate) use interner::{Interner, stable_hash};
pub(crate) use pairs::{Pairs, Query, Reserve, join, mix, parted};
pub(crate) use renaming::Renaming;
pub(crate) use steps::{Moved, Thread, World, guard};
pub(crate) use typed::{Reduced, Typed};

use crate::bounds::MAX_THREADS;
use crate::error::ModelError;
use crate::method::Watch;

/// A thread can do at most so many different things next.
pub(crate) const MAX_MOVES: usize = 256;

/// The parts of a state, as numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Parts {
    pub(crate) shared: u32,
    pub(crate) carried: u32,
    pub(crate) threads: [u32; MAX_THREADS],
}

/// One thing that a thread can do next.
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

    /// The state before the first step.
    fn initial(&self) -> Result<Parts, ModelError>;

    /// What a thread can do next.
    fn moves(&self, shared: u32, thread: u32, out: &mut Vec<Move>) -> Result<(), ModelError>;

    /// What the method carries.
    fn watch(&self) -> &dyn Watch;

    /// By which threads are sorted; `None` if they are not.
    fn sort_keys(&self) -> Option<&Column>;

    /// True if names are made canonical after a return.
    fn tidies(&self) -> bool;

    /// Makes names canonical, and sorts threads if they are sorted. Gives the new order of threads.
    fn tidy(&self, parts: &mut Parts) -> Renaming;

    /// True if the part of this thread is between two operations.
    fn is_idle(&self, thread: u32) -> bool;

    /// True if nothing is open and nobody may call anything any more.
    fn is_over(&self, parts: &Parts) -> bool;

    /// Bytes in use.
    fn bytes(&self) -> usize;
}
