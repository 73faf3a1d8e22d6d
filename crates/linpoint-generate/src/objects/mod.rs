//! Objects that one process uses at a time, and what processes do with them.
//!
//! Most models are simulated by their own specification ([`Simulated`]). Locks, sets and Java's collections have
//! objects of their own, which count what happened and so know results that an operation cannot have had.

mod java;
mod kind;
mod locks;
mod sets;
mod simulated;

use linpoint::wire::Sizes;
use linpoint_formats::{Format, ModelName, Value};

use crate::rng::Rng;
use crate::values::Values;
use crate::{MOST, Options, empty};
use kind::Kind;
use simulated::Simulated;

/// An operation to call.
#[derive(Clone, Debug)]
pub(crate) struct Op {
    pub(crate) name: &'static str,
    pub(crate) args: Vec<Value>,
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
pub(crate) struct Blocked;

/// What a history says about an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Recorded<'a> {
    /// It returned this.
    Known(Option<&'a Value>),
    /// It never returned, or its result is unknown.
    Ambiguous,
}

/// An object that one process uses at a time.
pub(crate) trait Object {
    /// The next operation of a process, if there is one that it can call. `left` calls are still to come,
    /// including this one.
    fn draw(&mut self, who: u32, left: u64, rng: &mut Rng) -> Option<Op>;

    /// Performs it. The result is `None` if the operation has only one possible result.
    fn apply(&mut self, who: u32, op: &Op, rng: &mut Rng) -> Result<Option<Value>, Blocked>;

    /// A copy.
    fn fork(&self) -> Box<dyn Object>;

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
pub(crate) struct Draft<'a> {
    model: &'a ModelName,
    format: Format,
    operations: u64,
    processes: u32,
    values: Values,
    keys: u32,
}

/// Number of keys if `--keys` does not say.
const KEYS: u32 = 4;
impl<'a> Draft<'a> {
    pub(crate) fn of(options: &'a Options) -> Draft<'a> {
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
}

/// Adds options that the model requires and does not have.
pub(crate) fn fill_in(options: &mut Options) -> Result<(), String> {
    match options.keys {
        Some(0) => return Err("there must be a key".to_owned()),
        Some(keys) if keys > MOST => return Err(format!("{keys} keys are too many")),
        _ => {}
    }
    let Some(kind) = Kind::named(&options.model.name) else { return Ok(()) };
    // In that format, every process has a segment of its own.
    let own_segments = (options.format == Format::Snapshot).then(|| options.processes.max(2));
    let sizes = Sizes { processes: options.processes, keys: own_segments.or(options.keys) };
    let mut missing = (kind.default_options)(sizes);
    missing.retain(|(key, _)| options.model.option(key).is_none());
    let says_how_many = |(key, value): &(&str, Value)| {
        let one_more = Sizes { keys: sizes.keys.map(|keys| keys + 1), ..sizes };
        (kind.default_options)(one_more).iter().any(|(other, more)| other == key && more != value)
    };
    if options.keys.is_some() && !kind.has_keys && !missing.iter().any(says_how_many) {
        return Err(format!("{} has no keys, so --keys does not apply", options.model));
    }
    let mut set = |(key, value)| options.model.set(key, value).map_err(|error| error.to_string());
    missing.into_iter().try_for_each(&mut set)
}

/// An object of a model.
pub(crate) fn new(draft: &Draft<'_>) -> Result<Box<dyn Object>, String> {
    Ok(match draft.model.name.as_str() {
        "set" => Box::new(sets::Set::new(draft)),
        "java" => Box::new(java::Collection::new(draft)?),
        "mutex" => Box::new(locks::Mutex::new(draft)),
        "semaphore" => Box::new(locks::Semaphore::new(draft)),
        name => match Kind::named(name) {
            Some(kind) => (kind.simulate)(draft)?,
            // Several models in one: valid where files are read. The registry says that they are not one model.
            None => match empty(draft.model) {
                Err(error) => return Err(error.to_string()),
                Ok(_) => return Err(format!("histories of {name} cannot be generated")),
            },
        },
    })
}
