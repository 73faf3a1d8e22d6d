//! A vocabulary of every bundled model, drawn from its own description: a model that is added to the list of
//! `linpoint::spec::models` is tested here without further ado.

use linpoint::spec::models::{ModelVisitor, for_each_model};
use linpoint::wire::{Chance, FromWire, Options, Sizes, Value};

use crate::Rng;
use crate::erased::Erased;
use crate::vocabulary::Vocabulary;

/// Random runs in which operations and results are collected, and their length.
const RUNS: u64 = 40;
const LENGTH: usize = 12;
/// Most operations of a vocabulary, and most results of each.
const MOST_OPS: usize = 16;
const MOST_RESULTS: usize = 5;
/// A value that no operation mentions.
const NEVER: i64 = 99;

/// The vocabularies of all bundled models.
pub fn vocabularies() -> Vec<Vocabulary<Erased>> {
    let mut all = All(Vec::new());
    for_each_model(&mut all);
    all.0
}

struct All(Vec<Vocabulary<Erased>>);

impl ModelVisitor for All {
    fn model<M: FromWire>(&mut self) {
        let options: Vec<(String, Value)> =
            M::default_options(Sizes { processes: 3, keys: Some(2) })
                .into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect();
        let model = M::from_options(&mut Options::new(&options)).expect("default options");
        self.0.push(vocabulary(M::INFO.name, model).erase());
    }
}

fn vocabulary<M: FromWire>(name: &'static str, model: M) -> Vocabulary<M> {
    let mut words: Vec<(M::Op, Vec<M::Ret>)> = Vec::new();
    for seed in 0..RUNS {
        let mut hand = Hand(Rng::with_seed(seed));
        let mut state = model.initial();
        for _ in 0..LENGTH {
            let Some(op) = model.draw(&state, &mut hand) else { break };
            let known = words.iter().position(|(known, _)| *known == op);
            if known.is_none() && words.len() < MOST_OPS {
                words.push((op.clone(), Vec::new()));
            }
            let Some(ret) = model.perform(&mut state, &op, &mut hand) else { continue };
            let Some((_, rets)) = words.iter_mut().find(|(known, _)| *known == op) else {
                continue;
            };
            let wrong = model.impossible(&op, &ret, &Value::Int(NEVER));
            for ret in wrong.into_iter().chain([ret]) {
                if rets.len() < MOST_RESULTS && !rets.contains(&ret) {
                    rets.push(ret);
                }
            }
        }
    }
    words.into_iter().fold(Vocabulary::new(name, model), |all, (op, rets)| all.op(op, rets))
}

/// Few values, so that operations collide often.
struct Hand(Rng);

impl Chance for Hand {
    fn below(&mut self, n: u64) -> u64 {
        self.0.u64(..n)
    }

    fn value(&mut self) -> Value {
        Value::Int(1 + self.below(3).cast_signed())
    }

    fn scattered(&mut self) -> Value {
        self.value()
    }

    fn texts(&self) -> bool {
        false
    }

    fn amount(&mut self) -> i64 {
        1 + self.below(3).cast_signed()
    }

    fn process(&self) -> u32 {
        0
    }

    fn key(&mut self) -> Value {
        Value::str(["x", "y"][self.0.usize(..2)])
    }
}
