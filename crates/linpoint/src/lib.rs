//! linpoint checks whether concurrent histories are linearizable.

mod budget;
mod check;
pub mod history;
pub mod spec;
pub mod verdict;

pub use budget::{Cancel, Limit, Limits, Progress};
pub use check::{CheckError, Checker, Hints, Report, Stats, check};
pub use history::{History, OpId};
pub use spec::{Sequential, Spec};
pub use verdict::Verdict;
