//! The order that gets furthest and contains a certain operation with its own result.
//!
//! Partial orders end before the failing return. Operations that were open then are in them with any result, or not at all.
//! What if one of them, such as the failing operation, had happened as it was recorded? An order that contains it can be cut
//! off after its last call. It then explains every return before that call, and linearizes the history up to there in which
//! the operation returns next and everything else that is open is pending. So trying all these histories, the longest first,
//! finds an order exactly if there is one.

use crate::history::{OpId, Span};
use crate::subject::{Case, RetId};
use crate::verdict::{OrderWith, Partial};

use super::probe::Probe;

/// Try at most this many histories.
const MAX_TRIES: usize = 256;

/// Searches among the operations of one part, which are `ops` in the history. `failing` is the return at which they have no
/// linearization, and `op` was open then.
pub(super) fn find(probe: &Probe<'_>, part: &Case<'_>, failing: Span, op: OpId) -> OrderWith {
    let own = part.span(op);
    let mut events: Vec<u32> = Vec::new();
    for id in part.ids() {
        let Span { call, ret } = part.span(id);
        events.extend([call, ret].into_iter().filter(|at| (own.call..failing.ret).contains(at)));
    }
    events.sort_unstable();
    for (tries, until) in events.into_iter().rev().enumerate() {
        if tries == MAX_TRIES {
            return OrderWith::Unknown;
        }
        let ids: Vec<OpId> = part.ids().filter(|id| part.span(*id).call <= until).collect();
        let cut = part.derive(&ids, |id, row| {
            if row.span.ret > until && id != op {
                row.span.ret = Span::NEVER;
                row.ret = RetId::UNKNOWN;
            }
        });
        match probe.is_bad(&cut) {
            Some(true) => {}
            None => return OrderWith::Unknown,
            Some(false) => {
                let Some((order, state)) = probe.linearizations(&cut, 1).pop() else {
                    return OrderWith::Unknown;
                };
                let order = order.into_iter().map(|id| ids[id.index()]).collect();
                return OrderWith::Order { partial: Partial { order, state }, until };
            }
        }
    }
    OrderWith::None
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use crate::history::{EventBuilder, History};
    use crate::spec::models::{Queue, QueueOp, QueueRet, Register, RegisterOp, RegisterRet};
    use crate::verdict::{Known, OrderWith, states_along};
    use crate::{Checker, OpId, Spec};

    fn orders<S: Spec>(spec: &S, history: &History<S::Op, S::Ret>) -> Vec<Option<Vec<u32>>> {
        let checker = Checker::new(spec);
        let report = checker.check(history).unwrap();
        let violation = report.verdict.violation().unwrap();
        let until = Instant::now() + Duration::from_secs(60);
        let order = |id: OpId| match checker.order_with(history, violation, id, until) {
            OrderWith::Order { partial, .. } => Some(partial.order.iter().map(|id| id.0).collect()),
            OrderWith::None => None,
            OrderWith::Unknown => panic!("{id:?}"),
        };
        history.ids().map(order).collect()
    }

    #[test]
    fn a_result_that_nothing_explains_is_in_no_order() {
        let mut b = EventBuilder::new();
        let write = b.call(RegisterOp::Write(1));
        let read = b.call(RegisterOp::Read);
        b.ret(write, RegisterRet::Written).unwrap();
        b.ret(read, RegisterRet::Value(7)).unwrap();
        let later = b.call(RegisterOp::Read);
        b.ret(later, RegisterRet::Value(1)).unwrap();
        let found = orders(&Register { initial: 0 }, &b.finish());
        assert_eq!(found, [Some(vec![0]), None, None]);
    }

    #[test]
    fn an_operation_may_happen_if_others_do_not() {
        let mut b = EventBuilder::new();
        let slow = b.call(QueueOp::Dequeue);
        let (one, two) = (b.call(QueueOp::Enqueue(1)), b.call(QueueOp::Enqueue(2)));
        b.ret(one, QueueRet::Done).unwrap();
        b.ret(two, QueueRet::Done).unwrap();
        let quick = b.call(QueueOp::Dequeue);
        b.ret(quick, QueueRet::Value(Some(1))).unwrap();
        b.ret(slow, QueueRet::Value(Some(1))).unwrap();
        let found = orders(&Queue::new(), &b.finish());
        // With both enqueued, either dequeue can have taken 1.
        let slow = found[0].as_ref().unwrap();
        assert!(slow.contains(&0) && slow.contains(&1) && !slow.contains(&3), "{slow:?}");
        assert!(slow.contains(&2), "{slow:?} does not get as far as possible");
        assert!(found[3].as_ref().unwrap().contains(&3));
    }

    /// True if there is an order of operations that are called up to `last`, in which those that had returned before have their
    /// results, as `op` has, and which contains all of these.
    fn exists(history: &History<RegisterOp<i64>, RegisterRet<i64>>, op: OpId, last: u32) -> bool {
        fn extend(
            history: &History<RegisterOp<i64>, RegisterRet<i64>>,
            (op, last): (OpId, u32),
            done: u32,
            value: i64,
        ) -> bool {
            let span = |id: OpId| history.span(id);
            let is_done = |id: OpId| done & 1 << id.0 != 0;
            let is_known = |id: OpId| span(id).ret < last || id == op;
            if history.ids().all(|id| is_done(id) || !is_known(id)) {
                return true;
            }
            history.ids().filter(|id| !is_done(*id) && span(*id).call <= last).any(|id| {
                let waits = history.ids().any(|z| !is_done(z) && span(z).ret < span(id).call);
                let (fits, next) = match (history.op(id), history.ret(id)) {
                    (RegisterOp::Read, Some(RegisterRet::Value(read))) => (*read == value, value),
                    (RegisterOp::Write(new), _) => (true, *new),
                    _ => (true, value),
                };
                !waits
                    && (fits || !is_known(id))
                    && extend(history, (op, last), done | 1 << id.0, next)
            })
        }
        extend(history, (op, last), 0, 0)
    }

    #[test]
    fn an_order_is_found_exactly_if_there_is_one() {
        let mut rng = fastrand::Rng::with_seed(17);
        let (mut found, mut none) = (0, 0);
        while found < 200 || none < 200 {
            let mut b = EventBuilder::new();
            let mut open: Vec<(OpId, bool)> = Vec::new();
            let mut left = 6;
            while left > 0 || !open.is_empty() {
                if left > 0 && open.len() < 4 && (open.is_empty() || rng.bool()) {
                    let is_read = rng.bool();
                    let value = rng.i64(0..3);
                    let op = if is_read { RegisterOp::Read } else { RegisterOp::Write(value) };
                    open.push((b.call(op), is_read));
                    left -= 1;
                } else {
                    let (op, is_read) = open.swap_remove(rng.usize(0..open.len()));
                    let read = RegisterRet::Value(rng.i64(0..3));
                    b.ret(op, if is_read { read } else { RegisterRet::Written }).unwrap();
                }
            }
            let (spec, history) = (Register { initial: 0 }, b.finish());
            let checker = Checker::new(&spec);
            let report = checker.check(&history).unwrap();
            let Some(violation) = report.verdict.violation() else { continue };
            let end = history.span(violation.failing.unwrap()).ret;
            let until = Instant::now() + Duration::from_secs(60);
            for op in history.ids().filter(|id| history.span(*id).ret >= end) {
                let own = history.span(op).call;
                let calls = history.ids().map(|id| history.span(id).call);
                let expected = calls
                    .filter(|call| (own..end).contains(call))
                    .any(|call| exists(&history, op, call));
                match checker.order_with(&history, violation, op, until) {
                    OrderWith::Order { partial, until } => {
                        assert!(expected && partial.order.contains(&op), "{history:?} {op:?}");
                        let subject = crate::subject::Typed::new(&spec, &history);
                        let known = Known { until: until + 1, also: Some(op) };
                        let steps = 0..partial.order.len();
                        let along = states_along(
                            &subject,
                            history.timeline(),
                            &partial.order,
                            known,
                            steps.clone(),
                        );
                        assert_eq!(along.unwrap().after.len(), steps.end, "{history:?} {op:?}");
                        found += 1;
                    }
                    OrderWith::None => {
                        assert!(!expected, "{history:?} {op:?}");
                        none += 1;
                    }
                    OrderWith::Unknown => panic!("{history:?} {op:?}"),
                }
            }
        }
    }
}
