//! Tables 1 and 2 of Amram, Hayoun, Mizrahi and Weiss (DISC 2022): snapshot objects, wrong and right, by method.
//!
//! ```sh
//! cargo run --release -p linpoint-model --example snapshots                  # n = 3 and 4, at most 10 s for each line
//! cargo run --release -p linpoint-model --example snapshots -- 3 4 5 6 8 10 --timeout 600 --memory 12
//! ```
//!
//! Wrong models are explored without a bound on operations, runs with few operations and preemptions first, and then, if
//! that finds nothing, with one bound on the operations of each process after the other. Right models are explored without a bound if they have
//! finitely many states, and if that does not end, with one bound after the other, up to the first that a limit ends. What so many processes with such a bound did not come through, more
//! processes would not either, so numbers of processes in ascending order save time.
//!
//! `--from 2` begins with bound 2, `--bounds 3` tries none above 3, `--wrong` and `--right` print one table only, `--model afek` only
//! models whose names begin so, `--method simple` only that one. As in the paper, `simple` and `polynomial` explore the pair (0, 1) with commands left out as
//! published; `--exact` explores all pairs and leaves out only what cannot matter. `--order breadth` does what it says.

use std::time::Duration;

use linpoint::Limits;
use linpoint_model::catalogue::{Asked, Entry, find};
use linpoint_model::{Exploration, Method, ModelError, Omit, Order, Outcome, Settings, SimpleRuns};

const MODELS: [&str; 6] =
    ["bowman", "jayanti", "afek-bounded", "afek-unbounded", "riany", "attiya-welch"];
/// Those with finitely many states, whatever the number of operations.
const FINITE: [&str; 4] = ["bowman", "jayanti", "afek-bounded", "attiya-welch"];
const METHODS: [(&str, Method); 3] =
    [("normal", Method::Sound), ("simple", Method::Simple), ("polynomial", Method::Polynomial)];

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
        println!("{}", if *is_right { "Right (table 2)" } else { "Wrong (table 1)" });
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
            for (at, (method, _)) in METHODS.iter().enumerate() {
                if method.starts_with(&wanted.method) {
                    found[at] += row(&wanted, entry, *is_right, at);
                }
            }
        }
        if !is_right {
            let each = METHODS.iter().zip(found).map(|((name, _), n)| format!("{name} {n}"));
            println!("errors found, of {cells}: {}\n", each.collect::<Vec<_>>().join(", "));
        }
    }
}

/// One number of processes after the other. Gives in how many cases an error was found.
fn row(wanted: &Wanted, entry: &Entry, is_right: bool, at: usize) -> usize {
    let (name, method) = METHODS[at];
    let order = wanted.order.unwrap_or(if is_right { Order::Breadth } else { Order::Few });
    let settings = Settings { method, order, ..wanted.settings.clone() };
    let mut found = 0;
    let mut most = wanted.most;
    let mut may_end = FINITE.contains(&entry.name);
    for n in &wanted.processes {
        let ask = |asked, b: &str| {
            let result = entry.model(*n, None).explore(&asked, &settings);
            line(&format!("{:22} {n:>2} {name:10} {b:>2}", entry.name), &result);
            result.map(|result| result.outcome)
        };
        if !is_right || may_end {
            match ask(Asked::Unbounded { threads: *n }, "∞") {
                Ok(Outcome::Violation(_)) => {
                    found += 1;
                    continue;
                }
                Ok(Outcome::Clean) => continue,
                Ok(Outcome::Limit(_)) | Err(_) => may_end = false,
            }
        }
        for ops in wanted.least..=most {
            match ask(Asked::PerThread { threads: *n, ops }, &ops.to_string()) {
                Ok(Outcome::Clean) => {}
                Ok(Outcome::Violation(_)) => {
                    found += 1;
                    break;
                }
                Ok(Outcome::Limit(_)) | Err(_) => {
                    most = ops - 1;
                    break;
                }
            }
        }
    }
    found
}

fn line(start: &str, result: &Result<Exploration, ModelError>) {
    let result = match result {
        Ok(result) => result,
        Err(error) => return println!("{start} {error}"),
    };
    let (verdict, steps) = match &result.outcome {
        Outcome::Clean => ("ok", String::new()),
        Outcome::Violation(violation) => ("violation", violation.steps.len().to_string()),
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
    let simple = SimpleRuns { pair: Some((0, 1)), omit: Omit::AsPublished };
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
