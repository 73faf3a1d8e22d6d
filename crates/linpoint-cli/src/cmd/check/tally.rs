//! How many histories had which outcome, and what that means for the shell.

use std::fmt::Write;
use std::time::Duration;

use linpoint_report::text;

use super::work::{Checked, Kind};
use crate::exit::Exit;

/// How many histories had which outcome.
#[derive(Debug, Default)]
pub struct Tally {
    linearizable: usize,
    violations: usize,
    undecided: usize,
    /// Inputs that could not be checked.
    pub errors: usize,
    operations: usize,
    /// Files in directories that are not histories.
    passed_over: usize,
    /// Inputs that nobody looked at, because the user had enough.
    pub not_checked: usize,
}

impl Tally {
    /// Nothing has been checked. So many files were passed over.
    pub fn new(passed_over: usize) -> Tally {
        Tally { passed_over, ..Tally::default() }
    }

    /// Counts a history that was checked.
    pub fn count(&mut self, checked: &Checked) {
        self.operations += checked.operations;
        *match checked.kind {
            Kind::Linearizable => &mut self.linearizable,
            Kind::Violation => &mut self.violations,
            Kind::Undecided => &mut self.undecided,
        } += 1;
    }

    /// The worst that happened.
    pub fn exit(&self) -> Exit {
        let counts = [
            (self.errors, Exit::Bad),
            (self.violations, Exit::Violation),
            (self.undecided + self.not_checked, Exit::Undecided),
        ];
        counts.into_iter().find(|(count, _)| *count > 0).map_or(Exit::Fine, |(_, exit)| exit)
    }

    /// The last line for people.
    pub fn summary(&self, time: Duration) -> String {
        let checked = self.linearizable + self.violations + self.undecided;
        let histories =
            if checked == 1 { "1 history".to_owned() } else { format!("{checked} histories") };
        let mut text =
            format!("{histories}: {} linearizable, {} not", self.linearizable, self.violations);
        if self.undecided > 0 {
            let _ = write!(text, ", {} undecided", self.undecided);
        }
        if self.errors > 0 {
            let _ = write!(text, "; {}", text::count(self.errors, "error"));
        }
        if self.not_checked > 0 {
            let _ = write!(
                text,
                "; interrupted, {} not checked",
                text::count(self.not_checked, "input")
            );
        }
        let operations = text::count(self.operations, "operation");
        let _ = write!(text, "; {operations} in {}", text::duration(time));
        if self.passed_over > 0 {
            let _ = write!(text, " ({} passed over)", text::count(self.passed_over, "file"));
        }
        text.push('\n');
        text
    }
}
