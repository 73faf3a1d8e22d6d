//! A history together with its specification, behind an interface without type parameters.

use std::any::Any;

use linpoint::history::Timeline;
use linpoint::subject::{Subject, Typed};
use linpoint::wire::FromWire;
use linpoint::{History, OpId};

use crate::Value;

/// In what two histories differ.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Difference {
    /// They are not histories of the same object.
    Model,
    /// An operation of the first, and what the second has instead, if anything.
    Operation {
        /// In the first.
        was: OpId,
        /// In the second.
        is: Option<OpId>,
    },
    /// The second has more operations.
    Longer,
}

/// An operation as a name and values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recorded {
    /// What was called: `enqueue`.
    pub op: &'static str,
    /// The arguments.
    pub args: Vec<Value>,
    /// The result, if it returned and the result is known.
    pub ret: Option<Value>,
}

/// A history of any model.
pub(super) trait AnyHistory: Send + Sync {
    /// When the operations were open.
    fn timeline(&self) -> &Timeline;

    /// The operations and their specification.
    fn subject(&self) -> Box<dyn Subject + '_>;

    /// True if the other is a history of the same object.
    fn is_alike(&self, other: &dyn AnyHistory) -> bool;

    /// True if two operations and their results are equal. The other history must be [alike](AnyHistory::is_alike).
    fn same_op(&self, id: OpId, other: &dyn AnyHistory, other_id: OpId) -> bool;

    /// An operation as a name and values; `None` if the model does not describe its operations in this way.
    fn recorded(&self, id: OpId) -> Option<Recorded>;

    /// See [`FromWire::failure`].
    fn failure(&self) -> Option<String>;

    fn as_any(&self) -> &dyn Any;
}

/// A specification and a history of its operations.
pub(super) struct Owned<S: FromWire> {
    pub(super) spec: S,
    pub(super) history: History<S::Op, S::Ret>,
}

impl<S: FromWire> Owned<S> {
    fn of(any: &dyn AnyHistory) -> Option<&Owned<S>> {
        any.as_any().downcast_ref()
    }
}

impl<S: FromWire> AnyHistory for Owned<S> {
    fn timeline(&self) -> &Timeline {
        self.history.timeline()
    }

    fn subject(&self) -> Box<dyn Subject + '_> {
        Box::new(Typed::new(&self.spec, &self.history))
    }

    fn is_alike(&self, other: &dyn AnyHistory) -> bool {
        Owned::<S>::of(other).is_some_and(|other| self.spec.is_alike(&other.spec))
    }

    fn same_op(&self, id: OpId, other: &dyn AnyHistory, other_id: OpId) -> bool {
        Owned::<S>::of(other).is_some_and(|other| {
            self.history.op(id) == other.history.op(other_id)
                && self.history.ret(id) == other.history.ret(other_id)
        })
    }

    fn recorded(&self, id: OpId) -> Option<Recorded> {
        let (model, call) = (self.spec.wire()?, self.history.op(id));
        let (op, args) = model.op(call);
        let args = args.iter().map(linpoint::wire::Arg::to_value).collect::<Option<_>>()?;
        let ret = match self.history.ret(id) {
            Some(ret) => Some(model.ret(call, ret)?),
            None => None,
        };
        Some(Recorded { op, args, ret })
    }

    fn failure(&self) -> Option<String> {
        self.spec.failure()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// The first thing in which the second history is not the same as the first.
pub(super) fn difference(
    ours: &dyn AnyHistory,
    theirs: &dyn AnyHistory,
    same_object: &dyn Fn(OpId, OpId) -> bool,
) -> Option<Difference> {
    if !ours.is_alike(theirs) {
        return Some(Difference::Model);
    }
    let mut in_other = in_call_order(theirs.timeline()).into_iter();
    for was in in_call_order(ours.timeline()) {
        let is = in_other.next();
        let same = |is: OpId| {
            ours.same_op(was, theirs, is)
                && ours.timeline().span(was) == theirs.timeline().span(is)
                && same_object(was, is)
        };
        if !is.is_some_and(same) {
            return Some(Difference::Operation { was, is });
        }
    }
    in_other.next().map(|_| Difference::Longer)
}

fn in_call_order(timeline: &Timeline) -> Vec<OpId> {
    let mut ids: Vec<OpId> = timeline.ids().collect();
    ids.sort_unstable_by_key(|id| timeline.span(*id).call);
    ids
}
