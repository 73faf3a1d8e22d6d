//! The spans, processes and objects of operations: a history without its operations and results.

use super::open;
use super::rare::Rare;
use super::{Extras, OpId, OrderHint, Span};

/// [`Extras`] by operation. An empty column takes no memory.
#[derive(Clone, Debug, Default)]
pub(super) struct ExtrasColumns {
    pub(super) processes: Rare<Option<u32>>,
    objects: Rare<Option<u32>>,
    pub(super) hints: Rare<Option<OrderHint>>,
}

impl ExtrasColumns {
    #[inline(always)]
    pub(super) fn set(&mut self, at: usize, extras: &Extras) {
        let is_plain = extras.object.is_none() && extras.hint.is_none();
        if !is_plain || !self.objects.is_empty() || !self.hints.is_empty() {
            self.objects.set(at, extras.object);
            self.hints.set(at, extras.hint);
        }
        self.processes.set(at, extras.process);
    }

    /// Moves the extras of other operations, whose positions begin at `at` here.
    pub(super) fn append(&mut self, at: usize, other: &mut ExtrasColumns) {
        self.processes.append(at, &mut other.processes);
        self.objects.append(at, &mut other.objects);
        self.hints.append(at, &mut other.hints);
    }

    pub(super) fn get(&self, at: usize) -> Extras {
        Extras {
            process: self.processes.get(at),
            object: self.objects.get(at),
            hint: self.hints.get(at),
        }
    }
}

/// The part of a [`History`](super::History) that does not depend on the types of operations and results: spans,
/// processes, objects, order hints. Engines see histories only through this and a [`Subject`](crate::subject::Subject).
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    pub(super) spans: Vec<Span>,
    pub(super) extras: ExtrasColumns,
    /// One more than the largest rank in use.
    pub(super) ranks: u32,
    /// A bitmap of ranks in which calls are set. Empty if unknown, or if some rank does not belong
    /// to exactly one event.
    pub(super) calls: Vec<u64>,
}

impl Timeline {
    /// Number of operations.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// True if there are no operations.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// One more than the largest rank in use.
    pub fn ranks(&self) -> u32 {
        self.ranks
    }

    /// All operations, in the order in which the history holds them.
    pub fn ids(&self) -> impl ExactSizeIterator<Item = OpId> + use<> {
        (0..self.spans.len() as u32).map(OpId)
    }

    /// The span of the operation.
    pub fn span(&self, id: OpId) -> Span {
        self.spans[id.index()]
    }

    /// The spans of all operations.
    pub fn spans(&self) -> &[Span] {
        &self.spans
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

    /// True if at least one operation carries an order hint.
    pub fn has_hints(&self) -> bool {
        self.extras.hints.values().iter().any(Option::is_some)
    }

    /// Adds an operation. For timelines that are built row by row, see
    /// [`History::derive`](super::History::derive).
    pub(crate) fn push(&mut self, span: Span, extras: &Extras) {
        self.extras.set(self.spans.len(), extras);
        self.spans.push(span);
    }

    /// Creates an empty timeline for rows whose ranks are below `ranks`.
    pub(crate) fn with_ranks(ranks: u32) -> Timeline {
        Timeline { ranks, ..Timeline::default() }
    }

    /// A bitmap of ranks in which calls are set; `None` unless every rank is known to belong to one
    /// event.
    pub(crate) fn calls(&self) -> Option<&[u64]> {
        (!self.calls.is_empty()).then_some(&self.calls)
    }

    /// The largest number of completed operations that were open at the same time.
    pub(crate) fn most_open(&self) -> usize {
        let is_complete = 2 * self.spans.len() == self.ranks as usize;
        match self.calls() {
            Some(calls) if is_complete => open::by_bits(calls),
            _ => open::by_counting(&self.spans, self.ranks),
        }
    }

    /// Operations that did not return.
    pub(crate) fn pending(&self) -> usize {
        self.spans.iter().filter(|span| span.is_pending()).count()
    }
}
