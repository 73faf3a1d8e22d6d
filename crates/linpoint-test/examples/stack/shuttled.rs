//! The stack on the primitives of shuttle.

pub use linpoint_test::sync::shuttled as sync;

// The same file for every flavour, on purpose.
#[allow(clippy::duplicate_mod)]
#[path = "mod.rs"]
mod stack;

pub use stack::test;
