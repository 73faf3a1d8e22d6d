//! Concurrent structures, right and wrong, on which `linpoint-test` shows what it can find.
//!
//! The structures under `structures/` are written against `super::sync` and compiled three times: for threads of the
//! operating system ([`plain`]), for shuttle ([`shuttled`]) and for loom ([`loomed`]). The wrong ones touch no memory that
//! is not theirs: their nodes are numbers in an arena. [`exhibits`] is the catalogue.

pub mod draw;
pub mod epoch_treiber;
pub mod exhibits;
pub mod external;
pub mod hunt;
pub mod loomed;
pub mod plain;
pub mod shuttled;
pub mod specs;

/// An operation of the specification that a structure does not have. The gallery draws none of these, so getting here is an
/// error of the gallery.
fn not_offered<R>(op: &impl std::fmt::Debug) -> R {
    panic!("the structure has no {op:?}")
}
