//! `std::sync::OnceLock` in terms of loom, which has none.

use loom::sync::Mutex;
use loom::sync::atomic::AtomicBool;

use super::{Ordering, PoisonError};

/// A cell that is set once. A thread sees the value if it sees `is_set`, which synchronizes with the thread that set it.
/// The value itself is in a cell of `std`, so that no unsafe code is needed.
pub(crate) struct OnceLock<T> {
    is_set: AtomicBool,
    setting: Mutex<()>,
    value: std::sync::OnceLock<T>,
}

impl<T> OnceLock<T> {
    pub(crate) fn new() -> Self {
        OnceLock {
            is_set: AtomicBool::new(false),
            setting: Mutex::new(()),
            value: std::sync::OnceLock::new(),
        }
    }

    pub(crate) fn get(&self) -> Option<&T> {
        if self.is_set.load(Ordering::Acquire) { self.value.get() } else { None }
    }

    pub(crate) fn set(&self, value: T) -> Result<(), T> {
        let mut value = Some(value);
        self.get_or_init(|| value.take().expect("the value is taken once"));
        value.map_or(Ok(()), Err)
    }

    pub(crate) fn get_or_init(&self, init: impl FnOnce() -> T) -> &T {
        if let Some(value) = self.get() {
            return value;
        }
        let _setting = self.setting.lock().unwrap_or_else(PoisonError::into_inner);
        let value = self.value.get_or_init(init);
        self.is_set.store(true, Ordering::Release);
        value
    }
}

impl<T> Default for OnceLock<T> {
    fn default() -> Self {
        OnceLock::new()
    }
}
