//! lockfree: a thread pushes an element and pops. No other thread pops, and it gets nothing.

use lockfree::queue::Queue;

fn main() {
    published::race(
        Queue::new,
        |queue| queue.push(1),
        |queue| {
            queue.push(2);
            queue.pop()
        },
        |_, popped| popped.is_none(),
        "push(2) had returned, and pop found the queue empty",
    );
}
