//! Named cases for the monitors of flags, registers, counters and semaphores, each of which some
//! plausible rule gets wrong. Most tests are in `linpoint-suite`.

use linpoint::history::{History, Interval, OpId, Ties};
use linpoint::monitor::{Answer, decide};
use linpoint::spec::Spec;
use linpoint::spec::models::*;

/// An operation with its call time, return time and result. Without the last two it is pending.
type Row<O, R> = (O, u64, Option<(u64, R)>);

/// "yes", the sentence of a "no", or the reason for a refusal. Touching operations are ordered.
fn ask<S: Spec>(spec: &S, rows: &[Row<S::Op, S::Ret>]) -> String {
    let mut builder = History::from_intervals(Ties::Ordered);
    for (op, start, end) in rows {
        let interval = match end {
            Some((end, ret)) => Interval::new(op.clone(), ret.clone(), *start, *end),
            None => Interval::pending(op.clone(), *start),
        };
        builder.add(interval).unwrap();
    }
    let history = builder.finish().unwrap();
    let ids: Vec<OpId> = history.ids().collect();
    match decide(spec, &history, &ids) {
        Ok(outcome) => match outcome.answer {
            Answer::Linearizable(order) => {
                let run = order.iter().map(|id| (history.op(*id), history.ret(*id)));
                assert_eq!(spec.replay(&mut run.into_iter()), Some(Ok(())));
                "yes".into()
            }
            Answer::Violation(found) => found.reason.to_string(),
        },
        Err(refusal) => format!("refused: {refusal}"),
    }
}

fn set(rows: &[Row<SetOp<u8>, SetRet>]) -> String {
    ask(&Set::new(), rows)
}

fn register(rows: &[Row<CasRegisterOp<u8>, CasRegisterRet<u8>>]) -> String {
    ask(&CasRegister { initial: 0 }, rows)
}

fn read(v: u8, start: u64, end: u64) -> Row<CasRegisterOp<u8>, CasRegisterRet<u8>> {
    (CasRegisterOp::Read, start, Some((end, CasRegisterRet::Value(v))))
}

fn write(v: u8, start: u64, end: u64) -> Row<CasRegisterOp<u8>, CasRegisterRet<u8>> {
    (CasRegisterOp::Write(v), start, Some((end, CasRegisterRet::Written)))
}

fn cas(a: u8, b: u8, start: u64, end: u64) -> Row<CasRegisterOp<u8>, CasRegisterRet<u8>> {
    (CasRegisterOp::Cas(a, b), start, Some((end, CasRegisterRet::Bool(true))))
}

/// Lee and Mathur's algorithm 2 as printed accepts this, because the times are equal.
#[test]
fn a_removal_may_not_precede_the_insertion_it_touches() {
    let rows = [
        (SetOp::Remove(1), 0, Some((1, SetRet(true)))),
        (SetOp::Insert(1), 1, Some((5, SetRet(true)))),
    ];
    assert_eq!(
        set(&rows),
        "remove(1) -> true and insert(1) -> true contradict each other: for the first it has to be \
         set more often than it can have been by then"
    );
}

#[test]
fn a_value_that_was_never_inserted_is_not_found() {
    let rows = [(SetOp::Contains(1), 0, Some((1, SetRet(true))))];
    assert_eq!(
        set(&rows),
        "contains(1) -> true needs it set, but no operation that had begun by then could have set it"
    );
    let rows = [rows[0].clone(), (SetOp::Insert(1), 0, None)];
    assert_eq!(set(&rows), "yes");
}

/// If two insertions are open, the one that ends first must be the one that takes effect.
#[test]
fn the_insertion_that_ends_first_takes_effect_first() {
    let rows = [
        (SetOp::Insert(1), 0, Some((20, SetRet(true)))),
        (SetOp::Insert(1), 1, Some((4, SetRet(true)))),
        (SetOp::Contains(1), 2, Some((5, SetRet(true)))),
        (SetOp::Remove(1), 6, Some((7, SetRet(true)))),
    ];
    assert_eq!(set(&rows), "yes");
}

/// A link that runs through the reads of one value would refute this.
#[test]
fn reads_of_one_value_are_not_ordered_by_their_rows() {
    assert_eq!(register(&[read(0, 3, 8), read(0, 1, 2)]), "yes");
}

#[test]
fn zones_that_touch_do_not_overlap() {
    let rows = [write(1, 0, 1), read(1, 4, 6), write(2, 4, 5), read(2, 6, 7)];
    assert_eq!(register(&rows), "yes");
    let rows = [write(1, 0, 1), read(1, 6, 8), write(2, 2, 3), read(2, 9, 10)];
    assert!(register(&rows).contains("concern one value"), "{}", register(&rows));
}

#[test]
fn the_initial_value_does_not_come_back() {
    let rows = [write(1, 0, 1), read(0, 2, 3)];
    assert_eq!(
        register(&rows),
        "write(1) had ended before read() -> 0 found what goes back to the initial value"
    );
    let rows = [write(1, 0, 1), write(0, 2, 3), read(0, 4, 5)];
    assert_eq!(register(&rows), "refused: the initial value is written again");
}

#[test]
fn chains_of_replacements() {
    assert_eq!(register(&[cas(1, 2, 0, 9), cas(0, 1, 5, 6), read(2, 7, 8)]), "yes");
    let said = register(&[cas(0, 1, 0, 9), cas(0, 2, 0, 9)]);
    assert!(said.contains("both replaced"), "{said}");
    let said = register(&[cas(1, 2, 0, 9), cas(2, 1, 0, 9)]);
    assert!(said.contains("goes back to it"), "{said}");
    let said = register(&[cas(5, 6, 0, 9)]);
    assert!(said.contains("replaced what was never written"), "{said}");
    let said = register(&[cas(1, 2, 0, 3), cas(0, 1, 4, 6)]);
    assert!(said.contains("had ended before"), "{said}");
}

/// A value that was not found may be written any number of times.
#[test]
fn unread_values_may_be_written_again() {
    let rows = [write(1, 0, 1), write(3, 2, 3), write(3, 4, 5), write(2, 6, 7), read(2, 8, 9)];
    assert_eq!(register(&rows), "yes");
    let rows = [write(3, 0, 1), write(3, 2, 3), read(3, 4, 5)];
    assert_eq!(register(&rows), "refused: a value that was found is written twice");
}

/// The same value under two keys is two values.
#[test]
fn keys_do_not_share_values() {
    let spec = KeyValue::new(None);
    let put = |k, start, end| (KeyValueOp::Put(k, 5), start, Some((end, KeyValueRet::Done)));
    let get = |k, v, start, end| (KeyValueOp::Get(k), start, Some((end, KeyValueRet::Value(v))));
    let rows = [get(2, None, 0, 1), put(1, 0, 1), get(1, Some(5), 2, 3), get(2, None, 2, 3)];
    assert_eq!(ask(&spec, &rows), "yes");
    let rows = [put(1, 0, 1), get(1, Some(5), 2, 3), get(2, Some(5), 4, 5), put(2, 6, 7)];
    let said = ask(&spec, &rows);
    assert!(said.contains("had ended before put(2, 5)"), "{said}");
}

/// A `get_or_else_update` that found another value would have written its own, so it is part of the
/// contradiction.
#[test]
fn contradictions_name_operations_that_could_have_written() {
    let spec = KeyValue::new(None);
    let mut builder = History::from_intervals(Ties::Ordered);
    let value = |v| KeyValueRet::Value(Some(v));
    builder.add(Interval::new(KeyValueOp::Put(1, 7), KeyValueRet::Done, 0, 1)).unwrap();
    builder.add(Interval::new(KeyValueOp::GetOrElseUpdate(1, 5), value(7), 2, 3)).unwrap();
    builder.add(Interval::new(KeyValueOp::Get(1), value(5), 4, 5)).unwrap();
    let history = builder.finish().unwrap();
    let ids: Vec<OpId> = history.ids().collect();
    let Answer::Violation(found) = decide(&spec, &history, &ids).unwrap().answer else {
        panic!("5 was never written")
    };
    assert_eq!(found.ops, [OpId(1), OpId(2)]);
}

type Texts = Row<KeyValueOp<u8, String>, KeyValueRet<String>>;

fn append(text: &str, start: u64, end: u64) -> Texts {
    (KeyValueOp::Append(0, text.into()), start, Some((end, KeyValueRet::Done)))
}

fn put(text: &str, start: u64, end: u64) -> Texts {
    (KeyValueOp::Put(0, text.into()), start, Some((end, KeyValueRet::Done)))
}

fn get(text: &str, start: u64, end: u64) -> Texts {
    (KeyValueOp::Get(0), start, Some((end, KeyValueRet::Value(Some(text.into())))))
}

fn store(rows: &[Texts]) -> String {
    ask(&KeyValue::new(Some(String::new())), rows)
}

#[test]
fn a_text_reveals_the_order_of_its_appends() {
    let rows = [append("x1 ", 0, 9), append("x2 ", 0, 9), get("x2 x1 ", 10, 11), get("x2 ", 1, 12)];
    assert_eq!(store(&rows), "yes");
    let rows = [append("x1 ", 0, 1), append("x2 ", 2, 3), get("x2 x1 ", 4, 5)];
    assert_eq!(
        store(&rows),
        "append(0, \"x1 \") had ended before append(0, \"x2 \") began, but its value was replaced by \
         the value of the other"
    );
    let rows = [append("x1 ", 0, 9), append("x2 ", 0, 9), get("x2 ", 1, 2), get("x1 ", 1, 12)];
    assert_eq!(
        store(&rows),
        "get(0) -> \"x1 \" and get(0) -> \"x2 \" found different texts since the beginning, neither \
         of which begins with the other"
    );
    assert_eq!(
        store(&[append("x1 ", 0, 9), get("x1", 1, 2)]),
        "get(0) -> \"x1\" found what was never written"
    );
}

/// An append that was never seen fits where its text is written over, but not in the middle of
/// another.
#[test]
fn an_append_that_was_never_seen() {
    let rows = [append("a", 0, 1), put("b", 2, 3), get("b", 4, 5)];
    assert_eq!(store(&rows), "yes");
    let rows = [put("b", 0, 1), append("a", 2, 3), get("b", 4, 5)];
    assert_eq!(
        store(&rows),
        "put(0, \"b\") and get(0) -> \"b\" concern one value, but append(0, \"a\") was between them \
         with another"
    );
}

#[test]
fn indistinguishable_texts() {
    let refused = |rows: &[Texts]| store(rows).starts_with("refused: ");
    assert!(refused(&[append("a", 0, 1), append("ab", 2, 3), get("aab", 4, 5)]));
    assert!(refused(&[append("", 0, 1), get("", 2, 3)]));
    // Repeated texts are assigned by a guess, which can confirm but not refute.
    assert_eq!(store(&[append("a", 0, 1), append("a", 2, 3), get("aa", 4, 5)]), "yes");
    assert!(refused(&[append("a", 0, 1), append("a", 2, 3), get("a", 4, 5)]));
    // A history that no assignment explains is refuted.
    let rows = [append("a", 4, 5), append("a", 6, 7), get("a", 0, 3), get("aa", 8, 9)];
    assert_eq!(
        store(&rows),
        "get(0) -> \"a\" had ended before append(0, \"a\") wrote what it found"
    );
}

#[test]
fn counters() {
    let spec = Counter::default();
    let add = |start, end| (CounterOp::Add(1), start, Some((end, CounterRet::Done)));
    let found = |op, n, start, end| (op, start, Some((end, CounterRet::Value(n))));
    let get = |n, start, end| found(CounterOp::Get, n, start, end);
    let fetch = |n, start, end| found(CounterOp::FetchAdd(1), n, start, end);
    // The addition that ends first is the one that was read.
    assert_eq!(ask(&spec, &[add(0, 9), add(1, 4), get(1, 2, 3), get(1, 5, 6)]), "yes");
    assert_eq!(ask(&spec, &[fetch(1, 0, 9), add(3, 5), get(2, 6, 7), get(0, 1, 2)]), "yes");
    assert!(ask(&spec, &[add(0, 1), get(0, 2, 3)]).contains("contradict each other"));
    assert!(ask(&spec, &[fetch(0, 0, 9), fetch(0, 0, 9)]).contains("contradict each other"));
    assert!(ask(&spec, &[add(0, 1), get(2, 2, 3)]).contains("no number of these additions"));
    let two = (CounterOp::Add(2), 0, None);
    assert_eq!(ask(&spec, &[add(0, 1), two]), "refused: different amounts are added");
    let near = Counter { initial: i64::MAX };
    assert_eq!(ask(&near, &[add(0, 1)]), "refused: the counter may wrap around");
}

/// Taking all permits only when an operation that found none is about to end is too late for the
/// first case. Taking them immediately is too early for the second.
#[test]
fn semaphores_without_permits() {
    use SemaphoreOp::{Acquire, Release, TryAcquire};
    let spec = Semaphore::default();
    let done = |op, start, end| (op, start, Some((end, SemaphoreRet::Done)));
    let none = |start, end| (TryAcquire, start, Some((end, SemaphoreRet::Bool(false))));
    let late = [done(Release, 0, 1), done(Acquire, 0, 20), none(2, 10), done(Release, 5, 6)];
    assert_eq!(ask(&spec, &late), "yes");
    let soon = [
        done(Release, 0, 1),
        done(Acquire, 0, 20),
        none(2, 10),
        done(Acquire, 5, 6),
        done(Release, 15, 20),
    ];
    assert_eq!(ask(&spec, &soon), "yes");
    let said = ask(&spec, &[done(Acquire, 0, 1), done(Release, 2, 3)]);
    assert!(said.contains("more permits were taken"), "{said}");
    let said = ask(&spec, &[done(Release, 0, 1), none(2, 3), done(Acquire, 4, 5)]);
    assert!(said.contains("must have been a permit"), "{said}");
}

#[test]
fn empty_and_pending_histories() {
    assert_eq!(set(&[]), "yes");
    assert_eq!(register(&[]), "yes");
    assert_eq!(ask(&Counter::default(), &[]), "yes");
    assert_eq!(ask(&Semaphore::default(), &[]), "yes");
    assert_eq!(register(&[(CasRegisterOp::Write(1), 3, None)]), "yes");
    let owned = Mutex { owner: true };
    assert!(ask(&owned, &[]).starts_with("refused: there is no monitor"));
}
