//! The bundled models as ordinary single-threaded objects, and what processes do with them.

mod containers;
mod java;
mod keyed;
mod locks;
mod registers;
mod sets;

use super::Options;
use super::rng::Rng;
use super::values::Values;
use crate::model::ModelName;
use crate::{Format, Value};

/// What is called.
#[derive(Clone, Debug)]
pub(super) struct Op {
    pub(super) name: &'static str,
    pub(super) args: Vec<Value>,
}

impl Op {
    fn new(name: &'static str, args: impl Into<Vec<Value>>) -> Op {
        Op { name, args: args.into() }
    }

    fn alone(name: &'static str) -> Op {
        Op { name, args: Vec::new() }
    }
}

/// The operation cannot take effect now.
#[derive(Debug)]
pub(super) struct Blocked;

/// What a history says about an operation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Recorded<'a> {
    /// It returned this.
    Known(Option<&'a Value>),
    /// It never returned, or nobody knows what.
    Ambiguous,
}

/// An object that one process uses at a time.
pub(super) trait Object {
    /// What a process does next, if there is anything that it can do. `left` calls are still to come,
    /// this one included.
    fn draw(&mut self, who: u32, left: u64, rng: &mut Rng) -> Option<Op>;

    /// Performs it. Nothing is returned if there is only one thing that it can return.
    fn apply(&mut self, who: u32, op: &Op, rng: &mut Rng) -> Result<Option<Value>, Blocked>;

    /// An operation with this result cannot have had the one that is given, whatever the order of
    /// operations was. The object has seen the whole history.
    fn wrong(&self, op: &Op, result: &Value) -> Option<Value>;

    /// True if the operation can return more than one thing.
    fn has_results(&self, op: &Op) -> bool;

    /// What the history says about an operation; for objects whose [`Object::wrong`] has to count.
    fn record(&mut self, _op: &Op, _recorded: Recorded<'_>) {}

    /// The operation will never take effect.
    fn give_up(&mut self, _op: &Op) {}

    /// True if operations that never returned may take effect at any time.
    fn can_be_late(&self) -> bool {
        true
    }
}

/// What an object is to be like.
pub(super) struct Draft<'a> {
    model: &'a ModelName,
    format: Format,
    operations: u64,
    processes: u32,
    values: Values,
    keys: u32,
}

/// Keys and accounts if nobody says how many.
const KEYS: u32 = 4;
/// Most segments of a snapshot if nobody says how many: every scan gives all of them.
const SEGMENTS: u32 = 8;
/// What an account holds at first.
const BALANCE: i64 = 100;

impl<'a> Draft<'a> {
    pub(super) fn of(options: &'a Options) -> Draft<'a> {
        let Options { model, format, operations, processes, values, keys, .. } = options;
        Draft {
            model,
            format: *format,
            operations: *operations,
            processes: *processes,
            values: *values,
            keys: keys.unwrap_or(KEYS),
        }
    }

    fn option(&self, key: &str) -> Option<&'a Value> {
        self.model.option(key)
    }

    /// A whole number that is not negative.
    fn size(&self, key: &str) -> Option<usize> {
        self.option(key).and_then(Value::as_int).and_then(|n| usize::try_from(n).ok())
    }
}

/// Adds options that the model needs and does not have.
pub(super) fn fill_in(options: &mut Options) -> Result<(), String> {
    let name = options.model.name.as_str();
    let keys = options.keys;
    match keys {
        Some(0) => return Err("there must be a key".to_owned()),
        Some(keys) if keys > super::MOST => return Err(format!("{keys} keys are too many")),
        _ => {}
    }
    let option = match name {
        "snapshot" if options.model.option("segments").is_none() => {
            let segments = match options.format {
                Format::Snapshot => options.processes.max(2),
                _ => keys.unwrap_or(options.processes.min(SEGMENTS)),
            };
            ("segments", Value::Int(segments.into()))
        }
        "bank" if options.model.option("accounts").is_none() => {
            let account = |i| (format!("a{i}").into(), Value::Int(BALANCE));
            let mut accounts: Vec<_> = (1..=keys.unwrap_or(KEYS)).map(account).collect();
            accounts.sort();
            ("accounts", Value::Map(accounts.into()))
        }
        "java" if keys.is_none() && options.model.option("class").is_none() => {
            ("class", Value::str(java::USUAL_CLASS))
        }
        "kv" | "multi-register" => return Ok(()),
        _ if keys.is_some() => {
            return Err(format!(
                "{} has no keys of which --keys could say how many",
                options.model
            ));
        }
        _ => return Ok(()),
    };
    options.model.set(option.0, option.1)
}

/// An object of a model.
pub(super) fn new(draft: &Draft<'_>) -> Result<Box<dyn Object>, String> {
    Ok(match draft.model.name.as_str() {
        "register" | "cas-register" | "rmw" => Box::new(registers::Cell::new(draft)),
        "snapshot" => Box::new(registers::Snapshot::new(draft)),
        "counter" => Box::new(registers::Counter::new(draft)?),
        "multi-register" => Box::new(keyed::Registers::new(draft)),
        "kv" => Box::new(keyed::Store::new(draft)),
        "bank" => Box::new(keyed::Bank::new(draft)?),
        "set" => Box::new(sets::Set::new(draft)),
        "bag" | "stack" | "queue" | "deque" | "priority-queue" => {
            Box::new(containers::Container::new(draft))
        }
        "java" => Box::new(java::Collection::new(draft)?),
        "mutex" => Box::new(locks::Mutex::new(draft)),
        "semaphore" => Box::new(locks::Semaphore::new(draft)),
        other => return Err(format!("there is no way to simulate {other:?} yet")),
    })
}
