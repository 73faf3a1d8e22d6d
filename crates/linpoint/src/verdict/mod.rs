//! The answer of a check: linearizable, with a witness; not linearizable, with an explanation; or
//! undecided, with the limit that was hit.

mod argument;
mod asking;
mod blocked;
pub(crate) mod certify;
mod next;
mod reason;
mod states;

pub use argument::{Argument, FlagFact, Last, Rule};
pub use asking::PossibleResults;
pub use blocked::{Blocked, Obstacle, blocked_after};
pub use next::{Fits, Next, next_after};
pub use reason::{Form, OpMention, Piece, Reason, ReasonKind};
pub use states::{Known, States, states_along};

use crate::budget::Limit;
use crate::history::OpId;

/// The answer.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// A legal order exists. The witness has been validated by independent code.
    Linearizable(Witness),
    /// No legal order exists. The violation explains why.
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
    /// The results that the failing operation could have returned, as text.
    pub allowed: Vec<String>,
    /// True if `allowed` is complete; false if a limit or the spec cut it short.
    pub allowed_is_complete: bool,
    /// The longest partial linearizations, longest first, each with its final state as text.
    pub partials: Vec<Partial>,
    /// Operations whose results and real-time order already contradict each other, in call order:
    /// at the failing return there is no linearization even if every other operation that had been
    /// called by then is relaxed (took place at any time, with any result, or not at all).
    pub core: Vec<OpId>,
    /// Whether the core is minimal.
    pub core_status: CoreStatus,
    /// The engine that confirmed the violation on the core. It differs from the one that found the
    /// violation.
    pub confirmed_by: Option<String>,
}

/// What was violated.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ViolationKind {
    /// There is no linearization, whatever the order hints say. The explanation ignores them.
    NotLinearizable,
    /// Linearizations exist, but none respects the asserted order hints.
    HintBroken,
    /// No linearization respects the asserted order hints. A limit was hit before it was known whether there is one
    /// that does not.
    WithHints,
    /// The history is linearizable, but something else that was promised does not hold. Found outside of this crate.
    BrokenGuarantee,
}

/// How small a core is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum CoreStatus {
    /// Relaxing any one operation of it makes the history linearizable.
    Minimal,
    /// A minimal core, and other operations that the reason names.
    Extended,
    /// A limit ended minimisation.
    NotMinimised(Limit),
}

/// A legal order of some of the operations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Partial {
    /// The order.
    pub order: Vec<OpId>,
    /// The state after it, as text.
    pub state: String,
}

/// Whether there is a legal order of some of the operations that contains a certain one with its own result, see
/// [`Checker::order_with`](crate::Checker::order_with).
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OrderWith {
    /// The one that gets furthest.
    Order {
        /// The order.
        partial: Partial,
        /// It explains all returns up to this rank. Other operations that returned later may have had any result in it.
        until: u32,
    },
    /// There is none.
    None,
    /// A limit was hit first, or the explanation of the violation lacks what is needed.
    Unknown,
}

/// A limit ended the search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Undecided {
    /// The limit.
    pub limit: Limit,
    /// Parts that were decided, all of them linearizable.
    pub parts_done: usize,
    /// Number of parts.
    pub parts: usize,
    /// In the part where the search stopped: the number of returns that some order explains.
    pub returns_reached: usize,
    /// In the part where the search stopped: the number of returns.
    pub returns: usize,
}
