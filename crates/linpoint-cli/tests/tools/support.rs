//! Runs the command.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A fresh directory for one test.
pub fn dir(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tools").join(name);
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    dir
}

pub fn linpoint(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_linpoint"));
    command.args(args).current_dir(dir).env_remove("COLUMNS").env_remove("CLICOLOR_FORCE");
    command.stdin(Stdio::null()).output().unwrap()
}

/// What was written to the standard output and to the standard error.
#[track_caller]
pub fn exits(output: &Output, code: i32) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "stdout:\n{out}\nstderr:\n{err}");
    (out, err)
}

/// The verdicts on all files of a directory, by name.
pub fn verdicts(dir: &Path) -> Vec<(String, String)> {
    let output = linpoint(dir, &["check", "--timeout", "60s", "--output", "tsv", "."]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let rows = text.lines().map(|row| {
        let mut fields = row.split('\t').map(str::to_owned);
        (fields.next().unwrap(), fields.next().unwrap())
    });
    rows.collect()
}
