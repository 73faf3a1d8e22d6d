//! `linpoint convert`.

use std::fs;

use crate::support::{dir, exits, linpoint, linpoint_reading};

const STACK: &str = "{\"linpoint\":1,\"model\":\"stack\",\"note\":\"two\"}
{\"process\":0,\"op\":\"push\",\"args\":[1],\"start\":3,\"end\":4}
{\"process\":1,\"op\":\"pop\",\"value\":1,\"start\":5,\"end\":6}
";

#[test]
fn a_history_is_converted_with_warnings_about_losses() {
    let dir = dir("convert");
    fs::write(dir.join("a.jsonl"), STACK).unwrap();
    let (out, err) = exits(&linpoint(&dir, &["convert", "--as", "fptlin", "a.jsonl"]), 0);
    assert_eq!(out, "# stack\n0 0 1 PUSH 1\n1 2 3 POP 1\n");
    assert_eq!(
        err,
        "warning: the note is left out\nwarning: times are left out: only the order of events is kept\n"
    );
    let args = ["convert", "--as", "limo", "a.jsonl", "-o", "a.hist"];
    let (out, _) = exits(&linpoint(&dir, &args), 0);
    assert_eq!(out, "");
    let back = ["convert", "--format", "limo", "--as", "fastlin", "a.hist"];
    let (out, _) = exits(&linpoint(&dir, &back), 0);
    assert_eq!(out, "# stack\npush 1 0 1\npop 1 2 3\n");
}

#[test]
fn an_inexpressible_history_is_an_error_and_writes_nothing() {
    let dir = dir("convert-cannot");
    fs::write(dir.join("a.jsonl"), STACK.replace("[1]", "[\"x\"]")).unwrap();
    let args = ["convert", "--as", "fastlin", "a.jsonl", "-o", "a.log"];
    let (_, err) = exits(&linpoint(&dir, &args), 2);
    assert!(
        err.starts_with("error: a.jsonl:2: push(\"x\"): values must be whole numbers, not \"x\"\n"),
        "{err}"
    );
    assert!(err.contains("2 | {\"process\":0,\"op\":\"push\""), "{err}");
    assert!(!dir.join("a.log").exists());
}

#[test]
fn bad_input_has_the_messages_of_check() {
    let dir = dir("convert-bad");
    fs::write(dir.join("a.jsonl"), STACK.replace("\"pop\"", "\"dequeue\"")).unwrap();
    fs::write(dir.join("b.jsonl"), STACK.replace("\"pop\"", "\"pop")).unwrap();
    fs::write(dir.join("c.txt"), "hello\n").unwrap();
    fs::write(dir.join("d.edn"), "{:process 0 :type :invoke :f :push :value 1}\n").unwrap();
    for (args, message) in [
        (&["a.jsonl"][..], "error: a.jsonl:3:19: unknown operation \"dequeue\"\n"),
        (&["b.jsonl"], "error: b.jsonl:3:"),
        (&["c.txt"], "error: c.txt:1:1: linpoint does not know this format\n"),
        (&["--format", "limo", "c.txt"], "error: c.txt:1:1: this is not an event\n"),
        (&["none.jsonl"], "error: none.jsonl: no such file or directory\n"),
        (&["."], "error: .: is a directory; name a file\n"),
        (&["--model", "ququ", "d.edn"], "error: --model: unknown model \"ququ\"\n"),
        (&["--model", "stack", "--id", "3", "d.edn"], "error: d.edn: no history has this --id\n"),
    ] {
        let (out, err) = exits(&linpoint(&dir, &[&["convert", "--as", "jsonl"], args].concat()), 2);
        assert!(err.starts_with(message), "{args:?}: {err}");
        assert_eq!(out, "");
    }
}

#[test]
fn one_of_several_histories_is_chosen_by_id() {
    let dir = dir("convert-several");
    let document = |id: u32| {
        let call = r#"{"id":0,"method":{"name":"size"},"arguments":[]}"#;
        format!(
            r#"{{"schema":{{"id":{id},"class":"Q"}},"events":[{{"kind":"call","sid":0,"invocation":{call}}},{{"kind":"return","sid":0,"invocation":{call},"value":"{id}"}}]}}"#
        )
    };
    fs::write(dir.join("h.json"), format!("{}\n{}\n", document(7), document(8))).unwrap();
    let (_, err) = exits(&linpoint(&dir, &["convert", "--as", "jsonl", "h.json"]), 2);
    assert_eq!(err, "error: h.json: the file has 2 histories; choose one with --id\n");
    let (out, _) = exits(&linpoint(&dir, &["convert", "--as", "jsonl", "--id", "8", "h.json"]), 0);
    assert!(out.contains("\"class\":\"Q\"") && out.contains("\"value\":\"8\""), "{out}");
    let (out, _) = exits(&linpoint(&dir, &["convert", "--as", "violat", "--id", "8", "h.json"]), 0);
    assert!(out.starts_with("{\"schema\":{\"id\":\"8\",\"class\":\"Q\""), "{out}");
}

#[test]
fn a_history_can_come_from_standard_input() {
    let dir = dir("convert-stdin");
    let output = linpoint_reading(&dir, &["convert", "--as", "fastlin", "-"], STACK);
    let (out, _) = exits(&output, 0);
    assert!(out.starts_with("# stack\n"), "{out}");
}
