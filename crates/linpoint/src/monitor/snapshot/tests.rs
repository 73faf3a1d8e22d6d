//! Named cases. Most tests are in `linpoint-suite`.

use crate::history::{History, Interval, OpId, Ties};
use crate::monitor::{self, Answer};
use crate::spec::models::{Snapshot, SnapshotOp, SnapshotRet};

/// An operation with its call and return times, or pending.
type Row = (u64, Option<u64>, SnapshotOp<u8>, Option<SnapshotRet<u8>>);

fn update(start: u64, end: u64, segment: usize, value: u8) -> Row {
    (start, Some(end), SnapshotOp::Update(segment, value), Some(SnapshotRet::Done))
}

fn scan(start: u64, end: u64, values: &[Option<u8>]) -> Row {
    (start, Some(end), SnapshotOp::Scan, Some(SnapshotRet::Values(values.to_vec().into())))
}

fn full(start: u64, end: u64, values: &[u8]) -> Row {
    scan(start, end, &values.iter().copied().map(Some).collect::<Vec<_>>())
}

fn pending(start: u64, segment: usize, value: u8) -> Row {
    (start, None, SnapshotOp::Update(segment, value), None)
}

/// "yes", the sentence of a "no", or the reason for a refusal.
fn ask(rows: Vec<Row>) -> String {
    let mut builder = History::from_intervals(Ties::Ordered);
    for (start, end, op, ret) in rows {
        let extras = Default::default();
        builder.add(Interval { op, ret, start, end, extras }).unwrap();
    }
    let history = builder.finish().unwrap();
    let ids: Vec<OpId> = history.ids().collect();
    let spec = Snapshot { segments: 3, initial: 0 };
    match monitor::decide(&spec, &history, &ids) {
        Ok(outcome) => match outcome.answer {
            Answer::Linearizable(_) => "yes".into(),
            Answer::Violation(found) => found.reason.to_string(),
        },
        Err(refusal) => refusal.reason,
    }
}

#[test]
fn a_lone_scan_of_initial_values_has_no_update_to_see() {
    assert_eq!(ask(vec![full(0, 1, &[0, 0, 0])]), "yes");
    assert_eq!(ask(Vec::new()), "yes");
}

#[test]
fn values_never_written_written_later_or_overwritten() {
    let never = ask(vec![full(0, 1, &[0, 5, 0])]);
    assert_eq!(never, "scan() -> [0, 5, 0] saw a value in segment 1 that was never written there");
    let later = ask(vec![full(0, 1, &[0, 5, 0]), update(2, 3, 1, 5)]);
    assert!(later.ends_with("only later: update(1, 5) began after its end"), "{later}");
    let gone = ask(vec![update(0, 1, 1, 5), update(2, 3, 1, 6), full(4, 5, &[0, 5, 0])]);
    assert!(gone.contains("was gone: update(1, 6) had overwritten it"), "{gone}");
}

#[test]
fn two_scans_that_saw_two_updates_in_different_orders() {
    let rows = |second: [u8; 3]| {
        let (a, b) = (update(0, 9, 0, 1), update(0, 9, 1, 1));
        vec![a, b, full(0, 9, &[1, 0, 0]), full(0, 9, &second)]
    };
    assert_eq!(ask(rows([1, 1, 0])), "yes");
    let words = ask(rows([0, 1, 0]));
    assert!(words.contains("scan() -> [1, 0, 0] saw update(0, 1) but not update(1, 1)"), "{words}");
    assert!(words.contains("scan() -> [0, 1, 0] saw update(1, 1) but not update(0, 1)"), "{words}");
}

#[test]
fn an_update_that_was_missed_although_a_later_one_was_seen() {
    let rows = vec![update(0, 1, 0, 1), update(2, 3, 1, 1), full(0, 9, &[0, 1, 0])];
    let words = ask(rows);
    assert!(words.contains("saw update(1, 1) but not update(0, 1)"), "{words}");
    assert!(words.ends_with("update(0, 1) ended before update(1, 1) began"), "{words}");
}

#[test]
fn three_scans_of_two_segments_each_contradict_each_other() {
    let mut rows: Vec<Row> = (0..3).map(|segment| update(0, 9, segment, 1)).collect();
    rows.push(scan(0, 9, &[Some(1), Some(0), None]));
    rows.push(scan(0, 9, &[None, Some(1), Some(0)]));
    assert_eq!(ask(rows.clone()), "yes");
    rows.push(scan(0, 9, &[Some(0), None, Some(1)]));
    assert!(ask(rows).starts_with("no order of effects fits"));
}

#[test]
fn values_may_repeat_if_times_distinguish_them() {
    let writes = [update(0, 1, 0, 1), update(2, 3, 0, 0), update(4, 5, 0, 1)];
    let with = |scans: &[Row]| ask(writes.iter().chain(scans).cloned().collect());
    assert_eq!(with(&[full(2, 3, &[1, 0, 0]), full(4, 5, &[0, 0, 0])]), "yes");
    assert!(with(&[full(4, 5, &[0, 0, 0]), full(2, 3, &[0, 5, 0])]).contains("never written"));
    assert!(with(&[full(6, 7, &[0, 0, 0])]).contains("gone"));
    // Both times at which the segment was 1 are possible: the first is tried, and fits.
    assert_eq!(with(&[full(1, 5, &[1, 0, 0])]), "yes");
}

#[test]
fn a_guess_that_fails_is_a_refusal() {
    // The scan sees the second 1, the first is tried.
    let writes = [update(0, 1, 0, 1), update(2, 3, 0, 0), update(4, 5, 0, 1)];
    let rows = [full(0, 9, &[1, 2, 0]), update(3, 4, 1, 2)];
    assert_eq!(ask(writes.iter().chain(&rows).cloned().collect()), super::AMBIGUOUS);
}

#[test]
fn writers_of_one_segment_may_overlap_where_their_order_is_found() {
    let rows = |first: u8, second: u8| {
        let writes = vec![update(0, 9, 0, 1), update(0, 9, 0, 2)];
        let scans = [full(1, 2, &[first, 0, 0]), full(3, 4, &[second, 0, 0])];
        writes.into_iter().chain(scans).collect()
    };
    assert_eq!(ask(rows(1, 2)), "yes");
    assert_eq!(ask(rows(2, 1)), "yes");
    assert_eq!(ask(rows(0, 1)), "yes");
}

#[test]
fn pending_updates_may_be_seen_or_not() {
    let scans = |value| vec![pending(0, 0, 1), pending(0, 0, 2), full(1, 2, &[value, 0, 0])];
    assert_eq!(ask(scans(0)), "yes");
    assert_eq!(ask(scans(2)), "yes");
    let mut back = scans(2);
    back.push(full(3, 4, &[0, 0, 0]));
    let words = ask(back);
    assert!(words.contains("scan() -> [2, 0, 0] saw update(0, 2)"), "{words}");
    assert!(words.contains("scan() -> [0, 0, 0] did not see update(0, 2)"), "{words}");
}
