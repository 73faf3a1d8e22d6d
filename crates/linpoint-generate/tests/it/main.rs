//! Integration tests of the generator, in one binary.

mod generated;
