//! The gallery: time until broken structures are caught, false alarms on correct ones, and the
//! memory after a long run.

use std::time::{Duration, Instant};

use linpoint_gallery::exhibits::{ALL, Exhibit, Scale};
use linpoint_gallery::hunt::{Catch, Mode, Patience, hunt};
use linpoint_test::schedule::loom::Order;
use linpoint_test::schedule::shuttle::Strategy;

use crate::measure::{cpu, rss};
use crate::table::{Table, mib, short};

/// Tables by name. The names of structures and of ways (`stress`, `shuttle`, `loom`) choose among the rows of `wrong`.
pub fn main(selection: &[String], quick: bool) {
    let wanted = |name: &str| selection.is_empty() || selection.iter().any(|s| s == name);
    if wanted("wrong") {
        wrong(selection, quick);
    }
    if wanted("right") {
        right(quick);
    }
    // Only on demand, since it takes any given time.
    if selection.iter().any(|s| s == "loop") {
        let minutes = selection.iter().find_map(|s| s.parse().ok());
        around(minutes.unwrap_or(if quick { 0.2 } else { 10.0 }));
    }
}

/// A way to search for failures, with suitable sizes.
struct Way {
    mode: Mode,
    scale: Scale,
    patience: Patience,
}

impl Way {
    fn stress(threads: usize) -> Way {
        let scale = Scale { threads, operations: 100 };
        let patience =
            Patience { scenarios: u64::MAX, executions: 1, preemptions: None, time: None };
        Way { mode: Mode::Stress, scale, patience }
    }

    fn shuttle(strategy: Strategy) -> Way {
        let scale = Scale { threads: 3, operations: 4 };
        let patience =
            Patience { scenarios: u64::MAX, executions: 100, preemptions: None, time: None };
        Way { mode: Mode::Shuttle(strategy), scale, patience }
    }

    fn loom(order: Order) -> Way {
        let scale = Scale { threads: 2, operations: 3 };
        let patience =
            Patience { scenarios: u64::MAX, executions: 1_000, preemptions: Some(2), time: None };
        Way { mode: Mode::Loom(order), scale, patience }
    }

    fn name(&self) -> String {
        match self.mode {
            Mode::Stress => format!("stress, {} threads", self.scale.threads),
            mode => mode.name(),
        }
    }

    fn family(&self) -> &'static str {
        match self.mode {
            Mode::Stress => FAMILIES[0],
            Mode::Shuttle(_) => FAMILIES[1],
            Mode::Loom(_) => FAMILIES[2],
        }
    }

    /// Shuttle cannot show bugs that need weak memory, and loom must be enabled for them.
    fn suits(&self, exhibit: &Exhibit) -> bool {
        let weak = exhibit.flaw.is_some_and(|flaw| !flaw.interleaving);
        match self.mode {
            Mode::Stress => true,
            Mode::Shuttle(_) => exhibit.schedulable && !weak,
            Mode::Loom(order) => exhibit.schedulable && weak == (order == Order::Unsynchronised),
        }
    }

    fn hunt(&self, exhibit: &Exhibit, seed: u64, time: Duration) -> Catch {
        let patience = Patience { time: Some(time), ..self.patience };
        hunt(exhibit.name, self.mode, self.scale, seed, patience).expect("it is in the gallery")
    }
}

fn ways() -> Vec<Way> {
    vec![
        Way::stress(2),
        Way::stress(4),
        Way::stress(8),
        Way::shuttle(Strategy::Random),
        Way::shuttle(Strategy::Pct(3)),
        Way::loom(Order::Synchronised),
        Way::loom(Order::Unsynchronised),
    ]
}

const FAMILIES: [&str; 3] = ["stress", "shuttle", "loom"];

/// True if `name` is among the words of its kind, or none of its kind is.
fn is_selected(selection: &[String], name: &str, kind: impl Fn(&str) -> bool) -> bool {
    let mut words = selection.iter().filter(|word| kind(word)).peekable();
    words.peek().is_none() || words.any(|word| word == name)
}

fn wrong(selection: &[String], quick: bool) {
    let (seeds, limit) = if quick { (3, 10) } else { (20, 60) };
    let limit = Duration::from_secs(limit);
    let mut table = Table::new([
        "structure",
        "way",
        "found",
        "mean [ms]",
        "± [ms]",
        "longest [ms]",
        "executions",
        "published",
    ]);
    for exhibit in ALL {
        let Some(flaw) = exhibit.flaw else { continue };
        if !is_selected(selection, exhibit.name, |name| ALL.iter().any(|e| e.name == name)) {
            continue;
        }
        for way in ways().iter().filter(|way| way.suits(exhibit)) {
            if !is_selected(selection, way.family(), |name| FAMILIES.contains(&name)) {
                continue;
            }
            let caught = catches(way, exhibit, seeds, limit);
            let seeds = caught.len() as u64;
            let found = caught.iter().filter(|c| c.failure.is_some()).count();
            let times: Vec<f64> = caught.iter().map(|c| c.time.as_secs_f64() * 1e3).collect();
            let (mean, deviation) = mean_and_confidence(&times);
            let longest = times.iter().copied().fold(0.0, f64::max);
            let executions = caught.iter().map(|c| c.executions).sum::<u64>() / seeds;
            // The stress test does not report in which run it failed.
            let executions =
                if way.mode == Mode::Stress { String::new() } else { executions.to_string() };
            eprintln!("{}, {}: {found} of {seeds}, {mean:.1} ms", exhibit.name, way.name());
            table.row(vec![
                exhibit.name.to_owned(),
                way.name(),
                format!("{found}/{seeds}"),
                format!("{mean:.1}"),
                format!("{deviation:.1}"),
                format!("{longest:.1}"),
                executions,
                flaw.published.to_owned(),
            ]);
        }
    }
    let title = format!(
        "Time to the first failure, mean over {seeds} seeds with 95 % confidence; at most {} s for each (then not found)",
        limit.as_secs()
    );
    table.publish(&title, "gallery-wrong");
}

/// One hunt for each seed. A way that finds nothing with the first three seeds is abandoned.
fn catches(way: &Way, exhibit: &Exhibit, seeds: u64, limit: Duration) -> Vec<Catch> {
    let mut caught = Vec::new();
    for seed in 0..seeds {
        caught.push(way.hunt(exhibit, seed, limit));
        if seed == 2 && caught.iter().all(|c| c.failure.is_none()) {
            break;
        }
    }
    caught
}

/// The mean, and half of the 95 % confidence interval (Student, 19 degrees of freedom).
fn mean_and_confidence(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    (mean, 2.093 * (variance / n).sqrt())
}

/// 10 million operations of each structure, in runs of 4 threads with 200 each.
fn right(quick: bool) {
    let operations: u64 = if quick { 200_000 } else { 10_000_000 };
    let scale = Scale { threads: 4, operations: 200 };
    let mut table = Table::new([
        "structure",
        "operations",
        "alarms",
        "seconds",
        "CPU seconds",
        "operations a CPU second",
        "as returned",
        "reordered",
        "searched",
        "CPU [µs] a run",
    ]);
    for exhibit in ALL.iter().filter(|exhibit| exhibit.flaw.is_none()) {
        let scenarios = operations.div_ceil(scale.operations_in_all() as u64);
        let patience = Patience { scenarios, executions: 1, preemptions: None, time: None };
        let before = cpu();
        let caught = hunt(exhibit.name, Mode::Stress, scale, 1, patience).expect("it is there");
        let used = cpu() - before;
        let alarms = match (&caught.failure, &caught.truncated) {
            (Some(text), _) => {
                eprintln!("{}: {text}", exhibit.name);
                "ALARM"
            }
            (None, Some(text)) => {
                eprintln!("{}: {text}", exhibit.name);
                "undecided"
            }
            (None, None) => "none",
        };
        eprintln!("{}: {} operations, {alarms}", exhibit.name, caught.operations);
        let share = |runs: u64| format!("{:.1} %", 100.0 * runs as f64 / caught.scenarios as f64);
        table.row(vec![
            exhibit.name.to_owned(),
            caught.operations.to_string(),
            alarms.to_owned(),
            format!("{:.1}", caught.time.as_secs_f64()),
            format!("{used:.1}"),
            short(caught.operations as f64 / used),
            share(caught.easy),
            share(caught.scenarios - caught.easy - caught.searched),
            share(caught.searched),
            format!("{:.1}", used * 1e6 / caught.scenarios as f64),
        ]);
    }
    table.publish(
        "Correct structures under stress, 4 threads with 200 operations each in a run",
        "gallery-right",
    );
}

/// Runs the whole gallery repeatedly, and reports the memory in use.
fn around(minutes: f64) {
    let begin = Instant::now();
    let end = begin + Duration::from_secs_f64(minutes * 60.0);
    let mut table =
        Table::new(["minute", "rounds", "hunts", "caught", "undecided", "alarms", "memory"]);
    let (mut rounds, mut hunts, mut caught, mut undecided, mut alarms) =
        (0u64, 0u64, 0u64, 0u64, 0u64);
    let mut next_line = 0.0;
    let mut first = None;
    while Instant::now() < end {
        for exhibit in ALL {
            for way in ways().iter().filter(|way| way.suits(exhibit)) {
                let catch = way.hunt(exhibit, rounds, Duration::from_millis(200));
                hunts += 1;
                undecided += catch.undecided;
                match (catch.failure, exhibit.flaw) {
                    (Some(_), Some(_)) => caught += 1,
                    (Some(text), None) => {
                        alarms += 1;
                        eprintln!("{}, {}: {text}", exhibit.name, way.name());
                    }
                    (None, _) => {}
                }
            }
            let minute = begin.elapsed().as_secs_f64() / 60.0;
            // Threads, stacks and allocators are warm after the first round.
            if rounds > 0 && minute >= next_line || Instant::now() >= end {
                first.get_or_insert(rss());
                let mut cells = vec![format!("{minute:.1}")];
                cells.extend([rounds, hunts, caught, undecided, alarms].map(|n| n.to_string()));
                cells.push(mib(rss()));
                table.row(cells);
                eprintln!("{minute:.1} min: {}", mib(rss()));
                next_line = minute + (minutes / 10.0).max(0.05);
            }
            if Instant::now() >= end {
                break;
            }
        }
        rounds += 1;
    }
    let first = first.unwrap_or_else(rss);
    let title = format!(
        "The whole gallery for {minutes} minutes: memory after the first round {}, at the end {}",
        mib(first),
        mib(rss())
    );
    table.publish(&title, "gallery-loop");
}
