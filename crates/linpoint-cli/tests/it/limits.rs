//! Histories that once exhausted memory, or made the command fail: small, with large effects.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{dir, examples, exits, linpoint};

/// With unlimited appends there is no end of states, and each is longer than the one before.
const APPENDS: &str = r#"{"linpoint":1,"model":"kv","initial":""}
{"op":"append","args":["k8","3,"],"start":2580}
{"op":"append","args":["k8","1,"],"start":3240,"end":3245}
{"op":"append","args":["k8","1,"],"start":3280,"end":3285}
{"op":"append","args":["k8","3,"],"start":3330}
{"op":"append","args":["k8","5,"],"start":3640,"end":3645}
{"op":"append","args":["k8","2,"],"start":3960}
{"op":"append","args":["k8","4,"],"start":4120,"end":4125}
{"op":"append","args":["k8","1,"],"start":4130}
{"op":"append","args":["k8","4,"],"start":4440,"end":4445}
{"op":"append","args":["k8","4,"],"start":4680}
{"op":"append","args":["k8","4,"],"start":5230,"end":5235}
{"op":"append","args":["k8","2,"],"start":5400,"end":5405}
{"op":"append","args":["k8","3,"],"start":5510}
{"op":"get","args":["k8"],"value":"4,4,5,2,3,4,2,4,3,4,3,4,1,1,3,5,2,4,1,4,4,4,2,3,","start":6310,"end":6315}
{"op":"append","args":["k8","5,"],"start":7230,"end":7235}
"#;

/// The `get_or_else_update` found a value and wrote nothing. Relaxed, it could have written "b".
const LATENT_WRITE: &str = r#"{"linpoint":1,"model":"kv"}
{"call":1,"process":1,"op":"get","args":["x"]}
{"call":2,"process":2,"op":"append","args":["x","a"]}
{"call":3,"process":3,"op":"get_or_else_update","args":["x","b"]}
{"return":1,"value":"b"}
{"return":2}
{"return":3,"value":"a"}
"#;

#[test]
fn growing_states_do_not_exhaust_memory() {
    let dir = dir("limits-appends");
    fs::write(dir.join("h.jsonl"), APPENDS).unwrap();
    // An optimised build needs 60 MB. How much engines that race need together depends on their speed.
    for memory in ["150MB", "1GB"] {
        let (out, _) = exits(&linpoint(&dir, &["check", "--memory", memory, "h.jsonl"]), 1);
        assert!(out.contains("NOT LINEARIZABLE"), "{out}");
    }
}

/// Without `--memory` too: the process may have 2 GB here.
#[cfg(target_os = "linux")]
#[test]
fn growing_states_fit_into_little_memory_by_default() {
    let dir = dir("limits-appends-default");
    fs::write(dir.join("h.jsonl"), APPENDS).unwrap();
    let command =
        format!("ulimit -v 2000000; exec {} check h.jsonl", env!("CARGO_BIN_EXE_linpoint"));
    let output = Command::new("sh").args(["-c", &command]).current_dir(&dir).output().unwrap();
    exits(&output, 1);
}

#[test]
fn a_core_names_operations_that_would_write_if_relaxed() {
    let dir = dir("limits-latent-write");
    fs::write(dir.join("h.jsonl"), LATENT_WRITE).unwrap();
    let (out, _) = exits(&linpoint(&dir, &["check", "h.jsonl"]), 1);
    assert!(out.contains("NOT LINEARIZABLE") && out.contains("confirmed by breadth"), "{out}");
}

/// The names of all models.
fn models(dir: &Path) -> Vec<String> {
    let (out, _) = exits(&linpoint(dir, &["models"]), 0);
    let names = out.lines().filter(|line| !line.starts_with(' '));
    names.filter_map(|line| line.split(':').next()).map(str::to_owned).collect()
}

/// Lines of a generated history, without processes: its header, its calls, its returns. Operations that had to wait come in
/// the order in which they took effect, which is that of returns.
fn generated(dir: &Path, model: &str, more: &[&str]) -> (String, Vec<String>, Vec<String>) {
    let args = [&["gen", "--model", model, "--ops", "300", "--overlap", "0"], more].concat();
    let (out, _) = exits(&linpoint(dir, &args), 0);
    let mut lines = out.lines();
    let header = lines.next().unwrap().to_owned();
    let (calls, returns): (Vec<&str>, Vec<&str>) = lines.partition(|l| l.starts_with("{\"call\""));
    let bare = |line: &str| match (line.find("\"process\""), line.find("\"op\"")) {
        (Some(from), Some(to)) => format!("{}{}", &line[..from], &line[to..]),
        _ => line.to_owned(),
    };
    (
        header,
        calls.into_iter().map(bare).collect(),
        returns.into_iter().map(str::to_owned).collect(),
    )
}

/// Wide histories of every model, right and wrong: whatever the limits are, there is a verdict or none, and never an error.
#[test]
fn every_model_keeps_small_limits() {
    let dir = dir("limits-models");
    for model in models(&dir) {
        for more in [&["--values", "few"][..], &["--mutate"]] {
            let (header, calls, returns) = generated(&dir, &model, more);
            let third = returns.iter().step_by(3).cloned().collect::<Vec<_>>();
            for ends in [returns, third] {
                let lines =
                    [std::slice::from_ref(&header), &calls[..], &ends[..]].concat().join("\n");
                fs::write(dir.join("h.jsonl"), lines).unwrap();
                for limits in [["--timeout", "5ms"], ["--memory", "1MB"]] {
                    let time = ["--timeout", "200ms"];
                    let time = if limits[0] == "--memory" { &time[..] } else { &[] };
                    let args = [&["check", "h.jsonl", "-q"], &limits[..], time].concat();
                    let output = linpoint(&dir, &args);
                    let error = String::from_utf8_lossy(&output.stderr).into_owned();
                    let code = output.status.code();
                    assert!(
                        matches!(code, Some(0 | 1 | 3)),
                        "{model} {more:?} {limits:?}: {error}"
                    );
                }
            }
        }
    }
}

/// The first check of `shrink` is limited too, and so is the last.
#[test]
fn shrink_without_time_is_undecided() {
    let dir = dir("limits-shrink");
    fs::write(dir.join("h.jsonl"), APPENDS).unwrap();
    let (out, err) = exits(&linpoint(&dir, &["shrink", "--budget", "1ms", "h.jsonl"]), 3);
    assert!(out.is_empty() && err.contains("a limit was reached"), "{out}{err}");
}

#[test]
fn a_history_that_only_pending_operations_explain_has_no_depth() {
    let dir = dir("limits-depth");
    let file = examples().join("ambiguous-write.jsonl");
    let file = file.to_str().unwrap();
    let (out, _) = exits(&linpoint(&dir, &["depth", "--as", "tsv", file]), 0);
    let row: Vec<&str> = out.lines().nth(1).unwrap().split('\t').collect();
    assert_eq!((row[1], row[6], row[7], row[8]), ("ok", "pending", "pending", "2"), "{out}");
    let (out, _) = exits(&linpoint(&dir, &["depth", "--as", "json", file]), 0);
    assert!(out.contains(r#""depth":null,"depth_more_than":null,"needs_pending":true"#), "{out}");
}

/// With a capacity, `null` means that the value was added. Without any value, it may have been refused.
#[test]
fn a_result_of_null_is_not_full() {
    let dir = dir("limits-capacity");
    for model in ["queue", "deque"] {
        let op = if model == "queue" { "enqueue" } else { "push_back" };
        for (value, code) in [(r#","value":null"#, 1), ("", 0), (r#","value":"full""#, 0)] {
            let text = format!(
                "{{\"linpoint\":1,\"model\":\"{model}\",\"capacity\":1}}\n\
                 {{\"op\":\"{op}\",\"args\":[1],\"value\":\"ok\",\"start\":1,\"end\":2}}\n\
                 {{\"op\":\"{op}\",\"args\":[2]{value},\"start\":3,\"end\":4}}\n"
            );
            fs::write(dir.join("h.jsonl"), text).unwrap();
            exits(&linpoint(&dir, &["check", "h.jsonl"]), code);
        }
    }
}

/// A process that reads at the instant at which its own write ended has written before.
#[test]
fn one_process_keeps_its_order_with_a_coarse_clock() {
    let dir = dir("limits-ties");
    for (reader, code) in [(1, 1), (2, 0)] {
        let text = format!(
            "{{\"linpoint\":1,\"model\":\"register\",\"initial\":0}}\n\
             {{\"process\":1,\"op\":\"write\",\"args\":[5],\"start\":1,\"end\":2}}\n\
             {{\"process\":{reader},\"op\":\"read\",\"value\":0,\"start\":2,\"end\":3}}\n"
        );
        fs::write(dir.join("h.jsonl"), text).unwrap();
        exits(&linpoint(&dir, &["check", "h.jsonl"]), code);
    }
}

/// Positions are compared within one object, also if the scope has the same name in another.
#[test]
fn asserted_positions_of_different_objects_are_not_compared() {
    let dir = dir("limits-hints");
    for (object, code) in [("a", 1), ("b", 0)] {
        let text = format!(
            "{{\"linpoint\":1,\"model\":\"register\"}}\n\
             {{\"object\":\"a\",\"op\":\"write\",\"args\":[1],\"start\":1,\"end\":2,\"hint\":{{\"scope\":\"s\",\"position\":9}}}}\n\
             {{\"object\":\"{object}\",\"op\":\"write\",\"args\":[2],\"start\":3,\"end\":4,\"hint\":{{\"scope\":\"s\",\"position\":5}}}}\n"
        );
        fs::write(dir.join("h.jsonl"), text).unwrap();
        exits(&linpoint(&dir, &["check", "--hints", "assert", "h.jsonl"]), code);
    }
}
