//! Priority queues and bags whose values repeat, compared with brute force, and with other engines
//! where there are too many operations for that.
//!
//! Sized for daily runs by default; with `LINPOINT_LONG=1` ten million histories of each object.

use linpoint::spec::models::Order;
use linpoint_suite::small::SmallObject;
use linpoint_suite::small::check::{Tally, Trial};
use linpoint_suite::small::draw::Style;
use linpoint_suite::small::objects::{SmallBag, SmallPriorityQueue};

fn is_long() -> bool {
    std::env::var("LINPOINT_LONG").is_ok_and(|v| v == "1")
}

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
    let count = if is_long() { 10_000_000 } else { 100_000 } * percent / 100;
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
