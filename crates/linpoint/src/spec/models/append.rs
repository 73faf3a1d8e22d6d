//! What it means to append to a value.

use std::borrow::Cow;

use super::Value;
use crate::spec::Text;

/// How `append` joins what a key holds with what is new: strings and vectors are concatenated,
/// numbers are added (wrapping around).
pub trait Append: Value {
    /// `self` followed by `more`.
    fn append(&self, more: &Self) -> Self;

    /// Bytes that the value owns on the heap. Appends make values grow without bound, so memory limits count them.
    fn heap_bytes(&self) -> usize {
        0
    }

    /// The value as a text, if values like it can be told as texts that are joined by `append`.
    ///
    /// CLAIM: different values have different texts; if two texts are of one language, that of
    /// `a.append(b)` is that of `a` followed by that of `b`.
    fn text(&self) -> Option<Text<'_>> {
        None
    }
}

impl Append for String {
    fn append(&self, more: &Self) -> Self {
        let mut joined = String::with_capacity(self.len() + more.len());
        joined.push_str(self);
        joined.push_str(more);
        joined
    }

    fn heap_bytes(&self) -> usize {
        self.capacity()
    }

    fn text(&self) -> Option<Text<'_>> {
        Some(Text { language: Some(0), letters: Cow::Borrowed(self.as_bytes()) })
    }
}

impl<T: Value> Append for Vec<T> {
    fn append(&self, more: &Self) -> Self {
        self.iter().chain(more).cloned().collect()
    }

    fn heap_bytes(&self) -> usize {
        self.capacity() * size_of::<T>()
    }
}

macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl Append for $number {
            fn append(&self, more: &Self) -> Self {
                self.wrapping_add(*more)
            }
        }
    )*};
}
numbers!(u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize);
