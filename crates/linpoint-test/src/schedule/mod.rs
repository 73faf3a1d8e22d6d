//! Systematic scheduling: code written against shuttle or loom, executed as a scheduler decides.
//!
//! | module | what it is |
//! | --- | --- |
//! | `shuttle` (feature) | `Shuttle`: random, PCT, depth-first, or as an earlier schedule says |
//! | `loom` (feature) | `Loom`: all executions of the C11 memory model, as loom understands it |
//! | [`campaign`] | [`Systematic`]: a test under one of the two, from the first scenario to the report |
//! | [`enumerate`] | all small scenarios, each under one of the two |
//! | [`derived`] | a specification that is the object itself, used by one thread |
//!
//! Time is logical: the order in which the scheduler lets things happen. Each operation is called as late and
//! returns as early as it can, so that as few operations as possible overlap. Every execution is judged; those with a
//! history that has been seen before were judged then.
//!
//! An exploration that a limit ended is [`Coverage::Truncated`](crate::execution::Coverage::Truncated) and says by what.

pub mod campaign;
pub mod derived;
pub mod enumerate;
#[cfg(any(feature = "shuttle", feature = "loom"))]
mod journal;
#[cfg(feature = "loom")]
pub mod loom;
#[cfg(feature = "loom")]
mod program_order;
#[cfg(feature = "shuttle")]
pub mod shuttle;
#[cfg(any(feature = "shuttle", feature = "loom"))]
mod stage;
#[cfg(feature = "shuttle")]
mod strategy;

pub use campaign::{Explored, Systematic};
