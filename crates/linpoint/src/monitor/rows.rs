//! The operations that a monitor is asked about, without their types.
//!
//! Monitors ask for roles and names, never for the operations themselves. So they are compiled once,
//! and not once for each specification: what is specific is behind [`Source`].

use std::cmp::Ordering;
use std::ops::Range;

use crate::history::{History, OpId, Span};
use crate::spec::{Mention, Name, Role, Shape, Shaped, Slot, Spec, Text};

/// The operations that a monitor is asked about, in the order of its rows.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    source: &'a dyn Source,
    /// Of all operations of the history.
    spans: &'a [Span],
    /// See [`History::calls`].
    calls: Option<&'a [u64]>,
    /// One more than the largest rank of the history.
    pub(crate) ranks: u32,
    which: Which<'a>,
    /// True if equal names are taken for equal values, see [`Rows::trusting_names`].
    trusts_names: bool,
}

/// Which operations the rows are.
#[derive(Clone, Copy)]
enum Which<'a> {
    /// All of the history, in its order. A list of them would be one more column.
    All,
    These(&'a [OpId]),
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
        self.rows_of(Which::These(ids))
    }

    /// All of its operations.
    pub(crate) fn all_rows(&'a self) -> Rows<'a> {
        self.rows_of(Which::All)
    }

    fn rows_of(&'a self, which: Which<'a>) -> Rows<'a> {
        let (spans, ranks) = (self.history.spans(), self.history.ranks());
        let calls = self.history.calls();
        Rows { source: self, spans, calls, ranks, which, trusts_names: false }
    }

    fn mention(&self, (id, slot): (OpId, Slot)) -> Mention<'a, S::Op, S::Ret> {
        Mention { op: self.history.op(id), ret: self.history.ret(id), slot }
    }
}

/// [`Shaped`], for operations that are known by their numbers.
trait Source {
    fn shape(&self) -> Shape;
    fn role(&self, id: OpId) -> Role;
    fn key(&self, id: OpId) -> Option<Name>;
    /// Pushes the roles and keys of operations that follow each other in the history.
    fn roles(&self, ids: Range<usize>, roles: &mut Vec<(Role, Option<Name>)>);
    /// The role of the operation if it were pending.
    fn relaxed_role(&self, id: OpId) -> Role;
    fn same_name(&self, a: (OpId, Slot), b: (OpId, Slot)) -> bool;
    /// True if all pairs have the same name.
    fn same_names(&self, pairs: &[[(OpId, Slot); 2]]) -> bool;
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

    fn roles(&self, ids: Range<usize>, roles: &mut Vec<(Role, Option<Name>)>) {
        let (ops, rets, spans) = self.history.columns(ids);
        self.shaped.roles(ops, rets, spans, roles);
    }

    fn same_name(&self, a: (OpId, Slot), b: (OpId, Slot)) -> bool {
        self.shaped.same_name(self.mention(a), self.mention(b))
    }

    fn same_names(&self, pairs: &[[(OpId, Slot); 2]]) -> bool {
        let (ops, rets, _) = self.history.columns(0..self.history.len());
        self.shaped.same_names(ops, rets, pairs)
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
        match self.which {
            Which::All => self.spans.len(),
            Which::These(ids) => ids.len(),
        }
    }

    /// The same rows, but values of one name are taken to be equal until a contradiction is found. An order does not
    /// need more: it is replayed with the values themselves.
    pub(crate) fn trusting_names(self) -> Rows<'a> {
        Rows { trusts_names: true, ..self }
    }

    /// True if nobody has made sure yet that values of one name are equal.
    pub(crate) fn trusts_names(&self) -> bool {
        self.trusts_names
    }

    /// The operation that a row is.
    #[inline]
    pub(crate) fn id(&self, row: usize) -> OpId {
        match self.which {
            Which::All => OpId(row as u32),
            Which::These(ids) => ids[row],
        }
    }

    /// When each row was open.
    pub(crate) fn spans(&self) -> impl Iterator<Item = Span> + use<'a> {
        let rows = *self;
        (0..rows.len()).map(move |row| rows.spans[rows.id(row).index()])
    }

    /// A bit for each rank that says whether it is that of a call, if each rank is that of one event of these rows.
    pub(crate) fn calls(&self) -> Option<&'a [u64]> {
        match self.which {
            Which::All => self.calls,
            Which::These(_) => None,
        }
    }

    /// True if the row never returned.
    pub(crate) fn is_pending(&self, row: usize) -> bool {
        self.spans[self.id(row).index()].is_pending()
    }

    /// See [`Shaped::shape`].
    pub(crate) fn shape(&self) -> Shape {
        self.source.shape()
    }

    /// See [`Shaped::role`].
    pub(crate) fn role(&self, row: usize) -> Role {
        self.source.role(self.id(row))
    }

    /// The role of the row if it were pending.
    pub(crate) fn relaxed_role(&self, row: usize) -> Role {
        self.source.relaxed_role(self.id(row))
    }

    /// See [`Shaped::key`].
    pub(crate) fn key(&self, row: usize) -> Option<Name> {
        self.source.key(self.id(row))
    }

    /// Pushes the roles and keys of these rows, see [`Shaped::role`] and [`Shaped::key`].
    pub(crate) fn roles(&self, rows: Range<usize>, roles: &mut Vec<(Role, Option<Name>)>) {
        match self.which {
            Which::All => self.source.roles(rows, roles),
            Which::These(ids) => {
                for id in ids[rows].iter().map(|id| id.index()) {
                    self.source.roles(id..id + 1, roles);
                }
            }
        }
    }

    /// See [`Shaped::same_name`].
    pub(crate) fn same_name(&self, a: (usize, Slot), b: (usize, Slot)) -> bool {
        self.source.same_name((self.id(a.0), a.1), (self.id(b.0), b.1))
    }

    /// True if [`Shaped::same_name`] is so for all pairs of operations.
    pub(crate) fn same_names(&self, pairs: &[[(OpId, Slot); 2]]) -> bool {
        self.source.same_names(pairs)
    }

    /// See [`Shaped::is_initial`].
    pub(crate) fn is_initial(&self, row: usize, slot: Slot) -> bool {
        self.source.is_initial((self.id(row), slot))
    }

    /// See [`Shaped::compare`].
    pub(crate) fn compare(&self, a: usize, b: usize) -> Ordering {
        self.source.compare(self.id(a), self.id(b))
    }

    /// What a scan found, see [`Shaped::view`].
    pub(crate) fn view(&self, row: usize, names: &mut Vec<Option<Name>>) {
        self.source.view(self.id(row), names);
    }

    /// See [`Shaped::appends`].
    pub(crate) fn appends(&self, row: usize) -> bool {
        self.source.appends(self.id(row))
    }

    /// See [`Shaped::text`].
    pub(crate) fn text(&self, row: usize) -> Option<Text<'a>> {
        self.source.text(self.id(row))
    }

    /// See [`Shaped::initial_text`].
    pub(crate) fn initial_text(&self) -> Option<Text<'a>> {
        self.source.initial_text()
    }

    /// The operation with its result: `dequeue() by client 3 -> 7`.
    pub(crate) fn in_words(&self, row: u32) -> String {
        self.source.in_words(self.id(row as usize))
    }
}
