//! What it means to append to a value.

use super::Value;

/// How `append` joins what a key holds with what is new: strings and vectors are concatenated,
/// numbers are added (wrapping around).
pub trait Append: Value {
    /// `self` followed by `more`.
    fn append(&self, more: &Self) -> Self;
}

impl Append for String {
    fn append(&self, more: &Self) -> Self {
        let mut joined = String::with_capacity(self.len() + more.len());
        joined.push_str(self);
        joined.push_str(more);
        joined
    }
}

impl<T: Value> Append for Vec<T> {
    fn append(&self, more: &Self) -> Self {
        self.iter().chain(more).cloned().collect()
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
