//! The words of the command line mean the same in every command; former spellings still work, with a warning.

use std::fs;
use std::path::Path;

use crate::support::{BAD, OK, dir, exits, linpoint};

const QUEUE: &str = "{\"linpoint\":1,\"model\":\"queue\"}
{\"client\":\"a\",\"op\":\"enqueue\",\"args\":[1],\"start\":0,\"end\":1}
{\"client\":\"b\",\"op\":\"dequeue\",\"value\":1,\"start\":2,\"end\":3}
";
const LIMO: &str =
    "# @object atomic-queue\n[1] call enq(1)\n[1] return\n[2] call deq\n[2] return 2\n";

/// What a command prints, without the digits of durations.
fn printed(dir: &Path, args: &[&str], code: i32) -> (String, String) {
    let (out, err) = exits(&linpoint(dir, args), code);
    (out.chars().filter(|c| !c.is_ascii_digit()).collect(), err)
}

#[test]
fn former_spellings_work_and_name_the_new_ones() {
    let dir = dir("words-former");
    fs::write(dir.join("ok.jsonl"), OK).unwrap();
    fs::write(dir.join("queue.jsonl"), QUEUE).unwrap();
    fs::write(dir.join("bad.hist"), LIMO).unwrap();
    let generate =
        |words: &[&'static str]| [&["gen", "--model", "queue", "--ops", "10"], words].concat();
    for (old, new, warning, code) in [
        (
            vec!["plan", "-o", "json", "ok.jsonl"],
            vec!["plan", "--as", "json", "ok.jsonl"],
            "`--output json` is deprecated; use `--as json`",
            0,
        ),
        (
            vec!["stats", "--output", "json", "ok.jsonl"],
            vec!["stats", "--as", "json", "ok.jsonl"],
            "`--output json` is deprecated; use `--as json`",
            0,
        ),
        (
            vec!["depth", "--output", "tsv", "ok.jsonl"],
            vec!["depth", "--as", "tsv", "ok.jsonl"],
            "`--output tsv` is deprecated; use `--as tsv`",
            0,
        ),
        (
            vec!["explore", "--list", "-o", "json"],
            vec!["explore", "--list", "--as", "json"],
            "`--output json` is deprecated; use `--as json`",
            0,
        ),
        (
            vec!["plan", "--threads", "1", "ok.jsonl"],
            vec!["plan", "--jobs", "1", "ok.jsonl"],
            "`--threads` is deprecated; use `--jobs`",
            0,
        ),
        (
            vec!["depth", "--threads", "1", "--as", "tsv", "ok.jsonl"],
            vec!["depth", "-j", "1", "--as", "tsv", "ok.jsonl"],
            "`--threads` is deprecated; use `--jobs`",
            0,
        ),
        (
            vec!["convert", "--to", "fastlin", "queue.jsonl"],
            vec!["convert", "--as", "fastlin", "queue.jsonl"],
            "`--to fastlin` is deprecated; use `--as fastlin`",
            0,
        ),
        (
            vec!["convert", "--from", "limo", "bad.hist"],
            vec!["convert", "--format", "limo", "bad.hist"],
            "`--from limo` is deprecated; use `--format limo`",
            0,
        ),
        (
            generate(&["--format", "fastlin"]),
            generate(&["--as", "fastlin"]),
            "`--format fastlin` is deprecated; use `--as fastlin`",
            0,
        ),
        (
            generate(&["--processes", "3"]),
            generate(&["--clients", "3"]),
            "`--processes` is deprecated; use `--clients`",
            0,
        ),
        (
            vec!["shrink", "--format", "limo", "bad.hist"],
            vec!["shrink", "--as", "limo", "bad.hist"],
            "`--format limo` is deprecated; use `--as limo`",
            1,
        ),
    ] {
        let (expected, quiet) = printed(&dir, &new, code);
        let (out, err) = printed(&dir, &old, code);
        assert_eq!(out, expected, "{old:?}");
        assert_eq!(err, format!("warning: {warning}\n{quiet}"), "{old:?}");
        assert!(!quiet.contains("deprecated"), "{new:?}: {quiet}");
    }
    let (_, err) = exits(&linpoint(&dir, &generate(&["--out", "a.jsonl"])), 0);
    assert_eq!(err, "warning: `--out` is deprecated; use `--output`\n");
    assert!(dir.join("a.jsonl").is_file());
}

#[test]
fn in_shrink_a_format_is_what_is_read() {
    let dir = dir("words-shrink");
    fs::write(dir.join("bad.hist"), LIMO).unwrap();
    let args = ["shrink", "--format", "limo", "--as", "fastlin", "bad.hist"];
    let (out, err) = exits(&linpoint(&dir, &args), 1);
    assert!(out.starts_with("# queue\n") && !err.contains("deprecated"), "{out}{err}");
    // Without a header, nothing but the option says what it is.
    fs::write(dir.join("bare.hist"), LIMO.split_once('\n').unwrap().1.replace("[2] return 2", ""))
        .unwrap();
    let args = ["shrink", "--format", "edn", "--as", "jsonl", "bare.hist"];
    let (_, err) = exits(&linpoint(&dir, &args), 2);
    assert!(err.starts_with("error: bare.hist:1:"), "{err}");
}

#[test]
fn every_command_writes_its_output_to_a_file() {
    let dir = dir("words-file");
    fs::write(dir.join("ok.jsonl"), OK).unwrap();
    fs::write(dir.join("bad.jsonl"), BAD).unwrap();
    for (args, code, expected) in [
        (&["check", "bad.jsonl"][..], 1, "✗ bad.jsonl  NOT LINEARIZABLE"),
        (&["check", "--as", "json", "bad.jsonl"], 1, "{\"cost\""),
        (&["check", "--as", "junit", "bad.jsonl"], 1, "<?xml"),
        (&["explain", "bad.jsonl"], 1, "✗ bad.jsonl  NOT LINEARIZABLE"),
        (&["watch", "ok.jsonl"], 0, "✓ ok.jsonl  linearizable"),
        (&["plan", "ok.jsonl"], 0, "ok.jsonl  register, jsonl"),
        (&["stats", "ok.jsonl"], 0, "ok.jsonl  1 operation of register"),
        (&["depth", "--as", "tsv", "ok.jsonl"], 0, "file\tverdict"),
        (&["explore", "treiber", "--ops", "2"], 0, "✓ treiber"),
        (&["gen", "--model", "queue"], 0, "{\"linpoint\":1,\"model\":\"queue\"}"),
        (&["convert", "ok.jsonl"], 0, "{\"linpoint\":1,\"model\":\"register\""),
        (&["shrink", "bad.jsonl"], 1, "{\"linpoint\":1,\"model\":\"register\""),
    ] {
        let (out, _) = exits(&linpoint(&dir, &[args, &["-o", "out"]].concat()), code);
        assert_eq!(out, "", "{args:?}");
        let text = fs::read_to_string(dir.join("out")).unwrap();
        assert!(text.starts_with(expected) && !text.contains('\u{1b}'), "{args:?}: {text}");
        fs::remove_file(dir.join("out")).unwrap();
        let (out, _) = exits(&linpoint(&dir, &[args, &["--output", "-"]].concat()), code);
        assert!(out.starts_with(expected), "{args:?}: {out}");
    }
    // A form that is given makes everything else a file.
    exits(&linpoint(&dir, &["check", "--as", "tsv", "-o", "json", "ok.jsonl"]), 0);
    assert!(fs::read_to_string(dir.join("json")).unwrap().starts_with("ok.jsonl\tok\t"));
    exits(&linpoint(&dir, &["--color", "always", "check", "-o", "out", "ok.jsonl"]), 0);
    assert!(fs::read_to_string(dir.join("out")).unwrap().contains('\u{1b}'));
}

#[test]
fn an_input_is_not_overwritten() {
    let dir = dir("words-same");
    fs::create_dir(dir.join("runs")).unwrap();
    fs::write(dir.join("runs/ok.jsonl"), OK).unwrap();
    for (command, input) in
        [("check", "runs"), ("plan", "runs/ok.jsonl"), ("watch", "runs/ok.jsonl")]
    {
        let (_, err) = exits(&linpoint(&dir, &[command, input, "-o", "./runs/ok.jsonl"]), 2);
        assert_eq!(err, "error: --output: ./runs/ok.jsonl is an input; name another file\n");
        assert_eq!(fs::read_to_string(dir.join("runs/ok.jsonl")).unwrap(), OK);
    }
    let (_, err) = exits(&linpoint(&dir, &["check", "runs", "-o", "none/out"]), 2);
    assert!(err.starts_with("error: --output: cannot write none/out: "), "{err}");
}

#[test]
fn quiet_prints_failures_only() {
    let dir = dir("words-quiet");
    fs::write(dir.join("ok.jsonl"), OK).unwrap();
    fs::write(dir.join("bad.jsonl"), BAD).unwrap();
    let (out, err) = exits(&linpoint(&dir, &["check", "-q", "ok.jsonl"]), 0);
    assert_eq!((out.as_str(), err.as_str()), ("", ""));
    let (out, err) = exits(&linpoint(&dir, &["check", "-q", "ok.jsonl", "bad.jsonl", "none"]), 1);
    assert!(out.starts_with("✗ bad.jsonl") && out.matches("linearizable").count() == 0, "{out}");
    assert!(!out.contains("histories"), "{out}");
    assert_eq!(err, "error: none: no such file or directory\n");
    // Programs get all results.
    let (out, _) = exits(&linpoint(&dir, &["check", "-q", "--as", "tsv", "ok.jsonl"]), 0);
    assert!(out.starts_with("ok.jsonl\tok\t"), "{out}");
}

#[test]
fn verbose_prints_how_a_history_was_checked() {
    let dir = dir("words-verbose");
    fs::write(dir.join("queue.jsonl"), QUEUE).unwrap();
    let (out, _) = exits(&linpoint(&dir, &["check", "-v", "queue.jsonl"]), 0);
    for part in [
        "  witness        2 of 2 operations, validated\n",
        "  decided by     queue-monitor; 1 part, ",
        "  tactics        0. monitor: ",
        "  time           ",
        "  memory         ",
        "  limits         ",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    exits(&linpoint(&dir, &["check", "-v", "-q", "queue.jsonl"]), 2);
}

#[test]
fn clients_may_be_called_so_in_files() {
    let dir = dir("words-client");
    fs::write(dir.join("a.jsonl"), QUEUE.replace("\"value\":1", "\"value\":2")).unwrap();
    let (out, _) = exits(&linpoint(&dir, &["check", "a.jsonl"]), 1);
    assert!(out.contains("dequeue() by b returned 2 (line 3)"), "{out}");
    // A line of other events takes the slower reader.
    let spaced = QUEUE.replace(":", " : ");
    fs::write(dir.join("b.jsonl"), spaced).unwrap();
    exits(&linpoint(&dir, &["check", "b.jsonl"]), 0);
    let both = QUEUE.replace("{\"client\":\"a\"", "{\"process\":\"a\",\"client\":\"a\"");
    fs::write(dir.join("c.jsonl"), both).unwrap();
    let (_, err) = exits(&linpoint(&dir, &["check", "c.jsonl"]), 2);
    assert!(err.contains("c.jsonl:2:"), "{err}");
}

#[test]
fn null_is_null_everywhere() {
    let dir = dir("words-null");
    let text = "{\"linpoint\":1,\"model\":\"register\"}\n\
                {\"process\":1,\"op\":\"write\",\"args\":[1],\"start\":0,\"end\":1}\n\
                {\"process\":2,\"op\":\"read\",\"value\":null,\"start\":2,\"end\":3}\n";
    fs::write(dir.join("a.jsonl"), text).unwrap();
    for initial in ["null", "nil"] {
        let model = format!("register:initial={initial}");
        let (out, _) = exits(&linpoint(&dir, &["check", "--model", &model, "a.jsonl"]), 1);
        assert!(out.contains("register:initial=null, 2 operations"), "{out}");
        assert!(out.contains("read() by client 2 (line 3) returned null"), "{out}");
        assert!(!out.contains("nil"), "{out}");
    }
}

#[test]
fn unknown_names_get_a_suggestion_and_a_list() {
    let dir = dir("words-names");
    fs::write(dir.join("a.jsonl"), OK).unwrap();
    fs::write(dir.join("typo.jsonl"), OK.replace("\"write\"", "\"wrote\"")).unwrap();
    for (args, expected) in [
        (
            &["check", "--model", "registr", "a.jsonl"][..],
            "did you mean \"register\"? The models are: ",
        ),
        (
            &["check", "--model", "queue:capacty=2", "a.jsonl"],
            "did you mean \"capacity\"? The options are: capacity=N",
        ),
        (&["check", "typo.jsonl"], "did you mean \"write\"? The model \"register\" has "),
        (
            &["check", "--algorithm", "breath", "a.jsonl"],
            "did you mean \"breadth\"? The engines are: ",
        ),
        (&["check", "--format", "jsonll", "a.jsonl"], "a similar value exists: 'jsonl'"),
        (&["check", "--as", "jsn", "a.jsonl"], "a similar value exists: 'json'"),
        (
            &["gen", "--model", "kv", "--bug", "stale-reed"],
            "did you mean \"stale-read\"? The bugs are: ",
        ),
        (&["explore", "trieber"], "did you mean \"treiber\"? The models are: "),
        (
            &["explore", "treiber", "--program", "psh 1"],
            "did you mean \"push\"? The operations are: push(1)",
        ),
        (&["chekc", "a.jsonl"], "a similar subcommand exists: 'check'"),
    ] {
        let (_, err) = exits(&linpoint(&dir, args), 2);
        assert!(err.contains(expected), "{args:?}: {err}");
    }
    // What is possible is listed by clap too.
    let (_, err) = exits(&linpoint(&dir, &["check", "--as", "jsn", "a.jsonl"]), 2);
    assert!(err.contains("possible values: human, json, tsv, junit"), "{err}");
}
