//! Output for CI systems: GitHub annotations.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{BAD, OK, command, dir, exits, linpoint, linpoint_reading, many_orders};

/// Two keys of four fail, on lines 3 and 9.
const KEYS: &str = r#"{"linpoint":1,"model":"kv"}
{"process":0,"op":"put","args":["cart",1],"start":0,"end":5}
{"process":1,"op":"get","args":["cart"],"value":null,"start":6,"end":7}
{"process":0,"op":"put","args":["list",1],"start":10,"end":15}
{"process":1,"op":"get","args":["list"],"value":1,"start":16,"end":17}
{"process":0,"op":"put","args":["shop",1],"start":20,"end":25}
{"process":1,"op":"get","args":["shop"],"value":1,"start":26,"end":27}
{"process":0,"op":"put","args":["user",1],"start":30,"end":35}
{"process":1,"op":"get","args":["user"],"value":9,"start":36,"end":37}
"#;

/// A directory with one file of every outcome, and the file names in the order of the outcomes.
fn outcomes(name: &str) -> (PathBuf, [&'static str; 5]) {
    let dir = dir(name);
    fs::write(dir.join("ok.jsonl"), OK).unwrap();
    fs::write(dir.join("bad, 100%.jsonl"), BAD).unwrap();
    fs::write(dir.join("keys.jsonl"), KEYS).unwrap();
    fs::write(dir.join("broken.jsonl"), format!("{OK}{{\"return\":1}}\n")).unwrap();
    (dir, ["ok.jsonl", "bad, 100%.jsonl", "keys.jsonl", "broken.jsonl", "missing.jsonl"])
}

/// The output of `check` in a form, for these files.
fn checked(dir: &Path, form: &str, files: &[&str], code: i32) -> String {
    let args = [&["check", "--output", form], files].concat();
    exits(&linpoint(dir, &args), code).0
}

#[test]
fn github_annotations_are_on_the_lines_of_failing_operations() {
    let (dir, files) = outcomes("github");
    let out = checked(&dir, "github", &files, 1);
    let starts = [
        "::error file=bad%2C 100%25.jsonl,line=2,title=Not linearizable%3A bad%2C 100%25.jsonl::",
        "::error file=keys.jsonl,line=3,title=Not linearizable%3A keys.jsonl%2C key \"cart\"::",
        "::error file=keys.jsonl,line=9,title=Not linearizable%3A keys.jsonl%2C key \"user\"::",
        "::error file=broken.jsonl,line=4,title=Bad input%3A broken.jsonl::",
        "::error file=missing.jsonl,title=Bad input%3A missing.jsonl::",
        "3 histories: 1 linearizable, 2 not; 2 errors; ",
    ];
    assert_eq!(out.lines().count(), starts.len(), "{out}");
    for (line, start) in out.lines().zip(starts) {
        assert!(line.starts_with(start), "{start}:\n{out}");
    }
    assert!(out.contains("%0AFails at: read() by ann returned 7 (line 2)%0AAllowed here: 0\n"));
}

#[test]
fn github_warns_of_what_is_undecided() {
    let dir = dir("github-undecided");
    fs::write(dir.join("a"), many_orders(40)).unwrap();
    let args = ["check", "-o", "github", "--memory", "1", "a"];
    let (out, _) = exits(&linpoint(&dir, &args), 3);
    assert!(out.starts_with("::warning file=a,title=Undecided%3A a::stopped by the memory limit"));
}

#[test]
fn standard_input_has_no_file_to_annotate() {
    let (out, _) =
        exits(&linpoint_reading(Path::new("."), &["check", "-o", "github", "-"], BAD), 1);
    assert!(out.starts_with("::error title=Not linearizable%3A <stdin>::"), "{out}");
}

#[test]
fn in_a_workflow_files_are_relative_to_the_repository() {
    let dir = dir("github-workspace");
    fs::create_dir_all(dir.join("crates/store/runs")).unwrap();
    fs::write(dir.join("crates/store/runs/a.jsonl"), BAD).unwrap();
    let mut command = command(&dir.join("crates/store"), &["check", "-o", "github", "runs"]);
    let (out, _) = exits(&command.env("GITHUB_WORKSPACE", &dir).output().unwrap(), 1);
    assert!(out.starts_with("::error file=crates/store/runs/a.jsonl,line=2,"), "{out}");
    command.env("GITHUB_WORKSPACE", dir.join("crates/store/runs/none"));
    let (out, _) = exits(&command.output().unwrap(), 1);
    assert!(out.starts_with("::error file=runs/a.jsonl,line=2,"), "{out}");
}
