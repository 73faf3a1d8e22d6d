//! A cell whose accesses can be watched.

/// Defines `UnsafeCell` over the type `$inner`, which has the interface of loom's.
macro_rules! traced_cell {
    ($inner:path) => {
        use $crate::sync::watch::{self, Effect, Outcome};
        use $inner as InnerUnsafeCell;

        /// A cell that passes a pointer to its contents to a closure.
        #[derive(Debug)]
        pub struct UnsafeCell<T> {
            tag: watch::Tag,
            inner: InnerUnsafeCell<T>,
        }

        impl<T> UnsafeCell<T> {
            /// A cell that contains `value`.
            #[track_caller]
            pub fn new(value: T) -> Self {
                UnsafeCell { tag: watch::Tag::new(), inner: InnerUnsafeCell::new(value) }
            }

            /// The contents.
            pub fn into_inner(self) -> T {
                self.inner.into_inner()
            }

            /// Passes a pointer for reading to `read`. No thread may write meanwhile.
            #[track_caller]
            pub fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
                let step = watch::begin_quietly(Some(&self.tag), "UnsafeCell", Effect::Read);
                if let Some(step) = step {
                    step.end("with", vec![], None, Outcome::Nothing);
                }
                self.inner.with(read)
            }

            /// Passes a pointer for reading and writing to `write`. No other thread may access the
            /// contents meanwhile.
            #[track_caller]
            pub fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
                let step = watch::begin_quietly(Some(&self.tag), "UnsafeCell", Effect::Write);
                if let Some(step) = step {
                    step.end("with_mut", vec![], None, Outcome::Nothing);
                }
                self.inner.with_mut(write)
            }
        }

        impl<T: Default> Default for UnsafeCell<T> {
            fn default() -> Self {
                UnsafeCell::new(T::default())
            }
        }

        impl<T> std::ops::Deref for UnsafeCell<T> {
            type Target = InnerUnsafeCell<T>;
            fn deref(&self) -> &InnerUnsafeCell<T> {
                &self.inner
            }
        }
    };
}

pub(in crate::sync) use traced_cell;
