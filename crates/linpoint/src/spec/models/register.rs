//! A register: the last value written is the value read.
//!
//! Pending: a read has no effect and is dropped. A write may take effect at any time after its
//! call, or never.

use super::{Value, one_outcome, replay};
use crate::spec::{Footprint, Mention, Name, Role, Run, Shape, Shaped, Spec};
use crate::wire::{
    self, Args, BadOption, Chance, FromWire, Mismatch, ModelInfo, NamedCall, Options, ToValue,
    ToWire, args,
};

/// A register that initially holds `initial`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Register<V> {
    /// The value before the first write.
    pub initial: V,
}

/// Operations of a [`Register`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum RegisterOp<V> {
    /// Gives [`RegisterRet::Value`].
    Read,
    /// Gives [`RegisterRet::Written`].
    Write(V),
}

/// Results of a [`Register`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum RegisterRet<V> {
    /// What a read saw.
    Value(V),
    /// A write is done.
    Written,
}

impl<V: Value> Register<V> {
    fn step(&self, state: &V, op: &RegisterOp<V>) -> (RegisterRet<V>, V) {
        match op {
            RegisterOp::Read => (RegisterRet::Value(state.clone()), state.clone()),
            RegisterOp::Write(v) => (RegisterRet::Written, v.clone()),
        }
    }
}

impl<V: Value> Spec for Register<V> {
    type Op = RegisterOp<V>;
    type Ret = RegisterRet<V>;
    type State = V;

    fn initial(&self) -> V {
        self.initial.clone()
    }

    one_outcome!();

    fn footprint(&self, _op: &Self::Op) -> Footprint {
        Footprint::Whole
    }

    fn is_read(&self, op: &Self::Op, _ret: Option<&Self::Ret>) -> bool {
        matches!(op, RegisterOp::Read)
    }

    fn shaped(&self) -> Option<&dyn Shaped<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn replay(&self, run: Run<'_, '_, Self::Op, Self::Ret>) -> Option<Result<(), usize>> {
        let mut holds = &self.initial;
        replay(run, |op, ret| {
            match (op, ret) {
                (RegisterOp::Read, None) => {}
                (RegisterOp::Read, Some(RegisterRet::Value(v))) if v == holds => {}
                (RegisterOp::Write(v), None | Some(RegisterRet::Written)) => holds = v,
                _ => return false,
            }
            true
        })
    }

    fn wire(&self) -> Option<&dyn ToWire<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn describe_ret(&self, _op: &Self::Op, ret: &Self::Ret) -> String {
        match ret {
            RegisterRet::Value(v) => format!("{v:?}"),
            RegisterRet::Written => "ok".into(),
        }
    }
}

/// The value that an operation writes or finds.
fn value<'a, V>(mention: Mention<'a, RegisterOp<V>, RegisterRet<V>>) -> Option<&'a V> {
    match (mention.op, mention.ret) {
        (RegisterOp::Write(v), _) | (_, Some(RegisterRet::Value(v))) => Some(v),
        _ => None,
    }
}

impl<V: Value> Shaped<RegisterOp<V>, RegisterRet<V>> for Register<V> {
    fn shape(&self) -> Shape {
        Shape::Registers { initial: Name::of(&self.initial) }
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn role(&self, op: &RegisterOp<V>, ret: Option<&RegisterRet<V>>, _pending: bool) -> Role {
        match (op, ret) {
            (RegisterOp::Read, None) => Role::Idle,
            (RegisterOp::Read, Some(RegisterRet::Value(v))) => Role::Read(Name::of(v)),
            (RegisterOp::Write(v), None | Some(RegisterRet::Written)) => Role::Write(Name::of(v)),
            _ => Role::Foreign("an operation has a result of another kind"),
        }
    }

    fn same_name(
        &self,
        a: Mention<'_, RegisterOp<V>, RegisterRet<V>>,
        b: Mention<'_, RegisterOp<V>, RegisterRet<V>>,
    ) -> bool {
        value(a) == value(b)
    }

    fn is_initial(&self, mention: Mention<'_, RegisterOp<V>, RegisterRet<V>>) -> bool {
        value(mention) == Some(&self.initial)
    }
}

impl<V: Value> ToWire<RegisterOp<V>, RegisterRet<V>> for Register<V> {
    fn name(&self) -> &'static str {
        Register::<wire::Value>::INFO.name
    }

    fn options(&self) -> Option<Vec<(&'static str, wire::Value)>> {
        Some(vec![("initial", self.initial.to_value()?)])
    }

    fn op<'a>(&self, op: &'a RegisterOp<V>) -> (&'static str, Args<'a>) {
        match op {
            RegisterOp::Read => ("read", args([])),
            RegisterOp::Write(v) => ("write", args([v])),
        }
    }

    fn ret(&self, _op: &RegisterOp<V>, ret: &RegisterRet<V>) -> Option<wire::Value> {
        match ret {
            RegisterRet::Value(v) => v.to_value(),
            RegisterRet::Written => Some("ok".into()),
        }
    }
}

impl FromWire for Register<wire::Value> {
    const INFO: ModelInfo = ModelInfo {
        name: "register",
        about: "one value, read and written",
        operations: &["read() -> value", "write(value)"],
        options: &[wire::INITIAL],
    };

    fn from_options(options: &mut Options<'_>) -> Result<Self, BadOption> {
        Ok(Register { initial: options.value_or_nil("initial") })
    }

    #[inline]
    fn read_op(&self, call: &NamedCall<'_>) -> Result<Self::Op, Mismatch> {
        match call.name {
            "read" => wire::none(call).map(|()| RegisterOp::Read),
            "write" => wire::one(call).cloned().map(RegisterOp::Write),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    #[inline]
    fn read_ret(&self, op: &Self::Op, value: &wire::Value) -> Result<Self::Ret, Mismatch> {
        match op {
            RegisterOp::Read => Ok(RegisterRet::Value(value.clone())),
            RegisterOp::Write(_) => wire::done(value).map(|()| RegisterRet::Written),
        }
    }

    #[inline]
    fn only_ret(&self, op: &Self::Op) -> Option<Self::Ret> {
        matches!(op, RegisterOp::Write(_)).then_some(RegisterRet::Written)
    }

    fn draw(&self, _state: &wire::Value, chance: &mut dyn Chance) -> Option<Self::Op> {
        Some(match chance.percent(50) {
            true => RegisterOp::Read,
            false => RegisterOp::Write(chance.value()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::claims::check_claims;
    use RegisterOp::*;

    #[test]
    fn claims_hold() {
        let ops = [Read, Write(0), Write(1), Write(2), Write(3)];
        check_claims(&Register { initial: 0 }, &ops, 1, 300).unwrap();
    }
}
