//! Integration tests of the gallery, one module for each topic. One binary, so that the crate is
//! linked once.

mod broken;
mod correct;
mod interleavings;
mod systematic;
mod waiting;
