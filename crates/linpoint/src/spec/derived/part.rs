//! The operations of a part in the words of its shape, for proofs and guesses.

use super::{fifo_guide, refute, zone_guide};
use crate::history::Span;
use crate::spec::{Name, Refutation, Role, Shape, Slot};
use crate::verdict::OpMention;

/// An operation of a part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) span: Span,
    /// What it does with its result.
    pub(crate) role: Role,
    /// What it does if it takes effect, whatever it returns.
    pub(crate) pending: Role,
    pub(crate) key: Option<Name>,
    pub(crate) is_known: bool,
}

impl Row {
    /// What it does, as far as that is known.
    pub(super) fn effect(&self) -> Role {
        match self.role {
            Role::Foreign(_) => self.pending,
            role => role,
        }
    }

    /// True if its result shows what it found. A pending operation shows nothing: it may not have happened.
    pub(super) fn is_evidence(&self) -> bool {
        self.is_known && !self.span.is_pending()
    }
}

/// A place where a row mentions a name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    /// Which row.
    pub(crate) row: usize,
    /// Which of its names.
    pub(crate) slot: Slot,
}

/// A part and what can be asked about it.
pub(crate) struct Part<'a> {
    pub(crate) shape: Shape,
    /// See [`Shaped::is_complete`](crate::spec::Shaped::is_complete).
    pub(crate) is_complete: bool,
    pub(crate) rows: &'a [Row],
    /// Pushes what a scan found.
    pub(crate) view: &'a dyn Fn(usize, &mut Vec<Option<Name>>),
    /// True if two places mention the same, and not only the same name.
    pub(crate) same_name: &'a dyn Fn(At, At) -> bool,
    /// A row for a sentence.
    pub(crate) mention: &'a dyn Fn(usize) -> OpMention,
}

impl Part<'_> {
    /// True if there is a rule for this shape. The rows are needed only then.
    pub(crate) fn can_refute(shape: Shape) -> bool {
        !matches!(shape, Shape::Opaque | Shape::Counter { .. })
    }

    /// True if there is a guess for this shape. The rows are needed only then.
    pub(crate) fn can_guide(shape: Shape) -> bool {
        matches!(shape, Shape::Queue | Shape::BoundedQueue { .. } | Shape::Registers { .. })
    }

    /// See [`Claims::refute`](crate::spec::Claims::refute).
    pub(crate) fn refute(&self) -> Option<Refutation> {
        refute::refute(self)
    }
}

/// See [`Claims::guide`](crate::spec::Claims::guide).
pub(crate) fn guide(shape: Shape, rows: &[Row]) -> Option<Vec<u64>> {
    match shape {
        Shape::Queue | Shape::BoundedQueue { .. } => Some(fifo_guide::guide(rows)),
        Shape::Registers { .. } => zone_guide::guide(rows),
        _ => None,
    }
}

/// A [`Returned`](crate::spec::Returned) operation by its role.
#[derive(Clone, Copy, Debug)]
pub struct Done {
    /// Who performed it.
    pub process: u32,
    /// When it was called.
    pub call: u64,
    /// When it returned.
    pub end: u64,
    /// What it did.
    pub role: Role,
}
