//! The recorders for other languages: each records a counter that is right and one that forgets additions, where the
//! language is installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::support::{dir, exits, linpoint, linpoint_reading};

/// The folder of a recorder.
fn recorder(language: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../recorders")
        .join(language)
        .canonicalize()
        .unwrap()
}

/// False, with a message, if a program is missing.
fn is_installed(programs: &[(&str, &str)]) -> bool {
    let missing = programs.iter().find(|(program, arg)| {
        !Command::new(program).arg(arg).output().is_ok_and(|output| output.status.success())
    });
    if let Some((program, _)) = missing {
        println!("SKIPPED: {program} is not installed");
    }
    missing.is_none()
}

/// True if this linpoint reads times and faults among events.
fn reads_faults() -> bool {
    let text =
        "{\"linpoint\":1,\"model\":\"counter\",\"unit\":\"ns\"}\n{\"fault\":\"x\",\"time\":1}\n";
    linpoint_reading(Path::new("."), &["check", "-"], text).status.success()
}

/// Runs an example in the four ways that it has.
fn check(language: &str, run: &dyn Fn(&[&str]) -> Output) {
    let dir = dir(&format!("recorder-{language}"));
    for (mode, code) in [("correct", 0), ("broken", 1)] {
        for plain in [true, false] {
            if !plain && !reads_faults() {
                println!("SKIPPED: this linpoint reads no faults and no times of events");
                continue;
            }
            let name = format!("{mode}-{plain}.jsonl");
            let path = dir.join(&name);
            let mut args = vec![path.to_str().unwrap(), mode];
            args.extend(plain.then_some("plain"));
            exits(&run(&args), 0);
            let (out, _) = exits(&linpoint(&dir, &["check", &name]), code);
            assert!(out.contains("  counter, "), "{out}");
            let text = fs::read_to_string(&path).unwrap();
            let lines = |key: &str| text.lines().filter(|line| line.contains(key)).count();
            let calls = lines("\"call\":");
            assert!(calls >= 100, "{language}: {calls} calls");
            assert_eq!(calls, lines("\"return\":") + lines("\"fail\":") + lines("\"info\":"));
            assert!(lines("\"fail\":") > 10 && lines("\"info\":") > 5, "{language}: {text}");
            assert_eq!(lines("\"fault\":"), usize::from(!plain));
        }
    }
}

#[test]
fn python() {
    // Debian has python3 only; an environment may have python3.11 first.
    if !is_installed(&[("python3", "--version")]) {
        return;
    }
    let example = recorder("python").join("example.py");
    check("python", &|args| {
        Command::new("python3").arg("-B").arg(&example).args(args).output().unwrap()
    });
}

#[test]
fn go() {
    if !is_installed(&[("go", "version")]) {
        return;
    }
    // Compiled once for the four runs.
    let program = dir("recorder-go-build").join("example");
    let mut build = Command::new("go");
    build.current_dir(recorder("go")).env("GOFLAGS", "-mod=mod").env("GOTOOLCHAIN", "local");
    exits(&build.args(["build", "-o"]).arg(&program).arg("./example").output().unwrap(), 0);
    check("go", &|args| Command::new(&program).args(args).output().unwrap());
}

#[test]
fn java() {
    if !is_installed(&[("javac", "-version"), ("java", "-version")]) {
        return;
    }
    let classes = dir("recorder-java-classes");
    let sources = recorder("java");
    let mut compile = Command::new("javac");
    compile
        .arg("-d")
        .arg(&classes)
        .arg(sources.join("LinpointRecorder.java"))
        .arg(sources.join("Example.java"));
    exits(&compile.output().unwrap(), 0);
    check("java", &|args| {
        Command::new("java").arg("-cp").arg(&classes).arg("Example").args(args).output().unwrap()
    });
}

#[test]
fn javascript() {
    if !is_installed(&[("node", "--version")]) {
        return;
    }
    let example = recorder("javascript").join("example.mjs");
    check("javascript", &|args| Command::new("node").arg(&example).args(args).output().unwrap());
}

/// Values that JSON or linpoint does not have become strings.
#[test]
fn unusual_values_are_recorded() {
    if !is_installed(&[("python3", "--version"), ("node", "--version")]) {
        return;
    }
    let dir = dir("recorder-values");
    let python = r#"
import sys
sys.path.insert(0, sys.argv[1])
from linpoint_recorder import Recorder
with Recorder("python.jsonl", model="register", times=False, initial=0) as log:
    for value in [1.5, 2**70, (1, "a\"\n\u2028"), {"k": None, 3: True}, None, b"x"]:
        log.record("p", "write", [value], lambda: None)
        log.record("p", "read", [], lambda: value)
"#;
    let javascript = r#"
const { Recorder } = await import(process.argv[2] + "/linpoint-recorder.mjs");
const log = new Recorder("javascript.jsonl", { model: "register", times: false, options: { initial: 0 } });
for (const value of [1.5, 2n ** 70n, [1, "a\"\n\u2028"], { k: null }, undefined, NaN, new Date(0)]) {
  await log.record("p", "write", [value], () => undefined);
  await log.record("p", "read", [], () => value);
}
log.close();
"#;
    fs::write(dir.join("values.py"), python).unwrap();
    fs::write(dir.join("values.mjs"), javascript).unwrap();
    let run = |program: &str, file: &str, language: &str| {
        let mut command = Command::new(program);
        command
            .current_dir(&dir)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .arg(file)
            .arg(recorder(language));
        exits(&command.output().unwrap(), 0);
    };
    run("python3", "values.py", "python");
    run("node", "values.mjs", "javascript");
    let (out, _) = exits(&linpoint(&dir, &["check", "python.jsonl", "javascript.jsonl"]), 0);
    assert!(out.contains("12 operations") && out.contains("14 operations"), "{out}");
}
