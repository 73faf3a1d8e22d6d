//! Deques: small histories, compared with brute force, larger ones, compared with searches, and long
//! ones that are known to be linearizable.
//!
//! Sized for daily runs by default; with `LINPOINT_LONG=1` ten million small histories.

use linpoint::history::{Extras, History, Interval, Ties};
use linpoint::spec::models::{Deque, DequeOp, DequeRet};
use linpoint_suite::small::SmallObject;
use linpoint_suite::small::check::Trial;
use linpoint_suite::small::draw::Style as SmallStyle;
use linpoint_suite::small::objects::SmallDeque;
use linpoint_suite::{Rng, rng_of_case};
use std::collections::VecDeque;

use crate::common::is_long;
use crate::common::larger::{compare, is_linearizable};

use DequeOp::{PeekBack, PeekFront, PopBack, PopFront, PushBack, PushFront};
use DequeRet::{Done, Value};

type DequeHistory = History<DequeOp<u8>, DequeRet<u8>>;

/// Probabilities of events in a history.
#[derive(Clone, Copy, Debug)]
struct Style {
    ops: usize,
    clients: usize,
    values: u8,
    /// Of a push, and of an operation at the front: for pushes and for others.
    pushes: f64,
    fronts: [f64; 2],
    peeks: f64,
    pending: f64,
    /// Probability that a result is replaced by another one that is possible.
    wrong: f64,
    /// Probability that a push or pop is lost, although it returns as usual.
    lost: f64,
}

const FINE: Style = Style {
    ops: 10,
    clients: 4,
    values: 2,
    pushes: 0.5,
    fronts: [0.5, 0.5],
    peeks: 0.1,
    pending: 0.0,
    wrong: 0.0,
    lost: 0.0,
};

fn draw_op(rng: &mut Rng, style: &Style) -> DequeOp<u8> {
    let is_push = rng.f64() < style.pushes;
    let is_peek = rng.f64() < style.peeks;
    let is_front = rng.f64() < style.fronts[usize::from(!is_push)];
    match (is_peek, is_push, is_front) {
        (true, _, true) => PeekFront,
        (true, _, false) => PeekBack,
        (_, true, true) => PushFront(rng.u8(..style.values)),
        (_, true, false) => PushBack(rng.u8(..style.values)),
        (_, false, true) => PopFront,
        (_, false, false) => PopBack,
    }
}

/// What the operation does to the deque, and its result.
fn perform(
    rng: &mut Rng,
    style: &Style,
    deque: &mut VecDeque<u8>,
    op: &DequeOp<u8>,
) -> DequeRet<u8> {
    let is_lost = rng.f64() < style.lost;
    let is_wrong = rng.f64() < style.wrong;
    match op {
        PushFront(_) | PushBack(_) if is_lost => Done,
        PushFront(value) => {
            deque.push_front(*value);
            Done
        }
        PushBack(value) => {
            deque.push_back(*value);
            Done
        }
        _ if is_wrong => Value(Some(rng.u8(..style.values))),
        PopFront if !is_lost => Value(deque.pop_front()),
        PopBack if !is_lost => Value(deque.pop_back()),
        PopFront | PeekFront => Value(deque.front().copied()),
        PopBack | PeekBack => Value(deque.back().copied()),
    }
}

/// Clients that call, take effect and return, one after another at random.
fn draw(rng: &mut Rng, style: &Style) -> DequeHistory {
    let mut intervals = History::from_intervals(Ties::Concurrent);
    let mut deque = VecDeque::new();
    let mut clients = vec![None; style.clients];
    let (mut called, mut now) = (0, 0);
    // A coarse clock has ties.
    let tick = [0.5, 1.0][rng.usize(..2)];
    while called < style.ops || clients.iter().any(Option::is_some) {
        now += u64::from(rng.f64() < tick);
        let client = rng.usize(..style.clients);
        match &mut clients[client] {
            None if called < style.ops => {
                called += 1;
                clients[client] = Some((draw_op(rng, style), now, None));
            }
            None => {}
            Some((op, _, result @ None)) => *result = Some(perform(rng, style, &mut deque, op)),
            Some((op, start, ret @ Some(_))) => {
                let is_pending = rng.f64() < style.pending;
                let end = (!is_pending).then_some(now);
                let ret = ret.take().filter(|_| !is_pending);
                let (op, start, extras) = (op.clone(), *start, Extras::default());
                intervals.add(Interval { op, ret, start, end, extras }).unwrap();
                clients[client] = None;
            }
        }
    }
    intervals.finish().unwrap()
}

fn small_style(rng: &mut Rng) -> Style {
    Style {
        ops: rng.usize(4..=12),
        clients: rng.usize(2..=6),
        values: rng.u8(1..=4),
        pushes: [0.4, 0.5, 0.7][rng.usize(..3)],
        fronts: [[0.5, 0.5], [0.1, 0.9], [0.8, 0.4]][rng.usize(..3)],
        peeks: [0.0, 0.1, 0.3][rng.usize(..3)],
        pending: [0.0, 0.0, 0.1, 0.3][rng.usize(..4)],
        wrong: [0.0, 0.1, 0.2][rng.usize(..3)],
        lost: [0.0, 0.1, 0.2][rng.usize(..3)],
    }
}

#[test]
fn small_histories_agree_with_brute_force() {
    let rounds = if is_long() { 70_000 } else { 150 };
    let mut trial = Trial::new(SmallDeque);
    for round in 0..rounds {
        let rng = &mut rng_of_case(15, round);
        let style = small_style(rng);
        for _ in 0..100 {
            trial.one(&draw(rng, &style));
        }
        if round % 5_000 == 4_999 {
            println!("{} rounds: {}", round + 1, trial.tally);
        }
    }
    println!("{}", trial.tally);
    assert!(trial.tally.no > rounds * 10 && trial.tally.yes > rounds * 10, "{}", trial.tally);
    assert!(trial.tally.refused.is_empty(), "{}", trial.tally);
}

/// Histories that are drawn in another way, and all histories of a few operations.
#[test]
fn random_and_listed_histories_agree_with_brute_force() {
    let style = SmallStyle { distinct: 0.3, unknown: 0.0, ..SmallStyle::default() };
    let styles = [
        SmallStyle { ops: (1, 6), values: 2, ..style.clone() },
        SmallStyle { ops: (5, 10), values: 3, ..style.clone() },
        SmallStyle { ops: (8, 12), values: 3, pending: 0.1, ..style },
    ];
    let mut trial = Trial::new(SmallDeque);
    for (ops, values) in if is_long() { [(3, 2), (4, 1)] } else { [(2, 2), (3, 1)] } {
        trial.all(ops, values, 1);
    }
    let count = if is_long() { 3_000_000 } else { 18_000 };
    for (seed, style) in (21..).zip(&styles) {
        trial.random(style, seed, count / 3);
    }
    println!("{}: {}", SmallDeque.name(), trial.tally);
    assert!(trial.tally.yes > count / 5 && trial.tally.no > count / 20, "{}", trial.tally);
}

#[test]
fn larger_histories_agree_with_breadth_first_search() {
    let rounds = if is_long() { 20_000 } else { 20 };
    compare(&Deque::new(), rounds, |round| {
        let rng = &mut rng_of_case(16, round);
        let style = Style {
            ops: rng.usize(25..=80),
            clients: rng.usize(2..=5),
            values: rng.u8(1..=6),
            pending: [0.0, 0.0, 0.03][rng.usize(..3)],
            wrong: [0.0, 0.02][rng.usize(..2)],
            lost: [0.0, 0.02, 0.05][rng.usize(..3)],
            ..small_style(rng)
        };
        (0..10).map(|_| draw(rng, &style)).collect()
    });
}

/// Searches give up on these. Orders are validated, and no engine is needed to know that one exists.
/// Deques that are used as queues move through the places of the cut.
#[test]
fn long_histories_have_orders() {
    for clients in [2, 4, 8] {
        for (values, pushes, fronts) in [
            (1, 0.5, [0.5, 0.5]),
            (10, 0.5, [0.5, 0.5]),
            (100, 0.55, [0.5, 0.5]),
            (10, 0.6, [0.9, 0.1]),
            (10, 0.52, [0.0, 1.0]),
        ] {
            let style = Style { ops: 3_000, clients, values, pushes, fronts, ..FINE };
            let history = draw(&mut rng_of_case(17, clients as u64), &style);
            assert!(is_linearizable(&Deque::new(), &history), "{style:?}");
        }
    }
}

#[test]
fn long_histories_with_pending_operations_have_orders() {
    for clients in [2, 4, 6] {
        let style = Style { ops: 2_000, clients, values: 20, pending: 0.002, ..FINE };
        let history = draw(&mut rng_of_case(18, clients as u64), &style);
        assert!(is_linearizable(&Deque::new(), &history), "{style:?}");
    }
}
