//! Explores the rows of the catalogue and prints the results beside the expected verdicts and the figures of a prototype
//! without reductions.
//!
//! ```sh
//! cargo run --release -p linpoint-model --example table            # rows that took the prototype less than 3 s
//! cargo run --release -p linpoint-model --example table -- --all   # all rows
//! cargo run --release -p linpoint-model --example table -- S2 Q    # rows whose id starts with S2 or Q
//! ```
//!
//! `--plain` switches the reductions off. `--order preemptions`, `--method recorded`, `--cores 1`, `--timeout 60` (seconds)
//! and `--memory 8` (GiB) change the settings. `--row "X|snark|bad|any 4 2"` explores a row of your own.

use std::process::ExitCode;
use std::time::Duration;

use linpoint_model::catalogue::{find, rows};
use linpoint_model::{Method, Order, Outcome, Reductions, Settings};

fn main() -> ExitCode {
    let mut settings = Settings::default();
    let mut all = false;
    let (mut wanted, mut own) = (Vec::new(), Vec::new());
    let mut args = std::env::args().skip(1);
    while let Some(arg) = args.next() {
        let mut value = || args.next().unwrap_or_default();
        match arg.as_str() {
            "--all" => all = true,
            "--plain" => settings.reductions = Reductions::NONE,
            "--order" => settings.order = Order::from_name(&value()).expect("an order"),
            "--method" => settings.method = Method::from_name(&value()).expect("a method"),
            "--cores" => settings.cores = value().parse().ok(),
            "--memory" => settings.limits.memory = value().parse().ok().map(|gib: usize| gib << 30),
            "--row" => {
                let line: &'static str = Box::leak(value().into_boxed_str());
                own.push(rows::Row::parse(line).expect("ID|MODEL|ok or bad|BOUNDS"));
            }
            "--timeout" => settings.limits.time = value().parse().ok().map(Duration::from_secs),
            _ => wanted.push(arg),
        }
    }
    if let Some(warning) = settings.method.warning() {
        println!("{}: {warning}", settings.method.name());
    }
    println!(
        "{:3} {:31} {:45} {:9} {:>10} {:>9} {:>8} {:>5} {:>7} | {:>10} {:>8} {:>5}",
        "",
        "model",
        "bounds",
        "verdict",
        "states",
        "matched",
        "time",
        "steps",
        "B/state",
        "theirs",
        "time",
        "steps"
    );
    let (mut wrong, mut count) = (0, 0);
    let is_own = !own.is_empty();
    for row in if is_own { own } else { rows::rows() } {
        let is_cheap = row.millis.unwrap_or(0) <= 3000;
        let is_wanted = wanted.iter().any(|name| row.id.starts_with(name.as_str()));
        if !(is_own || is_wanted || wanted.is_empty() && (all || is_cheap)) {
            continue;
        }
        let (entry, parameter) = find(row.model).expect("a model of the catalogue");
        let model = entry.model(row.asked.threads(), parameter);
        let result = match model.explore(&row.asked, &settings) {
            Ok(result) => result,
            Err(error) => {
                println!("{:3} {:31} {error}", row.id, row.model);
                wrong += usize::from(settings.method == Method::Sound);
                continue;
            }
        };
        let (verdict, steps, is_right) = match &result.outcome {
            Outcome::Clean => ("ok", None, row.is_clean),
            Outcome::Violation(v) => ("violation", Some(v.steps.len()), !row.is_clean),
            Outcome::Limit(_) => ("limit", None, true),
        };
        count += 1;
        wrong += usize::from(!is_right);
        let counts = &result.counts;
        let blank = |n: Option<usize>| n.map_or(String::new(), |n| n.to_string());
        println!(
            "{:3} {:31} {:45} {:9} {:>10} {:>9} {:>8} {:>5} {:>7} | {:>10} {:>8} {:>5}{}",
            row.id,
            row.model,
            row.asked.to_string(),
            verdict,
            counts.stored,
            counts.matched,
            seconds(counts.time),
            blank(steps),
            counts.bytes as u64 / counts.stored.max(1),
            blank(row.states.map(|n| n as usize)),
            row.millis.map_or(String::new(), |ms| seconds(Duration::from_millis(ms))),
            blank(row.steps),
            if is_right { "" } else { "  WRONG" }
        );
    }
    println!("{count} rows, {wrong} not as expected");
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn seconds(time: Duration) -> String {
    match time.as_secs_f64() {
        s if s < 0.1 => format!("{:.1} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}
