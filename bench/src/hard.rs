//! Searches that are hard: long linearizable queues and stacks of distinct values, key-value
//! histories that are not split, and a contradiction hidden among concurrent enqueues.

use std::path::PathBuf;
use std::time::Duration;

use linpoint::History;
use linpoint::spec::models::{KeyValue, KeyValueOp, KeyValueRet, Queue, QueueOp, QueueRet, Stack};

use crate::generate::simulate;
use crate::measure::{Answer, Outcome, Setup, in_a_process, run};
use crate::objects::{SimQueue, SimStack, SimStore, Values};
use crate::table::{Table, mib, seconds};

const ENGINES: [&str; 6] = ["planner", "wg-tree", "wg-graph", "jit-tree", "jit-graph", "breadth"];
const MIB: usize = 1 << 20;

/// Runs the experiments named in `which`, or all.
pub fn main(which: &[String], quick: bool) {
    let wanted = |name: &str| which.is_empty() || which.iter().any(|w| w == name);
    for kind in ["queue", "stack"] {
        for n in [1_000, 10_000] {
            if wanted(&format!("{kind}-{n}")) {
                container(kind, n, quick);
            }
        }
    }
    if wanted("store") {
        store(quick);
    }
    if wanted("contradiction") {
        contradiction(quick);
    }
}

fn words<const N: usize>(words: [&dyn ToString; N]) -> Vec<String> {
    words.iter().map(|w| w.to_string()).collect()
}

fn cells(outcome: &Outcome) -> Vec<String> {
    vec![
        outcome.answer.name().to_owned(),
        outcome.engine.clone(),
        seconds(outcome.cpu),
        seconds(outcome.wall),
        outcome.steps.to_string(),
        mib(outcome.counted),
        mib(outcome.rss),
    ]
}

const COLUMNS: [&str; 7] = ["answer", "given by", "CPU", "wall", "steps", "counted", "peak RSS"];

fn container(kind: &str, n: usize, quick: bool) {
    let limit = if quick { 2 } else { 20 };
    let mut table = Table::new(["type", "n", "k", "asked"].into_iter().chain(COLUMNS));
    for (k, engine) in [4, 8].into_iter().flat_map(|k| ENGINES.map(|e| (k, e))) {
        let case = words([&"hard", &kind, &n, &k, &1, &engine, &limit]);
        let mut row = words([&kind, &n, &k, &engine]);
        row.extend(cells(&in_a_process(&case)));
        eprintln!("{}", row.join(" | "));
        table.row(row);
    }
    let title = format!(
        "Linearizable {kind}, distinct values, 50 % adds, searches only, {limit} s / 2 GiB, one thread"
    );
    table.publish(&title, &format!("hard-{kind}-{n}"));
}

fn store(quick: bool) {
    let limit = if quick { 2 } else { 20 };
    let mut table = Table::new(["history", "asked"].into_iter().chain(COLUMNS));
    let file = if data_file().is_some() { Some("store-file") } else { None };
    for (kind, name) in [Some("store"), file].into_iter().flatten().zip(["simulated", "c10-ok.txt"])
    {
        for engine in ENGINES {
            let case = words([&"hard", &kind, &337, &10, &1, &engine, &limit]);
            let mut row = words([&name, &engine]);
            row.extend(cells(&in_a_process(&case)));
            eprintln!("{}", row.join(" | "));
            table.row(row);
        }
    }
    if file.is_none() {
        println!(
            "skipped: c10-ok.txt was not found; LINPOINT_DATA names the directory of the data"
        );
    }
    let title =
        format!("Key-value history of 337 operations, 10 clients, not split, {limit} s / 2 GiB");
    table.publish(&title, "hard-store");
}

fn contradiction(quick: bool) {
    let (limit, memory) = if quick { (2, 256) } else { (10, 1024) };
    let head = ["asked"].into_iter().chain(COLUMNS).chain(["RSS : limit", "wall : limit"]);
    let mut table = Table::new(head);
    for engine in ENGINES.into_iter().chain(["jit-graph+breadth"]) {
        let case = words([&"hard", &"contradiction", &60, &memory, &1, &engine, &limit]);
        let outcome = in_a_process(&case);
        let mut row = words([&engine]);
        row.extend(cells(&outcome));
        row.push(format!("{:.3}", outcome.rss as f64 / (memory * MIB) as f64));
        row.push(format!("{:.3}", outcome.wall / f64::from(limit)));
        eprintln!("{}", row.join(" | "));
        table.row(row);
    }
    let title = format!(
        "60 concurrent enqueues around two ordered ones that are dequeued the wrong way round, \
         {limit} s / {memory} MiB, all cores"
    );
    table.publish(&title, "hard-contradiction");
}

/// Runs one case in this process: kind, n, k (or MiB), seed, engine, seconds.
pub fn case(words: &[String]) -> Outcome {
    let [kind, n, k, seed, engine, limit] = words else { panic!("six words: {words:?}") };
    let (n, k): (usize, usize) = (n.parse().expect("n"), k.parse().expect("k"));
    let seed: u64 = seed.parse().expect("a seed");
    let limit = Duration::from_secs(limit.parse().expect("seconds"));
    let setup = Setup::new(engine, limit).memory(2048 * MIB);
    let (values, clients) = (Values::UNIQUE, k as u32);
    match kind.as_str() {
        "queue" => {
            let queue = SimQueue { adds: 0.5, values, items: Default::default() };
            run(&Queue::new(), &simulate(queue, clients, n, 0.0, seed), &setup, Answer::Yes)
        }
        "stack" => {
            let stack = SimStack { values, items: Vec::new() };
            run(&Stack::new(), &simulate(stack, clients, n, 0.0, seed), &setup, Answer::Yes)
        }
        "store" => {
            let store = SimStore { keys: 10, drawn: 0, holds: Default::default() };
            let history = simulate(store, clients, n, 0.0, seed);
            run(&strings(), &history, &setup.unsplit(), Answer::Yes)
        }
        "store-file" => {
            let path = data_file().expect("the file was there a moment ago");
            let text = std::fs::read_to_string(path).expect("it can be read");
            run(&strings(), &read_log(&text), &setup.unsplit(), Answer::Yes)
        }
        "contradiction" => {
            let setup = Setup::new(engine, limit).all_cores().memory(k * MIB);
            run(&Queue::new(), &contradictory(n as u32), &setup, Answer::No)
        }
        other => panic!("no case {other}"),
    }
}

fn strings() -> KeyValue<String, String> {
    KeyValue::new(Some(String::new()))
}

fn data_file() -> Option<PathBuf> {
    let data = std::env::var_os("LINPOINT_DATA").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data"),
        PathBuf::from,
    );
    Some(data.join("porcupine-kv/c10-ok.txt")).filter(|path| path.exists())
}

/// Reads a log of lines like `{:process 9, :type :invoke, :f :append, :key "0", :value "x 9 0 y"}`.
fn read_log(text: &str) -> History<KeyValueOp<String, String>, KeyValueRet<String>> {
    let mut events = History::from_events();
    for line in text.lines() {
        let word = |name: &str| {
            let rest = &line[line.find(name).expect("a field") + name.len() + 1..];
            rest.split([',', '}']).next().expect("split gives something")
        };
        let quoted = |name: &str| word(name).trim_matches('"').to_owned();
        let process: u32 = word(":process").parse().expect("a number");
        match (word(":type"), word(":f")) {
            (":invoke", ":get") => events.call_by(process, KeyValueOp::Get(quoted(":key"))),
            (":invoke", f) => {
                let (key, value) = (quoted(":key"), quoted(":value"));
                let append = f == ":append";
                let op = if append { KeyValueOp::Append } else { KeyValueOp::Put }(key, value);
                events.call_by(process, op)
            }
            (_, f) => {
                let open = events.open_of(process).expect("it was called");
                let value = KeyValueRet::Value(Some(quoted(":value")));
                let ret = if f == ":get" { value } else { KeyValueRet::Done };
                events.ret(open, ret).map(|()| open)
            }
        }
        .expect("a valid log");
    }
    events.finish()
}

/// `n` concurrent enqueues; while they run, `first` is enqueued before `second`. Then everything is
/// dequeued sequentially, `second` before `first`, these two at the very end.
fn contradictory(n: u32) -> History<QueueOp<u32>, QueueRet<u32>> {
    let (first, second) = (n, n + 1);
    let mut events = History::from_events();
    let around: Vec<_> = (0..n).map(|v| events.call(QueueOp::Enqueue(v))).collect();
    for value in [first, second] {
        let id = events.call(QueueOp::Enqueue(value));
        events.ret(id, QueueRet::Done).expect("it is open");
    }
    for id in around {
        events.ret(id, QueueRet::Done).expect("it is open");
    }
    for value in (0..n).chain([second, first]) {
        let id = events.call(QueueOp::Dequeue);
        events.ret(id, QueueRet::Value(Some(value))).expect("it is open");
    }
    events.finish()
}
