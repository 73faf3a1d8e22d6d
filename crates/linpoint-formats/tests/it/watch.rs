//! Compares checking a stream with checking the same file: the verdicts must agree, whatever the
//! stream contains. A damaged stream may be refused, but must not cause worse.

use fastrand::Rng;
use linpoint::{Allowance, Verdict};
use linpoint_formats::registry::watch::{self, Ended, Watcher};
use linpoint_formats::{ModelName, Settings, Source, registry};

/// A listener that ignores everything.
struct Ignore;

impl Watcher for Ignore {}

fn watched(name: &str, text: &[u8], model: Option<&str>) -> Result<Ended, String> {
    let mut lines = text.split(|byte| *byte == b'\n');
    let settings = watch::Settings {
        model: model.map(|model| ModelName::parse(model).unwrap()),
        format: None,
        max_configurations: 100_000,
        allowance: Allowance::unlimited(),
        keep_lines: false,
    };
    let mut next = |line: &mut Vec<u8>| {
        let found = lines.next();
        line.extend_from_slice(found.unwrap_or_default());
        Ok(found.is_some())
    };
    watch::watch(name, &mut next, &settings, &mut Ignore)
        .map(|summary| summary.outcome)
        .map_err(|error| error.to_string())
}

/// An operation: its name, its arguments, and its possible results, as JSON.
type Op = (&'static str, &'static str, &'static [&'static str]);

const MODELS: &[(&str, &[Op])] = &[
    (
        "register:initial=0",
        &[("read", "", &["0", "1", "2"]), ("write", "1", &[]), ("write", "2", &[])],
    ),
    (
        "cas-register:initial=0",
        &[
            ("read", "", &["0", "1"]),
            ("cas", "0,1", &["true", "false"]),
            ("cas", "1,0", &["true", "false"]),
        ],
    ),
    (
        "queue",
        &[("enqueue", "1", &[]), ("enqueue", "2", &[]), ("dequeue", "", &["null", "1", "2"])],
    ),
    ("stack", &[("push", "1", &[]), ("push", "2", &[]), ("pop", "", &["null", "1", "2"])]),
    (
        "set",
        &[
            ("insert", "1", &["true", "false"]),
            ("remove", "1", &["true", "false"]),
            ("contains", "1", &["true", "false"]),
        ],
    ),
    (
        "kv",
        &[
            ("get", "\"a\"", &["null", "1"]),
            ("put", "\"a\",1", &[]),
            ("get", "\"b\"", &["null", "2"]),
            ("put", "\"b\",2", &[]),
        ],
    ),
    (
        "counter",
        &[("get", "", &["0", "1", "2"]), ("add", "1", &[]), ("fetch_add", "1", &["0", "1"])],
    ),
    (
        "mutex",
        &[("acquire", "", &[]), ("release", "", &[]), ("try_acquire", "", &["true", "false"])],
    ),
    (
        "multi-register:default=0",
        &[
            ("txn", "[[\"read\",\"x\"],[\"read\",\"y\"]]", &["[0,0]", "[1,0]", "[1,1]", "[0,1]"]),
            ("txn", "[[\"write\",\"x\",1],[\"write\",\"y\",1]]", &["[]"]),
            ("txn", "[[\"write\",\"x\",0]]", &["[]"]),
        ],
    ),
];

/// A stream of up to `count` operations of three processes, on one or two objects.
fn stream(random: &mut Rng, model: &str, ops: &[Op], count: u64) -> String {
    let mut text = format!("{{\"linpoint\":1,\"model\":\"{}\"}}\n", model.replace('"', "\\\""));
    let objects = 1 + random.u64(..2);
    let mut open: [Option<(u64, Op)>; 3] = [None; 3];
    let (mut called, steps) = (0, 3 * count);
    for _ in 0..steps {
        let process = random.usize(..3);
        text += &match open[process].take() {
            None if called == count => continue,
            None => {
                let op = ops[random.usize(..ops.len())];
                open[process] = Some((called, op));
                called += 1;
                let object = if objects == 1 {
                    String::new()
                } else {
                    format!(",\"object\":\"o{}\"", random.u64(..objects))
                };
                format!(
                    "{{\"call\":{},\"process\":{process},\"op\":\"{}\",\"args\":[{}]{object}}}\n",
                    called - 1,
                    op.0,
                    op.1
                )
            }
            Some((id, (_, _, results))) => match random.u64(..12) {
                0 => format!("{{\"fail\":{id}}}\n"),
                1 => format!("{{\"info\":{id}}}\n"),
                2 => format!("{{\"return\":{id}}}\n"),
                _ if results.is_empty() => format!("{{\"return\":{id}}}\n"),
                _ => format!(
                    "{{\"return\":{id},\"value\":{}}}\n",
                    results[random.usize(..results.len())]
                ),
            },
        };
    }
    text
}

#[test]
fn a_stream_and_a_file_have_the_same_verdict() {
    let mut random = Rng::with_seed(7);
    for (model, ops) in MODELS {
        let (mut fine, mut bad) = (0, 0);
        for _ in 0..400 {
            let count = 1 + random.u64(..9);
            let text = stream(&mut random, model, ops, count);
            let history = registry::read(&Source::new("h", text.clone()), None);
            let history = history.unwrap_or_else(|error| panic!("{error}\n{text}"));
            let report = history.check(&Settings { threads: Some(1), ..Settings::default() });
            let verdict = report.unwrap().verdict;
            match (watched("h", text.as_bytes(), None), &verdict) {
                (Ok(Ended::Fine), Verdict::Linearizable(_)) => fine += 1,
                (Ok(Ended::Violation(found)), Verdict::Violation(expected)) => {
                    bad += 1;
                    // The first part that fails in the file need not be the one that fails first.
                    assert!(!expected.core.is_empty() && found.line > found.call_line, "{text}");
                }
                (found, expected) => panic!("{found:?}, but {expected:?}\n{text}"),
            }
        }
        assert!(fine > 20 && bad > 20, "{model}: {fine} fine, {bad} bad");
    }
}

#[test]
fn cut_and_changed_streams_are_refused_at_worst() {
    let mut random = Rng::with_seed(11);
    let edn = "{:process 0, :type :invoke, :f :write, :value [:x 3]}\n\
        {:process 0, :type :ok, :f :write, :value [:x 3]}\n\
        {:process 1, :type :invoke, :f :read, :value [:x nil]}\n\
        {:process 1, :type :ok, :f :read, :value [:x 3]}\n";
    let log = "INFO  jepsen.util - 0\t:invoke\t:cas\t[3 4]\nINFO  jepsen.util - 0\t:fail\t:cas\t[3 4]\n\
        INFO  jepsen.util - 1\t:invoke\t:read\tnil\nINFO  jepsen.util - 1\t:ok\t:read\tnil\n";
    let jsonl = stream(&mut random, "register:initial=0", MODELS[0].1, 6);
    let mut refused = 0;
    for (text, model) in [(edn, Some("register")), (log, None), (&jsonl, None)] {
        for _ in 0..3000 {
            let mut bytes = text.as_bytes().to_vec();
            bytes.truncate(random.usize(..=bytes.len()));
            for _ in 0..random.u64(..4) {
                let at = random.usize(..=bytes.len());
                match bytes.get_mut(at) {
                    Some(byte) if random.bool() => *byte = random.u8(..),
                    Some(_) => drop(bytes.remove(at)),
                    None => bytes.push(b'{'),
                }
            }
            if let Err(message) = watched("h", &bytes, model) {
                assert!(message.starts_with("h:") && message.len() < 2000, "{message}");
                refused += 1;
            }
        }
    }
    assert!(refused > 3000, "{refused}");
}
