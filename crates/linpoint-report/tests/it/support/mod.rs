//! Pages for the tests: small and large, linearizable and not.

pub mod browser;
mod xml;

use std::collections::HashMap;
use std::ops::Range;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use linpoint::history::{EventBuilder, Span};
use linpoint::spec::models::{KeyValue, KeyValueOp, KeyValueRet, Queue, QueueOp, QueueRet};
use linpoint::verdict::{Known, Next, OrderWith, States, Undecided, Verdict, Violation};
use linpoint::{Checker, History, Limit, OpId, Part, PartStatus, Report, Spec};
use linpoint_report::{
    Annotation, Clock, Heading, Operation, Operations, Reading, Rendered, TypedOperations, html,
};

pub use xml::well_formed;

/// The directory where pages and screenshots are kept for inspection.
pub fn artefacts() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target")),
        PathBuf::from,
    );
    let dir = target.join("html-report");
    std::fs::create_dir_all(&dir).unwrap();
    dir
}

/// Operations with annotations and times.
pub struct Annotated<'a, S: Spec>(
    pub TypedOperations<'a, S>,
    pub Vec<Annotation>,
    /// The clock at each event.
    pub Option<fn(u32) -> Reading>,
    /// What the input says about an operation.
    pub Option<fn(OpId) -> Option<String>>,
);

impl<S: Spec> Operations for Annotated<'_, S> {
    fn operation(&self, id: OpId) -> Operation {
        Operation { line: Some(id.0 + 2), ..self.0.operation(id) }
    }

    fn span(&self, id: OpId) -> Span {
        self.0.span(id)
    }

    fn parts(&self, report: &Report) -> Vec<Part> {
        self.0.parts(report)
    }

    fn states(&self, order: &[OpId], known: Known, window: Range<usize>) -> Option<States> {
        self.0.states(order, known, window)
    }

    fn next(&self, part: &[OpId], order: &[OpId], known: Known, most: usize) -> Option<Vec<Next>> {
        self.0.next(part, order, known, most)
    }

    fn order_with(&self, violation: &Violation, op: OpId, until: Instant) -> Option<OrderWith> {
        self.0.order_with(violation, op, until)
    }

    fn clock(&self) -> Option<Clock> {
        self.2.as_ref().map(|_| Clock { unit: Some("ms"), since_1970: false })
    }

    fn times(&self, id: OpId) -> Option<(Reading, Option<Reading>)> {
        let Span { call, ret } = self.span(id);
        let of = |rank: u32| self.2.as_ref().map(|time| time(rank));
        Some((of(call)?, if ret == Span::NEVER { None } else { of(ret) }))
    }

    fn remark(&self, id: OpId) -> Option<String> {
        self.3.and_then(|remark| remark(id))
    }

    fn annotations(&self) -> Vec<Annotation> {
        self.1.clone()
    }
}

/// A check and its page.
pub struct Page {
    pub html: String,
    pub report: Report,
    pub rendered: Rendered,
}

pub fn page<S: Spec>(
    name: &str,
    model: &str,
    checker: &Checker<'_, S>,
    spec: &S,
    history: &History<S::Op, S::Ret>,
    annotations: Vec<Annotation>,
) -> Page {
    let begin = Instant::now();
    let report = checker.check(history).unwrap();
    page_of(name, model, report, begin.elapsed(), spec, history, annotations)
}

fn page_of<S: Spec>(
    name: &str,
    model: &str,
    report: Report,
    time: Duration,
    spec: &S,
    history: &History<S::Op, S::Ret>,
    annotations: Vec<Annotation>,
) -> Page {
    let heading = Heading {
        name: name.to_owned(),
        model: model.to_owned(),
        note: None,
        operations: history.len(),
        unknown_results: 0,
        time,
        reading: Duration::ZERO,
        jepsen: None,
        neighbours: neighbours(name),
    };
    // Pages with faults have times, too.
    let clock: fn(u32) -> Reading = |rank| Reading::Whole(5_000 + u64::from(rank * rank));
    let times = (!annotations.is_empty()).then_some(clock);
    let remark: fn(OpId) -> Option<String> =
        |id| (id.0 % 3 == 0).then(|| format!("node: n{}", id.0 % 2));
    let remark = (name == "remarks").then_some(remark);
    let operations = Annotated(TypedOperations { spec, history }, annotations, times, remark);
    let rendered = Rendered::new(heading, &operations, &report);
    let html = html::render(&rendered, &operations, &report);
    Page { html, report, rendered }
}

/// Of the page with markup, also those of files beside it.
fn neighbours(name: &str) -> Vec<(String, String)> {
    let hostile = name.starts_with("</title>").then(|| {
        ("<b>results</b>.edn".to_owned(), "../a%20b/%3Cb%3Eresults%3C%2Fb%3E.edn".to_owned())
    });
    hostile.into_iter().collect()
}

fn note(lane: &str, text: &str, from: u32, to: Option<u32>) -> Annotation {
    let (lane, text) = (lane.to_owned(), text.to_owned());
    Annotation { lane, text, from, to, ..Annotation::default() }
}

/// A store of texts in which one of two appends at the same time got lost: `examples/histories/kv-lost-update.jsonl`.
pub fn lost_update() -> Page {
    use KeyValueOp::{Append, Get, Put};
    let mut b = History::from_events();
    let (text, found) = (str::to_owned, |text: &str| KeyValueRet::Value(Some(text.to_owned())));
    let cart = || "cart".to_owned();
    for (client, op, ret) in [
        (1, Put(cart(), text("T")), KeyValueRet::Done),
        (3, Get(cart()), found("T")),
        (2, Append(cart(), text("M")), KeyValueRet::Done),
        (3, Get(cart()), found("TM")),
    ] {
        let op = b.call_by(client, op).unwrap();
        b.ret(op, ret).unwrap();
    }
    for round in [
        [
            (Append(cart(), text("R")), KeyValueRet::Done),
            (Append(cart(), text("S")), KeyValueRet::Done),
        ],
        [(Get(cart()), found("TMR")), (Get(cart()), found("TMR"))],
    ] {
        let called = round.map(|(op, ret)| (op, ret));
        let [(first, first_ret), (second, second_ret)] = called;
        let (first, second) = (b.call_by(1, first).unwrap(), b.call_by(2, second).unwrap());
        b.ret(second, second_ret).unwrap();
        b.ret(first, first_ret).unwrap();
    }
    let (spec, history) = (KeyValue::<String, String>::new(None), b.finish());
    page("kv-lost-update", "kv", &Checker::new(&spec), &spec, &history, Vec::new())
}

/// A queue that returns elements out of order; with a fault, a message, and a pending enqueue.
pub fn queue_out_of_order() -> Page {
    let mut b = History::from_events();
    let mut done = Vec::new();
    for (client, value) in [(0, "a"), (1, "b"), (0, "c")] {
        let op = b.call_by(client, QueueOp::Enqueue(value)).unwrap();
        b.ret(op, QueueRet::Done).unwrap();
        done.push(op);
    }
    let d = b.call_by(2, QueueOp::Dequeue).unwrap();
    let lost = b.call_by(1, QueueOp::Enqueue("lost")).unwrap();
    b.ret(d, QueueRet::Value(Some("a"))).unwrap();
    let e = b.call_by(0, QueueOp::Enqueue("d")).unwrap();
    let f = b.call_by(2, QueueOp::Dequeue).unwrap();
    b.ret(e, QueueRet::Done).unwrap();
    b.ret(f, QueueRet::Value(Some("c"))).unwrap();
    b.crash(lost).unwrap();
    let g = b.call_by(0, QueueOp::Peek).unwrap();
    b.ret_unknown(g).unwrap();
    let h = b.call_by(3, QueueOp::Dequeue).unwrap();
    b.ret(h, QueueRet::Value(Some("b"))).unwrap();
    let history = b.finish();
    let spec = Queue::new();
    let faults = vec![
        note("nemesis", "partition {n1 n2} | {n3}", 7, Some(12)),
        note("server 3", "became leader", 9, None),
        note("server 3", "restarted", 14, None),
    ];
    page("jobs.jsonl", "queue", &Checker::new(&spec), &spec, &history, faults)
}

/// A register of four threads whose processes crash, each replaced by another one, as in a Jepsen test. The last read is stale.
pub fn crashes() -> Page {
    use linpoint::spec::models::{Register, RegisterOp, RegisterRet};
    const THREADS: u32 = 4;
    let mut b = History::from_events();
    let mut processes: Vec<u32> = (0..THREADS).collect();
    let mut value = 0;
    for round in 0..40 {
        let thread = round as usize % processes.len();
        let write = b.call_by(processes[thread], RegisterOp::Write(round)).unwrap();
        if round % 5 == 4 {
            b.crash(write).unwrap();
            processes[thread] += THREADS;
            // It was not observed, so it may have happened or not.
            continue;
        }
        b.ret(write, RegisterRet::Written).unwrap();
        value = round;
        let read = b.call_by(processes[(thread + 1) % 4], RegisterOp::Read).unwrap();
        b.ret(read, RegisterRet::Value(value)).unwrap();
    }
    let read = b.call_by(processes[0], RegisterOp::Read).unwrap();
    b.ret(read, RegisterRet::Value(value - 2)).unwrap();
    let (spec, history) = (Register { initial: 0 }, b.finish());
    let faults =
        vec![note("nemesis", "kill n1", 10, Some(30)), note("nemesis", "pause n2", 20, Some(50))];
    page("crashes.edn", "register", &Checker::new(&spec), &spec, &history, faults)
}

/// Events of clients and others, some with colours of their own.
pub fn notes() -> Page {
    use linpoint::spec::models::{Register, RegisterOp, RegisterRet};
    let mut b = History::from_events();
    for round in 0..4 {
        let write = b.call_by(0, RegisterOp::Write(round)).unwrap();
        let read = b.call_by(1, RegisterOp::Read).unwrap();
        b.ret(write, RegisterRet::Written).unwrap();
        b.ret(read, RegisterRet::Value(round)).unwrap();
    }
    let of = |client: u32, text: &str, from, to, color| Annotation {
        client: Some(format!("client {client}")),
        color,
        ..note(&format!("client {client}"), text, from, to)
    };
    let notes = vec![
        of(1, "paused <b>by</b> the collector", 1, Some(6), Some([0xd6, 0x45, 0x45])),
        of(0, "cache miss", 9, None, None),
        of(9, "restarted", 3, None, None),
        Annotation { color: Some([0x11, 0x22, 0x33]), ..note("release", "v2", 5, Some(12)) },
    ];
    let (spec, history) = (Register { initial: 0 }, b.finish());
    page("notes.jsonl", "register", &Checker::new(&spec), &spec, &history, notes)
}

/// A history with remarks, of two keys.
pub fn remarked() -> Page {
    key_value_page("remarks", &key_value(60, 3, 2, 5, None))
}

/// A history whose texts contain markup.
pub fn hostile() -> Page {
    let evil = "</script><script>document.title='owned'</script><!-- <img src=x onerror=alert(1)>";
    let mut b = History::from_events();
    let a = b.call_by(0, QueueOp::Enqueue(evil.to_owned())).unwrap();
    b.ret(a, QueueRet::Done).unwrap();
    let d = b.call_by(1, QueueOp::Dequeue).unwrap();
    b.ret(d, QueueRet::Value(Some("<b>bold</b>\u{2028}\u{1b}[31m".to_owned()))).unwrap();
    let history = b.finish();
    let spec = Queue::new();
    let faults = vec![note("<i>lane</i>", "</script><h1>fault</h1>", 1, None)];
    page(
        "</title><script>alert(1)</script>",
        "<model>",
        &Checker::new(&spec),
        &spec,
        &history,
        faults,
    )
}

/// An open operation, with its result once it has taken effect.
type Open = (OpId, KeyValueOp<u32, u32>, Option<KeyValueRet<u32>>);

/// A simulated key-value store. It is linearizable unless `wrong` is given: then one read, that many operations
/// before the end, returns a value that was never written.
pub fn key_value(
    operations: usize,
    processes: u32,
    keys: u32,
    seed: u64,
    wrong: Option<usize>,
) -> History<KeyValueOp<u32, u32>, KeyValueRet<u32>> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut b: EventBuilder<KeyValueOp<u32, u32>, KeyValueRet<u32>> = History::from_events();
    let mut store: HashMap<u32, u32> = HashMap::new();
    let mut open: Vec<Option<Open>> = vec![None; processes as usize];
    let mut called = 0;
    let mut bad_at = wrong.map(|before_end| operations - before_end);
    while called < operations || open.iter().any(Option::is_some) {
        let process = rng.u32(0..processes);
        let slot = &mut open[process as usize];
        match slot.take() {
            None if called < operations => {
                let key = rng.u32(0..keys);
                let op = match rng.u8(0..10) {
                    0..5 => KeyValueOp::Get(key),
                    5..9 => KeyValueOp::Put(key, called as u32),
                    _ => KeyValueOp::CompareAndSet(key, store.get(&key).copied(), called as u32),
                };
                let id = b.call_by(process, op.clone()).unwrap();
                called += 1;
                *slot = Some((id, op, None));
            }
            None => {}
            Some((id, op, None)) => {
                // Some operations never return although they took effect.
                let lost = rng.u32(0..2000) == 0;
                let held = |key: &u32| store.get(key).copied();
                let ret = match &op {
                    KeyValueOp::Get(key) => KeyValueRet::Value(held(key)),
                    KeyValueOp::CompareAndSet(key, old, new) => {
                        let found = held(key) == *old;
                        if found {
                            store.insert(*key, *new);
                        }
                        KeyValueRet::Bool(found)
                    }
                    KeyValueOp::Put(key, value) => {
                        store.insert(*key, *value);
                        KeyValueRet::Done
                    }
                    _ => unreachable!("not generated"),
                };
                if lost {
                    b.crash(id).unwrap();
                } else {
                    *slot = Some((id, op, Some(ret)));
                }
            }
            Some((id, op, Some(ret))) => {
                let is_get = matches!(op, KeyValueOp::Get(_));
                let ret = match bad_at {
                    // This value was never written.
                    Some(at) if is_get && id.index() >= at => {
                        bad_at = None;
                        KeyValueRet::Value(Some(u32::MAX))
                    }
                    _ => ret,
                };
                b.ret(id, ret).unwrap();
            }
        }
    }
    b.finish()
}

/// [`key_value`] as a page.
pub fn key_value_page(
    name: &str,
    history: &History<KeyValueOp<u32, u32>, KeyValueRet<u32>>,
) -> Page {
    let spec = KeyValue::new(None);
    page(name, "kv", &Checker::new(&spec), &spec, history, Vec::new())
}

/// A search that was cancelled half-way. A small search ends before it notices the cancellation, so the verdict
/// is made up.
pub fn undecided() -> Page {
    let mut b = History::from_events();
    for round in 0..40 {
        let enqueue = b.call_by(0, QueueOp::Enqueue(round)).unwrap();
        let dequeue = b.call_by(1, QueueOp::Dequeue).unwrap();
        b.ret(enqueue, QueueRet::Done).unwrap();
        b.ret(dequeue, QueueRet::Value(Some(round))).unwrap();
    }
    let history = b.finish();
    let spec = Queue::new();
    let mut report =
        Checker::new(&spec).engine(linpoint::Engine::JitGraph).check(&history).unwrap();
    report.verdict = Verdict::Undecided(Undecided {
        limit: Limit::Cancelled,
        parts_done: 0,
        parts: 1,
        returns_reached: 30,
        returns: 80,
    });
    report.parts = vec![PartStatus::Undecided];
    page_of("hard.jsonl", "queue", report, Duration::from_secs(3), &spec, &history, Vec::new())
}

/// A history without operations.
pub fn empty() -> Page {
    let history: History<QueueOp<u32>, QueueRet<u32>> = EventBuilder::new().finish();
    let spec = Queue::new();
    page("empty.jsonl", "queue", &Checker::new(&spec), &spec, &history, Vec::new())
}
