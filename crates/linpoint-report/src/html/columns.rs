//! The operations of a history in the encoding of `encode`, part by part, so that the page decodes only the parts
//! that it shows.
//!
//! A part consists of its operations in call order, the remarks on them (see `remarks`), the number of its known orders,
//! and those orders with their states. An operation consists of its call rank, number and line (differences to the previous operation), return
//! rank (difference to the call, 0 if pending), kind, client, object, words, result; and if there is a clock, the tick of
//! its call (difference to the previous operation) and of its return (difference to the call), see `ticks`.
//!
//! The orders of a violation are its partial orders, then those that `orders` has found.

use linpoint::history::Span;
use linpoint::verdict::{Known, States, Verdict, Violation};
use linpoint::{OpId, Part, PartStatus, Report};

use super::encode::{Digits, OpText, Table};
use super::lanes::{Lifetime, predecessors};
use super::orders::Orders;
use super::remarks::Remarks;
use super::ticks::Ticks;
use crate::rendered::{Operation, Operations};
use crate::text::shorten;

/// Limit on the number of states in a page.
const MAX_STATES: usize = 20_000;
/// No more states are added once their distinct texts have this many bytes.
const MAX_STATE_BYTES: usize = 2 << 20;
/// Longer states are cut to this many characters.
const MAX_STATE: usize = 600;
/// Limit on the number of states of each partial order; those at its end are kept.
const PARTIAL_STATES: usize = 2_000;

/// A known order of a part.
struct PartOrder<'a> {
    ids: &'a [OpId],
    /// The results that the order explains.
    known: Known,
    /// Whether to keep the first states or the last ones.
    from_start: bool,
}

/// The position of a part in the data, and its summary.
pub(super) struct EncodedPart {
    pub(super) name: String,
    pub(super) status: PartStatus,
    pub(super) operations: usize,
    pub(super) from: usize,
    pub(super) to: usize,
}

/// All operations in encoded form, with the tables of texts.
#[derive(Default)]
pub(super) struct Columns {
    pub(super) data: Digits,
    pub(super) kinds: Table,
    pub(super) clients: Table,
    pub(super) objects: Table,
    pub(super) words: Table,
    pub(super) states: Table,
    /// Number of states written so far.
    states_written: usize,
    pub(super) parts: Vec<EncodedPart>,
    /// The part of each operation, and its position in that part.
    pub(super) positions: Vec<(u32, u32)>,
    pub(super) events: u32,
    /// All operations, each with the number of its kind.
    pub(super) named: Vec<(OpId, u32)>,
    /// The clock, if there is one.
    pub(super) ticks: Option<Ticks>,
    /// What the input says about operations.
    pub(super) remarks: Remarks,
    /// By number: the first is for operations without a client.
    lifetimes: Vec<Option<Lifetime>>,
}

impl Columns {
    pub(super) fn new(
        count: usize,
        operations: &dyn Operations,
        report: &Report,
        found: &[Orders],
    ) -> Columns {
        let mut parts = operations.parts(report);
        if parts.is_empty() && count > 0 {
            parts.push(everything(count, operations, report));
        }
        let (positions, ticks) = (vec![(0, 0); count], Ticks::new(count, operations));
        let remarks = Remarks::new(count, operations, report);
        let mut columns = Columns { positions, ticks, remarks, ..Columns::default() };
        for (number, part) in parts.iter().enumerate() {
            for (at, id) in part.ops.iter().enumerate() {
                columns.positions[id.index()] = (number as u32, at as u32);
            }
        }
        let witnesses = columns.witnesses(parts.len(), report);
        let violations = violations(report);
        let several = parts.len() > 1;
        for (number, part) in parts.iter().enumerate() {
            let mut orders = Vec::new();
            if let Some(ids) = witnesses.get(number) {
                orders.push(PartOrder { ids, known: Known::ALL, from_start: true });
            }
            for (violation, found) in violations.iter().zip(found) {
                if columns.part_of(violation) == Some(number) {
                    let all = found.all(violation, operations);
                    orders.extend(all.map(|(ids, known)| PartOrder {
                        ids,
                        known,
                        from_start: false,
                    }));
                }
            }
            columns.part(number, several, part, &orders, operations);
        }
        columns
    }

    /// The part that contains a violation.
    pub(super) fn part_of(&self, violation: &Violation) -> Option<usize> {
        let any = violation.failing.or(violation.part.first().copied())?;
        self.positions.get(any.index()).map(|position| position.0 as usize)
    }

    /// The witness, restricted to each part.
    fn witnesses(&self, parts: usize, report: &Report) -> Vec<Vec<OpId>> {
        let Verdict::Linearizable(witness) = &report.verdict else { return Vec::new() };
        let mut orders = vec![Vec::new(); parts];
        for id in &witness.order {
            orders[self.positions[id.index()].0 as usize].push(*id);
        }
        orders
    }

    fn part(
        &mut self,
        number: usize,
        several: bool,
        part: &Part,
        orders: &[PartOrder<'_>],
        operations: &dyn Operations,
    ) {
        let from = self.data.0.len();
        let mut name = CommonName::default();
        let (mut call, mut id, mut line, mut tick) = (0, 0, 0, 0);
        for op in &part.ops {
            let operation = operations.operation(*op);
            self.data.delta(&mut call, i64::from(operation.span.call));
            self.data.delta(&mut id, i64::from(op.0));
            self.data.delta(&mut line, i64::from(operation.line.unwrap_or(0)));
            self.named.push((*op, self.kinds.number(OpText::parse(&operation.op).kind) as u32));
            self.operation(&operation, &mut name);
            self.times(operation.span, &mut tick);
        }
        self.remarks.write(&part.ops, &mut self.data);
        self.data.number(orders.len() as u64);
        for order in orders {
            self.order(order, operations);
        }
        self.parts.push(EncodedPart {
            name: if several { name.text(number) } else { String::new() },
            status: part.status,
            operations: part.ops.len(),
            from,
            to: self.data.0.len(),
        });
    }

    fn operation(&mut self, operation: &Operation, name: &mut CommonName) {
        let Span { call, ret } = operation.span;
        let pending = operation.span.is_pending();
        self.events = self.events.max(if pending { call } else { ret }.saturating_add(1));
        let optional = |table: &mut Table, text: &Option<String>| {
            text.as_ref().map_or(0, |text| table.number(text) + 1)
        };
        let OpText { kind, is_call, words } = OpText::parse(&operation.op);
        name.add(operation.object.as_deref(), words.first().copied().filter(|_| is_call));
        let client = optional(&mut self.clients, &operation.client);
        live(&mut self.lifetimes, client as usize, operation);
        let data = &mut self.data;
        data.number(if pending { 0 } else { u64::from(ret - call) });
        data.number(self.kinds.number(kind));
        data.number(client);
        data.number(optional(&mut self.objects, &operation.object));
        data.number((words.len() as u64) << 1 | u64::from(is_call));
        for word in words {
            data.number(self.words.word(word));
        }
        data.number(operation.ret.as_ref().map_or(0, |ret| self.words.word(ret) + 1));
    }

    /// The clock at the call and at the return.
    fn times(&mut self, Span { call, ret }: Span, last: &mut u64) {
        let Some(ticks) = &self.ticks else { return };
        let start = ticks.at(call);
        let end = if ret == Span::NEVER { start } else { ticks.at(ret) };
        self.data.number(start.saturating_sub(*last));
        self.data.number(end.saturating_sub(start));
        *last = start.max(*last);
    }

    /// The client that each client continues, by number; empty if none does.
    pub(super) fn predecessors(&self) -> Vec<usize> {
        let absent = Lifetime::new(None, 0, false);
        let clients: Vec<Lifetime> =
            self.lifetimes.iter().map(|client| client.unwrap_or(absent)).collect();
        predecessors(&clients)
    }

    fn order(&mut self, order: &PartOrder<'_>, operations: &dyn Operations) {
        self.data.number(order.ids.len() as u64);
        let mut last = 0;
        for id in order.ids {
            let (_, at) = self.positions[id.index()];
            self.data.delta(&mut last, i64::from(at));
        }
        // 0: the order explains all results.
        self.data.number(if order.known.until == Span::NEVER {
            0
        } else {
            u64::from(order.known.until)
        });
        let also = order.known.also.map_or(0, |id| self.positions[id.index()].1 + 1);
        self.data.number(u64::from(also));
        let length = order.ids.len();
        let left = MAX_STATES.saturating_sub(self.states_written);
        let full = self.states.bytes >= MAX_STATE_BYTES;
        let window = match order.from_start {
            _ if full => 0..0,
            true => 0..length.min(left),
            false => length.saturating_sub(PARTIAL_STATES.min(left))..length,
        };
        let states = match window.is_empty() {
            true => None,
            false => operations.states(order.ids, order.known, window),
        };
        let States { first, before, after } = states.unwrap_or_default();
        self.data.number(after.len() as u64);
        if after.is_empty() {
            return;
        }
        self.states_written += after.len();
        self.data.number(first as u64);
        let mut last = 0;
        for state in std::iter::once(&before).chain(&after) {
            let number = self.states.number(&shorten(state, MAX_STATE));
            self.data.delta(&mut last, number as i64);
        }
    }
}

/// Notes that a client has called an operation.
fn live(lifetimes: &mut Vec<Option<Lifetime>>, client: usize, operation: &Operation) {
    if lifetimes.len() <= client {
        lifetimes.resize(client + 1, None);
    }
    let (call, is_lost) = (operation.span.call, operation.span.is_pending());
    match &mut lifetimes[client] {
        Some(known) => known.add(call, is_lost),
        unknown => {
            // Clients that are known by their numbers have them in their names.
            let number = operation.process.filter(|number| {
                let name = operation.client.as_deref().unwrap_or_default();
                name.strip_suffix(&number.to_string()).is_some_and(|rest| rest == "client ")
            });
            *unknown = Some(Lifetime::new(number, call, is_lost));
        }
    }
}

/// The whole history as one part.
fn everything(count: usize, operations: &dyn Operations, report: &Report) -> Part {
    let mut ops: Vec<OpId> = (0..count as u32).map(OpId).collect();
    ops.sort_by_key(|id| operations.span(*id).call);
    let status = match report.verdict {
        Verdict::Linearizable(_) => PartStatus::Linearizable,
        Verdict::Violation(_) => PartStatus::Violation,
        Verdict::Undecided(_) => PartStatus::Undecided,
    };
    Part { ops, status }
}

/// All violations of a report, the first one first.
pub(super) fn violations(report: &Report) -> Vec<&Violation> {
    report.verdict.violation().into_iter().chain(&report.more).collect()
}

/// What all operations of a part have in common: the object, or the first word, which is the key.
#[derive(Default)]
struct CommonName {
    seen: bool,
    object: Option<String>,
    key: Option<String>,
}

impl CommonName {
    fn add(&mut self, object: Option<&str>, key: Option<&str>) {
        if !self.seen {
            *self =
                CommonName { seen: true, object: object.map(Into::into), key: key.map(Into::into) };
        }
        if self.object.as_deref() != object {
            self.object = None;
        }
        if self.key.as_deref() != key {
            self.key = None;
        }
    }

    fn text(&self, number: usize) -> String {
        match (&self.object, &self.key) {
            (Some(object), _) => object.clone(),
            (None, Some(key)) => format!("key {key}"),
            (None, None) => format!("part {}", number + 1),
        }
    }
}
