//! `linpoint watch`: open pipes, growing files, bad lines.

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Output};

use crate::support::{BAD, OK, dir, examples, exits, linpoint, linpoint_reading, spawn};

/// Pipes a complete stream into `linpoint watch -`.
fn watch(args: &[&str], stream: &str) -> Output {
    linpoint_reading(Path::new("."), &[&["watch", "-"], args].concat(), stream)
}

#[test]
fn a_violation_is_reported_while_the_stream_is_open() {
    let mut child = spawn(Path::new("."), &["watch", "-"]);
    let mut stdin = child.stdin.take().unwrap();
    let events = r#"{"linpoint":1,"model":"register","initial":0}
{"call":1,"process":"ann","op":"write","args":[1]}
{"call":2,"process":"ben","op":"read"}
{"call":3,"process":"eve","op":"write","args":[9]}
{"return":1}
{"return":2,"value":0}
{"call":4,"process":7,"op":"read"}
{"return":4,"value":0}
"#;
    stdin.write_all(events.as_bytes()).unwrap();
    stdin.flush().unwrap();
    // The pipe stays open, so the verdict depends only on the lines written so far.
    let (mut out, mut err) = (String::new(), String::new());
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{out}\n{err}");
    drop(stdin);
    assert!(
        out.starts_with("✗ <stdin>:8  NOT LINEARIZABLE  register:initial=0, 4 operations, "),
        "{out}"
    );
    assert!(
        out.contains("\n  read() by client 7 returned 0, but only 1 or 9 was possible by then\n"),
        "{out}"
    );
    assert!(out.contains("(line 8, called on line 7)"), "{out}");
    assert!(out.contains("allowed here   1 or 9\n"), "{out}");
    assert!(out.contains("state before   1"), "{out}");
    assert!(out.contains("also open      write(9) (line 4)\n"), "{out}");
    assert_eq!(err, "");
}

#[test]
fn a_finished_stream_has_a_verdict() {
    let (out, err) = exits(&watch(&[], OK), 0);
    assert!(out.starts_with("✓ <stdin>  linearizable  register, 1 operation, "), "{out}");
    assert_eq!(err, "");
    exits(&watch(&[], BAD), 1);
    exits(&watch(&[], ""), 0);
    exits(&watch(&["--model", "register:initial=7"], BAD), 0);
    // The last line needs no line break.
    exits(&watch(&[], BAD.trim_end()), 1);
}

#[test]
fn giving_up_is_reported_immediately_and_makes_the_stream_undecided() {
    // Deques have no monitor in a stream.
    let mut stream = "{\"linpoint\":1,\"model\":\"deque\"}\n".to_owned();
    for i in 0..6 {
        stream += &format!("{{\"call\":{i},\"op\":\"push_back\",\"args\":[{i}]}}\n");
    }
    stream += "{\"return\":0,\"value\":\"ok\"}\n";
    let (out, _) = exits(&watch(&["--max-configurations", "3"], &stream), 3);
    assert!(out.starts_with("? <stdin>:8  given up\n"), "{out}");
    assert!(out.contains("--max-configurations"), "{out}");
    assert!(out.contains("\n? <stdin>  undecided  deque, 6 operations, "), "{out}");
    // Other keys are still checked. Appends have no monitor in a stream.
    let kv = r#"{"linpoint":1,"model":"kv"}
{"call":1,"op":"append","args":["a","1"]}
{"call":2,"op":"append","args":["a","2"]}
{"call":3,"op":"append","args":["a","3"]}
{"call":4,"op":"get","args":["a"]}
{"return":4}
{"call":5,"op":"get","args":["b"]}
{"return":5,"value":5}
"#;
    let (out, _) = exits(&watch(&["--max-configurations", "2"], kv), 1);
    assert!(out.contains("<stdin>:6  given up") && out.contains("<stdin>:8  NOT"), "{out}");
}

#[test]
fn the_outcome_comes_as_json_too() {
    let dir = dir("watch-json");
    fs::write(dir.join("bad.jsonl"), BAD).unwrap();
    fs::write(dir.join("ok.jsonl"), OK).unwrap();
    let (out, _) = exits(&linpoint(&dir, &["watch", "--as", "json", "bad.jsonl"]), 1);
    for part in [
        "\"schema\":\"linpoint.stream\"",
        "\"verdict\":\"violation\"",
        "\"reason\":\"read() by ann returned 7, but only 0 was possible by then\"",
        "\"line\":3",
        "\"call_line\":2",
        "\"allowed\":[\"0\"]",
        "\"states_before\":[\"0\"]",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    assert_eq!(out.lines().count(), 1, "{out}");
    let (out, _) = exits(&linpoint(&dir, &["watch", "--as", "json", "ok.jsonl"]), 0);
    assert!(out.contains("\"verdict\":\"linearizable\"") && out.contains("\"line\":null"), "{out}");
}

#[test]
fn a_limit_stops_the_stream_and_names_the_line() {
    // Deques have no monitor in a stream, and the effects of twenty open operations have many orders.
    let mut stream = "{\"linpoint\":1,\"model\":\"deque\"}\n".to_owned();
    for i in 0..20 {
        stream += &format!("{{\"call\":{i},\"op\":\"push_back\",\"args\":[{i}]}}\n");
    }
    for i in 0..20 {
        stream += &format!("{{\"return\":{i},\"value\":\"ok\"}}\n");
    }
    let (out, err) = exits(&watch(&["--memory", "20MB"], &stream), 3);
    assert!(out.starts_with("? <stdin>:22  undecided  deque, 20 operations, "), "{out}");
    assert!(out.contains("  stopped by the memory limit on line 22, with no violation so far\n"));
    assert_eq!(err, "");
    let (out, _) = exits(&watch(&["--timeout", "1us"], &stream), 3);
    assert!(out.contains("  stopped by the time limit on line 22, with no violation so far\n"));
    // Lines are counted as well: a long stream that is easy to check stops, too.
    let reads: String = (0..10_000)
        .map(|i| format!("{{\"call\":{i},\"op\":\"read\"}}\n{{\"return\":{i},\"value\":0}}\n"))
        .collect();
    let stream = "{\"linpoint\":1,\"model\":\"register\",\"initial\":0}\n".to_owned() + &reads;
    let (out, _) = exits(&watch(&["--timeout", "1us"], &stream), 3);
    assert!(out.contains("stopped by the time limit on line "), "{out}");
    exits(&watch(&["--timeout", "1h", "--memory", "1GB"], &stream), 0);
}

#[test]
fn jepsen_logs_edn_and_porcupine_can_be_watched() {
    let log = "INFO  jepsen.util - 0\t:invoke\t:write\t3\nINFO  jepsen.core - hello\n\
        INFO  jepsen.util - 0\t:ok\t:write\t3\nINFO  jepsen.util - 1\t:invoke\t:read\tnil\n\
        INFO  jepsen.util - 1\t:ok\t:read\t4\n";
    let (out, _) = exits(&watch(&[], log), 1);
    assert!(out.starts_with("✗ <stdin>:5  NOT LINEARIZABLE  cas-register"), "{out}");
    let edn = "{:process 0, :type :invoke, :f :write, :value 3}\n\
        {:process :nemesis, :type :info, :f :kill, :value nil}\n\
        {:process 0, :type :info, :f :write, :value 3}\n\
        {:process 1, :type :invoke, :f :read, :value nil}\n{:process 1, :type :ok, :f :read, :value 3}\n\
        {:process 1, :type :invoke, :f :read, :value nil}\n{:process 1, :type :ok, :f :read, :value 0}\n";
    let (out, _) = exits(&watch(&["--model", "cas-register"], edn), 1);
    assert!(out.starts_with("✗ <stdin>:7  NOT LINEARIZABLE  cas-register:initial=0"), "{out}");
    let (_, err) = exits(&watch(&[], edn), 2);
    assert!(err.contains("a stream in EDN does not say what it is a history of"), "{err}");
    let porcupine = "{:process 0, :type :invoke, :f :get, :key \"0\", :value nil}\n\
        {:process 0, :type :ok, :f :get, :key \"0\", :value \"x\"}\n";
    let (out, _) = exits(&watch(&[], porcupine), 1);
    assert!(out.contains("get(\"0\") by client 0 returned \"x\", but only \"\" was"), "{out}");
}

#[test]
fn objects_are_checked_independently() {
    let edn = "{:process 0 :type :invoke :f :write :value [:x 3]}\n\
        {:process 0 :type :ok :f :write :value [:x 3]}\n\
        {:process 0 :type :invoke :f :read :value [:y nil]}\n";
    let ok = format!("{edn}{{:process 0 :type :ok :f :read :value [:y 0]}}\n");
    exits(&watch(&["--model", "register"], &ok), 0);
    let bad = format!("{edn}{{:process 0 :type :ok :f :read :value [:y 3]}}\n");
    let (out, _) = exits(&watch(&["--model", "register"], &bad), 1);
    assert!(out.contains(":y: read() by client 0 returned 3, but only 0 was"), "{out}");
    let (_, err) = exits(
        &watch(
            &["--model", "register"],
            &format!("{edn}{{:process 1 :type :invoke :f :write :value 3}}"),
        ),
        2,
    );
    assert!(
        err.contains("<stdin>:4:1: the first call named an object, but this one does not"),
        "{err}"
    );
}

#[test]
fn ids_and_processes_can_be_reused_after_a_return() {
    let mut stream = "{\"linpoint\":1,\"model\":\"register\",\"initial\":0}\n".to_owned();
    for i in 0..50 {
        stream += &format!(
            "{{\"call\":1,\"process\":\"a\",\"op\":\"write\",\"args\":[{i}]}}\n{{\"return\":1}}\n\
             {{\"call\":1,\"process\":\"a\",\"op\":\"read\"}}\n{{\"return\":1,\"value\":{i}}}\n"
        );
    }
    exits(&watch(&[], &stream), 0);
}

#[test]
fn bad_lines_are_reported_with_their_position() {
    let header = "{\"linpoint\":1,\"model\":\"register\"}\n";
    let call = "{\"call\":1,\"process\":\"a\",\"op\":\"read\"}\n";
    for (args, stream, message) in [
        (
            &[][..],
            format!("{header}\n{{\"call\":1,\"op\":\"re"),
            "<stdin>:3:18: the line ends too early",
        ),
        (&[], format!("{header}nonsense"), "<stdin>:2:1: a line must be an object: {...}"),
        (
            &[],
            format!("{header}{call}{call}"),
            "<stdin>:3:9: a second call with id 1; the first is on line 2",
        ),
        (&[], format!("{header}{{\"return\":1}}"), "<stdin>:2:11: no call has the id 1"),
        (
            &[],
            format!("{header}{call}{}", call.replace('1', "2")),
            "<stdin>:3:9: process \"a\" calls while its \"read\" from line 2 is still open",
        ),
        (
            &[],
            format!("{header}{{\"call\":1,\"op\":\"pop\"}}"),
            "<stdin>:2:16: unknown operation \"pop\"",
        ),
        (
            &["--model", "queue"],
            format!("{header}{call}"),
            "<stdin>:2:30: unknown operation \"read\"",
        ),
        (
            &["--model", "counter"],
            "{\"linpoint\":1}\n{\"call\":1,\"op\":\"get\"}\n{\"return\":1,\"value\":\"x\"}"
                .to_owned(),
            "<stdin>:3:21: the result must be a whole number, not",
        ),
        (
            &[],
            format!("{header}{{\"op\":\"read\",\"start\":1,\"end\":2}}"),
            "<stdin>:2: an operation with its times cannot be watched",
        ),
        (
            &[],
            "# queue\nenq 1 0 1\n".to_owned(),
            "<stdin>:1: a stream in the format fastlin cannot be watched",
        ),
        (&[], "hello".to_owned(), "<stdin>:1:1: linpoint does not know this format"),
        (&[], "{\"linpoint\":1}\n{}".to_owned(), "<stdin>: the file does not name a model"),
        (
            &["--model", "register"],
            "[{:process 0 :type :invoke :f :read}".to_owned(),
            "<stdin>:1:1: a history in brackets cannot be watched",
        ),
        (
            &["--model", "register"],
            "{:process 0 :type :invoke :f :read}\n{:process 0".to_owned(),
            "<stdin>:2:1: '{' is never closed: the file is cut off",
        ),
        (
            &[],
            "INFO  jepsen.util - 0\t:invoke\t:read\tnil\nINFO  jepsen.util - 0 :ok".to_owned(),
            "<stdin>:2:26: the line ends where a function such as :read is expected",
        ),
    ] {
        let (out, err) = exits(&watch(args, &stream), 2);
        assert!(err.starts_with(&format!("error: {message}")), "{message}:\n{err}");
        assert_eq!(out, "", "{message}");
    }
}

#[test]
fn bad_usage_exits_with_2() {
    let dir = dir("watch-usage");
    let message = |args: &[&str]| exits(&linpoint(&dir, args), 2).1;
    assert!(message(&["watch", "missing"]).contains("missing: no such file or directory"));
    assert!(message(&["watch", "."]).contains(".: is a directory"));
    assert!(message(&["watch", "--follow", "-"]).contains("--follow is for files"));
    assert!(message(&["watch", "--model", "heap", "-"]).contains("unknown model \"heap\""));
    fs::write(dir.join("a.gz"), [0x1f, 0x8b, 8, 0, 0]).unwrap();
    assert!(message(&["watch", "a.gz"]).contains("a compressed stream cannot be watched"));
    let (out, _) = exits(&linpoint(&dir, &["watch", "--help"]), 0);
    assert!(out.contains("Examples:") && out.contains("Exit codes:"), "{out}");
}

#[test]
fn a_growing_file_is_followed() {
    let dir = dir("watch-follow");
    let file = dir.join("run.jsonl");
    let (begin, end) = BAD.split_at(BAD.len() - 10);
    fs::write(&file, begin).unwrap();
    let child = spawn(&dir, &["watch", "--follow", "run.jsonl"]);
    // Half a line must not be taken for a line, whether or not the command has read it by now.
    OpenOptions::new().append(true).open(&file).unwrap().write_all(end.as_bytes()).unwrap();
    let (out, _) = exits(&child.wait_with_output().unwrap(), 1);
    assert!(out.starts_with("✗ run.jsonl:3  NOT LINEARIZABLE"), "{out}");
}

/// Needs the program `kill`.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_following() {
    let dir = dir("watch-interrupt");
    let mut stream = "{\"linpoint\":1,\"model\":\"deque\"}\n".to_owned();
    for i in 0..6 {
        stream += &format!("{{\"call\":{i},\"op\":\"push_back\",\"args\":[{i}]}}\n");
    }
    stream += "{\"return\":0,\"value\":\"ok\"}\n";
    fs::write(dir.join("run.jsonl"), stream).unwrap();
    let mut child = spawn(&dir, &["watch", "--max-configurations", "3", "--follow", "run.jsonl"]);
    let mut out = BufReader::new(child.stdout.take().unwrap());
    // After the first output, the handler for the interrupt is installed.
    let mut first = String::new();
    out.read_line(&mut first).unwrap();
    assert_eq!(first, "? run.jsonl:8  given up\n");
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    exits(&child.wait_with_output().unwrap(), 3);
    assert!(rest.contains("? run.jsonl  undecided  deque, 6 operations, "), "{rest}");
}

#[test]
fn examples_have_the_same_verdicts_as_with_check() {
    let examples = examples();
    let (out, _) = exits(&linpoint(&examples, &["check", "--as", "tsv", "."]), 1);
    let mut watched = 0;
    for line in out.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        if fs::read_to_string(examples.join(fields[0])).unwrap().contains("\"start\":") {
            continue;
        }
        let code = if fields[1] == "ok" { 0 } else { 1 };
        exits(&linpoint(&examples, &["watch", fields[0]]), code);
        watched += 1;
    }
    assert!(watched >= 6, "{out}");
}
