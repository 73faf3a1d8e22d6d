//! The independent parts of a history and the status of each, for reports.

use super::run::Settings;
use super::{CheckError, Report};
use crate::decide::{PartAnswer, PartReport};
use crate::history::OpId;
use crate::plan::effective_hints;
use crate::subject::Case;
use crate::verdict::Verdict;

/// The outcome for an independent part.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum PartStatus {
    /// A legal order exists.
    Linearizable,
    /// No legal order exists.
    Violation,
    /// A limit was hit first.
    Undecided,
    /// Not checked, because another part had already failed.
    NotChecked,
}

/// An independent part of a history.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Its operations, in call order.
    pub ops: Vec<OpId>,
    /// Its outcome.
    pub status: PartStatus,
}

pub(super) fn statuses(parts: &[Option<PartReport>]) -> Vec<PartStatus> {
    let status = |report: &Option<PartReport>| match report.as_ref().map(|r| &r.answer) {
        None => PartStatus::NotChecked,
        Some(PartAnswer::Linearizable(_)) => PartStatus::Linearizable,
        Some(PartAnswer::Violation(_)) => PartStatus::Violation,
        Some(PartAnswer::Undecided { .. }) => PartStatus::Undecided,
    };
    parts.iter().map(status).collect()
}

impl Settings<'_> {
    /// Number of operations in each independent part of a history.
    pub(super) fn part_sizes(&self, case: &Case<'_>) -> Result<Vec<usize>, CheckError> {
        let split = self.split(case, effective_hints(case.timeline(), self.hints))?;
        let calls = |part| split.events(part).iter().filter(|event| !event.is_return()).count();
        Ok((0..split.len()).map(calls).collect())
    }

    /// The independent parts of a history, with the status that `report` gives each of them.
    pub(super) fn parts(&self, case: &Case<'_>, report: &Report) -> Result<Vec<Part>, CheckError> {
        let split = self.split(case, effective_hints(case.timeline(), self.hints))?;
        // A monitor that decided all parts together reports no status for single parts.
        let otherwise = match report.verdict {
            Verdict::Linearizable(_) => PartStatus::Linearizable,
            _ => PartStatus::NotChecked,
        };
        let status = |part: usize| report.parts.get(part).copied().unwrap_or(otherwise);
        let part = |i: usize| Part { ops: split.ops(i), status: status(i) };
        Ok((0..split.len()).map(part).collect())
    }
}
