//! The operations of a part in numbers: keys and values are interned, keys in their order.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::super::{
    EtcdCondition, EtcdExpected, EtcdFound, EtcdOp, EtcdRange, EtcdRet, EtcdStep, EtcdTxn,
};
use crate::monitor::Refusal;
use crate::spec::PartView;
use crate::wire::Value;

/// A key by its position among all keys.
pub(super) type Key = u32;
/// A row of the part.
pub(super) type Row = u32;
/// A value by its number. [`NO_VALUE`] stands for one that was left out.
pub(super) type ValueId = u32;

pub(super) const NO_VALUE: ValueId = u32::MAX;

/// The keys of a range.
#[derive(Clone, Copy, Debug)]
pub(super) struct Range {
    pub(super) from: Key,
    pub(super) to: Key,
    /// 0 for none.
    pub(super) limit: usize,
    pub(super) keys_only: bool,
    /// It asks for one key, whose count is not cut.
    pub(super) is_single: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Condition {
    pub(super) key: Key,
    pub(super) expected: EtcdExpected,
}

#[derive(Clone, Debug)]
pub(super) enum Step {
    Put { key: Key, value: ValueId, lease: i64 },
    Delete(Key),
    Range(Range),
}

#[derive(Clone, Debug, Default)]
pub(super) struct Txn {
    pub(super) conditions: Vec<Condition>,
    pub(super) success: Vec<Step>,
    pub(super) failure: Vec<Step>,
}

/// A key in an answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shown {
    pub(super) key: Key,
    pub(super) value: ValueId,
    pub(super) revision: i64,
    pub(super) version: Option<i64>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Found {
    pub(super) keys: Vec<Shown>,
    pub(super) count: i64,
    pub(super) deleted: i64,
}

/// What a row is, with what it answered.
#[derive(Clone, Debug)]
pub(super) enum What {
    /// It answered, and did not write.
    Range {
        range: Range,
        of: i64,
        found: Found,
        at: i64,
    },
    /// It answered.
    Txn {
        txn: Txn,
        succeeded: bool,
        results: Vec<Found>,
        at: i64,
        wrote: bool,
    },
    /// It answered.
    Grant {
        lease: i64,
        at: i64,
    },
    /// It answered. Whether it wrote depends on what had its lease.
    Revoke {
        lease: i64,
        at: i64,
    },
    /// It answered.
    Compact {
        revision: i64,
        answer: Compaction,
    },
    /// It was received. `None`: the key was deleted.
    Event {
        key: Key,
        value: Option<ValueId>,
        at: i64,
    },
    /// It did not answer, and may have written.
    PendingTxn(Txn),
    PendingRevoke(i64),
    PendingGrant(i64),
    PendingCompact,
    /// It did not answer, and is a read.
    Idle,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Compaction {
    Done,
    Compacted,
    Future,
}

#[derive(Debug)]
pub(super) struct Part {
    pub(super) rows: Vec<What>,
    /// Ranks of calls and returns.
    pub(super) calls: Vec<u32>,
    pub(super) rets: Vec<u32>,
    /// Number of keys.
    pub(super) keys: usize,
    /// The keys as text.
    names: Vec<String>,
    /// True if some condition or answer names a version.
    pub(super) has_versions: bool,
}

impl Txn {
    pub(super) fn branch(&self, succeeded: bool) -> &[Step] {
        if succeeded { &self.success } else { &self.failure }
    }

    /// All operations that it may perform.
    pub(super) fn steps(&self) -> impl Iterator<Item = &Step> {
        self.success.iter().chain(&self.failure)
    }
}

/// Numbers of keys and values.
struct Names<'a> {
    keys: Vec<&'a Value>,
    key_ids: FxHashMap<&'a Value, Key>,
    values: FxHashMap<&'a Value, ValueId>,
    has_versions: bool,
}

impl Part {
    pub(super) fn read(part: &PartView<'_, EtcdOp, EtcdRet>) -> Result<Part, Refusal> {
        let mut names = Names::collect(part);
        let (mut rows, mut calls, mut rets) = (Vec::new(), Vec::new(), Vec::new());
        for view in part.iter() {
            rows.push(names.row(view.op, view.ret, view.span.is_pending())?);
            calls.push(view.span.call);
            rets.push(view.span.ret);
        }
        let (keys, has_versions) = (names.keys.len(), names.has_versions);
        let names = names.keys.iter().map(|key| key.to_string()).collect();
        Ok(Part { rows, calls, rets, keys, names, has_versions })
    }

    /// A key as text.
    pub(super) fn name(&self, key: Key) -> &str {
        self.names.get(key as usize).map_or("a key", String::as_str)
    }
}

impl<'a> Names<'a> {
    fn collect(part: &PartView<'a, EtcdOp, EtcdRet>) -> Names<'a> {
        let mut keys = BTreeSet::new();
        for view in part.iter() {
            keys_of_op(view.op, &mut |key| {
                keys.insert(key);
            });
            let mut found = |found: &'a EtcdFound| {
                keys.extend(found.keys.iter().map(|found| &found.key));
            };
            match view.ret {
                Some(EtcdRet::Range { found: one, .. }) => found(one),
                Some(EtcdRet::Txn { results, .. }) => results.iter().for_each(found),
                _ => {}
            }
        }
        let keys: Vec<&Value> = keys.into_iter().collect();
        let key_ids = (0..).zip(&keys).map(|(id, key)| (*key, id)).collect();
        Names { keys, key_ids, values: FxHashMap::default(), has_versions: false }
    }

    /// Every key has been collected.
    fn key(&self, key: &Value) -> Key {
        self.key_ids.get(key).copied().unwrap_or_default()
    }

    fn value(&mut self, value: &'a Value) -> ValueId {
        let next = self.values.len() as ValueId;
        *self.values.entry(value).or_insert(next)
    }

    fn range(&self, range: &EtcdRange) -> Range {
        let below = |bound: &Value| self.keys.partition_point(|key| **key < *bound) as Key;
        let from = below(&range.start);
        let to = match &range.end {
            None => from + 1,
            Some(_) if range.is_open() => self.keys.len() as Key,
            Some(end) => below(end).max(from),
        };
        let limit = usize::try_from(range.limit).unwrap_or(usize::MAX);
        let is_single = range.end.is_none();
        Range { from, to, limit, keys_only: range.keys_only, is_single }
    }

    fn condition(&mut self, condition: &EtcdCondition) -> Condition {
        self.has_versions |= matches!(condition.expected, EtcdExpected::Version(_));
        Condition { key: self.key(&condition.key), expected: condition.expected }
    }

    fn step(&mut self, step: &'a EtcdStep) -> Step {
        match step {
            EtcdStep::Put { key, value, lease } => {
                Step::Put { key: self.key(key), value: self.value(value), lease: *lease }
            }
            EtcdStep::Delete(key) => Step::Delete(self.key(key)),
            EtcdStep::Range(range) => Step::Range(self.range(range)),
        }
    }

    fn txn(&mut self, txn: &'a EtcdTxn) -> Txn {
        Txn {
            conditions: txn.conditions.iter().map(|c| self.condition(c)).collect(),
            success: txn.success.iter().map(|step| self.step(step)).collect(),
            failure: txn.failure.iter().map(|step| self.step(step)).collect(),
        }
    }

    /// What was found; values that a range leaves out are no values.
    fn found(&mut self, found: &'a EtcdFound, keys_only: bool) -> Found {
        let mut shown = |found: &'a super::super::EtcdKey| {
            self.has_versions |= found.version.is_some();
            let value = match found.value {
                Value::Nil if keys_only => NO_VALUE,
                _ => self.value(&found.value),
            };
            let (key, revision, version) = (self.key(&found.key), found.revision, found.version);
            Shown { key, value, revision, version }
        };
        let keys = found.keys.iter().map(&mut shown).collect();
        Found { keys, count: found.count, deleted: found.deleted }
    }

    fn row(
        &mut self,
        op: &'a EtcdOp,
        ret: Option<&'a EtcdRet>,
        is_pending: bool,
    ) -> Result<What, Refusal> {
        Ok(match (op, ret) {
            (EtcdOp::Range { .. } | EtcdOp::Event { .. }, None) if is_pending => What::Idle,
            (EtcdOp::Txn(txn), None) if is_pending => match txn.is_read() {
                true => What::Idle,
                false => What::PendingTxn(self.txn(txn)),
            },
            (EtcdOp::Grant(lease), None) if is_pending => What::PendingGrant(*lease),
            (EtcdOp::Revoke(lease), None) if is_pending => What::PendingRevoke(*lease),
            (EtcdOp::Compact(revision), None) if is_pending => What::PendingCompact,
            (EtcdOp::Range { range, revision }, Some(EtcdRet::Range { found, revision: at })) => {
                What::Range {
                    range: self.range(range),
                    of: if *revision <= 0 { *at } else { *revision },
                    found: self.found(found, range.keys_only),
                    at: *at,
                }
            }
            (EtcdOp::Txn(txn), Some(EtcdRet::Txn { succeeded, results, revision })) => {
                self.answered(txn, *succeeded, results, *revision)
            }
            (EtcdOp::Grant(lease), Some(EtcdRet::At(at))) => What::Grant { lease: *lease, at: *at },
            (EtcdOp::Revoke(lease), Some(EtcdRet::At(at))) => {
                What::Revoke { lease: *lease, at: *at }
            }
            (EtcdOp::Compact(revision), Some(ret)) => {
                let answer = match ret {
                    EtcdRet::Done => Compaction::Done,
                    EtcdRet::Compacted => Compaction::Compacted,
                    EtcdRet::Future => Compaction::Future,
                    _ => return Err(Refusal::new("an operation has a result of another kind")),
                };
                What::Compact { revision: *revision, answer }
            }
            (EtcdOp::Event { key, value, revision }, Some(EtcdRet::Done)) => What::Event {
                key: self.key(key),
                value: value.as_ref().map(|value| self.value(value)),
                at: *revision,
            },
            (EtcdOp::Range { .. }, Some(EtcdRet::Compacted | EtcdRet::Future)) => {
                return Err(Refusal::new("a read was refused"));
            }
            (_, None) => return Err(Refusal::new("an operation has an unknown result")),
            (_, Some(_)) => {
                return Err(Refusal::new("an operation has a result of another kind"));
            }
        })
    }

    fn answered(
        &mut self,
        txn: &'a EtcdTxn,
        succeeded: bool,
        results: &'a [EtcdFound],
        at: i64,
    ) -> What {
        let steps = txn.branch(succeeded);
        let keys_only = |step: &EtcdStep| matches!(step, EtcdStep::Range(range) if range.keys_only);
        let left_out: Vec<bool> = steps.iter().map(keys_only).collect();
        let results: Vec<Found> = results
            .iter()
            .enumerate()
            .map(|(i, found)| self.found(found, left_out.get(i).copied().unwrap_or(false)))
            .collect();
        let wrote = steps.iter().enumerate().any(|(i, step)| match step {
            EtcdStep::Put { .. } => true,
            EtcdStep::Delete(_) => results.get(i).is_some_and(|found| found.deleted > 0),
            EtcdStep::Range(_) => false,
        });
        What::Txn { txn: self.txn(txn), succeeded, results, at, wrote }
    }
}

/// Calls `each` with every key that an operation names.
fn keys_of_op<'a>(op: &'a EtcdOp, each: &mut impl FnMut(&'a Value)) {
    match op {
        // The first key of a longer range need not be a key of the store.
        EtcdOp::Range { range, .. } => single(range, each),
        EtcdOp::Event { key, .. } => each(key),
        EtcdOp::Txn(txn) => {
            txn.conditions.iter().for_each(|condition| each(&condition.key));
            for step in txn.success.iter().chain(&txn.failure) {
                match step {
                    EtcdStep::Put { key, .. } | EtcdStep::Delete(key) => each(key),
                    EtcdStep::Range(range) => single(range, each),
                }
            }
        }
        EtcdOp::Grant(_) | EtcdOp::Revoke(_) | EtcdOp::Compact(_) => {}
    }
}

fn single<'a>(range: &'a EtcdRange, each: &mut impl FnMut(&'a Value)) {
    if range.end.is_none() {
        each(&range.start);
    }
}
