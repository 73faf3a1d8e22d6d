//! Objects with keys: a store, registers with transactions, accounts.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use super::super::rng::Rng;
use super::super::values::Supply;
use super::{Blocked, Draft, Object, Op};
use crate::{Format, Thin, Value};

fn key(number: u64) -> Value {
    Value::Str(format!("k{}", number + 1).into())
}

/// A key-value store.
pub(super) struct Store {
    holds: FxHashMap<Value, Value>,
    initial: Option<Value>,
    supply: Supply,
    keys: u64,
    /// Only what Porcupine's logs have: get, put and append, of texts.
    texts: bool,
}

impl Store {
    pub(super) fn new(draft: &Draft<'_>) -> Store {
        let texts = draft.format == Format::Porcupine;
        let initial = draft.option("initial").filter(|value| **value != Value::Nil).cloned();
        let supply = if texts { Supply::texts(draft.values) } else { Supply::new(draft.values) };
        Store {
            holds: FxHashMap::default(),
            supply: supply.beside(initial.clone()),
            initial,
            keys: draft.keys.into(),
            texts,
        }
    }

    fn get(&self, key: &Value) -> Option<&Value> {
        self.holds.get(key).or(self.initial.as_ref())
    }
}

impl Object for Store {
    fn draw(&mut self, _who: u32, _left: u64, rng: &mut Rng) -> Option<Op> {
        let key = key(rng.below(self.keys));
        let name = match (rng.below(100), self.texts) {
            (0..50, _) => return Some(Op::new("get", [key])),
            (50..60, true) => "put",
            (_, true) => "append",
            (50..85, _) => "put",
            (85..90, _) => return Some(Op::new("delete", [key])),
            (90..93, _) => return Some(Op::new("remove", [key])),
            (93..95, _) => "get_or_else_update",
            _ => {
                let expected = self.get(&key).cloned().unwrap_or_default();
                let args = [key, expected, self.supply.draw(rng)];
                return Some(Op::new("compare_and_set", args));
            }
        };
        Some(Op::new(name, [key, self.supply.draw(rng)]))
    }

    fn apply(&mut self, _who: u32, op: &Op, _rng: &mut Rng) -> Result<Option<Value>, Blocked> {
        let [key, args @ ..] = &op.args[..] else { return Err(Blocked) };
        let before = self.get(key).cloned();
        let found = before.clone().unwrap_or_default();
        Ok(match (op.name, args) {
            ("put", [value]) => {
                self.holds.insert(key.clone(), value.clone());
                None
            }
            ("append", [value]) => {
                let after = match (&found, value) {
                    (Value::Str(a), Value::Str(b)) => Value::Str(format!("{a}{b}").into()),
                    _ => value.clone(),
                };
                self.holds.insert(key.clone(), after);
                None
            }
            ("delete", _) => {
                self.holds.remove(key);
                None
            }
            ("remove", _) => {
                self.holds.remove(key);
                Some(found)
            }
            ("get_or_else_update", [value]) => {
                let after = before.unwrap_or_else(|| value.clone());
                self.holds.insert(key.clone(), after.clone());
                Some(after)
            }
            ("compare_and_set", [expected, new]) => {
                let fits = found == *expected;
                if fits {
                    self.holds.insert(key.clone(), new.clone());
                }
                Some(Value::Bool(fits))
            }
            _ => Some(found),
        })
    }

    fn wrong(&self, op: &Op, _result: &Value) -> Option<Value> {
        matches!(op.name, "get" | "remove" | "get_or_else_update").then(|| self.supply.never())
    }

    fn has_results(&self, op: &Op) -> bool {
        !matches!(op.name, "put" | "append" | "delete")
    }
}

/// Registers with transactions of reads and writes.
pub(super) struct Registers {
    holds: FxHashMap<Value, Value>,
    default: Value,
    supply: Supply,
    keys: u64,
}

impl Registers {
    pub(super) fn new(draft: &Draft<'_>) -> Registers {
        let mut holds = FxHashMap::default();
        if let Some(Value::Map(initial)) = draft.option("initial") {
            holds.extend(initial.iter().map(|(k, v)| (Value::Str(k.clone()), v.clone())));
        }
        let default = draft.option("default").cloned().unwrap_or_default();
        let taken = holds.values().cloned().chain([default.clone()]);
        Registers {
            supply: Supply::new(draft.values).beside(taken),
            holds,
            default,
            keys: draft.keys.into(),
        }
    }

    fn step(&mut self, rng: &mut Rng) -> Vec<Value> {
        let key = key(rng.below(self.keys));
        match rng.percent(50) {
            true => vec![Value::str("read"), key],
            false => vec![Value::str("write"), key, self.supply.draw(rng)],
        }
    }

    /// Performs a step; what it saw, if it reads.
    fn perform(&mut self, step: &[Value]) -> Option<Value> {
        match step {
            [_, key] => Some(self.holds.get(key).unwrap_or(&self.default).clone()),
            [_, key, value] => {
                self.holds.insert(key.clone(), value.clone());
                None
            }
            _ => None,
        }
    }
}

impl Object for Registers {
    fn draw(&mut self, _who: u32, _left: u64, rng: &mut Rng) -> Option<Op> {
        if rng.percent(60) {
            let mut step = self.step(rng);
            let name = if step.len() == 2 { "read" } else { "write" };
            step.remove(0);
            return Some(Op::new(name, step));
        }
        let steps = 2 + rng.below(2);
        let steps: Thin<[Value]> = (0..steps).map(|_| Value::List(self.step(rng).into())).collect();
        Some(Op::new("txn", [Value::List(steps)]))
    }

    fn apply(&mut self, _who: u32, op: &Op, _rng: &mut Rng) -> Result<Option<Value>, Blocked> {
        let [Value::List(steps)] = &op.args[..] else {
            let step: Vec<Value> =
                [Value::str(op.name)].into_iter().chain(op.args.clone()).collect();
            return Ok(self.perform(&step));
        };
        let mut reads = Vec::new();
        for step in steps.iter() {
            let Value::List(step) = step else { continue };
            reads.extend(self.perform(step));
        }
        Ok((!reads.is_empty()).then(|| Value::List(reads.into())))
    }

    fn wrong(&self, op: &Op, result: &Value) -> Option<Value> {
        match (op.name, result) {
            ("read", _) => Some(self.supply.never()),
            ("txn", Value::List(reads)) => {
                let mut reads = reads.to_vec();
                *reads.first_mut()? = self.supply.never();
                Some(Value::List(reads.into()))
            }
            _ => None,
        }
    }

    fn has_results(&self, op: &Op) -> bool {
        let reads = |step: &Value| matches!(step, Value::List(parts) if parts.len() == 2);
        match &op.args[..] {
            [Value::List(steps)] => steps.iter().any(reads),
            _ => op.name == "read",
        }
    }
}

/// Accounts between which money is moved.
pub(super) struct Bank {
    accounts: BTreeMap<Thin<str>, i64>,
    names: Vec<Value>,
}

impl Bank {
    pub(super) fn new(draft: &Draft<'_>) -> Result<Bank, String> {
        let Some(Value::Map(entries)) = draft.option("accounts") else {
            return Err("the accounts must be an object".to_owned());
        };
        let accounts: BTreeMap<Thin<str>, i64> = entries
            .iter()
            .map(|(name, balance)| (name.clone(), balance.as_int().unwrap_or_default()))
            .collect();
        if accounts.is_empty() || accounts.values().any(|balance| !(0..=1 << 40).contains(balance))
        {
            return Err("there must be accounts, and what they hold must be sensible".to_owned());
        }
        let names = accounts.keys().cloned().map(Value::Str).collect();
        Ok(Bank { accounts, names })
    }
}

impl Object for Bank {
    fn draw(&mut self, _who: u32, _left: u64, rng: &mut Rng) -> Option<Op> {
        if rng.percent(40) {
            return Some(Op::alone("read_all"));
        }
        let mut account = || self.names[rng.index(self.names.len())].clone();
        let (from, to) = (account(), account());
        let most = self.accounts.values().max().copied().unwrap_or_default().unsigned_abs();
        let amount = i64::try_from(1 + rng.below(most)).unwrap_or(1);
        Some(Op::new("transfer", [from, to, Value::Int(amount)]))
    }

    fn apply(&mut self, _who: u32, op: &Op, _rng: &mut Rng) -> Result<Option<Value>, Blocked> {
        let [Value::Str(from), Value::Str(to), Value::Int(amount)] = &op.args[..] else {
            let all = self.accounts.iter().map(|(name, n)| (name.clone(), Value::Int(*n)));
            return Ok(Some(Value::Map(all.collect())));
        };
        let enough = self.accounts.get(from).is_some_and(|balance| balance >= amount);
        if enough {
            *self.accounts.entry(from.clone()).or_default() -= amount;
            *self.accounts.entry(to.clone()).or_default() += amount;
        }
        Ok(Some(Value::Bool(enough)))
    }

    /// Money is neither made nor lost.
    fn wrong(&self, _op: &Op, result: &Value) -> Option<Value> {
        let Value::Map(balances) = result else { return None };
        let mut balances = balances.to_vec();
        let (_, balance) = balances.first_mut()?;
        *balance = Value::Int(balance.as_int()? + 1);
        Some(Value::Map(balances.into()))
    }

    fn has_results(&self, _op: &Op) -> bool {
        true
    }
}
