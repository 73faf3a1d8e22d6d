//! What was tested, and how much of it was concurrent.

use std::fmt;
use std::time::Duration;

use linpoint_report::text;

use super::watchdog::Rest;
use crate::execution::{Execution, Failure};
use crate::judge::{Fault, Judgement};

/// Statistics of a stress test that passed. Displayed, it is one line, and a second one with a warning if
/// hardly anything was concurrent.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Runs, without the warm-up.
    pub runs: u64,
    /// Operations called in them.
    pub operations: u64,
    /// Runs that ended with operations waiting legally.
    pub waits: u64,
    /// Runs in which operations of different threads overlapped.
    pub overlapping: u64,
    /// Operations in the middle of which another thread performed a whole operation: a thread was interrupted,
    /// or was much slower.
    pub interrupted: u64,
    /// Times that a thread was stopped at a breakpoint in the middle of an operation, so that others could go on.
    pub stops: u64,
    /// Runs in which the operations could have taken effect in the order of their returns. If this
    /// is nearly all runs, the threads hardly interfered with each other.
    pub easy: u64,
    /// Runs that needed the checker. The remaining runs were confirmed by guessing an order.
    pub searched: u64,
    /// Elapsed time.
    pub time: Duration,
    /// Executions of saved regressions, before the runs.
    pub regressions: u64,
}

/// Below this percentage of overlapping runs, a pass means little.
const FEW: u64 = 10;

impl Summary {
    /// A warning, if hardly anything was concurrent although there were several threads.
    pub fn warning(&self) -> Option<String> {
        let share = self.overlap_percentage()?;
        (share < FEW).then(|| {
            format!(
                "hardly anything was concurrent: operations of different threads overlapped in {share} % of the \
                 runs. This pass means little. Is the machine busy? Give the test more time (LINPOINT_TIME), or \
                 use a scheduler"
            )
        })
    }

    /// The percentage of runs in which operations overlapped, if there were runs.
    fn overlap_percentage(&self) -> Option<u64> {
        (100 * self.overlapping).checked_div(self.runs)
    }

    /// Adds the counts of further runs.
    pub(super) fn add(&mut self, more: &Summary) {
        self.runs += more.runs;
        self.operations += more.operations;
        self.waits += more.waits;
        self.overlapping += more.overlapping;
        self.interrupted += more.interrupted;
        self.stops += more.stops;
        self.easy += more.easy;
        self.searched += more.searched;
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Summary { runs, operations, interrupted, waits, regressions, .. } = self;
        write!(f, "{runs} runs, {operations} operations in {}", text::duration(self.time))?;
        if let Some(share) = self.overlap_percentage() {
            write!(
                f,
                "; operations overlapped in {share} % of the runs, {interrupted} were interrupted"
            )?;
        }
        if self.stops > 0 {
            write!(f, ", {} times by a breakpoint", self.stops)?;
        }
        if *waits > 0 {
            write!(f, "; {waits} runs ended in a wait")?;
        }
        if *regressions > 0 {
            write!(f, "; {regressions} runs of saved scenarios before")?;
        }
        Ok(())
    }
}

/// The outcome of a batch.
pub(super) struct Judged<O, R> {
    /// Of the runs up to the first that failed.
    pub(super) counts: Summary,
    pub(super) failure: Option<Failure<O, R>>,
    /// True if there was no time to judge all runs.
    pub(super) cut: bool,
}

impl<O, R> Default for Judged<O, R> {
    fn default() -> Self {
        Judged { counts: Summary::default(), failure: None, cut: false }
    }
}

impl<O, R> Judged<O, R> {
    pub(super) fn is_done(&self) -> bool {
        self.failure.is_some() || self.cut
    }

    pub(super) fn add(&mut self, execution: Execution<O, R>, judgement: Judgement) {
        self.counts.runs += 1;
        self.counts.operations += execution.history.len() as u64;
        let fault = match judgement {
            Judgement::Correct => return,
            Judgement::Failed(fault) => fault,
            Judgement::Undecided(limit) => Fault::Undecided(limit),
        };
        self.failure = Some(Failure { execution, fault });
    }

    /// A run that came to rest. A failing one counts even if there is no time to judge those before it.
    pub(super) fn add_rest(&mut self, rest: Rest<O, R>) {
        if self.failure.is_none() && (!self.cut || rest.judgement != Judgement::Correct) {
            self.counts.waits += 1;
            self.counts.overlapping += u64::from(overlaps_a_wait(&rest.execution));
            self.add(rest.execution, rest.judgement);
        }
    }
}

/// True if an operation that waits overlaps one of another thread.
fn overlaps_a_wait<O, R>(execution: &Execution<O, R>) -> bool {
    let history = &execution.history;
    let mut waiting = execution.waiting();
    waiting.any(|wait| {
        let (span, process) = (history.span(wait), history.extras(wait).process);
        let overlaps =
            |id| history.extras(id).process != process && !history.span(id).precedes(span);
        history.ids().any(overlaps)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pass_with_hardly_any_overlap_is_a_warning() {
        let of = |overlapping| Summary { runs: 1_000, overlapping, ..Summary::default() };
        assert_eq!(of(500).warning(), None);
        assert!(of(99).warning().is_some_and(|text| text.contains("9 % of the runs")));
        assert_eq!(Summary::default().warning(), None, "nothing was run");
    }

    #[test]
    fn a_summary_is_one_line() {
        let time = Duration::from_secs(1);
        let summary =
            Summary { runs: 10, operations: 600, overlapping: 9, time, ..Summary::default() };
        assert_eq!(
            summary.to_string(),
            "10 runs, 600 operations in 1.00 s; operations overlapped in 90 % of the runs, 0 were interrupted"
        );
    }
}
