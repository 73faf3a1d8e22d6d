//! concurrent-queue: a thread finds a queue of capacity 1 empty, and then full. No other thread pushes.

use concurrent_queue::ConcurrentQueue;

fn main() {
    published::race(
        || {
            let queue = ConcurrentQueue::bounded(1);
            queue.push(1).unwrap();
            queue
        },
        |queue| queue.pop().is_ok(),
        |queue| queue.pop().is_err() && queue.push(2).is_err(),
        |_, wrong| *wrong,
        "pop said that the queue is empty, push that it is full",
    );
}
