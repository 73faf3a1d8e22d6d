//! Tests concurrent Rust code for linearizability.
//!
//! A test names the object, its specification, how operations are drawn and how they are performed. If the
//! object is wrong, it panics with the smallest failing execution that was found: a timeline, the operations
//! that contradict each other, the reason, and how to run it again.
//!
//! ```
//! use linpoint_test::prelude::*;
//! # use std::{collections::VecDeque, sync::Mutex};
//! # type MyQueue = Mutex<VecDeque<u64>>;
//!
//! # /*
//! #[test]
//! # */
//! fn my_queue_is_linearizable() {
//!     Stress::new(MyQueue::default)
//!         .spec(Queue::new())
//!         .ops(profile::queue(Fill::OftenEmpty))
//!         .perform(|queue, op| match op {
//!             QueueOp::Enqueue(value) => {
//!                 queue.lock().unwrap().push_back(*value);
//!                 QueueRet::Done
//!             }
//!             _ => QueueRet::Value(queue.lock().unwrap().pop_front()),
//!         })
//!         .run();
//! }
//! # my_queue_is_linearizable();
//! ```
//!
//! # Which entry point?
//!
//! | you want | use |
//! | --- | --- |
//! | random operations by threads of the operating system | [`Stress`] |
//! | one definition for several ways to run it | [`Test`] |
//! | to record your own program, async or not | [`record::Recorder`] |
//! | operations that meet where bugs are | [`profile`] |
//!
//! # Environment
//!
//! `LINPOINT_SEED`, `LINPOINT_ITERS`, `LINPOINT_REPLAY`, `LINPOINT_DIR`: see [`replay`].
//!
//! # Limits
//!
//! Stress finds what it happens to meet: a pass is no proof. A panic of an operation is caught and
//! reported, but the panic hook, which is not touched, will have printed it. Threads that are stuck
//! cannot be ended: they are left behind.
//!
//! # Rooms
//!
//! | module | what it is |
//! | --- | --- |
//! | [`definition`] | what is tested, independent of how it is scheduled |
//! | [`scenario`] | what every thread will do |
//! | [`execution`] | executing a scenario, and what comes out of it |
//! | [`judge`] | what is wrong with an execution |
//! | [`record`] | recording what a program does, on its own or as part of a test |
//! | [`stress`] | threads of the operating system, and the watchdog |
//! | [`shrink`], [`report`], [`replay`] | what becomes of a failure |
//! | [`sync`] | what code under test is written against: `std`, shuttle or loom |
//! | [`schedule`] | shuttle, loom, all small scenarios |

pub mod definition;
pub mod execution;
pub mod judge;
pub mod profile;
pub mod record;
pub mod replay;
pub mod report;
pub mod rng;
pub mod scenario;
pub mod schedule;
pub mod shrink;
#[cfg(feature = "proptest")]
mod strategy;
pub mod stress;
pub mod sync;

pub use definition::Test;
pub use linpoint::spec::models;
pub use linpoint::{Sequential, Spec};
pub use report::FailureReport;
pub use rng::Rng;
pub use stress::{Noise, Placement, Stress, Summary};

/// Everything that most tests need: `use linpoint_test::prelude::*;`.
pub mod prelude {
    pub use crate::models::*;
    pub use crate::profile::{self, BadHash, Fill, Keys};
    pub use crate::{Noise, Placement, Rng, Sequential, Spec, Stress, Test};
}
