//! A history as engines see it.

use std::borrow::Cow;

use super::{Call, RetId, Row, Subject};
use crate::history::{Extras, OpId, Span, Timeline};
use crate::spec::Traces;
use crate::verdict::{Form, OpMention};

/// A subject and when its operations were open. Derived cases leave operations out or change what is known about
/// them, without copying operations or results.
pub(crate) struct Case<'a> {
    pub(crate) subject: &'a dyn Subject,
    timeline: Cow<'a, Timeline>,
    /// What each operation of the timeline is for the subject; `None` if it is the one of the same number, as recorded.
    calls: Option<Vec<Call>>,
}

/// What [`Case::derive`] lets be changed.
#[derive(Clone, Debug)]
pub(crate) struct Edit {
    pub(crate) span: Span,
    pub(crate) ret: RetId,
    pub(crate) extras: Extras,
}

impl Edit {
    /// Takes everything back that the operation proves: it may have happened at any time, with any
    /// result, or not at all.
    pub(crate) fn relax(&mut self) {
        self.span = Span { call: 0, ret: Span::NEVER };
        self.ret = RetId::UNKNOWN;
        self.extras.hint = None;
    }
}

impl<'a> Case<'a> {
    /// The history as it was recorded.
    pub(crate) fn new(subject: &'a dyn Subject, timeline: &'a Timeline) -> Case<'a> {
        Case { subject, timeline: Cow::Borrowed(timeline), calls: None }
    }

    pub(crate) fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// True if the operations are those of the subject, as recorded.
    pub(crate) fn is_recorded(&self) -> bool {
        self.calls.is_none()
    }

    pub(crate) fn len(&self) -> usize {
        self.timeline.len()
    }

    pub(crate) fn ids(&self) -> impl ExactSizeIterator<Item = OpId> + use<> {
        self.timeline.ids()
    }

    pub(crate) fn span(&self, id: OpId) -> Span {
        self.timeline.span(id)
    }

    pub(crate) fn extras(&self, id: OpId) -> Extras {
        self.timeline.extras(id)
    }

    /// What the operation is for the subject.
    #[inline]
    pub(crate) fn call(&self, id: OpId) -> Call {
        match &self.calls {
            None => Call::recorded(id),
            Some(calls) => calls[id.index()],
        }
    }

    /// The number by which the subject knows the operation.
    #[inline]
    pub(crate) fn op(&self, id: OpId) -> OpId {
        self.call(id).op
    }

    /// True if the result of the operation is known.
    pub(crate) fn is_known(&self, id: OpId) -> bool {
        self.subject.is_known(self.call(id).ret)
    }

    /// The operations that are known to have returned, but not with which result.
    pub(crate) fn unknown_results(&self) -> usize {
        match self.is_recorded() {
            // Results of pending operations are never known.
            true => self.len() - self.timeline.pending() - self.subject.known_results(),
            false => {
                let is_unknown = |id: &OpId| !self.span(*id).is_pending() && !self.is_known(*id);
                self.ids().filter(is_unknown).count()
            }
        }
    }

    /// The operations `ids` for proofs and guesses.
    pub(crate) fn rows(&self, ids: &[OpId]) -> Vec<Row> {
        let row = |&id: &OpId| Row { id, call: self.call(id), span: self.span(id) };
        ids.iter().map(row).collect()
    }

    /// A case of the operations in `ids`, each changed by `edit`. Ranks need not stay dense or distinct: at one rank,
    /// calls come before returns.
    pub(crate) fn derive(&self, ids: &[OpId], mut edit: impl FnMut(OpId, &mut Edit)) -> Case<'a> {
        let mut timeline = Timeline::with_ranks(self.timeline.ranks());
        let mut calls = Vec::with_capacity(ids.len());
        for &id in ids {
            let Call { op, ret } = self.call(id);
            let mut row = Edit { span: self.span(id), ret, extras: self.extras(id) };
            edit(id, &mut row);
            calls.push(Call { op, ret: row.ret });
            timeline.push(row.span, &row.extras);
        }
        Case { subject: self.subject, timeline: Cow::Owned(timeline), calls: Some(calls) }
    }

    pub(crate) fn is_read(&self, id: OpId) -> bool {
        self.subject.is_read(Call::unknown(self.op(id)))
    }

    pub(crate) fn leaves(&self, id: OpId) -> Traces {
        self.subject.leaves(self.op(id))
    }

    pub(crate) fn senses(&self, id: OpId) -> Traces {
        self.subject.senses(self.call(id))
    }

    pub(crate) fn describe_op(&self, id: OpId) -> String {
        self.subject.describe_op(self.op(id))
    }

    /// The operation for a [`Reason`](crate::verdict::Reason).
    pub(crate) fn mention(&self, id: OpId, form: Form) -> OpMention {
        OpMention {
            op: id,
            form,
            call: self.describe_op(id),
            process: self.extras(id).process,
            result: self.describe_ret(id),
        }
    }

    /// The result as text, if it is known.
    pub(crate) fn describe_ret(&self, id: OpId) -> Option<String> {
        self.is_known(id).then(|| self.subject.describe_ret(self.call(id)))
    }
}
