//! Integration tests of the explorer and the catalogue, in one binary.
//!
//! Rows of the catalogue that take long run only with `LINPOINT_LONG=1`.

mod bad_models;
mod catalogue;
mod histories;
mod methods;
mod reductions;
mod simple;
mod spin;
mod support;
