//! What a check answers: linearizable, with a witness; not, with an explanation; or undecided,
//! with the limit that was hit.

pub(crate) mod certify;
mod reason;
mod states;

pub use reason::{Form, OpMention, Piece, Reason, ReasonKind};
pub use states::{States, states_along};

use crate::budget::Limit;
use crate::history::OpId;

/// The answer.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// There is a legal order, and here it is. It has been validated by independent code.
    Linearizable(Witness),
    /// There is no legal order, and here is why.
    Violation(Box<Violation>),
    /// A limit was hit first.
    Undecided(Undecided),
}

impl Verdict {
    /// True for [`Verdict::Linearizable`].
    pub fn is_linearizable(&self) -> bool {
        matches!(self, Verdict::Linearizable(_))
    }

    /// The violation, if there is one.
    pub fn violation(&self) -> Option<&Violation> {
        match self {
            Verdict::Violation(v) => Some(v),
            _ => None,
        }
    }
}

/// A legal sequential order of the history: all completed operations, and those of the pending
/// ones that took effect.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// The order.
    pub order: Vec<OpId>,
}

/// Why a history is not linearizable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// What was violated.
    pub kind: ViolationKind,
    /// The operations of the independent part (object, key) in which it happened.
    pub part: Vec<OpId>,
    /// Why there is no linearization.
    pub reason: Reason,
    /// The operation at whose return the history first had no linearization.
    pub failing: Option<OpId>,
    /// False if the limits ended the search for the earliest failing return; then `failing` is a
    /// return by which the history certainly had no linearization.
    pub failing_is_earliest: bool,
    /// What the failing operation would have been allowed to return, in words.
    pub allowed: Vec<String>,
    /// True if `allowed` is everything, false if a limit or the spec cut it short.
    pub allowed_is_complete: bool,
    /// The longest partial linearizations, longest first, each with the state it leads to in words.
    pub partials: Vec<Partial>,
    /// Operations whose results and real-time order already contradict each other, in call order:
    /// at the failing return there is no linearization even if every other operation that had been
    /// called by then is relaxed (took place at any time, with any result, or not at all).
    pub core: Vec<OpId>,
    /// Whether the core could be smaller.
    pub core_status: CoreStatus,
    /// The engine, other than the one that found the violation, that confirmed it on the core.
    pub confirmed_by: Option<String>,
}

/// What was violated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ViolationKind {
    /// There is no linearization, whatever the order hints say; the explanation ignores them.
    NotLinearizable,
    /// There are linearizations, but none respects the asserted order hints.
    HintBroken,
}

/// How small a core is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum CoreStatus {
    /// Relaxing any one operation of it makes the history linearizable.
    Minimal,
    /// A limit ended the search for a smaller one.
    NotMinimised(Limit),
}

/// An order of some of the operations that is legal as far as it goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Partial {
    /// The order.
    pub order: Vec<OpId>,
    /// The state after it, in words.
    pub state: String,
}

/// A search that a limit ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Undecided {
    /// The limit.
    pub limit: Limit,
    /// Parts that were decided (all of them linearizable) and parts in all.
    pub parts_done: usize,
    /// Number of parts.
    pub parts: usize,
    /// In the part where the search stopped: how many return events some order could explain.
    pub returns_reached: usize,
    /// In the part where the search stopped: how many return events there are.
    pub returns: usize,
}
