//! 1. A first test: threads perform random operations, and every run is checked.
//!
//! `cargo run -p linpoint-test --example 01_first_test`
//!
//! A test needs four things: how the object is made, its specification (here a bundled one), how an
//! operation is drawn, and how it is performed. In a `#[test]`, `run` panics with a report if a run
//! is not linearizable.

use std::collections::VecDeque;
use std::sync::Mutex;

use linpoint_test::Stress;
use linpoint_test::models::{Queue, QueueOp, QueueRet};

/// Runs the example.
pub fn main() {
    let summary = Stress::new(|| Mutex::new(VecDeque::new()))
        .spec(Queue::new())
        .ops(|rng| if rng.chance(0.5) { QueueOp::Enqueue(rng.fresh()) } else { QueueOp::Dequeue })
        .perform(|queue, op| match op {
            QueueOp::Enqueue(value) => {
                queue.lock().unwrap().push_back(*value);
                QueueRet::Done
            }
            QueueOp::Dequeue => QueueRet::Value(queue.lock().unwrap().pop_front()),
            QueueOp::Peek => unreachable!("not drawn"),
        })
        .threads(3)
        .runs(200)
        .run();
    println!("{} operations in {} runs, all linearizable", summary.operations, summary.runs);
}
