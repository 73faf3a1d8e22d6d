//! The operations of one key as the local arguments see them: what each of them does, going by its role.

use crate::history::{OpId, Span};
use crate::spec::{Name, Role, Slot};
use crate::subject::{Call, Case, Place};

/// The part of a history in which there is a violation.
#[derive(Clone, Copy)]
pub(in crate::explain) struct Scene<'c, 'a> {
    /// All of it.
    pub(in crate::explain) whole: &'c Case<'a>,
    /// Until the failing return. Operations that returned later are pending.
    pub(in crate::explain) until_failure: &'c Case<'a>,
    /// The operations of `until_failure` in `whole`.
    pub(in crate::explain) ids: &'c [OpId],
}

/// An operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// Its number in the whole part.
    pub(super) id: OpId,
    pub(super) span: Span,
    pub(super) call: Call,
    /// What it does. Of an operation that is not `certain`, what it does if it takes effect.
    pub(super) role: Role,
    /// True if it returned, so that it did what its role says.
    pub(super) certain: bool,
}

impl Row {
    /// True if it returned before the other was called.
    pub(super) fn precedes(&self, other: &Row) -> bool {
        self.span.ret < other.span.call
    }

    /// True if it returned before the other was called and did what its role says.
    pub(super) fn surely_precedes(&self, other: &Row) -> bool {
        self.certain && self.precedes(other)
    }
}

/// A value that an operation mentions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub(super) name: Name,
    pub(super) place: Place,
}

/// The operations that may concern the key of one operation.
pub(super) struct View<'c, 'a> {
    pub(super) case: &'c Case<'a>,
    /// True if operations have keys.
    pub(super) keyed: bool,
    /// Those that were called until the failing return. Operations that returned later are pending.
    pub(super) rows: Vec<Row>,
    /// Those that were called later, if they change anything.
    pub(super) later: Vec<Row>,
}

impl<'c, 'a> View<'c, 'a> {
    /// The operations with the same key as `of`, which is an operation of the whole part.
    ///
    /// `None` if some operation may do what no role describes.
    pub(super) fn new(scene: &Scene<'c, 'a>, of: OpId) -> Option<Self> {
        let Scene { whole, until_failure, ids } = *scene;
        let subject = whole.subject;
        let key_place = |op| Place { call: Call::unknown(op), slot: Slot::Key };
        let (of, key) = (whole.op(of), subject.key(whole.op(of)));
        let has_key = |op: OpId| match (key, subject.key(op)) {
            (Some(name), Some(other)) => {
                name == other && subject.same_name(key_place(of), key_place(op))
            }
            _ => true,
        };
        let mut is_early = vec![false; whole.len()];
        let mut rows = Vec::new();
        for (at, id) in until_failure.ids().zip(ids) {
            is_early[id.index()] = true;
            if has_key(until_failure.op(at)) {
                rows.extend(row(until_failure, at)?.map(|row| Row { id: *id, ..row }));
            }
        }
        let mut later = Vec::new();
        for id in whole.ids().filter(|id| !is_early[id.index()] && has_key(whole.op(*id))) {
            later.extend(row(whole, id)?);
        }
        Some(View { case: whole, keyed: key.is_some(), rows, later })
    }

    /// The row of an operation.
    pub(super) fn row(&self, id: OpId) -> Option<&Row> {
        self.rows.iter().find(|row| row.id == id)
    }

    /// True if the two values are equal.
    pub(super) fn same(&self, a: Held, b: Held) -> bool {
        a.name == b.name && self.case.subject.same_name(a.place, b.place)
    }

    /// The rows other than `row` that may take effect before it: those that it does not precede.
    pub(super) fn before<'v>(&'v self, row: &'v Row) -> impl Iterator<Item = &'v Row> {
        self.rows.iter().filter(|other| other.id != row.id && !row.precedes(other))
    }
}

/// What an operation does. `Some(None)` if it changes and says nothing, `None` if no role describes it.
fn row(case: &Case<'_>, id: OpId) -> Option<Option<Row>> {
    let (span, call) = (case.span(id), case.call(id));
    let subject = case.subject;
    let role = subject.role(call, span.is_pending());
    let certain = !span.is_pending();
    Some(match role {
        Role::Idle => None,
        Role::Foreign(_) if subject.is_read(call) => None,
        // What it returned does not say what it did. It may have done what one without a result would do.
        Role::Foreign(_) => {
            let call = call.without_result();
            match subject.role(call, true) {
                Role::Foreign(_) => return None,
                Role::Idle => None,
                role => Some(Row { id, span, call, role, certain: false }),
            }
        }
        role => Some(Row { id, span, call, role, certain }),
    })
}

/// A value that `row` mentions.
pub(super) fn held(row: &Row, name: Name, slot: Slot) -> Held {
    Held { name, place: Place { call: row.call, slot } }
}
