//! Reductions, orders and the number of cores never change the verdict.

use linpoint_model::catalogue::{Asked, Snark, Treiber, entries, find, rows};
use linpoint_model::{
    Bounds, Counts, Method, Omit, Order, Outcome, Pair, Reductions, Settings, SimpleRuns, explore,
    parse_program,
};

use super::support::{self, is_clean};

fn explored(name: &str, asked: &Asked, settings: &Settings<'_>) -> (bool, Counts) {
    let result = support::explored(name, asked, settings);
    (is_clean(&result), result.counts)
}

/// Small bounds for every model, and bounds that reveal its bug if that is cheap.
fn instances() -> Vec<(&'static str, Asked)> {
    let mut all = Vec::new();
    for entry in entries() {
        // Their operations have many steps.
        let has_long =
            ["riany", "jayanti", "skip-list"].iter().any(|name| entry.name.starts_with(name));
        all.push((entry.name, Asked::Total { threads: 2, ops: if has_long { 2 } else { 3 } }));
    }
    let cheap = |row: &rows::Row| row.states.is_some_and(|states| states <= 20_000);
    all.extend(rows::rows().into_iter().filter(cheap).map(|row| (row.model, row.asked)));
    all
}

fn variants() -> Vec<Reductions> {
    let none = Reductions::NONE;
    vec![
        none,
        Reductions { merge: true, ..none },
        Reductions { threads: true, ..none },
        Reductions { values: true, ..none },
        Reductions { nodes: true, ..none },
        Reductions { threads: true, nodes: true, ..none },
    ]
}

#[test]
fn reductions_do_not_change_verdicts() {
    let (mut without, mut with) = (0, 0);
    for (name, asked) in instances() {
        let (expected, reduced) = explored(name, &asked, &Settings::default());
        // Most reductions of snapshot models cannot be switched off.
        let is_snapshot = find(name).unwrap().0.model(asked.threads(), None).is_snapshot();
        for reductions in variants() {
            let settings = Settings { reductions, ..Settings::default() };
            let (is_clean, counts) = explored(name, &asked, &settings);
            assert_eq!(is_clean, expected, "{name} {asked} {reductions:?}");
            let is_compared = reductions == Reductions::NONE && is_clean;
            assert!(!is_compared || reduced.stored <= counts.stored, "{name} {asked}");
            // A model without claims is not reduced.
            if is_compared && reduced.stored < counts.stored && !is_snapshot {
                without += counts.stored;
                with += reduced.stored;
            }
        }
    }
    println!("{without} states without reductions, {with} with");
    assert!(without > 3 * with);
}

#[test]
fn orders_change_neither_verdicts_nor_the_number_of_states() {
    for (name, asked) in instances() {
        let breadth = explored(name, &asked, &Settings::default());
        for order in [Order::Depth, Order::Preemptions, Order::Few, Order::Random(7)] {
            let other = explored(name, &asked, &Settings { order, ..Settings::default() });
            assert_eq!(other.0, breadth.0, "{name} {asked} {order:?}");
            if other.0 {
                assert_eq!(other.1.stored, breadth.1.stored, "{name} {asked} {order:?}");
            }
        }
    }
}

#[test]
fn counts_do_not_depend_on_the_number_of_cores() {
    // Large enough for rounds on several cores, and for tables to grow between rounds.
    let sound = Method::Sound;
    let cases = [
        ("michael-scott-counted", Asked::Total { threads: 2, ops: 5 }, sound),
        ("snark-3cas", Asked::Total { threads: 3, ops: 4 }, sound),
        ("harris-michael", Asked::Total { threads: 3, ops: 4 }, sound),
        ("afek-unbounded", Asked::PerThread { threads: 3, ops: 1 }, sound),
        ("bowman", Asked::Unbounded { threads: 3 }, Method::Simple),
        ("afek-bounded", Asked::PerThread { threads: 4, ops: 1 }, Method::Polynomial),
        ("treiber", Asked::Total { threads: 3, ops: 6 }, Method::Points),
        ("treiber", Asked::Total { threads: 2, ops: 5 }, Method::Recorded),
    ];
    let simple = SimpleRuns { pair: Some(Pair(0, 1)), omit: Omit::AsPublished };
    for (name, asked, method) in cases {
        let counts = |cores| {
            let cores = Some(cores);
            let (is_clean, counts) =
                explored(name, &asked, &Settings { cores, method, simple, ..Settings::default() });
            assert!(is_clean);
            let Counts { stored, matched, depth, stuck, histories, widest, carried, .. } = counts;
            (stored, matched, depth, stuck, histories, widest, carried)
        };
        let one = counts(1);
        println!("{name} {asked} {}: {one:?}", method.name());
        for cores in [2, 3, 4] {
            assert_eq!(counts(cores), one, "{name} {} on {cores} cores", method.name());
        }
    }
    // With a violation, several cores complete the level.
    let stack = Treiber::reuse_value_after();
    let counts = |cores| {
        let settings = Settings { cores: Some(cores), ..Settings::default() };
        let result = explore(&stack, &Bounds::Total { threads: 2, ops: 7 }, &settings).unwrap();
        let Outcome::Violation(violation) = result.outcome else { panic!("no violation") };
        (result.counts.stored, result.counts.depth, violation.steps.len())
    };
    assert_eq!(counts(2), counts(3));
    assert_eq!(counts(2), counts(4));
}

/// Fewest preemptions first finds the second bug of Snark before most states.
#[test]
fn preemption_order_finds_the_second_bug_of_snark() {
    let snark = Snark::first_repaired();
    let text = "pushR 1; pushR 2; pushR 3; popR | popL; popL | popR";
    let programs = parse_program(&snark, text).unwrap();
    let settings = Settings { order: Order::Preemptions, cores: Some(1), ..Settings::default() };
    let result = explore(&snark, &Bounds::Programs(programs), &settings).unwrap();
    let Outcome::Violation(violation) = result.outcome else { panic!("no violation") };
    let twice = violation.operations.iter().filter(|op| op.ret.as_deref() == Some("2")).count();
    assert_eq!(twice, 2, "{:?}", violation.operations);
}

/// Fewest preemptions and calls first needs no bound on operations, and few states even with ten processes.
#[test]
fn few_order_finds_the_bugs_of_snapshots_without_bounds() {
    let cases = [
        ("bowman-wrong", 10),
        ("afek-unbounded-wrong", 10),
        ("afek-bounded-wrong", 5),
        ("attiya-welch-wrong", 4),
        ("riany-wrong", 3),
        ("jayanti-wrong", 3),
    ];
    let simple = SimpleRuns { pair: Some(Pair(0, 1)), omit: Omit::AsPublished };
    for (name, threads) in cases {
        let settings = Settings {
            method: Method::Polynomial,
            order: Order::Few,
            simple,
            ..Settings::default()
        };
        let (is_clean, counts) = explored(name, &Asked::Unbounded { threads }, &settings);
        println!("{name}, {threads} processes: {} states", counts.stored);
        assert!(!is_clean, "{name}");
    }
}
