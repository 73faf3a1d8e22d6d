//! The entries of the registry, grouped by kind of object.

mod registers;

use super::Entry;

/// All models, in the order in which they are listed.
pub(super) const ALL: &[Entry] = &[registers::REGISTER];
