//! A model simulated by its own specification.

use std::rc::Rc;

use linpoint::wire::{Chance, FromWire, NamedCall};
use linpoint_formats::{Format, Value};

use super::{Blocked, Draft, Object, Op};
use crate::rng::Rng;
use crate::values::{Supply, Values};

/// Attempts to draw an operation that the format has.
const ATTEMPTS: usize = 1000;
/// Largest amount that is added if values are distinct.
const LARGEST_AMOUNT: u64 = 9;

/// An object of any model.
pub(crate) struct Simulated<M: FromWire> {
    model: Rc<M>,
    state: M::State,
    hand: Hand,
    format: Format,
}

/// What random operations are made of.
#[derive(Clone)]
struct Hand {
    supply: Supply,
    texts: bool,
    keys: u64,
    amounts: u64,
}

impl<M: FromWire> Simulated<M> {
    pub(crate) fn new(model: M, draft: &Draft<'_>) -> Self {
        let mut taken = Vec::new();
        for (_, value) in &draft.model.options {
            values_in(value, &mut taken);
        }
        let texts = draft.format == Format::Porcupine;
        let amounts = match draft.values {
            Values::Distinct => LARGEST_AMOUNT,
            Values::Among(n) => n.into(),
        };
        let supply = Supply::new(draft.values, draft.operations, texts).beside(taken);
        let hand = Hand { supply, texts, keys: draft.keys.into(), amounts };
        Simulated { state: model.initial(), model: Rc::new(model), hand, format: draft.format }
    }

    fn read(&self, op: &Op, who: Option<u32>) -> Option<M::Op> {
        self.model.read_op(&NamedCall { name: op.name, args: &op.args, process: who }).ok()
    }

    /// A result as the format has it; `None` if the operation can have only one.
    fn write(&self, op: &M::Op, ret: &M::Ret) -> Option<Value> {
        if self.model.only_ret(op).is_some() {
            return None;
        }
        match self.model.wire()?.ret(op, ret)? {
            // This format has the first two segments of a scan only.
            Value::List(values) if self.format == Format::Snapshot => {
                Some(Value::List(values.iter().take(2).cloned().collect()))
            }
            value => Some(value),
        }
    }
}

/// A value and everything in it.
fn values_in(value: &Value, all: &mut Vec<Value>) {
    match value {
        Value::List(items) => items.iter().for_each(|item| values_in(item, all)),
        Value::Map(entries) => entries.iter().for_each(|(_, item)| values_in(item, all)),
        _ => {}
    }
    all.push(value.clone());
}

/// True if the format can express the operation.
fn has_operation(format: Format, name: &str) -> bool {
    !(format == Format::Limo && name == "peek")
}

impl<M: FromWire + 'static> Object for Simulated<M> {
    fn draw(&mut self, who: u32, _left: u64, rng: &mut Rng) -> Option<Op> {
        let mut dealt = Dealt { hand: &mut self.hand, rng, who };
        for _ in 0..ATTEMPTS {
            let op = self.model.draw(&self.state, &mut dealt)?;
            let (name, args) = self.model.wire()?.op(&op);
            if has_operation(self.format, name) {
                let args: Option<Vec<Value>> = args.iter().map(|arg| arg.to_value()).collect();
                return Some(Op::new(name, args?));
            }
        }
        None
    }

    fn apply(&mut self, who: u32, op: &Op, rng: &mut Rng) -> Result<Option<Value>, Blocked> {
        let op = self.read(op, Some(who)).ok_or(Blocked)?;
        let mut dealt = Dealt { hand: &mut self.hand, rng, who };
        let ret = self.model.perform(&mut self.state, &op, &mut dealt).ok_or(Blocked)?;
        Ok(self.write(&op, &ret))
    }

    fn fork(&self) -> Box<dyn Object> {
        let (model, state) = (Rc::clone(&self.model), self.state.clone());
        Box::new(Simulated { model, state, hand: self.hand.clone(), format: self.format })
    }

    fn wrong(&self, op: &Op, result: &Value) -> Option<Value> {
        let op = self.read(op, None)?;
        let ret = self.model.read_ret(&op, result).ok()?;
        let wrong = self.model.impossible(&op, &ret, &self.hand.supply.never())?;
        self.write(&op, &wrong)
    }

    fn has_results(&self, op: &Op) -> bool {
        self.read(op, None).is_some_and(|op| self.model.only_ret(&op).is_none())
    }
}

/// What a process draws an operation from.
struct Dealt<'a> {
    hand: &'a mut Hand,
    rng: &'a mut Rng,
    who: u32,
}

impl Chance for Dealt<'_> {
    fn below(&mut self, n: u64) -> u64 {
        self.rng.below(n)
    }

    fn value(&mut self) -> Value {
        self.hand.supply.draw(self.rng)
    }

    fn scattered(&mut self) -> Value {
        self.hand.supply.scattered(self.rng)
    }

    fn texts(&self) -> bool {
        self.hand.texts
    }

    fn amount(&mut self) -> i64 {
        i64::try_from(1 + self.rng.below(self.hand.amounts)).unwrap_or(1)
    }

    fn process(&self) -> u32 {
        self.who
    }

    fn key(&mut self) -> Value {
        Value::Str(format!("k{}", 1 + self.rng.below(self.hand.keys)).into())
    }
}
