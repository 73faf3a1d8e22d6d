//! Output for CI systems: GitHub annotations, SARIF, Markdown.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::{BAD, OK, command, dir, exits, linpoint, linpoint_reading, many_orders};

/// Two keys of four fail, on lines 3 and 9.
const KEYS: &str = r#"{"linpoint":1,"model":"kv"}
{"process":0,"op":"put","args":["cart",1],"start":0,"end":5}
{"process":1,"op":"get","args":["cart"],"value":null,"start":6,"end":7}
{"process":0,"op":"put","args":["list",1],"start":10,"end":15}
{"process":1,"op":"get","args":["list"],"value":1,"start":16,"end":17}
{"process":0,"op":"put","args":["shop",1],"start":20,"end":25}
{"process":1,"op":"get","args":["shop"],"value":1,"start":26,"end":27}
{"process":0,"op":"put","args":["user",1],"start":30,"end":35}
{"process":1,"op":"get","args":["user"],"value":9,"start":36,"end":37}
"#;

/// A directory with one file of every outcome, and the file names in the order of the outcomes.
fn outcomes(name: &str) -> (PathBuf, [&'static str; 5]) {
    let dir = dir(name);
    fs::write(dir.join("ok.jsonl"), OK).unwrap();
    fs::write(dir.join("bad, 100%.jsonl"), BAD).unwrap();
    fs::write(dir.join("keys.jsonl"), KEYS).unwrap();
    fs::write(dir.join("broken.jsonl"), format!("{OK}{{\"return\":1}}\n")).unwrap();
    (dir, ["ok.jsonl", "bad, 100%.jsonl", "keys.jsonl", "broken.jsonl", "missing.jsonl"])
}

/// The output of `check` in a form, for these files.
fn checked(dir: &Path, form: &str, files: &[&str], code: i32) -> String {
    let args = [&["check", "--as", form], files].concat();
    exits(&linpoint(dir, &args), code).0
}

#[test]
fn github_annotations_are_on_the_lines_of_failing_operations() {
    let (dir, files) = outcomes("github");
    let out = checked(&dir, "github", &files, 1);
    let starts = [
        "::error file=bad%2C 100%25.jsonl,line=2,title=Not linearizable%3A bad%2C 100%25.jsonl::",
        "::error file=keys.jsonl,line=3,title=Not linearizable%3A keys.jsonl%2C key \"cart\"::",
        "::error file=keys.jsonl,line=9,title=Not linearizable%3A keys.jsonl%2C key \"user\"::",
        "::error file=broken.jsonl,line=4,title=Bad input%3A broken.jsonl::",
        "::error file=missing.jsonl,title=Bad input%3A missing.jsonl::",
        "3 histories: 1 linearizable, 2 not; 2 errors; ",
    ];
    assert_eq!(out.lines().count(), starts.len(), "{out}");
    for (line, start) in out.lines().zip(starts) {
        assert!(line.starts_with(start), "{start}:\n{out}");
    }
    assert!(out.contains("%0AFails at: read() by ann returned 7 (line 2)%0AAllowed here: 0\n"));
}

#[test]
fn github_warns_of_what_is_undecided() {
    let dir = dir("github-undecided");
    fs::write(dir.join("a"), many_orders(40)).unwrap();
    let args = ["check", "--as", "github", "--memory", "1", "a"];
    let (out, _) = exits(&linpoint(&dir, &args), 3);
    assert!(out.starts_with("::warning file=a,title=Undecided%3A a::stopped by the memory limit"));
}

#[test]
fn standard_input_has_no_file_to_annotate() {
    let (out, _) =
        exits(&linpoint_reading(Path::new("."), &["check", "--as", "github", "-"], BAD), 1);
    assert!(out.starts_with("::error title=Not linearizable%3A <stdin>::"), "{out}");
}

#[test]
fn in_a_workflow_files_are_relative_to_the_repository() {
    let dir = dir("github-workspace");
    fs::create_dir_all(dir.join("crates/store/runs")).unwrap();
    fs::write(dir.join("crates/store/runs/a.jsonl"), BAD).unwrap();
    let mut command = command(&dir.join("crates/store"), &["check", "--as", "github", "runs"]);
    let (out, _) = exits(&command.env("GITHUB_WORKSPACE", &dir).output().unwrap(), 1);
    assert!(out.starts_with("::error file=crates/store/runs/a.jsonl,line=2,"), "{out}");
    command.env("GITHUB_WORKSPACE", dir.join("crates/store/runs/none"));
    let (out, _) = exits(&command.output().unwrap(), 1);
    assert!(out.starts_with("::error file=runs/a.jsonl,line=2,"), "{out}");
}

/// What the schema of SARIF 2.1.0 requires of the objects that we write, and what code scanning requires besides.
fn assert_sarif(document: &Value) {
    let text = |value: &Value| value.as_str().is_some_and(|text| !text.is_empty());
    assert_eq!(document["version"], "2.1.0");
    assert!(text(&document["$schema"]));
    let runs = document["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 1);
    let driver = &runs[0]["tool"]["driver"];
    assert_eq!(driver["name"], "linpoint");
    assert!(text(&driver["semanticVersion"]));
    let rules = driver["rules"].as_array().unwrap();
    for (i, rule) in rules.iter().enumerate() {
        assert!(text(&rule["id"]), "{rule}");
        assert!(text(&rule["shortDescription"]["text"]), "{rule}");
        assert!(text(&rule["fullDescription"]["text"]), "{rule}");
        assert!(rules[..i].iter().all(|other| other["id"] != rule["id"]), "{rule}");
    }
    assert!(runs[0]["invocations"][0]["executionSuccessful"].is_boolean());
    for result in runs[0]["results"].as_array().unwrap() {
        let index = result["ruleIndex"].as_u64().unwrap() as usize;
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert_eq!(rules[index]["defaultConfiguration"]["level"], result["level"]);
        assert!(result["level"] == "error" || result["level"] == "warning");
        assert!(text(&result["message"]["text"]), "{result}");
        let related = result["relatedLocations"].as_array().into_iter().flatten();
        for location in result["locations"].as_array().unwrap().iter().chain(related) {
            let physical = &location["physicalLocation"];
            let uri = physical["artifactLocation"]["uri"].as_str().unwrap();
            assert!(!uri.is_empty() && !uri.contains([' ', '\\']), "{uri}");
            assert!(physical["region"]["startLine"].as_u64().unwrap() >= 1, "{result}");
        }
    }
}

#[test]
fn sarif_has_a_result_for_every_failing_key() {
    let (dir, files) = outcomes("sarif");
    let document: Value = serde_json::from_str(&checked(&dir, "sarif", &files, 1)).unwrap();
    assert_sarif(&document);
    let run = &document["runs"][0];
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    let place = |result: &Value| {
        let physical = &result["locations"][0]["physicalLocation"];
        let (file, line) = (&physical["artifactLocation"]["uri"], &physical["region"]["startLine"]);
        json!([result["ruleId"], file, line])
    };
    let places: Vec<Value> = run["results"].as_array().unwrap().iter().map(place).collect();
    assert_eq!(
        json!(places),
        json!([
            ["not-linearizable", "bad%2C%20100%25.jsonl", 2],
            ["not-linearizable", "keys.jsonl", 3],
            ["not-linearizable", "keys.jsonl", 9],
            ["bad-input", "broken.jsonl", 4],
            ["bad-input", "missing.jsonl", 1],
        ])
    );
    let cart = &run["results"][1];
    let message = cart["message"]["text"].as_str().unwrap();
    assert!(message.starts_with("Not linearizable: keys.jsonl, key \"cart\"\n"), "{message}");
    let related = &cart["relatedLocations"][0];
    assert_eq!(related["message"]["text"], "put(\"cart\", 1)");
    assert_eq!(related["physicalLocation"]["region"]["startLine"], 2);
}

#[test]
fn sarif_without_problems_has_no_results() {
    let (dir, _) = outcomes("sarif-fine");
    let document: Value = serde_json::from_str(&checked(&dir, "sarif", &["ok.jsonl"], 0)).unwrap();
    assert_sarif(&document);
    assert_eq!(document["runs"][0]["results"], json!([]));
    assert_eq!(document["runs"][0]["invocations"][0]["executionSuccessful"], true);
}

#[test]
fn sarif_warns_of_what_is_undecided_and_knows_no_file_of_standard_input() {
    let args = ["check", "--as", "sarif", "--memory", "1", "-"];
    let (out, _) = exits(&linpoint_reading(Path::new("."), &args, &many_orders(40)), 3);
    let document: Value = serde_json::from_str(&out).unwrap();
    assert_sarif(&document);
    let result = &document["runs"][0]["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&json!("undecided"), &json!("warning")));
    assert_eq!(result["locations"], json!([]));
}

#[test]
fn markdown_has_a_table_of_what_fails_and_a_list_of_the_rest() {
    let (dir, files) = outcomes("markdown");
    fs::rename(dir.join("bad, 100%.jsonl"), dir.join("a|b_c.jsonl")).unwrap();
    let files = [files[0], "a|b_c.jsonl", files[2], files[3], files[4]];
    let out = checked(&dir, "markdown", &files, 1);
    assert!(out.starts_with("## \u{274c} 2 of 5 histories are not linearizable\n\n"), "{out}");
    let rows: Vec<&str> = out.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(rows.len(), 6, "{out}");
    let columns = |row: &str| row.replace("\\|", "").matches('|').count();
    assert!(rows.iter().all(|row| columns(row) == 8), "{out}");
    assert!(rows[2].starts_with("| \u{274c} | a\\|b\\_c.jsonl | not linearizable |  | "), "{out}");
    let keys = "| keys.jsonl | not linearizable | 2 of 4 keys fail: \"cart\", \"user\" | ";
    assert!(rows[3].contains(keys) && rows[3].contains("<br>"), "{out}");
    assert!(
        rows[4].contains("| broken.jsonl | error |  | broken.jsonl:4:11: the operation"),
        "{out}"
    );
    assert!(
        out.contains("<details><summary>1 linearizable</summary>\n\n- \u{2705} ok.jsonl (register")
    );
    assert!(out.contains("\n3 histories: 1 linearizable, 2 not; 2 errors; "), "{out}");
}

#[test]
fn markdown_says_in_its_title_what_matters_most() {
    let (dir, _) = outcomes("markdown-titles");
    fs::write(dir.join("hard"), many_orders(40)).unwrap();
    for (files, title, code) in [
        (&["ok.jsonl"][..], "\u{2705} The history is linearizable", 0),
        (&["ok.jsonl", "ok.jsonl"], "\u{2705} All 2 histories are linearizable", 0),
        (&["hard", "--memory", "1"], "\u{2753} 1 of 1 histories is undecided", 3),
        (&["ok.jsonl", "none"], "\u{26a0}\u{fe0f} 1 of 2 inputs could not be checked", 2),
    ] {
        let out = checked(&dir, "markdown", files, code);
        assert!(out.starts_with(&format!("## {title}\n")), "{out}");
    }
}
