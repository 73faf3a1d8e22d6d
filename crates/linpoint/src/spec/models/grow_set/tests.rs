use super::*;
use crate::spec::claims::check_claims;
use crate::spec::models::tests::{next, run};
use crate::{History, check};

fn read(values: &[i32]) -> GrowSetRet<i32> {
    GrowSetRet::values(values.to_vec())
}

#[test]
fn sequential_semantics() {
    let (rets, state) = run(&GrowSet::new(), &[Read, Add(2), Add(1), Add(2), Read]);
    assert_eq!(rets, ["[]", "ok", "ok", "ok", "[1, 2]"]);
    assert_eq!(state, "[1, 2]");
}

#[test]
fn reads_are_sets() {
    let spec = GrowSet::new();
    let state = spec.initial().with(&1).with(&2);
    assert_eq!(next(&spec, &state, &Read, Some(&read(&[2, 1]))), ["[1, 2]"]);
    for wrong in [&[1][..], &[1, 2, 3], &[1, 1], &[1, 3], &[1, 1, 2]] {
        assert_eq!(next(&spec, &state, &Read, Some(&read(wrong))), [""; 0], "{wrong:?}");
    }
    assert_eq!(next(&spec, &state, &Add(3), None), ["[1, 2, 3]"]);
}

#[test]
fn claims_hold() {
    check_claims(&GrowSet::new(), &[Add(1), Add(2), Add(3), Read, Read], 1, 400).unwrap();
    // A value that is added several times.
    check_claims(&GrowSet::new(), &[Add(1), Add(1), Add(2), Read, Read], 2, 400).unwrap();
}

/// A history from lines `process op` of calls and `process = result` of returns, as pairs of process and what happens.
fn history(events: &[(u32, Event)]) -> History<GrowSetOp<i32>, GrowSetRet<i32>> {
    let mut builder = History::from_events();
    let mut open = std::collections::HashMap::new();
    for (process, event) in events {
        match event {
            Event::Call(op) => {
                open.insert(*process, builder.call(op.clone()));
            }
            Event::Ret(ret) => builder.ret(open[process], ret.clone()).unwrap(),
        }
    }
    builder.finish()
}

enum Event {
    Call(GrowSetOp<i32>),
    Ret(GrowSetRet<i32>),
}
use Event::{Call, Ret};

fn reason(events: &[(u32, Event)]) -> String {
    match check(&GrowSet::new(), &history(events)).unwrap().verdict {
        crate::Verdict::Violation(violation) => violation.reason.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn contradictions_are_told() {
    let add = |process, value| [(process, Call(Add(value))), (process, Ret(Done))];
    let reads = |process, values: &[i32]| [(process, Call(Read)), (process, Ret(read(values)))];
    let all = |parts: Vec<[(u32, Event); 2]>| parts.into_iter().flatten().collect::<Vec<_>>();
    assert_eq!(reason(&reads(0, &[7])), "read() shows 7, which was never added");
    assert_eq!(reason(&all(vec![add(0, 7), reads(0, &[7, 7])])), "read() shows 7 twice");
    assert_eq!(
        reason(&all(vec![add(0, 7), reads(0, &[])])),
        "read() lacks 7, but before it add(7) had returned"
    );
    assert_eq!(
        reason(&all(vec![reads(0, &[7]), add(0, 7)])),
        "read() shows 7, but ended before add(7) was called"
    );
    // The second insert is visible without the first, although they came one after the other.
    let mut comments = vec![(9, Call(Read))];
    comments.extend(all(vec![add(0, 425), add(0, 430)]));
    comments.push((9, Ret(read(&[430]))));
    assert_eq!(
        reason(&comments),
        "read() lacks 425, but shows what add(430) added, and before that add(425) had returned"
    );
    // Two reads that disagree about the order of two inserts.
    let fork = [
        (0, Call(Add(1))),
        (1, Call(Add(2))),
        (2, Call(Read)),
        (3, Call(Read)),
        (2, Ret(read(&[1]))),
        (3, Ret(read(&[2]))),
    ];
    assert_eq!(reason(&fork), "read() shows 1 without 2, read() shows 2 without 1");
    // What was seen is gone.
    let lost = all(vec![add(0, 1), reads(0, &[1]), reads(0, &[])]);
    assert!(reason(&lost).starts_with("read() lacks 1"), "{}", reason(&lost));
}

#[test]
fn long_histories_take_a_step_an_operation() {
    // Every add overlaps the next one, and each read shows one of the two that are open.
    let mut events = vec![(0, Call(Add(0)))];
    let mut shown = Vec::new();
    for n in 1..2000 {
        events.push((n % 2, Call(Add(n as i32))));
        if n % 100 == 0 {
            shown.sort_unstable();
            events.push((7, Call(Read)));
            events.push((7, Ret(read(&shown))));
        }
        events.push(((n + 1) % 2, Ret(Done)));
        shown.push(n as i32 - 1);
    }
    let report = check(&GrowSet::new(), &history(&events)).unwrap();
    assert!(report.verdict.is_linearizable(), "{:?}", report.verdict);
}
