//! The stack over the primitives of this flavour.

pub use linpoint_test::sync::shuttled as sync;

// The same file for every flavour, on purpose.
#[allow(clippy::duplicate_mod)]
#[path = "mod.rs"]
mod stack;

pub use stack::test;
