//! Registers with transactions on the wire.

use super::{Micro, MultiRegister, Reads, Transaction};
use crate::spec::models::Value;
use crate::wire::{
    self, Arg, Args, BadOption, Chance, FromWire, Mismatch, ModelInfo, NamedCall, Options, ToValue,
    ToWire, args,
};

use Micro::{Read, Write};

impl<K: Value + Ord, V: Value> ToWire<Transaction<K, V>, Reads<V>> for MultiRegister<K, V> {
    fn name(&self) -> &'static str {
        MultiRegister::<wire::Value, wire::Value>::INFO.name
    }

    fn options(&self) -> Option<Vec<(&'static str, wire::Value)>> {
        Some(vec![("initial", wire::object(&self.initial)?), ("default", self.default.to_value()?)])
    }

    fn op<'a>(&self, op: &'a Transaction<K, V>) -> (&'static str, Args<'a>) {
        match &op.0[..] {
            [Read(key)] => ("read", args([key])),
            [Write(key, value)] => ("write", args([key, value])),
            steps => ("txn", vec![Arg::List(steps.iter().map(micro).collect())]),
        }
    }

    fn ret(&self, op: &Transaction<K, V>, ret: &Reads<V>) -> Option<wire::Value> {
        match (&op.0[..], &ret.0[..]) {
            (_, []) => Some("ok".into()),
            ([_], [read]) => wire::value_or_unknown(read),
            (_, reads) => wire::list(reads.iter().map(wire::value_or_unknown)),
        }
    }
}

/// `["read", key]` or `["write", key, value]`.
fn micro<K: Value, V: Value>(step: &Micro<K, V>) -> Arg<'_> {
    Arg::List(match step {
        Read(key) => vec![Arg::Word("read"), Arg::Held(key)],
        Write(key, value) => vec![Arg::Word("write"), Arg::Held(key), Arg::Held(value)],
    })
}

fn step(value: &wire::Value) -> Option<Micro<wire::Value, wire::Value>> {
    let wire::Value::List(parts) = value else { return None };
    match &**parts {
        [wire::Value::Str(name), key] if &**name == "read" => Some(Read(key.clone())),
        [wire::Value::Str(name), key, value] if &**name == "write" => {
            Some(Write(key.clone(), value.clone()))
        }
        _ => None,
    }
}

fn reads<K, V>(op: &Transaction<K, V>) -> usize {
    op.0.iter().filter(|step| matches!(step, Read(_))).count()
}

impl FromWire for MultiRegister<wire::Value, wire::Value> {
    const INFO: ModelInfo = ModelInfo {
        name: "multi-register",
        about: "several registers, with transactions of reads and writes",
        operations: &[
            "read(key) -> value",
            "write(key, value)",
            "txn([[\"read\", key], [\"write\", key, value], ...]) -> list of the values read",
        ],
        options: &[
            "initial={KEY: VALUE, ...}: the first values of some registers",
            "default=VALUE: the first value of all others (null)",
        ],
    };

    const ONE_KEY: bool = false;
    const HAS_KEYS: bool = true;

    fn from_options(options: &mut Options<'_>) -> Result<Self, BadOption> {
        let initial = options.object("initial", |value| Some(value.clone()), "values")?;
        let default = options.value_or_nil("default");
        Ok(MultiRegister { initial: initial.unwrap_or_default(), default })
    }

    fn read_op(&self, call: &NamedCall<'_>) -> Result<Self::Op, Mismatch> {
        match call.name {
            "read" => Ok(Transaction(vec![Read(wire::one(call)?.clone())])),
            "write" => {
                let (key, value) = wire::two(call)?;
                Ok(Transaction(vec![Write(key.clone(), value.clone())]))
            }
            "txn" => {
                let list = wire::one(call)?;
                let steps = match list {
                    wire::Value::List(steps) => steps.iter().map(step).collect(),
                    _ => None,
                };
                let expected = "a list of [\"read\", key] and [\"write\", key, value]";
                steps.map(Transaction).ok_or_else(|| wire::bad_arg(expected, list))
            }
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    fn read_ret(&self, op: &Self::Op, value: &wire::Value) -> Result<Self::Ret, Mismatch> {
        match (reads(op), value) {
            (0, wire::Value::List(list)) if list.is_empty() => Ok(Reads(Vec::new())),
            (0, _) => wire::done(value).map(|()| Reads(Vec::new())),
            (1, _) if op.0.len() == 1 => Ok(Reads(vec![wire::known(value)])),
            (n, wire::Value::List(list)) if list.len() == n => {
                Ok(Reads(list.iter().map(wire::known).collect()))
            }
            (n, _) => {
                Err(wire::bad_ret(&format!("a list of {n} values, one for each read"), value))
            }
        }
    }

    fn only_ret(&self, op: &Self::Op) -> Option<Self::Ret> {
        (reads(op) == 0).then(|| Reads(Vec::new()))
    }

    /// Three in five are a single read or write, the others have two or three steps.
    fn draw(&self, _state: &Self::State, chance: &mut dyn Chance) -> Option<Self::Op> {
        let steps = if chance.percent(60) { 1 } else { 2 + chance.below(2) };
        let step = |_| match chance.percent(50) {
            true => Read(chance.key()),
            false => Write(chance.key(), chance.value()),
        };
        Some(Transaction((0..steps).map(step).collect()))
    }

    fn impossible(
        &self,
        _op: &Self::Op,
        ret: &Self::Ret,
        never: &wire::Value,
    ) -> Option<Self::Ret> {
        let mut reads = ret.0.clone();
        *reads.first_mut()? = Some(never.clone());
        Some(Reads(reads))
    }
}
