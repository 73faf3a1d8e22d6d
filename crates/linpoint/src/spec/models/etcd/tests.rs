//! The model alone, and its claims.

use super::*;
use crate::history::{History, OpId};
use crate::monitor::{Answer, decide};
use crate::spec::claims::check_claims;
use crate::spec::models::tests::run;

fn text(text: &str) -> Value {
    Value::str(text)
}

fn put(key: &str, value: i64) -> EtcdStep {
    EtcdStep::Put { key: text(key), value: Value::Int(value), lease: 0 }
}

fn all(limit: u64, revision: i64) -> EtcdOp {
    let range = EtcdRange { start: text(""), end: Some(text("\0")), limit, keys_only: false };
    EtcdOp::Range { range, revision }
}

fn txn(steps: Vec<EtcdStep>) -> EtcdOp {
    EtcdOp::Txn(EtcdTxn::unconditional(steps))
}

fn if_revision(key: &str, expected: i64, steps: Vec<EtcdStep>) -> EtcdOp {
    let expected = EtcdExpected::Revision(expected);
    EtcdOp::Txn(EtcdTxn {
        conditions: vec![EtcdCondition { key: text(key), expected }],
        success: steps,
        failure: vec![EtcdStep::Range(EtcdRange::key(text(key)))],
    })
}

#[test]
fn sequential_semantics() {
    let ops = [
        txn(vec![put("a", 1)]),
        if_revision("a", 2, vec![put("a", 2), put("b", 3)]),
        if_revision("a", 2, vec![EtcdStep::Delete(text("a"))]),
        all(1, 0),
        txn(vec![EtcdStep::Delete(text("c"))]),
        txn(vec![EtcdStep::Delete(text("a"))]),
        all(0, 0),
        all(0, 2),
        all(0, 9),
        EtcdOp::Compact(3),
        EtcdOp::Compact(2),
        all(0, 2),
        all(0, 3),
        EtcdOp::Event { key: text("a"), value: None, revision: 4 },
    ];
    let (rets, state) = run(&Etcd, &ops);
    let two = "{\"a\" = 2 (revision 3), \"b\" = 3 (revision 3)} at revision 4";
    assert_eq!(
        rets,
        [
            "revision 2",
            "revision 3",
            "conditions failed, {\"a\" = 2 (revision 3)}, revision 3",
            "{\"a\" = 2 (revision 3)} of 2 at revision 3",
            "nothing deleted, revision 3",
            "revision 4",
            "{\"b\" = 3 (revision 3)} at revision 4",
            "{\"a\" = 1 (revision 2)} at revision 4",
            "refused: the revision is in the future",
            "ok",
            "refused: the revision has been compacted",
            "refused: the revision has been compacted",
            two,
            "ok",
        ]
    );
    assert_eq!(state, "revision 4: \"b\" = 3 (revision 3)");
}

#[test]
fn leases() {
    let with_lease = |lease| {
        txn(vec![EtcdStep::Put { key: text("a"), value: Value::Int(1), lease }, put("b", 2)])
    };
    let ops =
        [with_lease(7), EtcdOp::Grant(7), with_lease(7), EtcdOp::Revoke(7), EtcdOp::Revoke(7)];
    let (rets, state) = run(&Etcd, &ops);
    assert_eq!(rets, ["waits", "revision 1", "revision 2", "revision 3", "revision 3"]);
    assert_eq!(state, "revision 3: \"b\" = 2 (revision 2)");
}

#[test]
fn versions_need_not_be_recorded() {
    let mut state = Etcd.initial();
    state.perform(&txn(vec![put("a", 1)]));
    let (exact, _) = Etcd.step(&state, &all(0, 0)).unwrap();
    let recorded = |version| {
        let key = EtcdKey { key: text("a"), value: Value::Int(1), revision: 2, version };
        let found = EtcdFound { keys: vec![key], count: 1, deleted: 0 };
        EtcdRet::Range { found, revision: 2 }
    };
    assert!(exact.fits(&recorded(None)) && exact.fits(&recorded(Some(1))));
    assert!(!exact.fits(&recorded(Some(2))));
}

/// No operation mentions "a" or "b" any more, but not all puts to them can take effect at any time.
#[test]
fn a_put_that_spoils_a_condition_is_noticed() {
    let mut events = History::from_events();
    for (key, revision) in [("a", 2), ("b", 3)] {
        let op = events.call(txn(vec![put(key, 1)]));
        let results = vec![EtcdFound::default()];
        events.ret(op, EtcdRet::Txn { succeeded: true, results, revision }).unwrap();
    }
    // The third wrote revision 5. If the first had written revision 4, it could not have.
    for (key, revision, changed) in [("a", 2, "a"), ("b", 3, "b"), ("a", 2, "c")] {
        events.call(if_revision(key, revision, vec![put(changed, 2)]));
    }
    let (key, value) = (text("c"), Some(Value::Int(2)));
    let event = events.call(EtcdOp::Event { key, value, revision: 5 });
    events.ret(event, EtcdRet::Done).unwrap();
    let history = events.finish();
    let ids: Vec<OpId> = history.ids().collect();
    let answer = decide(&Etcd, &history, &ids).unwrap().answer;
    assert!(matches!(answer, Answer::Linearizable(_)), "{answer:?}");
}

#[test]
fn claims_hold() {
    let ops = [
        txn(vec![put("a", 1)]),
        txn(vec![put("a", 2)]),
        if_revision("a", 0, vec![put("a", 3)]),
        if_revision("a", 2, vec![EtcdStep::Delete(text("a"))]),
        all(1, 0),
        all(0, 2),
        EtcdOp::Compact(2),
        EtcdOp::Event { key: text("a"), value: Some(Value::Int(1)), revision: 2 },
    ];
    check_claims(&Etcd, &ops, 1, 200).unwrap();
}
