//! linpoint checks whether concurrent histories are linearizable.

mod budget;
mod check;
mod decide;
mod explain;
pub mod history;
pub mod incremental;
pub mod plan;
mod search;
pub mod spec;
mod split;
pub mod verdict;

pub use budget::{Cancel, Limit, Limits, Progress};
pub use check::{CheckError, Checker, Hints, Report, Stats, check};
pub use history::{History, OpId};
pub use plan::Plan;
pub use search::{Engine, Switches};
pub use spec::{Sequential, Spec};
pub use verdict::Verdict;
