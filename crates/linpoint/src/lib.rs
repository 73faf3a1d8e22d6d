//! linpoint checks whether concurrent histories are linearizable: whether the operations of a
//! concurrent object could have taken effect one at a time, each between its call and its return.
//!
//! ```
//! use linpoint::{History, Verdict, check};
//! use linpoint::spec::models::{Queue, QueueOp, QueueRet};
//!
//! let mut events = History::from_events();
//! let a = events.call(QueueOp::Enqueue(1));
//! events.ret(a, QueueRet::Done)?;
//! let b = events.call(QueueOp::Enqueue(2));
//! events.ret(b, QueueRet::Done)?;
//! let c = events.call(QueueOp::Dequeue);
//! events.ret(c, QueueRet::Value(Some(2)))?; // but 1 was there first
//!
//! let report = check(&Queue::new(), &events.finish())?;
//! let Verdict::Violation(violation) = report.verdict else { panic!("out of order") };
//! println!("{}", violation.reason);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Which entry point?
//!
//! | you have | use |
//! | --- | --- |
//! | a recorded history | [`check()`], or [`Checker`] for limits, threads and engines |
//! | events that arrive one by one | [`incremental::Incremental`] |
//! | a single-threaded struct that defines the correct behaviour | [`Sequential`] |
//! | a nondeterministic object, or a state type of its own | [`Spec`] |
//! | a register, map, queue, stack, set, lock, … | [`spec::models`] |
//! | a model that exists only at run time | [`subject::Subject`], [`Checker::of_subject`] |
//! | a violation that should become a small regression test | [`shrink::shrink`] |
//!
//! # Verdicts
//!
//! [`Verdict::Linearizable`] has a witness that has been validated by independent code.
//! [`Verdict::Violation`] names the earliest return that no order explains, what would have been
//! allowed there, and a few operations that contradict each other. [`Verdict::Undecided`] names the
//! limit that was hit. A specification that panics is a [`CheckError`] that names the operation.
//!
//! # Engines
//!
//! [`Engine`] lists the engines. By default the planner chooses; [`Checker::plan`] shows its
//! choice.
//!
//! # Limits
//!
//! Deciding linearizability is NP-complete. Searches over containers with many open operations can
//! be exponential: set [`Checker::timeout`] and [`Checker::memory`]. The memory limit counts what
//! linpoint allocates for configurations and tables, and states as [`Spec::state_bytes`] reports them. Memory that a
//! state shares through `Arc`, or does not report, is not counted. With the crate `linpoint-memory`, every allocation of
//! the process is: `linpoint::count_memory_with(linpoint_memory::in_use)`.
//!
//! # Research
//!
//! [`research`] contains parts for experiments: strong hitting families, and switches that turn off
//! single optimisations. You do not need them to check histories.

mod allowance;
mod budget;
mod check;
mod decide;
mod explain;
pub mod history;
#[doc(hidden)]
pub mod hitting;
pub mod incremental;
mod minimise;
pub mod monitor;
mod parallel;
pub mod plan;
#[doc(hidden)]
pub mod random;
mod search;
pub mod shrink;
mod sorting;
pub mod spec;
mod split;
pub mod subject;
pub mod verdict;
pub mod wire;

pub use allowance::Allowance;
pub use budget::{Cancel, Limit, Limits, Progress, count_memory_with};
pub use check::{CheckError, Checker, Hints, Part, PartStatus, Report, Stats, check};
pub use history::{History, OpId};
pub use plan::{Algorithm, Plan, UnknownEngine};
pub use search::Engine;
#[doc(hidden)]
pub use search::Switches;
pub use spec::{Sequential, Spec};
pub use verdict::Verdict;

/// Parts for experiments and for measuring the algorithms. You do not need them to check histories.
pub mod research {
    #[doc(inline)]
    pub use crate::hitting;
    #[doc(inline)]
    pub use crate::monitor::Times;
    #[doc(inline)]
    pub use crate::search::Switches;
}
