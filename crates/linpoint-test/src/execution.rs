//! Running one scenario under some scheduler, and what comes out of it.

use std::any::Any;

use linpoint::{History, OpId, Spec};

use crate::definition::Test;
use crate::judge::Fault;
use crate::scenario::Scenario;

/// What happened when a scenario was executed once.
///
/// The history has the operations of thread `t` as those of process `t`; the setup and the final
/// operations belong to [`crate::scenario::main_process`]. Operations that did not return are pending in it.
#[derive(Clone, Debug)]
pub struct Execution<Op, Ret> {
    /// What was observed.
    pub history: History<Op, Ret>,
    /// Why those that did not return did not.
    pub unfinished: Vec<Unfinished>,
    /// What the scheduler needs to do the same again, if it can.
    pub schedule: Option<String>,
}

/// An execution of an object with this specification.
pub type ExecutionOf<S> = Execution<<S as Spec>::Op, <S as Spec>::Ret>;

/// A failure of an object with this specification.
pub type FailureOf<S> = Failure<<S as Spec>::Op, <S as Spec>::Ret>;

impl<Op, Ret> Execution<Op, Ret> {
    /// An execution in which every operation returned.
    pub fn finished(history: History<Op, Ret>) -> Self {
        Execution { history, unfinished: Vec::new(), schedule: None }
    }

    /// The operations that were waiting when nothing moved any more.
    pub fn waiting(&self) -> impl Iterator<Item = OpId> {
        self.unfinished.iter().filter(|u| matches!(u.why, Why::Waiting(_))).map(|u| u.op)
    }

    /// The first operation that panicked.
    pub fn panicked(&self) -> Option<(OpId, &str)> {
        self.unfinished.iter().find_map(|u| match &u.why {
            Why::Panicked(message) => Some((u.op, message.as_str())),
            _ => None,
        })
    }
}

/// An operation that did not return.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unfinished {
    /// Which.
    pub op: OpId,
    /// Why.
    pub why: Why,
}

/// Why an operation did not return.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Why {
    /// It panicked, with this message.
    Panicked(String),
    /// It was waiting, and so was everybody else. In words, what its thread was doing: `asleep`.
    Waiting(String),
    /// The scheduler ended the execution, for this reason. Nothing follows from that.
    Cut(String),
}

/// Executes scenarios and judges the executions: threads of the operating system, shuttle, loom.
pub trait Runner<T, S: Spec> {
    /// How it schedules, in a few words for reports: `4 threads, private logs, TSC`.
    fn describe(&self) -> String;

    /// How replay files name it: `stress`, `shuttle`, `loom`.
    fn mode(&self) -> &'static str;

    /// Looks for an execution of the scenario that fails, and judges each by [`crate::judge::judge`].
    fn attempt(&mut self, test: &Test<T, S>, scenario: &Scenario<S::Op>) -> Attempt<S::Op, S::Ret>;

    /// Executes the scenario as `schedule` says, if this runner can; otherwise like
    /// [`Runner::attempt`].
    fn replay(
        &mut self,
        test: &Test<T, S>,
        scenario: &Scenario<S::Op>,
        _schedule: Option<&str>,
    ) -> Attempt<S::Op, S::Ret> {
        self.attempt(test, scenario)
    }

    /// While a scenario is being shrunk: answers that take patience may be given sooner. The last word is
    /// had without hurry.
    fn hurry(&mut self, _hurry: bool) {}
}

/// What executing a scenario, perhaps many times, has shown.
#[derive(Clone, Debug)]
pub struct Attempt<Op, Ret> {
    /// How many executions there were.
    pub executions: u64,
    /// The first that failed.
    pub failure: Option<Failure<Op, Ret>>,
    /// How many could not be decided within the limits.
    pub undecided: u64,
    /// What is known if none failed.
    pub coverage: Coverage,
}

/// What is known about a scenario if none of its executions failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Coverage {
    /// Every execution was seen.
    All,
    /// Some were seen.
    Sampled,
    /// All should have been seen, but a limit came first. In words, which.
    Truncated(String),
}

/// An execution that should not have been possible.
#[derive(Clone, Debug)]
pub struct Failure<Op, Ret> {
    /// What happened.
    pub execution: Execution<Op, Ret>,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What a panic said.
pub fn message_of(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "something that is not a text".to_owned())
}
