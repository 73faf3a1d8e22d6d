//! Repeats one check, for profiling.

use std::time::{Duration, Instant};

use linpoint::spec::models::{KeyValue, Queue, Register, Stack};
use linpoint::{History, Spec};

use crate::generate::simulate;
use crate::measure::{Answer, Setup, run};
use crate::objects::{Mix, SimMap, SimQueue, SimRegister, SimStack, Values};
use crate::table::short;

/// `words`: workload, operations of a history, engine. Runs for three seconds.
pub fn main(words: &[String]) {
    let [workload, operations, engine] = words else {
        panic!("a workload, a number of operations and an engine: {words:?}")
    };
    let n: usize = operations.parse().expect("a number of operations");
    let items = Default::default;
    match workload.as_str() {
        "map" => {
            let make = || SimMap::new(Mix::Lowe, 20, Values::Among(4));
            again(&KeyValue::new(None), |seed| simulate(make(), 4, n, 0.0, seed), engine);
        }
        "queue" => {
            let make = || SimQueue { adds: 0.3, values: Values::Among(20), items: items() };
            again(&Queue::new(), |seed| simulate(make(), 4, n, 0.0, seed), engine);
        }
        "stack" => {
            let make = || SimStack { values: Values::UNIQUE, items: Vec::new() };
            again(&Stack::new(), |seed| simulate(make(), 4, n, 0.0, seed), engine);
        }
        "register" => {
            let make = || SimRegister { values: Values::UNIQUE, never_ambiguous: None, holds: 0 };
            again(&Register { initial: 0 }, |seed| simulate(make(), 10, n, 0.278, seed), engine);
        }
        other => panic!("no workload {other}"),
    }
}

fn again<S: Spec>(spec: &S, make: impl Fn(u64) -> History<S::Op, S::Ret>, engine: &str) {
    let histories: Vec<_> = (0..8).map(make).collect();
    let setup = Setup::new(engine, Duration::from_secs(3));
    let begin = Instant::now();
    let (mut cpu, mut operations, mut steps) = (0.0, 0, 0);
    for history in histories.iter().cycle() {
        let outcome = run(spec, history, &setup, Answer::Yes);
        cpu += outcome.cpu;
        steps += outcome.steps;
        operations += history.len();
        if begin.elapsed() > Duration::from_secs(3) {
            break;
        }
    }
    let (rate, share) = (operations as f64 / cpu, steps as f64 / operations as f64);
    println!("{} operations per CPU second, {share:.2} steps an operation", short(rate));
}
