//! `linpoint watch --html`: the page of what is still in memory.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::support::{BAD, OK, dir, exits, linpoint, linpoint_reading};

/// The data in a page.
fn facts(page: &str) -> Value {
    let (_, rest) = page.split_once("id=\"facts\">").unwrap();
    serde_json::from_str(rest.split("</script>").next().unwrap()).unwrap()
}

fn facts_of(file: &Path) -> Value {
    facts(&fs::read_to_string(file).unwrap())
}

/// A stream with a fault, a note, a failed operation, and a stale read.
const STALE: &str = r#"{"linpoint":1,"model":"register","initial":0,"unit":"ms","note":"two clients"}
{"call":1,"process":"ann","op":"write","args":[1],"time":10,"note":"first"}
{"fault":"cut","lane":"net","time":11}

{"return":1,"time":12}
{"call":2,"process":"ben","op":"write","args":[2],"time":13}
{"fail":2,"time":14}
{"heal":"cut","lane":"net","time":15}
{"call":3,"process":"ben","op":"read","time":16}
{"return":3,"value":0,"time":17}
"#;

#[test]
fn a_violation_has_the_page_that_check_writes() {
    let dir = dir("watch-page");
    fs::write(dir.join("run.jsonl"), STALE).unwrap();
    exits(&linpoint(&dir, &["check", "--html", "check.html", "run.jsonl"]), 1);
    let (out, err) = exits(&linpoint(&dir, &["watch", "--html", "watch.html", "run.jsonl"]), 1);
    assert!(out.starts_with("\u{2717} run.jsonl:10  NOT LINEARIZABLE"), "{out}");
    assert_eq!(err, "");
    let [mut of_check, mut of_watch] =
        ["check.html", "watch.html"].map(|file| facts_of(&dir.join(file)));
    for facts in [&mut of_check, &mut of_watch] {
        // How long it took, and the limits.
        facts["time"] = Value::Null;
        facts["plan"] = Value::Null;
    }
    assert_eq!(of_watch, of_check);
    assert_eq!(of_watch["remarks"], json!(["first"]));
    assert_eq!(of_watch["failed"].as_array().unwrap().len(), 1);
    assert_eq!(of_watch["annotations"][0][1], "cut");
    let columns = |file: &str| {
        let page = fs::read_to_string(dir.join(file)).unwrap();
        page.split("id=\"columns\">").nth(1).unwrap().split('<').next().unwrap().to_owned()
    };
    assert_eq!(columns("watch.html"), columns("check.html"));
}

#[test]
fn a_page_for_standard_output_is_all_that_is_written_there() {
    for (stream, code, outcome) in [(BAD, 1, "bad"), (OK, 0, "ok"), ("", 0, "ok")] {
        let args = ["watch", "--html", "-", "-"];
        let (out, err) = exits(&linpoint_reading(Path::new("."), &args, stream), code);
        assert!(out.starts_with("<!doctype html>") && out.trim_end().ends_with("</html>"), "{out}");
        assert_eq!(facts(&out)["outcome"], outcome);
        assert_eq!(err, "");
    }
    let dir = dir("watch-page-json");
    let args = ["watch", "--html", "-", "--as", "json", "-o", "out.json", "-"];
    let (out, _) = exits(&linpoint_reading(&dir, &args, BAD), 1);
    assert!(out.starts_with("<!doctype html>"), "{out}");
    let json: Value =
        serde_json::from_str(&fs::read_to_string(dir.join("out.json")).unwrap()).unwrap();
    assert_eq!(json["verdict"], "violation");
}

#[test]
fn what_cannot_be_written_is_an_error_before_the_stream_is_read() {
    let dir = dir("watch-page-bad");
    for (page, why) in [("missing/page.html", "missing/page.html: "), (".", ".: is a directory")] {
        // This stream is not one.
        let (out, err) = exits(&linpoint_reading(&dir, &["watch", "--html", page, "-"], "{"), 2);
        assert!(err.contains(&format!("--html: cannot write {why}")), "{err}");
        assert_eq!(out, "");
    }
    // An old page is left alone if there is no new one.
    fs::write(dir.join("old.html"), "old").unwrap();
    exits(&linpoint_reading(&dir, &["watch", "--html", "old.html", "-"], "{"), 2);
    assert_eq!(fs::read_to_string(dir.join("old.html")).unwrap(), "old");
    exits(&linpoint_reading(&dir, &["watch", "--html", "new.html", "-"], "{"), 2);
    assert!(!dir.join("new.html").exists());
}

/// More lines than are kept: writes and reads of a register, with a write that stays open and a fault that ends late.
fn long(last: &str) -> String {
    let mut stream =
        "{\"linpoint\":1,\"model\":\"register\",\"initial\":0,\"note\":\"long\"}\n".to_owned();
    stream += "{\"call\":\"w\",\"process\":\"old\",\"op\":\"write\",\"args\":[-5]}\n{\"fault\":\"cut\"}\n";
    for n in 0..60_000 {
        stream += &format!(
            "{{\"call\":{n},\"process\":1,\"op\":\"write\",\"args\":[{n}]}}\n{{\"return\":{n}}}\n"
        );
        stream += &format!(
            "{{\"call\":\"r{n}\",\"process\":2,\"op\":\"read\"}}\n{{\"return\":\"r{n}\",\"value\":{n}}}\n"
        );
    }
    stream + "{\"heal\":\"cut\"}\n" + last
}

#[test]
fn the_page_of_a_long_stream_has_its_last_lines() {
    let dir = dir("watch-page-long");
    let last = "{\"call\":\"x\",\"process\":3,\"op\":\"read\"}\n{\"return\":\"x\",\"value\":7}\n";
    fs::write(dir.join("run.jsonl"), long(last)).unwrap();
    let (out, err) = exits(&linpoint(&dir, &["watch", "--html", "page.html", "run.jsonl"]), 1);
    assert!(out.contains("run.jsonl:240006  NOT LINEARIZABLE"), "{out}");
    assert_eq!(err, "");
    let facts = facts_of(&dir.join("page.html"));
    let name = facts["name"].as_str().unwrap();
    let first = name.strip_prefix("run.jsonl, lines ").unwrap().strip_suffix(" to 240006").unwrap();
    let first: usize = first.parse().unwrap();
    // Between half of the lines and all of them.
    assert!((40_000..=140_006).contains(&first), "{first}");
    let note = facts["note"].as_str().unwrap();
    for part in ["long", &format!("lines before {first} "), "The state before line 240006 was"] {
        assert!(note.contains(part), "{note}");
    }
    let kept = (240_006 - first) / 2;
    assert!(facts["operations"].as_u64().unwrap().abs_diff(kept as u64) < 4, "{kept}");
    let why = &facts["explanations"][0];
    assert_eq!(
        why["reason"],
        "read() by client 3 returned 7, but only 59999 or -5 was possible by then"
    );
    assert_eq!((&why["core"], &why["about"]), (&json!([]), &json!("not known")));
    assert!(why["failing"].is_number());
    // The fault began before the first line.
    assert_eq!(facts["annotations"][0][1], "cut");
    assert_eq!(facts["clients"].as_array().unwrap().len(), 4);
}

#[test]
fn a_linearizable_stream_has_a_page_if_it_is_in_memory() {
    let dir = dir("watch-page-ok");
    exits(&linpoint_reading(&dir, &["watch", "--html", "page.html", "-"], OK), 0);
    assert_eq!(facts_of(&dir.join("page.html"))["outcome"], "ok");
    fs::write(dir.join("run.jsonl"), long("")).unwrap();
    let (_, err) = exits(&linpoint(&dir, &["watch", "--html", "long.html", "run.jsonl"]), 0);
    assert!(err.contains("--html: there is no page: the first lines"), "{err}");
    assert!(!dir.join("long.html").exists());
}
