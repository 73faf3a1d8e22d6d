//! JSON and JUnit.

use std::time::Duration;

use linpoint::history::{History, Span};
use linpoint::spec::models::{Register, RegisterOp, RegisterRet};
use linpoint::{Checker, OpId, Report};
use linpoint_report::{Heading, Outcome, Rendered, TypedOperations, json, junit};
use serde_json::{Value, json};

use crate::support;

fn stale_read() -> (History<RegisterOp<i32>, RegisterRet<i32>>, Register<i32>) {
    let mut b = History::from_events();
    let write = b.call_by(1, RegisterOp::Write(1)).unwrap();
    b.ret(write, RegisterRet::Written).unwrap();
    let read = b.call_by(2, RegisterOp::Read).unwrap();
    b.ret(read, RegisterRet::Value(0)).unwrap();
    b.call_by(3, RegisterOp::Write(5)).unwrap();
    (b.finish(), Register { initial: 0 })
}

fn checked(
    history: &History<RegisterOp<i32>, RegisterRet<i32>>,
    spec: &Register<i32>,
) -> (Rendered, Report) {
    let report = Checker::new(spec).timeout(Duration::from_secs(60)).check(history).unwrap();
    let heading = Heading {
        name: "a <b> & \"c\".jsonl".to_owned(),
        model: "register:initial=0".to_owned(),
        note: None,
        operations: history.len(),
        unknown_results: 0,
        time: Duration::from_millis(1500),
        reading: Duration::from_millis(250),
        jepsen: None,
        neighbours: Vec::new(),
    };
    (Rendered::new(heading, &TypedOperations { spec, history }, &report), report)
}

fn parsed(line: &str) -> Value {
    assert!(line.ends_with('\n') && line.matches('\n').count() == 1);
    serde_json::from_str(line).unwrap()
}

#[test]
fn json_has_the_details_of_a_violation() {
    let (history, spec) = stale_read();
    let (rendered, report) = checked(&history, &spec);
    let value = parsed(&json::render(
        &rendered,
        &TypedOperations { spec: &spec, history: &history },
        &report,
    ));
    assert_eq!(value["schema"], "linpoint.verdict");
    assert_eq!(value["version"], 1);
    assert_eq!(value["verdict"], "violation");
    assert_eq!(value["witness"], Value::Null);
    let violation = &value["violations"][0];
    assert_eq!(violation["reason_kind"], "stale");
    assert_eq!(violation["named"], json!([1, 0]));
    let stale = json!({
        "type": "stale",
        "reader": 1,
        "gone": 0,
        "last_write": null,
        "last_seen": null,
        "writers": [],
    });
    assert_eq!(violation["argument"], stale);
    let pieces = violation["sentence"].as_array().unwrap();
    let sentence: String = pieces.iter().map(|piece| piece["text"].as_str().unwrap()).collect();
    assert_eq!(violation["reason"], sentence);
    assert_eq!(pieces[0]["op"], 1);
    assert_eq!(value["operations"], 3);
    assert_eq!(value["limits"], json!({ "seconds": 60.0, "bytes": null }));
    assert_eq!(value["timings"]["total"], 1.5);
    assert_eq!(value["timings"]["read"], 0.25);
    let violation = &value["violations"][0];
    assert_eq!(violation["kind"], "not-linearizable");
    assert_eq!(violation["failing"]["id"], 1);
    assert_eq!(violation["failing"]["ret"], "0");
    assert_eq!(violation["failing"]["return"], 3);
    assert_eq!(violation["failing_is_earliest"], true);
    assert_eq!(violation["allowed"], json!(["1"]));
    let core: Vec<&Value> =
        violation["core"].as_array().unwrap().iter().map(|o| &o["id"]).collect();
    assert_eq!(core, [&json!(0), &json!(1)]);
    assert_eq!(violation["core_is_minimal"], true);
    assert!(violation["partials"][0]["order"].is_array());
    assert!(!value["plan"]["ladder"].as_array().unwrap().is_empty());
}

#[test]
fn json_has_the_witness() {
    let mut b = History::from_events();
    let read = b.call(RegisterOp::Read);
    let write = b.call(RegisterOp::Write(7));
    b.ret(write, RegisterRet::Written).unwrap();
    b.ret(read, RegisterRet::Value(7)).unwrap();
    let (history, spec) = (b.finish(), Register { initial: 0 });
    let (rendered, report) = checked(&history, &spec);
    let value = parsed(&json::render(
        &rendered,
        &TypedOperations { spec: &spec, history: &history },
        &report,
    ));
    assert_eq!(value["verdict"], "linearizable");
    assert_eq!(value["witness"], json!([1, 0]));
    assert_eq!(value["violations"], json!([]));
    assert_eq!(value["undecided"], Value::Null);
}

#[test]
fn json_has_the_limit_of_an_undecided_search_and_the_message_of_an_error() {
    let page = support::undecided();
    let operations = NoOperations;
    let value = parsed(&json::render(&page.rendered, &operations, &page.report));
    assert_eq!(value["verdict"], "undecided");
    assert_eq!(value["undecided"]["limit"], "cancelled");
    let value = parsed(&json::error("x.jsonl", "line 3: what?\nhelp"));
    assert_eq!(value["verdict"], "error");
    assert_eq!(value["error"], "line 3: what?\nhelp");
}

/// A report that names no operation must not ask for one.
struct NoOperations;

impl linpoint_report::Operations for NoOperations {
    fn operation(&self, id: OpId) -> linpoint_report::Operation {
        unreachable!("asked about {id}")
    }

    fn span(&self, id: OpId) -> Span {
        unreachable!("asked about {id}")
    }
}

#[test]
fn junit_reports_violations_as_failures_and_undecided_as_errors() {
    let (history, spec) = stale_read();
    let (rendered, _) = checked(&history, &spec);
    let cases = [
        junit::Case::new(&rendered),
        junit::Case::new(&support::undecided().rendered),
        junit::Case::new(&support::empty().rendered),
        junit::Case::error("bad.jsonl", "bad.jsonl:1:2: what is \u{1b}[31m?\nsecond line"),
    ];
    let xml = junit::render(&cases, Duration::from_secs(2));
    let totals = "tests=\"4\" failures=\"1\" errors=\"2\" time=\"2.000000\"";
    assert_eq!(xml.matches(totals).count(), 2, "{xml}");
    assert!(xml.contains("<testcase name=\"a &lt;b&gt; &amp; &quot;c&quot;.jsonl\" classname=\"register:initial=0\" time=\"1.500000\">"), "{xml}");
    let Outcome::Violation(explanations) = &rendered.outcome else { panic!("a stale read") };
    // Which sentence it is depends on the engine.
    let reason = explanations[0].reason.replace('>', "&gt;");
    assert!(xml.contains(&format!("<failure type=\"violation\" message=\"{reason}\">")), "{xml}");
    assert!(xml.contains("<error type=\"undecided\" message=\"stopped by cancellation"), "{xml}");
    assert!(
        xml.contains("<error type=\"input\" message=\"bad.jsonl:1:2: what is \u{fffd}[31m?\">"),
        "{xml}"
    );
    assert!(xml.contains("<testcase name=\"empty.jsonl\" classname=\"queue\""), "{xml}");
    // The text has line breaks and no colours.
    assert!(xml.contains("\n  \u{2717} fails at") && !xml.contains('\u{1b}'), "{xml}");
}
