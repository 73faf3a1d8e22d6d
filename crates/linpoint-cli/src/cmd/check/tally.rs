//! Counts of outcomes, the summary line, and the exit code.

use std::fmt::Write;
use std::time::Duration;

use linpoint_report::text;

use super::finding::{Checked, VerdictKind};
use crate::exit::{CLOSED_PIPE, Exit};

/// Counts of outcomes.
#[derive(Debug, Default)]
pub struct Tally {
    linearizable: usize,
    violations: usize,
    undecided: usize,
    /// Histories that are not valid for Jepsen's checker, linearizable or not.
    invalid: usize,
    /// Inputs that could not be checked.
    pub errors: usize,
    operations: usize,
    /// Files in directories that are not histories.
    skipped: usize,
    /// Inputs that were not checked because of an interrupt or a failure.
    pub not_checked: usize,
    /// True if a failure ended the run.
    pub stopped: bool,
    /// An input that could not be checked counts for more than a violation.
    strict: bool,
}

impl Tally {
    /// A tally of no histories yet, for a run that skipped this many files.
    pub fn new(skipped: usize, strict: bool) -> Tally {
        Tally { skipped, strict, ..Tally::default() }
    }

    /// Adds a history that was checked.
    pub fn count(&mut self, checked: &Checked) {
        self.operations += checked.operations;
        self.invalid += usize::from(checked.is_invalid);
        *match checked.verdict {
            VerdictKind::Linearizable => &mut self.linearizable,
            VerdictKind::Violation => &mut self.violations,
            VerdictKind::Undecided => &mut self.undecided,
        } += 1;
    }

    /// True if a history is not linearizable.
    pub fn has_violations(&self) -> bool {
        self.violations + self.invalid > 0
    }

    /// The exit code of the worst outcome. A violation is worse than an input that could not be checked, unless strict.
    pub fn exit(&self) -> Exit {
        let mut counts = [
            (self.violations + self.invalid, Exit::Violation),
            (self.errors, Exit::Error),
            (self.undecided + self.not_checked, Exit::Undecided),
        ];
        if self.strict {
            counts.swap(0, 1);
        }
        counts.into_iter().find(|(count, _)| *count > 0).map_or(Exit::Success, |(_, exit)| exit)
    }

    /// The exit code if the reader of the output has gone before the end: a violation that was found is one. Otherwise
    /// there is no verdict, and the code is that of a process that a closed pipe has ended.
    pub fn exit_unread(&self) -> u8 {
        if self.has_violations() { Exit::Violation.code() } else { CLOSED_PIPE }
    }

    /// The summary line.
    pub fn summary(&self, time: Duration) -> String {
        let checked = self.linearizable + self.violations + self.undecided;
        let histories =
            if checked == 1 { "1 history".to_owned() } else { format!("{checked} histories") };
        let mut text =
            format!("{histories}: {} linearizable, {} not", self.linearizable, self.violations);
        if self.undecided > 0 {
            let _ = write!(text, ", {} undecided", self.undecided);
        }
        if self.invalid > 0 {
            let _ = write!(text, ", {} not valid for Jepsen", self.invalid);
        }
        if self.errors > 0 {
            let _ = write!(text, "; {}", text::count(self.errors, "error"));
        }
        if self.not_checked > 0 {
            let why = if self.stopped { "stopped at the first failure" } else { "interrupted" };
            let inputs = text::count(self.not_checked, "input");
            let _ = write!(text, "; {why}, {inputs} not checked");
        }
        let operations = text::count(self.operations, "operation");
        let _ = write!(text, "; {operations} in {}", text::duration(time));
        if self.skipped > 0 {
            let _ = write!(text, " ({} skipped)", text::count(self.skipped, "file"));
        }
        text.push('\n');
        text
    }
}
