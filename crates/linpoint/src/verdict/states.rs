//! The states along an order, in words: what a report shows beside each step.
//!
//! Not evidence of anything: witnesses are validated by `certify`. The order is followed from the
//! initial state in all states at once where results are unknown. Work is limited by the bytes of the
//! states that are made, so that a page about an object with a large state does not take for ever.

use std::ops::Range;

use crate::history::{History, OpId};
use crate::spec::Spec;

/// So many states at once are followed.
const MAX_AT_ONCE: usize = 16;
/// So many of them are put into words.
const MAX_WORDS: usize = 4;
/// Bytes of states, and of their texts, that are made before it is enough.
const MAX_WORK: usize = 256 << 20;

/// The states along an order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct States {
    /// The position in the order of the first operation of `after`.
    pub first: usize,
    /// The state before that operation.
    pub before: String,
    /// The state after each operation. Shorter than was asked for if it became too much work.
    pub after: Vec<String>,
}

/// The states after the operations `window` of `order`, which belongs to one independent part.
///
/// Operations whose return rank is `known_until` or later took part with any result: that is how
/// the partial orders of a violation are meant, with `known_until` the rank of the failing return.
/// `None` if the window begins beyond what can be followed.
pub fn states_along<S: Spec>(
    spec: &S,
    history: &History<S::Op, S::Ret>,
    order: &[OpId],
    known_until: u32,
    window: Range<usize>,
) -> Option<States> {
    let mut states = vec![spec.initial()];
    let mut next: Vec<S::State> = Vec::new();
    let mut out = States { first: window.start, ..States::default() };
    let mut work = 0usize;
    for (at, id) in order.iter().enumerate().take(window.end) {
        if at == window.start {
            out.before = in_words(spec, &states);
        }
        let known = history.span(*id).ret < known_until;
        let ret = history.ret(*id).filter(|_| known);
        next.clear();
        for state in &states {
            let from = next.len();
            spec.successors(state, history.op(*id), ret, &mut next);
            work += next[from..].iter().map(|s| spec.state_bytes(s)).sum::<usize>();
        }
        let mut distinct: Vec<S::State> = Vec::with_capacity(1);
        for state in next.drain(..) {
            if !distinct.contains(&state) {
                distinct.push(state);
            }
        }
        if distinct.is_empty() || distinct.len() > MAX_AT_ONCE || work > MAX_WORK {
            break;
        }
        states = distinct;
        if at >= window.start {
            let words = in_words(spec, &states);
            work += words.len();
            out.after.push(words);
        }
    }
    if out.after.is_empty() && !window.is_empty() {
        return None;
    }
    Some(out)
}

fn in_words<S: Spec>(spec: &S, states: &[S::State]) -> String {
    let words = states.iter().take(MAX_WORDS).map(|state| spec.describe_state(state));
    let mut text = words.collect::<Vec<_>>().join(" or ");
    if states.len() > MAX_WORDS {
        text.push_str(" or others");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Span;
    use crate::spec::models::{Register, RegisterOp, RegisterRet};

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
        let along = |window| states_along(&spec, &history, &order, Span::NEVER, window).unwrap();
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
        assert_eq!(states_along(&spec, &history, &[read], Span::NEVER, 0..1), None);
        // With any result it is legal.
        let ret = history.span(read).ret;
        assert!(states_along(&spec, &history, &[read], ret, 0..1).is_some());
    }
}
