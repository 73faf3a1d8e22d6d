//! Explores every interleaving of a small model of a concurrent algorithm, and checks each for linearizability.
//!
//! A [`Model`] describes one atomic step of one thread at a time. [`explore()`] performs all steps in every order, within
//! [`Bounds`] on threads and operations. No linearization points are needed. The result is [`Outcome::Clean`] if every run
//! within the bounds is linearizable; a violation, as a run step by step with the library's explanation; or the limit that
//! was hit first.
//!
//! ```
//! use linpoint_model::{Bounds, Outcome, Settings, catalogue::Treiber, explore};
//!
//! // A stack that reuses its nodes, which other threads may still hold.
//! let stack = Treiber::reuse_value_before();
//! let bounds = Bounds::Total { threads: 2, ops: 4 };
//! let result = explore(&stack, &bounds, &Settings::default())?;
//! let Outcome::Violation(violation) = result.outcome else { panic!("the ABA problem") };
//! for step in &violation.steps {
//!     println!("thread {} {:?}: {}", step.thread, step.lines, step.shared);
//! }
//! # Ok::<(), linpoint_model::ModelError>(())
//! ```
//!
//! `examples/your_own.rs` models an algorithm from scratch. The [`catalogue`] has many more, correct and broken.
//!
//! # How it works
//!
//! Each state carries the set of specification configurations that its history could have led to
//! ([`Method::Sound`]); other [`Method`]s are there for comparison. Parts of states are numbered, and states are stored
//! exactly, as trees of pairs of numbers: there are no hash collisions.
//!
//! All cores share the tables of numbers, most of them without locks. Tests run these tables under
//! [loom](https://docs.rs/loom):
//!
//! ```sh
//! RUSTFLAGS="--cfg loom" cargo test -p linpoint-model --lib loom_ --release
//! ```

mod bounds;
pub mod catalogue;
mod error;
mod explore;
mod method;
mod model;
mod names;
mod simple;
pub mod spin;
// Cargo does not know `cfg(loom)`, which only the tests of this module use.
#[allow(unexpected_cfgs)]
mod sync;
mod system;

pub use bounds::{Bounds, MAX_THREADS, parse_program};
pub use error::{ModelError, ProgramError, Unsupported};
pub use explore::{
    Counts, Exploration, Operation, Order, Outcome, Progress, Reductions, Settings, Step,
    Violation, explore,
};
pub use method::Method;
pub use model::{Cx, Flow, Interface, Model, Op, Ret, SpecPart, State, Symmetry};
pub use names::{Heap, Names, Node};
pub use simple::{Omit, Pair, SimpleRuns, SnapshotRole};
