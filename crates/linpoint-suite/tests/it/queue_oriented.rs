//! Compares the queue-oriented algorithm with brute force. With `LINPOINT_LONG=1` it decides ten
//! million histories.

use crate::common::queues::parse;
use linpoint::history::{Extras, History, Interval, OpId, Ties};
use linpoint::monitor::{Outcome, Refusal, decide_queue_oriented};
use linpoint::spec::models::{Queue, QueueOp, QueueRet};
use linpoint_suite::small::check::Trial;
use linpoint_suite::small::objects::SmallQueue;
use linpoint_suite::{Rng, rng_of_case};

type QueueHistory = History<QueueOp<u8>, QueueRet<u8>>;

fn with_many_steps(
    spec: &Queue<u8>,
    history: &QueueHistory,
    ids: &[OpId],
) -> Result<Outcome, Refusal> {
    decide_queue_oriented(spec, history, ids, 1_000_000)
}

fn decide(text: &str) -> bool {
    Trial::of(SmallQueue, with_many_steps).one(&parse(text)).expect("not refused")
}

#[test]
fn single_operations() {
    assert!(decide(""));
    assert!(decide("enq1[1,2]"));
    assert!(decide("deqE[1,2]"));
    assert!(!decide("deq1[1,2]"));
    assert!(!decide("enq1[1,2] deqE[3,4]"));
    assert!(!decide("enq1[1,2] deq1[3,4] deq1[5,6]"));
}

#[test]
fn the_pair_that_ends_first_does_so_among_all_operations_of_its_value() {
    assert!(decide("deq3[0,4] enq2[1,6] deq2[2,9] enq3[3,10] deq2[5,7] enq2[8,11]"));
}

#[test]
fn an_empty_result_precedes_dequeues_like_a_dequeue() {
    assert!(decide("enq1[0,1] enq1[2,7] deqE[3,5] deq1[4,9] deq1[6,8]"));
}

#[test]
fn an_empty_result_waits_like_a_dequeue() {
    assert!(!decide("enq1[0,2] enq1[1,4] deqE[3,6] deq1[5,7]"));
}

#[test]
fn an_empty_result_may_conflict_with_the_pair_that_ends_first() {
    assert!(decide("enq1[0,8] enq2[1,6] enq2[2,4] deq2[3,9] deqE[5,11] deq1[7,10]"));
}

#[test]
fn refusals() {
    let refusal = |text: &str, steps: u64| {
        let history = parse(text);
        let ids: Vec<OpId> = history.ids().collect();
        decide_queue_oriented(&Queue::new(), &history, &ids, steps).unwrap_err().reason
    };
    assert_eq!(refusal("enq1[0,1] peek1[2,3]", 9), "peeks are not part of the algorithm");
    assert_eq!(refusal("enq1[0,..]", 9), "an operation never returned");
    assert_eq!(refusal("deq?[0,..]", 9), "an operation never returned");
    let two_pairs = "enq1[0,1] deq1[2,3] enq2[4,5] deq2[6,7]";
    assert_eq!(refusal(two_pairs, 1), "the queue-oriented search took more than 1 steps");
    assert!(decide(two_pairs));
}

#[test]
fn all_small_histories() {
    let mut trial = Trial::of(SmallQueue, with_many_steps);
    for (ops, values) in [(1, 2), (2, 2), (3, 2), (4, 2)] {
        trial.all(ops, values, 1);
    }
    println!("{}", trial.tally);
    assert!(trial.tally.yes > 3_000 && trial.tally.no > 10_000);
}

/// Few values, so that most are enqueued several times, and not derived from a legal run.
fn draw(rng: &mut Rng) -> QueueHistory {
    let n = rng.usize(1..=9);
    let values = rng.usize(1..=3);
    let (horizon, long) = (rng.usize(n..=3 * n), rng.usize(1..=n));
    let ties = if rng.bool() { Ties::Concurrent } else { Ties::Ordered };
    let empties = if rng.bool() { 0.2 } else { 0.0 };
    let mut intervals = History::from_intervals(ties);
    // The values enqueued so far, so that dequeues mostly find something.
    let mut added = Vec::new();
    for at in 0..n {
        let start = (at * horizon / n + rng.usize(..3)) as u64;
        let end = Some(start + 1 + rng.usize(..long) as u64);
        let (op, ret) = if rng.f64() < empties {
            (QueueOp::Dequeue, QueueRet::Value(None))
        } else if !added.is_empty() && rng.f64() < 0.6 {
            let found = if rng.f64() < 0.4 { 0 } else { rng.usize(..added.len()) };
            (QueueOp::Dequeue, QueueRet::Value(Some(added.remove(found))))
        } else {
            let value = rng.usize(..values) as u8;
            added.push(value);
            (QueueOp::Enqueue(value), QueueRet::Done)
        };
        let interval = Interval { op, ret: Some(ret), start, end, extras: Extras::default() };
        intervals.add(interval).unwrap();
    }
    intervals.finish().unwrap()
}

#[test]
fn random_histories() {
    let long = std::env::var("LINPOINT_LONG").is_ok_and(|v| v == "1");
    let mut trial = Trial::of(SmallQueue, with_many_steps);
    for case in 0..if long { 10_000_000 } else { 30_000 } {
        trial.one(&draw(&mut rng_of_case(5, case)));
    }
    println!("{}", trial.tally);
    assert!(trial.tally.yes > 6_000 && trial.tally.no > 3_000 && trial.tally.refused.is_empty());
}
