//! The store while revisions are tried: it is changed in place, and every change can be taken back.

use rustc_hash::FxHashSet;

use super::super::EtcdExpected;
use super::read::{Condition, Found, Key, NO_VALUE, Range, Shown, Step, Txn, ValueId};

/// What a key has. The revision of an absent key is 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Entry {
    pub(super) revision: usize,
    pub(super) value: ValueId,
    pub(super) version: i64,
    pub(super) lease: i64,
}

/// A change that can be taken back.
#[derive(Clone, Copy, Debug)]
enum Change {
    Key(Key, Entry),
    Granted(i64),
    Revoked(i64),
}

#[derive(Debug)]
pub(super) struct Store {
    pub(super) entries: Vec<Entry>,
    pub(super) leases: FxHashSet<i64>,
    changes: Vec<Change>,
}

/// What a transaction did.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Done {
    pub(super) succeeded: bool,
    pub(super) wrote: bool,
}

impl Store {
    pub(super) fn new(keys: usize) -> Store {
        let entries = vec![Entry::default(); keys];
        Store { entries, leases: FxHashSet::default(), changes: Vec::new() }
    }

    /// A point to which it can be taken back.
    pub(super) fn mark(&self) -> usize {
        self.changes.len()
    }

    /// The keys that were changed since a point.
    pub(super) fn changed_since(&self, mark: usize) -> impl Iterator<Item = Key> + '_ {
        self.changes[mark..].iter().filter_map(|change| match change {
            Change::Key(key, _) => Some(*key),
            _ => None,
        })
    }

    /// Takes back everything since a point.
    pub(super) fn undo(&mut self, mark: usize) {
        while self.changes.len() > mark {
            match self.changes.pop() {
                Some(Change::Key(key, before)) => self.entries[key as usize] = before,
                Some(Change::Granted(lease)) => {
                    self.leases.remove(&lease);
                }
                Some(Change::Revoked(lease)) => {
                    self.leases.insert(lease);
                }
                None => {}
            }
        }
    }

    fn set(&mut self, key: Key, entry: Entry) {
        let place = &mut self.entries[key as usize];
        self.changes.push(Change::Key(key, *place));
        *place = entry;
    }

    pub(super) fn grant(&mut self, lease: i64) {
        if self.leases.insert(lease) {
            self.changes.push(Change::Granted(lease));
        }
    }

    /// True if it deleted a key, at this revision.
    pub(super) fn revoke(&mut self, lease: i64) -> bool {
        if self.leases.remove(&lease) {
            self.changes.push(Change::Revoked(lease));
        }
        let mut wrote = false;
        for key in 0..self.entries.len() {
            let Entry { revision, lease: own, .. } = self.entries[key];
            if lease != 0 && revision != 0 && own == lease {
                self.set(key as Key, Entry::default());
                wrote = true;
            }
        }
        wrote
    }

    pub(super) fn holds(&self, condition: &Condition) -> bool {
        let entry = self.entries[condition.key as usize];
        match condition.expected {
            EtcdExpected::Revision(expected) => entry.revision as i64 == expected,
            EtcdExpected::Version(expected) => entry.version == expected,
        }
    }

    /// The leases that a transaction needs and that do not exist.
    pub(super) fn missing_leases<'a>(&'a self, txn: &'a Txn) -> impl Iterator<Item = i64> + 'a {
        let succeeded = txn.conditions.iter().all(|condition| self.holds(condition));
        txn.branch(succeeded).iter().filter_map(|step| match *step {
            Step::Put { lease, .. } if lease != 0 && !self.leases.contains(&lease) => Some(lease),
            _ => None,
        })
    }

    /// Performs a transaction whose leases exist; if it writes, at revision `next`. `None` if its results are not
    /// those that are given.
    pub(super) fn perform(
        &mut self,
        txn: &Txn,
        next: usize,
        results: Option<&[Found]>,
    ) -> Option<Done> {
        let succeeded = txn.conditions.iter().all(|condition| self.holds(condition));
        let mut wrote = false;
        for (i, step) in txn.branch(succeeded).iter().enumerate() {
            let result = match results {
                Some(results) => Some(results.get(i)?),
                None => None,
            };
            match *step {
                Step::Put { key, value, lease } => {
                    let version = self.entries[key as usize].version + 1;
                    self.set(key, Entry { revision: next, value, version, lease });
                    wrote = true;
                }
                Step::Delete(key) => {
                    let is_there = self.entries[key as usize].revision != 0;
                    if is_there {
                        self.set(key, Entry::default());
                        wrote = true;
                    }
                    if result.is_some_and(|result| result.deleted != i64::from(is_there)) {
                        return None;
                    }
                }
                Step::Range(range) => {
                    if result.is_some_and(|result| !self.shows(&range, result)) {
                        return None;
                    }
                }
            }
        }
        Some(Done { succeeded, wrote })
    }

    /// True if a range finds this now.
    pub(super) fn shows(&self, range: &Range, found: &Found) -> bool {
        let mut shown = found.keys.iter();
        let mut count = 0;
        for key in range.from..range.to {
            let entry = &self.entries[key as usize];
            if entry.revision == 0 {
                continue;
            }
            count += 1;
            let is_cut = range.limit != 0 && !range.is_single && count > range.limit;
            if !is_cut && !shown.next().is_some_and(|shown| is_entry(shown, key, entry)) {
                return false;
            }
        }
        shown.next().is_none() && found.count == count as i64
    }
}

fn is_entry(shown: &Shown, key: Key, entry: &Entry) -> bool {
    shown.key == key
        && shown.revision == entry.revision as i64
        && (shown.value == entry.value || shown.value == NO_VALUE)
        && shown.version.is_none_or(|version| version == entry.version)
}
