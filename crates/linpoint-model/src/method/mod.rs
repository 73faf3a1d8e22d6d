//! Methods of checking: what a state carries beside the state of the algorithm, and how it is used.

mod common;
mod configs;
mod monitor;
mod numbers;
mod recorded;
mod row_set;
mod scratch;

pub(crate) use common::{Linearization, linearizations};
pub(crate) use configs::Configs;
pub(crate) use monitor::Monitor;
pub(crate) use numbers::{Numbered, Numbers, Part, ThreadEvent, history, is_linearizable, report};
pub(crate) use recorded::Recorded;
pub(crate) use scratch::Scratch;

use crate::system::Renaming;

/// How histories are checked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Method {
    /// The state carries the set of specification configurations that the history so far could have led to. Sound and
    /// complete.
    #[default]
    Sound,
    /// The model marks linearization points. Sound; complete if the points are correct.
    Points,
    /// The history is part of the state, and is checked when it is complete. Sound and complete, and expensive.
    Recorded,
    /// As `Sound`, but only for the simple executions of snapshot objects, which are sufficient
    /// ([`SimpleRuns`](crate::SimpleRuns)). Sound and complete.
    Simple,
    /// As `Simple`, but the state carries only a few bits, which decide whether a simple execution is linearizable. Sound and
    /// complete.
    Polynomial,
    /// The history is not part of the state; a search that reaches a known state backtracks. Not sound: finds bugs, verifies
    /// nothing. Depth-first on one core.
    External,
    /// As `External`, but backtracks only if the history shares a linearization with the one that led to the state before.
    /// Not sound either. Depth-first on one core.
    Common,
}

impl Method {
    /// All of them.
    pub const ALL: [Method; 7] = [
        Method::Sound,
        Method::Points,
        Method::Recorded,
        Method::Simple,
        Method::Polynomial,
        Method::External,
        Method::Common,
    ];

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Method::Sound => "sound",
            Method::Points => "points",
            Method::Recorded => "recorded",
            Method::Simple => "simple",
            Method::Polynomial => "polynomial",
            Method::External => "external",
            Method::Common => "common",
        }
    }

    /// The method of this name.
    pub fn from_name(name: &str) -> Option<Method> {
        Method::ALL.into_iter().find(|method| method.name() == name)
    }

    /// True if finding no violation means that there is none within the bounds.
    pub fn is_sound(self) -> bool {
        !matches!(self, Method::External | Method::Common)
    }

    /// True if only simple executions of snapshot objects are explored.
    pub fn is_for_snapshots(self) -> bool {
        matches!(self, Method::Simple | Method::Polynomial)
    }

    /// The warning to show with every result of a method that is not sound.
    pub fn warning(self) -> Option<&'static str> {
        match self {
            Method::External => Some(
                "unsound: histories that lead to a state discovered before are not checked to their end; \
                 this method finds bugs and verifies nothing",
            ),
            Method::Common => Some(
                "unsound: one common linearization does not make two histories equivalent; this \
                 method finds bugs and verifies nothing",
            ),
            _ => None,
        }
    }
}

/// Tracks the history of a run for a method. States carry what it needs as a number.
pub(crate) trait Tracker: Send + Sync {
    /// What the initial state carries.
    fn initial(&self) -> u32;

    /// What is carried after this event; `None` if the event cannot be explained.
    fn advance(&self, carried: u32, taken: ThreadEvent, scratch: &mut Scratch) -> Option<u32>;

    /// What is carried with threads in other positions and other names for values. By default nothing is renamed, for
    /// methods with which the reductions are off.
    fn rename(&self, carried: u32, _renaming: &Renaming) -> u32 {
        carried
    }

    /// The mentioned values, a bit for each.
    fn values(&self, _carried: u32) -> u64 {
        0
    }

    /// Whether the carried history is linearizable. `None` if none is carried, or if it was judged before.
    fn judge(&self, _carried: u32) -> Option<bool> {
        None
    }

    /// Judges the histories that were not judged so far, at the end. Returns one that is not linearizable, if any.
    fn judge_rest(&self) -> Option<u32> {
        None
    }

    /// Number of histories judged so far.
    fn judged(&self) -> u64 {
        0
    }

    /// Size of the largest set of configurations, if sets are carried.
    fn widest(&self) -> usize {
        0
    }

    /// Number of distinct values carried.
    fn len(&self) -> usize;

    /// Bytes in use.
    fn bytes(&self) -> usize;
}
