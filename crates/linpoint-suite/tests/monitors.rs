//! Every monitor against brute force: verdicts, orders and contradictions.
//!
//! Sized for every day by default; with `LINPOINT_LONG=1` each monitor decides at least ten million
//! histories. Each test prints its tally (`cargo test -p linpoint-suite --test monitors --
//! --nocapture`).

use linpoint::spec::models::Order;
use linpoint_suite::Rng;
use linpoint_suite::oracle::Oracle;
use linpoint_suite::small::SmallObject;
use linpoint_suite::small::brute::Brute;
use linpoint_suite::small::check::{Tally, Trial};
use linpoint_suite::small::draw::{Style, draw};
use linpoint_suite::small::objects::{
    SmallCasRegister, SmallCounter, SmallKeyValue, SmallMutex, SmallPriorityQueue, SmallQueue,
    SmallRegister, SmallRmw, SmallSemaphore, SmallSet, SmallSnapshot, SmallStack,
};

/// Histories that a monitor must decide.
fn enough() -> u64 {
    if std::env::var("LINPOINT_LONG").is_ok_and(|v| v == "1") { 10_000_000 } else { 25_000 }
}

/// Small and crowded, middling, and larger histories.
fn styles() -> [Style; 4] {
    let style = Style::default();
    [
        Style { ops: (1, 5), ..style.clone() },
        Style { distinct: 1.0, pending: 0.1, ..style.clone() },
        style.clone(),
        Style { ops: (6, 10), distinct: 1.0, ..style },
    ]
}

/// All histories of few operations, then random ones until enough are decided.
fn try_monitor<B: SmallObject>(object: B, lists: &[(usize, u8)]) -> Tally {
    let name = object.name();
    let mut trial = Trial::new(object);
    for &(ops, values) in lists {
        trial.all(ops, values, 1);
    }
    let listed = trial.tally.decided();
    let wanted = (listed + enough() / 2).max(enough());
    let round = 2_000;
    // A monitor that refuses nearly everything is found out, too.
    let most = 20 * enough() / round;
    let mut seed = 1;
    while trial.tally.decided() < wanted && seed < most {
        for style in styles() {
            trial.random(&style, seed, round);
            seed += 1;
        }
    }
    assert!(trial.tally.decided() >= enough(), "{name} refuses too much: {}", trial.tally);
    println!("{name}: {listed} listed, then random: {}", trial.tally);
    assert!(trial.tally.yes > 1_000 && trial.tally.no > 1_000);
    trial.tally
}

/// Brute force is itself compared with the oracle, on objects of every kind.
#[test]
fn brute_force_agrees_with_the_oracle() {
    fn compare<B: SmallObject>(object: &B, count: u64) {
        let (spec, mut brute) = (object.spec(), Brute::default());
        let style = Style { ops: (1, 6), ..Style::default() };
        let mut answers = [0, 0];
        for case in 0..count {
            let history = draw(object, &style, &mut Rng::for_case(99, case));
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
    compare(&SmallCounter { amounts: &[1, 2, -1] }, count);
    compare(&SmallSemaphore { initial: 1 }, count);
    for (bits, partial) in [(false, false), (true, false), (false, true)] {
        compare(&SmallSnapshot { segments: 3, bits, partial }, count);
    }
}

#[test]
fn queue() {
    try_monitor(SmallQueue, &[(1, 2), (2, 2), (3, 2)]);
}

#[test]
fn stack() {
    try_monitor(SmallStack, &[(1, 2), (2, 2), (3, 2)]);
}

#[test]
fn priority_queue() {
    try_monitor(SmallPriorityQueue(Order::Max), &[(1, 2), (2, 2), (3, 2)]);
    try_monitor(SmallPriorityQueue(Order::Min), &[(2, 2)]);
}

#[test]
fn set() {
    try_monitor(SmallSet { keys: 1 }, &[(1, 1), (2, 1), (3, 1)]);
    try_monitor(SmallSet { keys: 2 }, &[(2, 1)]);
}

#[test]
fn mutex() {
    try_monitor(SmallMutex, &[(1, 1), (2, 1), (3, 1), (4, 1)]);
}

#[test]
fn register() {
    try_monitor(SmallRegister, &[(1, 2), (2, 2), (3, 2), (4, 2)]);
}

#[test]
fn cas_register() {
    try_monitor(SmallCasRegister, &[(1, 2), (2, 2), (3, 2)]);
}

#[test]
fn rmw() {
    try_monitor(SmallRmw, &[(1, 3), (2, 3), (3, 3)]);
}

#[test]
fn key_value() {
    try_monitor(SmallKeyValue, &[(1, 2), (2, 2), (3, 2)]);
}

#[test]
fn counter() {
    try_monitor(SmallCounter { amounts: &[1] }, &[(1, 2), (2, 2), (3, 2)]);
    try_monitor(SmallCounter { amounts: &[1, 2, 0] }, &[(2, 2)]);
}

#[test]
fn semaphore() {
    try_monitor(SmallSemaphore { initial: 0 }, &[(1, 1), (2, 1), (3, 1), (4, 1)]);
    try_monitor(SmallSemaphore { initial: 1 }, &[(3, 1)]);
}

#[test]
fn snapshot() {
    try_monitor(SmallSnapshot { segments: 2, bits: false, partial: false }, &[(2, 2), (3, 2)]);
    try_monitor(SmallSnapshot { segments: 3, bits: true, partial: false }, &[(2, 1), (3, 1)]);
    try_monitor(SmallSnapshot { segments: 3, bits: false, partial: true }, &[(2, 1)]);
}
