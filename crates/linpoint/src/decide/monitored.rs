//! Asks monitors about the whole history before it is split, or about one part.

use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::time::Instant;

use rustc_hash::FxHashMap;

use crate::budget::{Budget, Cancel, Memory};
use crate::check::CheckError;
use crate::history::OpId;
use crate::monitor::{self, Answer, Effort, Outcome, Refusal};
use crate::plan::Monitor;
use crate::search::{Found, guard};
use crate::spec::Refutation;
use crate::subject::Case;

use super::{Evidence, PartAnswer, PartReport, Run, lock};

/// An upper bound on the memory that a monitor needs for each operation.
const BYTES_PER_OP: usize = 256;
/// Step limit of the queue-oriented search: a constant, plus an amount for each operation.
const STEPS: u64 = 1_000_000;
const STEPS_PER_OP: u64 = 1_000;
/// Units of work of a monitor whose worst case is exponential: a minute or two. After that, a search may
/// still find an order by luck.
const MOST_WORK: u64 = 1 << 34;

/// Why monitors refused, and how often.
#[derive(Debug, Default)]
pub(crate) struct Refusals(Mutex<FxHashMap<String, usize>>);

impl Refusals {
    pub(crate) fn add(&self, refusal: Refusal) {
        *lock(&self.0).entry(refusal.reason).or_default() += 1;
    }

    /// The most frequent reason, if there was any refusal.
    pub(crate) fn reason(&self) -> Option<String> {
        let reasons = lock(&self.0);
        let (reason, _) = reasons.iter().max_by_key(|(reason, count)| (**count, *reason))?;
        let total: usize = reasons.values().sum();
        Some(if total > 1 { format!("{reason} ({total} parts)") } else { reason.clone() })
    }
}

/// Asks a monitor about the operations `ids`, which belong to one object.
pub(crate) fn ask(
    case: &Case<'_>,
    ids: &[OpId],
    monitor: Monitor,
    memory: &Memory,
    effort: Effort<'_>,
) -> Result<Result<Outcome, Refusal>, String> {
    within(memory, ids.len(), || match monitor {
        Monitor::OfShape => monitor::decide_case(case, ids, effort),
        Monitor::QueueOriented => {
            let steps = STEPS + STEPS_PER_OP * ids.len() as u64;
            monitor::decide_case_queue_oriented(case, ids, steps)
        }
    })
}

/// Asks the object's monitor about all operations, which belong to one object.
pub(crate) fn ask_about_all(
    case: &Case<'_>,
    threads: usize,
    memory: &Memory,
    effort: Effort<'_>,
) -> Result<Result<Outcome, Refusal>, String> {
    within(memory, case.len(), || monitor::decide_all(case, threads, effort))
}

/// The limits of a monitor whose worst case is exponential, in a check with these limits. A quarter of
/// the time is left for searches.
pub(crate) fn effort<'a>(
    deadline: Option<Instant>,
    memory: &'a Memory,
    cancel: &'a Cancel,
) -> Effort<'a> {
    let now = Instant::now();
    let deadline = deadline.map(|d| now + d.saturating_duration_since(now) / 4 * 3);
    Effort::within(Budget::new(deadline, memory).watch(cancel)).most_work(MOST_WORK)
}

/// Runs a monitor if there is memory for it. The error is the message of a specification that
/// panicked.
fn within(
    memory: &Memory,
    operations: usize,
    decide: impl FnOnce() -> Result<Outcome, Refusal>,
) -> Result<Result<Outcome, Refusal>, String> {
    let bytes = BYTES_PER_OP * operations;
    if !memory.reserve(bytes) {
        return Ok(Err(Refusal { reason: "it would need more memory than allowed".into() }));
    }
    let outcome = guard(decide);
    memory.release(bytes);
    outcome
}

impl Run<'_> {
    /// A monitor's answer for a part; `None` if it refuses.
    pub(super) fn monitored(
        &self,
        part: usize,
        monitor: Monitor,
    ) -> Result<Option<PartReport>, CheckError> {
        let ids = self.split.ops(part);
        let effort = effort(self.deadline, self.memory, self.cancel);
        let outcome = ask(self.case, &ids, monitor, self.memory, effort)
            .map_err(|message| self.panicked(part, message))?;
        match outcome {
            Ok(outcome) => {
                self.steps.fetch_add(ids.len() as u64, Ordering::Relaxed);
                self.of_monitor(outcome, ids.len()).map(Some)
            }
            Err(refusal) if self.plan.only_asks_monitor() => {
                let monitor = monitor.name().to_owned();
                Err(CheckError::Refused { monitor, reason: refusal.reason })
            }
            Err(refusal) => {
                self.refusals.add(refusal);
                Ok(None)
            }
        }
    }

    fn of_monitor(&self, outcome: Outcome, operations: usize) -> Result<PartReport, CheckError> {
        let engine = outcome.monitor.to_owned();
        let answer = match outcome.answer {
            Answer::Linearizable(order) => {
                self.certified(Found::Linearizable(order), operations as u32)?
            }
            Answer::Violation(found) => {
                let reached = outcome.explained;
                PartAnswer::Violation(Evidence { reached, refutation: Some(found) })
            }
        };
        Ok(PartReport { answer, engine })
    }

    /// Turns a refutation into the answer for the part that it is about. The other parts have no
    /// answer. Some order explains `explained` returns of the whole history.
    pub(crate) fn refuted(
        &self,
        refutation: &Refutation,
        monitor: &str,
        explained: u32,
    ) -> Vec<Option<PartReport>> {
        let is_here = |part: &usize| {
            let first = refutation.ops.first();
            self.split.events(*part).iter().any(|event| Some(&event.op()) == first)
        };
        // Returns of the whole history are not those of a part.
        let reached = if self.split.len() == 1 { explained } else { 0 };
        let evidence = Evidence { reached, refutation: Some(refutation.clone()) };
        let report =
            PartReport { answer: PartAnswer::Violation(evidence), engine: monitor.to_owned() };
        let mut parts: Vec<Option<PartReport>> = vec![None; self.split.len()];
        let part = (0..parts.len()).find(is_here).unwrap_or(0);
        if let Some(place) = parts.get_mut(part) {
            *place = Some(report);
        }
        parts
    }

    /// True once the time limit has passed.
    pub(super) fn is_late(&self) -> bool {
        self.cancel.is_cancelled() || self.deadline.is_some_and(|d| Instant::now() >= d)
    }
}
