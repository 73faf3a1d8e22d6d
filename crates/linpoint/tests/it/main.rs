//! Integration tests of the library, in one binary.

mod bad_input;
mod dynamic;
mod limits;
mod monitors;
mod plan;
mod wire;
