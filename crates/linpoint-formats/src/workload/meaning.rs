//! What the operations of a workload are for a model.

use std::collections::BTreeMap;

use super::Workload;
use crate::jepsen::{Event, Type};
use crate::model::ModelName;
use crate::{Thin, Value};

/// What the operations of a workload are for a model.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meaning {
    workload: Workload,
    /// The queue is a bag, unless the user asks for the order too.
    is_bag: bool,
}

/// An operation as a name and arguments.
type Called = (&'static str, Vec<Value>);

impl Meaning {
    pub(super) fn new(workload: Workload, model: Option<&ModelName>) -> Meaning {
        Meaning { workload, is_bag: model.is_none_or(|model| model.name == "bag") }
    }

    /// The name that a function of the workload has in the model.
    pub(crate) fn name(&self, f: &str) -> Option<&'static str> {
        Some(match (self.workload, f) {
            (Workload::Counter, "add") => "add",
            (Workload::Counter, "read") => "get",
            (Workload::Set | Workload::SetFull { .. }, "add") | (Workload::Comments, "write") => {
                "add"
            }
            (Workload::Set | Workload::SetFull { .. } | Workload::Comments, "read") => "read",
            (Workload::TotalQueue, "enqueue") => {
                if self.is_bag {
                    "add"
                } else {
                    "enqueue"
                }
            }
            (Workload::TotalQueue, "dequeue") => {
                if self.is_bag {
                    "remove"
                } else {
                    "dequeue"
                }
            }
            (Workload::UniqueIds, "generate") => "insert",
            (Workload::LongFork, "read" | "write" | "txn") => "txn",
            (Workload::Bank { .. }, "transfer") => "transfer",
            (Workload::Bank { .. }, "read") => "read_all",
            _ => return None,
        })
    }

    /// What was called.
    pub(crate) fn call(&self, f: &str, value: &Value) -> Result<Called, String> {
        let workload = self.workload.name();
        let name = self
            .name(f)
            .ok_or_else(|| format!("the workload {workload} has no operation {f:?}"))?;
        let args = match name {
            "get" | "read" | "remove" | "dequeue" | "read_all" => Vec::new(),
            "txn" => vec![transaction(value).ok_or_else(|| {
                format!("{value} is not a list of [:r key value] and [:w key value]")
            })?],
            "transfer" => transfer(value)
                .ok_or_else(|| format!("a transfer has :from, :to and :amount, not {value}"))?,
            _ => vec![value.clone()],
        };
        Ok((name, args))
    }

    /// The result of an operation that succeeded; `None` if it is unknown, or if there is only one.
    pub(crate) fn result(&self, f: &str, value: &Value) -> Result<Option<Value>, String> {
        Ok(match self.name(f) {
            Some("get" | "read" | "read_all") if *value == Value::Nil => None,
            Some("get" | "read" | "remove" | "dequeue") => Some(value.clone()),
            Some("insert" | "transfer") => Some(Value::Bool(true)),
            Some("read_all") => {
                let pairs = entries(value)
                    .ok_or_else(|| format!("a read gives accounts with balances, not {value}"))?;
                let sorted: BTreeMap<Thin<str>, Value> = pairs
                    .into_iter()
                    .map(|(account, balance)| (account.bare().as_str().into(), balance))
                    .collect();
                Some(Value::Map(sorted.into_iter().collect()))
            }
            Some("txn") => {
                let steps = steps(value).ok_or_else(|| {
                    format!("{value} is not a list of [:r key value] and [:w key value]")
                })?;
                let reads: Vec<Value> = steps
                    .iter()
                    .filter(|step| !step.is_write)
                    .map(|step| step.value.clone())
                    .collect();
                match (&reads[..], steps.len()) {
                    ([], _) => None,
                    ([only], 1) => Some(only.clone()),
                    _ => Some(Value::List(reads.into())),
                }
            }
            _ => None,
        })
    }
}

/// The model of a workload, with what its options have to be for these events.
pub(super) fn model_of(
    workload: Workload,
    events: &[Event],
    assumptions: &mut Vec<String>,
) -> Option<ModelName> {
    let name = match workload {
        Workload::Counter => "counter",
        Workload::Set | Workload::SetFull { .. } | Workload::Comments => "grow-set",
        Workload::TotalQueue => "bag",
        Workload::UniqueIds => "set",
        Workload::LongFork => "multi-register",
        Workload::Bank { .. } => "bank",
    };
    let mut model = ModelName { name: name.to_owned(), options: Vec::new() };
    match workload {
        Workload::LongFork => model.set("default", Value::Nil).ok()?,
        Workload::Bank { .. } => {
            let accounts = first_balances(events, assumptions)?;
            model.set("accounts", accounts).ok()?;
        }
        _ => {}
    }
    Some(model)
}

/// What the first read saw: a history does not say what the accounts hold before.
fn first_balances(events: &[Event], assumptions: &mut Vec<String>) -> Option<Value> {
    let is_read =
        |event: &&Event| event.kind == Type::Ok && event.is_of_client() && &*event.f == "read";
    let read = events.iter().find(is_read)?;
    let pairs = entries(&read.value)?;
    let sorted: BTreeMap<Thin<str>, Value> = pairs
        .into_iter()
        .map(|(account, balance)| (account.bare().as_str().into(), balance))
        .collect();
    let before = events.iter().take_while(|event| !std::ptr::eq(*event, read));
    let is_transfer = |event: &Event| event.kind == Type::Invoke && &*event.f == "transfer";
    let line = read.line;
    assumptions.push(match before.filter(|event| is_transfer(event)).count() {
        0 => format!("the accounts hold initially what the first read saw (line {line})"),
        n => format!(
            "the accounts hold initially what the first read saw (line {line}), although {n} transfers had been called by then; --model 'bank:accounts={{...}}' says what they hold"
        ),
    });
    Some(Value::Map(sorted.into_iter().collect()))
}

/// `[:r key value]` or `[:w key value]`.
pub(super) struct Step {
    pub(super) is_write: bool,
    pub(super) key: Value,
    pub(super) value: Value,
}

/// The steps of a transaction.
pub(super) fn steps(value: &Value) -> Option<Vec<Step>> {
    let Value::List(list) = value else { return None };
    let step = |step: &Value| {
        let Value::List(parts) = step else { return None };
        let [Value::Str(f), key, value] = &**parts else { return None };
        let is_write = match f.trim_start_matches(':') {
            "w" | "write" => true,
            "r" | "read" => false,
            _ => return None,
        };
        Some(Step { is_write, key: key.clone(), value: value.clone() })
    };
    list.iter().map(step).collect()
}

/// A transaction as the model has it.
fn transaction(value: &Value) -> Option<Value> {
    let step = |step: Step| match step.is_write {
        true => Value::List([Value::str("write"), step.key, step.value].into()),
        false => Value::List([Value::str("read"), step.key].into()),
    };
    Some(Value::List(steps(value)?.into_iter().map(step).collect()))
}

/// The entries of an object: JSON has objects, and EDN's maps are lists of pairs here.
pub(super) fn entries(value: &Value) -> Option<Vec<(Value, Value)>> {
    match value {
        Value::Map(entries) => {
            let number = |name: &str| name.parse::<i64>().ok().filter(|n| n.to_string() == name);
            // JSON has only texts for keys.
            let key = |name: &Thin<str>| {
                number(name).map_or_else(|| Value::Str(name.clone()), Value::Int)
            };
            Some(entries.iter().map(|(name, value)| (key(name), value.clone())).collect())
        }
        Value::List(pairs) => {
            let pair = |pair: &Value| match pair {
                Value::List(pair) => match &**pair {
                    [key, value] => Some((key.clone(), value.clone())),
                    _ => None,
                },
                _ => None,
            };
            pairs.iter().map(pair).collect()
        }
        _ => None,
    }
}

/// True if a value is an object of accounts with balances.
pub(super) fn is_balances(value: &Value) -> bool {
    let is_balance = |(_, value): &(Value, Value)| matches!(value, Value::Int(_) | Value::Nil);
    entries(value).is_some_and(|entries| !entries.is_empty() && entries.iter().all(is_balance))
}

/// From, to and amount.
fn transfer(value: &Value) -> Option<Vec<Value>> {
    let entries = entries(value)?;
    let get = |name: &str| {
        let mut found =
            entries.iter().filter(|(key, _)| key.bare().trim_start_matches(':') == name);
        found.next().map(|(_, value)| value.clone())
    };
    let account = |name: &str| get(name).map(|account| Value::str(&account.bare()));
    Some(vec![account("from")?, account("to")?, get("amount")?])
}
