//! `linpoint explain`.

use std::fs;

use crate::support::{BAD, OK, dir, exits, linpoint, no_order};

/// One register: write(0) by client 1 several times, then write(2), then a read of 0.
fn overwritten(writes: usize) -> String {
    let line = |at: usize, op: &str| {
        let (start, end) = (10 * at, 10 * at + 5);
        format!("{{\"process\":1,{op},\"start\":{start},\"end\":{end}}}\n")
    };
    let mut text = "{\"linpoint\":1,\"model\":\"register\",\"initial\":5}\n".to_owned();
    text.extend((0..writes).map(|at| line(at, "\"op\":\"write\",\"args\":[0]")));
    text += &line(writes, "\"op\":\"write\",\"args\":[2]");
    text + &line(writes + 1, "\"op\":\"read\",\"value\":0")
}

#[test]
fn a_violation_is_told_with_its_core_and_what_is_in_the_way() {
    let dir = dir("explain");
    let text = "{\"linpoint\":1,\"model\":\"register\",\"initial\":0,\"note\":\"two writers\"}\n\
                {\"process\":\"ann\",\"op\":\"write\",\"args\":[1],\"start\":0,\"end\":1}\n\
                {\"process\":\"bob\",\"op\":\"write\",\"args\":[2],\"start\":2,\"end\":9}\n\
                {\"process\":\"cy\",\"op\":\"read\",\"value\":0,\"start\":3,\"end\":4}\n";
    fs::write(dir.join("a.jsonl"), text).unwrap();
    let (out, err) = exits(&linpoint(&dir, &["explain", "a.jsonl"]), 1);
    assert!(
        out.starts_with("✗ a.jsonl  NOT LINEARIZABLE  register:initial=0, 3 operations"),
        "{out}"
    );
    for part in [
        "\n  two writers\n",
        "read() by cy (line 4) returned 0",
        "✗ fails at     read() by cy returned 0 (line 4)\n",
        "    line 2  events 0 to 1  ann  write(1)\n",
        "write(1)",
        "the longest order",
        "why it ends",
        "read() by cy (line 4) returns ",
        ", not 0\n",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    assert_eq!(err, "");
    let (json, _) = exits(&linpoint(&dir, &["explain", "--as", "json", "a.jsonl"]), 1);
    assert!(json.contains("\"obstacle\":\"returns\""), "{json}");
}

/// `check` collapses the operations that only close the argument.
#[test]
fn all_operations_of_the_core_are_listed() {
    let dir = dir("explain-core");
    fs::write(dir.join("a.jsonl"), overwritten(9)).unwrap();
    let (out, _) = exits(&linpoint(&dir, &["check", "a.jsonl"]), 1);
    assert!(out.contains("not drawn: 8 operations (8 \u{d7} write(0))"), "{out}");
    let (out, _) = exits(&linpoint(&dir, &["explain", "a.jsonl"]), 1);
    let also = "also needed: if one of them could have come at any time, there would be an order\n";
    let (_, closing) = out.split_once(also).expect(&out);
    for line in 2..=9 {
        let place = format!("\n    line {line}  events ");
        assert!(format!("\n{closing}").contains(&place), "{line}: {out}");
    }
    assert!(!out.contains("not drawn"), "{out}");
}

#[test]
fn a_linearizable_history_is_a_statement_and_the_way_to_a_witness() {
    let dir = dir("explain-ok");
    fs::write(dir.join("a.jsonl"), OK).unwrap();
    let (out, _) = exits(&linpoint(&dir, &["explain", "a.jsonl"]), 0);
    assert!(
        out.contains("There is an order of all 1 operation that explains every result."),
        "{out}"
    );
    assert!(out.contains("\n  linpoint check --witness - a.jsonl prints it.\n"), "{out}");
    let (out, _) = exits(&linpoint(&dir, &["check", "--witness", "-", "a.jsonl"]), 0);
    assert!(out.contains("write(1)"), "{out}");
}

#[test]
fn several_inputs_have_the_exit_code_of_the_worst() {
    let dir = dir("explain-several");
    fs::write(dir.join("ok.jsonl"), OK).unwrap();
    fs::write(dir.join("bad.jsonl"), BAD).unwrap();
    let (out, err) = exits(&linpoint(&dir, &["explain", "ok.jsonl", "none", "bad.jsonl"]), 1);
    assert!(out.contains("✓ ok.jsonl") && out.contains("✗ bad.jsonl"), "{out}");
    assert_eq!(err, "error: none: no such file or directory\n");
    exits(&linpoint(&dir, &["explain", "ok.jsonl", "none"]), 2);
    fs::write(dir.join("hard.jsonl"), no_order(12)).unwrap();
    let args = ["explain", "--algorithm", "wg-tree", "--timeout", "1ms", "ok.jsonl", "hard.jsonl"];
    let (out, _) = exits(&linpoint(&dir, &args), 3);
    assert!(out.contains("stopped by the time limit"), "{out}");
}

#[test]
fn the_plan_is_another_command() {
    let dir = dir("explain-plan");
    fs::write(dir.join("a.jsonl"), OK).unwrap();
    let (help, _) = exits(&linpoint(&dir, &["--help"]), 0);
    assert!(help.contains("\n  plan ") && help.contains("\n  explain "), "{help}");
    let (out, err) = exits(&linpoint(&dir, &["plan", "a.jsonl"]), 0);
    assert!(out.contains("  tactics "), "{out}");
    assert_eq!(err, "");
}
