//! Functions of threads whose calls can be watched.

/// Defines `spawn`, `park` and `yield_now` over those of the crate `$from`.
macro_rules! traced_threads {
    ($from:ident) => {
        use $crate::sync::watch::{self, Effect, Outcome};
        pub use $from::thread::{Builder, JoinHandle, current};

        /// Starts a thread.
        #[track_caller]
        pub fn spawn<R: Send + 'static>(
            body: impl FnOnce() -> R + Send + 'static,
        ) -> JoinHandle<R> {
            let step = watch::begin_quietly(None, "", Effect::Write);
            let handle = ::$from::thread::spawn(body);
            if let Some(step) = step {
                step.end("spawn", vec![], None, Outcome::Nothing);
            }
            handle
        }

        /// Waits until the thread is unparked.
        #[track_caller]
        pub fn park() {
            let step = watch::begin_quietly(None, "", Effect::Write);
            if let Some(step) = &step {
                step.may_wait("park");
            }
            ::$from::thread::park();
            if let Some(step) = step {
                step.end("park", vec![], None, Outcome::Nothing);
            }
        }

        /// Lets other threads run. Loops that wait must call it.
        #[track_caller]
        pub fn yield_now() {
            let step = watch::begin_quietly(None, "", Effect::Read);
            if let Some(step) = step {
                step.end("yield_now", vec![], None, Outcome::Nothing);
            }
            ::$from::thread::yield_now();
        }
    };
}

pub(in crate::sync) use traced_threads;
