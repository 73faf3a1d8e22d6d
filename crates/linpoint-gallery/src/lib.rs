//! Correct and broken concurrent structures that show what `linpoint-test` can find.
//!
//! The structures under `structures/` are written against `super::sync` and compiled three times:
//! for OS threads ([`plain`]), for shuttle ([`shuttled`]) and for loom ([`loomed`]). The broken
//! ones are memory-safe: their nodes are indices into an arena. [`exhibits`] is the catalogue.

pub mod draw;
pub mod epoch_treiber;
pub mod exhibits;
pub mod external;
pub mod hunt;
pub mod loomed;
pub mod plain;
pub mod shuttled;
pub mod specs;

/// Panics for an operation of the specification that a structure does not have. The gallery never
/// draws one, so reaching this is a bug in the gallery.
fn not_offered<R>(op: &impl std::fmt::Debug) -> R {
    panic!("the structure has no {op:?}")
}
