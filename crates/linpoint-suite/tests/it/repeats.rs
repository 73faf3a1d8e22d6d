//! Priority queues and bags whose values repeat, compared with brute force, and with other engines
//! where there are too many operations for that.
//!
//! Sized for daily runs by default; with `LINPOINT_LONG=1` ten million histories of each object.

use linpoint::history::History;
use linpoint::spec::Spec;
use linpoint::spec::models::{Bag, BagOp, Order, PriorityQueue, PriorityQueueOp, Queue, QueueOp};
use linpoint::{Checker, Engine, Verdict};
use linpoint_suite::small::SmallObject;
use linpoint_suite::small::check::{Tally, Trial};
use linpoint_suite::small::draw::Style;
use linpoint_suite::small::objects::{SmallBag, SmallPriorityQueue};
use linpoint_suite::{Rng, rng_of_case};

use crate::common::is_long;

/// Few values, crowded and less crowded, with and without pending operations.
fn styles() -> [Style; 5] {
    let style = Style { distinct: 0.0, unknown: 0.0, ..Style::default() };
    [
        Style { ops: (1, 6), values: 2, ..style.clone() },
        Style { ops: (4, 9), values: 2, ..style.clone() },
        Style { ops: (5, 10), values: 3, pending: 0.0, ..style.clone() },
        Style { ops: (5, 10), values: 4, ..style.clone() },
        Style { ops: (8, 12), values: 3, pending: 0.1, ..style },
    ]
}

/// This share of all histories, `lists` included. The monitor refuses only what it cannot read.
fn try_object<B: SmallObject>(object: B, percent: u64, lists: &[(usize, u8)]) -> Tally {
    let (name, mut trial) = (object.name(), Trial::new(object));
    for &(ops, values) in lists {
        trial.all(ops, values, 1);
    }
    let count = if is_long() { 10_000_000 } else { 15_000 } * percent / 100;
    let each = count / styles().len() as u64;
    for (seed, style) in (1..).zip(styles()) {
        trial.random(&style, seed, each);
    }
    println!("{name}, repeated values: {}", trial.tally);
    let unknown = "the result of a completed removal is unknown";
    assert!(trial.tally.refused.keys().all(|reason| reason == unknown), "{}", trial.tally);
    assert!(trial.tally.yes > count / 5 && trial.tally.no > count / 20, "{name}");
    trial.tally
}

fn lists<'a>(usual: &'a [(usize, u8)], long: &'a [(usize, u8)]) -> &'a [(usize, u8)] {
    if is_long() { long } else { usual }
}

#[test]
fn priority_queue_of_repeated_values() {
    let all = lists(&[(3, 2), (4, 1)], &[(3, 2), (4, 2), (5, 1)]);
    try_object(SmallPriorityQueue(Order::Max), 70, all);
    try_object(SmallPriorityQueue(Order::Min), 30, &[]);
}

#[test]
fn bag_of_repeated_values() {
    try_object(SmallBag, 100, lists(&[(3, 2), (4, 1)], &[(4, 2), (5, 1)]));
}

/// Clients that call, take effect and return, one after another at random. In half of the histories, two
/// operations trade their results.
fn larger<S: Spec>(
    spec: &S,
    rng: &mut Rng,
    draw: &impl Fn(&mut Rng) -> S::Op,
) -> History<S::Op, S::Ret> {
    let ops: Vec<S::Op> = (0..rng.usize(20..=60)).map(|_| draw(rng)).collect();
    let mut results: Vec<Option<S::Ret>> = vec![None; ops.len()];
    // Each call, and each return.
    let mut events: Vec<(usize, bool)> = Vec::new();
    let mut state = spec.initial();
    let mut clients = vec![None; rng.usize(2..=6)];
    let mut called = 0;
    while called < ops.len() || clients.iter().any(Option::is_some) {
        let client = rng.usize(..clients.len());
        match clients[client] {
            None if called < ops.len() => {
                events.push((called, true));
                clients[client] = Some(called);
                called += 1;
            }
            None => {}
            Some(op) if results[op].is_none() => {
                let mut all = Vec::new();
                spec.outcomes(&state, &ops[op], &mut all);
                let chosen = rng.usize(..all.len());
                let (ret, next) = all.swap_remove(chosen);
                (state, results[op]) = (next, Some(ret));
            }
            Some(op) => {
                clients[client] = None;
                if rng.usize(..40) > 0 {
                    events.push((op, false));
                }
            }
        }
    }
    if rng.bool() {
        let first = rng.usize(..ops.len());
        let later = (first + 1..ops.len()).filter(|i| ops[*i] == ops[first]);
        if let Some(second) = later.take(rng.usize(1..8)).last() {
            results.swap(first, second);
        }
    }
    let mut history = History::from_events();
    let mut ids = Vec::new();
    for (op, is_call) in events {
        match is_call {
            true => ids.push(history.call(ops[op].clone())),
            false => history.ret(ids[op], results[op].clone().unwrap()).unwrap(),
        }
    }
    history.finish()
}

/// Bytes for one search.
const MEMORY: usize = 8 << 20;

/// The checker, which asks the monitor, and breadth-first search agree.
fn agree<S: Spec>(name: &str, spec: &S, draw: impl Fn(&mut Rng) -> S::Op) {
    let count = if is_long() { 100_000 } else { 500 };
    let mut answers = [0, 0];
    for case in 0..count {
        let history = larger(spec, &mut rng_of_case(23, case), &draw);
        let is_yes = |checker: Checker<'_, S>| match checker
            .threads(1)
            .explains(false)
            .check(&history)
            .unwrap()
            .verdict
        {
            Verdict::Undecided(_) => None,
            verdict => Some(matches!(verdict, Verdict::Linearizable(_))),
        };
        let yes = is_yes(Checker::new(spec)).expect("the monitor decides it");
        // Some are too hard for a search.
        let other = Checker::new(spec).engine(Engine::Breadth).memory(MEMORY);
        if let Some(other) = is_yes(other) {
            assert_eq!(yes, other, "{name} {case}");
            answers[usize::from(yes)] += 1;
        }
    }
    println!("{name}, larger: {} no, {} yes", answers[0], answers[1]);
    assert!(answers.iter().all(|answer| *answer > count / 100), "{name}: {answers:?}");
}

#[test]
fn larger_histories() {
    let value = |rng: &mut Rng| rng.usize(..4) as u8;
    agree("priority queue", &PriorityQueue::new(Order::Max), |rng| match rng.usize(..10) {
        0..5 => PriorityQueueOp::Insert(value(rng)),
        5..9 => PriorityQueueOp::Poll,
        _ => PriorityQueueOp::Peek,
    });
    agree("queue", &Queue::new(), |rng| match rng.usize(..10) {
        0..5 => QueueOp::Enqueue(value(rng)),
        5..9 => QueueOp::Dequeue,
        _ => QueueOp::Peek,
    });
    agree("bag", &Bag::new(), |rng| match rng.bool() {
        true => BagOp::Add(value(rng)),
        false => BagOp::Remove,
    });
}
