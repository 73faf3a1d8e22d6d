//! Histories: operations with their results and their real-time order.
//!
//! A [`History`] is a valid record of concurrent operations, stored in columns. Clock readings and
//! event orders are turned into **ranks** once, when the history is built: every call and every
//! return gets its own number, so that `a` precedes `b` exactly when `a`'s return rank is smaller
//! than `b`'s call rank. Everything downstream sees ranks only and may rely on them being valid.
//!
//! Build one from events in the order in which they happened ([`EventBuilder`]), or from
//! intervals with clock readings ([`IntervalBuilder`]), which needs a policy for [`Ties`].

mod counting;
mod error;
mod events;
mod intervals;
mod open;
pub(crate) mod radix;
mod ranking;
mod rare;
mod time;
mod timeline;

pub use error::{HistoryError, HistoryErrorKind};
pub use events::EventBuilder;
pub use intervals::{Interval, IntervalBuilder, Ties};
pub use time::{TimeError, Timestamp};
pub use timeline::Timeline;

/// Identifies an operation of one history by its position in the columns.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct OpId(pub u32);

impl OpId {
    /// The position as an index into a column.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl std::fmt::Display for OpId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// When an operation was open: the ranks of its call and of its return.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Span {
    /// Rank of the call event.
    pub call: u32,
    /// Rank of the return event, or [`Span::NEVER`] for a pending operation.
    pub ret: u32,
}

impl Span {
    /// The return rank of an operation that never returned: after everything.
    pub const NEVER: u32 = u32::MAX;

    /// True if the operation never returned.
    pub fn is_pending(self) -> bool {
        self.ret == Span::NEVER
    }

    /// True if an operation with this span ended before one with `other` began.
    pub fn precedes(self, other: Span) -> bool {
        self.ret < other.call
    }
}

/// A known position of an operation in the order of effects, such as a revision or a log index.
///
/// [`crate::Hints`] selects how a check uses hints.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OrderHint {
    /// Positions are comparable only within one scope (one key, one shard, one log) of one object.
    pub scope: u32,
    /// The position; smaller took effect earlier, equal positions are unordered.
    pub position: u64,
}

/// Attributes of an operation that most histories do not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Extras {
    /// The process that performed the operation.
    pub process: Option<u32>,
    /// The object it was performed on. Objects are independent.
    pub object: Option<u32>,
    /// Its known position in the order of effects.
    pub hint: Option<OrderHint>,
}

/// A valid concurrent history in columns. See the [module documentation](self).
#[derive(Clone, Debug)]
pub struct History<O, R> {
    ops: Vec<O>,
    rets: Vec<Option<R>>,
    timeline: Timeline,
}

impl<O, R> Default for History<O, R> {
    fn default() -> Self {
        History { ops: Vec::new(), rets: Vec::new(), timeline: Timeline::default() }
    }
}

impl<O, R> History<O, R> {
    /// The spans of the operations, without the operations themselves.
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// All operations and all results.
    pub(crate) fn columns(&self) -> (&[O], &[Option<R>]) {
        (&self.ops, &self.rets)
    }

    /// Starts a history from events in the order in which they happened.
    pub fn from_events() -> EventBuilder<O, R> {
        EventBuilder::new()
    }

    /// Starts a history from intervals with clock readings.
    pub fn from_intervals(ties: Ties) -> IntervalBuilder<O, R> {
        IntervalBuilder::new(ties)
    }

    /// Number of operations.
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    /// True if there are no operations; an empty history is linearizable.
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// One more than the largest rank in use.
    pub fn ranks(&self) -> u32 {
        self.timeline.ranks
    }

    /// All operations, in the order in which the history holds them.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = OpId> + use<O, R> {
        (0..self.ops.len() as u32).map(OpId)
    }

    /// What was called.
    pub fn op(&self, id: OpId) -> &O {
        &self.ops[id.index()]
    }

    /// What was returned; `None` if unknown, as for every pending operation.
    pub fn ret(&self, id: OpId) -> Option<&R> {
        self.rets[id.index()].as_ref()
    }

    /// When the operation was open.
    pub fn span(&self, id: OpId) -> Span {
        self.timeline.span(id)
    }

    /// Process, object and hint of the operation, where known.
    pub fn extras(&self, id: OpId) -> Extras {
        self.timeline.extras(id)
    }

    /// True if the operations were performed on more than one object.
    pub fn has_several_objects(&self) -> bool {
        self.timeline.has_several_objects()
    }

    /// True if at least one operation carries an order hint.
    pub fn has_hints(&self) -> bool {
        self.timeline.has_hints()
    }

    /// A new history of the operations in `ids`, each changed by `edit`.
    ///
    /// For truncated and relaxed histories. Ranks need not stay dense or distinct (at equal ranks,
    /// calls come before returns). Operations of one process may overlap: that is not checked
    /// again, since a derived history is a query, not a record.
    pub fn derive(&self, ids: &[OpId], mut edit: impl FnMut(OpId, &mut Row<R>)) -> History<O, R>
    where
        O: Clone,
        R: Clone,
    {
        let timeline = Timeline::with_ranks(self.ranks());
        let mut out = History { timeline, ..History::default() };
        for &id in ids {
            let mut row =
                Row { span: self.span(id), ret: self.ret(id).cloned(), extras: self.extras(id) };
            edit(id, &mut row);
            out.ops.push(self.op(id).clone());
            out.rets.push(row.ret);
            out.timeline.push(row.span, &row.extras);
        }
        out
    }
}

/// A row that [`History::derive`] may change.
#[derive(Clone, Debug)]
pub struct Row<R> {
    /// When it was open.
    pub span: Span,
    /// What it returned.
    pub ret: Option<R>,
    /// Process, object, hint.
    pub extras: Extras,
}

impl<R> Row<R> {
    /// Relaxes the operation: it may have happened at any time, with any result, or not at all.
    pub fn relax(&mut self) {
        self.span = Span { call: 0, ret: Span::NEVER };
        self.ret = None;
        self.extras.hint = None;
    }
}
