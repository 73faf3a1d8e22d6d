//! `linpoint check` on many files in parallel: order of results, shares of memory, interrupts.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{BAD, OK, command, dir, exits, linpoint, many_orders, no_order, spawn};

/// Lines of TSV without the fields that vary between runs: the engine and the seconds.
fn stable(tsv: &str) -> Vec<String> {
    let stable = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        [fields[0], fields[1], fields[3]].join(" ")
    };
    tsv.lines().map(stable).collect()
}

#[test]
fn results_are_in_input_order_for_any_number_of_threads() {
    let dir = dir("parallel-order");
    let mut expected = Vec::new();
    for i in 0..120 {
        let name = format!("{i:03}.jsonl");
        let (text, verdict, operations) = match i % 5 {
            // The first of every five takes longest.
            0 => (many_orders(200), "ok", 400),
            1 => (BAD.to_owned(), "bad", 1),
            2 => ("{\"linpoint\":1}\nnonsense".to_owned(), "error", 0),
            _ => (OK.to_owned(), "ok", 1),
        };
        fs::write(dir.join(&name), text).unwrap();
        expected.push(format!("{name} {verdict} {operations}"));
    }
    let errors = |err: &str| err.lines().filter(|line| line.starts_with("error:")).count();
    for threads in ["1", "2", "7", "200"] {
        let args = ["check", "--as", "tsv", "--jobs", threads, "."];
        let (out, err) = exits(&linpoint(&dir, &args), 1);
        let found = stable(&out.replace("./", ""));
        assert_eq!(found, expected, "with {threads} threads");
        assert_eq!(errors(&err), 24, "{err}");
    }
}

#[test]
fn a_small_memory_limit_still_admits_every_file() {
    // No two histories fit into the limit together, so they are admitted one by one.
    let dir = dir("parallel-small");
    for i in 0..30 {
        fs::write(dir.join(format!("{i}.jsonl")), OK).unwrap();
    }
    let args = ["check", "--as", "tsv", "--jobs", "8", "--memory", "64KiB", "."];
    let (out, _) = exits(&linpoint(&dir, &args), 0);
    assert_eq!(out.lines().count(), 30);
}

#[test]
fn a_check_that_exceeds_its_share_is_repeated_with_all_memory() {
    let dir = dir("parallel-memory");
    let names = ["a", "b", "c", "d"];
    for name in names {
        fs::write(dir.join(name), no_order(12)).unwrap();
    }
    let run = |memory: usize, files: &[&str]| {
        let memory = memory.to_string();
        let options = ["check", "--as", "tsv", "--jobs", "4", "--algorithm", "breadth"];
        linpoint(&dir, &[&options[..], &["--memory", &memory], files].concat())
    };
    let enough = (10..30).map(|n| 1 << n).find(|n| run(*n, &["a"]).status.code() == Some(1));
    let enough = enough.expect("a limit under which one history is refuted");
    assert!(enough > 1 << 10, "the limit must matter for this test");
    // Each check first gets a quarter of the limit, which is not enough. The whole is, beside the other histories.
    exits(&run(enough / 2, &["a"]), 3);
    let (out, _) = exits(&run(2 * enough, &names), 1);
    assert_eq!(stable(&out), names.map(|name| format!("{name} bad 14")));
}

#[test]
fn standard_input_is_read_only_once() {
    let dir = dir("parallel-stdin");
    fs::write(dir.join("a"), OK).unwrap();
    let (out, err) = exits(&linpoint(&dir, &["check", "--as", "tsv", "-", "a", "-"]), 2);
    assert_eq!(stable(&out), ["- ok 0", "a ok 1", "- error 0"]);
    assert!(err.contains("error: -: standard input can be read only once"), "{err}");
}

#[test]
fn no_progress_is_drawn_without_a_terminal() {
    let dir = dir("parallel-progress");
    fs::write(dir.join("a"), OK).unwrap();
    for args in [&["check", "a", "a"][..], &["check", "--quiet", "a", "a"]] {
        let output = command(&dir, args).env("TERM", "xterm").output().unwrap();
        assert_eq!(exits(&output, 0).1, "");
    }
}

/// Needs the program `kill`.
#[cfg(unix)]
#[test]
fn an_interrupted_run_prints_its_results() {
    let dir = dir("parallel-interrupt");
    fs::write(dir.join("1"), BAD).unwrap();
    // Runs until it is interrupted.
    fs::write(dir.join("2"), no_order(40)).unwrap();
    fs::write(dir.join("3"), OK).unwrap();
    let args = ["check", "--jobs", "1", "--algorithm", "wg-tree", "1", "2", "3"];
    let mut child =
        command(&dir, &args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    out.read_line(&mut first).unwrap();
    assert!(first.starts_with("✗ 1  NOT LINEARIZABLE"), "{first}");
    std::thread::sleep(Duration::from_millis(200));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    exits(&child.wait_with_output().unwrap(), 1);
    // On a busy machine, the signal may come before the second check has begun.
    let is_stopped = rest.contains("? 2  undecided")
        && rest.contains("stopped by cancellation")
        && rest.contains("; interrupted, 1 input not checked; ");
    let never_began = rest.contains("; interrupted, 2 inputs not checked; ");
    assert!(is_stopped || never_began, "{rest}");
}

#[test]
fn a_closed_output_ends_the_run_even_with_open_stdin() {
    let dir = dir("parallel-gone");
    for i in 0..200 {
        fs::write(dir.join(format!("{i:03}.jsonl")), BAD).unwrap();
    }
    let mut child = spawn(&dir, &["check", "--jobs", "4", ".", "-"]);
    // Stays open: a thread that reads it waits forever.
    let stdin = child.stdin.take();
    drop(child.stdout.take());
    let (_, err) = exits(&child.wait_with_output().unwrap(), 1);
    assert_eq!(err, "");
    drop(stdin);
}
