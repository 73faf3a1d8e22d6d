//! Shared by all tests: running the command, and a few histories.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

/// A history that is linearizable.
pub const OK: &str = r#"{"linpoint":1,"model":"register"}
{"call":1,"process":"ann","op":"write","args":[1]}
{"return":1}
"#;
/// A history that is not linearizable.
pub const BAD: &str = r#"{"linpoint":1,"model":"register","initial":0}
{"call":1,"process":"ann","op":"read"}
{"return":1,"value":7}
"#;

/// A fresh directory for one test.
pub fn dir(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    dir
}

/// The directory of the example histories.
pub fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/histories")
}

/// The command, about to be run in `dir`.
pub fn command(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_linpoint"));
    command.args(args).current_dir(dir).env_remove("COLUMNS").env_remove("CLICOLOR_FORCE");
    // The tests themselves may run in a workflow.
    command.env_remove("GITHUB_WORKSPACE");
    command.stdin(Stdio::null());
    command
}

/// Runs the command in `dir`.
pub fn linpoint(dir: &Path, args: &[&str]) -> Output {
    command(dir, args).output().unwrap()
}

/// Starts the command in `dir` with pipes for its three standard streams.
pub fn spawn(dir: &Path, args: &[&str]) -> Child {
    let mut command = command(dir, args);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

/// Runs the command in `dir` with `input` as its standard input.
pub fn linpoint_reading(dir: &Path, args: &[&str], input: &str) -> Output {
    let mut child = spawn(dir, args);
    // The command may exit before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// The verdicts on all files of a directory, as pairs of file name and `ok`, `bad`, `undecided` or `error`.
pub fn verdicts(dir: &Path) -> Vec<(String, String)> {
    let output = linpoint(dir, &["check", "--timeout", "60s", "--as", "tsv", "."]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let rows = text.lines().map(|row| {
        let mut fields = row.split('\t').map(str::to_owned);
        (fields.next().unwrap(), fields.next().unwrap())
    });
    rows.collect()
}

/// The standard output and the standard error of a command that must have exited with `code`.
#[track_caller]
pub fn exits(output: &Output, code: i32) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "stdout:\n{out}\nstderr:\n{err}");
    (out, err)
}

/// A queue with `n` concurrent enqueues, and dequeues in some order: the checker must find one order among
/// very many.
pub fn many_orders(n: usize) -> String {
    let mut text = "{\"linpoint\":1,\"model\":\"queue\"}\n".to_owned();
    for i in 0..n {
        text += &format!("{{\"op\":\"enqueue\",\"args\":[{i}],\"start\":0,\"end\":9}}\n");
    }
    for i in 0..n {
        let value = if i + 2 == n {
            n - 1
        } else if i + 1 == n {
            n - 2
        } else {
            i
        };
        let (start, end) = if i < n / 2 { (10, 11) } else { (20 + 10 * i, 25 + 10 * i) };
        text +=
            &format!("{{\"op\":\"dequeue\",\"value\":{value},\"start\":{start},\"end\":{end}}}\n");
    }
    text
}

/// A register with `n` concurrent writes and then two reads of different values: an engine that only searches
/// must try all orders.
pub fn no_order(n: usize) -> String {
    let mut text = "{\"linpoint\":1,\"model\":\"register\"}\n".to_owned();
    for i in 0..n {
        text += &format!("{{\"op\":\"write\",\"args\":[{i}],\"start\":0,\"end\":9}}\n");
    }
    for i in 0..2 {
        let start = 10 + 10 * i;
        text += &format!("{{\"op\":\"read\",\"value\":{i},\"start\":{start},\"end\":{start}}}\n");
    }
    text
}
