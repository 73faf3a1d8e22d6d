//! Stacks whose values repeat: small histories that nearly fail, compared with brute force, and larger
//! ones, compared with searches.

use linpoint::history::{Extras, History, Interval, Ties};
use linpoint::spec::models::{Stack, StackOp, StackRet};
use linpoint_suite::small::check::Trial;
use linpoint_suite::small::objects::SmallStack;
use linpoint_suite::{Rng, rng_of_case};

use crate::common::is_long;
use crate::common::larger::{compare, is_linearizable};

use StackOp::{Peek, Pop, Push};
use StackRet::{Done, Value};

type StackHistory = History<StackOp<u8>, StackRet<u8>>;

/// Probabilities of events in a history.
#[derive(Clone, Copy, Debug)]
struct Style {
    ops: usize,
    clients: usize,
    values: u8,
    peeks: f64,
    pending: f64,
    /// Probability that a result is replaced by another one that is possible.
    wrong: f64,
    /// Probability that a push or pop is lost, although it returns as usual.
    lost: f64,
}

/// Clients that call, take effect and return, one after another at random.
fn draw(rng: &mut Rng, style: &Style) -> StackHistory {
    let mut intervals = History::from_intervals(Ties::Concurrent);
    let mut stack: Vec<u8> = Vec::new();
    let mut clients = vec![None; style.clients];
    let (mut called, mut now) = (0, 0);
    // A coarse clock has ties.
    let tick = [0.5, 1.0][rng.usize(..2)];
    let pushes = [0.3, 0.5, 0.7][rng.usize(..3)];
    while called < style.ops || clients.iter().any(Option::is_some) {
        now += u64::from(rng.f64() < tick);
        let client = &mut clients[rng.usize(..style.clients)];
        match client {
            None if called < style.ops => {
                called += 1;
                let op = if rng.f64() < style.peeks {
                    Peek
                } else if rng.f64() < pushes {
                    Push(rng.u8(..style.values))
                } else {
                    Pop
                };
                *client = Some((op, now, None));
            }
            None => {}
            Some((op, _, result @ None)) => {
                let is_lost = rng.f64() < style.lost;
                let is_wrong = rng.f64() < style.wrong;
                *result = Some(match op {
                    Push(_) if is_lost => Done,
                    Push(value) => {
                        stack.push(*value);
                        Done
                    }
                    _ if is_wrong => Value(Some(rng.u8(..style.values))),
                    Pop if is_lost => Value(stack.last().copied()),
                    Pop => Value(stack.pop()),
                    Peek => Value(stack.last().copied()),
                });
            }
            Some((op, start, ret @ Some(_))) => {
                let is_pending = rng.f64() < style.pending;
                let end = (!is_pending).then_some(now);
                let ret = ret.take().filter(|_| !is_pending);
                let (op, start, extras) = (op.clone(), *start, Extras::default());
                intervals.add(Interval { op, ret, start, end, extras }).unwrap();
                *client = None;
            }
        }
    }
    intervals.finish().unwrap()
}

const FINE: Style =
    Style { ops: 10, clients: 4, values: 2, peeks: 0.1, pending: 0.0, wrong: 0.0, lost: 0.0 };

#[test]
fn small_histories_agree_with_brute_force() {
    let rounds = if is_long() { 100_000 } else { 200 };
    let mut trial = Trial::new(SmallStack);
    for round in 0..rounds {
        let rng = &mut rng_of_case(5, round);
        let style = Style {
            ops: rng.usize(4..=12),
            clients: rng.usize(2..=6),
            values: rng.u8(1..=3),
            peeks: [0.0, 0.1, 0.3][rng.usize(..3)],
            pending: [0.0, 0.0, 0.1, 0.3][rng.usize(..4)],
            wrong: [0.0, 0.1, 0.2][rng.usize(..3)],
            lost: [0.0, 0.1, 0.2][rng.usize(..3)],
        };
        for _ in 0..100 {
            trial.one(&draw(rng, &style));
        }
    }
    println!("{}", trial.tally);
    assert!(trial.tally.no > rounds * 10 && trial.tally.yes > rounds * 10, "{}", trial.tally);
}

#[test]
fn larger_histories_agree_with_breadth_first_search() {
    let rounds = if is_long() { 20_000 } else { 25 };
    compare(&Stack::new(), rounds, |round| {
        let rng = &mut rng_of_case(6, round);
        let style = Style {
            ops: rng.usize(25..=60),
            clients: rng.usize(2..=5),
            values: rng.u8(1..=4),
            peeks: [0.0, 0.1][rng.usize(..2)],
            pending: [0.0, 0.0, 0.03][rng.usize(..3)],
            wrong: [0.0, 0.02][rng.usize(..2)],
            lost: [0.0, 0.02, 0.05][rng.usize(..3)],
        };
        (0..10).map(|_| draw(rng, &style)).collect()
    });
}

/// Searches give up on these. Orders are validated, and no engine is needed to know that one exists.
#[test]
fn long_histories_have_orders() {
    for clients in [2, 4, 8] {
        for (values, pending) in [(1, 0.0), (10, 0.0), (100, 0.0), (10, 0.002)] {
            let style = Style { ops: 3_000, clients, values, pending, ..FINE };
            let history = draw(&mut rng_of_case(7, clients as u64), &style);
            assert!(is_linearizable(&Stack::new(), &history), "{style:?}");
        }
    }
}
