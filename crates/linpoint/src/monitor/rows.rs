//! The operations that a monitor is asked about, without their types.
//!
//! Monitors ask for roles and names, never for the operations themselves. So they are compiled once,
//! and not once for each specification: what is specific is behind [`Source`].

use std::cmp::Ordering;

use crate::history::{History, OpId, Span};
use crate::spec::{Mention, Name, Role, Shape, Shaped, Slot, Spec, Text};

/// The operations that a monitor is asked about, in the order of its rows.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    source: &'a dyn Source,
    /// Of all operations of the history.
    spans: &'a [Span],
    /// One more than the largest rank of the history.
    pub(crate) ranks: u32,
    pub(crate) ids: &'a [OpId],
}

/// A specification and a history of its operations.
pub(crate) struct Typed<'a, S: Spec> {
    pub(crate) spec: &'a S,
    pub(crate) shaped: &'a dyn Shaped<S::Op, S::Ret>,
    pub(crate) history: &'a History<S::Op, S::Ret>,
}

impl<'a, S: Spec> Typed<'a, S> {
    /// These of its operations.
    pub(crate) fn rows(&'a self, ids: &'a [OpId]) -> Rows<'a> {
        Rows { source: self, spans: self.history.spans(), ranks: self.history.ranks(), ids }
    }

    fn mention(&self, (id, slot): (OpId, Slot)) -> Mention<'a, S::Op, S::Ret> {
        Mention { op: self.history.op(id), ret: self.history.ret(id), slot }
    }
}

/// [`Shaped`], for operations that are known by their numbers.
trait Source {
    fn shape(&self) -> Shape;
    fn role(&self, id: OpId) -> Role;
    /// The role of the operation if it were pending.
    fn relaxed_role(&self, id: OpId) -> Role;
    fn key(&self, id: OpId) -> Option<Name>;
    fn same_name(&self, a: (OpId, Slot), b: (OpId, Slot)) -> bool;
    fn is_initial(&self, mention: (OpId, Slot)) -> bool;
    fn compare(&self, a: OpId, b: OpId) -> Ordering;
    fn view(&self, id: OpId, names: &mut Vec<Option<Name>>);
    fn appends(&self, id: OpId) -> bool;
    fn text(&self, id: OpId) -> Option<Text<'_>>;
    fn initial_text(&self) -> Option<Text<'_>>;
    /// The operation, who performed it, and its result.
    fn in_words(&self, id: OpId) -> String;
}

impl<S: Spec> Source for Typed<'_, S> {
    fn shape(&self) -> Shape {
        self.shaped.shape()
    }

    fn role(&self, id: OpId) -> Role {
        let pending = self.history.span(id).is_pending();
        self.shaped.role(self.history.op(id), self.history.ret(id), pending)
    }

    fn relaxed_role(&self, id: OpId) -> Role {
        self.shaped.role(self.history.op(id), None, true)
    }

    fn key(&self, id: OpId) -> Option<Name> {
        self.shaped.key(self.history.op(id))
    }

    fn same_name(&self, a: (OpId, Slot), b: (OpId, Slot)) -> bool {
        self.shaped.same_name(self.mention(a), self.mention(b))
    }

    fn is_initial(&self, mention: (OpId, Slot)) -> bool {
        self.shaped.is_initial(self.mention(mention))
    }

    fn compare(&self, a: OpId, b: OpId) -> Ordering {
        let of = |id| self.mention((id, Slot::Value));
        self.shaped.compare(of(a), of(b))
    }

    fn view(&self, id: OpId, names: &mut Vec<Option<Name>>) {
        if let Some(ret) = self.history.ret(id) {
            self.shaped.view(ret, names);
        }
    }

    fn appends(&self, id: OpId) -> bool {
        self.shaped.appends(self.history.op(id))
    }

    fn text(&self, id: OpId) -> Option<Text<'_>> {
        self.shaped.text(self.mention((id, Slot::Value)))
    }

    fn initial_text(&self) -> Option<Text<'_>> {
        self.shaped.initial_text()
    }

    fn in_words(&self, id: OpId) -> String {
        let Typed { spec, history, .. } = self;
        let op = history.op(id);
        let who = history.extras(id).process.map_or(String::new(), |p| format!(" by client {p}"));
        let result = history.ret(id).map(|ret| spec.describe_ret(op, ret));
        let result = match result.as_deref() {
            None | Some("ok" | "") => String::new(),
            Some(result) => format!(" -> {result}"),
        };
        format!("{}{who}{result}", spec.describe_op(op))
    }
}

impl<'a> Rows<'a> {
    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// When each row was open.
    pub(crate) fn spans(&self) -> impl Iterator<Item = Span> + use<'a> {
        let spans = self.spans;
        self.ids.iter().map(move |id| spans[id.index()])
    }

    /// True if the row never returned.
    pub(crate) fn is_pending(&self, row: usize) -> bool {
        self.spans[self.ids[row].index()].is_pending()
    }

    /// See [`Shaped::shape`].
    pub(crate) fn shape(&self) -> Shape {
        self.source.shape()
    }

    /// See [`Shaped::role`].
    pub(crate) fn role(&self, row: usize) -> Role {
        self.source.role(self.ids[row])
    }

    /// The role of the row if it were pending.
    pub(crate) fn relaxed_role(&self, row: usize) -> Role {
        self.source.relaxed_role(self.ids[row])
    }

    /// See [`Shaped::key`].
    pub(crate) fn key(&self, row: usize) -> Option<Name> {
        self.source.key(self.ids[row])
    }

    /// See [`Shaped::same_name`].
    pub(crate) fn same_name(&self, a: (usize, Slot), b: (usize, Slot)) -> bool {
        self.source.same_name((self.ids[a.0], a.1), (self.ids[b.0], b.1))
    }

    /// See [`Shaped::is_initial`].
    pub(crate) fn is_initial(&self, row: usize, slot: Slot) -> bool {
        self.source.is_initial((self.ids[row], slot))
    }

    /// See [`Shaped::compare`].
    pub(crate) fn compare(&self, a: usize, b: usize) -> Ordering {
        self.source.compare(self.ids[a], self.ids[b])
    }

    /// What a scan found, see [`Shaped::view`].
    pub(crate) fn view(&self, row: usize, names: &mut Vec<Option<Name>>) {
        self.source.view(self.ids[row], names);
    }

    /// See [`Shaped::appends`].
    pub(crate) fn appends(&self, row: usize) -> bool {
        self.source.appends(self.ids[row])
    }

    /// See [`Shaped::text`].
    pub(crate) fn text(&self, row: usize) -> Option<Text<'a>> {
        self.source.text(self.ids[row])
    }

    /// See [`Shaped::initial_text`].
    pub(crate) fn initial_text(&self) -> Option<Text<'a>> {
        self.source.initial_text()
    }

    /// The operation with its result: `dequeue() by client 3 -> 7`.
    pub(crate) fn in_words(&self, row: u32) -> String {
        self.source.in_words(self.ids[row as usize])
    }
}
