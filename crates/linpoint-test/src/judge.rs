//! Judges an execution with linpoint.
//!
//! **Operations that wait.** When progress stops and some operations have not returned, either the
//! wait is legal (the channel is empty) or a wake-up was lost. The execution is correct if the
//! completed operations have *some* linearization that ends in a state in which *none* of the
//! waiting operations is enabled. If there is none, some operation could have completed in every
//! order and did not: a fault. An operation that took effect and does not return could complete as
//! well, so linearizations in which a waiting operation took effect do not excuse it.
//!
//! The ordinary checker decides this. The specification gets one more operation (`Rest`), which is
//! called when all others have returned, changes nothing, and is enabled exactly in the states in
//! which none of the waiting operations is. If that history is linearizable, the wait is legal.
//!
//! To find the operation at fault, each waiting operation is checked alone, with the others
//! pending: if it is enabled in every possible final state, its own wake-up was lost. There may be
//! no such operation: if two receivers wait for one message, either could have received it.

use std::sync::Arc;
use std::time::Duration;

use linpoint::history::Span;
use linpoint::{CheckError, Checker, History, Limit, OpId, Report, Spec, Verdict};

use crate::execution::{Execution, UnfinishedReason};

/// The verdict about an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// The specification allows it.
    Correct,
    /// The specification does not allow it.
    Failed(Fault),
    /// The check hit this limit.
    Undecided(Limit),
}

/// What is wrong with an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// No legal order exists.
    NotLinearizable,
    /// An operation panicked.
    Panicked {
        /// The operation.
        op: OpId,
        /// The message of the panic.
        message: String,
    },
    /// Operations wait although the specification enables at least one of them.
    Stuck {
        /// All operations that wait.
        waiting: Vec<OpId>,
        /// Those that are enabled in every possible final state. If empty, the wake-up of any
        /// waiting operation may be the lost one.
        lost: Vec<OpId>,
    },
    /// An operation does not return while all other threads are stopped, although it
    /// [may not wait](crate::Test::may_block).
    Obstructed {
        /// The operation.
        op: OpId,
    },
    /// The object is not valid after the run: [`Test::validate`](crate::Test::validate) panicked with this
    /// message.
    Invalid(String),
    /// The check itself failed: the specification panicked, or linpoint has a bug.
    Check(CheckError),
    /// The check hit this limit; the execution may be correct or not.
    Undecided(Limit),
    /// The waits are legal, but too many threads had to be abandoned in them.
    TooManyWaits,
}

/// Limits of a single check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CheckLimits {
    /// Time for one history.
    pub time: Duration,
    /// Memory for one history, in bytes.
    pub memory: usize,
}

impl Default for CheckLimits {
    fn default() -> Self {
        CheckLimits { time: Duration::from_secs(10), memory: 1 << 30 }
    }
}

/// A single-threaded checker with these limits.
fn checker<'a, S: Spec>(spec: &'a S, limits: &CheckLimits) -> Checker<'a, S> {
    Checker::new(spec).timeout(limits.time).memory(limits.memory).threads(1)
}

/// Judges an execution. Violations are not explained: [`explain`] takes longer and is needed only
/// once.
pub fn judge<S: Spec>(
    spec: &S,
    execution: &Execution<S::Op, S::Ret>,
    limits: &CheckLimits,
) -> Judgement {
    match checker(spec, limits).explains(false).check(&execution.history) {
        Err(error) => return Judgement::Failed(Fault::Check(error)),
        Ok(Report { verdict: Verdict::Violation(_), .. }) => {
            return Judgement::Failed(Fault::NotLinearizable);
        }
        Ok(Report { verdict: Verdict::Undecided(undecided), .. }) => {
            return Judgement::Undecided(undecided.limit);
        }
        Ok(Report { verdict: Verdict::Linearizable(_), .. }) => {}
    }
    if execution.unfinished.is_empty() {
        return Judgement::Correct;
    }
    if let Some((op, message)) = execution.panicked() {
        return Judgement::Failed(Fault::Panicked { op, message: message.to_owned() });
    }
    judge_waiting(spec, execution, limits)
}

/// The full report for a history that is not linearizable.
pub fn explain<S: Spec>(
    spec: &S,
    history: &History<S::Op, S::Ret>,
    limits: &CheckLimits,
) -> Result<Report, CheckError> {
    checker(spec, limits).check(history)
}

fn judge_waiting<S: Spec>(
    spec: &S,
    execution: &Execution<S::Op, S::Ret>,
    limits: &CheckLimits,
) -> Judgement {
    let cut = execution.unfinished.iter().any(|u| matches!(u.reason, UnfinishedReason::Cut(_)));
    let waiting: Vec<OpId> = execution.waiting().collect();
    // If the scheduler ended the execution, an operation that was cut off could have woken the
    // others.
    if cut || waiting.is_empty() {
        return Judgement::Correct;
    }
    match may_rest(spec, &execution.history, &waiting, &waiting, limits) {
        Ok(Verdict::Linearizable(_)) => Judgement::Correct,
        Ok(Verdict::Undecided(undecided)) => Judgement::Undecided(undecided.limit),
        Ok(Verdict::Violation(_)) => {
            let alone = |op: &OpId| {
                let one = [*op];
                let verdict = may_rest(spec, &execution.history, &one, &one, limits);
                matches!(verdict, Ok(Verdict::Violation(_)))
            };
            let lost = waiting.iter().copied().filter(alone).collect();
            Judgement::Failed(Fault::Stuck { waiting, lost })
        }
        Err(error) => Judgement::Failed(Fault::Check(error)),
    }
}

/// Checks for a linearization, without the operations `absent`, after which none of `waiting` is
/// enabled.
fn may_rest<S: Spec>(
    spec: &S,
    history: &History<S::Op, S::Ret>,
    waiting: &[OpId],
    absent: &[OpId],
    limits: &CheckLimits,
) -> Result<Verdict, CheckError> {
    let with_rest = WithRest { spec };
    let mut events: Vec<(u32, bool, OpId)> = Vec::new();
    for id in history.ids().filter(|id| !absent.contains(id)) {
        let Span { call, ret } = history.span(id);
        events.push((call, false, id));
        if ret != Span::NEVER {
            events.push((ret, true, id));
        }
    }
    events.sort_unstable();
    let mut builder = History::from_events();
    let mut numbers = vec![None; history.len()];
    for (_, is_return, id) in events {
        if let Some(open) = numbers[id.index()].filter(|_| is_return) {
            let _ = match history.ret(id) {
                Some(ret) => builder.ret(open, Some(ret.clone())),
                None => builder.ret_unknown(open),
            };
        } else {
            numbers[id.index()] = Some(builder.call(RestOp::Op(history.op(id).clone())));
        }
    }
    let ops: Arc<[S::Op]> = waiting.iter().map(|id| history.op(*id).clone()).collect();
    let rest = builder.call(RestOp::Rest(ops));
    let _ = builder.ret(rest, None);
    checker(&with_rest, limits)
        .explains(false)
        .check(&builder.finish())
        .map(|report| report.verdict)
}

/// A specification with one more operation: [`RestOp::Rest`].
struct WithRest<'a, S> {
    spec: &'a S,
}

/// An operation of a [`WithRest`] specification.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum RestOp<Op> {
    Op(Op),
    /// Enabled if none of these is; changes nothing.
    Rest(Arc<[Op]>),
}

impl<S: Spec> Spec for WithRest<'_, S> {
    type Op = RestOp<S::Op>;
    /// The result of an operation; `None` for [`RestOp::Rest`].
    type Ret = Option<S::Ret>;
    type State = S::State;

    fn initial(&self) -> S::State {
        self.spec.initial()
    }

    fn successors(
        &self,
        state: &S::State,
        op: &Self::Op,
        ret: Option<&Self::Ret>,
        next: &mut Vec<S::State>,
    ) {
        match op {
            RestOp::Op(op) => {
                let ret = ret.and_then(Option::as_ref);
                self.spec.successors(state, op, ret, next);
            }
            RestOp::Rest(waiting) => {
                if self.spec.may_rest(state, waiting) {
                    next.push(state.clone());
                }
            }
        }
    }

    fn is_read(&self, op: &Self::Op, ret: Option<&Self::Ret>) -> bool {
        match op {
            RestOp::Op(op) => self.spec.is_read(op, ret.and_then(Option::as_ref)),
            RestOp::Rest(_) => true,
        }
    }

    fn state_bytes(&self, state: &S::State) -> usize {
        self.spec.state_bytes(state)
    }
}
