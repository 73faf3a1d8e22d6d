//! The states along an order, as text: a report shows them beside each step.
//!
//! These are not evidence: `certify` validates witnesses. The order is followed from the initial
//! state, in several states in parallel where results are unknown. The bytes of the states made are
//! limited, so that a page about an object with a large state is finished in reasonable time.

use std::ops::Range;

use crate::budget::{Budget, Memory};
use crate::history::{OpId, Span, Timeline};
use crate::sorting::sort_by_key;
use crate::subject::{Call, Session, StateId, Subject};

/// Follow at most this many states in parallel.
const MAX_AT_ONCE: usize = 16;
/// Describe at most this many of them.
const MAX_WORDS: usize = 4;
/// Stop after this many bytes of states and their texts.
pub(super) const MAX_WORK: usize = 256 << 20;

/// The states along an order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct States {
    /// The position in the order of the first operation of `after`.
    pub first: usize,
    /// The state before that operation.
    pub before: String,
    /// The state after each operation. Shorter than requested if it took too much work.
    pub after: Vec<String>,
}

/// Which results an order explains. In the partial orders of a violation, operations that returned at the failing return or
/// later have any result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    /// Those that were returned before this rank.
    pub until: u32,
    /// And the one of this operation.
    pub also: Option<OpId>,
}

impl Known {
    /// All results.
    pub const ALL: Known = Known { until: Span::NEVER, also: None };

    /// The results that were returned before a rank.
    pub fn until(rank: u32) -> Known {
        Known { until: rank, also: None }
    }

    /// The operation with its result, if the order explains that.
    pub(super) fn call(self, timeline: &Timeline, id: OpId) -> Call {
        match timeline.span(id).ret < self.until || self.also == Some(id) {
            true => Call::recorded(id),
            false => Call::unknown(id),
        }
    }
}

/// The states after the operations `window` of `order`, which belongs to one independent part and explains the results that
/// are `known`. `None` if the window begins beyond what can be followed.
pub fn states_along(
    subject: &dyn Subject,
    timeline: &Timeline,
    order: &[OpId],
    known: Known,
    window: Range<usize>,
) -> Option<States> {
    let memory = Memory::unlimited();
    let budget = &mut Budget::new(None, &memory);
    let mut session = subject.session();
    let mut states = vec![session.initial(budget).ok()?];
    let mut next = Vec::new();
    let mut out = States { first: window.start, ..States::default() };
    let mut work = 0usize;
    for (at, id) in order.iter().enumerate().take(window.end) {
        if at == window.start {
            out.before = as_text(&*session, &states);
        }
        let call = known.call(timeline, *id);
        step_all(&mut *session, &states, call, &mut next, budget)?;
        work += next.iter().map(|state| session.bytes(*state)).sum::<usize>();
        if next.is_empty() || next.len() > MAX_AT_ONCE || work > MAX_WORK {
            break;
        }
        std::mem::swap(&mut states, &mut next);
        if at >= window.start {
            let text = as_text(&*session, &states);
            work += text.len();
            out.after.push(text);
        }
    }
    if out.after.is_empty() && !window.is_empty() {
        return None;
    }
    Some(out)
}

/// Replaces `next` by the successors of all states.
pub(super) fn step_all(
    session: &mut dyn Session,
    states: &[StateId],
    call: Call,
    next: &mut Vec<StateId>,
    budget: &mut Budget<'_>,
) -> Option<()> {
    next.clear();
    for state in states {
        session.step(*state, call, next, budget).ok()?;
    }
    sort_by_key(next, |state| state.0);
    next.dedup();
    Some(())
}

fn as_text(session: &dyn Session, states: &[StateId]) -> String {
    let texts = states.iter().take(MAX_WORDS).map(|state| session.describe(*state));
    let mut text = texts.collect::<Vec<_>>().join(" or ");
    if states.len() > MAX_WORDS {
        text.push_str(" or others");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::History;
    use crate::spec::models::{Register, RegisterOp, RegisterRet};
    use crate::subject::Typed;

    #[test]
    fn the_states_of_a_window_and_the_one_before_it() {
        let mut events = History::from_events();
        let mut order = Vec::new();
        for value in 1..=4 {
            let write = events.call(RegisterOp::Write(value));
            events.ret(write, RegisterRet::Written).unwrap();
            order.push(write);
        }
        let history = events.finish();
        let spec = Register { initial: 0 };
        let subject = Typed::new(&spec, &history);
        let along = |window| {
            states_along(&subject, history.timeline(), &order, Known::ALL, window).unwrap()
        };
        let all = along(0..4);
        assert_eq!((all.before.as_str(), all.after.len()), ("0", 4));
        let last = along(2..9);
        assert_eq!(
            last,
            States { first: 2, before: "2".into(), after: vec!["3".into(), "4".into()] }
        );
    }

    #[test]
    fn an_illegal_step_ends_the_states() {
        let mut events = History::from_events();
        let read = events.call(RegisterOp::Read);
        events.ret(read, RegisterRet::Value(7)).unwrap();
        let history = events.finish();
        let spec = Register { initial: 0 };
        let subject = Typed::new(&spec, &history);
        let along = |known| states_along(&subject, history.timeline(), &[read], known, 0..1);
        assert_eq!(along(Known::ALL), None);
        // With any result it is legal.
        let known = Known::until(history.span(read).ret);
        assert!(along(known).is_some());
        assert_eq!(along(Known { also: Some(read), ..known }), None);
    }
}
