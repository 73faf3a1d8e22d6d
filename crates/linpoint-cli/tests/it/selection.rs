//! Which inputs are read: `--include`, `--exclude`, `--fail-fast`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{BAD, OK, dir, exits, linpoint};

/// A directory with these files, which are linearizable unless their name begins with `bad`.
fn tree(name: &str, files: &[&str]) -> PathBuf {
    let dir = dir(name);
    for file in files {
        let path = dir.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let is_bad = path.file_name().unwrap().to_string_lossy().starts_with("bad");
        fs::write(path, if is_bad { BAD } else { OK }).unwrap();
    }
    dir
}

/// The files that are checked.
fn checked(dir: &Path, args: &[&str], code: i32) -> Vec<String> {
    let args = [&["check", "--as", "tsv", "-j", "1"], args].concat();
    let (out, _) = exits(&linpoint(dir, &args), code);
    out.lines().map(|line| line.split('\t').next().unwrap().to_owned()).collect()
}

#[test]
fn files_of_directories_are_selected_by_patterns() {
    let files = ["runs/a.jsonl", "runs/b.log", "runs/old/c.jsonl", "runs/old/deep/d.log"];
    let dir = tree("selection", &files);
    fs::write(dir.join("runs/e.tsv"), OK).unwrap();
    let select = |args: &[&str]| checked(&dir, &[&["runs"], args].concat(), 0);
    assert_eq!(select(&[]), files);
    assert_eq!(select(&["--include", "*.jsonl"]), [files[0], files[2]]);
    assert_eq!(select(&["--include", "*.{log,tsv}"]), [files[1], "runs/e.tsv", files[3]]);
    assert_eq!(select(&["--include", "a.*", "--include", "old/*"]), [files[0], files[2]]);
    assert_eq!(select(&["--exclude", "old"]), [files[0], files[1]]);
    assert_eq!(select(&["--exclude", "*.log"]), [files[0], files[2]]);
    assert_eq!(select(&["--exclude", "**/deep/*"]), [files[0], files[1], files[2]]);
    assert_eq!(select(&["--include", "*.log", "--exclude", "old"]), [files[1]]);
}

#[test]
fn files_on_the_command_line_are_always_read() {
    let dir = tree("selection-named", &["a.jsonl"]);
    let args = ["a.jsonl", "--include", "*.edn", "--exclude", "*"];
    assert_eq!(checked(&dir, &args, 0), ["a.jsonl"]);
}

#[test]
fn a_selection_of_nothing_is_an_error() {
    let dir = tree("selection-nothing", &["runs/a.jsonl"]);
    let (_, err) = exits(&linpoint(&dir, &["check", "runs", "--include", "*.edn"]), 2);
    let message = "error: runs: the directory has no histories that --include and --exclude select";
    assert!(err.contains(message), "{err}");
    let (_, err) = exits(&linpoint(&dir, &["check", "runs", "--exclude", "[a-z]*"]), 2);
    assert!(err.contains("\"[a-z]*\" is not a pattern"), "{err}");
}

#[test]
fn in_a_jepsen_run_include_decides() {
    let dir = tree("selection-store", &["run/history.edn", "run/jepsen.log", "run/other.jsonl"]);
    let (_, err) = exits(&linpoint(&dir, &["check", "run"]), 0);
    assert!(err.contains("is a Jepsen run"), "{err}");
    let (out, err) = exits(&linpoint(&dir, &["check", "run", "--include", "*.jsonl"]), 0);
    assert!(out.contains("run/other.jsonl") && out.contains("(2 files skipped)"), "{out}");
    assert_eq!(err, "");
}

#[test]
fn other_commands_select_too() {
    let dir = tree("selection-others", &["runs/a.jsonl", "runs/b.jsonl"]);
    for command in ["plan", "stats", "depth"] {
        let (out, _) = exits(&linpoint(&dir, &[command, "runs", "--exclude", "a*"]), 0);
        assert!(out.contains("b.jsonl") && !out.contains("a.jsonl"), "{command}: {out}");
    }
}

#[test]
fn the_first_violation_ends_the_run() {
    let dir = tree("fail-fast", &["1", "2-none", "bad-3", "bad-4", "c"]);
    fs::write(dir.join("2-none"), "?").unwrap();
    assert_eq!(checked(&dir, &["."], 1).len(), 5);
    // A bad input does not end it.
    assert_eq!(checked(&dir, &[".", "--fail-fast"], 1), ["./1", "./2-none", "./bad-3"]);
    for threads in ["1", "4"] {
        let args = ["check", ".", "--fail-fast", "-j", threads];
        let (out, _) = exits(&linpoint(&dir, &args), 1);
        let summary = "\n2 histories: 1 linearizable, 1 not; 1 error; \
                       stopped at the first failure, 2 inputs not checked; ";
        assert!(out.contains(summary), "{out}");
    }
    let (out, _) = exits(&linpoint(&dir, &["check", "1", "c", "--fail-fast"]), 0);
    assert!(!out.contains("not checked"), "{out}");
}
