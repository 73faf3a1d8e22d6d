//! 2. A bug: what a report looks like.
//!
//! `cargo run -p linpoint-test --example 02_a_bug`
//!
//! This queue reads the front and removes it in two steps. `try_run` returns the report instead of
//! panicking with it: the smallest failing scenario, the timeline, and why no order of the
//! operations explains the results.

use std::collections::VecDeque;
use std::sync::Mutex;

use linpoint_test::models::{Queue, QueueOp, QueueRet};
use linpoint_test::report::Files;
use linpoint_test::{FailureReport, Stress};

/// Runs until the bug shows.
pub fn find() -> Box<FailureReport> {
    loop {
        let outcome = Stress::new(|| Mutex::new(VecDeque::new()))
            .spec(Queue::new())
            .ops(
                |rng| {
                    if rng.chance(0.5) { QueueOp::Enqueue(rng.fresh()) } else { QueueOp::Dequeue }
                },
            )
            .perform(|queue: &Mutex<VecDeque<u64>>, op| match op {
                QueueOp::Enqueue(value) => {
                    queue.lock().unwrap().push_back(*value);
                    QueueRet::Done
                }
                QueueOp::Dequeue => {
                    let front = queue.lock().unwrap().front().copied();
                    std::thread::yield_now(); // Another dequeue may run in between.
                    queue.lock().unwrap().pop_front();
                    QueueRet::Value(front)
                }
                QueueOp::Peek => unreachable!("not drawn"),
            })
            .threads(3)
            .name("a queue that dequeues in two steps")
            .shrink_time(std::time::Duration::from_secs(2))
            .files(Files::none())
            .try_run();
        if let Err(report) = outcome {
            return report;
        }
    }
}

/// Runs the example.
pub fn main() {
    println!("{}", find());
}
