//! Shared text and lists behind a pointer of one word.
//!
//! `Arc<str>` is two words, which would make every [`crate::Value`] three words long: half as much
//! again for histories of numbers, which are the long ones. Here the length is kept with the contents.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// A shared `str` or slice. Cheap to clone.
#[derive(PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Thin<T: ?Sized>(Arc<Box<T>>);

impl<T: ?Sized> Clone for Thin<T> {
    fn clone(&self) -> Self {
        Thin(self.0.clone())
    }
}

impl<T: ?Sized> Deref for Thin<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: ?Sized + fmt::Debug> fmt::Debug for Thin<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl fmt::Display for Thin<str> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self)
    }
}

impl From<&str> for Thin<str> {
    fn from(text: &str) -> Self {
        Thin(Arc::new(text.into()))
    }
}

impl From<String> for Thin<str> {
    fn from(text: String) -> Self {
        Thin(Arc::new(text.into()))
    }
}

impl<T> From<Vec<T>> for Thin<[T]> {
    fn from(items: Vec<T>) -> Self {
        Thin(Arc::new(items.into()))
    }
}

impl<T, const N: usize> From<[T; N]> for Thin<[T]> {
    fn from(items: [T; N]) -> Self {
        Thin(Arc::new(items.into()))
    }
}

impl<T> FromIterator<T> for Thin<[T]> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Thin(Arc::new(items.into_iter().collect()))
    }
}
