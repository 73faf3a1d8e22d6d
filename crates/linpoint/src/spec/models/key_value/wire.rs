//! A key-value store on the wire.

use std::borrow::Cow;

use super::{KeyValue, KeyValueOp, KeyValueRet};
use crate::spec::Text;
use crate::spec::models::{Append, Value};
use crate::wire::{
    self, Args, BadOption, Chance, FromWire, Mismatch, ModelInfo, NamedCall, Options, ToValue,
    ToWire, args,
};

use KeyValueOp::{CompareAndSet, Delete, Get, GetOrElseUpdate, Put, Remove};
use KeyValueRet::{Bool, Done};

/// Strings and lists are joined. Other kinds, and kinds that differ, make a list of both.
impl Append for wire::Value {
    fn append(&self, more: &wire::Value) -> wire::Value {
        use wire::Value::{List, Str};
        match (self, more) {
            (Str(a), Str(b)) => Str(format!("{a}{b}").into()),
            (List(a), List(b)) => List(a.iter().chain(b.iter()).cloned().collect()),
            _ => List([self.clone(), more.clone()].into()),
        }
    }

    fn heap_bytes(&self) -> usize {
        wire::Value::heap_bytes(self)
    }

    fn text(&self) -> Option<Text<'_>> {
        match self {
            wire::Value::Str(text) => {
                let letters = Cow::Borrowed(text.as_bytes());
                Some(Text { language: Some(0), letters })
            }
            // Plain values are written without line ends, and different ones differently: one line for each.
            wire::Value::List(values) if values.iter().all(is_plain) => {
                let letters: String = values.iter().map(|value| format!("{value}\n")).collect();
                Some(Text { language: Some(1), letters: Cow::Owned(letters.into_bytes()) })
            }
            _ => None,
        }
    }
}

fn is_plain(value: &wire::Value) -> bool {
    !matches!(value, wire::Value::List(_) | wire::Value::Map(_))
}

impl<K: Value + Ord, V: Append> ToWire<KeyValueOp<K, V>, KeyValueRet<V>> for KeyValue<K, V> {
    fn name(&self) -> &'static str {
        KeyValue::<wire::Value, wire::Value>::INFO.name
    }

    fn options(&self) -> Option<Vec<(&'static str, wire::Value)>> {
        self.initial.iter().map(|initial| Some(("initial", initial.to_value()?))).collect()
    }

    fn op<'a>(&self, op: &'a KeyValueOp<K, V>) -> (&'static str, Args<'a>) {
        match op {
            Get(k) => ("get", args([k])),
            Put(k, v) => ("put", args([k, v])),
            KeyValueOp::Append(k, v) => ("append", args([k, v])),
            Delete(k) => ("delete", args([k])),
            Remove(k) => ("remove", args([k])),
            GetOrElseUpdate(k, v) => ("get_or_else_update", args([k, v])),
            CompareAndSet(k, Some(expected), new) => ("compare_and_set", args([k, expected, new])),
            CompareAndSet(k, None, new) => ("compare_and_set", args([k, &wire::Value::Nil, new])),
        }
    }

    fn ret(&self, _op: &KeyValueOp<K, V>, ret: &KeyValueRet<V>) -> Option<wire::Value> {
        match ret {
            Done => Some("ok".into()),
            KeyValueRet::Value(v) => wire::value_or_nil(v.as_ref()),
            Bool(done) => Some(wire::Value::Bool(*done)),
        }
    }
}

/// A value that can be stored. Nil is what a store returns if there is none.
fn stored(value: &wire::Value) -> Result<wire::Value, Mismatch> {
    wire::maybe(value).ok_or_else(|| wire::bad_arg("a value other than null", value))
}

impl FromWire for KeyValue<wire::Value, wire::Value> {
    const INFO: ModelInfo = ModelInfo {
        name: "kv",
        about: "a key-value store",
        operations: &[
            "get(key) -> value or null",
            "put(key, value)",
            "append(key, value): a string to a string, a list to a list",
            "delete(key)",
            "remove(key) -> the value before, or null",
            "get_or_else_update(key, value) -> the value after",
            "compare_and_set(key, expected or null, new) -> true or false",
        ],
        options: &["initial=VALUE: the first value of every key (null: no value)"],
    };

    const HAS_KEYS: bool = true;

    fn from_options(options: &mut Options<'_>) -> Result<Self, BadOption> {
        Ok(KeyValue::new(options.value("initial").and_then(wire::maybe)))
    }

    fn read_op(&self, call: &NamedCall<'_>) -> Result<Self::Op, Mismatch> {
        let key = || wire::one(call).cloned();
        let pair = || wire::two(call).and_then(|(k, v)| Ok((k.clone(), stored(v)?)));
        Ok(match call.name {
            "get" => Get(key()?),
            "delete" => Delete(key()?),
            "remove" => Remove(key()?),
            "put" => pair().map(|(k, v)| Put(k, v))?,
            "append" => match pair()? {
                (k, v @ (wire::Value::Str(_) | wire::Value::List(_))) => KeyValueOp::Append(k, v),
                (_, v) => return Err(wire::bad_arg("a string or a list", &v)),
            },
            "get_or_else_update" => pair().map(|(k, v)| GetOrElseUpdate(k, v))?,
            "compare_and_set" => {
                let (k, expected, new) = wire::three(call)?;
                CompareAndSet(k.clone(), wire::maybe(expected), stored(new)?)
            }
            _ => return Err(Mismatch::UnknownOperation),
        })
    }

    fn read_ret(&self, op: &Self::Op, value: &wire::Value) -> Result<Self::Ret, Mismatch> {
        match op {
            Put(..) | KeyValueOp::Append(..) | Delete(_) => wire::done(value).map(|()| Done),
            CompareAndSet(..) => wire::bool_ret(value).map(Bool),
            Get(_) | Remove(_) | GetOrElseUpdate(..) => Ok(KeyValueRet::Value(wire::maybe(value))),
        }
    }

    fn only_ret(&self, op: &Self::Op) -> Option<Self::Ret> {
        matches!(op, Put(..) | KeyValueOp::Append(..) | Delete(_)).then_some(Done)
    }

    /// A compare-and-set expects the present value. Texts are appended to; numbers cannot be.
    fn draw(&self, state: &Self::State, chance: &mut dyn Chance) -> Option<Self::Op> {
        let key = chance.key();
        Some(match (chance.below(100), chance.texts()) {
            (0..50, _) => Get(key),
            (50..60, true) => Put(key, chance.value()),
            (60.., true) => KeyValueOp::Append(key, chance.value()),
            (50..85, _) => Put(key, chance.value()),
            (85..90, _) => Delete(key),
            (90..93, _) => Remove(key),
            (93..95, _) => GetOrElseUpdate(key, chance.value()),
            _ => {
                let expected = state.get(&key).or(self.initial.as_ref()).cloned();
                CompareAndSet(key, expected, chance.value())
            }
        })
    }

    /// Looks at one key only: a state with many keys is not copied.
    fn perform(
        &self,
        state: &mut Self::State,
        op: &Self::Op,
        _chance: &mut dyn Chance,
    ) -> Option<Self::Ret> {
        let key = op.key();
        let mut one = Self::State::default();
        one.set(key, state.get(key).cloned());
        let (ret, after) = self.step(&one, op);
        state.set(key, after.get(key).cloned());
        Some(ret)
    }
}
