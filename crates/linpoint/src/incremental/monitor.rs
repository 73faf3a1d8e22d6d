//! The streaming form of a monitor.

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

/// What a monitor wants to know about an operation when it ends.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Token {
    /// The moment of its call.
    pub(super) call: u64,
    /// What it writes, if it may write something.
    pub(super) own: Option<u64>,
}

/// What an operation that has ended was about. As long as that matters, an engine that takes over has to know the
/// operation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Relevance {
    /// Nothing that will ever matter.
    Never,
    /// It will matter until nothing is open.
    Always,
    /// This zone of a register.
    Zone(u64),
    /// What a crashed operation may have written.
    Crashed(u64),
}

/// Watches one object, or one key of it. No method but [`StreamMonitor::call`] is given an operation that `call` has
/// refused.
pub(super) trait StreamMonitor {
    /// An operation begins. `None` if the monitor does not know such operations; then it has not
    /// changed.
    fn call(&mut self, subject: &mut dyn StreamSubject, op: OpId) -> Option<Token>;

    /// It returns. If that is a miss, nothing has changed.
    fn ret(
        &mut self,
        subject: &mut dyn StreamSubject,
        call: Call,
        token: Token,
    ) -> Result<Relevance, Miss>;

    /// It did not happen. If that is a miss, nothing has changed.
    fn fail(&mut self, subject: &mut dyn StreamSubject, open: OpenOp) -> Result<(), Miss>;

    /// Nothing more will be heard of it.
    fn crash(&mut self, subject: &mut dyn StreamSubject, open: OpenOp) -> Relevance;

    /// Everything that it could return now; `None` if that cannot be enumerated.
    fn allowed(&self, subject: &mut dyn StreamSubject, open: OpenOp) -> Option<Vec<RetId>>;

    /// States that are possible now.
    fn states(&self, subject: &mut dyn StreamSubject) -> Vec<StateId>;

    /// Nothing is open: the state, if it is certain and nothing that crashed can change it.
    fn settled(&self, subject: &mut dyn StreamSubject) -> Option<StateId>;

    /// True if an engine that takes over has to know the operation.
    fn matters(&self, relevance: Relevance) -> bool {
        !matches!(relevance, Relevance::Never)
    }

    /// True if operations may stop mattering while others are open.
    fn forgets(&self) -> bool {
        false
    }

    /// Number of things that are stored.
    fn stored(&self) -> usize;

    /// Marks the operations, results and states that are stored.
    fn mark(&self, marks: &mut Marks);
}

/// The results that an operation has in these states and that are possible, without repetition; `None` if
/// they cannot be enumerated. `is_possible` gets the position of the state, the result, and whether
/// the state would change.
pub(super) fn allowed_in(
    subject: &mut dyn StreamSubject,
    op: OpId,
    states: impl IntoIterator<Item = StateId>,
    mut is_possible: impl FnMut(&dyn StreamSubject, usize, RetId, bool) -> bool,
) -> Option<Vec<RetId>> {
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
    Some(allowed)
}
