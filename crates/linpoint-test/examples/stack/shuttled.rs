//! The stack over the primitives of this flavour.

pub use linpoint_test::sync::shuttled as sync;

#[path = "mod.rs"]
mod stack;

pub use stack::test;
