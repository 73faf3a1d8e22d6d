//! Between values of histories and values of scripts.

use std::collections::BTreeMap;

use linpoint::wire::{Thin, Value};

use crate::lang::Val;

/// The value of a script for a value of a history.
pub(crate) fn to_val(value: &Value) -> Val {
    match value {
        Value::Nil => Val::None,
        Value::Bool(b) => Val::Bool(*b),
        Value::Int(n) => Val::Int(*n),
        Value::Str(text) => Val::str(text),
        Value::List(items) => Val::list(items.iter().map(to_val).collect()),
        Value::Map(entries) => {
            Val::dict(entries.iter().map(|(name, value)| (Val::str(name), to_val(value))).collect())
        }
    }
}

/// The value of a history for a value of a script. Tuples and sets become lists, keys become texts.
pub(crate) fn to_value(val: &Val) -> Result<Value, String> {
    let list = |items: &mut dyn Iterator<Item = &Val>| {
        Ok(Value::List(items.map(to_value).collect::<Result<Vec<Value>, String>>()?.into()))
    };
    match val {
        Val::None => Ok(Value::Nil),
        Val::Bool(b) => Ok(Value::Bool(*b)),
        Val::Int(n) => Ok(Value::Int(*n)),
        Val::Str(text) => Ok(Value::str(text)),
        Val::Tuple(items) => list(&mut items.iter()),
        Val::List(items) => list(&mut items.get().iter()),
        Val::Set(items) => list(&mut items.get().iter()),
        Val::Dict(entries) => {
            let mut map = BTreeMap::<Thin<str>, Value>::new();
            for (key, value) in entries.get().iter() {
                if map.insert(key.to_text().into(), to_value(value)?).is_some() {
                    return Err(format!("two keys of a dict have the text {}", key.to_text()));
                }
            }
            Ok(Value::Map(map.into_iter().collect()))
        }
        other => Err(format!("a {} is not a value of a history", other.kind())),
    }
}

/// True if a result of a script may have been recorded like this. What was not recorded fits everything.
pub(crate) fn fits_val(exact: &Val, recorded: &Value) -> bool {
    match (exact, recorded) {
        (Val::None, Value::Nil) => true,
        (Val::Bool(a), Value::Bool(b)) => a == b,
        (Val::Int(a), Value::Int(b)) => a == b,
        (Val::Str(a), Value::Str(b)) => **a == **b,
        (Val::Tuple(a), Value::List(b)) => all_fit(a.iter(), b),
        (Val::List(a), Value::List(b)) => all_fit(a.get().iter(), b),
        (Val::Set(a), Value::List(b)) => all_fit(a.get().iter(), b),
        (Val::Dict(a), Value::Map(b)) if !recorded.is_unknown() => {
            let a = a.get();
            let in_order = a.iter().zip(b.iter());
            let same = |((key, value), (name, b)): ((&Val, &Val), &(Thin<str>, Value))| {
                matches!(key, Val::Str(key) if **key == **name) && fits_val(value, b)
            };
            // Keys that are not texts may have another order.
            a.len() == b.len()
                && (in_order.clone().all(same)
                    || (!a.keys().all(|key| matches!(key, Val::Str(_)))
                        && to_value(exact).is_ok_and(|exact| fits(&exact, recorded))))
        }
        _ => recorded.is_unknown(),
    }
}

fn all_fit<'a>(exact: impl ExactSizeIterator<Item = &'a Val>, recorded: &[Value]) -> bool {
    exact.len() == recorded.len() && exact.zip(recorded).all(|(a, b)| fits_val(a, b))
}

/// [`fits_val`] for values of histories.
pub(crate) fn fits(exact: &Value, recorded: &Value) -> bool {
    match (exact, recorded) {
        (Value::List(a), Value::List(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| fits(a, b))
        }
        (Value::Map(a), Value::Map(b)) if !recorded.is_unknown() => {
            let mut pairs = a.iter().zip(b.iter());
            a.len() == b.len() && pairs.all(|((x, a), (y, b))| x == y && fits(a, b))
        }
        _ => exact == recorded || recorded.is_unknown(),
    }
}
