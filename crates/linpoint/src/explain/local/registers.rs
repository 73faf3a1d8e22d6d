//! Registers and segments: a value is there from the time it is written until another one is.

use super::view::{Held, Row, View, held};
use crate::history::OpId;
use crate::spec::{Name, Role, Shape, Slot};
use crate::verdict::{Argument, Last};

/// What an operation finds and leaves in one register, or in one segment of a snapshot object.
pub(super) struct Lens<'v, 'c, 'a> {
    view: &'v View<'c, 'a>,
    initial: Name,
    segment: Option<u32>,
}

/// What an operation found, and who may have written it.
struct Found<'r> {
    reader: &'r Row,
    value: Held,
    writers: Vec<&'r Row>,
    /// It was there from the beginning.
    is_initial: bool,
}

impl<'v, 'c, 'a> Lens<'v, 'c, 'a> {
    pub(super) fn new(view: &'v View<'c, 'a>, segment: Option<u32>) -> Option<Self> {
        let initial = match view.case.subject.shape() {
            Shape::Registers { initial } | Shape::Snapshot { initial, .. } => initial,
            _ => return None,
        };
        Some(Lens { view, initial, segment })
    }

    /// The value that it found. Only what returned has found something.
    fn finds(&self, row: &Row) -> Option<Held> {
        match (row.role, self.segment) {
            _ if !row.certain => None,
            (Role::Read(name), None) => Some(held(row, name, Slot::Value)),
            (Role::Replace { from, .. }, None) => Some(held(row, from, Slot::Source)),
            (Role::Scan, Some(segment)) => {
                let mut names = Vec::new();
                self.view.case.subject.view(row.call.ret, &mut names);
                let name = (*names.get(segment as usize)?)?;
                Some(held(row, name, Slot::Segment(segment)))
            }
            _ => None,
        }
    }

    /// The value that it leaves, if it takes effect.
    fn leaves(&self, row: &Row) -> Option<Held> {
        match (row.role, self.segment) {
            (Role::Write(name) | Role::Replace { to: name, .. }, None) => {
                Some(held(row, name, Slot::Value))
            }
            (Role::Update { segment, value }, Some(this)) if segment == this => {
                Some(held(row, value, Slot::Value))
            }
            _ => None,
        }
    }

    fn is_initial(&self, value: Held) -> bool {
        value.name == self.initial && self.view.case.subject.is_initial(value.place)
    }

    fn leaves_it(&self, row: &Row, value: Held) -> bool {
        self.leaves(row).is_some_and(|left| self.view.same(left, value))
    }

    /// True if the value was not there at some moment of the operation, and it did not write it.
    fn contradicts(&self, row: &Row, value: Held) -> bool {
        if !row.certain {
            return false;
        }
        match self.leaves(row) {
            Some(left) => !self.view.same(left, value),
            None => match row.role {
                Role::Other(name) => self.view.same(held(row, name, Slot::Source), value),
                _ => self.finds(row).is_some_and(|found| !self.view.same(found, value)),
            },
        }
    }

    /// The last of those operations before `reader`, if possible a write: that says more than a read.
    fn last_before<'r>(
        &'r self,
        reader: &'r Row,
        which: impl FnMut(&&Row) -> bool,
    ) -> Option<&'r Row> {
        let rows = self.view.before(reader).filter(which);
        rows.max_by_key(|row| (self.leaves(row).is_some(), row.span.call))
    }

    /// Why `reader` cannot have found what it found.
    pub(super) fn argue(&self, reader: &Row) -> Option<Argument> {
        if let Role::Other(name) = reader.role
            && self.segment.is_none()
        {
            return self.missed(reader, held(reader, name, Slot::Source));
        }
        let value = self.finds(reader)?;
        let writers: Vec<&Row> =
            self.view.before(reader).filter(|row| self.leaves_it(row, value)).collect();
        let is_initial = self.is_initial(value);
        if writers.is_empty() && !is_initial {
            return Some(self.unwritten(reader, value));
        }
        let found = Found { reader, value, writers, is_initial };
        self.twice(&found).or_else(|| self.overwritten(&found)).or_else(|| self.again(&found))
    }

    /// It was not written before the reader returned.
    fn unwritten(&self, reader: &Row, value: Held) -> Argument {
        let all = self.view.rows.iter().chain(&self.view.later);
        let late: Vec<&Row> =
            all.filter(|row| row.id != reader.id && self.leaves_it(row, value)).collect();
        match late.iter().min_by_key(|row| row.span.call) {
            None => Argument::Phantom { reader: reader.id },
            Some(first) => {
                Argument::Future { reader: reader.id, writer: first.id, writers: late.len() }
            }
        }
    }

    /// All writes of the value had completed before something else was there, and the reader came later.
    fn overwritten(&self, found: &Found<'_>) -> Option<Argument> {
        let &Found { reader, value, ref writers, is_initial } = found;
        let last = writers.iter().max_by_key(|row| row.span.ret);
        let is_gone = |row: &&Row| {
            row.surely_precedes(reader)
                && writers.iter().all(|writer| writer.precedes(row))
                && self.contradicts(row, value)
        };
        let gone = self.last_before(reader, is_gone)?;
        let last = match last {
            Some(last) => Last::Write(last.id),
            None if is_initial => Last::Initial,
            None => return None,
        };
        let writers = writers.iter().map(|row| row.id).collect();
        Some(Argument::Stale { reader: reader.id, gone: gone.id, last, writers })
    }

    /// The value was written once, was seen, and something else was there before the reader came.
    fn again(&self, found: &Found<'_>) -> Option<Argument> {
        let &Found { reader, value, ref writers, is_initial } = found;
        let [writer] = writers[..] else { return None };
        if is_initial {
            return None;
        }
        let has_it = |row: &&Row| {
            row.certain
                && row.id != reader.id
                && self.finds(row).is_some_and(|found| self.view.same(found, value))
        };
        let seen = self.view.rows.iter().filter(has_it).min_by_key(|row| row.span.ret)?;
        let is_gone = |row: &&Row| {
            row.id != writer.id
                && row.surely_precedes(reader)
                && seen.precedes(row)
                && self.contradicts(row, value)
        };
        let gone = self.last_before(reader, is_gone)?;
        let (last, writers) = (Last::Seen(seen.id), vec![writer.id]);
        Some(Argument::Stale { reader: reader.id, gone: gone.id, last, writers })
    }

    /// A value that was there once was replaced twice.
    fn twice(&self, found: &Found<'_>) -> Option<Argument> {
        let &Found { reader, value, ref writers, is_initial } = found;
        if writers.len() + usize::from(is_initial) != 1 || self.leaves(reader).is_none() {
            return None;
        }
        let all = self.view.rows.iter();
        if all.filter(|row| row.id != reader.id && self.leaves_it(row, value)).count()
            != writers.len()
        {
            return None;
        }
        let replaces = |row: &&Row| {
            row.id != reader.id
                && self.leaves(row).is_some_and(|left| !self.view.same(left, value))
                && self.finds(row).is_some_and(|found| self.view.same(found, value))
        };
        let other = self.view.rows.iter().filter(replaces).min_by_key(|row| row.span.call)?;
        Some(Argument::Twice {
            takers: vec![other.id, reader.id],
            adders: writers.iter().map(|row| row.id).collect(),
        })
    }

    /// The reader did not find `value`, which was there all the time.
    fn missed(&self, reader: &Row, value: Held) -> Option<Argument> {
        let changes =
            |row: &&Row| self.leaves(row).is_some_and(|left| !self.view.same(left, value));
        let may_change: Vec<&Row> = self.view.before(reader).filter(changes).collect();
        if self.is_initial(value) && may_change.is_empty() {
            return Some(Argument::Missing { reader: reader.id, added: None });
        }
        let has_it = |row: &&Row| {
            let left = self.leaves(row).or_else(|| self.finds(row));
            row.surely_precedes(reader)
                && left.is_some_and(|left| self.view.same(left, value))
                && may_change.iter().all(|change| change.precedes(row))
        };
        let added = self.last_before(reader, has_it)?;
        Some(Argument::Missing { reader: reader.id, added: Some(added.id) })
    }

    /// The update whose value `a` found, if `b` found an older one, so that `b` took effect before `a`: each value was
    /// written once, and the older one was written before the newer one was, or was there from the beginning.
    pub(super) fn newer(&self, a: &Row, b: &Row) -> Option<OpId> {
        let (new, old) = (self.finds(a)?, self.finds(b)?);
        let of = |value: Held| {
            self.view.rows.iter().filter(move |row| self.leaves_it(row, value)).collect::<Vec<_>>()
        };
        let (new_writers, old_writers) = (of(new), of(old));
        let [writer] = new_writers[..] else { return None };
        let is_older = match old_writers[..] {
            [] => self.is_initial(old),
            [older] => older.precedes(writer) && !self.is_initial(old),
            _ => false,
        };
        (is_older && !self.is_initial(new) && !self.view.same(new, old)).then_some(writer.id)
    }
}
