//! The trait for monitors of streams.

use rustc_hash::FxHashSet;

use crate::history::OpId;
use crate::subject::{Call, Marks, RetId, StateId, StreamSubject};

use super::open_ops::OpenOp;

/// Why an operation cannot be explained.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Miss {
    /// There is no linearization.
    Impossible,
    /// The monitor cannot decide.
    Unclear,
}

/// The data that a monitor keeps for an open operation.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Token {
    /// The time of its call.
    pub(super) call: u64,
    /// The value that it may write, if any.
    pub(super) own: Option<u64>,
}

/// What an ended operation was about. As long as that matters, an engine that takes over needs to
/// know the operation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Relevance {
    /// It will never matter.
    Never,
    /// It matters until nothing is open.
    Always,
    /// It matters as long as this zone of a register.
    Zone(u64),
    /// It crashed, and matters as long as the value that it may have written.
    Crashed(u64),
}

/// What an operation was about that has returned, or why it cannot be explained.
pub(super) type Returned = Result<Relevance, Miss>;

/// Results that an operation could return.
#[derive(Clone, Default, Debug)]
pub(super) struct Allowed {
    pub(super) rets: Vec<RetId>,
    /// False if there may be others.
    pub(super) is_complete: bool,
}

impl Allowed {
    /// There are no others.
    pub(super) fn all(rets: Vec<RetId>) -> Allowed {
        Allowed { rets, is_complete: true }
    }
}

/// Monitors one object, or one key of it. Operations that [`StreamMonitor::call`] has refused are
/// not passed to any other method.
pub(super) trait StreamMonitor {
    /// An operation begins. `None` if the monitor does not know such operations; the monitor is
    /// then unchanged.
    fn call(&mut self, subject: &mut dyn StreamSubject, op: OpId) -> Option<Token>;

    /// It returns. On a miss, the monitor is unchanged.
    fn ret(&mut self, subject: &mut dyn StreamSubject, call: Call, token: Token) -> Returned;

    /// It did not take effect. On a miss, the monitor is unchanged.
    fn fail(&mut self, subject: &mut dyn StreamSubject, open: OpenOp) -> Result<(), Miss>;

    /// It will never return.
    fn crash(&mut self, subject: &mut dyn StreamSubject, open: OpenOp) -> Relevance;

    /// Everything that it could return now; `None` if that cannot be enumerated.
    fn allowed(&mut self, subject: &mut dyn StreamSubject, open: OpenOp) -> Option<Allowed>;

    /// The states that are possible now.
    fn states(&self, subject: &mut dyn StreamSubject) -> Vec<StateId>;

    /// The state, if nothing is open, the state is certain, and no crashed operation can change it.
    fn settled(&self, subject: &mut dyn StreamSubject) -> Option<StateId>;

    /// True if an engine that takes over needs to know the operation.
    fn matters(&self, relevance: Relevance) -> bool {
        !matches!(relevance, Relevance::Never)
    }

    /// True if operations may stop mattering while others are open.
    fn forgets(&self) -> bool {
        false
    }

    /// Number of stored items.
    fn stored(&self) -> usize;

    /// Marks the stored operations, results and states.
    fn mark(&self, marks: &mut Marks);
}

/// The possible results of an operation in these states, without duplicates; `None` if they cannot
/// be enumerated. `is_possible` receives the index of the state, the result, and whether the state
/// would change.
pub(super) fn allowed_in(
    subject: &mut dyn StreamSubject,
    op: OpId,
    states: impl IntoIterator<Item = StateId>,
    mut is_possible: impl FnMut(&dyn StreamSubject, usize, RetId, bool) -> bool,
) -> Option<Allowed> {
    let mut outcomes = Vec::new();
    let mut seen = FxHashSet::default();
    let mut allowed = Vec::new();
    for (at, state) in states.into_iter().enumerate() {
        if !subject.outcomes(state, Call::unknown(op), &mut outcomes) {
            return None;
        }
        for (ret, next) in outcomes.drain(..) {
            if !seen.contains(&ret) && is_possible(subject, at, ret, next != state) {
                seen.insert(ret);
                allowed.push(ret);
            }
        }
    }
    Some(Allowed::all(allowed))
}
