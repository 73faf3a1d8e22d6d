//! Statements about registers, segments and texts.

use linpoint::OpId;
use linpoint::verdict::Last;

use super::{Confirm, Row};

impl Confirm<'_> {
    pub(super) fn stale(
        &self,
        reader: &Row,
        gone: &Row,
        last: Last,
        segment: Option<usize>,
    ) -> Option<bool> {
        let value = self.lens(reader, segment).0?;
        let is_it = |other: Option<&str>| other.is_some_and(|other| self.same(other, value));
        let writers: Vec<&Row> =
            self.possible(reader).filter(|row| is_it(self.lens(row, segment).1)).collect();
        let (found, left) = self.lens(gone, segment);
        let was_gone = match (left, found, &gone.deed.misses) {
            (Some(left), ..) => !self.same(left, value),
            (None, Some(found), _) => !self.same(found, value),
            (None, None, Some(missed)) => segment.is_none() && self.same(missed, value),
            _ => false,
        };
        if !(gone.deed.sure && reader.deed.sure && was_gone && gone.precedes(reader)) {
            return Some(false);
        }
        Some(match last {
            Last::Initial => self.is_initial(value) && writers.is_empty(),
            Last::Write(last) => {
                let latest = writers.iter().map(|row| row.span.ret).max();
                writers.iter().any(|row| row.id == last)
                    && latest == Some(self.row(last)?.span.ret)
                    && writers.iter().all(|row| row.precedes(gone))
            }
            Last::Seen(seen) => {
                let seen = self.row(seen)?;
                writers.len() == 1
                    && !self.is_initial(value)
                    && seen.deed.sure
                    && is_it(self.lens(seen, segment).0)
                    && seen.precedes(gone)
                    && writers[0].id != gone.id
            }
        })
    }

    pub(super) fn missing(&self, reader: &Row, added: Option<&Row>) -> Option<bool> {
        let deed = &reader.deed;
        if let (Some(found), Some(added)) = (&deed.finds, added)
            && self.rows.iter().any(|row| row.deed.appends.is_some())
        {
            let text = |value: &str| match value {
                "none" => String::new(),
                value => value.trim_matches('"').to_owned(),
            };
            let kept = |row: &&Row| row.deed.leaves.is_none() || row.id == added.id;
            let between = |row: &&Row| !row.precedes(added);
            let undisturbed = self.possible(reader).filter(between).all(|row| kept(&row));
            let found = text(found);
            let is_missing = match (&added.deed.appends, &added.deed.finds, &added.deed.leaves) {
                (Some(part), ..) => !found.contains(&text(part)),
                (_, Some(whole), None) | (_, None, Some(whole)) => !found.starts_with(&text(whole)),
                _ => false,
            };
            return Some(is_missing && undisturbed && added.deed.sure && added.precedes(reader));
        }
        let missed = deed.misses.as_deref()?;
        let changes =
            |row: &&Row| row.deed.leaves.as_deref().is_some_and(|left| !self.same(left, missed));
        let mut changes = self.possible(reader).filter(changes);
        Some(match added {
            None => self.is_initial(missed) && changes.next().is_none(),
            Some(added) => {
                let there = added.deed.leaves.as_ref().or(added.deed.finds.as_ref())?;
                self.same(there, missed)
                    && added.deed.sure
                    && added.precedes(reader)
                    && changes.all(|row| row.precedes(added))
            }
        })
    }

    pub(super) fn swapped(&self, reader: &Row, first: &Row, second: &Row) -> Option<bool> {
        let text = reader.deed.finds.as_deref()?.trim_matches('"');
        let places = |row: &Row| -> Option<Vec<usize>> {
            let part = row.deed.appends.as_deref()?.trim_matches('"');
            let at = |from: &usize| text[*from..].starts_with(part);
            Some((0..text.len()).filter(|n| text.is_char_boundary(*n)).filter(at).collect())
        };
        let replaces = |row: &&Row| row.deed.leaves.is_some() && !row.precedes(first);
        let one = |places: Vec<usize>| (places.len() == 1).then(|| places[0]);
        let (a, b) = (one(places(first)?)?, one(places(second)?)?);
        let before = first.precedes(second) && second.precedes(reader);
        Some(before && b < a && !self.possible(reader).any(|row| replaces(&row)))
    }

    /// True if `a` saw a value in this segment that was written by `update` only, and `b` saw one that was there before.
    pub(super) fn newer(&self, a: &Row, b: &Row, segment: usize, update: OpId) -> Option<bool> {
        let (new, old) = (self.lens(a, Some(segment)).0?, self.lens(b, Some(segment)).0?);
        let writers = |value: &str| {
            let writes = |row: &&Row| self.lens(row, Some(segment)).1 == Some(value);
            let early = |row: &&Row| row.span.call <= self.failed;
            self.rows.iter().filter(writes).filter(early).collect::<Vec<_>>()
        };
        let (new_writers, old_writers) = (writers(new), writers(old));
        let [writer] = new_writers[..] else { return Some(false) };
        let is_older = match old_writers[..] {
            [] => self.is_initial(old),
            [older] => older.precedes(writer) && !self.is_initial(old),
            _ => false,
        };
        Some(new != old && writer.id == update && is_older && !self.is_initial(new))
    }
}
