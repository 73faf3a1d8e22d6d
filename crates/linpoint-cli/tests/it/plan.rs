//! `linpoint plan`.

use std::fs;

use crate::support::{OK, dir, exits, linpoint};

/// A sequential history of a queue: `e5` enqueues 5, `d5` dequeues 5.
fn queue(words: &[&str]) -> String {
    let mut text = "{\"linpoint\":1,\"model\":\"queue\"}\n".to_owned();
    for (id, word) in words.iter().enumerate() {
        let value = &word[1..];
        text += &match &word[..1] {
            "e" => format!(
                "{{\"call\":{id},\"op\":\"enqueue\",\"args\":[{value}]}}\n{{\"return\":{id}}}\n"
            ),
            _ => format!(
                "{{\"call\":{id},\"op\":\"dequeue\"}}\n{{\"return\":{id},\"value\":{value}}}\n"
            ),
        };
    }
    text
}

#[test]
fn the_plan_names_a_monitor_that_decides() {
    let dir = dir("plan-monitor");
    fs::write(dir.join("q.jsonl"), queue(&["e1", "e2", "d1"])).unwrap();
    let args = ["plan", "--jobs", "3", "--timeout", "10s", "--memory", "1MiB", "q.jsonl"];
    let (out, err) = exits(&linpoint(&dir, &args), 0);
    assert!(out.starts_with("q.jsonl  queue, jsonl\n"), "{out}");
    for line in [
        "  history        3 operations, 3 distinct; 0 pending, 0 with an unknown result\n",
        "  concurrency    up to 1 open at once\n",
        "  parts          not split: the monitor takes all operations at once\n",
        "  tactics        0. monitor: queue-monitor decides this history\n",
        "                 1. monitor by part: refused: the whole history is one part\n",
        "                 2. straight jit-graph: refused: not needed\n",
        "                 5. unlimited-pending: refused: no operation is pending\n",
        "  limits         3 cores, at most 10.0 s, at most 1048576 bytes of memory\n",
    ] {
        assert!(out.contains(line), "{line}{out}");
    }
    assert_eq!(err, "");
}

#[test]
fn the_plan_has_the_reason_why_a_monitor_refuses() {
    let dir = dir("plan-refused");
    // The monitor of counters refuses different amounts.
    let counter = queue(&["e1", "e1", "e2"]).replace("enqueue", "add");
    fs::write(dir.join("q.jsonl"), counter.replace("queue", "counter")).unwrap();
    let (out, _) = exits(&linpoint(&dir, &["plan", "q.jsonl"]), 0);
    assert!(out.contains("3 operations, 2 distinct"), "{out}");
    let reason = out.split("0. monitor: refused: ").nth(1).expect(&out).lines().next().unwrap();
    // The check itself reports the same reason.
    let (json, _) = exits(&linpoint(&dir, &["check", "--as", "json", "q.jsonl"]), 0);
    assert!(json.contains(&format!("\"refused\":\"{}", reason.trim_end())), "{reason}\n{json}");
    let (out, _) = exits(&linpoint(&dir, &["plan", "--algorithm", "breadth", "q.jsonl"]), 0);
    assert!(out.contains("0. breadth: asked for by name\n") && !out.contains("1. "), "{out}");
}

#[test]
fn json_has_one_plan_per_line() {
    let dir = dir("plan-json");
    fs::write(dir.join("a.jsonl"), OK).unwrap();
    let args = ["plan", "--as", "json", "a.jsonl", "missing"];
    let (out, err) = exits(&linpoint(&dir, &args), 2);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 2, "{out}");
    for part in [
        "\"schema\":\"linpoint.plan\"",
        "\"version\":1",
        "\"name\":\"a.jsonl\"",
        "\"model\":\"register\"",
        "\"operations\":1",
        "\"different_operations\":1",
        "\"ladder\":[{",
        "\"limits\":{\"bytes\":null,\"seconds\":null}",
    ] {
        assert!(lines[0].contains(part), "{part}: {out}");
    }
    assert!(lines[1].contains("\"error\":\"missing: no such file or directory\""), "{out}");
    assert!(err.contains("error: missing: no such file or directory"), "{err}");
}

#[test]
fn bad_usage_exits_with_2() {
    let dir = dir("plan-usage");
    fs::write(dir.join("a.jsonl"), OK).unwrap();
    let (_, err) = exits(&linpoint(&dir, &["plan", "--algorithm", "magic", "a.jsonl"]), 2);
    assert!(err.contains("unknown engine \"magic\"; the engines are: "), "{err}");
    exits(&linpoint(&dir, &["plan"]), 2);
    let (out, _) = exits(&linpoint(&dir, &["plan", "--help"]), 0);
    assert!(out.contains("Examples:"), "{out}");
}
