//! The operations that a monitor decides: all operations of a case, or some of them.

use std::cmp::Ordering;
use std::ops::Range;

use crate::history::{OpId, Span};
use crate::parallel::Helper;
use crate::spec::{Name, Refutation, Role, Shape, Slot, Text};
use crate::subject::{Call, Case, Place};
use crate::verdict::{Form, OpMention};

use super::{Answer, Effort, Refusal};

/// The operations that a monitor decides, in the order of its rows.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    case: &'a Case<'a>,
    /// When each operation of the case was open.
    spans: &'a [Span],
    /// One more than the largest rank of the history.
    pub(crate) ranks: u32,
    which: Which<'a>,
    /// True if equal names are assumed to mean equal values, see [`Rows::trusting_names`].
    trusts_names: bool,
    /// For passes that do not depend on each other.
    pub(crate) helper: Helper,
}

/// Which operations the rows are.
#[derive(Clone, Copy)]
enum Which<'a> {
    /// All operations of the case, in order. A list of them would be one more column.
    All,
    These(&'a [OpId]),
}

impl<'a> Rows<'a> {
    /// These operations of a case.
    pub(crate) fn new(case: &'a Case<'a>, ids: &'a [OpId]) -> Rows<'a> {
        Rows::of(case, Which::These(ids))
    }

    /// All operations of a case.
    pub(crate) fn all(case: &'a Case<'a>) -> Rows<'a> {
        Rows::of(case, Which::All)
    }

    fn of(case: &'a Case<'a>, which: Which<'a>) -> Rows<'a> {
        let timeline = case.timeline();
        let (spans, ranks) = (timeline.spans(), timeline.ranks());
        Rows { case, spans, ranks, which, trusts_names: false, helper: Helper::NONE }
    }

    fn call(&self, row: usize) -> Call {
        self.case.call(self.id(row))
    }

    pub(crate) fn place(&self, (row, slot): (usize, Slot)) -> Place {
        Place { call: self.call(row), slot }
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        match self.which {
            Which::All => self.spans.len(),
            Which::These(ids) => ids.len(),
        }
    }

    /// The same rows, but values with the same name are assumed to be equal until a contradiction
    /// is found. An order needs no more than that: it is replayed with the values themselves.
    pub(crate) fn trusting_names(self) -> Rows<'a> {
        Rows { trusts_names: true, ..self }
    }

    /// The same rows, with this many threads.
    pub(crate) fn on_threads(self, threads: usize) -> Rows<'a> {
        Rows { helper: Helper::among(threads, self.len()), ..self }
    }

    /// True if it has not been verified that values with the same name are equal.
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

    /// A bitmap of ranks in which calls are set, if each rank belongs to one event of these rows.
    pub(crate) fn calls(&self) -> Option<&'a [u64]> {
        match self.which {
            Which::All => self.case.timeline().calls(),
            Which::These(_) => None,
        }
    }

    /// True if the row never returned.
    pub(crate) fn is_pending(&self, row: usize) -> bool {
        self.spans[self.id(row).index()].is_pending()
    }

    /// See `Subject::shape`.
    pub(crate) fn shape(&self) -> Shape {
        self.case.subject.shape()
    }

    /// See `Subject::own_monitor`.
    pub(crate) fn own_monitor(&self) -> Option<&'static str> {
        self.case.subject.own_monitor()
    }

    /// See `Subject::decide`. The clients are those of the history.
    pub(crate) fn decide_by_own(&self, effort: &mut Effort<'_>) -> Result<Answer, Refusal> {
        let ids: Vec<OpId> = (0..self.len()).map(|row| self.id(row)).collect();
        let work = &mut |units: usize| effort.work(units);
        let answer = self.case.subject.decide(&self.case.rows(&ids), work)?;
        let Answer::Violation(Refutation { ops, reason }) = answer else { return Ok(answer) };
        let reason = reason.with_processes(|id| self.case.extras(id).process);
        Ok(Answer::Violation(Refutation { ops, reason }))
    }

    /// See `Subject::role`.
    pub(crate) fn role(&self, row: usize) -> Role {
        self.case.subject.role(self.call(row), self.is_pending(row))
    }

    /// The role of the row if it were pending.
    pub(crate) fn relaxed_role(&self, row: usize) -> Role {
        self.case.subject.role(Call::unknown(self.call(row).op), true)
    }

    /// See `Subject::key`.
    pub(crate) fn key(&self, row: usize) -> Option<Name> {
        self.case.subject.key(self.call(row).op)
    }

    /// Pushes the roles and keys of these rows, see `Subject::role` and `Subject::key`.
    pub(crate) fn roles(&self, rows: Range<usize>, roles: &mut Vec<(Role, Option<Name>)>) {
        match self.which {
            Which::All if self.case.is_recorded() => {
                self.case.subject.roles(rows.clone(), &self.spans[rows], roles);
            }
            _ => roles.extend(rows.map(|row| (self.role(row), self.key(row)))),
        }
    }

    /// See `Subject::same_name`.
    pub(crate) fn same_name(&self, a: (usize, Slot), b: (usize, Slot)) -> bool {
        self.case.subject.same_name(self.place(a), self.place(b))
    }

    /// True if `Subject::same_name` holds for all pairs of places.
    pub(crate) fn same_names(&self, pairs: &[[Place; 2]]) -> bool {
        self.case.subject.same_names(pairs)
    }

    /// See `Subject::is_initial`.
    pub(crate) fn is_initial(&self, row: usize, slot: Slot) -> bool {
        self.case.subject.is_initial(self.place((row, slot)))
    }

    /// See `Subject::compare`.
    pub(crate) fn compare(&self, a: usize, b: usize) -> Ordering {
        let of = |row| self.place((row, Slot::Value));
        self.case.subject.compare(of(a), of(b))
    }

    /// See `Subject::direction`.
    pub(crate) fn direction(&self, rows: impl Iterator<Item = usize>) -> Option<Ordering> {
        let calls: Vec<Call> = rows.map(|row| self.call(row)).collect();
        self.case.subject.direction(&calls)
    }

    /// What a scan found, see `Subject::view`.
    pub(crate) fn view(&self, row: usize, names: &mut Vec<Option<Name>>) {
        self.case.subject.view(self.call(row).ret, names);
    }

    /// See `Subject::appends`.
    pub(crate) fn appends(&self, row: usize) -> bool {
        self.case.subject.appends(self.call(row).op)
    }

    /// See `Subject::text`.
    pub(crate) fn text(&self, row: usize) -> Option<Text<'a>> {
        self.case.subject.text(self.place((row, Slot::Value)))
    }

    /// See `Subject::initial_text`.
    pub(crate) fn initial_text(&self) -> Option<Text<'a>> {
        self.case.subject.initial_text()
    }

    /// The operation with its client and its result.
    pub(crate) fn mention(&self, row: u32) -> OpMention {
        self.case.mention(self.id(row as usize), Form::WithClient)
    }
}
