//! Questions about a few states, for people who look at an order: what follows, and what could be returned.

use super::states::step_all;
use crate::budget::{Budget, Memory};
use crate::history::OpId;
use crate::subject::{Call, RetId, Session, StateId, Subject};

/// The results that an operation can have in a state, as text. None at all: it has to wait.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PossibleResults {
    /// The results.
    pub texts: Vec<String>,
    /// False if there may be others.
    pub is_complete: bool,
}

/// Questions about states.
pub(super) struct Asking<'a> {
    subject: &'a dyn Subject,
    session: Box<dyn Session + 'a>,
    budget: Budget<'a>,
}

impl<'a> Asking<'a> {
    pub(super) fn new(subject: &'a dyn Subject, memory: &'a Memory) -> Self {
        Asking { subject, session: subject.session(), budget: Budget::new(None, memory) }
    }

    pub(super) fn initial(&mut self) -> Option<Vec<StateId>> {
        Some(vec![self.session.initial(&mut self.budget).ok()?])
    }

    /// All states that an operation may lead to.
    pub(super) fn after(&mut self, states: &[StateId], call: Call) -> Option<Vec<StateId>> {
        let mut next = Vec::new();
        step_all(&mut *self.session, states, call, &mut next, &mut self.budget)?;
        Some(next)
    }

    /// True if the result of an operation is known.
    pub(super) fn is_known(&self, op: OpId) -> bool {
        self.subject.is_known(RetId::of(op))
    }

    pub(super) fn bytes(&self, states: &[StateId]) -> usize {
        states.iter().map(|state| self.session.bytes(*state)).sum()
    }

    /// What an operation can return in one of these states, at most `most` results.
    pub(super) fn results(
        &mut self,
        states: &[StateId],
        op: OpId,
        most: usize,
    ) -> Option<PossibleResults> {
        let (mut outcomes, mut is_complete) = (Vec::new(), true);
        for state in states {
            is_complete &=
                self.session.outcomes(*state, op, &mut outcomes, &mut self.budget).ok()?;
        }
        let mut rets: Vec<RetId> = outcomes.iter().map(|(ret, _)| *ret).collect();
        rets.sort();
        rets.dedup();
        let texts = rets.iter().map(|ret| self.subject.describe_ret(Call { op, ret: *ret }));
        let mut texts: Vec<String> = texts.collect();
        texts.sort();
        texts.dedup();
        is_complete &= texts.len() <= most;
        texts.truncate(most);
        Some(PossibleResults { texts, is_complete })
    }
}
