//! Executing a scenario: the [`Runner`] trait, and what an execution yields.

use std::any::Any;
use std::fmt;

use linpoint::{History, OpId, Spec};

use crate::definition::Test;
use crate::judge::Fault;
use crate::replay::ParseScheduleError;
use crate::scenario::Scenario;
use crate::schedule::Interleaving;

/// One execution of a scenario.
///
/// In the history, the operations of thread `t` belong to process `t`; setup and final operations
/// belong to [`main_process`](crate::scenario::main_process). Operations that did not return are
/// pending.
#[derive(Clone, Debug)]
pub struct Execution<Op, Ret> {
    /// What was observed.
    pub history: History<Op, Ret>,
    /// The operations that did not return.
    pub unfinished: Vec<Unfinished>,
    /// What the scheduler needs to repeat the execution, if it can.
    pub schedule: Option<String>,
}

/// An execution of an object with this specification.
pub(crate) type ExecutionOf<S> = Execution<<S as Spec>::Op, <S as Spec>::Ret>;

/// A failure of an object with this specification.
pub(crate) type FailureOf<S> = Failure<<S as Spec>::Op, <S as Spec>::Ret>;

impl<Op, Ret> Execution<Op, Ret> {
    /// An execution in which every operation returned.
    pub fn finished(history: History<Op, Ret>) -> Self {
        Execution { history, unfinished: Vec::new(), schedule: None }
    }

    /// The operations that were waiting when progress stopped.
    pub fn waiting(&self) -> impl Iterator<Item = OpId> {
        let waits = |u: &&Unfinished| matches!(u.reason, UnfinishedReason::Waiting(_));
        self.unfinished.iter().filter(waits).map(|u| u.op)
    }

    /// The first operation that panicked, with its message.
    pub fn panicked(&self) -> Option<(OpId, &str)> {
        self.unfinished.iter().find_map(|u| match &u.reason {
            UnfinishedReason::Panicked(message) => Some((u.op, message.as_str())),
            _ => None,
        })
    }
}

/// An operation that did not return.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unfinished {
    /// The operation.
    pub op: OpId,
    /// Why it did not return.
    pub reason: UnfinishedReason,
}

/// Why an operation did not return.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UnfinishedReason {
    /// It panicked with this message.
    Panicked(String),
    /// It was waiting, and no other thread made progress either. The text is the state of its
    /// thread: `asleep`.
    Waiting(String),
    /// The scheduler ended the execution. Nothing follows about the object.
    Cut(Truncation),
    /// The scheduler stopped its thread, so that another one ran alone.
    Stopped,
}

/// Executes scenarios and judges the executions. Implemented by OS threads, shuttle and loom.
pub trait Runner<T, S: Spec> {
    /// How it schedules, for reports: `shuttle, random schedules`.
    fn describe(&self) -> String;

    /// Its name in replay files: `stress`, `shuttle`, `loom`.
    fn mode(&self) -> &'static str;

    /// Looks for a failing execution of the scenario. Each execution is judged by
    /// [`judge`](crate::judge::judge).
    fn attempt(&mut self, test: &Test<T, S>, scenario: &Scenario<S::Op>) -> Attempt<S::Op, S::Ret>;

    /// Executes the scenario under this schedule, if the runner supports schedules. Otherwise the
    /// same as [`Runner::attempt`].
    fn replay(
        &mut self,
        test: &Test<T, S>,
        scenario: &Scenario<S::Op>,
        _schedule: Option<&str>,
    ) -> Attempt<S::Op, S::Ret> {
        self.attempt(test, scenario)
    }

    /// Executes a failing scenario again in other ways. Returns which of them see the failure, and what that
    /// means, if there are other ways.
    fn confirm(&mut self, _test: &Test<T, S>, _scenario: &Scenario<S::Op>) -> Option<String> {
        None
    }

    /// Makes a failure easier to understand: the same fault with fewer switches between threads,
    /// and the steps of the execution.
    fn retell(
        &mut self,
        _test: &Test<T, S>,
        _scenario: &Scenario<S::Op>,
        failure: Failure<S::Op, S::Ret>,
    ) -> Retold<S::Op, S::Ret> {
        Retold { failure, is_new: false, interleaving: None }
    }

    /// Set while a scenario is being shrunk: timeouts may be shorter. The final scenario is
    /// executed again with the full timeouts.
    fn hurry(&mut self, _hurry: bool) {}
}

/// The result of executing one scenario, possibly many times.
#[derive(Clone, Debug)]
pub struct Attempt<Op, Ret> {
    /// The number of executions.
    pub executions: u64,
    /// The first one that failed.
    pub failure: Option<Failure<Op, Ret>>,
    /// The number of executions that could not be decided within the limits.
    pub undecided: u64,
    /// How much was explored, if nothing failed.
    pub coverage: Coverage,
}

/// Which executions of a scenario were explored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Coverage {
    /// All of them.
    All,
    /// A sample.
    Sampled,
    /// Not all of them, because of a limit.
    Truncated(Truncation),
}

/// Why an exploration, or a single execution, ended early.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Truncation {
    /// The limit on executions was reached.
    Executions(u64),
    /// The time limit was reached.
    Time,
    /// An execution had more than this many steps.
    Steps(usize),
    /// An execution had more branches than loom was allowed.
    Branches,
    /// Only executions with at most this many preemptions were explored.
    Preemptions(usize),
    /// The scenario has more threads than the scheduler supports, which is this many.
    Threads(usize),
    /// Loom stops at an execution in which all threads wait, although the wait is legal.
    Wait,
    /// The object draws random numbers; not all of them were tried.
    RandomNumbers,
    /// Schedules were sampled.
    Sampled,
    /// The schedule to replay is malformed.
    Schedule(ParseScheduleError),
    /// The scheduler itself panicked.
    Panic {
        /// `shuttle` or `loom`.
        scheduler: &'static str,
        /// The message of the panic.
        message: String,
    },
}

impl fmt::Display for Truncation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Truncation::Executions(limit) => write!(f, "after {limit} executions"),
            Truncation::Time => f.write_str("time limit reached"),
            Truncation::Steps(limit) => write!(f, "an execution had more than {limit} steps"),
            Truncation::Branches => f.write_str(
                "an execution had too many branches: is there a loop that waits without yield_now?",
            ),
            Truncation::Preemptions(limit) => {
                write!(f, "only executions with at most {limit} preemptions")
            }
            Truncation::Threads(limit) => write!(f, "loom supports at most {limit} threads"),
            Truncation::Wait => {
                f.write_str("loom cannot continue after an execution that ends in a wait")
            }
            Truncation::RandomNumbers => {
                f.write_str("the object draws random numbers, and not all of them were tried")
            }
            Truncation::Sampled => f.write_str("only some schedules were tried"),
            Truncation::Schedule(error) => error.fmt(f),
            Truncation::Panic { scheduler, message } => {
                write!(f, "{scheduler} panicked: {message}")
            }
        }
    }
}

/// An execution that the specification does not allow.
#[derive(Clone, Debug)]
pub struct Failure<Op, Ret> {
    /// The execution.
    pub execution: Execution<Op, Ret>,
    /// What is wrong with it.
    pub fault: Fault,
}

/// A failure, told as simply as the runner can.
#[derive(Clone, Debug)]
pub struct Retold<Op, Ret> {
    /// The failure.
    pub failure: Failure<Op, Ret>,
    /// True if it is of another execution.
    pub is_new: bool,
    /// The steps of the execution, if the runner knows them.
    pub interleaving: Option<Interleaving>,
}

/// The message of a panic.
pub(crate) fn message_of(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "a payload that is not a string".to_owned())
}
