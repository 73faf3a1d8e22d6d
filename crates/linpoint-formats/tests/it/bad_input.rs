//! Every way in which an input can be bad, with the message that a user sees.

use linpoint_formats::{ModelName, Source, registry};

/// The message for an input, with `HEADER` before it.
fn message(lines: &str) -> String {
    let source = Source::new("h.jsonl", format!("{HEADER}\n{lines}\n"));
    match registry::read(&source, None) {
        Ok(_) => "no error".to_owned(),
        Err(error) => error.to_string(),
    }
}

fn message_of_file(bytes: impl Into<Vec<u8>>) -> String {
    match registry::read(&Source::new("h.jsonl", bytes), None) {
        Ok(_) => "no error".to_owned(),
        Err(error) => error.to_string(),
    }
}

const HEADER: &str = r#"{"linpoint":1,"model":"register"}"#;

#[track_caller]
fn first_line(lines: &str, expected: &str) {
    let message = message(lines);
    assert_eq!(message.lines().next(), Some(expected), "in full:\n{message}");
}

#[test]
fn a_message_has_the_position_the_text_and_a_hint() {
    let lines = r#"{"call":1,"op":"raed"}"#;
    assert_eq!(
        message(lines),
        r#"h.jsonl:2:16: unknown operation "raed"
  |
2 | {"call":1,"op":"raed"}
  |                ^
  = did you mean "read"? The model "register" has read() -> value; write(value)"#
    );
}

#[test]
fn lines_that_are_not_json() {
    first_line(r#"{"call":1,"op":"re"#, "h.jsonl:2:18: the line ends too early");
    first_line(r#"{"call":1,,"op":"read"}"#, "h.jsonl:2:11: key must be a string");
    first_line(r#"{"call":1} {"return":1}"#, "h.jsonl:2:12: trailing characters");
    first_line("hello", "h.jsonl:2:1: a line must be an object: {...}");
    first_line("[1,2]", "h.jsonl:2:1: a line must be an object: {...}");
}

#[test]
fn misplaced_keys() {
    let message = message(r#"{"return":1,"valeu":3}"#);
    assert!(
        message.starts_with("h.jsonl:2:19: unknown field `valeu`, expected one of"),
        "{message}"
    );
    first_line(
        r#"{"return":1,"op":"read"}"#,
        r#"h.jsonl:2:18: "op" does not belong on a line with "return""#,
    );
    first_line(
        r#"{"call":1,"op":"read","value":3}"#,
        r#"h.jsonl:2:31: "value" does not belong on a line with "call""#,
    );
    first_line(
        r#"{"call":1,"return":1}"#,
        r#"h.jsonl:2:20: "call" and "return" cannot be on one line"#,
    );
    first_line(r#"{"op":"read"}"#, "h.jsonl:2: this is neither an event nor an operation");
    first_line(r#"{"call":1}"#, r#"h.jsonl:2: which operation? "op" is missing"#);
}

#[test]
fn events_that_do_not_fit_together() {
    first_line(r#"{"return":1}"#, "h.jsonl:2:11: no call has the id 1");
    first_line(
        "{\"call\":1,\"op\":\"read\"}\n{\"call\":1,\"op\":\"read\"}",
        "h.jsonl:3:9: a second call with id 1; the first is on line 2",
    );
    first_line(
        "{\"call\":1,\"op\":\"read\"}\n{\"info\":1}\n{\"return\":1,\"value\":3}",
        "h.jsonl:4:11: the operation with id 1 has already ended on line 3",
    );
    first_line(
        "{\"call\":1,\"op\":\"read\",\"process\":\"ann\"}\n{\"call\":2,\"op\":\"read\",\"process\":\"ann\"}",
        r#"h.jsonl:3:9: process "ann" calls while its "read" from line 2 is still open"#,
    );
}

#[test]
fn invalid_intervals() {
    let read = |rest: &str| format!(r#"{{"op":"read",{rest}}}"#);
    first_line(&read(r#""start":5,"end":4"#), "h.jsonl:2:30: the operation ends before it starts");
    first_line(&read(r#""start":-5,"end":4"#), "h.jsonl:2:23: the time is negative");
    first_line(&read(r#""start":0,"end":-0.5"#), "h.jsonl:2:33: the time is negative");
    first_line(
        &read(r#""start":"now""#),
        "h.jsonl:2:26: invalid type: string \"now\", expected a time: a number that is not negative",
    );
    first_line(
        &read(r#""start":0,"value":1"#),
        r#"h.jsonl:2:32: an operation without an "end" has no "value""#,
    );
    first_line(
        &format!(
            "{}\n{}",
            read(r#""start":9007199254740993,"end":9007199254740994"#),
            read(r#""start":0.5,"end":1"#)
        ),
        "h.jsonl:2:22: 9007199254740993 is too large beside times with a decimal point",
    );
    first_line(
        &format!("{}\n{{\"call\":1,\"op\":\"read\"}}", read(r#""start":0,"end":1"#)),
        "h.jsonl:3:9: an event here, but an operation with times on line 2: a file has one or the other",
    );
    first_line(
        &format!(
            "{}\n{}",
            read(r#""start":0,"end":4,"process":7"#),
            read(r#""start":3,"end":5,"process":7"#)
        ),
        "h.jsonl:3:7: process 7 calls while its operation from line 2 is still open",
    );
}

#[test]
fn operations_that_the_model_does_not_have() {
    first_line(
        r#"{"op":"write","start":0,"end":1}"#,
        "h.jsonl:2: \"write\" takes one argument, not 0",
    );
    first_line(
        r#"{"op":"read","args":[1],"start":0,"end":1}"#,
        "h.jsonl:2:21: \"read\" takes no arguments, not 1",
    );
    first_line(
        "{\"call\":1,\"op\":\"write\",\"args\":[1]}\n\n{\"return\":1,\"value\":3}",
        "h.jsonl:4:21: the result must be null or \"ok\", not a number: 3",
    );
    first_line(
        r#"{"op":"read","value":1.5,"start":0,"end":1}"#,
        "h.jsonl:2:24: numbers must be whole and fit into 64 bits with a sign; write others as strings: 1.5",
    );
}

#[test]
fn headers() {
    let first = |file: &str| message_of_file(file).lines().next().unwrap_or_default().to_owned();
    assert_eq!(first(r#"{"call":1,"op":"read"}"#), "h.jsonl:1: the header is missing");
    assert_eq!(first(r#"{"linpoint":2}"#), "h.jsonl:1:13: format version 2 is unknown");
    assert_eq!(
        first(r#"{"linpoint":1,"model":3}"#),
        "h.jsonl:1:23: \"model\" must be a string, not a number"
    );
    assert_eq!(first(r#"{"linpoint":1,"model":"regster"}"#), "h.jsonl: unknown model \"regster\"");
    assert_eq!(
        first(r#"{"linpoint":1,"initial":3}"#),
        "h.jsonl:1:25: the option \"initial\" belongs to a model, but none is named"
    );
    assert_eq!(
        first(r#"{"linpoint":1,"model":"register","capacity":3}"#),
        "h.jsonl: the model \"register\" has no option \"capacity\""
    );
    assert_eq!(
        first(r#"{"linpoint":1,"ties":"never"}"#),
        "h.jsonl:1:22: \"ties\" must be concurrent or ordered, not \"never\""
    );
    assert_eq!(
        first("{\"linpoint\":1}\n{\"call\":1,\"op\":\"read\"}"),
        "h.jsonl: the file does not name a model"
    );
}

#[test]
fn inputs_that_are_something_else() {
    let first = |file: &[u8]| message_of_file(file).lines().next().unwrap_or_default().to_owned();
    assert_eq!(first(b"\x89PNG\r\n"), "h.jsonl:1:1: linpoint does not know this format");
    assert_eq!(
        first(b"\xff\xfe{\0\"\0"),
        "h.jsonl:1:1: the file is in UTF-16; it must be in UTF-8"
    );
    let mut latin1 = HEADER.as_bytes().to_vec();
    latin1.extend(b"\n{\"call\":1,\"op\":\"\xe4\"}\n");
    assert_eq!(first(&latin1), "h.jsonl:2:17: these bytes are not UTF-8");
}

#[test]
fn empty_inputs_are_empty_histories() {
    for bytes in ["", "\n\n", "\u{feff}", HEADER] {
        let history = registry::read(&Source::new("h", bytes), None).map_err(|e| e.to_string());
        assert!(history.unwrap().is_empty());
    }
}

#[test]
fn models_of_the_command_line() {
    let check = |text: &str| registry::validate(&ModelName::parse(text).unwrap());
    assert_eq!(check("register:initial=0"), Ok(()));
    let error = |text: &str| check(text).unwrap_err().to_string();
    assert!(error("registre").starts_with("--model: unknown model \"registre\""));
    assert_eq!(check("snapshot"), Ok(()), "files have the number of segments");
    assert!(check("snapshot:segments=x").is_err());
    assert!(error("register:size=0").contains("has no option \"size\""));
}

/// Truncated and changed files never panic, and errors name their file.
#[test]
fn damaged_files_are_errors_and_never_panic() {
    let file = format!(
        "{HEADER}\n{}\n{}\n{}\n{}\n",
        r#"{"call":1,"process":"ann","op":"write","args":[{"a":[1,"ä"]}],"hint":{"scope":1,"position":4}}"#,
        r#"{"call":"b","process":2,"object":"x","op":"read"}"#,
        r#"{"return":1}"#,
        r#"{"return":"b","value":{"unknown":true}}"#,
    );
    assert_eq!(message_of_file(file.as_str()), "no error");
    let bytes = file.as_bytes();
    for at in 0..bytes.len() {
        message_of_file(&bytes[..at]);
        for byte in [0, b'"', b'{', b'}', b'\n', b'9', 0xff] {
            let mut changed = bytes.to_vec();
            changed[at] = byte;
            let message = message_of_file(changed);
            assert!(message == "no error" || message.starts_with("h.jsonl"), "{message}");
        }
    }
}

#[test]
fn models_that_other_formats_do_not_fit() {
    let message = |text: &str, model: &str| {
        let model = ModelName::parse(model).unwrap();
        let error = registry::read(&Source::new("h", text), Some(&model)).err().unwrap();
        error.to_string().lines().next().unwrap_or_default().to_owned()
    };
    assert_eq!(message("# queue\nenq 1 0 1\n", "stack"), "h:2:1: unknown operation \"enqueue\"");
    assert_eq!(message("# queue\n4 0 1 ENQ 1\n", "stack"), "h:2:7: unknown operation \"enqueue\"");
    assert_eq!(message("[1] call enq(1)\n", "stack"), "h:1:10: unknown operation \"enqueue\"");
    assert_eq!(message("startScan!1;", "stack"), "h:1: unknown operation \"scan\"");
    let edn = "[{:process 0, :type :invoke, :f :read, :value nil}]";
    assert_eq!(message(edn, "stack"), "h:1:33: unknown operation \"read\"");
    let log = "INFO jepsen.util - 0 :invoke :read nil";
    assert_eq!(message(log, "stack"), "h:1:30: unknown operation \"read\"");
    assert_eq!(
        message("# stack\n1 0 5 PUSH 1\n1 4 9 PUSH 2\n", "stack"),
        "h:3:7: process 1 calls while its operation from line 2 is still open"
    );
}

#[test]
fn cut_and_changed_files_of_every_format() {
    let samples = [
        "# set\ninsert 4 1 0 1\nremove 4 1 2 3\n",
        "# stack\n0 1 5 PUSH 1\n2 3 7 POP 1\n",
        "# @object atomic-queue\n[1] call enq(1)\n[1] return\n[2] call deq\n[2] return 1\n",
        "startUpdate!0,7;endUpdate!0,7;startScan!4;endScan!4,7,0;",
        "INFO  jepsen.util - 0\t:invoke\t:cas\t[1 2]\nINFO  jepsen.util - 0\t:fail\t:cas\t[1 2]\n",
        "[{:process 0, :type :invoke, :f :write, :value \"\\u0041\"} #_x {:process 0 :type :ok :f :write :value nil}]",
        "{:process 0, :type :invoke, :f :get, :key \"0\", :value nil}\n{:process 0, :type :ok, :f :get, :key \"0\", :value \"\"}\n",
        r#"{"schema":{"id":1,"class":"Q"},"events":[{"kind":"call","sid":0,"invocation":{"id":0,"method":{"name":"size"}}}]}"#,
    ];
    let read = |bytes: Vec<u8>| {
        for found in registry::read_all(&Source::new("h", bytes), None, None) {
            let message = found.history.err().map(|e| e.to_string()).unwrap_or_default();
            assert!(message.is_empty() || message.starts_with('h'), "{message}");
        }
    };
    for sample in samples {
        let bytes = sample.as_bytes();
        for at in 0..bytes.len() {
            read(bytes[..at].to_vec());
            for byte in [0, b' ', b'"', b'[', b')', b'{', b'}', b'\n', b'9', b'-', b'#', b':', 0xff]
            {
                let mut changed = bytes.to_vec();
                changed[at] = byte;
                read(changed);
            }
        }
    }
}

#[test]
fn an_empty_file_is_an_empty_history_in_any_format() {
    for format in linpoint_formats::Format::ALL {
        let histories = registry::read_all(&Source::new("h", "\n"), Some(*format), None);
        let only = match &histories[..] {
            [found] => found.history.as_ref().ok(),
            _ => None,
        };
        assert!(only.is_some_and(|history| history.is_empty()), "{format:?}");
        let sample = Source::new("h", format.sample());
        let is_known = linpoint_formats::Format::detect(&sample).is_ok();
        assert!(is_known || format.needs_map(), "{format:?}");
        assert_eq!(linpoint_formats::Format::from_name(format.name()), Some(*format));
    }
}
