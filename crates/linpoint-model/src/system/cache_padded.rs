//! Padding against false sharing.

use std::ops::Deref;

/// A value with cache lines of its own, so that writing it does not invalidate other data on other cores. Two lines,
/// because processors prefetch them in pairs.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct CachePadded<T>(pub(crate) T);

impl<T> Deref for CachePadded<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}
