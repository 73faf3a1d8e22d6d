//! Integration tests of `linpoint-test`, one module for each topic. One binary, so that the crate
//! is linked once.

mod futures;
mod interleavings;
mod progress;
mod samplers;
mod strategies;
mod stress;
mod tutorial;
mod waiting;
