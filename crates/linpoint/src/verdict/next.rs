//! What can come next after an order, and why not: for people who step through a violation.
//!
//! Like the states along an order, this is no evidence.

use super::Known;
use super::asking::{Asking, PossibleResults};
use crate::budget::Memory;
use crate::history::{OpId, Span, Timeline};
use crate::sorting::sort_by_key;
use crate::subject::{Call, StateId, Subject};

/// Follow at most this many states in parallel.
const MAX_AT_ONCE: usize = 16;
/// Name at most this many results.
const MAX_RESULTS: usize = 3;

/// An operation that no other one has to precede.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Next {
    /// The operation.
    pub op: OpId,
    /// Whether it can come next.
    pub fits: Fits,
}

/// Whether an operation can come next, as it was recorded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fits {
    /// It can.
    Yes,
    /// It would return one of these results instead.
    WouldReturn(Vec<String>),
    /// It cannot take effect in this state.
    NotEnabled,
    /// It cannot; what it would return is not known.
    No,
}

/// The operations of `part` that no other one has to precede after `order`, at most `most` of them: those whose calls are
/// latest. `None` if the order, which explains the results that are `known`, takes too many states to follow.
pub fn next_after(
    subject: &dyn Subject,
    timeline: &Timeline,
    (part, order): (&[OpId], &[OpId]),
    known: Known,
    most: usize,
) -> Option<Vec<Next>> {
    let memory = Memory::unlimited();
    let mut asking = Asking::new(subject, &memory);
    let mut states = asking.initial()?;
    for id in order {
        states = asking.after(&states, known.call(timeline, *id))?;
        if states.is_empty() || states.len() > MAX_AT_ONCE {
            return None;
        }
    }
    let next = |op| Some(Next { op, fits: fits(&mut asking, timeline, &states, op)? });
    candidates(timeline, part, order, most).into_iter().map(next).collect()
}

/// The operations that were called before any of those that are left had returned.
fn candidates(timeline: &Timeline, part: &[OpId], order: &[OpId], most: usize) -> Vec<OpId> {
    let done: rustc_hash::FxHashSet<OpId> = order.iter().copied().collect();
    let left = || part.iter().copied().filter(|id| !done.contains(id));
    let first_return = left().map(|id| timeline.span(id).ret).min().unwrap_or(Span::NEVER);
    let mut candidates: Vec<OpId> =
        left().filter(|id| timeline.span(*id).call < first_return).collect();
    sort_by_key(&mut candidates, |id| !timeline.span(*id).call);
    candidates.truncate(most);
    candidates.reverse();
    candidates
}

fn fits(
    asking: &mut Asking<'_>,
    timeline: &Timeline,
    states: &[StateId],
    op: OpId,
) -> Option<Fits> {
    let has_result = !timeline.span(op).is_pending() && asking.is_known(op);
    let call = if has_result { Call::recorded(op) } else { Call::unknown(op) };
    if !asking.after(states, call)?.is_empty() {
        return Some(Fits::Yes);
    }
    if !has_result {
        return Some(Fits::NotEnabled);
    }
    let PossibleResults { texts, is_complete } = asking.results(states, op, MAX_RESULTS)?;
    Some(match (texts.is_empty(), is_complete) {
        (true, true) => Fits::NotEnabled,
        (false, true) => Fits::WouldReturn(texts),
        (_, false) => Fits::No,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::History;
    use crate::spec::models::{Mutex, MutexOp, MutexRet, Queue, QueueOp, QueueRet};
    use crate::subject::Typed;

    #[test]
    fn what_an_operation_would_return() {
        let mut b = History::from_events();
        let (one, two) = (b.call(QueueOp::Enqueue(1)), b.call(QueueOp::Enqueue(2)));
        b.ret(one, QueueRet::Done).unwrap();
        b.ret(two, QueueRet::Done).unwrap();
        let (wrong, lost) = (b.call(QueueOp::Dequeue), b.call(QueueOp::Dequeue));
        b.ret(wrong, QueueRet::Value(Some(2))).unwrap();
        let later = b.call(QueueOp::Dequeue);
        b.ret(later, QueueRet::Value(Some(1))).unwrap();
        let (spec, history) = (Queue::new(), b.finish());
        let subject = Typed::new(&spec, &history);
        let part: Vec<OpId> = history.ids().collect();
        let next = |order: &[OpId]| {
            next_after(&subject, history.timeline(), (&part, order), Known::ALL, 9).unwrap()
        };
        // The last one was called after `wrong` had returned.
        let would = Fits::WouldReturn(vec!["1".to_owned()]);
        let fits = |op, fits| Next { op, fits };
        assert_eq!(next(&[one, two]), [fits(wrong, would), fits(lost, Fits::Yes)]);
        assert_eq!(
            next(&[one, two, lost, wrong]),
            [fits(later, Fits::WouldReturn(vec!["empty".to_owned()]))]
        );
        assert_eq!(next(&[]), [fits(one, Fits::Yes), fits(two, Fits::Yes)]);
        let one_only = next_after(&subject, history.timeline(), (&part, &[]), Known::ALL, 1);
        assert_eq!(one_only.unwrap(), [fits(two, Fits::Yes)]);
    }

    #[test]
    fn what_an_operation_waits_for() {
        let mut b = History::from_events();
        let (first, second) = (b.call(MutexOp::Acquire(None)), b.call(MutexOp::Acquire(None)));
        b.ret(first, MutexRet::Done).unwrap();
        b.ret(second, MutexRet::Done).unwrap();
        let (spec, history) = (Mutex::default(), b.finish());
        let subject = Typed::new(&spec, &history);
        let part: Vec<OpId> = history.ids().collect();
        let next = next_after(&subject, history.timeline(), (&part, &[first]), Known::ALL, 9);
        assert_eq!(next.unwrap(), [Next { op: second, fits: Fits::NotEnabled }]);
    }
}
