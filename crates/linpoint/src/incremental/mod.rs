//! Checks a history while it is being recorded: events go in one by one, and the first return that
//! makes the history non-linearizable is reported immediately.
//!
//! Some objects have a monitor, which copes with any number of open operations: elements of a set
//! and locks without owners; registers with compare-and-set and maps whose written values are
//! distinct (among those that can still be found: a value may be written again later);
//! snapshots with one writer at a time for each segment, and values that are distinct in the same
//! sense; queues, stacks and priority queues in which no element is added again before it was removed.
//! With distinct elements, any number of operations may be open.
//! Queues, stacks, priority queues and bags whose values repeat have a monitor that keeps sets of open
//! operations: it copes with few of them.
//! Everything else, and everything that a monitor cannot decide, is explained by the set of
//! possible configurations. Their number can be exponential in the number of open operations, and
//! is limited: see [`Incremental::max_configurations`].
//!
//! Memory is bounded by concurrency and by the states that are currently possible, not by the
//! length of the stream: states, operations and results that are no longer in use are dropped from
//! time to time ([`TypedStream`]). A monitor remembers what can still be found: for a register, the
//! values that were written since the oldest open operation was called, because that operation may
//! return any of them; for a queue, what is in it and the operations that overlap with an open dequeue
//! or peek. Two things do accumulate, because they may matter at any later time: keys
//! (each keeps its current state) and crashed operations that have not provably taken effect.
//!
//! [`Incremental`] is a thin typed wrapper. [`StreamChecker`] does the work on numbers: it is
//! compiled once, and also handles models that exist only at run time.
//!
//! ```
//! use linpoint::incremental::{Incremental, Step};
//! use linpoint::spec::models::{Register, RegisterOp, RegisterRet};
//!
//! let spec = Register { initial: 0 };
//! let mut stream = Incremental::new(&spec);
//! let write = stream.call(RegisterOp::Write(1))?;
//! let read = stream.call(RegisterOp::Read)?;
//! assert_eq!(stream.ret(write, RegisterRet::Written)?, Step::Fine);
//! assert_eq!(stream.ret(read, RegisterRet::Value(0))?, Step::Fine); // the write came after it
//! let read = stream.call(RegisterOp::Read)?;
//! let Step::Violation(v) = stream.ret(read, RegisterRet::Value(0))? else { panic!("stale") };
//! assert_eq!(v.allowed, [RegisterRet::Value(1)]);
//! # Ok::<(), linpoint::incremental::StreamError>(())
//! ```

mod checker;
mod config;
mod configurations;
mod container;
mod event_log;
mod filled;
mod flag_monitor;
mod flags;
mod lanes;
mod monitor;
mod monitored;
mod open_calls;
mod open_ops;
mod part;
mod register_monitor;
mod repeats;
mod snapshot_monitor;
mod stream_limits;
#[cfg(test)]
mod tests;
mod zones;

pub use checker::StreamChecker;

use rustc_hash::FxHashMap;

use crate::allowance::Allowance;
use crate::budget::Limit;
use crate::spec::Spec;
use crate::subject::{RetId, TypedStream};

/// An operation of the stream that has begun and not yet ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Open {
    part: u32,
    slot: u32,
    /// Distinguishes operations that used the same slot one after the other.
    number: u64,
}

/// The effect of a return on the stream so far.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Step<R> {
    /// A linearization still exists.
    Fine,
    /// No linearization exists, because of this return. Later events on the same part (object, key)
    /// are not checked.
    Violation(StreamViolation<R>),
    /// A limit was hit, now or earlier. Nothing is known about this part any more.
    Undecided(Limit),
}

impl<R> Step<R> {
    /// Converts the results.
    fn map<T>(self, mut of: impl FnMut(R) -> T) -> Step<T> {
        match self {
            Step::Fine => Step::Fine,
            Step::Undecided(limit) => Step::Undecided(limit),
            Step::Violation(StreamViolation {
                operation,
                description,
                returned,
                allowed,
                allowed_is_complete,
                states,
            }) => Step::Violation(StreamViolation {
                operation,
                description,
                returned: returned.map(&mut of),
                allowed: allowed.into_iter().map(of).collect(),
                allowed_is_complete,
                states,
            }),
        }
    }
}

/// The return at which a stream stopped being linearizable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StreamViolation<R> {
    /// The number of the failing operation in the stream: how many operations had begun before it.
    pub operation: u64,
    /// The operation as text.
    pub description: String,
    /// What it returned, if known.
    pub returned: Option<R>,
    /// Everything it could have returned, or the first few thousand results. Empty if it
    /// could not have ended in this way: a blocking operation that returned too early, or an
    /// operation that failed after others saw its effect.
    pub allowed: Vec<R>,
    /// True if `allowed` is complete; false if a limit cut it short.
    pub allowed_is_complete: bool,
    /// The first few states the object could have been in just before, as text.
    pub states: Vec<String>,
}

/// An event that does not fit the stream, or a specification that does not support streams.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum StreamError {
    /// The operation has already ended.
    NotOpen,
    /// An event has an id that is not open.
    UnknownId(u64),
    /// A call with an id that is already open.
    DuplicateId(u64),
    /// The results of an operation cannot be enumerated ([`Spec::outcomes`] is not implemented).
    NoOutcomes(String),
    /// An operation touches several parts; use [`Incremental::whole`].
    SeveralParts(String),
    /// The specification panicked.
    SpecPanicked {
        /// The operation as text.
        description: String,
        /// The panic message.
        message: String,
    },
}

impl std::fmt::Display for StreamError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            StreamError::NotOpen => write!(f, "the operation has already ended"),
            StreamError::UnknownId(id) => write!(f, "no open operation has id {id}"),
            StreamError::DuplicateId(id) => write!(f, "id {id} is already open"),
            StreamError::NoOutcomes(op) => {
                write!(f, "the specification cannot enumerate the results of {op}")
            }
            StreamError::SeveralParts(op) => {
                write!(f, "{op} touches several keys or all of them; check the stream as a whole")
            }
            StreamError::SpecPanicked { description, message } => {
                write!(f, "the specification panicked at {description}: {message}")
            }
        }
    }
}

impl std::error::Error for StreamError {}

/// An event of a stream whose operations are identified by ids.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event<O, R> {
    /// An operation begins.
    Call(u64, O),
    /// It returns.
    Return(u64, R),
    /// It did not take effect.
    Fail(u64),
    /// It will never return. It may take effect at any time after its call, or never.
    Crash(u64),
}

/// Checks a stream of events. See the [module documentation](self).
pub struct Incremental<'a, S: Spec> {
    stream: TypedStream<'a, S>,
    checker: StreamChecker,
    ids: FxHashMap<u64, Open>,
}

impl<'a, S: Spec> Incremental<'a, S> {
    /// Checks each key separately.
    pub fn new(spec: &'a S) -> Self {
        Incremental::with(spec, StreamChecker::new())
    }

    /// Checks everything as one part, for operations that touch several keys.
    pub fn whole(spec: &'a S) -> Self {
        Incremental::with(spec, StreamChecker::whole())
    }

    fn with(spec: &'a S, checker: StreamChecker) -> Self {
        Incremental { stream: TypedStream::new(spec), checker, ids: FxHashMap::default() }
    }

    /// Gives up a part as undecided if it gets more than this many configurations. The default is a
    /// million.
    pub fn max_configurations(mut self, most: usize) -> Self {
        self.checker = self.checker.max_configurations(most);
        self
    }

    /// Limits time and memory. If a limit is reached, all that follows is undecided. The default is no
    /// limit.
    pub fn allowance(mut self, allowance: Allowance) -> Self {
        self.checker = self.checker.allowance(allowance);
        self
    }

    /// Uses no monitors: for comparison, or if monitors are not trusted.
    pub fn configurations_only(mut self) -> Self {
        self.checker = self.checker.configurations_only();
        self
    }

    /// The number of configurations that explain the stream so far, over all parts.
    pub fn configurations(&self) -> usize {
        self.checker.configurations()
    }

    /// The number of parts (keys) in the stream so far.
    pub fn parts(&self) -> usize {
        self.checker.parts()
    }

    /// The number of parts that use a monitor instead of configurations, or will as soon as
    /// operations overlap in them.
    pub fn monitored(&self) -> usize {
        self.checker.monitored()
    }

    /// The number of stored items over all parts: open operations, contents of configurations,
    /// values that can still be found, logged events. Memory is proportional to it.
    pub fn stored(&self) -> usize {
        self.checker.stored()
    }

    /// Records a call.
    pub fn call(&mut self, op: S::Op) -> Result<Open, StreamError> {
        let op = self.stream.push_op(op);
        self.checker.call(&mut self.stream, op)
    }

    /// Records that the operation returned `ret`, and reports whether a linearization still exists.
    pub fn ret(&mut self, open: Open, ret: S::Ret) -> Result<Step<S::Ret>, StreamError> {
        let ret = self.stream.push_ret(ret);
        let step = self.checker.ret(&mut self.stream, open, ret)?;
        Ok(self.typed(step))
    }

    /// Records that the operation returned an unknown result.
    pub fn ret_unknown(&mut self, open: Open) -> Result<Step<S::Ret>, StreamError> {
        let step = self.checker.ret(&mut self.stream, open, RetId::UNKNOWN)?;
        Ok(self.typed(step))
    }

    /// Records that the operation did not take effect. If others have seen its effect, this is a
    /// violation.
    pub fn fail(&mut self, open: Open) -> Result<Step<S::Ret>, StreamError> {
        let step = self.checker.fail(&mut self.stream, open)?;
        Ok(self.typed(step))
    }

    /// Records that the operation will never return.
    pub fn crash(&mut self, open: Open) -> Result<(), StreamError> {
        self.checker.crash(&mut self.stream, open)
    }

    /// Replaces the numbers of results by the results.
    fn typed(&self, step: Step<RetId>) -> Step<S::Ret> {
        step.map(|ret| self.stream.ret(ret).clone())
    }

    /// Processes an event of a stream whose operations are identified by ids.
    pub fn feed(&mut self, event: Event<S::Op, S::Ret>) -> Result<Step<S::Ret>, StreamError> {
        let mut take = |id: u64| self.ids.remove(&id).ok_or(StreamError::UnknownId(id));
        match event {
            Event::Call(id, op) => {
                if self.ids.contains_key(&id) {
                    return Err(StreamError::DuplicateId(id));
                }
                let open = self.call(op)?;
                self.ids.insert(id, open);
                Ok(Step::Fine)
            }
            Event::Return(id, ret) => {
                let open = take(id)?;
                self.ret(open, ret)
            }
            Event::Fail(id) => {
                let open = take(id)?;
                self.fail(open)
            }
            Event::Crash(id) => {
                let open = take(id)?;
                self.crash(open).map(|()| Step::Fine)
            }
        }
    }

    /// Processes events up to the first that is not fine. Returns `Step::Fine` if all are.
    pub fn feed_all(
        &mut self,
        events: impl IntoIterator<Item = Event<S::Op, S::Ret>>,
    ) -> Result<Step<S::Ret>, StreamError> {
        for event in events {
            let step = self.feed(event)?;
            if step != Step::Fine {
                return Ok(step);
            }
        }
        Ok(Step::Fine)
    }
}
