//! Atomic types whose accesses can be watched.

/// Defines the atomic type `$name` over that of the crate `$from`. Methods that are not listed here
/// are those of the inner type, and are not watched.
macro_rules! traced_atomic {
    ($from:ident [$($constness:tt)?] $name:ident $(<$parameter:ident>)?: $value:ty; $($fetch:ident)*) => {
        #[doc = concat!("[`std::sync::atomic::", stringify!($name), "`] under this scheduler.")]
        pub struct $name $(<$parameter>)? {
            tag: $crate::sync::watch::Tag,
            inner: ::$from::sync::atomic::$name $(<$parameter>)?,
        }

        impl $(<$parameter>)? $name $(<$parameter>)? {
            /// An atomic variable with this value.
            #[inline]
            #[track_caller]
            pub $($constness)? fn new(value: $value) -> Self {
                Self {
                    tag: $crate::sync::watch::Tag::new(),
                    inner: ::$from::sync::atomic::$name::new(value),
                }
            }

            /// The value.
            #[inline]
            #[track_caller]
            pub fn into_inner(self) -> $value {
                self.inner.into_inner()
            }

            /// Loads the value.
            #[inline]
            #[track_caller]
            pub fn load(&self, order: Ordering) -> $value {
                let step = watch::begin(&self.tag, stringify!($name), Effect::Read);
                let value = self.inner.load(order);
                if let Some(step) = step {
                    step.end("load", vec![], Some(order), Outcome::Value(value.show()));
                }
                value
            }

            /// Stores a value.
            #[inline]
            #[track_caller]
            pub fn store(&self, value: $value, order: Ordering) {
                let step = watch::begin(&self.tag, stringify!($name), Effect::Write);
                self.inner.store(value, order);
                if let Some(step) = step {
                    step.end("store", vec![value.show()], Some(order), Outcome::Nothing);
                }
            }

            /// Stores a value and returns the previous one.
            #[inline]
            #[track_caller]
            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                let step = watch::begin(&self.tag, stringify!($name), Effect::Write);
                let before = self.inner.swap(value, order);
                if let Some(step) = step {
                    let outcome = Outcome::Value(before.show());
                    step.end("swap", vec![value.show()], Some(order), outcome);
                }
                before
            }

            /// Stores a value if the current one is `current`.
            #[inline]
            #[track_caller]
            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                let step = watch::begin(&self.tag, stringify!($name), Effect::Write);
                let result = self.inner.compare_exchange(current, new, success, failure);
                if let Some(step) = step {
                    let (order, outcome) = match &result {
                        Ok(_) => (success, Outcome::Succeeded),
                        Err(found) => (failure, Outcome::Found(found.show())),
                    };
                    let arguments = vec![current.show(), new.show()];
                    step.end("compare_exchange", arguments, Some(order), outcome);
                }
                result
            }

            /// The same as `compare_exchange`: neither scheduler lets it fail without a reason.
            #[inline]
            #[track_caller]
            pub fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.compare_exchange(current, new, success, failure)
            }

            /// Replaces the value by a function of it, by a loop of `load` and
            /// `compare_exchange`.
            #[inline]
            #[track_caller]
            pub fn fetch_update(
                &self,
                set_order: Ordering,
                fetch_order: Ordering,
                mut update: impl FnMut($value) -> Option<$value>,
            ) -> Result<$value, $value> {
                let mut before = self.load(fetch_order);
                while let Some(after) = update(before) {
                    match self.compare_exchange(before, after, set_order, fetch_order) {
                        Ok(before) => return Ok(before),
                        Err(found) => before = found,
                    }
                }
                Err(before)
            }

            $(
                #[doc = concat!("`", stringify!($fetch), "`: returns the previous value.")]
                #[inline]
                #[track_caller]
                pub fn $fetch(&self, value: $value, order: Ordering) -> $value {
                    let step = watch::begin(&self.tag, stringify!($name), Effect::Write);
                    let before = self.inner.$fetch(value, order);
                    if let Some(step) = step {
                        let outcome = Outcome::Value(before.show());
                        step.end(stringify!($fetch), vec![value.show()], Some(order), outcome);
                    }
                    before
                }
            )*
        }

        impl $(<$parameter>)? From<$value> for $name $(<$parameter>)? {
            fn from(value: $value) -> Self {
                Self::new(value)
            }
        }

        impl $(<$parameter>)? Default for $name $(<$parameter>)? {
            fn default() -> Self {
                Self {
                    tag: $crate::sync::watch::Tag::new(),
                    inner: Default::default(),
                }
            }
        }

        impl $(<$parameter>)? std::fmt::Debug for $name $(<$parameter>)? {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.inner.fmt(f)
            }
        }

        impl $(<$parameter>)? std::ops::Deref for $name $(<$parameter>)? {
            type Target = ::$from::sync::atomic::$name $(<$parameter>)?;
            fn deref(&self) -> &Self::Target {
                &self.inner
            }
        }

        impl $(<$parameter>)? std::ops::DerefMut for $name $(<$parameter>)? {
            fn deref_mut(&mut self) -> &mut Self::Target {
                &mut self.inner
            }
        }
    };
}

/// Defines all atomic types over those of the crate `$from`, and `fence`.
macro_rules! traced_atomics {
    ($from:ident [$($constness:tt)?]) => {
        use $crate::sync::watch::{self, Effect, Outcome, Show};
        pub use std::sync::atomic::Ordering;

        traced_atomics!(@ints $from [$($constness)?]
            AtomicI8: i8, AtomicI16: i16, AtomicI32: i32, AtomicI64: i64, AtomicIsize: isize,
            AtomicU8: u8, AtomicU16: u16, AtomicU32: u32, AtomicU64: u64, AtomicUsize: usize);
        traced_atomic!($from [$($constness)?] AtomicBool: bool;
            fetch_and fetch_nand fetch_or fetch_xor);
        traced_atomic!($from [$($constness)?] AtomicPtr<T>: *mut T;);

        /// A fence.
        #[track_caller]
        pub fn fence(order: Ordering) {
            let step = watch::begin_quietly(None, "", Effect::Write);
            ::$from::sync::atomic::fence(order);
            if let Some(step) = step {
                step.end("fence", vec![], Some(order), Outcome::Nothing);
            }
        }
    };
    // `$constness` cannot be repeated together with the list of types: one type at a time.
    (@ints $from:ident $constness:tt $($name:ident: $value:ty),*) => {
        $( traced_atomic!($from $constness $name: $value;
            fetch_add fetch_sub fetch_and fetch_nand fetch_or fetch_xor fetch_max fetch_min); )*
    };
}

/// Defines `with_mut` of the atomic types over those of a crate that has only `get_mut`. Code that
/// was written for loom uses it.
#[cfg(feature = "shuttle")]
macro_rules! atomics_with_mut {
    ($($name:ident $(<$parameter:ident>)?: $value:ty),*) => { $(
        impl $(<$parameter>)? $name $(<$parameter>)? {
            /// Passes the value to a closure, as loom's atomic types do.
            pub fn with_mut<R>(&mut self, change: impl FnOnce(&mut $value) -> R) -> R {
                change(self.inner.get_mut())
            }
        }
    )* };
}

#[cfg(feature = "shuttle")]
pub(in crate::sync) use atomics_with_mut;
pub(in crate::sync) use {traced_atomic, traced_atomics};
