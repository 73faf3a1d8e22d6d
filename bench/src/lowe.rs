//! Lowe's experiments (Testing for linearizability, section 6): throughput of every engine on
//! histories recorded from threads that share a map or a queue.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crossbeam_queue::SegQueue;
use linpoint::spec::models::{KeyValue, KeyValueOp, KeyValueRet, Queue, QueueOp, QueueRet};
use linpoint::{History, Spec};

use crate::generate::{Object, mean_overlap, simulate};
use crate::measure::{Answer, Setup, run, timed};
use crate::objects::{Mix, SimMap, SimQueue, Values, apply_map_op, draw_map_op, map_key};
use crate::record::{Shared, record};
use crate::svg::{Plot, Series};
use crate::table::{Table, keep, short};
use linpoint::random::SplitMix64 as Rng;

const WORKERS: usize = 4;
/// An engine that hits the limit this many times before its first answer gets no more histories.
const HOPELESS: usize = 3;

struct SharedQueue {
    adds: f64,
    queue: SegQueue<u32>,
}

impl Shared for SharedQueue {
    type Op = QueueOp<u32>;
    type Ret = QueueRet<u32>;

    fn draw(&self, rng: &mut Rng) -> Self::Op {
        if rng.chance(self.adds) {
            QueueOp::Enqueue(Values::Among(20).draw(rng))
        } else {
            QueueOp::Dequeue
        }
    }

    fn apply(&self, op: &Self::Op) -> Self::Ret {
        match op {
            QueueOp::Enqueue(v) => {
                self.queue.push(*v);
                QueueRet::Done
            }
            _ => QueueRet::Value(self.queue.pop()),
        }
    }
}

const SHARDS: usize = 8;

struct SharedMap {
    keys: usize,
    shards: [Mutex<HashMap<u32, u32>>; SHARDS],
}

impl Shared for SharedMap {
    type Op = KeyValueOp<u32, u32>;
    type Ret = KeyValueRet<u32>;

    fn draw(&self, rng: &mut Rng) -> Self::Op {
        draw_map_op(Mix::Lowe, self.keys, &mut Values::Among(4), rng)
    }

    fn apply(&self, op: &Self::Op) -> Self::Ret {
        let key = map_key(op);
        let mut shard = self.shards[key as usize % SHARDS].lock().expect("no thread panics");
        let mut value = shard.get(&key).copied();
        let ret = apply_map_op(op, &mut value);
        match value {
            Some(value) => shard.insert(key, value),
            None => shard.remove(&key),
        };
        ret
    }
}

/// The amount of work.
#[derive(Clone, Copy)]
struct Scale {
    /// Operations of a point.
    total: usize,
    /// Time limit of a history.
    limit: Duration,
    /// After this long an engine gets no more histories of a point.
    patience: Duration,
}

impl Scale {
    fn new(quick: bool) -> Self {
        if quick {
            let limit = Duration::from_millis(200);
            Scale { total: 1 << 16, limit, patience: Duration::from_secs(1) }
        } else {
            let limit = Duration::from_secs(1);
            Scale { total: 1 << 20, limit, patience: Duration::from_secs(5) }
        }
    }
}

/// The engines, and how each is set up.
fn contenders(limit: Duration) -> Vec<(&'static str, Setup)> {
    let mut all: Vec<(&str, Setup)> =
        ["planner", "wg-tree", "wg-graph", "jit-tree", "jit-graph", "breadth"]
            .into_iter()
            .map(|name| (name, Setup::new(name, limit)))
            .collect();
    all.insert(1, ("planner, all cores", Setup::new("planner", limit).all_cores()));
    all.push(("jit-tree+jit-graph", Setup::new("jit-tree+jit-graph", limit).all_cores()));
    all.push(("plain wg-graph", Setup::plain("wg-graph", limit)));
    all.push(("plain jit-graph", Setup::plain("jit-graph", limit)));
    all
}

/// Histories of one point of a plot.
struct Point<O, R> {
    x: f64,
    histories: Vec<History<O, R>>,
    /// CPU seconds of recording, histories built.
    recording: f64,
}

/// The results of an engine on the histories of a point.
struct Score {
    answered: usize,
    operations: usize,
    hit: usize,
    cpu: f64,
}

impl Score {
    fn rate(&self) -> f64 {
        self.operations as f64 / self.cpu
    }

    /// Includes the share of recording that belongs to these operations.
    fn rate_with_recording(&self, recording_of_an_operation: f64) -> f64 {
        self.operations as f64 / (self.cpu + self.operations as f64 * recording_of_an_operation)
    }

    fn cell(&self, histories: usize) -> String {
        let rest = histories - self.answered - self.hit;
        match (self.hit, rest) {
            (0, 0) => short(self.rate()),
            (hit, 0) => format!("{} ({hit} hit)", short(self.rate())),
            (hit, rest) => format!("{} ({hit} hit, {rest} left)", short(self.rate())),
        }
    }
}

fn score<S: Spec>(
    spec: &S,
    histories: &[History<S::Op, S::Ret>],
    setup: &Setup,
    patience: Duration,
) -> Score {
    let begin = Instant::now();
    let mut score = Score { answered: 0, operations: 0, hit: 0, cpu: 0.0 };
    for history in histories {
        let hopeless = score.answered == 0 && score.hit >= HOPELESS;
        if hopeless || begin.elapsed() > patience {
            break;
        }
        let outcome = run(spec, history, setup, Answer::Yes);
        score.cpu += outcome.cpu;
        if outcome.answer.is_decided() {
            score.answered += 1;
            score.operations += history.len();
        } else {
            score.hit += 1;
        }
    }
    score
}

/// The description of a figure.
struct Figure {
    name: String,
    title: String,
    x: &'static str,
    x_base: Option<f64>,
}

fn figure<S: Spec>(
    spec: &S,
    figure: &Figure,
    scale: Scale,
    points: impl Iterator<Item = Point<S::Op, S::Ret>>,
) {
    let contenders = contenders(scale.limit);
    let mut head = vec![figure.x.to_owned(), "histories".into(), "overlap".into()];
    head.extend(contenders.iter().map(|(name, _)| (*name).to_owned()));
    head.extend(["recording".into(), "planner, recorded".into(), "planner : plain".into()]);
    let mut table = Table::new(head);
    let mut series: Vec<Series> = contenders
        .iter()
        .map(|(name, _)| Series { name: (*name).into(), points: Vec::new() })
        .collect();
    for point in points {
        let histories = &point.histories;
        let operations: usize = histories.iter().map(History::len).sum();
        let overlap =
            histories.iter().map(mean_overlap).sum::<f64>() / histories.len().max(1) as f64;
        let mut row =
            vec![format!("{}", point.x), histories.len().to_string(), format!("{overlap:.2}")];
        let mut scores = Vec::new();
        for ((_, setup), series) in contenders.iter().zip(&mut series) {
            let score = score(spec, histories, setup, scale.patience);
            row.push(score.cell(histories.len()));
            if score.operations > 0 {
                series.points.push((point.x, score.rate()));
            }
            scores.push(score);
        }
        let recorded = point.recording > 0.0;
        let cost = point.recording / operations.max(1) as f64;
        let dash = || "-".to_owned();
        row.push(if recorded { short(1.0 / cost) } else { dash() });
        row.push(if recorded { short(scores[0].rate_with_recording(cost)) } else { dash() });
        let plain = contenders.iter().position(|(name, _)| *name == "plain wg-graph");
        let plain = scores[plain.expect("it is one of them")].rate();
        row.push(if plain > 0.0 { format!("{:.1}", scores[0].rate() / plain) } else { dash() });
        eprintln!("{}: {}", figure.name, row.join(" | "));
        table.row(row);
    }
    let title = format!("{}, operations per CPU second", figure.title);
    table.publish(&title, &figure.name);
    let plot = Plot {
        title: figure.title.clone(),
        x: figure.x.into(),
        y: "operations per CPU second".into(),
        x_base: figure.x_base,
        series,
    };
    keep(&format!("{}.svg", figure.name), &plot.svg());
}

/// Threads on one structure after the other.
fn recorded<T: Shared>(
    x: f64,
    runs: usize,
    each: usize,
    nudge: usize,
    make: impl Fn() -> T,
) -> Point<T::Op, T::Ret> {
    let structures: Vec<T> = (0..runs).map(|_| make()).collect();
    let logs = record(&structures, WORKERS, each, nudge, 1);
    let working = logs.cpu;
    let (histories, building) = timed(|| logs.histories());
    Point { x, histories, recording: working + building }
}

/// The same without threads.
fn simulated<X: Object>(
    x: f64,
    runs: usize,
    each: usize,
    make: impl Fn() -> X,
) -> Point<X::Op, X::Ret> {
    let one = |seed| simulate(make(), WORKERS as u32, each * WORKERS, 0.0, seed);
    Point { x, histories: (0..runs as u64).map(one).collect(), recording: 0.0 }
}

fn shared_map(keys: usize) -> SharedMap {
    SharedMap { keys, shards: Default::default() }
}

fn shared_queue(adds: f64) -> SharedQueue {
    SharedQueue { adds, queue: SegQueue::new() }
}

/// Interrupt one operation in this many where overlap is wanted.
const NUDGE: usize = 16;

/// Runs the experiments named in `which`, or all.
pub fn main(which: &[String], quick: bool) {
    let scale = Scale::new(quick);
    let wanted = |name: &str| which.is_empty() || which.iter().any(|w| w == name);
    let stride = if quick { 4 } else { 1 };
    let lengths = || (5..=13).step_by(stride).map(|e| 1usize << e);
    let runs = |each: usize| (scale.total / WORKERS / each).max(1);
    let (map, queue) = (KeyValue::<u32, u32>::new(None), Queue::<u32>::new());
    let by_length = |name, what: &str, how: &str| Figure {
        name,
        title: format!("{what}, 4 {how}"),
        x: "operations a worker",
        x_base: Some(2.0),
    };
    let a_map = "Map with 20 keys and 4 values";
    let a_queue = "Queue with 30 % enqueues of 20 values";
    for (nudge, how, names) in [
        (0, "threads", ["map", "queue"]),
        (NUDGE, "threads made to overlap", ["map-overlap", "queue-overlap"]),
    ] {
        if wanted(names[0]) {
            let f = by_length(format!("lowe-{}", names[0]), a_map, how);
            let point = |n| recorded(n as f64, runs(n), n, nudge, || shared_map(20));
            figure(&map, &f, scale, lengths().map(point));
        }
        if wanted(names[1]) {
            let f = by_length(format!("lowe-{}", names[1]), a_queue, how);
            let point = |n| recorded(n as f64, runs(n), n, nudge, || shared_queue(0.3));
            figure(&queue, &f, scale, lengths().map(point));
        }
    }
    if wanted("map-simulated") {
        let f = by_length("lowe-map-simulated".into(), a_map, "simulated clients");
        let make = || SimMap::new(Mix::Lowe, 20, Values::Among(4));
        let points = lengths().map(|n| simulated(n as f64, runs(n), n, make));
        figure(&map, &f, scale, points);
    }
    if wanted("queue-simulated") {
        let f = by_length("lowe-queue-simulated".into(), a_queue, "simulated clients");
        let make = || SimQueue { adds: 0.3, values: Values::Among(20), items: Default::default() };
        let points = lengths().map(|n| simulated(n as f64, runs(n), n, make));
        figure(&queue, &f, scale, points);
    }
    let (each, sweep_runs) = (1 << 11, runs(1 << 11));
    if wanted("keys") {
        let f = Figure {
            name: "lowe-keys".into(),
            title: "Map of 4 values by size of the key space, 4 threads made to overlap".into(),
            x: "keys",
            x_base: Some(2.0),
        };
        let keys = (0..=8).step_by(stride).map(|e| 1usize << e);
        let point = |k| recorded(k as f64, sweep_runs, each, NUDGE, || shared_map(k));
        figure(&map, &f, scale, keys.map(point));
    }
    if wanted("enqueues") {
        let f = Figure {
            name: "lowe-enqueues".into(),
            title: "Queue of 20 values by share of enqueues, 4 threads made to overlap".into(),
            x: "share of enqueues",
            x_base: None,
        };
        let shares = (1..=9).step_by(stride).map(|tenths| f64::from(tenths) / 10.0);
        let point = |p| recorded(p, sweep_runs, each, NUDGE, || shared_queue(p));
        figure(&queue, &f, scale, shares.map(point));
    }
}
