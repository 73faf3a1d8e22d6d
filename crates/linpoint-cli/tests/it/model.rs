//! Models of users: scripts, and programs that answer questions.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{dir, exits, linpoint};

/// A script that `linpoint model new` writes.
fn start(dir: &Path, kind: &str) -> String {
    let (script, _) = exits(&linpoint(dir, &["model", "new", kind]), 0);
    let file = format!("{kind}.star");
    fs::write(dir.join(&file), script).unwrap();
    format!("./{file}")
}

#[test]
fn new_scripts_are_tested_generate_and_check() {
    let dir = dir("model-new");
    for kind in ["kv", "bank", "lock", "queue"] {
        let script = start(&dir, kind);
        let (report, _) = exits(&linpoint(&dir, &["model", "test", &script]), 0);
        assert!(report.contains("no claim is false"), "{report}");
        for seed in ["1", "2"] {
            let made = ["gen", "-m", &script, "--ops", "80", "--seed", seed, "-o", "run.jsonl"];
            exits(&linpoint(&dir, &made), 0);
            exits(&linpoint(&dir, &["check", "-m", &script, "run.jsonl"]), 0);
            exits(&linpoint(&dir, &["watch", "-q", "-m", &script, "run.jsonl"]), 0);
            exits(&linpoint(&dir, &["stats", "-m", &script, "run.jsonl"]), 0);
            exits(&linpoint(&dir, &["plan", "-m", &script, "run.jsonl"]), 0);
        }
    }
}

#[test]
fn a_violation_is_explained_and_shrunk() {
    let dir = dir("model-bad");
    for kind in ["kv", "bank", "queue"] {
        let script = start(&dir, kind);
        let made = ["gen", "-m", &script, "--ops", "30", "--mutate", "-o", "run.jsonl"];
        exits(&linpoint(&dir, &made), 0);
        let (report, _) = exits(&linpoint(&dir, &["check", "-m", &script, "run.jsonl"]), 1);
        assert!(report.contains("NOT LINEARIZABLE"), "{report}");
        let shrunk = ["shrink", "-m", &script, "run.jsonl", "-o", "small.jsonl"];
        exits(&linpoint(&dir, &shrunk), 1);
        exits(&linpoint(&dir, &["check", "-m", &script, "small.jsonl"]), 1);
        exits(&linpoint(&dir, &["watch", "-q", "-m", &script, "run.jsonl"]), 1);
    }
}

/// The verdicts of a script and of the bundled model on the same histories. Violations are in short ones, because the
/// explanation of a long one takes all the time that it is given.
fn compare(name: &str, kind: &str, bundled: &str, more: &[&str]) {
    let dir = dir(name);
    let script = start(&dir, kind);
    for seed in ["1", "2", "3", "4", "5", "6"] {
        for (ops, wrong, code) in [("120", &[][..], 0), ("30", &["--mutate"][..], 1)] {
            let mut made =
                vec!["gen", "-m", bundled, "--ops", ops, "--seed", seed, "-o", "h.jsonl"];
            made.extend(more);
            made.extend(wrong);
            exits(&linpoint(&dir, &made), 0);
            exits(&linpoint(&dir, &["check", "h.jsonl"]), code);
            exits(&linpoint(&dir, &["check", "-m", &script, "h.jsonl"]), code);
        }
    }
}

#[test]
fn verdicts_are_those_of_the_bundled_models() {
    compare("model-bank", "bank", "bank", &["--ambiguous", "0.02"]);
    compare("model-lock", "lock", "mutex:owner", &[]);
}

#[test]
fn options_are_those_of_the_script() {
    let dir = dir("model-options");
    let script = start(&dir, "kv");
    one_operation(&dir, r#""op":"get","args":["x"],"value":7"#);
    exits(&linpoint(&dir, &["check", "-m", &script, "run.jsonl"]), 1);
    exits(&linpoint(&dir, &["check", "-m", &format!("{script}:initial=7"), "run.jsonl"]), 0);
    let wrong = linpoint(&dir, &["check", "-m", &format!("{script}:capacity=7"), "run.jsonl"]);
    let (_, error) = exits(&wrong, 2);
    assert!(error.contains("has no option \"capacity\"; its options are: initial"), "{error}");
}

/// Writes a history of one operation.
fn one_operation(dir: &Path, keys: &str) {
    let history = format!("{{\"linpoint\":1}}\n{{\"process\":0,\"start\":1,\"end\":2,{keys}}}\n");
    fs::write(dir.join("run.jsonl"), history).unwrap();
}

/// The message about a script.
#[track_caller]
fn fails(name: &str, script: &str, expected: &[&str]) {
    let dir = dir(name);
    fs::write(dir.join("m.star"), script).unwrap();
    one_operation(&dir, r#""op":"push","args":[5],"value":"ok""#);
    let (_, error) = exits(&linpoint(&dir, &["check", "-m", "./m.star", "run.jsonl"]), 2);
    for part in expected {
        assert!(error.contains(part), "{part} in {error}");
    }
}

#[test]
fn errors_point_into_the_script() {
    fails(
        "script-missing",
        "init = 0",
        &["./m.star: the script must define step(state, op, args)"],
    );
    fails(
        "script-form",
        "init = 0\ndef step(state):\n    return 1, 2",
        &["./m.star:2:1: define it as step("],
    );
    let looped = "init = 0\ndef step(state, op, args):\n    while True:\n        pass";
    fails(
        "script-loop",
        looped,
        &["./m.star:3:5: this takes too long", "push(5) in state 0", "  3 |     while True:"],
    );
    let result = "init = 0\ndef step(state, op, args):\n    return 1";
    fails("script-result", result, &["step must return a result and a state", "not 1"]);
    let failed = "init = 0\ndef step(state, op, args):\n    fail('no', op)";
    fails(
        "script-fail",
        failed,
        &["./m.star:3:9: no push", "  3 |     fail('no', op)\n    |         ^"],
    );
    let shape =
        "init = 0\ndef step(state, op, args):\n    return 1, 2\nshape = ('queue', {'push': 'put'})";
    fails(
        "script-shape",
        shape,
        &["./m.star:4:1: what \"push\" does must be one of add, remove, peek"],
    );
    fails("script-none", "def step(", &["./m.star:1:10: `(` is never closed"]);
}

#[test]
fn a_false_claim_is_found() {
    let dir = dir("model-false");
    let stack = "init = []\ndef step(state, op, args):\n    if op == 'push':\n        return 'ok', state + args\n    \
                 return (state.pop() if state else None), state\n\
                 shape = ('queue', {'push': 'add', 'take': 'remove'})\nops = [('push', VALUE), ('take',)]\n";
    fs::write(dir.join("m.star"), stack).unwrap();
    let (report, _) = exits(&linpoint(&dir, &["model", "test", "m.star"]), 1);
    assert!(report.contains("a claim is false"), "{report}");
}

#[test]
fn a_history_cannot_load_a_script() {
    let dir = dir("model-header");
    start(&dir, "kv");
    fs::write(dir.join("run.jsonl"), "{\"linpoint\":1,\"model\":\"./kv.star\"}\n").unwrap();
    let (_, error) = exits(&linpoint(&dir, &["check", "run.jsonl"]), 2);
    assert!(error.contains("a history cannot load a script"), "{error}");
}

/// The folder with the libraries.
fn clients() -> String {
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../clients/model").to_owned()
}

fn has(program: &str, version: &str) -> bool {
    let found = Command::new(program).arg(version).output().is_ok_and(|out| out.status.success());
    if !found {
        println!("skipped: {program} is not installed");
    }
    found
}

/// Checks histories of a bank with a program.
fn checks(name: &str, command: &str) {
    let dir = dir(name);
    exits(&linpoint(&dir, &["gen", "-m", "bank", "--ops", "150", "-o", "ok.jsonl"]), 0);
    exits(
        &linpoint(&dir, &["gen", "-m", "bank", "--ops", "150", "--mutate", "-o", "bad.jsonl"]),
        0,
    );
    exits(&linpoint(&dir, &["check", "--model-command", command, "ok.jsonl"]), 0);
    let (report, _) =
        exits(&linpoint(&dir, &["check", "--model-command", command, "bad.jsonl"]), 1);
    assert!(report.contains("NOT LINEARIZABLE"), "{report}");
}

#[test]
fn a_python_program_is_a_model() {
    if has("python3", "--version") {
        let command = format!("python3 '{}/python/bank.py'", clients());
        checks("model-python", &command);
        let dir = dir("model-python-more");
        let (report, _) =
            exits(&linpoint(&dir, &["model", "test", "--model-command", &command]), 0);
        assert!(report.contains("no claim is false"), "{report}");
        let made = ["gen", "--model-command", &command, "--ops", "60", "-o", "run.jsonl"];
        exits(&linpoint(&dir, &made), 0);
        exits(&linpoint(&dir, &["check", "--model-command", &command, "run.jsonl"]), 0);
        exits(&linpoint(&dir, &["watch", "-q", "--model-command", &command, "run.jsonl"]), 0);
    }
}

#[test]
fn a_javascript_program_is_a_model() {
    if has("node", "--version") {
        checks("model-node", &format!("node '{}/javascript/bank.mjs'", clients()));
    }
}

#[test]
fn a_go_program_is_a_model() {
    if has("go", "version") {
        let out = dir("model-go-built").join("bank");
        let sources = format!("{}/go", clients());
        let built =
            Command::new("go").arg("build").arg("-o").arg(&out).current_dir(sources).output();
        assert!(built.as_ref().is_ok_and(|built| built.status.success()), "{built:?}");
        checks("model-go", &format!("'{}'", out.display()));
    }
}

#[test]
fn a_java_program_is_a_model() {
    if has("javac", "-version") {
        let out = dir("model-java-built");
        let sources =
            ["Bank.java", "LinpointModel.java"].map(|file| format!("{}/java/{file}", clients()));
        let built = Command::new("javac").arg("-d").arg(&out).args(sources).output();
        assert!(built.as_ref().is_ok_and(|built| built.status.success()), "{built:?}");
        checks("model-java", &format!("java -cp '{}' Bank", out.display()));
    }
}

/// The message about a program, which is the body of a shell script with lines from standard input.
#[cfg(unix)]
#[track_caller]
fn program_fails(name: &str, body: &str, expected: &[&str]) {
    let dir = dir(name);
    fs::write(dir.join("model.sh"), body).unwrap();
    exits(&linpoint(&dir, &["gen", "-m", "queue", "--ops", "10", "-o", "run.jsonl"]), 0);
    let command = ["check", "--model-command", "sh model.sh", "--model-timeout", "1s", "run.jsonl"];
    let (_, error) = exits(&linpoint(&dir, &command), 2);
    for part in expected {
        assert!(error.contains(part), "{part} in {error}");
    }
}

#[cfg(unix)]
#[test]
fn bad_programs_are_clear_errors() {
    let hello = "read l; echo '{\"id\":1,\"name\":\"m\"}'\nread l; echo '{\"id\":2,\"state\":0}'\n";
    program_fails("program-hangs", "sleep 60", &["\"sh model.sh\" has not answered within 1 s"]);
    let hangs_later = format!("{hello}sleep 60");
    program_fails("program-hangs-later", &hangs_later, &["has not answered within 1 s"]);
    program_fails(
        "program-dies",
        "echo oh no >&2; exit 3",
        &["has ended (exit status: 3)", "| oh no"],
    );
    program_fails("program-dies-later", hello, &["has ended (exit status: 0) without an answer"]);
    program_fails("program-talks", "echo hello", &["not JSON", "hello"]);
    let number = "echo '{\"id\":7,\"name\":\"m\"}'; read l; read l";
    program_fails("program-number", number, &["another question than the one with id 1"]);
    program_fails("program-name", "read l; echo '{\"id\":1}'; read l", &["must give its \"name\""]);
    let short = format!("{hello}read l; echo '{{\"id\":3,\"outcomes\":[]}}'; read l");
    program_fails("program-short", &short, &["must answer with \"outcomes\""]);
    let half = format!("{hello}read l; echo '{{\"id\":3,\"outcomes\":[[[[1.5,0]]]]}}'; read l");
    program_fails("program-half", &half, &["numbers must be whole"]);
    let says = "read l; echo '{\"id\":1,\"error\":\"no \\u001b[31mway\"}'; read l";
    program_fails("program-error", says, &["reports an error: no  [31mway"]);
    let dir = dir("program-none");
    let none = ["check", "--model-command", "./no-such-model", "run.jsonl"];
    let (_, error) = exits(&linpoint(&dir, &none), 2);
    assert!(error.contains("cannot be started"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_program_with_two_answers_to_one_question_is_found() {
    if !has("python3", "--version") {
        return;
    }
    let dir = dir("program-random");
    let model = "import sys\nsys.path.insert(0, sys.argv[1])\nfrom linpoint_model import serve\nimport itertools\n\
                 n = itertools.count()\nserve('m', init=0, step=lambda s, op, args: (next(n), s), ops=[['a'], ['b']])\n";
    fs::write(dir.join("m.py"), model).unwrap();
    let command = format!("python3 m.py '{}/python'", clients());
    let output = linpoint(&dir, &["model", "test", "--model-command", &command]);
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(!output.status.success() && (text.contains("two different answers")), "{text}");
}
