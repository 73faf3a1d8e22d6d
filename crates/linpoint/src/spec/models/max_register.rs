//! A max-register: a read returns the largest number written so far.
//!
//! A write of a number that is not larger than the present one changes nothing.
//!
//! Pending: a read has no effect and is dropped. A write may take effect at any time after its call, or never.

use super::one_outcome;
use crate::spec::{Claims, Spec, Traces};
use crate::wire::{
    self, Args, BadOption, Chance, FromWire, Mismatch, ModelInfo, NamedCall, Options, ToWire, args,
};

/// A register that keeps the largest number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MaxRegister {
    /// The number before the first write.
    pub initial: i64,
}

/// Operations of a [`MaxRegister`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MaxRegisterOp {
    /// Gives [`MaxRegisterRet::Value`].
    Read,
    /// Gives [`MaxRegisterRet::Done`].
    Write(i64),
}

/// Results of a [`MaxRegister`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MaxRegisterRet {
    /// The largest number so far.
    Value(i64),
    /// A write is done.
    Done,
}

use MaxRegisterOp::{Read, Write};
use MaxRegisterRet::Done;

impl MaxRegister {
    fn step(&self, &state: &i64, op: &MaxRegisterOp) -> (MaxRegisterRet, i64) {
        match *op {
            Read => (MaxRegisterRet::Value(state), state),
            Write(n) => (Done, state.max(n)),
        }
    }
}

impl Spec for MaxRegister {
    type Op = MaxRegisterOp;
    type Ret = MaxRegisterRet;
    type State = i64;

    fn initial(&self) -> i64 {
        self.initial
    }

    one_outcome!();

    fn is_read(&self, op: &Self::Op, _ret: Option<&Self::Ret>) -> bool {
        matches!(op, Read)
    }

    fn claims(&self) -> Option<&dyn Claims<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn wire(&self) -> Option<&dyn ToWire<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn describe_ret(&self, _op: &Self::Op, ret: &Self::Ret) -> String {
        match ret {
            MaxRegisterRet::Value(n) => n.to_string(),
            Done => "ok".into(),
        }
    }
}

impl Claims<MaxRegisterOp, MaxRegisterRet> for MaxRegister {
    fn leaves(&self, op: &MaxRegisterOp) -> Traces {
        match op {
            Read => Traces::none(),
            // It raises the number for every later read.
            Write(_) => Traces::Any,
        }
    }

    /// Two writes of the same number are interchangeable; of different numbers they are not.
    fn anonymous_kind(&self, op: &MaxRegisterOp) -> Option<u64> {
        match op {
            Read => None,
            Write(n) => Some(n.cast_unsigned()),
        }
    }
}

impl ToWire<MaxRegisterOp, MaxRegisterRet> for MaxRegister {
    fn name(&self) -> &'static str {
        MaxRegister::INFO.name
    }

    fn options(&self) -> Option<Vec<(&'static str, wire::Value)>> {
        Some(vec![("initial", wire::Value::Int(self.initial))])
    }

    fn op<'a>(&self, op: &'a MaxRegisterOp) -> (&'static str, Args<'a>) {
        match op {
            Read => ("read", args([])),
            Write(n) => ("write", args([n])),
        }
    }

    fn ret(&self, _op: &MaxRegisterOp, ret: &MaxRegisterRet) -> Option<wire::Value> {
        Some(match ret {
            MaxRegisterRet::Value(n) => wire::Value::Int(*n),
            Done => "ok".into(),
        })
    }
}

impl FromWire for MaxRegister {
    const INFO: ModelInfo = ModelInfo {
        name: "max-register",
        about: "the largest number written so far",
        operations: &["read() -> number", "write(number)"],
        options: &["initial=N: the number before the first write (0)"],
    };

    fn from_options(options: &mut Options<'_>) -> Result<Self, BadOption> {
        Ok(MaxRegister { initial: options.int("initial")?.unwrap_or(0) })
    }

    fn read_op(&self, call: &NamedCall<'_>) -> Result<Self::Op, Mismatch> {
        match call.name {
            "read" => wire::none(call).map(|()| Read),
            "write" => wire::int_arg(wire::one(call)?).map(Write),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    fn read_ret(&self, op: &Self::Op, value: &wire::Value) -> Result<Self::Ret, Mismatch> {
        match op {
            Read => wire::int_ret(value).map(MaxRegisterRet::Value),
            Write(_) => wire::done(value).map(|()| Done),
        }
    }

    fn only_ret(&self, op: &Self::Op) -> Option<Self::Ret> {
        matches!(op, Write(_)).then_some(Done)
    }

    /// Numbers rise slowly, so that some writes come too late to matter.
    fn draw(&self, state: &i64, chance: &mut dyn Chance) -> Option<Self::Op> {
        Some(match chance.percent(50) {
            true => Read,
            false => Write(state.saturating_add(chance.amount() - 2)),
        })
    }

    /// The number never falls.
    fn impossible(
        &self,
        op: &Self::Op,
        _ret: &Self::Ret,
        _never: &wire::Value,
    ) -> Option<Self::Ret> {
        matches!(op, Read).then_some(MaxRegisterRet::Value(self.initial.checked_sub(1)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::claims::check_claims;
    use crate::spec::models::tests::run;

    #[test]
    fn sequential_semantics() {
        let ops = [Read, Write(3), Write(1), Read, Write(7), Read];
        let (rets, state) = run(&MaxRegister { initial: 2 }, &ops);
        assert_eq!(rets, ["2", "ok", "ok", "3", "ok", "7"]);
        assert_eq!(state, "7");
    }

    #[test]
    fn claims_hold() {
        let ops = [Read, Read, Write(1), Write(2), Write(2), Write(3)];
        check_claims(&MaxRegister { initial: 1 }, &ops, 1, 400).unwrap();
    }
}
