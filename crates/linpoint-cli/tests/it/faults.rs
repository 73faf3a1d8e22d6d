//! Faults in the output of `check`.

use std::fs;

use serde_json::{Value, json};

use crate::support::{dir, examples, exits, linpoint};

#[test]
fn faults_are_drawn_above_the_operations() {
    let (out, _) = exits(&linpoint(&examples(), &["check", "register-partition.jsonl"]), 1);
    let lines: Vec<&str> = out.lines().collect();
    let at = |start: &str| lines.iter().position(|line| line.trim_start().starts_with(start));
    let (fault, event) = (at("network").unwrap(), at("n2 ").unwrap());
    assert!(lines[fault].contains("partition n1 n2 | n3"), "{out}");
    assert!(lines[event].contains("* n2 became leader"), "{out}");
    assert!(Some(event) < at("dan") || Some(event) < at("eve"), "{out}");
    let drawn = lines.iter().filter(|line| line.starts_with("    "));
    assert!(
        drawn.clone().count() > 4 && drawn.clone().all(|line| line.chars().count() <= 100),
        "{out}"
    );
}

#[test]
fn faults_are_in_json() {
    let args = ["check", "--output", "json", "register-partition.jsonl"];
    let (out, _) = exits(&linpoint(&examples(), &args), 1);
    let verdict: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(
        verdict["faults"],
        json!([
            { "lane": "network", "client": null, "text": "partition n1 n2 | n3", "from": 9, "to": 15, "start": 41.5, "end": 118, "line": 2 },
            { "lane": "n2", "client": null, "text": "n2 became leader", "from": 9, "to": null, "start": 63.2, "end": null, "line": 3 },
        ])
    );
}

#[test]
fn pages_have_the_clock_of_the_file() {
    let dir = dir("faults-page");
    fs::copy(examples().join("register-partition.jsonl"), dir.join("h.jsonl")).unwrap();
    exits(&linpoint(&dir, &["check", "--html", "h.html", "h.jsonl"]), 1);
    let page = fs::read_to_string(dir.join("h.html")).unwrap();
    let clock = r#""clock":{"dated":false,"first":"3.1","step":0.1,"unit":"ms"}"#;
    assert!(page.contains(clock), "no clock");
    // Where only the order of events is known, there is none.
    fs::copy(examples().join("queue-out-of-order.jsonl"), dir.join("k.jsonl")).unwrap();
    exits(&linpoint(&dir, &["check", "--html", "k.html", "k.jsonl"]), 1);
    assert!(fs::read_to_string(dir.join("k.html")).unwrap().contains("\"clock\":null"));
}
