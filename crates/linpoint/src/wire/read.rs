//! What models read: named calls, and values as results.

use super::Value;

/// An operation as a name with arguments.
#[derive(Clone, Copy, Debug)]
pub struct NamedCall<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its arguments.
    pub args: &'a [Value],
    /// Who calls, if known.
    pub process: Option<u32>,
}

/// A part of an operation that a message can point at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The name.
    Name,
    /// The arguments.
    Args,
    /// The result.
    Result,
}

/// An operation that the model does not have, or not in this form.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Mismatch {
    /// No operation of this name.
    UnknownOperation,
    /// The wrong number of arguments.
    Arity {
        /// The right number.
        expected: &'static str,
    },
    /// A wrong argument or result.
    Wrong {
        /// Which part is wrong.
        part: Part,
        /// What is wrong with it.
        message: String,
    },
}

impl Mismatch {
    /// Which part of the operation is wrong.
    pub fn part(&self) -> Part {
        match self {
            Mismatch::UnknownOperation => Part::Name,
            Mismatch::Arity { .. } => Part::Args,
            Mismatch::Wrong { part, .. } => *part,
        }
    }

    /// A sentence for people.
    pub fn message(&self, name: &str, args: usize) -> String {
        match self {
            Mismatch::UnknownOperation => format!("unknown operation {name:?}"),
            Mismatch::Arity { expected } => format!("{name:?} takes {expected}, not {args}"),
            Mismatch::Wrong { message, .. } => message.clone(),
        }
    }
}

/// No arguments.
#[inline]
pub fn none(call: &NamedCall<'_>) -> Result<(), Mismatch> {
    match call.args {
        [] => Ok(()),
        _ => Err(Mismatch::Arity { expected: "no arguments" }),
    }
}

/// One argument.
#[inline]
pub fn one<'a>(call: &NamedCall<'a>) -> Result<&'a Value, Mismatch> {
    match call.args {
        [a] => Ok(a),
        _ => Err(Mismatch::Arity { expected: "one argument" }),
    }
}

/// One argument that is not nil: containers return nil if they are empty.
#[inline]
pub fn element(call: &NamedCall<'_>) -> Result<Value, Mismatch> {
    match one(call)? {
        Value::Nil => Err(bad_arg("a value other than null", &Value::Nil)),
        value => Ok(value.clone()),
    }
}

/// Two arguments.
#[inline]
pub fn two<'a>(call: &NamedCall<'a>) -> Result<(&'a Value, &'a Value), Mismatch> {
    match call.args {
        [a, b] => Ok((a, b)),
        _ => Err(Mismatch::Arity { expected: "two arguments" }),
    }
}

/// Three arguments.
pub fn three<'a>(call: &NamedCall<'a>) -> Result<(&'a Value, &'a Value, &'a Value), Mismatch> {
    match call.args {
        [a, b, c] => Ok((a, b, c)),
        _ => Err(Mismatch::Arity { expected: "three arguments" }),
    }
}

#[cold]
fn wrong(part: Part, expected: &str, value: &Value) -> Mismatch {
    let what = if part == Part::Result { "the result" } else { "the argument" };
    let given = match value {
        Value::Nil => "null".to_owned(),
        value => format!("{}: {value}", value.kind()),
    };
    Mismatch::Wrong { part, message: format!("{what} must be {expected}, not {given}") }
}

/// A wrong argument.
pub fn bad_arg(expected: &str, value: &Value) -> Mismatch {
    wrong(Part::Args, expected, value)
}

/// A wrong result.
pub fn bad_ret(expected: &str, value: &Value) -> Mismatch {
    wrong(Part::Result, expected, value)
}

/// An argument that is a whole number of the type asked for.
pub fn int_arg<N: TryFrom<i64>>(value: &Value) -> Result<N, Mismatch> {
    let n = value.as_int().and_then(|n| N::try_from(n).ok());
    n.ok_or_else(|| bad_arg(whole::<N>(), value))
}

/// A result that is a whole number of the type asked for.
pub fn int_ret<N: TryFrom<i64>>(value: &Value) -> Result<N, Mismatch> {
    let n = value.as_int().and_then(|n| N::try_from(n).ok());
    n.ok_or_else(|| bad_ret(whole::<N>(), value))
}

pub(super) fn whole<N: TryFrom<i64>>() -> &'static str {
    if N::try_from(-1).is_ok() { "a whole number" } else { "a whole number from 0 on" }
}

/// A result that is true or false.
#[inline]
pub fn bool_ret(value: &Value) -> Result<bool, Mismatch> {
    match value {
        Value::Bool(b) => Ok(*b),
        other => Err(bad_ret("true or false", other)),
    }
}

/// A result that only says that the operation is done: nil or "ok".
#[inline]
pub fn done(value: &Value) -> Result<(), Mismatch> {
    match value {
        Value::Nil => Ok(()),
        Value::Str(s) if &**s == "ok" => Ok(()),
        other => Err(bad_ret("null or \"ok\"", other)),
    }
}

/// A result that says whether an element was added: false if there was no room.
#[inline]
pub fn added(value: &Value) -> Result<bool, Mismatch> {
    match value {
        Value::Nil | Value::Bool(true) => Ok(true),
        Value::Bool(false) => Ok(false),
        Value::Str(s) if &**s == "ok" => Ok(true),
        Value::Str(s) if &**s == "full" => Ok(false),
        other => Err(bad_ret("\"ok\" (or null, true) or \"full\" (or false)", other)),
    }
}

/// A result that is a value, or nil if there was none.
#[inline]
pub fn maybe(value: &Value) -> Option<Value> {
    match value {
        Value::Nil => None,
        other => Some(other.clone()),
    }
}

/// A value of a result of which parts may be unknown, see [`Value::unknown`].
#[inline]
pub fn known(value: &Value) -> Option<Value> {
    (!value.is_unknown()).then(|| value.clone())
}
