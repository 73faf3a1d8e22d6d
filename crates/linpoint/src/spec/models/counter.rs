//! A counter: a 64-bit number that wraps around on overflow.
//!
//! Get returns the number. Add changes it and returns nothing; fetch-and-add changes it and returns the
//! number before. A decrement is the addition of -1.
//!
//! Pending: get has no effect and is dropped. An addition may take effect at any time after its
//! call, or never.

use super::{one_outcome, replay_by_steps};
use crate::spec::{Mention, Role, Run, Shape, Shaped, Spec};
use crate::wire::{
    self, Args, BadOption, Chance, FromWire, Mismatch, ModelInfo, NamedCall, Options, ToWire, args,
};

/// A counter that is initially `initial`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counter {
    /// The number before the first operation.
    pub initial: i64,
}

/// Operations of a [`Counter`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum CounterOp {
    /// Gives [`CounterRet::Value`].
    Get,
    /// Gives [`CounterRet::Done`].
    Add(i64),
    /// Gives [`CounterRet::Value`], the number before the addition.
    FetchAdd(i64),
    /// Gives [`CounterRet::Value`], the number after the addition.
    AddFetch(i64),
}

/// Results of a [`Counter`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum CounterRet {
    /// An addition is done.
    Done,
    /// The number before the operation; of [`CounterOp::AddFetch`], the number after it.
    Value(i64),
}

use CounterOp::{Add, AddFetch, FetchAdd, Get};
use CounterRet::Done;

impl Counter {
    fn step(&self, &state: &i64, op: &CounterOp) -> (CounterRet, i64) {
        match op {
            Get => (CounterRet::Value(state), state),
            Add(n) => (Done, state.wrapping_add(*n)),
            FetchAdd(n) => (CounterRet::Value(state), state.wrapping_add(*n)),
            AddFetch(n) => {
                let after = state.wrapping_add(*n);
                (CounterRet::Value(after), after)
            }
        }
    }
}

impl Spec for Counter {
    type Op = CounterOp;
    type Ret = CounterRet;
    type State = i64;

    fn initial(&self) -> i64 {
        self.initial
    }

    one_outcome!();

    fn is_read(&self, op: &Self::Op, _ret: Option<&Self::Ret>) -> bool {
        matches!(op, Get | Add(0) | FetchAdd(0) | AddFetch(0))
    }

    fn shaped(&self) -> Option<&dyn Shaped<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn replay(&self, run: Run<'_, '_, Self::Op, Self::Ret>) -> Option<Result<(), usize>> {
        replay_by_steps(run, self.initial(), |state, op| self.step(state, op))
    }

    fn wire(&self) -> Option<&dyn ToWire<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn describe_ret(&self, _op: &Self::Op, ret: &Self::Ret) -> String {
        match ret {
            Done => "ok".into(),
            CounterRet::Value(n) => n.to_string(),
        }
    }
}

impl Shaped<CounterOp, CounterRet> for Counter {
    fn shape(&self) -> Shape {
        Shape::Counter { initial: self.initial }
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn role(&self, op: &CounterOp, ret: Option<&CounterRet>, _pending: bool) -> Role {
        match (op, ret) {
            (Get, None) => Role::Idle,
            (Get, Some(CounterRet::Value(n))) => Role::IsNumber(*n),
            (Add(by), None | Some(Done)) | (FetchAdd(by) | AddFetch(by), None) => Role::Shift(*by),
            (FetchAdd(by), Some(CounterRet::Value(n))) => Role::ShiftFrom { by: *by, from: *n },
            (AddFetch(by), Some(CounterRet::Value(n))) => {
                Role::ShiftFrom { by: *by, from: n.wrapping_sub(*by) }
            }
            _ => Role::Foreign("an operation has a result of another kind"),
        }
    }

    /// Operations of a counter have no names.
    fn same_name(
        &self,
        _a: Mention<'_, CounterOp, CounterRet>,
        _b: Mention<'_, CounterOp, CounterRet>,
    ) -> bool {
        true
    }
}

impl ToWire<CounterOp, CounterRet> for Counter {
    fn name(&self) -> &'static str {
        Counter::INFO.name
    }

    fn options(&self) -> Option<Vec<(&'static str, wire::Value)>> {
        Some(vec![("initial", wire::Value::Int(self.initial))])
    }

    fn op<'a>(&self, op: &'a CounterOp) -> (&'static str, Args<'a>) {
        match op {
            Get => ("get", args([])),
            Add(n) => ("add", args([n])),
            FetchAdd(n) => ("fetch_add", args([n])),
            AddFetch(n) => ("add_fetch", args([n])),
        }
    }

    fn ret(&self, _op: &CounterOp, ret: &CounterRet) -> Option<wire::Value> {
        Some(match ret {
            Done => "ok".into(),
            CounterRet::Value(n) => wire::Value::Int(*n),
        })
    }
}

impl FromWire for Counter {
    const INFO: ModelInfo = ModelInfo {
        name: "counter",
        about: "a number that is added to",
        operations: &[
            "get() -> number",
            "add(number)",
            "fetch_add(number) -> the number before",
            "add_fetch(number) -> the number after",
        ],
        options: &["initial=N: the number before the first operation (0)"],
    };

    fn from_options(options: &mut Options<'_>) -> Result<Self, BadOption> {
        Ok(Counter { initial: options.int("initial")?.unwrap_or(0) })
    }

    fn read_op(&self, call: &NamedCall<'_>) -> Result<Self::Op, Mismatch> {
        match call.name {
            "get" => wire::none(call).map(|()| Get),
            "add" => wire::int_arg(wire::one(call)?).map(Add),
            "fetch_add" => wire::int_arg(wire::one(call)?).map(FetchAdd),
            "add_fetch" => wire::int_arg(wire::one(call)?).map(AddFetch),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    fn read_ret(&self, op: &Self::Op, value: &wire::Value) -> Result<Self::Ret, Mismatch> {
        match op {
            Add(_) => wire::done(value).map(|()| Done),
            Get | FetchAdd(_) | AddFetch(_) => wire::int_ret(value).map(CounterRet::Value),
        }
    }

    fn only_ret(&self, op: &Self::Op) -> Option<Self::Ret> {
        matches!(op, Add(_)).then_some(Done)
    }

    fn draw(&self, _state: &i64, chance: &mut dyn Chance) -> Option<Self::Op> {
        Some(match chance.below(25) {
            0..10 => Get,
            10..19 => Add(chance.amount()),
            _ => FetchAdd(chance.amount()),
        })
    }

    /// Amounts are positive, so the number only grows, unless it wraps around.
    fn impossible(
        &self,
        op: &Self::Op,
        _ret: &Self::Ret,
        _never: &wire::Value,
    ) -> Option<Self::Ret> {
        let far_from_wrapping = self.initial.unsigned_abs() < 1 << 60;
        (far_from_wrapping && !matches!(op, Add(_))).then_some(CounterRet::Value(self.initial - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::claims::check_claims;
    use crate::spec::models::tests::{next, run};

    #[test]
    fn sequential_semantics() {
        let (rets, state) =
            run(&Counter::default(), &[Get, Add(5), FetchAdd(-1), AddFetch(3), Get]);
        assert_eq!(rets, ["0", "ok", "5", "7", "7"]);
        assert_eq!(state, "7");
        let (_, state) = run(&Counter { initial: i64::MAX }, &[Add(1)]);
        assert_eq!(state, i64::MIN.to_string());
    }

    #[test]
    fn a_pending_addition_adds() {
        assert_eq!(next(&Counter::default(), &3, &FetchAdd(2), None), ["5"]);
        let wrong = CounterRet::Value(4);
        assert_eq!(next(&Counter::default(), &3, &FetchAdd(2), Some(&wrong)), [""; 0]);
    }

    #[test]
    fn claims_hold() {
        let ops = [
            Get,
            Add(1),
            Add(0),
            FetchAdd(1),
            FetchAdd(0),
            Add(-1),
            FetchAdd(2),
            AddFetch(1),
            AddFetch(2),
        ];
        check_claims(&Counter::default(), &ops, 1, 400).unwrap();
    }
}
