//! What is wrong with an execution, if anything: asks linpoint.
//!
//! **Operations that wait.** When nothing moves any more and some operations have not returned, either
//! they rightly wait (the channel is empty) or a wake-up was lost. The execution is right if the completed
//! operations have *some* linearization that ends in a state in which *none* of the waiting operations is
//! enabled. Where there is none, some operation could have completed whatever the order was, and did not:
//! a fault. An operation that took effect and does not return could complete as well, so linearizations in
//! which a waiting operation took effect do not excuse it.
//!
//! The question is put to the ordinary checker: a specification with one operation more (`Rest`), which
//! is called when all others have returned, changes nothing, and is enabled exactly in the states in which
//! none of the waiting operations is. If that history is linearizable, the wait is legal.
//!
//! To name the culprit, each waiting operation is asked about alone, the others being pending: if it is
//! enabled in every possible final state, its own wake-up was lost. It may be that no single one can be
//! named: two receivers wait for one message, and either could have had it.

use std::sync::Arc;
use std::time::Duration;

use linpoint::history::{Extras, Span};
use linpoint::{CheckError, Checker, History, Limit, OpId, Report, Spec, Verdict};

use crate::execution::{Execution, Why};

/// What is thought of an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Judgement {
    /// Nothing is wrong with it.
    Fine,
    /// Something is.
    Failed(Fault),
    /// A limit came first.
    Undecided(Limit),
}

/// What is wrong with an execution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// There is no legal order.
    NotLinearizable,
    /// An operation panicked.
    Panicked {
        /// Which.
        op: OpId,
        /// What it said.
        message: String,
    },
    /// Operations wait although the specification lets them, or at least one of them, complete.
    Stuck {
        /// All that wait.
        waiting: Vec<OpId>,
        /// Those that could have completed in every possible final state. If there are none, any of
        /// those that wait could have been the one.
        lost: Vec<OpId>,
    },
    /// The check itself failed: the specification panicked, or linpoint has a bug.
    Check(CheckError),
    /// The check hit a limit: nothing is known.
    Undecided(Limit),
    /// Nothing is wrong, but threads that wait for ever keep being left behind.
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

/// A checker under these limits, on the thread that calls it.
pub fn checker<'a, S: Spec>(spec: &'a S, limits: &CheckLimits) -> Checker<'a, S> {
    Checker::new(spec).timeout(limits.time).memory(limits.memory).threads(1)
}

/// Judges an execution. Violations are not explained here, see [`explain`]: that takes longer, and is
/// needed only once.
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
        return Judgement::Fine;
    }
    if let Some((op, message)) = execution.panicked() {
        return Judgement::Failed(Fault::Panicked { op, message: message.to_owned() });
    }
    judge_waiting(spec, execution, limits)
}

/// The full report about a history that is not linearizable.
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
    let cut = execution.unfinished.iter().any(|u| matches!(u.why, Why::Cut(_)));
    let waiting: Vec<OpId> = execution.waiting().collect();
    // Where the scheduler ended the execution, whoever was cut off could have woken the others.
    if cut || waiting.is_empty() {
        return Judgement::Fine;
    }
    match may_rest(spec, &execution.history, &waiting, &waiting, limits) {
        Ok(Verdict::Linearizable(_)) => Judgement::Fine,
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

/// Is there a linearization, without the operations `absent`, after which none of `waiting` is enabled?
fn may_rest<S: Spec>(
    spec: &S,
    history: &History<S::Op, S::Ret>,
    waiting: &[OpId],
    absent: &[OpId],
    limits: &CheckLimits,
) -> Result<Verdict, CheckError> {
    let rested = Rested { spec };
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
            numbers[id.index()] = Some(builder.call(Watched::Op(history.op(id).clone())));
        }
    }
    let ops: Arc<[S::Op]> = waiting.iter().map(|id| history.op(*id).clone()).collect();
    let rest = builder.call(Watched::Rest(ops));
    let _ = builder.ret(rest, None);
    checker(&rested, limits).explains(false).check(&builder.finish()).map(|report| report.verdict)
}

/// A specification with one operation more: [`Watched::Rest`].
struct Rested<'a, S> {
    spec: &'a S,
}

/// An operation of a [`Rested`] specification.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Watched<Op> {
    Op(Op),
    /// Enabled where none of these is; changes nothing.
    Rest(Arc<[Op]>),
}

impl<S: Spec> Spec for Rested<'_, S> {
    type Op = Watched<S::Op>;
    /// The result of an operation; none for [`Watched::Rest`].
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
            Watched::Op(op) => {
                let ret = ret.and_then(Option::as_ref);
                self.spec.successors(state, op, ret, next);
            }
            Watched::Rest(waiting) => {
                let mut could = Vec::new();
                for op in waiting.iter() {
                    self.spec.successors(state, op, None, &mut could);
                }
                if could.is_empty() {
                    next.push(state.clone());
                }
            }
        }
    }

    fn is_read(&self, op: &Self::Op, ret: Option<&Self::Ret>) -> bool {
        match op {
            Watched::Op(op) => self.spec.is_read(op, ret.and_then(Option::as_ref)),
            Watched::Rest(_) => true,
        }
    }

    fn state_bytes(&self, state: &S::State) -> usize {
        self.spec.state_bytes(state)
    }
}

/// Who performs an operation, for builders of histories.
pub fn by(process: u32) -> Extras {
    Extras { process: Some(process), ..Extras::default() }
}
