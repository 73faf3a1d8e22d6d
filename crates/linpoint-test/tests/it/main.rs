//! Integration tests of `linpoint-test`, one module for each topic. One binary, so that the crate
//! is linked once.

mod interleavings;
mod samplers;
mod strategies;
mod stress;
mod tutorial;
mod waiting;
