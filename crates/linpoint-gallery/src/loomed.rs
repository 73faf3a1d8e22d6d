//! The structures for loom.

use linpoint_test::sync::loomed as sync;

// The same file three times, on purpose: that is what the flavours of `sync` are for.
#[allow(clippy::duplicate_mod)]
#[path = "structures/mod.rs"]
pub mod structures;
