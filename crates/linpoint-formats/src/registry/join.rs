//! What a model's entry in the registry is made of.

use linpoint::Spec;

use crate::Value;
use crate::format::Part;
use crate::model::ModelName;
use crate::raw::RawOp;

/// Joins named operations with values to the operations and results of one specification.
pub(super) trait Join {
    type Spec: Spec + PartialEq + Send + Sync + 'static;

    /// False if operations may be about several keys, so that a stream cannot be watched key by key.
    const ONE_KEY: bool = true;

    /// The specification.
    fn spec(&self) -> Self::Spec;

    /// The operation that a name and arguments stand for.
    fn op(&self, raw: &RawOp<'_>) -> Result<OpOf<Self>, Mismatch>;

    /// The result that a value stands for.
    fn ret(&self, op: &OpOf<Self>, value: &Value) -> Result<RetOf<Self>, Mismatch>;

    /// True if the two allow the same histories, as far as they have the same operations.
    fn alike(one: &Self::Spec, other: &Self::Spec) -> bool {
        one == other
    }

    /// The result of an operation that can have only one: then it need not be recorded.
    fn only_ret(&self, _op: &OpOf<Self>) -> Option<RetOf<Self>> {
        None
    }
}

pub(super) type OpOf<J> = <<J as Join>::Spec as Spec>::Op;
pub(super) type RetOf<J> = <<J as Join>::Spec as Spec>::Ret;

/// An operation that the model does not have, or not in this form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Mismatch {
    /// No operation of this name.
    UnknownOperation,
    /// The wrong number of arguments.
    Arity { expected: &'static str },
    /// A wrong argument or result.
    Wrong { part: Part, message: String },
}

impl Mismatch {
    pub(super) fn part(&self) -> Part {
        match self {
            Mismatch::UnknownOperation => Part::Name,
            Mismatch::Arity { .. } => Part::Args,
            Mismatch::Wrong { part, .. } => *part,
        }
    }

    pub(super) fn message(&self, raw: &RawOp<'_>) -> String {
        let name = raw.name;
        match self {
            Mismatch::UnknownOperation => format!("unknown operation {name:?}"),
            Mismatch::Arity { expected } => {
                let given = raw.args.len();
                format!("{name:?} takes {expected}, not {given}")
            }
            Mismatch::Wrong { message, .. } => message.clone(),
        }
    }
}

/// No arguments.
#[inline]
pub(super) fn none(raw: &RawOp<'_>) -> Result<(), Mismatch> {
    match raw.args {
        [] => Ok(()),
        _ => Err(Mismatch::Arity { expected: "no arguments" }),
    }
}

/// One argument.
#[inline]
pub(super) fn one<'a>(raw: &RawOp<'a>) -> Result<&'a Value, Mismatch> {
    match raw.args {
        [a] => Ok(a),
        _ => Err(Mismatch::Arity { expected: "one argument" }),
    }
}

/// One argument that is not nil: nil is how a container says that it has nothing to give.
#[inline]
pub(super) fn element(raw: &RawOp<'_>) -> Result<Value, Mismatch> {
    match one(raw)? {
        Value::Nil => Err(bad_arg("a value other than nil", &Value::Nil)),
        value => Ok(value.clone()),
    }
}

/// Two arguments.
#[inline]
pub(super) fn two<'a>(raw: &RawOp<'a>) -> Result<(&'a Value, &'a Value), Mismatch> {
    match raw.args {
        [a, b] => Ok((a, b)),
        _ => Err(Mismatch::Arity { expected: "two arguments" }),
    }
}

/// Three arguments.
pub(super) fn three<'a>(raw: &RawOp<'a>) -> Result<(&'a Value, &'a Value, &'a Value), Mismatch> {
    match raw.args {
        [a, b, c] => Ok((a, b, c)),
        _ => Err(Mismatch::Arity { expected: "three arguments" }),
    }
}

fn wrong(part: Part, expected: &str, value: &Value) -> Mismatch {
    let what = if part == Part::Result { "the result" } else { "the argument" };
    let given = match value {
        Value::Nil => "nil".to_owned(),
        value => format!("{}: {value}", value.kind()),
    };
    Mismatch::Wrong { part, message: format!("{what} must be {expected}, not {given}") }
}

/// A wrong argument.
pub(super) fn bad_arg(expected: &str, value: &Value) -> Mismatch {
    wrong(Part::Args, expected, value)
}

/// A wrong result.
pub(super) fn bad_ret(expected: &str, value: &Value) -> Mismatch {
    wrong(Part::Result, expected, value)
}

/// An argument that is a whole number of the type asked for.
pub(super) fn int_arg<N: TryFrom<i64>>(value: &Value) -> Result<N, Mismatch> {
    let n = value.as_int().and_then(|n| N::try_from(n).ok());
    n.ok_or_else(|| bad_arg(whole::<N>(), value))
}

/// A result that is a whole number of the type asked for.
pub(super) fn int_ret<N: TryFrom<i64>>(value: &Value) -> Result<N, Mismatch> {
    let n = value.as_int().and_then(|n| N::try_from(n).ok());
    n.ok_or_else(|| bad_ret(whole::<N>(), value))
}

fn whole<N: TryFrom<i64>>() -> &'static str {
    if N::try_from(-1).is_ok() { "a whole number" } else { "a whole number from 0 on" }
}

/// A result that is true or false.
#[inline]
pub(super) fn bool_ret(value: &Value) -> Result<bool, Mismatch> {
    match value {
        Value::Bool(b) => Ok(*b),
        other => Err(bad_ret("true or false", other)),
    }
}

/// A result that only says that the operation is done: nil or "ok".
#[inline]
pub(super) fn done(value: &Value) -> Result<(), Mismatch> {
    match value {
        Value::Nil => Ok(()),
        Value::Str(s) if &**s == "ok" => Ok(()),
        other => Err(bad_ret("null or \"ok\"", other)),
    }
}

/// A result that says whether an element was added: false if there was no room.
#[inline]
pub(super) fn added(value: &Value) -> Result<bool, Mismatch> {
    match value {
        Value::Nil | Value::Bool(true) => Ok(true),
        Value::Bool(false) => Ok(false),
        Value::Str(s) if &**s == "ok" => Ok(true),
        Value::Str(s) if &**s == "full" => Ok(false),
        other => Err(bad_ret("\"ok\" (or null, true) or \"full\" (or false)", other)),
    }
}

/// A result that is a value, or nil for "there was none".
#[inline]
pub(super) fn maybe(value: &Value) -> Option<Value> {
    match value {
        Value::Nil => None,
        other => Some(other.clone()),
    }
}

/// A model that could not be made from its options.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct BadOption {
    pub(super) message: String,
    pub(super) fault: Fault,
}

/// What is the matter with options.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    /// One is not what it must be.
    Wrong,
    /// One is needed and was not given.
    Missing,
}

impl BadOption {
    pub(super) fn missing(message: &str) -> BadOption {
        BadOption { message: message.to_owned(), fault: Fault::Missing }
    }
}

impl From<String> for BadOption {
    fn from(message: String) -> BadOption {
        BadOption { message, fault: Fault::Wrong }
    }
}

/// The options of a model, taken out one by one; what is left over is unknown.
pub(super) struct Options<'a> {
    left: Vec<&'a (String, Value)>,
}

impl<'a> Options<'a> {
    pub(super) fn new(model: &'a ModelName) -> Options<'a> {
        Options { left: model.options.iter().collect() }
    }

    /// Any value.
    pub(super) fn value(&mut self, key: &str) -> Option<&'a Value> {
        let at = self.left.iter().position(|(known, _)| known == key)?;
        Some(&self.left.remove(at).1)
    }

    /// A whole number of the type asked for.
    pub(super) fn int<N: TryFrom<i64>>(&mut self, key: &str) -> Result<Option<N>, BadOption> {
        let Some(value) = self.value(key) else { return Ok(None) };
        let n = value.as_int().and_then(|n| N::try_from(n).ok());
        n.map(Some).ok_or_else(|| {
            format!("the option {key:?} must be {}, not {value}", whole::<N>()).into()
        })
    }

    /// A switch: off unless given.
    pub(super) fn switch(&mut self, key: &str) -> Result<bool, BadOption> {
        match self.value(key) {
            None => Ok(false),
            Some(Value::Bool(b)) => Ok(*b),
            Some(other) => {
                Err(format!("the option {key:?} must be true or false, not {other}").into())
            }
        }
    }

    /// What nobody asked for.
    pub(super) fn left_over(&self) -> Option<&'a str> {
        self.left.first().map(|(key, _)| key.as_str())
    }
}
