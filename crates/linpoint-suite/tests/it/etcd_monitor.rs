//! etcd's monitor: small histories, compared with brute force. With `LINPOINT_LONG=1` a hundred times as many.

use std::collections::BTreeMap;

use linpoint::history::OpId;
use linpoint::monitor::{Answer, decide};
use linpoint::spec::models::Etcd;
use linpoint::{Checker, Engine, Verdict};
use linpoint_suite::etcd::{EtcdHistory, Style, draw, linearizable};
use linpoint_suite::rng_of_case;
use linpoint_suite::small::check::show;

use crate::common::is_long;

#[derive(Default, Debug)]
struct Tally {
    yes: u64,
    no: u64,
    with_pending: u64,
    refused: BTreeMap<String, u64>,
}

fn compare(history: &EtcdHistory, tally: &mut Tally) {
    let ids: Vec<OpId> = history.ids().collect();
    let outcome = match decide(&Etcd, history, &ids) {
        Ok(outcome) => outcome,
        Err(refusal) => return *tally.refused.entry(refusal.reason).or_default() += 1,
    };
    let expected = linearizable(history, |_| true);
    let has_pending = history.ids().any(|id| history.span(id).is_pending());
    tally.with_pending += u64::from(has_pending);
    let shown = || show(history);
    match outcome.answer {
        Answer::Linearizable(order) => {
            assert!(expected, "says yes, but no order exists: {order:?}\n{}", shown());
            // The checker validates the order.
            let report = Checker::new(&Etcd).threads(1).explains(false).check(history);
            let verdict = report.map(|report| report.verdict.is_linearizable());
            assert!(matches!(verdict, Ok(true)), "{verdict:?} {order:?}\n{}", shown());
            tally.yes += 1;
        }
        Answer::Violation(found) => {
            assert!(!expected, "says no, but an order exists: {}\n{}", found.reason, shown());
            let is_core = !linearizable(history, |id| found.ops.contains(&id));
            assert!(is_core, "is no contradiction: {} {:?}\n{}", found.reason, found.ops, shown());
            tally.no += 1;
        }
    }
}

fn run(name: &str, styles: &[Style], count: u64) {
    let count = if is_long() { 100 * count } else { count };
    for (number, style) in (0..).zip(styles) {
        let mut tally = Tally::default();
        for case in 0..count {
            let mut rng = rng_of_case(0xE7CD + number, case);
            let wrong = if case % 2 == 0 { 0.0 } else { 1.0 };
            compare(&draw(&Style { wrong, ..*style }, &mut rng), &mut tally);
        }
        println!("{name} {number}: {tally:?}");
        let refused: u64 = tally.refused.values().sum();
        assert!(tally.yes > count / 8 && tally.no > count / 50, "{tally:?}");
        assert!(refused < count / 2, "{tally:?}");
    }
}

#[test]
fn conditional_writes() {
    let one = Style::KUBERNETES;
    let styles = [
        one,
        Style { keys: 1, ..one },
        Style { keys: 4, ops: 9, lost: 0.6, never: 2, ..one },
        Style { lost: 0.8, never: 4, width: 45, ..one },
        Style { lost: 0.7, kinds: [0.2, 0.45, 0.0, 0.0, 0.0, 0.0], ..one },
        Style { values: 2, versions: true, ..one },
    ];
    run("conditional", &styles, 1_500);
}

/// Hardly any answers, so that most revisions are gaps.
#[test]
fn gaps() {
    let kinds = [0.12, 0.25, 0.0, 0.0, 0.0, 0.0];
    let one = Style {
        ops: 9,
        keys: 3,
        lost: 0.85,
        conditions: 1.0,
        kinds,
        width: 60,
        ..Style::KUBERNETES
    };
    let styles = [
        one,
        Style { keys: 1, kinds: [0.25, 0.45, 0.0, 0.0, 0.0, 0.0], ops: 10, never: 2, ..one },
        Style {
            keys: 2,
            kinds: [0.35, 0.4, 0.1, 0.0, 0.0, 0.0],
            conditions: 0.4,
            lost: 0.5,
            ..one
        },
    ];
    for (number, style) in (0..).zip(styles) {
        let (mut tally, count) = (Tally::default(), if is_long() { 100_000 } else { 250 });
        for case in 0..count {
            let mut rng = rng_of_case(0x6A95 + number, case);
            compare(&draw(&Style { wrong: 0.6, ..style }, &mut rng), &mut tally);
        }
        println!("gaps {number}: {tally:?}");
        assert!(tally.yes > count / 2 && tally.no > 2, "{tally:?}");
    }
}

#[test]
fn everything() {
    let one = Style::EVERYTHING;
    let styles = [
        one,
        Style { keys: 1, ..one },
        Style { conditions: 0.1, lost: 0.6, ..one },
        Style { versions: true, lost: 0.5, keys: 3, ..one },
        Style { kinds: [0.3, 0.2, 0.0, 0.0, 0.0, 0.4], values: 0, ..one },
        Style { kinds: [0.4, 0.2, 0.0, 0.0, 0.3, 0.0], lost: 0.1, ..one },
    ];
    run("everything", &styles, 1_500);
}

/// The generic search agrees too, and violations are explained.
#[test]
fn the_search_agrees() {
    let count = if is_long() { 5_000 } else { 60 };
    for case in 0..count {
        let mut rng = rng_of_case(77, case);
        let style = if case % 3 == 0 { Style::EVERYTHING } else { Style::KUBERNETES };
        let history = draw(&Style { wrong: 0.5, ..style }, &mut rng);
        let planned = Checker::new(&Etcd).threads(1).check(&history).unwrap().verdict;
        let searched = Checker::new(&Etcd).threads(1).engine(Engine::JitGraph).explains(false);
        let searched = searched.check(&history).unwrap().verdict;
        assert_eq!(planned.is_linearizable(), searched.is_linearizable(), "{}", show(&history));
        // What a core is, `explanations.rs` tests.
        if let Verdict::Violation(violation) = planned {
            assert!(!violation.core.is_empty(), "{}", show(&history));
        }
    }
}
