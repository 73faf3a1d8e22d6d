//! The structures for shuttle.

use linpoint_test::sync::shuttled as sync;

// The same file is compiled three times, once for each flavour of `sync`.
#[allow(clippy::duplicate_mod)]
#[path = "structures/mod.rs"]
pub mod structures;
