//! Measures growth with the length of a key-value history, with concurrency, and with ambiguous
//! operations.

use std::time::Duration;

use linpoint::spec::models::KeyValue;

use crate::generate::simulate;
use crate::measure::{Answer, Outcome, Setup, in_a_process, run};
use crate::objects::{Mix, SimMap, Values};
use crate::svg::{Plot, Series};
use crate::table::{Table, keep, mib, seconds, short};

const LIMIT: Duration = Duration::from_secs(30);

#[derive(Clone, Copy)]
struct Case {
    keys: usize,
    clients: usize,
    operations: usize,
    /// Ambiguous operations in a thousand.
    ambiguous: usize,
    /// Size of the domain; 0 for unique values.
    domain: u32,
}

impl Case {
    fn run(self) -> Outcome {
        let Case { keys, clients, operations, ambiguous, domain } = self;
        let numbers = [keys, clients, operations, ambiguous, domain as usize];
        let words: Vec<String> =
            std::iter::once("scale".into()).chain(numbers.map(|n| n.to_string())).collect();
        in_a_process(&words)
    }

    fn values(self) -> String {
        if self.domain == 0 { "unique".into() } else { format!("1..{}", self.domain) }
    }

    fn row(self, outcome: &Outcome, ratio: &str) -> Vec<String> {
        vec![
            self.values(),
            self.clients.to_string(),
            format!("{} %", self.ambiguous as f64 / 10.0),
            short(self.operations as f64),
            outcome.answer.name().into(),
            seconds(outcome.wall),
            seconds(outcome.cpu),
            seconds(outcome.user),
            format!("{:.2}", outcome.cpu * 1e6 / self.operations as f64),
            mib(outcome.rss_before),
            mib(outcome.rss),
            ratio.into(),
        ]
    }
}

const HEAD: [&str; 12] = [
    "values",
    "clients",
    "ambiguous",
    "n",
    "answer",
    "wall",
    "CPU",
    "user",
    "CPU µs an operation",
    "RSS before",
    "peak RSS",
    "CPU ratio",
];

/// One case in this process.
pub fn case(words: &[String]) -> Outcome {
    let numbers: Vec<usize> = words.iter().map(|w| w.parse().expect("a number")).collect();
    let [keys, clients, operations, ambiguous, domain] = numbers[..] else {
        panic!("five numbers")
    };
    let values = if domain == 0 { Values::UNIQUE } else { Values::Among(domain as u32) };
    let object = SimMap::new(Mix::Store, keys, values);
    // Half of the operations are gets, which are never ambiguous.
    let share = 2.0 * ambiguous as f64 / 1000.0;
    let history = simulate(object, clients as u32, operations, share, 1);
    let setup = Setup::new("planner", LIMIT).all_cores();
    run(&KeyValue::<u32, u32>::new(None), &history, &setup, Answer::Yes)
}

/// Runs the experiments named in `which`, or all.
pub fn main(which: &[String], quick: bool) {
    let wanted = |name: &str| which.is_empty() || which.iter().any(|w| w == name);
    let million = if quick { 100_000 } else { 1_000_000 };
    if wanted("length") {
        let mut table = Table::new(HEAD);
        for domain in [0, 5] {
            let mut before: Option<f64> = None;
            for operations in [million / 4, million, 4 * million] {
                let case = Case { keys: 1_000, clients: 32, operations, ambiguous: 50, domain };
                let outcome = case.run();
                let ratio = before.map_or("-".into(), |b| format!("{:.2}", outcome.cpu / b));
                before = Some(outcome.cpu);
                table.row(case.row(&outcome, &ratio));
            }
        }
        table.publish("Key-value map, 1,000 keys, planner, all cores", "scale-length");
    }
    let operations = million / 10;
    if wanted("concurrency") {
        let cases = [2, 4, 8, 16, 32, 64].map(|clients| (clients, clients, 0));
        sweep("concurrency", "clients", operations, &cases);
    }
    if wanted("ambiguous") {
        let cases = [0, 10, 20, 50, 100, 200].map(|share| (share / 10, 10, share));
        sweep("ambiguous", "% ambiguous", operations, &cases);
    }
}

/// `(x, clients, ambiguous)` for maps of few and of many keys.
fn sweep(name: &str, x: &str, operations: usize, cases: &[(usize, usize, usize)]) {
    let mut series = Vec::new();
    for keys in [1, 10, 1_000] {
        let mut table = Table::new(HEAD);
        for domain in [0, 5] {
            let mut points = Vec::new();
            for &(at, clients, ambiguous) in cases {
                let case = Case { keys, clients, operations, ambiguous, domain };
                let outcome = case.run();
                let row = case.row(&outcome, "-");
                eprintln!("{keys} keys | {}", row.join(" | "));
                table.row(row);
                if outcome.answer.is_decided() {
                    points.push((at as f64, operations as f64 / outcome.cpu));
                }
            }
            let values = if domain == 0 { "unique".into() } else { format!("{domain} values") };
            series.push(Series { name: format!("{keys} keys, {values}"), points });
        }
        let title = format!("Key-value map by {x}, {keys} keys, {operations} operations");
        table.publish(&title, &format!("scale-{name}-{keys}"));
    }
    let plot = Plot {
        title: format!("Key-value map by {x}, planner, all cores"),
        x: x.into(),
        y: "operations per CPU second".into(),
        x_base: if name == "concurrency" { Some(2.0) } else { None },
        series,
    };
    keep(&format!("scale-{name}.svg"), &plot.svg());
}
