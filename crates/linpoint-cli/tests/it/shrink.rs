//! `linpoint shrink`.

use std::fs;
use std::path::Path;

use crate::support::{dir, examples, exits, linpoint, verdicts};

#[test]
fn the_core_of_a_violation_is_written() {
    let dir = dir("shrink");
    let file = examples().join("queue-out-of-order.jsonl");
    let args = ["shrink", file.to_str().unwrap(), "-o", "small.jsonl"];
    let (out, err) = exits(&linpoint(&dir, &args), 1);
    assert_eq!(out, "");
    assert_eq!(
        err,
        "note: 5 of 10 operations left, NOT LINEARIZABLE, checked again; 1 of them may have happened \
         at any time or not at all; all others are needed; the operations left out came later, or \
         cannot explain the violation at any time\n"
    );
    let small = fs::read_to_string(dir.join("small.jsonl")).unwrap();
    let lines: Vec<&str> = small.lines().collect();
    assert!(lines[0].starts_with("{\"linpoint\":1,\"model\":\"queue\",\"note\":\"shrunk from "));
    // Without the enqueue of r1, its dequeue would be a violation that the original history does not have.
    assert_eq!(
        lines[1..],
        [
            r#"{"call":1,"process":"producer-1","op":"enqueue","args":["r1"]}"#,
            r#"{"call":2,"process":"worker-1","op":"dequeue"}"#,
            r#"{"return":2,"value":"r1"}"#,
            r#"{"info":1}"#,
            r#"{"call":3,"process":"producer-1","op":"enqueue","args":["m7"]}"#,
            r#"{"return":3}"#,
            r#"{"call":4,"process":"producer-2","op":"enqueue","args":["x3"]}"#,
            r#"{"return":4}"#,
            r#"{"call":5,"process":"worker-1","op":"dequeue"}"#,
            r#"{"return":5,"value":"x3"}"#,
        ]
    );
    assert_eq!(verdicts(&dir), [("./small.jsonl".to_owned(), "bad".to_owned())]);
}

/// Asserts that every result is needed: with any one operation relaxed, the history is linearizable.
fn every_result_is_needed(dir: &Path, file: &str) {
    let text = fs::read_to_string(dir.join(file)).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let probes = dir.join(format!("{file}-probes"));
    fs::create_dir(&probes).unwrap();
    for (at, line) in lines.iter().enumerate() {
        let Some(id) = line.strip_prefix("{\"return\":") else { continue };
        let id = id.split([',', '}']).next().unwrap();
        // Relaxed: called before everything else and never returned.
        let call = format!("{{\"call\":{id},");
        let called = lines.iter().position(|line| line.starts_with(&call)).unwrap();
        let rest = lines.iter().enumerate().skip(1).filter(|(i, _)| *i != at && *i != called);
        let mut probe = vec![lines[0].to_owned(), lines[called].to_owned()];
        probe.push(format!("{{\"info\":{id}}}"));
        probe.extend(rest.map(|(_, line)| (*line).to_owned()));
        fs::write(probes.join(format!("{at}.jsonl")), probe.join("\n")).unwrap();
    }
    for (probe, verdict) in verdicts(&probes) {
        assert_eq!(verdict, "ok", "{file}: {probe}");
    }
}

#[test]
fn mutated_histories_shrink_to_the_wrong_result() {
    let dir = dir("shrink-models");
    let (models, _) = exits(&linpoint(&dir, &["models"]), 0);
    let models = models.lines().filter(|line| !line.starts_with(' '));
    for model in models.filter_map(|line| line.split(':').next()) {
        let (large, file) = (format!("{model}.large"), format!("{model}.jsonl"));
        // Without such a rule, even deciding takes long.
        let ops = if model == "java" { "20" } else { "60" };
        let args = ["gen", "--mutate", "--model", model, "--ops", ops, "-o", &large];
        exits(&linpoint(&dir, &args), 0);
        // A counter is hard to shrink: every other addition may have happened at any time. So are Java's collections:
        // no rule refutes a wrong result quickly.
        let is_hard = matches!(model, "counter" | "java");
        let budget = if is_hard { "1s" } else { "2m" };
        let args = ["shrink", "--budget", budget, &large, "-o", &file];
        let (_, err) = exits(&linpoint(&dir, &args), 1);
        assert!(err.contains("NOT LINEARIZABLE, checked again"), "{err}");
        if !is_hard {
            assert!(err.contains("are needed"), "{model}: {err}");
            every_result_is_needed(&dir, &file);
        }
        fs::remove_file(dir.join(&large)).unwrap();
        let left = fs::read_to_string(dir.join(&file)).unwrap().matches("\"call\"").count();
        let counts = is_hard || matches!(model, "mutex" | "semaphore");
        assert!(left == 1 || (counts && left <= 60), "{model}: {left}");
    }
    for (file, verdict) in verdicts(&dir) {
        let expected = if file.contains("-probes") { "ok" } else { "bad" };
        assert_eq!(verdict, expected, "{file}");
    }
}

/// The history with the results on these two lines swapped.
fn swapped(lines: &[&str], a: usize, b: usize) -> String {
    let value = |line: &str| line.split_once(",\"value\":").map(|(_, value)| value.to_owned());
    let with = |line: &str, value: &str| {
        format!("{},\"value\":{value}", line.split_once(",\"value\":").unwrap().0)
    };
    let mut lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    let (x, y) = (value(&lines[a]).unwrap(), value(&lines[b]).unwrap());
    (lines[a], lines[b]) = (with(&lines[a], &y), with(&lines[b], &x));
    lines.join("\n") + "\n"
}

#[test]
fn swapped_results_shrink_to_a_minimal_core() {
    let dir = dir("shrink-swapped");
    let mut shrunk = 0;
    for model in ["register", "queue", "stack", "priority-queue", "kv", "rmw", "snapshot"] {
        for seed in ["1", "2", "3"] {
            let name = format!("{model}-{seed}");
            let args = ["gen", "--model", model, "--ops", "40", "--seed", seed];
            let (text, _) = exits(&linpoint(&dir, &args), 0);
            let lines: Vec<&str> = text.lines().collect();
            let results: Vec<usize> = (0..lines.len())
                .filter(|at| lines[*at].contains("\"value\":") && !lines[*at].contains("true"))
                .filter(|at| !lines[*at].contains("false"))
                .collect();
            let (a, b) = (results[results.len() / 3], results[2 * results.len() / 3]);
            fs::write(dir.join(&name), swapped(&lines, a, b)).unwrap();
            let file = format!("{name}.jsonl");
            let output = linpoint(&dir, &["shrink", "--budget", "2m", &name, "-o", &file]);
            fs::remove_file(dir.join(&name)).unwrap();
            // Some swaps keep the history linearizable.
            if output.status.success() {
                continue;
            }
            let (_, err) = exits(&output, 1);
            assert!(err.contains("are needed"), "{name}: {err}");
            every_result_is_needed(&dir, &file);
            shrunk += 1;
        }
    }
    assert!(shrunk >= 12, "{shrunk}");
    for (file, verdict) in verdicts(&dir) {
        let expected = if file.contains("-probes") { "ok" } else { "bad" };
        assert_eq!(verdict, expected, "{file}");
    }
}

#[test]
fn a_linearizable_history_is_not_shrunk() {
    let dir = dir("shrink-ok");
    let file = examples().join("kv-ok.jsonl");
    let args = ["shrink", file.to_str().unwrap(), "-o", "small.jsonl"];
    let (out, err) = exits(&linpoint(&dir, &args), 0);
    assert!(err.ends_with("kv-ok.jsonl is linearizable: there is nothing to shrink\n"), "{err}");
    assert_eq!(out, "");
    assert!(!dir.join("small.jsonl").exists());
}

#[test]
fn an_undecided_history_is_not_shrunk() {
    let dir = dir("shrink-undecided");
    // No engine decides this history without memory.
    let args = ["gen", "--model", "deque", "--values", "2", "--clients", "40", "--overlap", "38"];
    let more = ["--ops", "400", "--ambiguous", "0.2", "-o", "a.jsonl"];
    exits(&linpoint(&dir, &[&args[..], &more].concat()), 0);
    let args = ["shrink", "--memory", "1", "a.jsonl", "-o", "b.jsonl"];
    let (_, err) = exits(&linpoint(&dir, &args), 3);
    assert_eq!(err, "note: a.jsonl: a limit was reached before an answer was found\n");
    assert!(!dir.join("b.jsonl").exists());
}

#[test]
fn other_formats_can_be_read_and_written() {
    let dir = dir("shrink-formats");
    let text = "# queue\nenq 1 0 1\nenq 2 2 3\nenq 9 4 5\ndeq 2 6 7\ndeq 1 8 9\n";
    fs::write(dir.join("a.log"), text).unwrap();
    let (out, _) = exits(&linpoint(&dir, &["shrink", "--as", "fastlin", "a.log"]), 1);
    assert_eq!(out, "# queue\nenq 1 0 1\nenq 2 2 3\ndeq 2 4 5\n");
    let (out, _) = exits(&linpoint(&dir, &["shrink", "--as", "limo", "a.log"]), 1);
    assert!(out.starts_with("# @object atomic-queue\n"), "{out}");
    let (_, err) = exits(&linpoint(&dir, &["shrink", "--as", "edn", "a.log"]), 2);
    assert!(err.contains("edn cannot record that this is a history of queue"), "{err}");
    let args = ["shrink", "--as", "edn", "--model", "queue", "a.log"];
    let (out, err) = exits(&linpoint(&dir, &args), 1);
    assert!(out.contains(":f :dequeue"), "{out}");
    assert!(err.contains("check it with --model 'queue'"), "{err}");
}

#[test]
fn touching_operations_of_one_process_stay_concurrent() {
    let dir = dir("shrink-touching");
    // The clock is coarse: operations that touch are concurrent, even those of one process.
    let text = "{\"linpoint\":1,\"model\":\"register\",\"initial\":0}
{\"process\":1,\"op\":\"write\",\"args\":[1],\"start\":1,\"end\":2}
{\"process\":1,\"op\":\"write\",\"args\":[2],\"start\":2,\"end\":3}
{\"process\":1,\"op\":\"read\",\"value\":0,\"start\":3,\"end\":5}
{\"process\":2,\"op\":\"read\",\"value\":1,\"start\":6,\"end\":7}
{\"process\":2,\"op\":\"read\",\"value\":2,\"start\":7,\"end\":8}
{\"process\":2,\"op\":\"read\",\"value\":1,\"start\":9,\"end\":9}
";
    fs::write(dir.join("a.jsonl"), text).unwrap();
    let (out, _) = exits(&linpoint(&dir, &["shrink", "a.jsonl"]), 1);
    fs::write(dir.join("a.jsonl"), out).unwrap();
    assert_eq!(verdicts(&dir), [("./a.jsonl".to_owned(), "bad".to_owned())]);
}

#[test]
fn bad_input_is_reported() {
    let dir = dir("shrink-bad");
    fs::write(dir.join("a.jsonl"), "{\"linpoint\":1,\"model\":\"queue\"}\n{\"call\":1}\n").unwrap();
    for (args, message) in [
        (&["a.jsonl"][..], "error: a.jsonl:2: which operation? \"op\" is missing\n"),
        (&["none"], "error: none: no such file or directory\n"),
        (&["--budget", "0s", "a.jsonl"], "error: invalid value '0s' for '--budget <TIME>'"),
    ] {
        let (out, err) = exits(&linpoint(&dir, &[&["shrink"], args].concat()), 2);
        assert!(err.starts_with(message), "{args:?}: {err}");
        assert_eq!(out, "");
    }
}
