//! Locks and condition variables whose accesses can be watched.

/// Defines a guard of a lock: it releases the lock when it is dropped.
macro_rules! traced_guard {
    ($from:ident [$($size:tt)+] $guard:ident of $lock:ident, $unlock:literal, $effect:ident) => {
        #[doc = concat!("[`std::sync::", stringify!($guard), "`] under this scheduler.")]
        pub struct $guard<'a, T: $($size)+> {
            lock: &'a $lock<T>,
            /// `None` once it has been released.
            inner: Option<::$from::sync::$guard<'a, T>>,
        }

        impl<T: $($size)+> Drop for $guard<'_, T> {
            fn drop(&mut self) {
                let Some(guard) = self.inner.take() else { return };
                // A scheduler may be gone while a panic unwinds.
                let step = (!std::thread::panicking())
                    .then(|| watch::begin(&self.lock.tag, stringify!($lock), Effect::$effect));
                drop(guard);
                if let Some(step) = step.flatten() {
                    step.end_of_scope($unlock);
                }
            }
        }

        impl<T: $($size)+> std::ops::Deref for $guard<'_, T> {
            type Target = T;
            fn deref(&self) -> &T {
                self.inner.as_ref().expect("the guard holds its lock until it is dropped")
            }
        }

        impl<T: $($size)+ + std::fmt::Debug> std::fmt::Debug for $guard<'_, T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                (**self).fmt(f)
            }
        }
    };
    (mutable $from:ident [$($size:tt)+] $guard:ident) => {
        impl<T: $($size)+> std::ops::DerefMut for $guard<'_, T> {
            fn deref_mut(&mut self) -> &mut T {
                self.inner.as_mut().expect("the guard holds its lock until it is dropped")
            }
        }
    };
}

/// Defines one way to take a lock: the method `$method`, which waits, and `$attempt`, which does
/// not.
macro_rules! traced_acquire {
    ($from:ident [$($size:tt)+] $lock:ident $method:ident $attempt:ident -> $guard:ident, $effect:ident) => {
        impl<T: $($size)+> $lock<T> {
            #[doc = concat!("`", stringify!($method), "`: waits until the lock is free.")]
            #[track_caller]
            pub fn $method(&self) -> LockResult<$guard<'_, T>> {
                let step = watch::begin(&self.tag, stringify!($lock), Effect::$effect);
                if let Some(step) = &step {
                    step.may_wait(stringify!($method));
                }
                let result = self.inner.$method();
                if let Some(step) = step {
                    step.end(stringify!($method), vec![], None, Outcome::Nothing);
                }
                match result {
                    Ok(guard) => Ok($guard { lock: self, inner: Some(guard) }),
                    Err(error) => {
                        let inner = Some(error.into_inner());
                        Err(PoisonError::new($guard { lock: self, inner }))
                    }
                }
            }

            #[doc = concat!("`", stringify!($attempt), "`: takes the lock if it is free.")]
            #[track_caller]
            pub fn $attempt(&self) -> TryLockResult<$guard<'_, T>> {
                let step = watch::begin(&self.tag, stringify!($lock), Effect::$effect);
                let result = self.inner.$attempt();
                if let Some(step) = step {
                    let taken = matches!(result, Err(TryLockError::WouldBlock));
                    let outcome = if taken { Outcome::WouldBlock } else { Outcome::Succeeded };
                    step.end(stringify!($attempt), vec![], None, outcome);
                }
                match result {
                    Ok(guard) => Ok($guard { lock: self, inner: Some(guard) }),
                    Err(TryLockError::WouldBlock) => Err(TryLockError::WouldBlock),
                    Err(TryLockError::Poisoned(error)) => {
                        let inner = Some(error.into_inner());
                        Err(TryLockError::Poisoned(PoisonError::new($guard { lock: self, inner })))
                    }
                }
            }
        }
    };
}

/// Defines the lock `$lock` over that of the crate `$from`, without the methods that take it.
macro_rules! traced_lock {
    ($from:ident [$($constness:tt)?] [$($size:tt)+] $lock:ident) => {
        #[doc = concat!("[`std::sync::", stringify!($lock), "`] under this scheduler.")]
        pub struct $lock<T: $($size)+> {
            tag: watch::Tag,
            inner: ::$from::sync::$lock<T>,
        }

        impl<T> $lock<T> {
            /// A lock that protects `value`.
            #[track_caller]
            pub $($constness)? fn new(value: T) -> Self {
                Self { tag: watch::Tag::new(), inner: ::$from::sync::$lock::new(value) }
            }

            /// The protected value.
            pub fn into_inner(self) -> LockResult<T> {
                self.inner.into_inner()
            }
        }

        impl<T: Default> Default for $lock<T> {
            fn default() -> Self {
                Self::new(T::default())
            }
        }

        impl<T> From<T> for $lock<T> {
            fn from(value: T) -> Self {
                Self::new(value)
            }
        }

        impl<T: $($size)+ + std::fmt::Debug> std::fmt::Debug for $lock<T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.inner.fmt(f)
            }
        }

        impl<T: $($size)+> std::ops::Deref for $lock<T> {
            type Target = ::$from::sync::$lock<T>;
            fn deref(&self) -> &Self::Target {
                &self.inner
            }
        }

        impl<T: $($size)+> std::ops::DerefMut for $lock<T> {
            fn deref_mut(&mut self) -> &mut Self::Target {
                &mut self.inner
            }
        }
    };
}

/// Defines the condition variable over that of the crate `$from`.
macro_rules! traced_condvar {
    ($from:ident [$($constness:tt)?]) => {
        /// [`std::sync::Condvar`] under this scheduler. Neither scheduler lets a wait time out.
        #[derive(Debug)]
        pub struct Condvar {
            tag: watch::Tag,
            inner: ::$from::sync::Condvar,
        }

        impl Condvar {
            /// A condition variable.
            #[track_caller]
            #[allow(clippy::new_without_default)] // There is one below: not all are constant.
            pub $($constness)? fn new() -> Self {
                Self { tag: watch::Tag::new(), inner: ::$from::sync::Condvar::new() }
            }

            /// Releases the lock and sleeps until a notification.
            #[track_caller]
            pub fn wait<'a, T>(
                &self,
                mut guard: MutexGuard<'a, T>,
            ) -> LockResult<MutexGuard<'a, T>> {
                let lock = guard.lock;
                let Some(inner) = guard.inner.take() else { return Ok(guard) };
                let step = watch::begin(&self.tag, "Condvar", Effect::Write);
                if let Some(step) = &step {
                    step.may_wait("wait");
                }
                let result = self.inner.wait(inner);
                if let Some(step) = step {
                    step.end("wait", vec![], None, Outcome::Succeeded);
                }
                match result {
                    Ok(guard) => Ok(MutexGuard { lock, inner: Some(guard) }),
                    Err(error) => {
                        let inner = Some(error.into_inner());
                        Err(PoisonError::new(MutexGuard { lock, inner }))
                    }
                }
            }

            /// Waits as long as the condition holds.
            #[track_caller]
            pub fn wait_while<'a, T>(
                &self,
                mut guard: MutexGuard<'a, T>,
                mut condition: impl FnMut(&mut T) -> bool,
            ) -> LockResult<MutexGuard<'a, T>> {
                while condition(&mut *guard) {
                    guard = self.wait(guard)?;
                }
                Ok(guard)
            }

            /// Wakes one thread, if one waits.
            #[track_caller]
            pub fn notify_one(&self) {
                let step = watch::begin(&self.tag, "Condvar", Effect::Write);
                self.inner.notify_one();
                if let Some(step) = step {
                    step.end("notify_one", vec![], None, Outcome::Nothing);
                }
            }

            /// Wakes all threads that wait.
            #[track_caller]
            pub fn notify_all(&self) {
                let step = watch::begin(&self.tag, "Condvar", Effect::Write);
                self.inner.notify_all();
                if let Some(step) = step {
                    step.end("notify_all", vec![], None, Outcome::Nothing);
                }
            }
        }

        impl Default for Condvar {
            fn default() -> Self {
                Self::new()
            }
        }
    };
}

/// Defines all locks over those of the crate `$from`. `$size` is the bound of what its `RwLock`
/// protects.
macro_rules! traced_locks {
    ($from:ident $constness:tt $size:tt) => {
        use std::sync::{LockResult, PoisonError, TryLockError, TryLockResult};
        use $crate::sync::watch::{self, Effect, Outcome};

        traced_lock!($from $constness [?Sized] Mutex);
        traced_guard!($from [?Sized] MutexGuard of Mutex, "unlock", Write);
        traced_guard!(mutable $from [?Sized] MutexGuard);
        traced_acquire!($from [?Sized] Mutex lock try_lock -> MutexGuard, Write);

        traced_lock!($from $constness $size RwLock);
        traced_guard!($from $size RwLockReadGuard of RwLock, "unlock", Read);
        traced_guard!($from $size RwLockWriteGuard of RwLock, "unlock", Write);
        traced_guard!(mutable $from $size RwLockWriteGuard);
        traced_acquire!($from $size RwLock read try_read -> RwLockReadGuard, Read);
        traced_acquire!($from $size RwLock write try_write -> RwLockWriteGuard, Write);

        traced_condvar!($from $constness);
    };
}

pub(in crate::sync) use {traced_acquire, traced_condvar, traced_guard, traced_lock, traced_locks};
