//! Tests concurrent Rust code for linearizability.
//!
//! ```
//! use std::{collections::VecDeque, sync::Mutex};
//!
//! use linpoint_test::prelude::*;
//!
//! # /*
//! #[test]
//! # */
//! fn my_queue_is_linearizable() {
//!     Stress::new(Mutex::<VecDeque<u64>>::default)
//!         .spec(Queue::new())
//!         .ops(profile::queue(Fill::OftenEmpty))
//!         .perform(|queue, op| match op {
//!             QueueOp::Enqueue(value) => { queue.lock().unwrap().push_back(*value); QueueRet::Done }
//!             _ => QueueRet::Value(queue.lock().unwrap().pop_front()),
//!         })
//!         .run();
//! }
//! # my_queue_is_linearizable();
//! ```
//!
//! A test names the object, its specification, how operations are drawn and how they are performed.
//! Threads perform random operations, and every run is checked. If the object is broken, the test
//! panics with the smallest failing execution it found: a timeline, the operations that contradict
//! each other, the reason, and how to replay it.
//!
//! | I want to … | use |
//! | --- | --- |
//! | test an object with OS threads | [`Stress`] |
//! | use one of the bundled specifications | [`models`] |
//! | write a specification of my own | a struct that implements [`Sequential`] |
//! | draw operations that collide where bugs are | [`profile`] |
//! | give threads different roles | [`Test::thread`] |
//! | test operations that are futures | [`perform_async`](definition::NeedsPerform::perform_async) |
//! | give each thread `&mut` access to an end of the object | [`Handles`] |
//! | check an invariant of the object after each run | [`Test::validate`] |
//! | test `len` or an iterator that is not atomic | [`Test::relaxed`] |
//! | explore schedules systematically | [`Test`] and [`schedule`], with code written against [`sync`] |
//! | find missing fences and weak memory bugs | `schedule::loom::Loom` (feature `loom`) |
//! | test operations that wait, such as `recv` | [`Sequential::enabled`] and [`Stress::unblock`] |
//! | replay a failure, set the seed or the time | the variables in [`replay`] |
//! | choose where reports and regressions are kept | [`report::Files`] |
//! | look at a failure in code instead of panicking | [`Stress::try_run`], [`FailureReport`] |
//! | record a program of my own, async or not | [`record::Recorder`] |
//! | draw operations by a proptest strategy | [`NeedsOps`](definition::NeedsOps) (feature `proptest`) |
//! | write a runner of my own, or study testing methods | [`research`] |
//!
//! # Features
//!
//! | feature | adds |
//! | --- | --- |
//! | `shuttle` | `schedule::shuttle`, `sync::shuttled` |
//! | `loom` | `schedule::loom`, `sync::loomed` |
//! | `proptest` | `ops_of`: operations drawn by a proptest strategy |
//!
//! # Limits
//!
//! Stress finds only what the threads happen to do: a pass is not a proof. Panics of operations are
//! caught and reported, but the panic hook prints them as well. Threads that are stuck cannot be
//! stopped; they are abandoned.

mod block_on;
pub mod definition;
mod execution;
mod handles;
mod judge;
pub mod profile;
#[cfg(feature = "proptest")]
mod proptest_ops;
pub mod record;
pub mod replay;
pub mod report;
pub mod research;
pub mod rng;
mod scenario;
pub mod schedule;
mod shrink;
pub mod stress;
pub mod sync;

#[doc(inline)]
pub use definition::Test;
pub use handles::Handles;
pub use judge::CheckLimits;
pub use linpoint::spec::models;
pub use linpoint::{Sequential, Spec};
#[doc(inline)]
pub use report::FailureReport;
#[doc(inline)]
pub use rng::Rng;
#[doc(inline)]
pub use stress::{Noise, Placement, Stress, Summary};

/// What most tests need: `use linpoint_test::prelude::*;`.
///
/// The models with their operations and results, [`profile`], and what defines and runs a test.
pub mod prelude {
    pub use crate::models::{
        Bag, BagOp, BagRet, CasRegister, CasRegisterOp, CasRegisterRet, Channel, ChannelOp,
        ChannelRet, Counter, CounterOp, CounterRet, Deque, DequeOp, DequeRet, KeyValue, KeyValueOp,
        KeyValueRet, Map, MapOp, MapRet, PriorityQueue, PriorityQueueOp, PriorityQueueRet, Queue,
        QueueOp, QueueRet, Register, RegisterOp, RegisterRet, Semaphore, SemaphoreOp, SemaphoreRet,
        Set, SetOp, SetRet, Stack, StackOp, StackRet,
    };
    pub use crate::profile::{self, BadHash, Fill, Keys};
    pub use crate::{Rng, Sequential, Stress, Test};
}
