//! The structures for shuttle.

use linpoint_test::sync::shuttled as sync;

// The same file three times, on purpose: that is what the flavours of `sync` are for.
#[allow(clippy::duplicate_mod)]
#[path = "structures/mod.rs"]
pub mod structures;
