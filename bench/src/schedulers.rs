//! The strategies under shuttle, compared on the gallery: executions to the first failure.
//!
//! Every strategy gets the same random scenarios, and tries each of them 100 times before it goes
//! on to the next. A hunt that finds nothing counts with the executions it made.

use linpoint_gallery::exhibits::{ALL, Exhibit, Scale};
use linpoint_gallery::hunt::{Mode, Patience, hunt};
use linpoint_test::schedule::shuttle::Strategy;

use crate::measure::cpu;
use crate::table::{Table, short};

const STRATEGIES: [Strategy; 7] = [
    Strategy::Random,
    Strategy::Pct(2),
    Strategy::Pct(3),
    Strategy::Pos,
    Strategy::Urw,
    Strategy::Surw,
    Strategy::DepthFirst,
];

/// Executions of one scenario.
const TRIES: u64 = 100;

/// One table for each size: `small` and `large`.
pub fn main(selection: &[String], quick: bool) {
    let sizes = [
        ("small", Scale { threads: 3, operations: 4 }),
        ("large", Scale { threads: 3, operations: 12 }),
    ];
    for (name, scale) in sizes {
        if selection.is_empty() || selection.iter().any(|word| word == name) {
            compare(name, scale, quick);
        }
    }
}

/// The hunts of one strategy.
#[derive(Default)]
struct Hunts {
    /// The executions of each seed, and whether it failed.
    of_structure: Vec<(u64, bool)>,
    executions: u64,
    cpu: f64,
}

impl Hunts {
    fn hunt(&mut self, exhibit: &Exhibit, strategy: Strategy, scale: Scale, seeds: u64, most: u64) {
        self.of_structure.clear();
        let patience =
            Patience { scenarios: most / TRIES, executions: TRIES, preemptions: None, time: None };
        for seed in 0..seeds {
            let begin = cpu();
            let mode = Mode::Shuttle(strategy);
            let catch = hunt(exhibit.name, mode, scale, seed, patience).expect("it is there");
            self.cpu += cpu() - begin;
            self.executions += catch.executions;
            self.of_structure.push((catch.executions, catch.failure.is_some()));
        }
    }

    /// The median, with how many seeds found the failure if not all did.
    fn cell(&mut self) -> String {
        self.of_structure.sort_unstable();
        let found = self.of_structure.iter().filter(|(_, found)| *found).count();
        let all = self.of_structure.len();
        let (median, was_found) = self.of_structure[all / 2];
        let more = if was_found { "" } else { ">" };
        let of = if found == all { String::new() } else { format!(" ({found}/{all})") };
        format!("{more}{median}{of}")
    }
}

fn compare(name: &str, scale: Scale, quick: bool) {
    let (seeds, most) = if quick { (5, 5_000) } else { (20, 50_000) };
    let names = STRATEGIES.iter().map(|strategy| Mode::Shuttle(*strategy).name());
    let names = names.map(|name| name.trim_start_matches("shuttle ").to_owned());
    let mut table = Table::new(std::iter::once("structure".to_owned()).chain(names));
    let mut hunts: Vec<Hunts> = STRATEGIES.iter().map(|_| Hunts::default()).collect();
    let broken = ALL.iter().filter(|exhibit| {
        exhibit.schedulable && exhibit.flaw.is_some_and(|flaw| flaw.interleaving)
    });
    for exhibit in broken {
        let mut row = vec![exhibit.name.to_owned()];
        for (hunts, strategy) in hunts.iter_mut().zip(STRATEGIES) {
            hunts.hunt(exhibit, strategy, scale, seeds, most);
            row.push(hunts.cell());
        }
        eprintln!("{}", row.join(", "));
        table.row(row);
    }
    let speed = hunts.iter().map(|hunts| short(hunts.executions as f64 / hunts.cpu));
    table.row(std::iter::once("executions a CPU second".to_owned()).chain(speed).collect());
    let Scale { threads, operations } = scale;
    let title = format!(
        "Executions to the first failure, median of {seeds} seeds; {threads} threads with \
         {operations} operations, {TRIES} executions of each scenario, at most {most}"
    );
    table.publish(&title, &format!("schedulers-{name}"));
}
