//! Faults, other events, and clocks: read, placed among the events of a history, and converted.

use linpoint::OpId;
use linpoint_formats::raw::Reading;
use linpoint_formats::registry::{self, ReadLimits};
use linpoint_formats::{Format, LoadedHistory, Source, convert};

fn loaded(name: &str, text: &str) -> LoadedHistory {
    let source = Source::new(name, text);
    let limits = ReadLimits { details: true, ..ReadLimits::default() };
    let mut found = registry::read_all_within(&source, limits, None, None);
    found.pop().unwrap().history.unwrap_or_else(|e| panic!("{e}"))
}

/// `lane: text from-to` for each fault.
fn faults(history: &LoadedHistory) -> Vec<String> {
    let faults = history.faults().iter();
    let text = |placed: &linpoint_formats::registry::PlacedFault| {
        let to = placed.to.map(|to| format!("-{to}")).unwrap_or_default();
        format!("{}: {} {}{to}", placed.fault.lane, placed.fault.text(), placed.from)
    };
    faults.map(text).collect()
}

fn error(text: &str) -> String {
    let error = registry::read(&Source::new("h.jsonl", text), None).err().expect("an error");
    error.to_string().lines().next().unwrap_or_default().to_owned()
}

const EVENTS: &str = r#"{"linpoint":1,"model":"register","unit":"ms"}
{"fault":"cut","lane":"net","detail":"n1 | n2","time":1.5}
{"call":1,"process":0,"op":"write","args":[5],"time":2}
{"call":2,"process":1,"op":"read","time":3}
{"event":"n2 leads","time":4}
{"info":1}
{"return":2,"value":5,"time":5}
{"heal":"cut","lane":"net","time":6}
{"fault":"slow"}
{"call":3,"process":1,"op":"read","time":7}
{"return":3,"value":5}
"#;

#[test]
fn faults_have_their_place_among_events() {
    let history = loaded("h.jsonl", EVENTS);
    // Losing the write is no event of the history.
    let expected = ["net: cut n1 | n2 0-3", "events: n2 leads 2", "faults: slow 3-5"];
    assert_eq!(faults(&history), expected);
    let times = history.times().unwrap();
    assert_eq!(times.unit().unwrap().name(), "ms");
    assert_eq!(times.of(OpId(0)), Some((Reading::Whole(2), None)));
    assert_eq!(times.of(OpId(1)), Some((Reading::Whole(3), Some(Reading::Whole(5)))));
    // Without a time of its own, it happened when the last event did.
    assert_eq!(times.of(OpId(2)), Some((Reading::Whole(7), Some(Reading::Whole(7)))));
}

#[test]
fn faults_with_times_can_be_anywhere() {
    let text = r#"{"linpoint":1,"model":"register"}
{"fault":"late","start":100}
{"process":0,"op":"write","args":[5],"start":10,"end":20}
{"fault":"cut","start":15.5,"end":30}
{"event":"restart","lane":"n1","start":20}
{"process":1,"op":"read","value":5,"start":30,"end":40}
{"fault":"at once","start":5,"end":5}
"#;
    let history = loaded("h.jsonl", text);
    let expected = ["faults: late 4-4", "faults: cut 1-3", "n1: restart 1", "faults: at once 0"];
    assert_eq!(faults(&history), expected);
    assert_eq!(
        history.times().unwrap().of(OpId(0)),
        Some((Reading::Whole(10), Some(Reading::Whole(20))))
    );
}

#[test]
fn times_are_kept_only_if_they_are_wanted() {
    let plain = r#"{"linpoint":1,"model":"register","unit":"ns"}
{"process":0,"op":"write","args":[5],"start":10,"end":20}
"#;
    assert_eq!(
        loaded("h", plain).times().unwrap().of(OpId(0)),
        Some((Reading::Whole(10), Some(Reading::Whole(20))))
    );
    assert!(registry::read(&Source::new("h", plain), None).unwrap().times().is_none());
    // Events whose order alone is known.
    let events = "{\"linpoint\":1,\"model\":\"register\"}\n{\"call\":1,\"op\":\"read\"}\n";
    assert!(loaded("h", events).times().is_none());
}

#[test]
fn misplaced_keys_are_errors() {
    let line = |line: &str| error(&format!("{{\"linpoint\":1,\"model\":\"register\"}}\n{line}\n"));
    for (text, message) in [
        (r#"{"heal":"cut"}"#, "h.jsonl:2:9: no fault \"cut\" is open"),
        (r#"{"fault":""}"#, "h.jsonl:2:10: \"fault\" needs a name"),
        (
            r#"{"fault":"cut","op":"read"}"#,
            "h.jsonl:2:21: \"op\" does not belong on a line with \"fault\"",
        ),
        (
            r#"{"fault":"cut","heal":"cut"}"#,
            "h.jsonl:2:23: \"heal\" does not belong on a line with \"fault\"",
        ),
        (
            r#"{"fault":"cut","end":5}"#,
            "h.jsonl:2:22: \"end\" does not belong on a line with \"fault\"",
        ),
        (
            r#"{"event":"x","end":6}"#,
            "h.jsonl:2:20: \"end\" does not belong on a line with \"event\"",
        ),
        (r#"{"fault":"x","start":5,"end":4}"#, "h.jsonl:2:30: the fault ends before it starts"),
        (
            r#"{"fault":"x","start":5,"time":4}"#,
            "h.jsonl:2:31: \"time\" does not belong on a line with \"fault\"",
        ),
        (r#"{"event":"x","start":5,"end":4}"#, "h.jsonl:2:30: the event ends before it starts"),
        (
            r#"{"heal":"x","color":"red"}"#,
            "h.jsonl:2:21: \"color\" does not belong on a line with \"heal\"",
        ),
        (
            r#"{"event":"x","process":1,"lane":"y"}"#,
            "h.jsonl:2:33: \"lane\" does not belong on a line with \"process\": it is drawn in the lane of that client",
        ),
        (
            r##"{"event":"x","color":"#12g"}"##,
            "h.jsonl:2:22: a color is #rgb, #rrggbb or one of red, orange, yellow, green, teal, blue, purple, pink, brown, gray, not \"#12g\"",
        ),
        (
            r#"{"event":"x","color":7}"#,
            "h.jsonl:2:22: invalid type: integer `7`, expected a string",
        ),
        (
            r#"{"call":1,"op":"read","color":"red"}"#,
            "h.jsonl:2:31: \"color\" does not belong on a line with \"call\"",
        ),
        (
            r#"{"call":1,"op":"read","lane":"x"}"#,
            "h.jsonl:2:30: \"lane\" does not belong on a line with \"call\"",
        ),
        (
            r#"{"op":"read","start":1,"end":2,"time":1}"#,
            "h.jsonl:2:39: \"time\" does not belong on a line with \"start\"",
        ),
        (
            "{\"call\":1,\"op\":\"read\"}\n{\"fault\":\"x\",\"start\":5}",
            "h.jsonl:3:10: an operation with times here, but an event on line 2: a file has one or the other",
        ),
    ] {
        assert_eq!(line(text), message, "{text}");
    }
    let header = "{\"linpoint\":1,\"model\":\"register\",\"unit\":\"hours\"}\n";
    assert_eq!(error(header), "h.jsonl:1:41: \"unit\" must be ns, us, ms or s, not \"hours\"");
}

const JEPSEN: &str = r#"{:process 0, :type :invoke, :f :write, :value 5, :time 1000}
{:process :nemesis, :type :info, :f :start-partition, :value :majority, :time 1500}
{:process :nemesis, :type :info, :f :start-partition, :value "n1 cut off", :time 1600}
{:process 0, :type :info, :f :write, :value 5, :time 2000}
{:process 3, :type :invoke, :f :read, :value nil, :time 2500}
{:process :nemesis, :type :info, :f :stop-partition, :value nil, :time 2600}
{:process 3, :type :ok, :f :read, :value 5, :time 3000}
"#;

#[test]
fn a_nemesis_becomes_faults_and_comes_back() {
    let history = loaded("h.edn", JEPSEN);
    assert_eq!(faults(&history), ["nemesis: partition n1 cut off 1-2"]);
    let source = Source::new("h.edn", JEPSEN);
    let raw = Format::Edn.read(&source, None).pop().unwrap().unwrap();
    let there = convert(&source, &raw, None, Format::Jsonl).unwrap();
    assert_eq!(there.lost, Vec::<String>::new());
    let text = String::from_utf8(there.text).unwrap();
    assert!(
        text.contains(
            r#"{"fault":"partition","lane":"nemesis","detail":"n1 cut off","time":1500}"#
        ),
        "{text}"
    );
    assert!(text.contains(r#"{"heal":"partition","lane":"nemesis","time":2600}"#), "{text}");
    let again = loaded("h.jsonl", &text);
    assert_eq!(faults(&again), faults(&history));
    let times = |history: &LoadedHistory| [0, 1].map(|id| history.times().unwrap().of(OpId(id)));
    assert_eq!(times(&again), times(&history));

    let source = Source::new("h.jsonl", text);
    let raw = Format::Jsonl.read(&source, None).pop().unwrap().unwrap();
    let back = convert(&source, &raw, None, Format::Edn).unwrap();
    let text = String::from_utf8(back.text).unwrap();
    let back = loaded("h.edn", &text);
    assert_eq!(faults(&back), faults(&history), "{text}");
    assert_eq!(times(&back), times(&history));
}

#[test]
fn faults_survive_conversion_whatever_they_are_called() {
    let names = ["start", "kill", "partition", "a b", "stop", "\u{2713} \"x\"", "pause"];
    let mut text = "{\"linpoint\":1,\"model\":\"register\",\"initial\":0}\n".to_owned();
    for (id, name) in names.into_iter().enumerate() {
        let name = serde_json::to_string(name).unwrap();
        text += &format!(
            "{{\"fault\":{name}}}\n{{\"event\":{name}}}\n{{\"call\":{id},\"op\":\"read\"}}\n{{\"heal\":{name}}}\n{{\"return\":{id},\"value\":0}}\n"
        );
    }
    let (source, history) = (Source::new("h", text.clone()), loaded("h", &text));
    let raw = Format::Jsonl.read(&source, None).pop().unwrap().unwrap();
    let same = convert(&source, &raw, None, Format::Jsonl).unwrap();
    assert_eq!(faults(&loaded("h", &String::from_utf8(same.text).unwrap())), faults(&history));
    // Where there are no faults, their loss is reported.
    let lost = convert(&source, &raw, None, Format::JepsenLog).err().map(|e| e.to_string());
    let edn = convert(&source, &raw, None, Format::Edn).unwrap();
    assert!(edn.lost.iter().all(|lost| !lost.contains("faults")), "{:?} {lost:?}", edn.lost);
}

#[test]
fn formats_without_faults_say_what_is_lost() {
    let text = "{\"linpoint\":1,\"model\":\"stack\"}\n{\"fault\":\"cut\"}\n{\"call\":1,\"op\":\"push\",\"args\":[1]}\n{\"return\":1}\n";
    let source = Source::new("h", text);
    let raw = Format::Jsonl.read(&source, None).pop().unwrap().unwrap();
    let lost = convert(&source, &raw, None, Format::Fastlin).unwrap().lost;
    assert_eq!(lost, ["faults and other events are left out (1)"]);
}

#[test]
fn remarks_and_failed_operations_are_kept_for_pages() {
    let text = r#"{:process 0, :type :invoke, :f :write, :value 5, :time 1000}
{:process 1, :type :invoke, :f :write, :value 6, :time 1500}
{:process 1, :type :fail, :f :write, :value 6, :error :refused, :time 1600}
{:process 0, :type :info, :f :write, :value 5, :error [:timeout "n1"], :time 2000}
{:process 3, :type :invoke, :f :read, :value nil, :time 2500}
"#;
    let history = loaded("h.edn", text);
    assert_eq!(history.len(), 2);
    assert_eq!(history.remark(OpId(0)), Some("error: [:timeout \"n1\"]"));
    assert_eq!(history.remark(OpId(1)), None);
    let [failed] = history.failed() else { panic!("{:?}", history.failed()) };
    assert_eq!((failed.text.as_str(), failed.place), ("write(6)", (1, 1)));
    assert_eq!(failed.times, (Some(Reading::Whole(1500)), Some(Reading::Whole(1600))));
    let text = r#"{"linpoint":1,"model":"register"}
{"op":"read","value":0,"start":1,"end":2,"note":"from the cache"}
"#;
    assert_eq!(loaded("h", text).remark(OpId(0)), Some("from the cache"));
}

const OF_CLIENTS: &str = r##"{"linpoint":1,"model":"register","initial":0}
{"call":1,"process":0,"op":"read"}
{"event":"cache miss","process":0,"detail":"key 7","color":"#F80"}
{"fault":"paused","process":"ann","color":"red"}
{"return":1,"value":0}
{"heal":"paused","process":"ann"}
{"event":"v2","lane":"release"}
"##;

#[test]
fn events_can_be_of_clients_and_have_colours() {
    let history = loaded("h.jsonl", OF_CLIENTS);
    let expected = ["client 0: cache miss key 7 1", "ann: paused 1-2", "release: v2 2"];
    assert_eq!(faults(&history), expected);
    let of_clients: Vec<bool> =
        history.faults().iter().map(|placed| placed.fault.process.is_some()).collect();
    assert_eq!(of_clients, [true, true, false]);
    let colour = |at: usize| history.faults()[at].fault.color.map(|color| color.to_string());
    assert_eq!([0, 1, 2].map(colour), [Some("#ff8800".into()), Some("#d64545".into()), None]);
    // With times, an event may last, too.
    let text = r#"{"linpoint":1,"model":"register"}
{"process":0,"op":"write","args":[5],"start":10,"end":20}
{"event":"compaction","process":0,"start":5,"end":15}
{"event":"leader","process":0,"start":12}
"#;
    let history = loaded("h.jsonl", text);
    assert_eq!(faults(&history), ["client 0: compaction 0-1", "client 0: leader 1"]);
}

#[test]
fn clients_and_colours_of_events_survive_where_they_can() {
    let source = Source::new("h.jsonl", OF_CLIENTS);
    let raw = Format::Jsonl.read(&source, None).pop().unwrap().unwrap();
    let same = convert(&source, &raw, None, Format::Jsonl).unwrap();
    assert_eq!(same.lost, Vec::<String>::new());
    let text = String::from_utf8(same.text).unwrap();
    let of = |text: &str| {
        let history = loaded("h.jsonl", text);
        let faults = history.faults().iter();
        let fact = |placed: &registry::PlacedFault| {
            (placed.fault.process.clone(), placed.fault.color, placed.fault.text(), placed.from)
        };
        faults.map(fact).collect::<Vec<_>>()
    };
    assert_eq!(of(&text), of(OF_CLIENTS), "{text}");
    let edn = convert(&source, &raw, None, Format::Edn).unwrap();
    let lost = edn.lost.join("; ");
    assert!(
        lost.contains("events of clients are no longer in the lanes of their clients"),
        "{lost}"
    );
    assert!(lost.contains("colors of events are left out"), "{lost}");
    let text = String::from_utf8(edn.text).unwrap();
    assert_eq!(loaded("h.edn", &text).faults().len(), 3, "{text}");
}

#[test]
fn what_else_jepsen_says_about_an_operation_is_kept_for_pages() {
    let long = "x".repeat(1000);
    let edn = format!(
        r#"{{:process 0, :type :invoke, :f :write, :value 5, :time 1000, :index 0, :node "n1"}}
{{:process 0, :type :ok, :f :write, :value 5, :index 1, :node "n1", :debug {{:lag  3, :via [:a]}}, :trace "{long}"}}
{{:process 1, :type :invoke, :f :write, :value 6}}
{{:process 1, :type :fail, :f :write, :value 6, :error [:refused "n2"], :node nil}}
"#
    );
    let json = format!(
        r#"{{"process":0,"type":"invoke","f":"write","value":5,"index":0,"node":"n1"}}
{{"process":0,"type":"ok","f":"write","value":5,"node":"n1","debug":{{"lag":3}},"trace":"{long}"}}
{{"process":1,"type":"invoke","f":"write","value":6}}
{{"process":1,"type":"fail","f":"write","value":6,"error":["refused","n2"],"node":null}}
"#
    );
    for (name, text, debug, error) in [
        ("h.edn", &edn, "{:lag  3, :via [:a]}", "error: [:refused \"n2\"]"),
        ("h.json", &json, "{lag: 3}", "error: [\"refused\", \"n2\"]"),
    ] {
        let history = loaded(name, text);
        let remark = history.remark(OpId(0)).unwrap();
        assert!(remark.starts_with(&format!("node: n1; debug: {debug}; trace: xxx")), "{remark}");
        assert!(remark.ends_with("x\u{2026}") && remark.chars().count() < 300, "{remark}");
        assert_eq!(history.failed()[0].remark, error);
        // Without pages, nothing is kept.
        let source = Source::new(name, text.as_bytes());
        let raw = registry::read_raw(&source, registry::Given::default()).pop().unwrap().unwrap();
        assert!(raw.raw.remarks.is_empty());
    }
}

#[test]
fn dates_are_known_only_if_the_file_says_so() {
    let since_1970 = |name: &str, text: &str| {
        let history = loaded(name, text);
        let times = history.times().unwrap();
        (times.unit().map(|unit| unit.name()), times.since_1970())
    };
    let line =
        "{\"op\":\"read\",\"value\":0,\"start\":1763510399000000000,\"end\":1763510399000000001}\n";
    let header =
        |keys: &str| format!("{{\"linpoint\":1,\"model\":\"register:initial=0\"{keys}}}\n{line}");
    assert_eq!(since_1970("h", &header(r#","unit":"ns","epoch":"unix""#)), (Some("ns"), true));
    // A large number is only that.
    assert_eq!(since_1970("h", &header(r#","unit":"ns""#)), (Some("ns"), false));
    for (keys, message) in [
        (r#","epoch":"unix""#, "h.jsonl:1:52: with \"epoch\", a \"unit\" is needed"),
        (r#","unit":"s","epoch":"y2k""#, "h.jsonl:1:63: \"epoch\" must be unix, not \"y2k\""),
    ] {
        assert_eq!(error(&header(keys)), message);
    }
    // It survives where there is a place for it.
    let text = header(r#","unit":"ns","epoch":"unix""#);
    let source = Source::new("h", text.as_str());
    let raw = Format::Jsonl.read(&source, None).pop().unwrap().unwrap();
    let same = convert(&source, &raw, None, Format::Jsonl).unwrap();
    assert_eq!(since_1970("h", &String::from_utf8(same.text).unwrap()), (Some("ns"), true));
    // Jepsen's times count since the test began.
    assert_eq!(since_1970("h.edn", JEPSEN), (Some("ns"), false));
}
