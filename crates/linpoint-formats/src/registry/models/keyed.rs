//! Objects with keys: key-value stores, registers with transactions, accounts.

use std::borrow::Cow;
use std::collections::BTreeMap;

use linpoint::spec::Text;
use linpoint::spec::models::{
    Append, Bank, BankOp, BankRet, KeyValue, KeyValueOp, KeyValueRet, Micro, MultiRegister, Reads,
    Transaction,
};

use super::super::join::{
    BadOption, Join, Mismatch, Options, bad_arg, bad_ret, bool_ret, done, int_arg, maybe, none,
    one, three, two,
};
use super::super::{Entry, ModelInfo};
use crate::Value;
use crate::raw::RawOp;

/// Strings and lists are joined; other kinds, and kinds that differ, make a list of both.
impl Append for Value {
    fn append(&self, more: &Value) -> Value {
        match (self, more) {
            (Value::Str(a), Value::Str(b)) => Value::Str(format!("{a}{b}").into()),
            (Value::List(a), Value::List(b)) => {
                Value::List(a.iter().chain(b.iter()).cloned().collect())
            }
            _ => Value::List([self.clone(), more.clone()].into()),
        }
    }

    fn text(&self) -> Option<Text<'_>> {
        match self {
            Value::Str(text) => {
                let letters = Cow::Borrowed(text.as_bytes());
                Some(Text { language: Some(0), letters })
            }
            // Plain values are written without line ends, and no two alike: a line for each.
            Value::List(values) if values.iter().all(is_plain) => {
                let letters: String = values.iter().map(|value| format!("{value}\n")).collect();
                Some(Text { language: Some(1), letters: Cow::Owned(letters.into_bytes()) })
            }
            _ => None,
        }
    }
}

fn is_plain(value: &Value) -> bool {
    matches!(value, Value::Nil | Value::Bool(_) | Value::Int(_) | Value::Str(_))
}

pub(super) const KV: Entry = Entry {
    info: ModelInfo {
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
        options: &["initial=VALUE: what every key holds at first (nil: nothing)"],
    },
    join: |options| Ok(Box::new(KvJoin { initial: options.value("initial").and_then(maybe) })),
};

struct KvJoin {
    initial: Option<Value>,
}

/// A value that can be stored: nil is how a store says that there is none.
fn stored(value: &Value) -> Result<Value, Mismatch> {
    maybe(value).ok_or_else(|| bad_arg("a value other than nil", value))
}

impl Join for KvJoin {
    type Spec = KeyValue<Value, Value>;

    fn spec(&self) -> Self::Spec {
        KeyValue::new(self.initial.clone())
    }

    fn op(&self, raw: &RawOp<'_>) -> Result<KeyValueOp<Value, Value>, Mismatch> {
        let key = || one(raw).cloned();
        let pair = || two(raw).and_then(|(k, v)| Ok((k.clone(), stored(v)?)));
        Ok(match raw.name {
            "get" => KeyValueOp::Get(key()?),
            "delete" => KeyValueOp::Delete(key()?),
            "remove" => KeyValueOp::Remove(key()?),
            "put" => pair().map(|(k, v)| KeyValueOp::Put(k, v))?,
            "append" => match pair()? {
                (k, v @ (Value::Str(_) | Value::List(_))) => KeyValueOp::Append(k, v),
                (_, v) => return Err(bad_arg("a string or a list", &v)),
            },
            "get_or_else_update" => pair().map(|(k, v)| KeyValueOp::GetOrElseUpdate(k, v))?,
            "compare_and_set" => {
                let (k, expected, new) = three(raw)?;
                KeyValueOp::CompareAndSet(k.clone(), maybe(expected), stored(new)?)
            }
            _ => return Err(Mismatch::UnknownOperation),
        })
    }

    fn ret(
        &self,
        op: &KeyValueOp<Value, Value>,
        value: &Value,
    ) -> Result<KeyValueRet<Value>, Mismatch> {
        match op {
            KeyValueOp::Put(..) | KeyValueOp::Append(..) | KeyValueOp::Delete(_) => {
                done(value).map(|()| KeyValueRet::Done)
            }
            KeyValueOp::CompareAndSet(..) => bool_ret(value).map(KeyValueRet::Bool),
            KeyValueOp::Get(_) | KeyValueOp::Remove(_) | KeyValueOp::GetOrElseUpdate(..) => {
                Ok(KeyValueRet::Value(maybe(value)))
            }
        }
    }

    fn only_ret(&self, op: &KeyValueOp<Value, Value>) -> Option<KeyValueRet<Value>> {
        matches!(op, KeyValueOp::Put(..) | KeyValueOp::Append(..) | KeyValueOp::Delete(_))
            .then_some(KeyValueRet::Done)
    }
}

pub(super) const MULTI_REGISTER: Entry = Entry {
    info: ModelInfo {
        name: "multi-register",
        about: "several registers, with transactions of reads and writes",
        operations: &[
            "read(key) -> value",
            "write(key, value)",
            "txn([[\"read\", key], [\"write\", key, value], ...]) -> list of what its reads saw",
        ],
        options: &[
            "initial={KEY: VALUE, ...}: what some registers hold at first",
            "default=VALUE: what the others hold at first (nil)",
        ],
    },
    join: |options| {
        let initial = named(options, "initial", |v| Some(v.clone()), "values")?;
        let default = options.value("default").cloned().unwrap_or_default();
        Ok(Box::new(MultiRegisterJoin { initial: initial.unwrap_or_default(), default }))
    },
};

/// An option that gives something to each of several names.
fn named<T>(
    options: &mut Options<'_>,
    key: &str,
    convert: impl Fn(&Value) -> Option<T>,
    what: &str,
) -> Result<Option<BTreeMap<Value, T>>, String> {
    let Some(value) = options.value(key) else { return Ok(None) };
    let bad = || format!("the option {key:?} must be an object of names with {what}, not {value}");
    let Value::Map(entries) = value else { return Err(bad()) };
    let pairs = entries.iter().map(|(name, v)| Some((Value::Str(name.clone()), convert(v)?)));
    pairs.collect::<Option<_>>().map(Some).ok_or_else(bad)
}

struct MultiRegisterJoin {
    initial: BTreeMap<Value, Value>,
    default: Value,
}

fn step(value: &Value) -> Option<Micro<Value, Value>> {
    let Value::List(parts) = value else { return None };
    match &**parts {
        [Value::Str(name), key] if &**name == "read" => Some(Micro::Read(key.clone())),
        [Value::Str(name), key, value] if &**name == "write" => {
            Some(Micro::Write(key.clone(), value.clone()))
        }
        _ => None,
    }
}

fn reads(op: &Transaction<Value, Value>) -> usize {
    op.0.iter().filter(|step| matches!(step, Micro::Read(_))).count()
}

impl Join for MultiRegisterJoin {
    type Spec = MultiRegister<Value, Value>;

    const ONE_KEY: bool = false;

    fn spec(&self) -> Self::Spec {
        MultiRegister { initial: self.initial.clone(), default: self.default.clone() }
    }

    fn op(&self, raw: &RawOp<'_>) -> Result<Transaction<Value, Value>, Mismatch> {
        match raw.name {
            "read" => Ok(Transaction(vec![Micro::Read(one(raw)?.clone())])),
            "write" => {
                let (key, value) = two(raw)?;
                Ok(Transaction(vec![Micro::Write(key.clone(), value.clone())]))
            }
            "txn" => {
                let list = one(raw)?;
                let steps = match list {
                    Value::List(steps) => steps.iter().map(step).collect::<Option<Vec<_>>>(),
                    _ => None,
                };
                let expected = "a list of [\"read\", key] and [\"write\", key, value]";
                steps.map(Transaction).ok_or_else(|| bad_arg(expected, list))
            }
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    fn ret(&self, op: &Transaction<Value, Value>, value: &Value) -> Result<Reads<Value>, Mismatch> {
        let known = |v: &Value| (!v.is_unknown()).then(|| v.clone());
        match (reads(op), value) {
            (0, Value::List(list)) if list.is_empty() => Ok(Reads(Vec::new())),
            (0, _) => done(value).map(|()| Reads(Vec::new())),
            (1, _) if op.0.len() == 1 => Ok(Reads(vec![known(value)])),
            (n, Value::List(list)) if list.len() == n => {
                Ok(Reads(list.iter().map(known).collect()))
            }
            (n, _) => Err(bad_ret(&format!("a list of {n} values, one for each read"), value)),
        }
    }

    fn only_ret(&self, op: &Transaction<Value, Value>) -> Option<Reads<Value>> {
        (reads(op) == 0).then(|| Reads(Vec::new()))
    }
}

pub(super) const BANK: Entry = Entry {
    info: ModelInfo {
        name: "bank",
        about: "accounts between which money is moved",
        operations: &[
            "transfer(from, to, amount) -> true, or false if refused",
            "read_all() -> object of accounts with balances",
        ],
        options: &[
            "accounts={NAME: BALANCE, ...}: the accounts and what they hold at first (needed)",
        ],
    },
    join: |options| {
        let accounts = named(options, "accounts", Value::as_int, "numbers")?;
        let missing = || BadOption::missing("a bank needs the option \"accounts\"");
        let accounts = accounts.ok_or_else(missing)?;
        Ok(Box::new(BankJoin { accounts }))
    },
};

struct BankJoin {
    accounts: BTreeMap<Value, i64>,
}

impl Join for BankJoin {
    type Spec = Bank<Value>;

    fn spec(&self) -> Bank<Value> {
        Bank { initial: self.accounts.clone() }
    }

    fn op(&self, raw: &RawOp<'_>) -> Result<BankOp<Value>, Mismatch> {
        match raw.name {
            "transfer" => {
                let (from, to, amount) = three(raw)?;
                let amount = int_arg(amount)?;
                Ok(BankOp::Transfer { from: from.clone(), to: to.clone(), amount })
            }
            "read_all" => none(raw).map(|()| BankOp::ReadAll),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    fn ret(&self, op: &BankOp<Value>, value: &Value) -> Result<BankRet<Value>, Mismatch> {
        match op {
            BankOp::Transfer { .. } => bool_ret(value).map(BankRet::Bool),
            BankOp::ReadAll => {
                let bad = || bad_ret("an object of accounts with balances", value);
                let Value::Map(entries) = value else { return Err(bad()) };
                let pairs =
                    entries.iter().map(|(name, v)| Some((Value::Str(name.clone()), v.as_int()?)));
                pairs.collect::<Option<_>>().map(BankRet::Balances).ok_or_else(bad)
            }
        }
    }
}
