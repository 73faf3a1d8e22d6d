//! What was observed: operations with their results and their real-time order.
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
mod rare;
mod time;

pub use error::{HistoryError, HistoryErrorKind};
pub use events::EventBuilder;
pub use intervals::{Interval, IntervalBuilder, Ties};
pub use time::{TimeError, Timestamp};

use std::ops::Range;

use rare::Rare;

/// Names an operation of one history: its position in the history's columns.
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

/// A known position of an operation in the order of effects (a revision, a log index).
///
/// What a hint is used for is decided by the check, see [`crate::Hints`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct OrderHint {
    /// Positions are comparable only within one scope (one key, one shard, one log) of one object.
    pub scope: u32,
    /// The position; smaller took effect earlier, equal positions are unordered.
    pub position: u64,
}

/// The parts of an operation that most histories do not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Extras {
    /// Who performed the operation.
    pub process: Option<u32>,
    /// Which of several objects it was performed on; objects are independent.
    pub object: Option<u32>,
    /// Its known position in the order of effects.
    pub hint: Option<OrderHint>,
}

/// [`Extras`] by operation. A column that nothing is in takes no memory.
#[derive(Clone, Debug, Default)]
struct ExtrasColumns {
    processes: Rare<Option<u32>>,
    objects: Rare<Option<u32>>,
    hints: Rare<Option<OrderHint>>,
}

impl ExtrasColumns {
    #[inline(always)]
    fn set(&mut self, at: usize, extras: &Extras) {
        let is_plain = extras.object.is_none() && extras.hint.is_none();
        if !is_plain || !self.objects.is_empty() || !self.hints.is_empty() {
            self.objects.set(at, extras.object);
            self.hints.set(at, extras.hint);
        }
        self.processes.set(at, extras.process);
    }

    fn get(&self, at: usize) -> Extras {
        Extras {
            process: self.processes.get(at),
            object: self.objects.get(at),
            hint: self.hints.get(at),
        }
    }
}

/// A valid concurrent history in columns. See the [module documentation](self).
#[derive(Clone, Debug)]
pub struct History<O, R> {
    ops: Vec<O>,
    rets: Vec<Option<R>>,
    spans: Vec<Span>,
    extras: ExtrasColumns,
    /// One more than the largest rank in use.
    ranks: u32,
    /// A bit for each rank that says whether it is that of a call; the others are those of returns. Empty if that
    /// is not known, or if not every rank is that of one event.
    calls: Vec<u64>,
}

impl<O, R> Default for History<O, R> {
    fn default() -> Self {
        History {
            ops: Vec::new(),
            rets: Vec::new(),
            spans: Vec::new(),
            extras: ExtrasColumns::default(),
            ranks: 0,
            calls: Vec::new(),
        }
    }
}

impl<O, R> History<O, R> {
    /// When each operation was open.
    pub(crate) fn spans(&self) -> &[Span] {
        &self.spans
    }

    /// A bit for each rank that says whether it is that of a call, if every rank is known to be that of one event.
    pub(crate) fn calls(&self) -> Option<&[u64]> {
        (!self.calls.is_empty()).then_some(&self.calls)
    }

    /// Operations that follow each other, their results, and when they were open.
    pub(crate) fn columns(&self, range: Range<usize>) -> (&[O], &[Option<R>], &[Span]) {
        (&self.ops[range.clone()], &self.rets[range.clone()], &self.spans[range])
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
        self.ranks
    }

    /// All operations, in the order in which the history holds them.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = OpId> + use<O, R> {
        (0..self.ops.len() as u32).map(OpId)
    }

    /// What was called.
    pub fn op(&self, id: OpId) -> &O {
        &self.ops[id.index()]
    }

    /// What was returned; `None` if it is unknown (always so for a pending operation).
    pub fn ret(&self, id: OpId) -> Option<&R> {
        self.rets[id.index()].as_ref()
    }

    /// When the operation was open.
    pub fn span(&self, id: OpId) -> Span {
        self.spans[id.index()]
    }

    /// Process, object and hint of the operation, where known.
    pub fn extras(&self, id: OpId) -> Extras {
        self.extras.get(id.index())
    }

    /// True if the operations were performed on more than one object.
    pub fn has_several_objects(&self) -> bool {
        let objects = &self.extras.objects;
        !objects.values().is_empty()
            && self.ids().any(|id| objects.get(id.index()) != objects.get(0))
    }

    /// How many of the operations that returned were open at once, at most.
    pub(crate) fn most_open(&self) -> usize {
        let is_complete = 2 * self.spans.len() == self.ranks as usize;
        match self.calls() {
            Some(calls) if is_complete => open::by_bits(calls),
            _ => open::by_counting(&self.spans, self.ranks),
        }
    }

    /// True if at least one operation carries an order hint.
    pub fn has_hints(&self) -> bool {
        self.extras.hints.values().iter().any(Option::is_some)
    }

    /// A new history of the operations in `ids`, each changed by `edit`.
    ///
    /// Used to derive truncated and relaxed histories. Ranks need not stay dense or distinct (at
    /// one rank, calls come before returns), and the rule of one operation at a time for each
    /// process is not checked again: a derived history is a question, not a record.
    pub fn derive(&self, ids: &[OpId], mut edit: impl FnMut(OpId, &mut Row<R>)) -> History<O, R>
    where
        O: Clone,
        R: Clone,
    {
        let mut out = History { ranks: self.ranks, ..History::default() };
        for &id in ids {
            let mut row =
                Row { span: self.span(id), ret: self.ret(id).cloned(), extras: self.extras(id) };
            edit(id, &mut row);
            out.ops.push(self.op(id).clone());
            out.rets.push(row.ret);
            out.extras.set(out.spans.len(), &row.extras);
            out.spans.push(row.span);
        }
        out
    }
}

/// What [`History::derive`] lets be changed.
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
    /// Takes everything back that the operation proves: it may have happened at any time, with any
    /// result, or not at all.
    pub fn relax(&mut self) {
        self.span = Span { call: 0, ret: Span::NEVER };
        self.ret = None;
        self.extras.hint = None;
    }
}
