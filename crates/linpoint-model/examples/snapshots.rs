//! Tables 1 and 2 of Amram, Hayoun, Mizrahi and Weiss (DISC 2022): snapshot objects, broken and correct, by method.
//!
//! ```sh
//! cargo run --release -p linpoint-model --example snapshots                  # n = 3 and 4, at most 10 s for each line
//! cargo run --release -p linpoint-model --example snapshots -- 3 4 5 6 8 10 --timeout 600 --memory 12
//! ```
//!
//! Broken models are explored without a bound on operations, runs with few operations and preemptions first; if that finds
//! nothing, with increasing bounds on the operations of each process. Correct models are explored without a bound if they
//! have finitely many states; if that does not end, with increasing bounds, up to the first that hits a limit.
//!
//! Lines that are not expected to end are skipped, and the output says so: more processes or a larger bound than a line
//! that hit a limit, by the same method or by one with fewer states (wherever both ended, `polynomial` had fewer than
//! `simple`, and `simple` than `normal`), and lines that would take longer than twice the limit if times grew as so far
//! ([`Tried::forecast`]). A line whose levels still grow after two fifths of the time is given up then (`grows`).
//!
//! `--from 2` starts with bound 2, `--bounds 3` tries none above 3, `--wrong` and `--right` print one table only,
//! `--model afek` selects models by prefix, `--method simple` selects a method. As in the paper, `simple` and `polynomial`
//! explore the pair (0, 1) with commands omitted as published; `--exact` explores all pairs and omits only what cannot
//! matter. `--order breadth` sets the order, `--cores 1` the number of cores.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use linpoint::{Cancel, Limit, Limits};
use linpoint_model::catalogue::{Asked, Entry, find};
use linpoint_model::{
    Exploration, Method, ModelError, Omit, Order, Outcome, Pair, Progress, Settings, SimpleRuns,
};

const MODELS: [&str; 6] =
    ["bowman", "jayanti", "afek-bounded", "afek-unbounded", "riany", "attiya-welch"];
/// Models with finitely many states for any number of operations.
const FINITE: [&str; 5] = ["bowman", "jayanti", "afek-bounded", "afek-unbounded", "attiya-welch"];
/// Methods, those with fewer states first.
const METHODS: [(&str, Method); 3] =
    [("polynomial", Method::Polynomial), ("simple", Method::Simple), ("normal", Method::Sound)];

struct Wanted {
    processes: Vec<usize>,
    least: u8,
    most: u8,
    tables: Vec<bool>,
    model: String,
    method: String,
    order: Option<Order>,
    settings: Settings<'static>,
}

fn main() {
    let wanted = arguments();
    for is_right in &wanted.tables {
        println!("{}", if *is_right { "Correct (table 2)" } else { "Broken (table 1)" });
        println!(
            "{:22} {:>2} {:10} {:>2} {:9} {:>11} {:>10} {:>9} {:>5}",
            "model", "n", "method", "b", "verdict", "states", "time", "MB", "steps"
        );
        let mut found = [0; METHODS.len()];
        let mut cells = 0;
        for model in MODELS.iter().filter(|model| model.starts_with(&wanted.model)) {
            let name = if *is_right { model.to_string() } else { format!("{model}-wrong") };
            let Ok((entry, _)) = find(&name) else { continue };
            cells += wanted.processes.len();
            let mut hopeless = Vec::new();
            for (at, (method, _)) in METHODS.iter().enumerate() {
                if method.starts_with(&wanted.method) {
                    found[at] += row(&wanted, entry, *is_right, at, &mut hopeless);
                }
            }
        }
        if !is_right {
            let each = METHODS.iter().zip(found).map(|((name, _), n)| format!("{name} {n}"));
            println!("violations found, of {cells}: {}\n", each.collect::<Vec<_>>().join(", "));
        }
    }
}

/// A bound on the operations of each process; the largest value means no bound.
type Bound = u8;
const UNBOUNDED: Bound = Bound::MAX;

/// Results of one method so far, and instances that hit a limit with this method or with one that has fewer states.
struct Tried<'a> {
    hopeless: &'a mut Vec<(usize, Bound)>,
    seconds: BTreeMap<(usize, Bound), f64>,
}

impl Tried<'_> {
    fn is_hopeless(&self, n: usize, b: Bound) -> bool {
        let is_less = |(processes, bound): &(usize, Bound)| {
            *processes <= n && *bound <= b && (*bound == UNBOUNDED) == (b == UNBOUNDED)
        };
        self.hopeless.iter().any(is_less)
    }

    /// A lower estimate of the seconds, from fewer processes and smaller bounds: with each process, times grow by a factor
    /// that itself grows; with each bound, by one that falls, but not below its square root.
    fn forecast(&self, n: usize, b: Bound) -> Option<f64> {
        let took = |n: usize, b: Bound| self.seconds.get(&(n, b)).copied().filter(|s| *s > 0.02);
        let mut fewer = self.seconds.keys().filter(|key| key.1 == b && key.0 < n).rev();
        let by_processes = match (fewer.next(), fewer.next()) {
            (Some(one), Some(two)) => took(one.0, b).zip(took(two.0, b)).map(|(last, before)| {
                let each = (last / before).powf(1.0 / (one.0 - two.0) as f64);
                last * each.powf((n - one.0) as f64)
            }),
            _ => None,
        };
        let by_bound = (2..UNBOUNDED).contains(&b).then(|| {
            took(n, b - 1).zip(took(n, b - 2)).map(|(last, before)| last * (last / before).sqrt())
        });
        by_processes.into_iter().chain(by_bound.flatten()).reduce(f64::max)
    }
}

/// Explores increasing numbers of processes. Returns the number of violations found.
fn row(
    wanted: &Wanted,
    entry: &Entry,
    is_right: bool,
    at: usize,
    hopeless: &mut Vec<(usize, Bound)>,
) -> usize {
    let (name, method) = METHODS[at];
    let order = wanted.order.unwrap_or(if is_right { Order::Breadth } else { Order::Few });
    let settings = Settings { method, order, ..wanted.settings.clone() };
    let limit = settings.limits.time.map_or(f64::INFINITY, |time| time.as_secs_f64());
    let mut tried = Tried { hopeless, seconds: BTreeMap::new() };
    let mut found = 0;
    for n in &wanted.processes {
        // True if this number of processes is done.
        let mut ask = |b: Bound| {
            let shown = if b == UNBOUNDED { "∞".to_owned() } else { b.to_string() };
            let start = format!("{:22} {n:>2} {name:10} {shown:>2}", entry.name);
            let forecast = tried.forecast(*n, b).filter(|seconds| *seconds > 2.0 * limit);
            if is_right && (tried.is_hopeless(*n, b) || forecast.is_some()) {
                let why = forecast.map_or_else(
                    || "a smaller instance did not end".to_owned(),
                    |seconds| format!("would take {seconds:.0} s or more"),
                );
                println!("{start} skipped: {why}");
                return b != UNBOUNDED;
            }
            let asked = match b {
                UNBOUNDED => Asked::Unbounded { threads: *n },
                ops => Asked::PerThread { threads: *n, ops },
            };
            let result = explore(entry, *n, &asked, &settings);
            line(&start, &result);
            match result.as_ref().map(|result| &result.outcome) {
                Ok(Outcome::Violation(_)) => {
                    found += 1;
                    true
                }
                Ok(Outcome::Clean) => {
                    let seconds = result.map_or(0.0, |result| result.counts.time.as_secs_f64());
                    tried.seconds.insert((*n, b), seconds);
                    b == UNBOUNDED
                }
                Ok(Outcome::Limit(_)) | Err(_) => {
                    tried.hopeless.push((*n, b));
                    b != UNBOUNDED
                }
            }
        };
        if (!is_right || FINITE.contains(&entry.name)) && ask(UNBOUNDED) {
            continue;
        }
        let _ = (wanted.least..=wanted.most).any(ask);
    }
    found
}

/// Breadth-first, levels grow to about the middle of the states and then shrink, and the more states there are, the longer
/// each takes. If levels still grow after two fifths of the time, the exploration is not expected to end in time.
#[derive(Default)]
struct Levels {
    depth: u64,
    states: u64,
    last: u64,
    largest: u64,
}

impl Levels {
    /// True if the last level is the largest so far.
    fn still_grow(&mut self, progress: &Progress) -> bool {
        if progress.states < self.states {
            // The next pair.
            *self = Levels::default();
        }
        if progress.depth > self.depth {
            // The mean of several short levels since the last report.
            self.last = (progress.states - self.states) / (progress.depth - self.depth);
            self.largest = self.largest.max(self.last);
            (self.depth, self.states) = (progress.depth, progress.states);
        }
        self.last == self.largest
    }
}

fn explore(
    entry: &Entry,
    n: usize,
    asked: &Asked,
    settings: &Settings<'_>,
) -> Result<Exploration, ModelError> {
    let cancel = Cancel::new();
    let levels = Mutex::new(Levels::default());
    let enough = settings.limits.time.map(|time| time * 2 / 5);
    let progress = |progress: Progress| {
        let grow = levels.lock().is_ok_and(|mut levels| levels.still_grow(&progress));
        if grow && enough.is_some_and(|enough| progress.elapsed > enough) {
            cancel.cancel();
        }
    };
    let is_breadth = settings.order == Order::Breadth;
    let settings = Settings {
        cancel: cancel.clone(),
        progress: is_breadth.then_some(&progress),
        ..settings.clone()
    };
    entry.model(n, None).explore(asked, &settings)
}

fn line(start: &str, result: &Result<Exploration, ModelError>) {
    let result = match result {
        Ok(result) => result,
        Err(error) => return println!("{start} {error}"),
    };
    let (verdict, steps) = match &result.outcome {
        Outcome::Clean => ("ok", String::new()),
        Outcome::Violation(violation) => ("violation", violation.steps.len().to_string()),
        Outcome::Limit(Limit::Cancelled) => ("grows", String::new()),
        Outcome::Limit(_) => ("limit", String::new()),
    };
    let counts = &result.counts;
    println!(
        "{start} {verdict:9} {:>11} {:>8.2} s {:>9.1} {steps:>5}",
        counts.stored,
        counts.time.as_secs_f64(),
        counts.bytes as f64 / 1e6,
    );
}

fn arguments() -> Wanted {
    let simple = SimpleRuns { pair: Some(Pair(0, 1)), omit: Omit::AsPublished };
    let limits = Limits { time: Some(Duration::from_secs(10)), memory: Some(8 << 30) };
    let mut wanted = Wanted {
        processes: Vec::new(),
        least: 1,
        most: 40,
        tables: vec![false, true],
        model: String::new(),
        method: String::new(),
        order: None,
        settings: Settings { simple, limits, ..Settings::default() },
    };
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().unwrap_or_default();
        let settings = &mut wanted.settings;
        match arg.as_str() {
            "--timeout" => {
                settings.limits.time = value().parse().ok().map(Duration::from_secs);
            }
            "--memory" => {
                settings.limits.memory = value().parse().ok().map(|gib: usize| gib << 30);
            }
            "--order" => wanted.order = Some(Order::from_name(&value()).expect("an order")),
            "--exact" => settings.simple = SimpleRuns::default(),
            "--from" => wanted.least = value().parse().expect("a number"),
            "--bounds" => wanted.most = value().parse().expect("a number"),
            "--cores" => settings.cores = value().parse().ok(),
            "--wrong" => wanted.tables = vec![false],
            "--right" => wanted.tables = vec![true],
            "--model" => wanted.model = value(),
            "--method" => wanted.method = value(),
            n => wanted.processes.push(n.parse().expect("a number of processes")),
        }
    }
    if wanted.processes.is_empty() {
        wanted.processes = vec![3, 4];
    }
    wanted
}
