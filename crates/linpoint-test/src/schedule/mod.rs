//! Systematic scheduling: runs code written against shuttle or loom under their schedulers.
//!
//! ```ignore
//! test.shuttle(Shuttle::pct(3)).scenarios(1_000).run();
//! test.loom(Loom::new()).small_scope(2, 2).run();
//! ```
//!
//! | item | what it is |
//! | --- | --- |
//! | `shuttle::Shuttle` (feature `shuttle`) | random, PCT, POS, URW, SURW or depth-first schedules, or a recorded one |
//! | `loom::Loom` (feature `loom`) | all executions of the C11 memory model, as loom implements it |
//! | [`Systematic`] | a test under one of the two; [`Test::under`](crate::Test::under) makes it |
//! | [`Interleaving`] | a failing execution as steps with their places in the source |
//! | [`derived::Derived`] | a specification derived from the object itself, used by a single thread |
//!
//! Time is logical: it is the order in which the scheduler runs steps. Each operation is called as
//! late and returns as early as possible, so that as few operations as possible overlap. Every
//! execution is judged, except those whose history was judged before.
//!
//! An exploration that hits a limit is reported as truncated, with the reason.

#[cfg(feature = "shuttle")]
mod bounded;
mod campaign;
pub mod derived;
pub(crate) mod enumerate;
#[cfg(feature = "shuttle")]
mod fewest;
pub mod interleaving;
#[cfg(any(feature = "shuttle", feature = "loom"))]
mod journal;
#[cfg(feature = "loom")]
pub mod loom;
#[cfg(feature = "loom")]
mod loom_fewest;
#[cfg(feature = "loom")]
mod loom_judge;
#[cfg(feature = "shuttle")]
mod obstruction;
#[cfg(feature = "shuttle")]
mod pending;
#[cfg(feature = "shuttle")]
mod pos;
#[cfg(feature = "loom")]
mod program_order;
#[cfg(feature = "shuttle")]
pub mod shuttle;
#[cfg(any(feature = "shuttle", feature = "loom"))]
mod stage;
#[cfg(feature = "shuttle")]
mod strategy;
#[cfg(feature = "shuttle")]
mod supervisor;
#[cfg(feature = "shuttle")]
mod walk;

pub use campaign::{Explored, Systematic};
#[doc(inline)]
pub use interleaving::Interleaving;
