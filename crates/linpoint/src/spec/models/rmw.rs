//! A read-modify-write register (swap, fetch-and-store).
//!
//! `swap(w)` replaces the value by `w` and gives the value that was there.
//!
//! Pending: a swap may take effect at any time after its call, or never.

use super::{Value, one_outcome, replay};
use crate::spec::{Mention, Name, Role, Run, Shape, Shaped, Slot, Spec};
use crate::wire::{
    self, Args, BadOption, Chance, FromWire, Mismatch, ModelInfo, NamedCall, Options, ToValue,
    ToWire, args,
};

/// A read-modify-write register that initially holds `initial`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rmw<V> {
    /// The value before the first operation.
    pub initial: V,
}

/// The operation of a [`Rmw`]: the value to be written. Gives a [`RmwRet`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RmwOp<V>(pub V);

/// The result of a [`RmwOp`]: the value that was there before.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RmwRet<V>(pub V);

impl<V: Value> Rmw<V> {
    fn step(&self, state: &V, op: &RmwOp<V>) -> (RmwRet<V>, V) {
        (RmwRet(state.clone()), op.0.clone())
    }
}

impl<V: Value> Spec for Rmw<V> {
    type Op = RmwOp<V>;
    type Ret = RmwRet<V>;
    type State = V;

    fn initial(&self) -> V {
        self.initial.clone()
    }

    one_outcome!();

    fn is_read(&self, op: &Self::Op, ret: Option<&Self::Ret>) -> bool {
        // Writing 5 where 5 was found: the result says so.
        ret.is_some_and(|ret| ret.0 == op.0)
    }

    fn shaped(&self) -> Option<&dyn Shaped<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn replay(&self, run: Run<'_, '_, Self::Op, Self::Ret>) -> Option<Result<(), usize>> {
        let mut holds = &self.initial;
        replay(run, |op, ret| {
            let found = std::mem::replace(&mut holds, &op.0);
            ret.is_none_or(|ret| ret.0 == *found)
        })
    }

    fn wire(&self) -> Option<&dyn ToWire<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn describe_ret(&self, _op: &Self::Op, ret: &Self::Ret) -> String {
        format!("{:?}", ret.0)
    }
}

/// The value that is mentioned.
fn value<'a, V>(mention: Mention<'a, RmwOp<V>, RmwRet<V>>) -> Option<&'a V> {
    match mention.slot {
        Slot::Source => mention.ret.map(|ret| &ret.0),
        _ => Some(&mention.op.0),
    }
}

impl<V: Value> Shaped<RmwOp<V>, RmwRet<V>> for Rmw<V> {
    fn shape(&self) -> Shape {
        Shape::Registers { initial: Name::of(&self.initial) }
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn role(&self, op: &RmwOp<V>, ret: Option<&RmwRet<V>>, _pending: bool) -> Role {
        let to = Name::of(&op.0);
        match ret {
            // Whatever it found was replaced.
            None => Role::Write(to),
            Some(ret) if ret.0 == op.0 => Role::Read(to),
            Some(ret) => Role::Replace { from: Name::of(&ret.0), to },
        }
    }

    fn same_name(
        &self,
        a: Mention<'_, RmwOp<V>, RmwRet<V>>,
        b: Mention<'_, RmwOp<V>, RmwRet<V>>,
    ) -> bool {
        value(a) == value(b)
    }

    fn is_initial(&self, mention: Mention<'_, RmwOp<V>, RmwRet<V>>) -> bool {
        value(mention) == Some(&self.initial)
    }
}

impl<V: Value> ToWire<RmwOp<V>, RmwRet<V>> for Rmw<V> {
    fn name(&self) -> &'static str {
        Rmw::<wire::Value>::INFO.name
    }

    fn options(&self) -> Option<Vec<(&'static str, wire::Value)>> {
        Some(vec![("initial", self.initial.to_value()?)])
    }

    fn op<'a>(&self, op: &'a RmwOp<V>) -> (&'static str, Args<'a>) {
        ("swap", args([&op.0]))
    }

    fn ret(&self, _op: &RmwOp<V>, ret: &RmwRet<V>) -> Option<wire::Value> {
        ret.0.to_value()
    }
}

impl FromWire for Rmw<wire::Value> {
    const INFO: ModelInfo = ModelInfo {
        name: "rmw",
        about: "a read-modify-write register: one value, swapped for another",
        operations: &["swap(value) -> the value before"],
        options: &[wire::INITIAL],
    };

    fn from_options(options: &mut Options<'_>) -> Result<Self, BadOption> {
        Ok(Rmw { initial: options.value_or_nil("initial") })
    }

    #[inline]
    fn read_op(&self, call: &NamedCall<'_>) -> Result<Self::Op, Mismatch> {
        match call.name {
            "swap" => wire::one(call).cloned().map(RmwOp),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    #[inline]
    fn read_ret(&self, _op: &Self::Op, value: &wire::Value) -> Result<Self::Ret, Mismatch> {
        Ok(RmwRet(value.clone()))
    }

    fn draw(&self, _state: &wire::Value, chance: &mut dyn Chance) -> Option<Self::Op> {
        Some(RmwOp(chance.value()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::claims::check_claims;
    use crate::spec::models::tests::{next, part_of, run};
    use crate::spec::{EffectiveClaims, PartView};

    const SPEC: Rmw<i32> = Rmw { initial: 0 };

    #[test]
    fn sequential_semantics() {
        let (rets, state) = run(&SPEC, &[RmwOp(5), RmwOp(5), RmwOp(2)]);
        assert_eq!((rets, state.as_str()), (vec!["0".into(), "5".into(), "5".into()], "2"));
    }

    #[test]
    fn a_pending_swap_replaces_anything() {
        assert_eq!(next(&SPEC, &7, &RmwOp(1), None), ["1"]);
        assert!(!SPEC.is_read(&RmwOp(1), None) && SPEC.is_read(&RmwOp(1), Some(&RmwRet(1))));
    }

    #[test]
    fn claims_hold() {
        check_claims(&SPEC, &[0, 1, 2, 3, 4].map(RmwOp), 1, 400).unwrap();
    }

    #[test]
    fn a_value_written_once_is_found_once() {
        let h = part_of(&[(RmwOp(1), RmwRet(0)), (RmwOp(2), RmwRet(0))]);
        let ids: Vec<_> = h.ids().collect();
        assert_eq!(EffectiveClaims::of(&SPEC).refute(&PartView::new(&h, &ids)).unwrap().ops, ids);
    }
}
