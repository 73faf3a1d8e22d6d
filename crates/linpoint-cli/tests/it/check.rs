//! `linpoint check`: output and exit codes.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::support::{
    BAD, OK, command, dir, examples, exits, linpoint, linpoint_reading, many_orders,
};

#[test]
fn a_linearizable_history_prints_one_line_and_a_summary() {
    let dir = dir("fine");
    fs::write(dir.join("a.jsonl"), OK).unwrap();
    let (out, err) = exits(&linpoint(&dir, &["check", "a.jsonl"]), 0);
    assert!(out.starts_with("✓ a.jsonl  linearizable  register, 1 operation, "), "{out}");
    assert!(out.contains("\n1 history: 1 linearizable, 0 not; 1 operation in "), "{out}");
    assert_eq!(err, "");
}

#[test]
fn a_violation_is_explained() {
    let dir = dir("violation");
    fs::write(dir.join("a.jsonl"), BAD).unwrap();
    let (out, _) = exits(&linpoint(&dir, &["check", "a.jsonl"]), 1);
    assert!(
        out.starts_with("✗ a.jsonl  NOT LINEARIZABLE  register:initial=0, 1 operation, "),
        "{out}"
    );
    assert!(out.contains("ann  |==read() -> 7==✗"), "{out}");
    assert!(out.contains("✗ fails at     read() by ann returned 7 (line 2)"), "{out}");
    assert!(out.contains("allowed here   0\n"), "{out}");
    assert!(!out.contains('\u{1b}'), "there must be no colours in a pipe");
}

#[test]
fn directories_are_walked_in_name_order_and_non_histories_are_skipped() {
    let dir = dir("walk");
    fs::create_dir(dir.join("runs")).unwrap();
    fs::create_dir(dir.join("runs/b")).unwrap();
    for name in ["runs/c.jsonl", "runs/b/x.jsonl", "runs/a.jsonl"] {
        fs::write(dir.join(name), OK).unwrap();
    }
    for name in ["runs/README.md", "runs/.hidden", "runs/expected.tsv"] {
        fs::write(dir.join(name), "not a history").unwrap();
    }
    let (out, err) = exits(&linpoint(&dir, &["check", "runs"]), 0);
    let at = |name: &str| out.find(name).unwrap_or_else(|| panic!("{name}:\n{out}"));
    assert!(at("runs/a.jsonl") < at("runs/b/x.jsonl") && at("runs/b/x.jsonl") < at("runs/c.jsonl"));
    assert!(out.contains("(3 files skipped)"), "{out}");
    assert_eq!(err, "");
    // A file named on the command line is never skipped.
    let (_, err) = exits(&linpoint(&dir, &["check", "runs/expected.tsv"]), 2);
    assert!(
        err.contains("error: runs/expected.tsv:1:1: linpoint does not know this format"),
        "{err}"
    );
}

#[test]
fn bad_inputs_do_not_stop_the_other_checks() {
    let dir = dir("mixed");
    fs::create_dir(dir.join("empty")).unwrap();
    fs::write(dir.join("ok.jsonl"), OK).unwrap();
    fs::write(dir.join("bad.jsonl"), BAD).unwrap();
    fs::write(dir.join("broken.jsonl"), format!("{OK}{{\"return\":1}}\n")).unwrap();
    let args = ["check", "missing.jsonl", "ok.jsonl", "broken.jsonl", "empty", "bad.jsonl"];
    // A violation counts for more than inputs that cannot be read, unless --strict is given.
    exits(&linpoint(&dir, &args), 1);
    exits(&linpoint(&dir, &args[..5]), 2);
    let strict = [&args[..], &["--strict"]].concat();
    let (out, err) = exits(&linpoint(&dir, &strict), 2);
    assert!(err.contains("error: missing.jsonl: no such file or directory\n"), "{err}");
    assert!(
        err.contains(
            "error: broken.jsonl:4:11: the operation with id 1 has already ended on line 3"
        )
    );
    assert!(err.contains("4 | {\"return\":1}\n"), "{err}");
    assert!(err.contains("error: empty: the directory has no histories\n"), "{err}");
    assert!(out.contains("✓ ok.jsonl") && out.contains("✗ bad.jsonl"), "{out}");
    assert!(out.contains("2 histories: 1 linearizable, 1 not; 3 errors; "), "{out}");
}

#[test]
fn tsv_has_one_line_per_history() {
    let dir = dir("tsv");
    fs::write(dir.join("ok.jsonl"), OK).unwrap();
    fs::write(dir.join("b\tad.jsonl"), BAD).unwrap();
    let args = ["check", "--as", "tsv", "ok.jsonl", "b\tad.jsonl", "none.jsonl"];
    let (out, _) = exits(&linpoint(&dir, &args), 1);
    let rows: Vec<Vec<&str>> = out.lines().map(|line| line.split('\t').collect()).collect();
    assert_eq!(rows.len(), 3, "{out}");
    assert!(rows.iter().all(|row| row.len() == 5), "{out}");
    assert_eq!(rows[0][..2], ["ok.jsonl", "ok"]);
    assert_eq!((rows[1][0], rows[1][1], rows[1][3]), ("b\\tad.jsonl", "bad", "1"));
    assert_eq!(rows[2][..2], ["none.jsonl", "error"]);
    assert!(rows[0][4].parse::<f64>().is_ok(), "{out}");
}

#[test]
fn a_history_can_come_from_standard_input() {
    let (out, _) = exits(&linpoint_reading(Path::new("."), &["check", "-"], BAD), 1);
    assert!(out.starts_with("✗ <stdin>  NOT LINEARIZABLE"), "{out}");
}

#[test]
fn an_empty_file_is_an_empty_history() {
    let dir = dir("empty");
    fs::write(dir.join("a"), "").unwrap();
    let (out, err) = exits(&linpoint(&dir, &["check", "a"]), 0);
    assert!(out.contains("linearizable") && out.contains("0 operations"), "{out}");
    assert_eq!(err, "warning: a has no operations, so there is nothing to be wrong\n");
}

#[test]
fn the_model_option_overrides_the_file() {
    let dir = dir("model");
    fs::write(dir.join("a"), BAD).unwrap();
    exits(&linpoint(&dir, &["check", "--model", "register:initial=7", "a"]), 0);
    let (_, err) = exits(&linpoint(&dir, &["check", "--model", "queue", "a"]), 2);
    assert!(err.contains("a:2:32: unknown operation \"read\""), "{err}");
    let (_, err) = exits(&linpoint(&dir, &["check", "--model", "heap", "a"]), 2);
    assert!(err.contains("unknown model \"heap\"") && err.contains("priority-queue"), "{err}");
}

#[test]
fn bad_usage_exits_with_2() {
    let dir = dir("usage");
    fs::write(dir.join("a"), OK).unwrap();
    for args in [
        &["check"][..],
        &["check", "--timeout", "soon", "a"],
        &["check", "--memory", "0", "a"],
        &["check", "--jobs", "0", "a"],
        &["check", "--hints", "maybe", "a"],
        &["check", "--as", "xml", "a"],
        &["chekc", "a"],
        &[],
    ] {
        let (out, err) = exits(&linpoint(&dir, args), 2);
        assert!(out.is_empty() && !err.is_empty(), "{args:?}");
    }
    let (_, err) = exits(&linpoint(&dir, &["check", "--algorithm", "magic", "a"]), 2);
    assert!(err.contains("unknown engine \"magic\""), "{err}");
}

#[test]
fn formats_are_detected_or_given() {
    let dir = dir("formats");
    fs::write(dir.join("q.log"), "# queue\nenq 1 0 1\ndeq 1 2 3\n").unwrap();
    fs::write(dir.join("bare"), "push 1 0 1\npop 2 2 3\n").unwrap();
    fs::write(dir.join("e.edn"), "[{:process 0 :type :invoke :f :read}]").unwrap();
    let (out, _) = exits(&linpoint(&dir, &["check", "--as", "tsv", "q.log", "e.edn"]), 0);
    assert!(out.starts_with("q.log\tok\t") && out.contains("\ne.edn\tok\t"), "{out}");
    exits(&linpoint(&dir, &["check", "--format", "fastlin", "--model", "stack", "bare"]), 1);
    let (_, err) = exits(&linpoint(&dir, &["check", "--format", "edn", "q.log"]), 2);
    assert!(err.contains("q.log:1:1: "), "{err}");
    let (_, err) = exits(&linpoint(&dir, &["check", "--format", "xml", "q.log"]), 2);
    assert!(err.contains("possible values: jsonl, edn"), "{err}");
}

#[test]
fn histories_of_one_file_are_named_by_id() {
    let dir = dir("several");
    let one = |id: u32| format!("{{\"schema\":{{\"id\":{id},\"class\":\"Q\"}},\"events\":[]}}\n");
    fs::write(dir.join("j.jsonl"), one(4) + &one(5)).unwrap();
    let (out, err) = exits(&linpoint(&dir, &["check", "--as", "tsv", "j.jsonl"]), 2);
    assert_eq!(out, "j.jsonl#4\terror\t-\t0\t0\nj.jsonl#5\terror\t-\t0\t0\n");
    assert!(err.contains("there is no specification of the Java class Q"), "{err}");
}

#[test]
fn undecided_exits_with_3() {
    let dir = dir("undecided");
    fs::write(dir.join("a"), many_orders(40)).unwrap();
    let (out, _) = exits(&linpoint(&dir, &["check", "--memory", "1", "a"]), 3);
    assert!(out.starts_with("? a  undecided") && out.contains("the memory limit"), "{out}");
}

/// A run as Jepsen stores it.
#[test]
fn of_a_jepsen_run_only_the_history_is_read() {
    let dir = dir("jepsen-store");
    let run = dir.join("store/etcd/latest");
    fs::create_dir_all(&run).unwrap();
    let history = "{:process 0, :type :invoke, :f :write, :value 1}\n\
                   {:process 0, :type :ok, :f :write, :value 1}\n\
                   {:process 1, :type :invoke, :f :read, :value nil}\n\
                   {:process 1, :type :ok, :f :read, :value 2}\n";
    fs::write(run.join("history.edn"), history).unwrap();
    for name in ["history.txt", "jepsen.log", "results.edn", "timeline.html", "test.fressian"] {
        fs::write(run.join(name), "not a history").unwrap();
    }
    let (out, err) = exits(&linpoint(&dir, &["check", "--model", "register", "store"]), 1);
    assert!(out.contains("(5 files skipped)"), "{out}");
    let note =
        "is a Jepsen run: reading history.edn, skipping history.txt, jepsen.log, results.edn";
    assert!(err.contains(note) && err.lines().count() == 1, "{err}");
}

#[test]
fn side_files_that_cannot_be_written_fail_before_the_work() {
    let dir = dir("side-files-early");
    fs::write(dir.join("a.jsonl"), OK).unwrap();
    fs::write(dir.join("b.jsonl"), OK).unwrap();
    for (option, path) in [("--html", "none/x.html"), ("--witness", "none/x.witness")] {
        let (out, err) = exits(&linpoint(&dir, &["check", option, path, "a.jsonl"]), 2);
        assert_eq!(out, "", "nothing was checked");
        assert!(err.contains(&format!("{option}: cannot write {path}")), "{err}");
    }
    let (out, err) =
        exits(&linpoint(&dir, &["check", "--html", "x.html", "a.jsonl", "b.jsonl"]), 2);
    assert_eq!(out, "", "nothing was checked");
    assert!(err.contains("has room for one history; name a directory"), "{err}");
}

#[test]
fn a_dash_is_standard_output() {
    let dir = dir("side-files-stdout");
    fs::write(dir.join("a.jsonl"), OK).unwrap();
    let (out, _) = exits(&linpoint(&dir, &["check", "--html", "-", "a.jsonl"]), 0);
    assert!(out.starts_with("<!doctype html>") && out.trim_end().ends_with("</html>"), "{out}");
    let (out, _) = exits(&linpoint(&dir, &["check", "--witness", "-", "a.jsonl"]), 0);
    assert!(out.starts_with("# linpoint witness 1\n") && !out.contains("1 history"), "{out}");
    assert!(!dir.join("-").exists());
    exits(&linpoint(&dir, &["check", "--witness", "-", "--html", "-", "a.jsonl"]), 2);
}

#[test]
fn every_key_is_checked() {
    let dir = dir("keys");
    let mut text = "{\"linpoint\":1,\"model\":\"kv\"}\n".to_owned();
    for (at, key) in ["cart", "list", "shop", "user"].iter().enumerate() {
        let (start, end) = (10 * at, 10 * at + 5);
        let put = format!("\"op\":\"put\",\"args\":[\"{key}\",1],\"start\":{start},\"end\":{end}");
        let value = if *key == "cart" || *key == "user" { "null" } else { "1" };
        let get = format!(
            "\"op\":\"get\",\"args\":[\"{key}\"],\"value\":{value},\"start\":{},\"end\":{}",
            end + 1,
            end + 2
        );
        text += &format!("{{\"process\":0,{put}}}\n{{\"process\":1,{get}}}\n");
    }
    fs::write(dir.join("a.jsonl"), text).unwrap();
    let (out, _) = exits(&linpoint(&dir, &["check", "a.jsonl"]), 1);
    assert!(out.contains("\n  2 of 4 keys fail: \"cart\", \"user\"\n"), "{out}");
    assert!(out.contains(
        "get(\"cart\") by client 1 (line 3) returned null, but the initial value was gone"
    ));
    let (out, _) = exits(&linpoint(&dir, &["check", "--first-failure", "a.jsonl"]), 1);
    assert!(out.contains("\n  at least 1 of 4 keys fails: \"cart\"\n"), "{out}");
}

#[test]
fn a_closed_pipe_does_not_panic() {
    let dir = dir("pipe");
    for i in 0..200 {
        fs::write(dir.join(format!("{i}.jsonl")), BAD).unwrap();
    }
    let mut command = command(&dir, &["check", "."]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let (_, err) = exits(&child.wait_with_output().unwrap(), 1);
    assert_eq!(err, "");
}

/// `linpoint ... | head -1` has no error of its own. Without a verdict, the code is that of a closed pipe.
#[test]
fn a_closed_pipe_without_a_violation_is_no_error() {
    let dir = dir("pipe-ok");
    fs::write(dir.join("a.jsonl"), OK).unwrap();
    let html = ["check", "--html", "-", "a.jsonl"];
    for args in [
        &["check", "a.jsonl"][..],
        &html,
        &["plan", "a.jsonl"],
        &["models"],
        &["explain", "a.jsonl"],
    ] {
        // Closed from the start: nothing can be written before.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command(&dir, args).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(exits(&output, 141).1, "", "{args:?}");
    }
}

#[test]
fn models_formats_and_help_are_listed() {
    let dir = dir("lists");
    let (out, _) = exits(&linpoint(&dir, &["models", "queue"]), 0);
    assert!(out.starts_with("queue: ") && out.contains("dequeue()"), "{out}");
    assert!(!out.contains("stack"), "{out}");
    let (_, err) = exits(&linpoint(&dir, &["models", "priority_queue"]), 2);
    assert!(err.contains("did you mean \"priority-queue\"? The models are: "), "{err}");
    let (out, _) = exits(&linpoint(&dir, &["models"]), 0);
    for name in ["register", "cas-register", "kv", "queue", "mutex", "bank"] {
        assert!(out.lines().any(|line| line.starts_with(&format!("{name}: "))), "{name}:\n{out}");
    }
    let (out, _) = exits(&linpoint(&dir, &["formats"]), 0);
    assert!(out.contains("jsonl"), "{out}");
    let (out, _) = exits(&linpoint(&dir, &["check", "--help"]), 0);
    assert!(out.contains("Examples:") && out.contains("Exit codes:"), "{out}");
}

#[test]
fn examples_have_the_verdicts_of_their_readme() {
    let examples = examples();
    let readme = fs::read_to_string(examples.join("README.md")).unwrap();
    let (out, _) = exits(&linpoint(&examples, &["check", "--as", "tsv", "."]), 1);
    assert!(out.lines().count() >= 8, "{out}");
    for line in out.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let name = fields[0].trim_start_matches("./").trim_end_matches(".jsonl");
        let row = readme.lines().find(|row| row.starts_with(&format!("| `{name}` |")));
        let row = row.unwrap_or_else(|| panic!("{name} is not in the README"));
        let expected = if row.contains("| linearizable |") { "ok" } else { "bad" };
        assert_eq!(fields[1], expected, "{line}");
    }
}

#[test]
fn html_writes_one_page_or_a_directory_of_pages() {
    let dir = dir("html");
    fs::write(dir.join("ok.jsonl"), OK).unwrap();
    fs::write(dir.join("bad.jsonl"), BAD).unwrap();
    exits(&linpoint(&dir, &["check", "--html", "page.html", "bad.jsonl"]), 1);
    let page = fs::read_to_string(dir.join("page.html")).unwrap();
    assert!(page.starts_with("<!doctype html>") && page.contains("\"outcome\":\"bad\""));
    exits(&linpoint(&dir, &["check", "--html", "pages/", "ok.jsonl", "bad.jsonl"]), 1);
    assert!(
        dir.join("pages/ok.jsonl.html").is_file() && dir.join("pages/bad.jsonl.html").is_file()
    );
    let one = linpoint(&dir, &["check", "--html", "page.html", "ok.jsonl", "bad.jsonl"]);
    let (_, err) = exits(&one, 2);
    assert!(err.contains("page.html has room for one history"), "{err}");
    let nowhere = linpoint(&dir, &["check", "--html", "no/such/page.html", "ok.jsonl"]);
    let (_, err) = exits(&nowhere, 2);
    assert!(err.contains("cannot write no/such/page.html"), "{err}");
}

#[test]
fn json_and_junit_have_all_verdicts() {
    let dir = dir("machine");
    fs::write(dir.join("ok.jsonl"), OK).unwrap();
    fs::write(dir.join("bad.jsonl"), BAD).unwrap();
    let files = ["ok.jsonl", "bad.jsonl", "missing.jsonl"];
    let (out, err) = exits(&linpoint(&dir, &[&["check", "--as", "json"], &files[..]].concat()), 1);
    let verdicts: Vec<&str> = out
        .lines()
        .map(|line| line.split("\"verdict\":\"").nth(1).unwrap().split('"').next().unwrap())
        .collect();
    assert_eq!(verdicts, ["linearizable", "violation", "error"]);
    assert!(out.lines().all(|line| line.starts_with('{') && line.ends_with('}')));
    assert!(err.contains("missing.jsonl"), "{err}");
    let (out, _) = exits(&linpoint(&dir, &[&["check", "--as", "junit"], &files[..]].concat()), 1);
    assert!(out.contains("tests=\"3\" failures=\"1\" errors=\"1\""), "{out}");
}

#[test]
fn witness_files_have_the_order_of_effects() {
    let dir = dir("witness");
    // The read is first in the file, but after the write in every order. The second write never returned
    // and was not observed.
    let text = "{\"linpoint\":1,\"model\":\"register\",\"initial\":0}\n\
        {\"call\":\"r\",\"process\":\"a\\tb\",\"op\":\"read\"}\n\
        {\"call\":\"w\",\"process\":7,\"op\":\"write\",\"args\":[5]}\n\
        {\"return\":\"w\"}\n{\"return\":\"r\",\"value\":5}\n\
        {\"call\":\"x\",\"op\":\"read\"}\n{\"return\":\"x\"}\n\
        {\"call\":\"y\",\"op\":\"write\",\"args\":[6]}\n";
    fs::write(dir.join("ok.jsonl"), text).unwrap();
    fs::write(dir.join("bad.jsonl"), BAD).unwrap();
    let args = ["check", "--witness", "orders", "ok.jsonl", "bad.jsonl", "ok.jsonl"];
    exits(&linpoint(&dir, &args), 1);
    let ok = "# linpoint witness 1\n# history: ok.jsonl\n# model: register:initial=0\n\
        # verdict: linearizable\n# line\tid\tclient\tobject\toperation\tresult\n\
        3\t1\tclient 7\t-\twrite(5)\tok\n2\t0\ta\\tb\t-\tread()\t5\n6\t2\t-\t-\tread()\t?\n";
    let bad = "# linpoint witness 1\n# history: bad.jsonl\n# model: register:initial=0\n\
        # verdict: not linearizable\n";
    assert_eq!(fs::read_to_string(dir.join("orders")).unwrap(), format!("{ok}{bad}{ok}"));
    exits(&linpoint(&dir, &["check", "--witness", "dir/", "ok.jsonl", "bad.jsonl"]), 1);
    assert_eq!(fs::read_to_string(dir.join("dir/ok.jsonl.witness")).unwrap(), ok);
    assert!(!dir.join("dir/bad.jsonl.witness").exists());
    let (_, err) = exits(&linpoint(&dir, &["check", "--witness", "no/such", "ok.jsonl"]), 2);
    assert!(err.contains("--witness: cannot write no/such"), "{err}");
}
