//! etcd's operations on the wire.

use super::{
    Etcd, EtcdCondition, EtcdExpected, EtcdFound, EtcdKey, EtcdOp, EtcdRange, EtcdRet, EtcdState,
    EtcdStep, EtcdTxn,
};
use crate::wire::{
    self, Arg, Args, BadOption, Chance, FromWire, Mismatch, ModelInfo, NamedCall, Options, ToWire,
    Value, args,
};

static NIL: Value = Value::Nil;

impl ToWire<EtcdOp, EtcdRet> for Etcd {
    fn name(&self) -> &'static str {
        Etcd::INFO.name
    }

    fn op<'a>(&self, op: &'a EtcdOp) -> (&'static str, Args<'a>) {
        match op {
            EtcdOp::Range { range, revision } => {
                let mut args = range_args(range);
                args.push(Arg::Held(revision));
                ("range", args)
            }
            EtcdOp::Txn(txn) => {
                let steps = |steps: &'a [EtcdStep]| Arg::List(steps.iter().map(step_arg).collect());
                let conditions = txn.conditions.iter().map(condition_arg).collect();
                ("txn", vec![Arg::List(conditions), steps(&txn.success), steps(&txn.failure)])
            }
            EtcdOp::Grant(lease) => ("grant", args([lease])),
            EtcdOp::Revoke(lease) => ("revoke", args([lease])),
            EtcdOp::Compact(revision) => ("compact", args([revision])),
            EtcdOp::Event { key, value, revision } => {
                ("event", args([key, value.as_ref().unwrap_or(&NIL), revision]))
            }
        }
    }

    fn ret(&self, _op: &EtcdOp, ret: &EtcdRet) -> Option<Value> {
        Some(match ret {
            EtcdRet::Range { found, revision } => {
                Value::List([found_value(found), Value::Int(*revision)].into())
            }
            EtcdRet::Txn { succeeded, results, revision } => {
                let results = Value::List(results.iter().map(found_value).collect());
                Value::List([Value::Bool(*succeeded), results, Value::Int(*revision)].into())
            }
            EtcdRet::At(revision) => Value::Int(*revision),
            EtcdRet::Done => "ok".into(),
            EtcdRet::Compacted => "compacted".into(),
            EtcdRet::Future => "future".into(),
        })
    }
}

fn range_args(range: &EtcdRange) -> Args<'_> {
    let EtcdRange { start, end, limit, keys_only } = range;
    args([start, end.as_ref().unwrap_or(&NIL), limit, keys_only])
}

fn condition_arg(condition: &EtcdCondition) -> Arg<'_> {
    let (word, number) = match &condition.expected {
        EtcdExpected::Revision(revision) => ("revision", revision),
        EtcdExpected::Version(version) => ("version", version),
    };
    Arg::List(vec![Arg::Held(&condition.key), Arg::Word(word), Arg::Held(number)])
}

fn step_arg(step: &EtcdStep) -> Arg<'_> {
    Arg::List(match step {
        EtcdStep::Put { key, value, lease } => {
            vec![Arg::Word("put"), Arg::Held(key), Arg::Held(value), Arg::Held(lease)]
        }
        EtcdStep::Delete(key) => vec![Arg::Word("delete"), Arg::Held(key)],
        EtcdStep::Range(range) => {
            std::iter::once(Arg::Word("range")).chain(range_args(range)).collect()
        }
    })
}

/// The keys, the count, how many were deleted.
fn found_value(found: &EtcdFound) -> Value {
    let key = |found: &EtcdKey| {
        let version = found.version.map_or(Value::Nil, Value::Int);
        let revision = Value::Int(found.revision);
        Value::List([found.key.clone(), found.value.clone(), revision, version].into())
    };
    let keys = Value::List(found.keys.iter().map(key).collect());
    Value::List([keys, Value::Int(found.count), Value::Int(found.deleted)].into())
}

fn items(value: &Value) -> Option<&[Value]> {
    match value {
        Value::List(items) => Some(items),
        _ => None,
    }
}

/// A key of the store. Nil stands for no key.
fn key(value: &Value) -> Option<Value> {
    (*value != Value::Nil).then(|| value.clone())
}

fn read_range(parts: &[Value]) -> Option<EtcdRange> {
    let [start, end, limit, keys_only] = parts else { return None };
    let Value::Bool(keys_only) = *keys_only else { return None };
    let limit = u64::try_from(limit.as_int()?).ok()?;
    Some(EtcdRange { start: key(start)?, end: key(end), limit, keys_only })
}

fn read_condition(value: &Value) -> Option<EtcdCondition> {
    let [of, word, number] = items(value)? else { return None };
    let number = number.as_int()?;
    let expected = match word.as_str()? {
        "revision" => EtcdExpected::Revision(number),
        "version" => EtcdExpected::Version(number),
        _ => return None,
    };
    Some(EtcdCondition { key: key(of)?, expected })
}

fn read_step(value: &Value) -> Option<EtcdStep> {
    let (word, rest) = items(value)?.split_first()?;
    Some(match (word.as_str()?, rest) {
        ("put", [of, value, lease]) => {
            EtcdStep::Put { key: key(of)?, value: value.clone(), lease: lease.as_int()? }
        }
        ("delete", [of]) => EtcdStep::Delete(key(of)?),
        ("range", range) => EtcdStep::Range(read_range(range)?),
        _ => return None,
    })
}

fn read_txn(parts: &[Value]) -> Option<EtcdTxn> {
    let [conditions, success, failure] = parts else { return None };
    let steps = |value: &Value| items(value)?.iter().map(read_step).collect::<Option<Vec<_>>>();
    Some(EtcdTxn {
        conditions: items(conditions)?.iter().map(read_condition).collect::<Option<_>>()?,
        success: steps(success)?,
        failure: steps(failure)?,
    })
}

fn read_found(value: &Value) -> Option<EtcdFound> {
    let [keys, count, deleted] = items(value)? else { return None };
    let one = |value: &Value| {
        let [of, value, revision, version] = items(value)? else { return None };
        let version = match version {
            Value::Nil => None,
            version => Some(version.as_int()?),
        };
        Some(EtcdKey { key: key(of)?, value: value.clone(), revision: revision.as_int()?, version })
    };
    let keys = items(keys)?.iter().map(one).collect::<Option<_>>()?;
    Some(EtcdFound { keys, count: count.as_int()?, deleted: deleted.as_int()? })
}

impl FromWire for Etcd {
    const INFO: ModelInfo = ModelInfo {
        name: "etcd",
        about: "etcd: revisions, transactions, leases, compaction, watch events",
        operations: &[
            "range(start, end or null, limit, keys only, revision) -> [found, revision]",
            "txn(conditions, steps, steps otherwise) -> [succeeded, list of found, revision]",
            "grant(lease) -> revision",
            "revoke(lease) -> revision",
            "compact(revision) -> \"ok\", \"compacted\" or \"future\"",
            "event(key, value or null, revision)",
        ],
        options: &[],
    };

    const ONE_KEY: bool = false;
    const HAS_KEYS: bool = true;

    fn from_options(_options: &mut Options<'_>) -> Result<Self, BadOption> {
        Ok(Etcd)
    }

    fn read_op(&self, call: &NamedCall<'_>) -> Result<EtcdOp, Mismatch> {
        let whole = Value::List(call.args.iter().cloned().collect());
        match call.name {
            "range" => {
                let read = || {
                    let (revision, range) = call.args.split_last()?;
                    Some(EtcdOp::Range { range: read_range(range)?, revision: revision.as_int()? })
                };
                let expected = "a start, an end or null, a limit, true or false, a revision";
                read().ok_or_else(|| wire::bad_arg(expected, &whole))
            }
            "txn" => {
                let expected = "three lists: of [key, \"revision\" or \"version\", number], and twice of \
                                [\"put\", key, value, lease], [\"delete\", key], [\"range\", ...]";
                read_txn(call.args).map(EtcdOp::Txn).ok_or_else(|| wire::bad_arg(expected, &whole))
            }
            "grant" => wire::int_arg(wire::one(call)?).map(EtcdOp::Grant),
            "revoke" => wire::int_arg(wire::one(call)?).map(EtcdOp::Revoke),
            "compact" => wire::int_arg(wire::one(call)?).map(EtcdOp::Compact),
            "event" => {
                let (of, value, revision) = wire::three(call)?;
                let of = key(of).ok_or_else(|| wire::bad_arg("a key", of))?;
                Ok(EtcdOp::Event { key: of, value: key(value), revision: wire::int_arg(revision)? })
            }
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    fn read_ret(&self, op: &EtcdOp, value: &Value) -> Result<EtcdRet, Mismatch> {
        match (op, value.as_str()) {
            (EtcdOp::Range { .. } | EtcdOp::Compact(_), Some("compacted")) => {
                return Ok(EtcdRet::Compacted);
            }
            (EtcdOp::Range { .. } | EtcdOp::Compact(_), Some("future")) => {
                return Ok(EtcdRet::Future);
            }
            _ => {}
        }
        match op {
            EtcdOp::Range { .. } => {
                let read = || {
                    let [found, revision] = items(value)? else { return None };
                    let revision = revision.as_int()?;
                    Some(EtcdRet::Range { found: read_found(found)?, revision })
                };
                let expected = "[[[[key, value, revision, version], ...], count, 0], revision]";
                read().ok_or_else(|| wire::bad_ret(expected, value))
            }
            EtcdOp::Txn(_) => {
                let read = || {
                    let [Value::Bool(succeeded), results, revision] = items(value)? else {
                        return None;
                    };
                    let results = items(results)?.iter().map(read_found).collect::<Option<_>>()?;
                    let revision = revision.as_int()?;
                    Some(EtcdRet::Txn { succeeded: *succeeded, results, revision })
                };
                let expected = "[true or false, [[keys, count, deleted], ...], revision]";
                read().ok_or_else(|| wire::bad_ret(expected, value))
            }
            EtcdOp::Grant(_) | EtcdOp::Revoke(_) => wire::int_ret(value).map(EtcdRet::At),
            EtcdOp::Compact(_) | EtcdOp::Event { .. } => wire::done(value).map(|()| EtcdRet::Done),
        }
    }

    fn only_ret(&self, op: &EtcdOp) -> Option<EtcdRet> {
        matches!(op, EtcdOp::Event { .. }).then_some(EtcdRet::Done)
    }

    /// As Kubernetes uses it, mostly: a put or a delete of a key that has not changed since it was read.
    fn draw(&self, state: &EtcdState, chance: &mut dyn Chance) -> Option<EtcdOp> {
        let key = chance.key();
        let revision = state.revision_of(&key);
        let if_unchanged = |steps: Vec<EtcdStep>| EtcdTxn {
            conditions: vec![EtcdCondition {
                key: key.clone(),
                expected: EtcdExpected::Revision(revision),
            }],
            success: steps,
            failure: vec![EtcdStep::Range(EtcdRange::key(key.clone()))],
        };
        Some(match chance.below(16) {
            0..=4 => {
                let put = EtcdStep::Put { key: key.clone(), value: chance.value(), lease: 0 };
                EtcdOp::Txn(if_unchanged(vec![put]))
            }
            5 | 6 => EtcdOp::Txn(if_unchanged(vec![EtcdStep::Delete(key.clone())])),
            7 | 8 => {
                let lease = state.last_lease().filter(|_| chance.percent(30)).unwrap_or_default();
                let put = EtcdStep::Put { key: key.clone(), value: chance.value(), lease };
                EtcdOp::Txn(EtcdTxn::unconditional(vec![put]))
            }
            9 => EtcdOp::Txn(EtcdTxn::unconditional(vec![EtcdStep::Delete(key)])),
            10 => EtcdOp::Range { range: EtcdRange::key(key), revision: 0 },
            11..=13 => {
                let limit = chance.below(2);
                let old = chance.percent(25);
                let revision = if old { (state.revision - 1).max(1) } else { 0 };
                let end = Some(Value::str("\0"));
                let range = EtcdRange { start: key, end, limit, keys_only: false };
                EtcdOp::Range { range, revision }
            }
            14 if chance.percent(50) => EtcdOp::Compact((state.revision - 1).max(0)),
            14 => EtcdOp::Revoke(state.last_lease().unwrap_or(1)),
            _ => EtcdOp::Grant(state.next_lease()),
        })
    }

    fn perform(
        &self,
        state: &mut EtcdState,
        op: &EtcdOp,
        _chance: &mut dyn Chance,
    ) -> Option<EtcdRet> {
        state.perform(op)
    }

    /// There is no revision 0.
    fn impossible(&self, _op: &EtcdOp, ret: &EtcdRet, _never: &Value) -> Option<EtcdRet> {
        Some(match ret.clone() {
            EtcdRet::Range { found, .. } => EtcdRet::Range { found, revision: 0 },
            EtcdRet::Txn { succeeded, results, .. } => {
                EtcdRet::Txn { succeeded, results, revision: 0 }
            }
            EtcdRet::At(_) => EtcdRet::At(0),
            EtcdRet::Done | EtcdRet::Compacted | EtcdRet::Future => return None,
        })
    }
}
