//! A register with compare-and-set.
//!
//! A read gives the value, a write replaces it. `cas(a, b)` replaces the value by `b` and gives
//! true if it was `a`; otherwise it changes nothing and gives false, which proves that the value was
//! *not* `a`. (A format in which a failed compare-and-set proves nothing drops it instead.)
//!
//! Pending: a read has no effect and is dropped. A write may take effect at any time after its
//! call, or never. So may a compare-and-set, and where it finds another value than `a` it does
//! nothing: that is as if it had never happened.

use super::{Value, one_outcome, replay};
use crate::spec::{Mention, Name, Role, Run, Shape, Shaped, Slot, Spec};
use crate::wire::{
    self, Args, BadOption, Chance, FromWire, Mismatch, ModelInfo, NamedCall, Options, ToValue,
    ToWire, args,
};

/// A compare-and-set register that initially holds `initial`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CasRegister<V> {
    /// The value before the first write.
    pub initial: V,
}

/// Operations of a [`CasRegister`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum CasRegisterOp<V> {
    /// Gives [`CasRegisterRet::Value`].
    Read,
    /// Gives [`CasRegisterRet::Written`].
    Write(V),
    /// Expected value and new value. Gives [`CasRegisterRet::Bool`].
    Cas(V, V),
}

/// Results of a [`CasRegister`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum CasRegisterRet<V> {
    /// What a read saw.
    Value(V),
    /// A write is done.
    Written,
    /// Whether a compare-and-set found the expected value and replaced it.
    Bool(bool),
}

use CasRegisterOp::{Cas, Read, Write};
use CasRegisterRet::{Bool, Written};

impl<V: Value> CasRegister<V> {
    fn step(&self, state: &V, op: &CasRegisterOp<V>) -> (CasRegisterRet<V>, V) {
        match op {
            Read => (CasRegisterRet::Value(state.clone()), state.clone()),
            Write(v) => (Written, v.clone()),
            Cas(expected, new) if expected == state => (Bool(true), new.clone()),
            Cas(..) => (Bool(false), state.clone()),
        }
    }
}

impl<V: Value> Spec for CasRegister<V> {
    type Op = CasRegisterOp<V>;
    type Ret = CasRegisterRet<V>;
    type State = V;

    fn initial(&self) -> V {
        self.initial.clone()
    }

    one_outcome!();

    fn is_read(&self, op: &Self::Op, ret: Option<&Self::Ret>) -> bool {
        match (op, ret) {
            (Read, _) | (Cas(..), Some(Bool(false))) => true,
            // Succeeds only on `a`, and leaves `a`; fails elsewhere.
            (Cas(a, b), _) => a == b,
            (Write(_), _) => false,
        }
    }

    fn shaped(&self) -> Option<&dyn Shaped<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn replay(&self, run: Run<'_, '_, Self::Op, Self::Ret>) -> Option<Result<(), usize>> {
        let mut holds = &self.initial;
        replay(run, |op, ret| {
            holds = match (op, ret) {
                (Read, None) => holds,
                (Read, Some(CasRegisterRet::Value(v))) if v == holds => holds,
                (Write(v), None | Some(Written)) => v,
                (Cas(a, b), None | Some(Bool(true))) if a == holds => b,
                (Cas(a, _), None | Some(Bool(false))) if a != holds => holds,
                _ => return false,
            };
            true
        })
    }

    fn wire(&self) -> Option<&dyn ToWire<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn describe_ret(&self, _op: &Self::Op, ret: &Self::Ret) -> String {
        match ret {
            CasRegisterRet::Value(v) => format!("{v:?}"),
            Written => "ok".into(),
            Bool(b) => b.to_string(),
        }
    }
}

/// The value that is mentioned.
fn value<'a, V>(mention: Mention<'a, CasRegisterOp<V>, CasRegisterRet<V>>) -> Option<&'a V> {
    match (mention.op, mention.ret, mention.slot) {
        (Cas(a, _), _, Slot::Source) => Some(a),
        (Write(v) | Cas(_, v), _, _) | (Read, Some(CasRegisterRet::Value(v)), _) => Some(v),
        _ => None,
    }
}

impl<V: Value> Shaped<CasRegisterOp<V>, CasRegisterRet<V>> for CasRegister<V> {
    fn shape(&self) -> Shape {
        Shape::Registers { initial: Name::of(&self.initial) }
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn role(&self, op: &CasRegisterOp<V>, ret: Option<&CasRegisterRet<V>>, pending: bool) -> Role {
        match (op, ret) {
            (Read, None) => Role::Idle,
            (Read, Some(CasRegisterRet::Value(v))) => Role::Read(Name::of(v)),
            (Write(v), None | Some(Written)) => Role::Write(Name::of(v)),
            (Cas(a, b), Some(Bool(true))) if a == b => Role::Read(Name::of(a)),
            (Cas(a, b), None) if a == b => Role::Idle,
            (Cas(a, b), Some(Bool(true))) => Role::Replace { from: Name::of(a), to: Name::of(b) },
            (Cas(a, b), None) if pending => Role::Replace { from: Name::of(a), to: Name::of(b) },
            (Cas(..), None) => {
                Role::Foreign("it is not known whether a completed compare-and-set succeeded")
            }
            (Cas(a, _), Some(Bool(false))) => Role::Other(Name::of(a)),
            _ => Role::Foreign("an operation has a result of another kind"),
        }
    }

    fn same_name(
        &self,
        a: Mention<'_, CasRegisterOp<V>, CasRegisterRet<V>>,
        b: Mention<'_, CasRegisterOp<V>, CasRegisterRet<V>>,
    ) -> bool {
        value(a) == value(b)
    }

    fn is_initial(&self, mention: Mention<'_, CasRegisterOp<V>, CasRegisterRet<V>>) -> bool {
        value(mention) == Some(&self.initial)
    }
}

impl<V: Value> ToWire<CasRegisterOp<V>, CasRegisterRet<V>> for CasRegister<V> {
    fn name(&self) -> &'static str {
        CasRegister::<wire::Value>::INFO.name
    }

    fn options(&self) -> Option<Vec<(&'static str, wire::Value)>> {
        Some(vec![("initial", self.initial.to_value()?)])
    }

    fn op<'a>(&self, op: &'a CasRegisterOp<V>) -> (&'static str, Args<'a>) {
        match op {
            Read => ("read", args([])),
            Write(v) => ("write", args([v])),
            Cas(expected, new) => ("cas", args([expected, new])),
        }
    }

    fn ret(&self, _op: &CasRegisterOp<V>, ret: &CasRegisterRet<V>) -> Option<wire::Value> {
        match ret {
            CasRegisterRet::Value(v) => v.to_value(),
            Written => Some("ok".into()),
            Bool(done) => Some(wire::Value::Bool(*done)),
        }
    }
}

impl FromWire for CasRegister<wire::Value> {
    const INFO: ModelInfo = ModelInfo {
        name: "cas-register",
        about: "one value, read, written, and compared-and-set",
        operations: &["read() -> value", "write(value)", "cas(expected, new) -> true or false"],
        options: &[wire::INITIAL],
    };

    fn from_options(options: &mut Options<'_>) -> Result<Self, BadOption> {
        Ok(CasRegister { initial: options.value_or_nil("initial") })
    }

    #[inline]
    fn read_op(&self, call: &NamedCall<'_>) -> Result<Self::Op, Mismatch> {
        match call.name {
            "read" => wire::none(call).map(|()| Read),
            "write" => wire::one(call).cloned().map(Write),
            "cas" => wire::two(call).map(|(a, b)| Cas(a.clone(), b.clone())),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    #[inline]
    fn read_ret(&self, op: &Self::Op, value: &wire::Value) -> Result<Self::Ret, Mismatch> {
        match op {
            Read => Ok(CasRegisterRet::Value(value.clone())),
            Write(_) => wire::done(value).map(|()| Written),
            Cas(..) => wire::bool_ret(value).map(Bool),
        }
    }

    #[inline]
    fn only_ret(&self, op: &Self::Op) -> Option<Self::Ret> {
        matches!(op, Write(_)).then_some(Written)
    }

    /// A compare-and-set expects the present value. Some find it, some find what came in between.
    fn draw(&self, state: &wire::Value, chance: &mut dyn Chance) -> Option<Self::Op> {
        Some(match chance.below(4) {
            0 | 1 => Read,
            2 => Cas(state.clone(), chance.value()),
            _ => Write(chance.value()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::claims::check_claims;
    use crate::spec::models::tests::{part_of, run};
    use crate::spec::{EffectiveClaims, PartView};

    const SPEC: CasRegister<i32> = CasRegister { initial: 0 };

    #[test]
    fn sequential_semantics() {
        let ops = [Read, Cas(1, 2), Write(1), Cas(1, 2), Cas(1, 3), Read];
        let rets = ["0", "false", "ok", "true", "false", "2"];
        assert_eq!(run(&SPEC, &ops), (rets.map(String::from).to_vec(), "2".into()));
    }

    #[test]
    fn a_pending_cas_moves_only_from_the_expected_value() {
        let mut next = vec![];
        SPEC.successors(&1, &Cas(1, 2), None, &mut next);
        SPEC.successors(&5, &Cas(1, 2), None, &mut next);
        assert_eq!(next, [2, 5]);
        assert!(!SPEC.is_read(&Cas(1, 2), None) && SPEC.is_read(&Cas(1, 2), Some(&Bool(false))));
        assert!(!SPEC.is_read(&Write(0), Some(&Written)));
    }

    #[test]
    fn claims_hold() {
        let ops = [Read, Write(0), Write(1), Write(2), Write(3), Cas(0, 1), Cas(0, 4), Cas(1, 1)];
        check_claims(&SPEC, &ops, 1, 400).unwrap();
        check_claims(&SPEC, &[Read, Write(7), Write(8), Cas(0, 1), Cas(0, 2)], 2, 400).unwrap();
    }

    #[test]
    fn one_initial_value_is_replaced_once() {
        let h = part_of(&[(Cas(0, 1), Bool(true)), (Cas(0, 2), Bool(true))]);
        let ids: Vec<_> = h.ids().collect();
        let found = EffectiveClaims::of(&SPEC).refute(&PartView::new(&h, &ids)).unwrap();
        assert_eq!(found.ops, ids);
    }
}
