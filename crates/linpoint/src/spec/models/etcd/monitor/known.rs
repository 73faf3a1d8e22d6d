//! What is certain about the writes of each key, and what contradicts it.
//!
//! A write is known if its answer names its revision, or if some answer shows a key as it was left by a revision.
//! A revision that no answer owns and that some answer shows is *pinned*: one of the requests that did not
//! answer wrote it, and we know what.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::course::{Course, Times};
use super::no::{No, no};
use super::read::{Key, NO_VALUE, Part, Row, Step, ValueId, What};
use super::seen::{How, Seen, each_seen};

/// A known write of a key.
#[derive(Clone, Copy, Debug)]
pub(super) struct Write {
    pub(super) revision: usize,
    /// `None`: it deleted the key. [`NO_VALUE`]: the value is not known.
    pub(super) put: Option<ValueId>,
    /// The row that wrote it, or whose answer shows it.
    pub(super) by: Row,
}

/// A pinned change of a gap.
pub(super) type Pin = (Key, Option<ValueId>);

/// See the [module](self).
#[derive(Debug)]
pub(super) struct Known {
    /// The writes of each key, by revision.
    pub(super) writes: Vec<Vec<Write>>,
    /// What is known about each key, by revision. Only for keys that pending requests may write.
    pub(super) facts: Vec<Vec<(usize, How)>>,
    /// The values of keys that gaps are known to have put.
    seen: FxHashSet<(Key, ValueId)>,
    /// What gaps are known to have written.
    pub(super) pins: FxHashMap<usize, SmallVec<[Pin; 1]>>,
    /// Which rows may change what.
    pub(super) writers: Writers,
}

/// Which rows may change what, whether they answered or not.
#[derive(Debug, Default)]
pub(super) struct Writers {
    /// Rows that may put a key.
    puts: FxHashMap<Key, Vec<Row>>,
    /// Rows that may put a value to a key.
    values: FxHashMap<(Key, ValueId), Vec<Row>>,
    deletes: FxHashMap<Key, Vec<Row>>,
    /// All revocations of leases.
    revokes: Vec<Row>,
    /// Keys that some row may put with a lease.
    pub(super) leased: Vec<bool>,
    /// Keys that a row without an answer may write, or a revocation.
    pub(super) is_open: Vec<bool>,
}

impl Writers {
    fn of(part: &Part) -> Writers {
        let no_keys = || vec![false; part.keys];
        let mut writers = Writers { leased: no_keys(), is_open: no_keys(), ..Writers::default() };
        for (row, what) in (0..).zip(&part.rows) {
            let (txn, is_pending) = match what {
                What::Txn { txn, .. } => (txn, false),
                What::PendingTxn(txn) => (txn, true),
                What::Revoke { .. } | What::PendingRevoke(_) => {
                    writers.revokes.push(row);
                    continue;
                }
                _ => continue,
            };
            for step in txn.steps() {
                let key = match *step {
                    Step::Put { key, value, lease } => {
                        writers.leased[key as usize] |= lease != 0;
                        add(writers.puts.entry(key).or_default(), row);
                        add(writers.values.entry((key, value)).or_default(), row);
                        key
                    }
                    Step::Delete(key) => {
                        add(writers.deletes.entry(key).or_default(), row);
                        key
                    }
                    Step::Range(_) => continue,
                };
                writers.is_open[key as usize] |= is_pending;
            }
        }
        if !writers.revokes.is_empty() {
            let leased = writers.is_open.iter_mut().zip(&writers.leased);
            leased.for_each(|(is_open, is_leased)| *is_open |= is_leased);
        }
        writers
    }

    /// The rows that may have left a key like that.
    pub(super) fn of_pin(&self, (key, put): Pin) -> impl Iterator<Item = Row> + '_ {
        let puts = match put {
            Some(NO_VALUE) => self.puts.get(&key),
            Some(value) => self.values.get(&(key, value)),
            None => self.deletes.get(&key),
        };
        let may_expire = put.is_none() && self.leased[key as usize];
        let revokes = if may_expire { &self.revokes[..] } else { &[] };
        puts.into_iter().flatten().chain(revokes).copied()
    }

    fn of_key(&self, key: Key) -> impl Iterator<Item = Row> + '_ {
        self.of_pin((key, Some(NO_VALUE))).chain(self.of_pin((key, None)))
    }
}

/// Rows come in order.
fn add(rows: &mut Vec<Row>, row: Row) {
    if rows.last() != Some(&row) {
        rows.push(row);
    }
}

impl Known {
    pub(super) fn of(part: &Part, course: &Course, times: &Times) -> Result<Known, No> {
        let mut known = Known {
            writes: vec![Vec::new(); part.keys],
            facts: vec![Vec::new(); part.keys],
            seen: FxHashSet::default(),
            pins: FxHashMap::default(),
            writers: Writers::of(part),
        };
        known.collect(part, course)?;
        let looked = Looked { part, course, times };
        for revision in 2..=course.last {
            if let Some(pins) = known.pins.get(&revision) {
                known.someone_can(looked, revision, pins)?;
            }
        }
        let mut facts = std::mem::take(&mut known.facts);
        each_seen(part, course, &mut |seen| {
            known.check(looked, seen)?;
            if known.writers.is_open[seen.key as usize] {
                facts[seen.key as usize].push((seen.at, seen.how));
            }
            Ok(())
        })?;
        facts.iter_mut().for_each(|facts| facts.sort_by_key(|(at, _)| *at));
        known.facts = facts;
        Ok(known)
    }

    /// Gathers the known writes.
    fn collect(&mut self, part: &Part, course: &Course) -> Result<(), No> {
        let mut found: FxHashMap<(Key, usize), Write> = FxHashMap::default();
        for revision in 2..=course.last {
            let Some(by) = course.owner[revision] else { continue };
            let What::Txn { txn, succeeded, results, .. } = &part.rows[by as usize] else {
                continue;
            };
            for (step, result) in txn.branch(*succeeded).iter().zip(results) {
                let (key, put) = match *step {
                    Step::Put { key, value, .. } => (key, Some(value)),
                    Step::Delete(key) if result.deleted > 0 => (key, None),
                    _ => continue,
                };
                found.insert((key, revision), Write { revision, put, by });
            }
        }
        each_seen(part, course, &mut |seen| note(&mut found, part, course, seen))?;
        for ((key, _), write) in found {
            self.writes[key as usize].push(write);
        }
        for (key, writes) in (0..).zip(&mut self.writes) {
            writes.sort_by_key(|write| write.revision);
            for write in writes.iter().filter(|write| course.is_gap(write.revision)) {
                self.pins.entry(write.revision).or_default().push((key, write.put));
                self.seen.extend(write.put.map(|value| (key, value)));
            }
        }
        Ok(())
    }

    /// True if some answer shows this value of a key, as written by a gap.
    pub(super) fn is_seen(&self, key: Key, value: ValueId) -> bool {
        self.seen.contains(&(key, value))
    }

    /// The last known write of a key up to a revision.
    pub(super) fn last_write(&self, key: Key, until: usize) -> Option<&Write> {
        let writes = &self.writes[key as usize];
        let after = writes.partition_point(|write| write.revision <= until);
        writes.get(after.checked_sub(1)?)
    }

    /// True if this revision is known to have written the key.
    pub(super) fn is_write(&self, key: Key, revision: usize) -> bool {
        self.last_write(key, revision).is_some_and(|write| write.revision == revision)
    }

    /// The first known write of a key after a revision.
    pub(super) fn next_write(&self, key: Key, after: usize) -> Option<&Write> {
        let writes = &self.writes[key as usize];
        writes.get(writes.partition_point(|write| write.revision <= after))
    }

    /// The first fact about a key at a revision or later.
    pub(super) fn next_fact(&self, key: Key, from: usize) -> Option<(usize, How)> {
        let facts = &self.facts[key as usize];
        facts.get(facts.partition_point(|(at, _)| *at < from)).copied()
    }

    /// Some request without an answer can have written what is pinned.
    fn someone_can(&self, looked: Looked<'_>, revision: usize, pins: &[Pin]) -> Result<(), No> {
        let Some(first) = pins.first() else { return Ok(()) };
        let may_all =
            |row: &Row| pins.iter().all(|pin| self.writers.of_pin(*pin).any(|r| r == *row));
        let mut late = None;
        for row in self.writers.of_pin(*first).filter(|row| looked.is_open(*row, revision)) {
            if !may_all(&row) {
                continue;
            }
            if looked.in_time(row, revision) {
                return Ok(());
            }
            late = Some(row);
        }
        let witness = |(key, _): &Pin| Some((*key, self.last_write(*key, revision)?.by));
        let witnesses: Vec<(Key, Row)> = pins.iter().filter_map(witness).collect();
        let suspects = pins.iter().flat_map(|pin| self.writers.of_pin(*pin));
        let rows = suspects.chain(witnesses.iter().map(|(_, row)| *row));
        let name = |key: Key| looked.part.name(key);
        let Some(&(key, first)) = witnesses.first() else { return Ok(()) };
        let shows = format!(" shows {} as of revision {revision}", name(key));
        Err(match (late, looked.times.written[revision].by, witnesses.get(1)) {
            (Some(late), Some(by), _) => {
                let called = ", which only ";
                let end = " can have written, but that was called after ";
                let seen = format!(" had returned, when revision {revision} had been reached");
                no!(Future, first, shows, called, late, end, by, seen).and(rows)
            }
            (_, _, Some(&(other, second))) if second == first => {
                let end = format!(
                    "{shows}, and {} too, but no request can have written both",
                    name(other)
                );
                no!(Phantom, first, end).and(rows)
            }
            (_, _, Some(&(other, second))) => {
                let end = format!(
                    " shows {} as of the same revision, but no request can have written both",
                    name(other)
                );
                no!(Phantom, first, shows, ", and ", second, end).and(rows)
            }
            _ => no!(Phantom, first, shows, ", but no request can have written that").and(rows),
        })
    }

    /// Compares what was seen with the known writes.
    fn check(&self, looked: Looked<'_>, seen: Seen) -> Result<(), No> {
        let Seen { key, at, how, by } = seen;
        let last = self.last_write(key, at);
        match how {
            How::Put { revision, .. } => match last {
                Some(last) if last.revision as i64 > revision => {
                    let newer = last.revision;
                    let end = match looked.course.owner[newer] {
                        Some(_) => format!(" changed it at revision {newer}"),
                        None => format!(" shows that revision {newer} changed it"),
                    };
                    let name = looked.part.name(key);
                    let shows =
                        format!(" found {name} as of revision {revision} at revision {at}, but ");
                    Err(no!(Stale, by, shows, last.by, end))
                }
                _ => Ok(()),
            },
            How::Absent => match last {
                Some(last) if last.put.is_some() => self.can_be_deleted(looked, seen, last),
                _ => Ok(()),
            },
            How::There => match last {
                Some(last) if last.put.is_some() => Ok(()),
                _ => self.can_be_put(looked, seen, last),
            },
            How::Not(revision) => {
                let exact = last.filter(|last| last.put.is_some());
                let now = exact.map_or(0, |last| last.revision as i64);
                let is_certain = !self.writers.is_open[key as usize];
                if is_certain && now == revision {
                    let end = format!(": its condition on {} held", looked.part.name(key));
                    let rows = self.writers.of_key(key).chain(exact.map(|last| last.by));
                    return Err(no!(WrongResult, by, end).and(rows));
                }
                Ok(())
            }
            How::Deleted => Ok(()),
        }
    }

    /// A key that was put is absent later: something can have deleted it between.
    fn can_be_deleted(&self, looked: Looked<'_>, seen: Seen, put: &Write) -> Result<(), No> {
        let Seen { key, at, by, .. } = seen;
        let deletes = || self.writers.of_pin((key, None));
        let between = put.revision + 1..=at;
        if self.may_fill(looked, deletes(), between.clone()) {
            return Ok(());
        }
        // If nothing without an answer deletes it, when the others took effect makes no difference.
        let is_open = deletes().any(|row| looked.is_open(row, at));
        let between = between.filter(|_| is_open);
        let owners = between.filter_map(|revision| looked.course.owner[revision]);
        let revision = put.revision;
        let put_it = if looked.course.is_gap(revision) { "shows it as put" } else { "put it" };
        let end =
            format!(" {put_it} at revision {revision}, and nothing can have deleted it since");
        let name = looked.part.name(key);
        let shows = format!(" did not find {name} at revision {at}, but ");
        let times = looked.times.bounds(at).filter(|_| is_open);
        Err(no!(Missing, by, shows, put.by, end).and(deletes().chain(owners).chain(times)))
    }

    /// A key is there: something can have put it.
    fn can_be_put(
        &self,
        looked: Looked<'_>,
        seen: Seen,
        deleted: Option<&Write>,
    ) -> Result<(), No> {
        let Seen { key, at, by, .. } = seen;
        let puts = || self.writers.of_pin((key, Some(NO_VALUE)));
        let from = deleted.map_or(1, |write| write.revision);
        if self.may_fill(looked, puts(), from + 1..=at) {
            return Ok(());
        }
        let owners = (from + 1..=at).filter_map(|revision| looked.course.owner[revision]);
        let times = looked.times.bounds(at);
        let rows = puts().chain(owners).chain(deleted.map(|write| write.by)).chain(times);
        let name = looked.part.name(key);
        let end = format!(" found {name} at revision {at}, but nothing can have put it");
        Err(no!(Phantom, by, end).and(rows))
    }

    /// True if one of these rows may have written one of these revisions.
    fn may_fill(
        &self,
        looked: Looked<'_>,
        mut rows: impl Iterator<Item = Row>,
        revisions: std::ops::RangeInclusive<usize>,
    ) -> bool {
        let Some(gap) = revisions.rev().find(|revision| looked.course.is_gap(*revision)) else {
            return false;
        };
        rows.any(|row| looked.is_open(row, gap) && looked.in_time(row, gap))
    }
}

impl Times {
    /// The rows that say when revisions up to this one were written at the latest.
    fn bounds(&self, revision: usize) -> impl Iterator<Item = Row> + '_ {
        self.written.iter().take(revision + 1).filter_map(|latest| latest.by)
    }
}

/// What is looked at all the time.
#[derive(Clone, Copy)]
pub(super) struct Looked<'a> {
    pub(super) part: &'a Part,
    pub(super) course: &'a Course,
    pub(super) times: &'a Times,
}

impl Looked<'_> {
    /// True if a row may have written a gap: it did not answer, or it is the revocation of a lease that was answered
    /// with that revision.
    pub(super) fn is_open(&self, row: Row, revision: usize) -> bool {
        match self.part.rows[row as usize] {
            What::PendingTxn(_) | What::PendingRevoke(_) => true,
            What::Revoke { at, .. } => at as usize <= revision,
            _ => false,
        }
    }

    /// True if the row was called in time to write a revision.
    pub(super) fn in_time(&self, row: Row, revision: usize) -> bool {
        self.part.calls[row as usize] <= self.times.written[revision].rank
    }
}

/// Adds the write that an answer shows.
fn note(
    found: &mut FxHashMap<(Key, usize), Write>,
    part: &Part,
    course: &Course,
    seen: Seen,
) -> Result<(), No> {
    let Seen { key, at, how, by } = seen;
    let (revision, put) = match how {
        How::Put { revision, value } => (revision, Some(value)),
        How::Deleted => (at as i64, None),
        _ => return Ok(()),
    };
    if revision < 2 || revision > at as i64 {
        let name = part.name(key);
        let end = format!(" is about revision {at}, and has {name} as of revision {revision}");
        return Err(no!(Future, by, end));
    }
    let revision = revision as usize;
    match found.get_mut(&(key, revision)) {
        Some(other) => {
            let same = match (other.put, put) {
                (Some(a), Some(b)) => a == b || a == NO_VALUE || b == NO_VALUE,
                (a, b) => a == b,
            };
            if !same {
                let name = part.name(key);
                let end = format!(" disagree about what revision {revision} did to {name}");
                return Err(no!(Phantom, by, " and ", other.by, end));
            }
            if other.put == Some(NO_VALUE) && put != other.put {
                *other = Write { revision, put, by };
            }
        }
        None => {
            if let Some(owner) = course.owner[revision] {
                let name = part.name(key);
                let shows = format!(" shows {name} as of revision {revision}, but that was ");
                return Err(no!(Phantom, by, shows, owner));
            }
            found.insert((key, revision), Write { revision, put, by });
        }
    }
    Ok(())
}
