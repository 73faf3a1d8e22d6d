//! Operations, results and states as text.

use std::fmt::Write;

use super::{
    EtcdCondition, EtcdExpected, EtcdFound, EtcdKey, EtcdOp, EtcdRange, EtcdRet, EtcdState,
    EtcdStep, EtcdTxn,
};

/// Longer lists of keys are cut.
const SHOWN: usize = 8;

/// `txn(if revision("a") = 3 then put("a", 4))`.
pub(super) fn op(op: &EtcdOp) -> String {
    match op {
        EtcdOp::Range { range, revision } => format!("range({})", range_text(range, *revision)),
        EtcdOp::Txn(txn) => txn_text(txn),
        EtcdOp::Grant(lease) => format!("grant({lease})"),
        EtcdOp::Revoke(lease) => format!("revoke({lease})"),
        EtcdOp::Compact(revision) => format!("compact({revision})"),
        EtcdOp::Event { key, value: Some(value), revision } => {
            format!("event(put {key} = {value}, revision {revision})")
        }
        EtcdOp::Event { key, value: None, revision } => {
            format!("event(delete {key}, revision {revision})")
        }
    }
}

fn range_text(range: &EtcdRange, revision: i64) -> String {
    let EtcdRange { start, end, limit, keys_only } = range;
    let mut text = match end {
        None => start.to_string(),
        Some(_) if range.is_open() => format!("from {start}"),
        Some(end) => format!("{start} to {end}"),
    };
    // Writing to a string cannot fail.
    if *limit != 0 {
        let _ = write!(text, ", limit {limit}");
    }
    if *keys_only {
        text.push_str(", keys only");
    }
    if revision > 0 {
        let _ = write!(text, ", revision {revision}");
    }
    text
}

fn txn_text(txn: &EtcdTxn) -> String {
    let EtcdTxn { conditions, success, failure } = txn;
    match (&conditions[..], &success[..], &failure[..]) {
        ([], [step], []) => step_text(step),
        ([], steps, []) => format!("txn({})", steps_text(steps)),
        _ => {
            let conditions: Vec<String> = conditions.iter().map(condition_text).collect();
            let mut text =
                format!("txn(if {} then {}", conditions.join(" and "), steps_text(success));
            // An answer to a failed condition is a read of the key that is compared, nearly always.
            if failure.iter().any(|step| !matches!(step, EtcdStep::Range(_))) {
                let _ = write!(text, " else {}", steps_text(failure));
            }
            text.push(')');
            text
        }
    }
}

fn condition_text(condition: &EtcdCondition) -> String {
    let key = &condition.key;
    match condition.expected {
        EtcdExpected::Revision(0) | EtcdExpected::Version(0) => format!("{key} is absent"),
        EtcdExpected::Revision(revision) => format!("revision({key}) = {revision}"),
        EtcdExpected::Version(version) => format!("version({key}) = {version}"),
    }
}

fn steps_text(steps: &[EtcdStep]) -> String {
    match steps {
        [] => "nothing".to_owned(),
        steps => steps.iter().map(step_text).collect::<Vec<_>>().join(", "),
    }
}

fn step_text(step: &EtcdStep) -> String {
    match step {
        EtcdStep::Put { key, value, lease: 0 } => format!("put({key}, {value})"),
        EtcdStep::Put { key, value, lease } => format!("put({key}, {value}, lease {lease})"),
        EtcdStep::Delete(key) => format!("delete({key})"),
        EtcdStep::Range(range) => format!("range({})", range_text(range, 0)),
    }
}

/// The revision of a result, without what was found.
pub(super) fn brief(op: &EtcdOp, ret: &EtcdRet) -> String {
    match ret {
        EtcdRet::Range { revision, .. } => format!("revision {revision}"),
        EtcdRet::Txn { succeeded: false, revision, .. } => {
            format!("conditions failed, revision {revision}")
        }
        EtcdRet::Txn { revision, .. } => format!("revision {revision}"),
        ret => self::ret(op, ret),
    }
}

/// `{"a" = 4 (revision 7)} at revision 9`.
pub(super) fn ret(op: &EtcdOp, ret: &EtcdRet) -> String {
    match ret {
        EtcdRet::Range { found, revision } => {
            format!("{} at revision {revision}", found_text(found))
        }
        EtcdRet::Txn { succeeded, results, revision } => {
            let EtcdOp::Txn(txn) = op else { return format!("revision {revision}") };
            let mut text = String::new();
            if !txn.conditions.is_empty() && !succeeded {
                text.push_str("conditions failed, ");
            }
            for (step, result) in txn.branch(*succeeded).iter().zip(results) {
                match step {
                    EtcdStep::Put { .. } => {}
                    EtcdStep::Delete(_) if result.deleted == 0 => {
                        text.push_str("nothing deleted, ")
                    }
                    EtcdStep::Delete(_) => {}
                    EtcdStep::Range(_) => {
                        let _ = write!(text, "{}, ", found_text(result));
                    }
                }
            }
            let _ = write!(text, "revision {revision}");
            text
        }
        EtcdRet::At(revision) => format!("revision {revision}"),
        EtcdRet::Done => "ok".to_owned(),
        EtcdRet::Compacted => "refused: the revision has been compacted".to_owned(),
        EtcdRet::Future => "refused: the revision is in the future".to_owned(),
    }
}

fn found_text(found: &EtcdFound) -> String {
    let shown = |key: &EtcdKey| match key.value {
        crate::wire::Value::Nil => format!("{} (revision {})", key.key, key.revision),
        _ => format!("{} = {} (revision {})", key.key, key.value, key.revision),
    };
    let keys: Vec<String> = found.keys.iter().take(SHOWN).map(shown).collect();
    let mut text = format!("{{{}", keys.join(", "));
    if found.keys.len() > SHOWN {
        let _ = write!(text, ", and {} more", found.keys.len() - SHOWN);
    }
    text.push('}');
    if found.count != found.keys.len() as i64 {
        let _ = write!(text, " of {}", found.count);
    }
    text
}

/// `revision 9: "a" = 4 (revision 7)`.
pub(super) fn state(state: &EtcdState) -> String {
    let mut text = format!("revision {}", state.revision);
    let present: Vec<_> = state.present().collect();
    for (i, (key, value, revision)) in present.iter().take(SHOWN).enumerate() {
        let separator = if i == 0 { ": " } else { ", " };
        let _ = write!(text, "{separator}{key} = {value} (revision {revision})");
    }
    if present.len() > SHOWN {
        let _ = write!(text, ", and {} more keys", present.len() - SHOWN);
    }
    text
}
