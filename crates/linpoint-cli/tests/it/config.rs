//! `linpoint.toml`: the models of files.

use std::fs;
use std::path::PathBuf;

use crate::support::{BAD, dir, exits, linpoint, linpoint_reading};

const QUEUE: &str = "[{:process 0 :type :invoke :f :enqueue :value 1}\n\
    {:process 0 :type :ok :f :enqueue :value 1}]";
const LOCK: &str = "[{:process 0 :type :invoke :f :acquire}\n{:process 0 :type :ok :f :acquire}]";

const CONFIG: &str = r#"
[[histories]]
files = "queues/**"
model = "queue:capacity=20"

[[histories]]
files = ["*.lock.edn", "x/{a,b}/*"]
model = "mutex"

[[histories]]
files = "*.edn"
model = "stack"
"#;

fn runs(name: &str) -> PathBuf {
    let dir = dir(name);
    fs::create_dir_all(dir.join("runs/queues/old")).unwrap();
    fs::write(dir.join("runs/linpoint.toml"), CONFIG).unwrap();
    fs::write(dir.join("runs/queues/old/q.edn"), QUEUE).unwrap();
    fs::write(dir.join("runs/m.lock.edn"), LOCK).unwrap();
    dir
}

#[test]
fn the_first_entry_that_matches_gives_the_model() {
    let dir = runs("config");
    let in_runs = dir.join("runs");
    let (out, _) = exits(&linpoint(&in_runs, &["check", ".", "--include", "*.edn"]), 0);
    assert!(out.contains("m.lock.edn  linearizable  mutex, "), "{out}");
    assert!(out.contains("q.edn  linearizable  queue:capacity=20, "), "{out}");
    // From a directory below, patterns are still about paths from that of the file.
    let (out, _) = exits(&linpoint(&in_runs.join("queues"), &["check", "old/q.edn"]), 0);
    assert!(out.contains("linearizable  queue:capacity=20, "), "{out}");
    // From above, the file has to be named.
    let args = ["check", "runs/queues/old/q.edn", "--config", "runs/linpoint.toml"];
    let (out, _) = exits(&linpoint(&dir, &args), 0);
    assert!(out.contains("linearizable  queue:capacity=20, "), "{out}");
    for command in ["plan", "stats", "depth"] {
        exits(&linpoint(&in_runs, &[command, "queues", "m.lock.edn"]), 0);
    }
}

#[test]
fn the_command_line_overrides_the_configuration() {
    let dir = runs("config-override").join("runs");
    let args = ["check", "--model", "queue", "queues/old/q.edn"];
    let (out, _) = exits(&linpoint(&dir, &args), 0);
    assert!(out.contains("linearizable  queue, "), "{out}");
}

#[test]
fn the_configuration_overrides_the_file() {
    let dir = dir("config-file");
    fs::write(dir.join("a.jsonl"), BAD).unwrap();
    exits(&linpoint(&dir, &["check", "a.jsonl"]), 1);
    let config = "[[histories]]\nfiles = \"a.*\"\nmodel = \"register:initial=7\"\n";
    fs::write(dir.join("linpoint.toml"), config).unwrap();
    exits(&linpoint(&dir, &["check", "a.jsonl"]), 0);
    exits(&linpoint_reading(&dir, &["check", "-"], BAD), 1);
    // Files elsewhere are not concerned.
    let other = self::dir("config-elsewhere");
    fs::write(other.join("a.jsonl"), BAD).unwrap();
    exits(&linpoint(&dir, &["check", other.join("a.jsonl").to_str().unwrap()]), 1);
}

#[test]
fn a_bad_configuration_is_an_error() {
    let dir = dir("config-bad");
    fs::write(dir.join("a.jsonl"), BAD).unwrap();
    for (config, message) in [
        ("[[histories]\n", "at line 1"),
        ("[[history]]\n", "unknown field `history`"),
        ("[[histories]]\nfiles = \"*\"\n", "missing field `model`"),
        ("[[histories]]\nfiles = \"*\"\nmodel = \"heap\"\n", "unknown model \"heap\""),
        ("[[histories]]\nfiles = \"[a]\"\nmodel = \"set\"\n", "\"[a]\" is not a pattern"),
        ("[[histories]]\nfiles = \"*\"\nmodel = \"set:x=1\"\n", "has no option \"x\""),
    ] {
        fs::write(dir.join("linpoint.toml"), config).unwrap();
        let (out, err) = exits(&linpoint(&dir, &["check", "a.jsonl"]), 2);
        assert!(err.contains(message) && err.contains("linpoint.toml: "), "{err}");
        assert_eq!(out, "");
    }
    let (_, err) = exits(&linpoint(&dir, &["check", "a.jsonl", "--config", "none.toml"]), 2);
    assert!(err.contains("none.toml: no such file or directory"), "{err}");
}
