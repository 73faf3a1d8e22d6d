//! Which requests can write a gap, the most likely first. What need not be tried is left out, see [`super`].

use super::super::guess::Simple;
use super::super::known::Pin;
use super::super::read::{Key, NO_VALUE, Row, Step, What};
use super::super::seen::How;
use super::Search;
use crate::monitor::Refusal;
use crate::spec::Work;

/// How soon a choice should be tried, the least first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Haste {
    /// Somebody expects that this revision wrote the key.
    Hinted,
    /// The key has to change before this revision.
    Due(usize),
    /// A plain put, until this revision.
    Plain(usize),
    Blind,
    Other,
    /// Somebody expects that a later revision wrote the key, which this would make impossible.
    Early,
}

impl Search<'_> {
    /// The rows that can write a gap, the most likely first.
    pub(super) fn options(&mut self, revision: usize, work: Work<'_>) -> Result<Vec<Row>, Refusal> {
        let pins = self.known.pins.get(&revision);
        let mut options: Vec<(Haste, Row)> = Vec::new();
        match pins.and_then(|pins| pins.first()) {
            Some(pin) => self.pinned_options(revision, *pin, work, &mut options)?,
            None => self.free_options(revision, work, &mut options)?,
        }
        options.sort_unstable();
        let first_plain = options.iter().position(|(haste, _)| matches!(haste, Haste::Plain(_)));
        let mut at = 0;
        options.retain(|(haste, _)| {
            at += 1;
            !matches!(haste, Haste::Plain(_)) || Some(at - 1) == first_plain
        });
        if self.trusts_hints && options.first().is_some_and(|(haste, _)| *haste == Haste::Hinted) {
            options.retain(|(haste, _)| *haste == Haste::Hinted);
        } else if self.trusts_hints {
            options.retain(|(haste, _)| *haste != Haste::Early);
        }
        Ok(options.into_iter().map(|(_, row)| row).collect())
    }

    fn is_free(&self, row: Row, revision: usize) -> bool {
        !self.is_used[row as usize] && self.looked.in_time(row, revision)
    }

    fn pinned_options(
        &self,
        revision: usize,
        pin: Pin,
        work: Work<'_>,
        options: &mut Vec<(Haste, Row)>,
    ) -> Result<(), Refusal> {
        let (key, put) = pin;
        let place = (key, self.store.entries[key as usize].revision);
        let simple = self.guesses.by_place.get(&place).into_iter().flatten().copied();
        // All that put the same are alike.
        let fits = |row: &Row| match (put, self.put_by(*row, key)) {
            (None, None) => true,
            (Some(pinned), Some(value)) => pinned == value || pinned == NO_VALUE,
            _ => false,
        };
        let simple = simple.filter(|row| self.is_free(*row, revision)).filter(fits);
        let may_come_back = place.1 == 0 && put == Some(NO_VALUE);
        if self.known.writers.leased[key as usize] || may_come_back {
            options.extend(simple.map(|row| (Haste::Hinted, row)));
        } else {
            options.extend(simple.take(1).map(|row| (Haste::Hinted, row)));
        }
        let others = match put {
            Some(_) => &self.guesses.general_of[key as usize],
            None => &self.guesses.general,
        };
        for &row in others {
            work(1)?;
            if self.is_free(row, revision) {
                options.push((Haste::Other, row));
            }
        }
        Ok(())
    }

    /// The value that a simple request puts.
    fn put_by(&self, row: Row, key: Key) -> Option<u32> {
        let What::PendingTxn(txn) = &self.looked.part.rows[row as usize] else { return None };
        txn.success.iter().find_map(|step| match step {
            Step::Put { key: put, value, .. } if *put == key => Some(*value),
            _ => None,
        })
    }

    fn free_options(
        &self,
        revision: usize,
        work: Work<'_>,
        options: &mut Vec<(Haste, Row)>,
    ) -> Result<(), Refusal> {
        work(self.open_keys.len())?;
        for &key in &self.open_keys {
            let place = (key, self.store.entries[key as usize].revision);
            let Some(rows) = self.guesses.by_place.get(&place) else { continue };
            self.simple_options(revision, place, rows, options);
        }
        let mut blind: Vec<Key> = Vec::new();
        for &row in &self.guesses.general {
            work(1)?;
            if !self.is_free(row, revision) {
                continue;
            }
            // All that are blind and put the same key are alike.
            match self.guesses.blind.get(&row) {
                Some(key) if blind.contains(key) => {}
                Some(key) => {
                    blind.push(*key);
                    options.push((Haste::Blind, row));
                }
                None => options.push((Haste::Other, row)),
            }
        }
        Ok(())
    }

    /// The choices among requests that expect a key as it is now. After one of them, none of the others can be used;
    /// unless they expect it to be absent, and it is deleted again.
    fn simple_options(
        &self,
        revision: usize,
        (key, expected): (Key, usize),
        rows: &[Row],
        options: &mut Vec<(Haste, Row)>,
    ) {
        if let Some((_, How::Put { revision: seen, .. })) = self.known.next_fact(key, revision)
            && seen < revision as i64
        {
            return;
        }
        let (mut has_put, mut has_delete) = (false, false);
        for &row in rows {
            let Some(simple) = self.guesses.simple.get(&row) else { continue };
            let is_repeated = match (simple.has_lease, simple.deletes) {
                (true, _) => false,
                (false, true) => has_delete || expected == 0,
                // Values that are seen later may be needed then.
                (false, false) => has_put && (expected != 0 || simple.value.is_none()),
            };
            if is_repeated || !self.is_free(row, revision) {
                continue;
            }
            has_put |=
                !simple.deletes && !simple.has_lease && (expected != 0 || simple.value.is_none());
            has_delete |= simple.deletes;
            options.push((self.haste(revision, *simple, rows), row));
        }
    }

    fn haste(&self, revision: usize, simple: Simple, rows: &[Row]) -> Haste {
        let Simple { key, deletes, .. } = simple;
        let hint = self.guesses.next_hint(key, revision);
        if hint == Some(revision) && !deletes {
            return Haste::Hinted;
        }
        let fact = self.known.next_fact(key, revision);
        let write = self.known.next_write(key, revision - 1);
        let before_write = |at: usize| write.is_none_or(|write| write.revision > at);
        match fact {
            Some((at, How::Absent)) if deletes && before_write(at) => return Haste::Due(at),
            Some((at, How::Not(seen))) if seen == simple.expected as i64 && before_write(at) => {
                return Haste::Due(at);
            }
            _ => {}
        }
        if let Some(hint) = hint
            && before_write(hint)
        {
            // The next write of the key, perhaps. A delete may have to come before it.
            let can_wait = rows
                .iter()
                .any(|row| self.guesses.simple.get(row).is_some_and(|other| !other.deletes));
            return if deletes && !can_wait { Haste::Due(hint) } else { Haste::Early };
        }
        if self.is_plain(revision, simple, rows) {
            return Haste::Plain(write.map_or(usize::MAX, |write| write.revision - 1));
        }
        Haste::Other
    }

    /// See the [module](self).
    fn is_plain(&self, revision: usize, simple: Simple, rows: &[Row]) -> bool {
        let Simple { key, .. } = simple;
        let entry = self.store.entries[key as usize];
        let are_puts = || {
            rows.iter().all(|row| self.guesses.simple.get(row).is_some_and(|other| !other.deletes))
        };
        let is_alone = !self.looked.part.has_versions
            && !self.known.writers.leased[key as usize]
            && self.guesses.general_of[key as usize].is_empty()
            && !self.guesses.is_delicate[key as usize]
            && entry.revision != 0
            && are_puts();
        if !is_alone {
            return false;
        }
        match self.known.next_write(key, revision - 1) {
            // Whatever the next write needs of the key is a fact just before it.
            Some(write) => {
                let is_first = match self.known.next_fact(key, revision) {
                    Some((at, how)) => at >= write.revision && matches!(how, How::Put { .. }),
                    None => true,
                };
                let no_hint = self.guesses.next_hint(key, revision);
                is_first
                    && !self.looked.course.is_gap(write.revision)
                    && no_hint.is_none_or(|hint| hint > write.revision)
            }
            None => {
                self.known.next_fact(key, revision).is_none()
                    && self.guesses.next_hint(key, revision).is_none()
            }
        }
    }
}
