//! Compares every monitor with brute force: verdicts, orders and contradictions.
//!
//! Sized for daily runs by default; with `LINPOINT_LONG=1` each monitor decides at least ten
//! million histories. Each test prints its tally (`cargo test -p linpoint-suite --test it monitors
//! -- --nocapture`).

use linpoint::monitor;
use linpoint::spec::models::Order;
use linpoint_suite::oracle::Oracle;
use linpoint_suite::rng_of_case;
use linpoint_suite::small::SmallObject;
use linpoint_suite::small::brute::Brute;
use linpoint_suite::small::check::Trial;
use linpoint_suite::small::draw::{Style, draw};
use linpoint_suite::small::objects::{
    SmallAppends, SmallCasRegister, SmallCounter, SmallKeyValue, SmallMutex, SmallPriorityQueue,
    SmallQueue, SmallRegister, SmallRmw, SmallSemaphore, SmallSet, SmallSnapshot, SmallStack,
};

use crate::common::is_long;

/// Number of histories that a monitor must decide, over all its objects.
fn enough() -> u64 {
    if is_long() { 10_000_000 } else { 30_000 }
}

/// Small and crowded, medium, and larger histories.
fn styles() -> [Style; 4] {
    let style = Style::default();
    [
        Style { ops: (1, 5), ..style.clone() },
        Style { distinct: 1.0, pending: 0.1, ..style.clone() },
        style.clone(),
        Style { ops: (6, 10), distinct: 1.0, ..style },
    ]
}

/// All histories of few operations, then random ones, until `percent` of enough are decided.
fn try_monitor<B: SmallObject>(object: B, percent: u64, lists: &[(usize, u8)]) {
    let name = object.name();
    try_trial(name, &mut Trial::new(object), &styles(), percent, lists);
}

fn try_trial<B: SmallObject>(
    name: &str,
    trial: &mut Trial<B>,
    styles: &[Style],
    percent: u64,
    lists: &[(usize, u8)],
) {
    for &(ops, values) in lists {
        trial.all(ops, values, 1);
    }
    let listed = trial.tally.decided();
    let enough = enough() * percent / 100;
    let wanted = (listed + enough / 2).max(enough);
    let round = 2_000;
    // Also detects a monitor that refuses nearly everything.
    let most = 20 * enough / round;
    let mut seed = 1;
    while trial.tally.decided() < wanted && seed < most {
        for style in styles {
            trial.random(style, seed, round);
            seed += 1;
        }
    }
    assert!(trial.tally.decided() >= enough, "{name} refuses too much: {}", trial.tally);
    println!("{name}: {listed} listed, then random: {}", trial.tally);
    assert!(trial.tally.yes > 100 && trial.tally.no > 100);
}

/// Longer lists for long runs.
fn lists<'a>(usual: &'a [(usize, u8)], long: &'a [(usize, u8)]) -> &'a [(usize, u8)] {
    if is_long() { long } else { usual }
}

/// Brute force is itself compared with the oracle, on objects of every kind.
#[test]
fn brute_force_agrees_with_the_oracle() {
    fn compare<B: SmallObject>(object: &B, count: u64) {
        let (spec, mut brute) = (object.spec(), Brute::default());
        let style = Style { ops: (1, 6), ..Style::default() };
        let mut answers = [0, 0];
        for case in 0..count {
            let history = draw(object, &style, &mut rng_of_case(99, case));
            let expected = Oracle::new().remember_failures(true).linearizable(&spec, &history);
            assert_eq!(brute.linearizable(object, &history, |_| true), expected, "{case}");
            answers[usize::from(expected)] += 1;
        }
        assert!(
            answers[0] > count / 50 && answers[1] > count / 50,
            "{} {answers:?}",
            object.name()
        );
    }
    let count = enough().min(400_000) / 10;
    compare(&SmallQueue, count);
    compare(&SmallStack, count);
    compare(&SmallPriorityQueue(Order::Max), count);
    compare(&SmallPriorityQueue(Order::Min), count);
    compare(&SmallSet { keys: 2 }, count);
    compare(&SmallMutex, count);
    compare(&SmallRegister, count);
    compare(&SmallCasRegister, count);
    compare(&SmallRmw, count);
    compare(&SmallKeyValue, count);
    compare(&SmallAppends { initial: false }, count);
    compare(&SmallAppends { initial: true }, count);
    compare(&SmallCounter { amounts: &[1, 2, -1] }, count);
    compare(&SmallSemaphore { initial: 1 }, count);
    for (bits, partial) in [(false, false), (true, false), (false, true)] {
        compare(&SmallSnapshot { segments: 3, bits, partial }, count);
    }
}

const UP_TO_3: &[(usize, u8)] = &[(1, 2), (2, 2), (3, 2)];
const UP_TO_4: &[(usize, u8)] = &[(1, 2), (2, 2), (3, 2), (4, 2)];

#[test]
fn queue() {
    try_monitor(SmallQueue, 100, lists(UP_TO_3, UP_TO_4));
}

/// Values that are added again while they are present: two heads.
#[test]
fn queue_of_repeated_values() {
    let repeating = Style { distinct: 0.1, ..Style::default() };
    let styles = [
        Style { ops: (1, 6), values: 2, ..repeating.clone() },
        Style { ops: (4, 9), values: 2, ..repeating.clone() },
        Style { ops: (5, 10), values: 3, pending: 0.0, unknown: 0.0, ..repeating },
    ];
    let mut trial = Trial::new(SmallQueue);
    try_trial("repeating queue", &mut trial, &styles, 100, lists(&[(3, 1)], &[(3, 1), (4, 1)]));
}

#[test]
fn stack() {
    try_monitor(SmallStack, 100, lists(UP_TO_3, UP_TO_4));
}

/// Values that are pushed again while they are present: all states.
#[test]
fn stack_of_repeated_values() {
    let repeating = Style { distinct: 0.1, ..Style::default() };
    let styles = [
        Style { ops: (1, 6), values: 2, ..repeating.clone() },
        Style { ops: (4, 9), values: 2, ..repeating.clone() },
        Style { ops: (5, 10), values: 3, pending: 0.0, unknown: 0.0, ..repeating.clone() },
        Style { ops: (8, 12), values: 3, ..repeating.clone() },
        Style { ops: (6, 12), values: 1, ..repeating },
    ];
    let mut trial = Trial::new(SmallStack);
    let percent = if is_long() { 100 } else { 50 };
    try_trial("repeating stack", &mut trial, &styles, percent, lists(&[(3, 1)], &[(3, 2), (4, 1)]));
}

#[test]
fn priority_queue() {
    try_monitor(SmallPriorityQueue(Order::Max), 60, lists(UP_TO_3, UP_TO_4));
    try_monitor(SmallPriorityQueue(Order::Min), 40, &[(2, 2)]);
}

/// The same monitor decides sets and locks.
#[test]
fn flags() {
    try_monitor(SmallSet { keys: 1 }, 40, lists(UP_TO_3, UP_TO_4));
    try_monitor(SmallSet { keys: 2 }, 30, &[(2, 1)]);
    try_monitor(SmallMutex, 30, UP_TO_4);
}

/// The same monitor decides registers of all kinds.
#[test]
fn registers() {
    try_monitor(SmallRegister, 30, UP_TO_4);
    try_monitor(SmallCasRegister, 30, lists(&[(1, 2), (2, 2)], UP_TO_3));
    try_monitor(SmallRmw, 15, &[(1, 3), (2, 3), (3, 3)]);
    try_monitor(SmallKeyValue, 25, &[(1, 2), (2, 2), (3, 2)]);
}

/// The register monitor again, with appends.
#[test]
fn appends() {
    try_monitor(SmallAppends { initial: false }, 60, UP_TO_3);
    try_monitor(SmallAppends { initial: true }, 40, &[(1, 2), (2, 2)]);
}

#[test]
fn counter() {
    try_monitor(SmallCounter { amounts: &[1] }, 60, lists(UP_TO_3, UP_TO_4));
    try_monitor(SmallCounter { amounts: &[2] }, 30, &[(2, 3)]);
    try_monitor(SmallCounter { amounts: &[-1] }, 10, &[(2, 2)]);
}

#[test]
fn semaphore() {
    try_monitor(SmallSemaphore { initial: 0 }, 60, UP_TO_4);
    try_monitor(SmallSemaphore { initial: 1 }, 40, &[(3, 1)]);
}

#[test]
fn snapshot() {
    let fresh = SmallSnapshot { segments: 2, bits: false, partial: false };
    try_monitor(fresh, 40, &[(2, 2), (3, 2)]);
    let bits = SmallSnapshot { segments: 3, bits: true, partial: false };
    try_monitor(bits, 30, &[(2, 1), (3, 1)]);
    let partial = SmallSnapshot { segments: 3, bits: false, partial: true };
    try_monitor(partial, 30, &[(2, 1)]);
}

/// Lowe's search handles complete histories without peeks, with repeated values.
#[test]
fn queue_oriented() {
    let mut trial = Trial::of(SmallQueue, |spec, history, ids| {
        monitor::decide_queue_oriented(spec, history, ids, 1_000_000)
    });
    let repeating = Style { distinct: 0.1, pending: 0.0, unknown: 0.0, ..Style::default() };
    let styles = [
        Style { ops: (1, 6), values: 2, ..repeating.clone() },
        Style { ops: (4, 9), values: 3, ..repeating },
    ];
    try_trial("queue-oriented", &mut trial, &styles, 100, lists(&[(3, 2)], &[(3, 2), (4, 2)]));
}
