//! Histories that once exhausted memory, or made the command fail: small, with large effects.

use std::fs;
use std::process::Command;

use crate::support::{dir, exits, linpoint};

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
    for memory in ["100MB", "1GB"] {
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
