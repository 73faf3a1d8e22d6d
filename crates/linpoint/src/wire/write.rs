//! What models write: values of what they hold.

use std::collections::BTreeMap;

use super::{Thin, ToValue, Value};

/// A value, or nil if there is none.
pub fn value_or_nil<V: ToValue>(value: Option<&V>) -> Option<Value> {
    value.map_or(Some(Value::Nil), ToValue::to_value)
}

/// A value, or [`Value::unknown`] if it was not recorded.
pub fn value_or_unknown<V: ToValue>(value: &Option<V>) -> Option<Value> {
    value.as_ref().map_or_else(|| Some(Value::unknown()), ToValue::to_value)
}

/// A list of values.
pub fn list(items: impl IntoIterator<Item = Option<Value>>) -> Option<Value> {
    items.into_iter().collect::<Option<_>>().map(Value::List)
}

/// An object: values by name. Names must be texts.
pub fn object<'a, K: ToValue + 'a, V: ToValue + 'a>(
    entries: impl IntoIterator<Item = (&'a K, &'a V)>,
) -> Option<Value> {
    let mut sorted: BTreeMap<Thin<str>, Value> = BTreeMap::new();
    for (name, value) in entries {
        let Some(Value::Str(name)) = name.to_value() else { return None };
        sorted.insert(name, value.to_value()?);
    }
    Some(Value::Map(sorted.into_iter().collect()))
}
