//! The store: every version of every key.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

use super::{
    EtcdCondition, EtcdExpected, EtcdFound, EtcdKey, EtcdOp, EtcdRange, EtcdRet, EtcdStep, EtcdTxn,
};
use crate::spec::models::persistent::List;
use crate::wire::Value;

/// The state of an [`Etcd`](super::Etcd).
///
/// Versions of a key are lists that share what they have in common, so that a step copies a pointer for each key.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct EtcdState {
    /// The revision of the last write.
    pub(super) revision: i64,
    /// What was before this revision is forgotten.
    compacted: i64,
    /// The versions of each key, the last one on top. Not empty.
    keys: BTreeMap<Value, List<Version>>,
    leases: BTreeSet<i64>,
}

/// A change of a key.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Version {
    /// Its revision.
    at: i64,
    /// What was put; `None` if the key was deleted.
    put: Option<Put>,
}

/// What a key has.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Put {
    pub(super) value: Value,
    /// Number of puts since the key was created.
    version: i64,
    /// 0 for none.
    lease: i64,
}

/// A key that is there.
struct Found<'a> {
    revision: i64,
    put: &'a Put,
}

impl std::fmt::Debug for EtcdState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&super::words::state(self))
    }
}

impl EtcdState {
    pub(super) fn new() -> EtcdState {
        // etcd lets the first compaction be one of revision 0.
        let (keys, leases) = (BTreeMap::new(), BTreeSet::new());
        EtcdState { revision: 1, compacted: -1, keys, leases }
    }

    /// Performs an operation. `None` if it cannot take effect; then nothing has changed.
    pub(super) fn perform(&mut self, op: &EtcdOp) -> Option<EtcdRet> {
        Some(match op {
            EtcdOp::Range { range, revision } => self.range(range, *revision),
            EtcdOp::Txn(txn) => return self.txn(txn),
            EtcdOp::Grant(lease) => {
                self.leases.insert(*lease);
                EtcdRet::At(self.revision)
            }
            EtcdOp::Revoke(lease) => self.revoke(*lease),
            EtcdOp::Compact(revision) if *revision <= self.compacted => EtcdRet::Compacted,
            EtcdOp::Compact(revision) if *revision > self.revision => EtcdRet::Future,
            EtcdOp::Compact(revision) => {
                self.compacted = *revision;
                EtcdRet::Done
            }
            EtcdOp::Event { key, value, revision } => {
                return self.has_event(key, value.as_ref(), *revision).then_some(EtcdRet::Done);
            }
        })
    }

    fn range(&self, range: &EtcdRange, revision: i64) -> EtcdRet {
        match revision {
            ..=0 => {}
            old if old > self.revision => return EtcdRet::Future,
            old if old != self.revision && old < self.compacted => return EtcdRet::Compacted,
            _ => {}
        }
        let of = if revision <= 0 { self.revision } else { revision };
        EtcdRet::Range { found: self.find(range, of), revision: self.revision }
    }

    fn txn(&mut self, txn: &EtcdTxn) -> Option<EtcdRet> {
        let succeeded = txn.conditions.iter().all(|condition| self.holds(condition));
        let steps = txn.branch(succeeded);
        let has_lease = |step: &EtcdStep| match step {
            EtcdStep::Put { lease, .. } => *lease == 0 || self.leases.contains(lease),
            _ => true,
        };
        if !steps.iter().all(has_lease) {
            return None;
        }
        let next = self.revision.checked_add(1)?;
        let mut wrote = false;
        let mut results = Vec::with_capacity(steps.len());
        for step in steps {
            results.push(match step {
                EtcdStep::Range(range) => self.find(range, next),
                EtcdStep::Put { key, value, lease } => {
                    self.put(key, value, *lease, next);
                    wrote = true;
                    EtcdFound::default()
                }
                EtcdStep::Delete(key) => {
                    let is_there = self.get(key, next).is_some();
                    if is_there {
                        self.push(key, Version { at: next, put: None });
                    }
                    wrote |= is_there;
                    EtcdFound { deleted: is_there.into(), ..EtcdFound::default() }
                }
            });
        }
        if wrote {
            self.revision = next;
        }
        Some(EtcdRet::Txn { succeeded, results, revision: self.revision })
    }

    fn holds(&self, condition: &EtcdCondition) -> bool {
        let found = self.get(&condition.key, self.revision);
        match condition.expected {
            EtcdExpected::Revision(expected) => found.map_or(0, |found| found.revision) == expected,
            EtcdExpected::Version(expected) => found.map_or(0, |f| f.put.version) == expected,
        }
    }

    fn put(&mut self, key: &Value, value: &Value, lease: i64, at: i64) {
        let before = self.get(key, at).map_or(0, |found| found.put.version);
        let put = Put { value: value.clone(), version: before.saturating_add(1), lease };
        self.push(key, Version { at, put: Some(put) });
    }

    fn push(&mut self, key: &Value, version: Version) {
        match self.keys.get_mut(key) {
            Some(versions) => *versions = versions.push(version),
            None => {
                self.keys.insert(key.clone(), List::new().push(version));
            }
        }
    }

    fn revoke(&mut self, lease: i64) -> EtcdRet {
        self.leases.remove(&lease);
        let has_it = |versions: &List<Version>| {
            let put = versions.first().and_then(|version| version.put.as_ref());
            lease != 0 && put.is_some_and(|put| put.lease == lease)
        };
        let next = self.revision.saturating_add(1);
        let mut wrote = false;
        for versions in self.keys.values_mut().filter(|versions| has_it(versions)) {
            *versions = versions.push(Version { at: next, put: None });
            wrote = true;
        }
        self.revision = if wrote { next } else { self.revision };
        EtcdRet::At(self.revision)
    }

    /// What a key had at a revision.
    fn get(&self, key: &Value, at: i64) -> Option<Found<'_>> {
        found(self.keys.get(key)?, at)
    }

    fn find(&self, range: &EtcdRange, at: i64) -> EtcdFound {
        let Some(end) = &range.end else {
            let found = self.get(&range.start, at);
            let keys: Vec<EtcdKey> =
                found.iter().map(|found| found.show(&range.start, range.keys_only)).collect();
            return EtcdFound { count: keys.len() as i64, keys, deleted: 0 };
        };
        let mut all = EtcdFound::default();
        let end = if range.is_open() { Bound::Unbounded } else { Bound::Excluded(end) };
        if let Bound::Excluded(end) = end
            && *end <= range.start
        {
            return all;
        }
        for (key, versions) in self.keys.range((Bound::Included(&range.start), end)) {
            let Some(found) = found(versions, at) else { continue };
            if range.limit == 0 || (all.count as u64) < range.limit {
                all.keys.push(found.show(key, range.keys_only));
            }
            all.count += 1;
        }
        all
    }

    fn has_event(&self, key: &Value, value: Option<&Value>, revision: i64) -> bool {
        let Some(versions) = self.keys.get(key) else { return false };
        let version = versions.iter().find(|version| version.at <= revision);
        version.is_some_and(|version| {
            version.at == revision && version.put.as_ref().map(|put| &put.value) == value
        })
    }

    /// The keys that are there, with their values and revisions.
    pub(super) fn present(&self) -> impl Iterator<Item = (&Value, &Value, i64)> {
        let now = self.revision;
        self.keys.iter().filter_map(move |(key, versions)| {
            let found = found(versions, now)?;
            Some((key, &found.put.value, found.revision))
        })
    }

    /// The revision of the last change of a key; 0 if it is absent.
    pub(super) fn revision_of(&self, key: &Value) -> i64 {
        self.get(key, self.revision).map_or(0, |found| found.revision)
    }

    /// The lease with the largest number.
    pub(super) fn last_lease(&self) -> Option<i64> {
        self.leases.last().copied()
    }

    /// A number that no lease has.
    pub(super) fn next_lease(&self) -> i64 {
        self.last_lease().unwrap_or_default().max(self.revision).saturating_add(1)
    }

    /// What it takes beside itself. Other states share most versions with it.
    pub(super) fn heap_bytes(&self) -> usize {
        /// What a map takes for an entry.
        const ENTRY: usize = 2 * size_of::<Value>() + size_of::<List<Version>>();
        self.keys.len() * ENTRY + List::<Version>::bytes_of_version()
    }
}

/// The version that was the last one at a revision, if the key was there.
fn found(versions: &List<Version>, at: i64) -> Option<Found<'_>> {
    let version = versions.iter().find(|version| version.at <= at)?;
    version.put.as_ref().map(|put| Found { revision: version.at, put })
}

impl Found<'_> {
    fn show(&self, key: &Value, keys_only: bool) -> EtcdKey {
        let value = if keys_only { Value::Nil } else { self.put.value.clone() };
        let version = Some(self.put.version);
        EtcdKey { key: key.clone(), value, revision: self.revision, version }
    }
}
