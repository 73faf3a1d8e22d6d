//! Runs a future to its end on the current thread.
//!
//! A thread performs one operation at a time, so nothing more is needed than to sleep until the future is woken. On OS
//! threads, sleeping is [`std::thread::park`], which the watchdog recognises as a wait. Inside of an execution of
//! shuttle, shuttle puts the thread to sleep: a future that is never woken is then a wait like any other.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;

/// The result of `future`.
pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    #[cfg(feature = "shuttle")]
    if ::shuttle::current::try_get_current_task().is_some() {
        return ::shuttle::future::block_on(future);
    }
    thread_local! {
        static BELL: Arc<Bell> = Arc::new(Bell {
            sleeper: std::thread::current(),
            is_rung: AtomicBool::new(false),
        });
    }
    let bell = BELL.with(Arc::clone);
    let waker = Waker::from(bell.clone());
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
            return output;
        }
        // A waker of an earlier operation may ring too: that only costs a poll.
        while !bell.is_rung.swap(false, Ordering::Acquire) {
            std::thread::park();
        }
    }
}

/// Wakes a thread.
struct Bell {
    sleeper: Thread,
    is_rung: AtomicBool,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if !self.is_rung.swap(true, Ordering::Release) {
            self.sleeper.unpark();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_future_that_is_woken_by_another_thread_is_polled_again() {
        let mut is_first = true;
        let future = std::future::poll_fn(|context| {
            if !std::mem::replace(&mut is_first, false) {
                return Poll::Ready(7);
            }
            let waker = context.waker().clone();
            std::thread::spawn(move || waker.wake());
            Poll::Pending
        });
        assert_eq!(block_on(future), 7);
        assert_eq!(block_on(async { 8 }), 8);
    }
}
