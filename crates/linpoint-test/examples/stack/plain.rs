//! The stack on the primitives of `std`.

pub use linpoint_test::sync::plain as sync;

// The same file for every flavour, on purpose.
#[allow(clippy::duplicate_mod)]
#[path = "mod.rs"]
mod stack;

pub use stack::test;
