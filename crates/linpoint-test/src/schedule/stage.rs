//! The common part of both schedulers: performs and records a scenario, and counts its judged
//! executions.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use linpoint::Spec;

use super::journal::{End, Event, Journal, execution};
use crate::definition::Test;
use crate::execution::{Attempt, Coverage, Execution, Failure, Truncation, message_of};
use crate::judge::Judgement;
use crate::scenario::{Scenario, main_process};
use crate::sync::watch;

/// A scenario of a test, and the journal that records its executions.
pub(crate) struct Stage<T, S: Spec> {
    pub test: Test<T, S>,
    pub scenario: Scenario<S::Op>,
    pub journal: Journal<S::Op, S::Ret>,
}

/// What a scheduler does before an operation is called and after it has returned.
pub(crate) trait SchedulerHooks {
    fn before_call(&self);
    fn after_return(&self);
    /// True for a panic of the scheduler itself, as opposed to one of the operation.
    fn is_scheduler_panic(&self, message: &str) -> bool;
}

impl<T, S: Spec> Stage<T, S> {
    pub fn new(test: &Test<T, S>, scenario: &Scenario<S::Op>) -> Arc<Self> {
        Arc::new(Stage {
            test: test.clone(),
            scenario: scenario.clone(),
            journal: Journal::default(),
        })
    }

    /// The process of the setup and the final operations.
    pub fn main_process(&self) -> u32 {
        main_process(self.scenario.threads.len())
    }

    /// Performs operations one after the other as `process`. False if one panicked: the object is
    /// not used any more then.
    pub fn perform(
        &self,
        object: &T,
        process: u32,
        ops: &[S::Op],
        moments: &impl SchedulerHooks,
    ) -> bool {
        ops.iter().all(|op| {
            moments.before_call();
            self.note(Event::Call(process, op.clone()));
            let action = AssertUnwindSafe(|| self.test.perform(object, process as usize, op));
            let (event, returned) = match catch_unwind(action) {
                Ok(ret) => (Event::Return(process, ret), true),
                Err(payload) => {
                    let message = message_of(&*payload);
                    if moments.is_scheduler_panic(&message) {
                        resume_unwind(payload);
                    }
                    match self.test.result_of_panic(op, &message) {
                        Some(ret) => (Event::Return(process, ret), true),
                        None => (Event::Panic(process, message), false),
                    }
                }
            };
            moments.after_return();
            self.note(event);
            returned
        })
    }

    fn note(&self, event: Event<S::Op, S::Ret>) {
        self.journal.note(event);
        watch::event();
    }
}

/// Fingerprints of histories that were judged. Histories with the same 128 bits are taken to be
/// equal.
#[derive(Default)]
pub(crate) struct Seen(HashSet<(u64, u64)>);

/// The most fingerprints kept (64 MB). Further histories are judged every time.
const MOST_REMEMBERED: usize = 2_000_000;

impl Seen {
    /// The fingerprint of an execution.
    fn fingerprint<Op: Hash, Ret: Hash>(events: &[Event<Op, Ret>], end: &End) -> (u64, u64) {
        let half = |salt: u64| {
            let mut hasher = DefaultHasher::new();
            (salt, events, end).hash(&mut hasher);
            hasher.finish()
        };
        (half(0), half(1))
    }
}

/// The executions of one scenario so far.
pub(crate) struct Record<Op, Ret> {
    pub executions: u64,
    pub undecided: u64,
    pub failure: Option<Failure<Op, Ret>>,
    /// The first reason why not everything was explored.
    pub truncated: Option<Truncation>,
    seen: Seen,
}

impl<Op, Ret> Default for Record<Op, Ret> {
    fn default() -> Self {
        let seen = Seen::default();
        Record { executions: 0, undecided: 0, failure: None, truncated: None, seen }
    }
}

impl<Op, Ret> Record<Op, Ret> {
    /// The result if nothing was executed, for this reason.
    pub fn refused(why: Truncation) -> Attempt<Op, Ret> {
        let coverage = Coverage::Truncated(why);
        Attempt { executions: 0, failure: None, undecided: 0, coverage }
    }
}

impl<Op: Clone + Hash, Ret: Clone + Hash> Record<Op, Ret> {
    /// Counts an execution, and returns it if it has to be judged.
    pub fn enter(&mut self, events: &[Event<Op, Ret>], end: &End) -> Option<Execution<Op, Ret>> {
        self.executions += 1;
        if let End::Cut(why) = end {
            self.truncated.get_or_insert_with(|| why.clone());
        }
        let print = Seen::fingerprint(events, end);
        let known = self.seen.0.contains(&print);
        if !known && self.seen.0.len() < MOST_REMEMBERED {
            self.seen.0.insert(print);
        }
        (!known).then(|| execution(events, end))
    }

    /// Records a judgement. True if it is a failure.
    pub fn settle(&mut self, execution: Execution<Op, Ret>, judgement: Judgement) -> bool {
        match judgement {
            Judgement::Correct => {}
            Judgement::Undecided(_) => self.undecided += 1,
            Judgement::Failed(fault) => self.failure = Some(Failure { execution, fault }),
        }
        self.failure.is_some()
    }

    /// The result; `coverage` applies if nothing was truncated.
    pub fn conclude(self, coverage: Coverage) -> Attempt<Op, Ret> {
        let Record { executions, failure, undecided, truncated, .. } = self;
        let coverage = truncated.map_or(coverage, Coverage::Truncated);
        Attempt { executions, failure, undecided, coverage }
    }
}
