//! heapless: a queue for two holds two elements. A thread removes one and adds one, and finds the queue full. Nobody
//! else adds.

#![expect(deprecated)] // The documentation warns of this.

use heapless::mpmc::Queue;

fn main() {
    published::race(
        || {
            let queue: Queue<u64, 2> = Queue::new();
            queue.enqueue(1).unwrap();
            queue.enqueue(2).unwrap();
            queue
        },
        |queue| queue.dequeue(),
        |queue| queue.dequeue().is_some() && queue.enqueue(3).is_err(),
        |_, wrong| *wrong,
        "an element was removed, and there was no room for another",
    );
}
