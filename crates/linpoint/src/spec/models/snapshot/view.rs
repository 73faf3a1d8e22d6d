//! What a scan saw.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// The value of each segment, `None` where it is not known.
///
/// Between two updates all scans see the same, so a history that is read from a file can share what they saw:
/// a clone takes one word, however many segments there are.
// The length is kept with the values: behind `Arc<[_]>`, the result of every operation would be a word longer.
#[derive(PartialEq, Eq, Hash)]
pub struct View<V>(Arc<Box<[Option<V>]>>);

impl<V> Clone for View<V> {
    fn clone(&self) -> Self {
        View(self.0.clone())
    }
}

impl<V> Deref for View<V> {
    type Target = [Option<V>];

    fn deref(&self) -> &[Option<V>] {
        &self.0
    }
}

impl<V: fmt::Debug> fmt::Debug for View<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<V> From<Vec<Option<V>>> for View<V> {
    fn from(values: Vec<Option<V>>) -> Self {
        View(Arc::new(values.into()))
    }
}

impl<V> FromIterator<Option<V>> for View<V> {
    fn from_iter<I: IntoIterator<Item = Option<V>>>(values: I) -> Self {
        View(Arc::new(values.into_iter().collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::SnapshotRet;
    use super::*;

    #[test]
    fn a_result_takes_two_words() {
        assert_eq!(size_of::<Option<SnapshotRet<[u64; 2]>>>(), 2 * size_of::<usize>());
    }

    #[test]
    fn a_view_looks_like_its_values() {
        let values = vec![Some(1), None, Some(3)];
        let view: View<i32> = values.iter().copied().collect();
        assert_eq!(*view, values[..]);
        assert_eq!(view, View::from(values.clone()));
        assert_eq!(format!("{view:?}"), format!("{values:?}"));
    }
}
