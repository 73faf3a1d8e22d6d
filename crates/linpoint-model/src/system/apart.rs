//! Things that one core writes often, kept away from those that all cores read.

use std::ops::Deref;

/// Has its cache lines to itself: whoever writes it takes nothing else away from the other cores. Two lines, because
/// processors fetch them in pairs.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct Apart<T>(pub(crate) T);

impl<T> Deref for Apart<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}
