//! SPIN itself, on the bundled models and on models that misbehave.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use linpoint_model::spin::{BUNDLED, Ended, Recording, Returned, Run, Spin, SpinError, What};

/// False if spin or gcc is missing; prints that the test is skipped.
fn has_spin() -> bool {
    let runs = |program: &str, arg: &str| Command::new(program).arg(arg).output().is_ok();
    let here = runs("spin", "-V") && runs("gcc", "--version");
    if !here {
        println!("SKIPPED: spin or gcc is not installed");
    }
    here
}

/// Writes a model to a directory of its own.
fn model(test: &str, text: &str) -> PathBuf {
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("spin-{test}"));
    fs::create_dir_all(&dir).unwrap();
    let path = dir.join("model.pml");
    fs::write(&path, text).unwrap();
    path
}

fn bundled(name: &str) -> PathBuf {
    let (_, text) = BUNDLED.iter().find(|(bundled, _)| *bundled == name).unwrap();
    model(name, text)
}

/// The history, if it pops some value twice.
fn popped_twice(recordings: &[Recording]) -> Option<Vec<Recording>> {
    let returned = |recording: &Recording| match recording.what {
        What::Return(Returned::Int(value)) => Some(value),
        _ => None,
    };
    let mut values: Vec<i64> = recordings.iter().filter_map(returned).collect();
    values.sort_unstable();
    values.windows(2).any(|pair| pair[0] == pair[1]).then(|| recordings.to_vec())
}

#[test]
fn treibers_stack_pops_a_value_twice_without_tags() {
    if !has_spin() {
        return;
    }
    let mut spin = Spin::new(bundled("treiber.pml"));
    let run: Run<_> = spin.run(popped_twice).unwrap();
    assert_eq!(run.tally.ended, Ended::Found);
    let found = run.found.unwrap();
    assert!(matches!(found[0].what, What::Call { .. }));

    spin.defines.push("TAGS".to_owned());
    let run = spin.run(popped_twice).unwrap();
    assert!(run.found.is_none() && run.histories > 100);
    assert_eq!(run.tally.ended, Ended::Finished);
    assert!(run.tally.stored.unwrap() > 1000 && run.tally.matched.unwrap() > 100);
    assert!(!run.tally.is_truncated);
}

#[test]
fn malformed_output_and_crashes_are_errors() {
    if !has_spin() {
        return;
    }
    let run = |test, text| Spin::new(model(test, text)).run(|_| None::<()>);
    let nonsense = "active proctype p() { c_code { printf(\"@lp 1 x call f\\n\"); } }";
    let error = run("nonsense", nonsense).unwrap_err();
    assert!(matches!(error, SpinError::Recording(_)), "{error}");
    assert!(error.to_string().contains("the process is not a number"), "{error}");

    let crash = "active proctype p() { c_code { abort(); } }";
    let error = run("crash", crash).unwrap_err();
    assert!(matches!(error, SpinError::Verifier(_)), "{error}");

    let error = run("syntax", "active proctype {").unwrap_err();
    assert!(matches!(error, SpinError::Model(_)), "{error}");

    let error = run("c", "active proctype p() { c_code { there is no such thing; } }").unwrap_err();
    assert!(matches!(error, SpinError::Compile(_)), "{error}");
}

#[test]
fn endless_searches_are_truncated_or_time_out() {
    if !has_spin() {
        return;
    }
    // About four billion states in one path.
    let counter = "int x; active proctype p() { do :: x = x + 1; assert(x != -1) od }";
    let mut spin = Spin::new(model("endless", counter));
    spin.depth = 1000;
    let run = spin.run(|_| None::<()>).unwrap();
    assert!(run.tally.is_truncated, "{:?}", run.tally);
    spin.timeout = Some(Duration::from_millis(1));
    spin.depth = 2_000_000;
    let run = spin.run(|_| None::<()>).unwrap();
    assert_eq!(run.tally.ended, Ended::TimedOut);
}

#[test]
fn a_missing_model_is_an_error() {
    let error = Spin::new("/nowhere/model.pml").run(|_| None::<()>).unwrap_err();
    assert_eq!(error.to_string(), "/nowhere/model.pml: no such file");
}
