//! Why a partial order ends where it does: for each operation that could come next, what is in its way.
//!
//! Like the states along an order, this is for people, not evidence: engines have searched all orders, and this looks
//! at one of them again.

use rustc_hash::FxHashSet;

use super::asking::{Asking, PossibleResults};
use super::states::MAX_WORK;
use super::{Partial, Violation, ViolationKind};
use crate::budget::Memory;
use crate::history::{OpId, Timeline};
use crate::sorting::{pair, sort_by_key};
use crate::subject::{Call, Subject};

/// Look at no more operations than this.
const MAX_BLOCKED: usize = 64;
/// List at most this many results.
const MAX_RESULTS: usize = 8;

/// An operation that is not in a partial order, and what is in its way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Blocked {
    /// The operation.
    pub op: OpId,
    /// What is in its way.
    pub obstacle: Obstacle,
}

/// What is in the way of an operation.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Obstacle {
    /// Another operation had returned before it was called, and is not in the order either.
    After(OpId),
    /// After the order, it has another result than the recorded one.
    Returns(PossibleResults),
    /// It is in the order, with another result than the recorded one.
    InOrder(PossibleResults),
    /// Nothing: it can come next. Then the failing operation still has another result than the recorded one.
    Helpless(PossibleResults),
}

/// The operations that were called before the failing return and are not in a partial order of the violation: why none of
/// them continues it. The failing operation comes first. `None` if the states along the order cannot be followed, or if the
/// violation is about asserted positions.
pub fn blocked_after(
    subject: &dyn Subject,
    timeline: &Timeline,
    violation: &Violation,
    partial: &Partial,
) -> Option<Vec<Blocked>> {
    let failing = violation.failing?;
    if violation.kind != ViolationKind::NotLinearizable {
        return None;
    }
    let until = timeline.span(failing).ret;
    let memory = Memory::unlimited();
    let mut asking = Asking::new(subject, &memory);
    let recorded = |id: OpId| match timeline.span(id).ret < until {
        true => Call::recorded(id),
        false => Call::unknown(id),
    };
    let mut states = asking.initial()?;
    let mut blocked = Vec::new();
    let mut work = 0;
    for id in &partial.order {
        if *id == failing {
            let obstacle = Obstacle::InOrder(asking.results(&states, failing, MAX_RESULTS)?);
            blocked.push(Blocked { op: failing, obstacle });
        }
        states = asking.after(&states, recorded(*id))?;
        work += asking.bytes(&states);
        if states.is_empty() || work > MAX_WORK {
            return None;
        }
    }
    let inside: FxHashSet<OpId> = partial.order.iter().copied().collect();
    let mut left = violation.part.clone();
    left.retain(|id| timeline.span(*id).call < until && !inside.contains(id));
    sort_by_key(&mut left, |id| pair(u32::from(*id != failing), timeline.span(*id).call));
    for op in left.iter().copied().take(MAX_BLOCKED) {
        let called = timeline.span(op).call;
        let earlier = left.iter().find(|other| timeline.span(**other).ret < called);
        let obstacle = match earlier {
            Some(other) => Obstacle::After(*other),
            None if op == failing => Obstacle::Returns(asking.results(&states, op, MAX_RESULTS)?),
            None => {
                let next = asking.after(&states, recorded(op))?;
                match next.is_empty() {
                    true => Obstacle::Returns(asking.results(&states, op, MAX_RESULTS)?),
                    false => Obstacle::Helpless(asking.results(&next, failing, MAX_RESULTS)?),
                }
            }
        };
        blocked.push(Blocked { op, obstacle });
    }
    Some(blocked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::check;
    use crate::history::{EventBuilder, History};
    use crate::spec::models::{Register, RegisterOp, RegisterRet};
    use crate::subject::Typed;

    type Events = EventBuilder<RegisterOp<i64>, RegisterRet<i64>>;

    fn all_blocked(events: Events) -> Vec<(u32, Obstacle)> {
        let history: History<_, _> = events.finish();
        let spec = Register { initial: 0 };
        let report = check(&spec, &history).unwrap();
        let violation = report.verdict.violation().expect("it is not linearizable");
        let subject = Typed::new(&spec, &history);
        let partial = &violation.partials[0];
        let blocked = blocked_after(&subject, history.timeline(), violation, partial);
        blocked.unwrap().into_iter().map(|blocked| (blocked.op.0, blocked.obstacle)).collect()
    }

    fn results(texts: &[&str]) -> PossibleResults {
        let texts = texts.iter().map(|text| (*text).to_owned()).collect();
        PossibleResults { texts, is_complete: true }
    }

    /// An order without anything, although the write had returned before the read was called.
    #[test]
    fn what_is_not_in_the_order_comes_first() {
        let mut events: Events = History::from_events();
        let write = events.call(RegisterOp::Write(1));
        events.ret(write, RegisterRet::Written).unwrap();
        let read = events.call(RegisterOp::Read);
        events.ret(read, RegisterRet::Value(7)).unwrap();
        let (spec, history) = (Register { initial: 0 }, events.finish());
        let report = check(&spec, &history).unwrap();
        let violation = report.verdict.violation().expect("it is not linearizable");
        let nothing = Partial { order: Vec::new(), state: "0".to_owned() };
        let subject = Typed::new(&spec, &history);
        let blocked = blocked_after(&subject, history.timeline(), violation, &nothing).unwrap();
        let after = Blocked { op: read, obstacle: Obstacle::After(write) };
        let helpless = Blocked { op: write, obstacle: Obstacle::Helpless(results(&["1"])) };
        assert_eq!(blocked, [after, helpless]);
    }

    #[test]
    fn a_result_is_wrong_and_an_open_operation_does_not_help() {
        let mut events: Events = History::from_events();
        let write = events.call(RegisterOp::Write(1));
        events.ret(write, RegisterRet::Written).unwrap();
        let open = events.call(RegisterOp::Write(2));
        let read = events.call(RegisterOp::Read);
        events.ret(read, RegisterRet::Value(7)).unwrap();
        let blocked = all_blocked(events);
        let expected = [
            (read.0, Obstacle::Returns(results(&["1"]))),
            (open.0, Obstacle::Helpless(results(&["2"]))),
        ];
        // The order may have the open write in it.
        let with_open = [(read.0, Obstacle::Returns(results(&["2"])))];
        assert!(blocked == expected || blocked == with_open, "{blocked:?}");
    }
}
