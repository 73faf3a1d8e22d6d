//! Measures the benefit of each switch of the search: everything on, one off at a time, everything
//! off.

use std::time::Duration;

use linpoint::spec::models::{KeyValue, Queue, Register};
use linpoint::{History, Spec, Switches};

use crate::generate::simulate;
use crate::measure::{Answer, Outcome, Setup, run};
use crate::objects::{Mix, SimMap, SimQueue, SimRegister, SimStore, Values};
use crate::table::{Table, seconds, short};

/// The settings: a name, and the switches.
fn settings() -> Vec<(&'static str, Switches)> {
    let on = Switches::default();
    vec![
        ("all on", on),
        ("no absorb_reads", Switches { absorb_reads: false, ..on }),
        ("no first_of_class", Switches { first_of_class: false, ..on }),
        ("no drop_idle_pending", Switches { drop_idle_pending: false, ..on }),
        ("no count_pending", Switches { count_pending: false, ..on }),
        ("no dominance", Switches { dominance: false, ..on }),
        ("no slot_masks", Switches { slot_masks: false, ..on }),
        ("no memoise_steps", Switches { memoise_steps: false, ..on }),
        ("no guide", Switches { guide: false, ..on }),
        ("plain", Switches::plain()),
    ]
}

/// Runs all.
pub fn main(quick: bool) {
    let limit = Duration::from_secs(if quick { 1 } else { 5 });
    let less = if quick { 4 } else { 1 };
    let map = SimMap::new(Mix::Lowe, 20, Values::Among(4));
    let map = simulate(map, 8, 200_000 / less, 0.01, 1);
    workload("map", "20 keys, 8 clients, 1 % ambiguous", &KeyValue::new(None), &map, true, limit);
    let queue = SimQueue { adds: 0.3, values: Values::Among(20), items: Default::default() };
    let queue = simulate(queue, 4, 40_000 / less, 0.0, 1);
    workload("queue", "30 % enqueues of 20 values, 4 clients", &Queue::new(), &queue, true, limit);
    let register = SimRegister { values: Values::Among(5), never_ambiguous: None, holds: 0 };
    let register = simulate(register, 10, 4_000 / less, 2.0 * 0.139, 1);
    let about = "5 values, 10 clients, 13.9 % ambiguous";
    workload("register", about, &Register { initial: 0 }, &register, true, limit);
    let store = SimStore { keys: 10, drawn: 0, holds: Default::default() };
    let store = simulate(store, 10, 337, 0.0, 1);
    let spec = KeyValue::<String, String>::new(Some(String::new()));
    workload("store", "10 keys, 10 clients, not split", &spec, &store, false, limit);
}

fn workload<S: Spec>(
    name: &str,
    about: &str,
    spec: &S,
    history: &History<S::Op, S::Ret>,
    split: bool,
    limit: Duration,
) {
    let engines = ["jit-graph", "breadth"];
    let columns = engines.iter().flat_map(|e| {
        ["answer", "steps", "relative", "CPU", "relative"].map(|c| format!("{e} {c}"))
    });
    let mut table = Table::new(std::iter::once("switches".to_owned()).chain(columns));
    let mut base: Vec<Outcome> = Vec::new();
    for (setting, switches) in settings() {
        let mut row = vec![setting.to_owned()];
        for (i, engine) in engines.into_iter().enumerate() {
            let setup = Setup { switches, split, ..Setup::new(engine, limit) };
            let outcome = run(spec, history, &setup.memory(4 << 30), Answer::Yes);
            let first = base.get(i).unwrap_or(&outcome);
            row.extend([
                outcome.answer.name().to_owned(),
                short(outcome.steps as f64),
                format!("{:.2}", outcome.steps as f64 / first.steps.max(1) as f64),
                seconds(outcome.cpu),
                format!("{:.2}", outcome.cpu / first.cpu),
            ]);
            if base.len() == i {
                base.push(outcome);
            }
        }
        table.row(row);
    }
    let title = format!("{name}: {} operations, {about}, {limit:?} each", history.len());
    table.publish(&title, &format!("prune-{name}"));
}
