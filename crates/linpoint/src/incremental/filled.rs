//! Containers that hold certain elements.

use crate::history::OpId;
use crate::subject::{Call, RetId, StateId, StreamSubject};

/// Show no state with more elements than this.
const MOST_SHOWN: usize = 1 << 11;

/// The state after these additions. `None` if there are too many.
pub(super) fn state_after(
    subject: &mut dyn StreamSubject,
    initial: StateId,
    adds: &[OpId],
) -> Option<StateId> {
    if adds.len() > MOST_SHOWN {
        return None;
    }
    let (mut state, mut next) = (initial, Vec::new());
    for add in adds {
        subject.successors(state, *add, &mut next);
        state = next.pop()?;
        next.clear();
    }
    Some(state)
}

/// The result of an operation after this addition, or on an empty container.
pub(super) fn result_after(
    subject: &mut dyn StreamSubject,
    initial: StateId,
    op: OpId,
    add: Option<OpId>,
) -> Option<RetId> {
    let state = state_after(subject, initial, add.as_slice())?;
    let mut outcomes = Vec::new();
    subject.outcomes(state, Call::unknown(op), &mut outcomes);
    outcomes.pop().map(|(ret, _)| ret)
}
