//! The names of operations in files.

use super::{Add, Done, GrowSet, GrowSetOp, GrowSetRet, Read, Values};
use crate::spec::models::Value;
use crate::spec::models::trie::Trie;
use crate::wire::{
    self, Args, BadOption, Chance, FromWire, Mismatch, ModelInfo, NamedCall, Options, ToValue,
    ToWire, args,
};

impl<V: Value + Ord> ToWire<GrowSetOp<V>, GrowSetRet<V>> for GrowSet<V> {
    fn name(&self) -> &'static str {
        GrowSet::<wire::Value>::INFO.name
    }

    fn op<'a>(&self, op: &'a GrowSetOp<V>) -> (&'static str, Args<'a>) {
        match op {
            Add(v) => ("add", args([v])),
            Read => ("read", args([])),
        }
    }

    fn ret(&self, _op: &GrowSetOp<V>, ret: &GrowSetRet<V>) -> Option<wire::Value> {
        match ret {
            Done => Some("ok".into()),
            Values(values) => wire::list(values.iter().map(ToValue::to_value)),
        }
    }
}

impl FromWire for GrowSet<wire::Value> {
    const INFO: ModelInfo = ModelInfo {
        name: "grow-set",
        about: "values that are added and never removed, and read all at once",
        operations: &["add(value)", "read() -> list of all values, in any order"],
        options: &[],
    };

    const ONE_KEY: bool = false;

    fn from_options(_options: &mut Options<'_>) -> Result<Self, BadOption> {
        Ok(GrowSet::new())
    }

    fn read_op(&self, call: &NamedCall<'_>) -> Result<Self::Op, Mismatch> {
        match call.name {
            "add" => wire::one(call).cloned().map(Add),
            "read" => wire::none(call).map(|()| Read),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    fn read_ret(&self, op: &Self::Op, value: &wire::Value) -> Result<Self::Ret, Mismatch> {
        match (op, value) {
            (Add(_), _) => wire::done(value).map(|()| Done),
            (Read, wire::Value::List(values)) => Ok(GrowSetRet::values(values.to_vec())),
            (Read, _) => Err(wire::bad_ret("a list of values", value)),
        }
    }

    /// Between two adds, all reads see the same.
    fn shares_result(&self, op: &Self::Op) -> bool {
        matches!(op, Read)
    }

    fn only_ret(&self, op: &Self::Op) -> Option<Self::Ret> {
        matches!(op, Add(_)).then_some(Done)
    }

    /// Reads return everything, so there are few.
    fn draw(&self, _state: &Trie<wire::Value>, chance: &mut dyn Chance) -> Option<Self::Op> {
        Some(if chance.percent(80) { Add(chance.value()) } else { Read })
    }

    fn impossible(
        &self,
        _op: &Self::Op,
        ret: &Self::Ret,
        never: &wire::Value,
    ) -> Option<Self::Ret> {
        let Values(values) = ret else { return None };
        let mut values = values.to_vec();
        values.push(never.clone());
        Some(GrowSetRet::values(values))
    }
}
