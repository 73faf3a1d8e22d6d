//! Objects whose threads need `&mut` access to a part of their own: the two ends of a channel, the owner and the
//! thieves of a deque.

use std::sync::{Mutex, PoisonError};

/// One handle for each thread.
///
/// The object of a test is shared by all threads, and an end of a channel with one producer often needs `&mut`.
/// Make the handles the object, and perform operations with
/// [`perform_mut`](crate::definition::NeedsPerform::perform_mut):
///
/// ```
/// use std::sync::mpsc::{Receiver, Sender, channel};
/// use linpoint_test::{Handles, prelude::*};
///
/// enum End { Send(Sender<u64>), Receive(Receiver<u64>) }
///
/// # /*
/// #[test]
/// # */
/// fn a_channel_is_a_queue() {
///     Stress::new(|| {
///         let (sender, receiver) = channel();
///         Handles::new([End::Send(sender), End::Receive(receiver)])
///     })
///     .spec(Queue::new())
///     .ops(|rng| match rng.thread() { 0 => QueueOp::Enqueue(rng.fresh()), _ => QueueOp::Dequeue })
///     .perform_mut(|end, op| match (end, op) {
///         (End::Send(sender), QueueOp::Enqueue(value)) => {
///             sender.send(*value).unwrap();
///             QueueRet::Done
///         }
///         (End::Receive(receiver), _) => QueueRet::Value(receiver.try_recv().ok()),
///         _ => unreachable!("the sender only enqueues"),
///     })
///     .threads(2)
/// #   .runs(50)
///     .run();
/// }
/// # a_channel_is_a_queue();
/// ```
///
/// Each handle is behind a lock that only its thread takes: it never waits, and does not order the operations of
/// different threads. Setup and final operations use the first handle, unless
/// [`perform_by`](crate::definition::NeedsPerform::perform_by) and [`Handles::with`] choose another one.
#[derive(Debug)]
pub struct Handles<H> {
    handles: Vec<Padded<H>>,
}

/// A handle on cache lines of its own.
#[repr(align(128))]
#[derive(Debug)]
struct Padded<H>(Mutex<H>);

impl<H> Handles<H> {
    /// The handles of the threads, in the order of their numbers.
    ///
    /// # Panics
    ///
    /// If there are none.
    pub fn new(handles: impl IntoIterator<Item = H>) -> Self {
        let handles: Vec<_> =
            handles.into_iter().map(|handle| Padded(Mutex::new(handle))).collect();
        assert!(!handles.is_empty(), "a test needs at least one handle");
        Handles { handles }
    }

    /// Uses the handle of a thread. A number beyond the last thread is that of the setup and the final operations,
    /// which use the first handle.
    pub fn with<R>(&self, thread: usize, action: impl FnOnce(&mut H) -> R) -> R {
        let handle = self.handles.get(thread).unwrap_or(&self.handles[0]);
        // An operation that panicked is reported; the handle is as it was left.
        action(&mut handle.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
