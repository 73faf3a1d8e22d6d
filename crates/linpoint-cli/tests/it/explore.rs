//! `linpoint explore`.

use std::fs;

use crate::support::{dir, exits, linpoint};

#[test]
fn a_violation_is_printed_step_by_step() {
    let dir = dir("explore");
    let program = "pushR 1; popR | pushR 2; popL";
    let args = ["explore", "snark", "--program", program, "--jobs", "1", "--html", "page.html"];
    let (out, err) = exits(&linpoint(&dir, &args), 1);
    assert_eq!(err, "");
    for part in [
        "snark pushR 1; popR | pushR 2; popL  NOT LINEARIZABLE",
        "method sound",
        "  LHat=1 RHat=1 1:(L=1 R=1 V=0)\n",
        "   1 T0 pushR(1) UR0",
        "  15 T0 PR2 -> empty",
        "T0",
    ] {
        assert!(out.contains(part), "{part}\n{out}");
    }
    let page = fs::read_to_string(dir.join("page.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.contains("\"lines\":[\"UR0\"]"));
    assert_eq!(page.matches("\"shared\":").count(), 15, "every step has its state");
    let (out, _) =
        exits(&linpoint(&dir, &["explore", "snark", "--program", program, "--as", "json"]), 1);
    for part in [
        r#""outcome":"violation""#,
        r#""model":"snark""#,
        r#""method":"sound""#,
        r#""lines":["PR2"]"#,
        r#""verdict":"violation""#,
    ] {
        assert!(out.contains(part), "{part}\n{out}");
    }
    assert_eq!(out.lines().count(), 1);
}

#[test]
fn the_list_of_models_comes_as_json_too() {
    let dir = dir("explore-list");
    let (out, _) = exits(&linpoint(&dir, &["explore", "--list", "--as", "json"]), 0);
    assert!(out.lines().all(|line| line.starts_with('{') && line.ends_with('}')), "{out}");
    assert!(out.contains(r#""model":"snark""#) && out.contains(r#""is_correct":false"#), "{out}");
    let (text, _) = exits(&linpoint(&dir, &["explore", "--list"]), 0);
    assert_eq!(out.lines().count(), text.lines().filter(|line| !line.starts_with(' ')).count());
}

#[test]
fn a_correct_model_is_explored_completely() {
    let dir = dir("explore-right");
    let (out, err) =
        exits(&linpoint(&dir, &["explore", "treiber", "--threads", "2", "--ops", "4"]), 0);
    assert!(out.contains("treiber any-4×2  linearizable within the bounds"), "{out}");
    assert_eq!(err, "");
    let (out, _) = exits(
        &linpoint(&dir, &["explore", "bowman", "-t", "2", "--per-thread", "2", "--as", "json"]),
        0,
    );
    assert!(out.contains(r#""bounds":{"per_thread":2,"threads":2}"#), "{out}");
    assert!(out.contains(r#""outcome":"clean""#) && out.contains(r#""is_sound":true"#), "{out}");
}

#[test]
fn a_limit_makes_the_outcome_undecided() {
    let dir = dir("explore-limit");
    let args = ["explore", "snark-3cas", "--threads", "4", "--ops", "9", "--timeout", "100ms"];
    let (out, _) = exits(&linpoint(&dir, &args), 3);
    assert!(out.contains("stopped by the time limit; no violation so far"), "{out}");
    let args = ["explore", "snark-3cas", "--threads", "4", "--ops", "9", "--memory", "1MiB"];
    let (out, _) = exits(&linpoint(&dir, &args), 3);
    assert!(out.contains("stopped by the memory limit"), "{out}");
}

#[test]
fn unsound_methods_print_a_warning() {
    let dir = dir("explore-unsound");
    for method in ["external", "common"] {
        let args = ["explore", "treiber", "--ops", "3", "--method", method];
        let (out, err) = exits(&linpoint(&dir, &args), 0);
        assert!(out.contains("nothing found, nothing verified"), "{out}");
        assert!(err.starts_with(&format!("warning: {method}: unsound")), "{err}");
    }
}

#[test]
fn bad_usage_exits_with_2() {
    let dir = dir("explore-bad");
    let (_, err) = exits(&linpoint(&dir, &["explore", "snarc"]), 2);
    assert!(
        err.starts_with("error: there is no model \"snarc\"; did you mean \"snark\"? The models"),
        "{err}"
    );
    let (_, err) = exits(&linpoint(&dir, &["explore", "treiber", "--program", "peek"]), 2);
    assert!(
        err.contains(
            "\"peek\" is not an operation of this model; the operations are: push(1), pop"
        ),
        "{err}"
    );
    let (_, err) = exits(&linpoint(&dir, &["explore", "treiber", "--threads", "99"]), 2);
    assert!(err.contains("between 1 and 10 threads"), "{err}");
    exits(&linpoint(&dir, &["explore"]), 2);
    exits(&linpoint(&dir, &["explore", "treiber", "--ops", "3", "--per-thread", "2"]), 2);
    let (_, err) = exits(&linpoint(&dir, &["explore", "herlihy-wing", "--method", "points"]), 2);
    assert!(err.contains("does not say when its operations take effect"), "{err}");
}

#[test]
fn the_models_are_listed() {
    let dir = dir("explore-list");
    let (out, _) = exits(&linpoint(&dir, &["explore", "--list"]), 0);
    for part in [
        "snark: Snark deque as published (broken)",
        "    push(1), pop\n",
        "array-queue:2, the number of slots",
    ] {
        assert!(out.contains(part), "{part}\n{out}");
    }
    assert!(out.lines().count() > 100);
}

#[test]
fn a_page_that_cannot_be_written_fails_before_the_work() {
    let dir = dir("explore-page");
    // Unbounded, this takes minutes.
    let explore = ["explore", "michael-scott", "--threads", "3", "--unbounded", "--html"];
    let into = |path: &str| linpoint(&dir, &[&explore[..], &[path]].concat());
    let (_, missing) = exits(&into("missing/page.html"), 2);
    assert!(missing.contains("--html: cannot write missing/page.html: "), "{missing}");
    let (_, directory) = exits(&into("."), 2);
    assert!(directory.contains("--html: cannot write .: is a directory"), "{directory}");
}
