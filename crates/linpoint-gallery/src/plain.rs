//! The structures for threads of the operating system.

use linpoint_test::sync::plain as sync;

// The same file three times, on purpose: that is what the flavours of `sync` are for.
#[allow(clippy::duplicate_mod)]
#[path = "structures/mod.rs"]
pub mod structures;
