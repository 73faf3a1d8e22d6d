//! The structures for loom.

use linpoint_test::sync::loomed as sync;

// The same file is compiled three times, once for each flavour of `sync`.
#[allow(clippy::duplicate_mod)]
#[path = "structures/mod.rs"]
pub mod structures;
