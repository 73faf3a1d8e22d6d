//! The independent parts of a history with what became of each, for reports.

use crate::check::{CheckError, Checker, Report};
use crate::decide::{PartAnswer, PartReport};
use crate::history::{History, OpId};
use crate::plan::effective_hints;
use crate::spec::Spec;
use crate::verdict::Verdict;

/// What became of an independent part.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum PartStatus {
    /// There is a legal order.
    Linearizable,
    /// There is none.
    Violation,
    /// A limit was hit first.
    Undecided,
    /// Another part had already failed, so that nobody asked.
    NotChecked,
}

/// An independent part of a history.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Its operations, in call order.
    pub ops: Vec<OpId>,
    /// What became of it.
    pub status: PartStatus,
}

pub(crate) fn statuses(parts: &[Option<PartReport>]) -> Vec<PartStatus> {
    let status = |report: &Option<PartReport>| match report.as_ref().map(|r| &r.answer) {
        None => PartStatus::NotChecked,
        Some(PartAnswer::Linearizable(_)) => PartStatus::Linearizable,
        Some(PartAnswer::Violation(_)) => PartStatus::Violation,
        Some(PartAnswer::Undecided { .. }) => PartStatus::Undecided,
    };
    parts.iter().map(status).collect()
}

impl<S: Spec> Checker<'_, S> {
    /// How many operations each independent part of a history has.
    pub fn part_sizes(&self, history: &History<S::Op, S::Ret>) -> Result<Vec<usize>, CheckError> {
        let split = self.split(history, effective_hints(history, self.hints))?;
        let calls = |part| split.events(part).iter().filter(|event| !event.is_return()).count();
        Ok((0..split.len()).map(calls).collect())
    }

    /// The independent parts of a history, with what became of each in a check of it by this checker.
    pub fn parts(
        &self,
        history: &History<S::Op, S::Ret>,
        report: &Report,
    ) -> Result<Vec<Part>, CheckError> {
        let split = self.split(history, effective_hints(history, self.hints))?;
        // A monitor that took all parts at once said nothing about each.
        let otherwise = match report.verdict {
            Verdict::Linearizable(_) => PartStatus::Linearizable,
            _ => PartStatus::NotChecked,
        };
        let status = |part: usize| report.parts.get(part).copied().unwrap_or(otherwise);
        let part = |i: usize| Part { ops: split.ops(i), status: status(i) };
        Ok((0..split.len()).map(part).collect())
    }
}
