//! A register with compare-and-set.
//!
//! A read gives the value, a write replaces it. `cas(a, b)` replaces the value by `b` and gives
//! true if it was `a`; otherwise it changes nothing and gives false, which proves that the value was
//! *not* `a`. (A format in which a failed compare-and-set proves nothing drops it instead.)
//!
//! Pending: a read has no effect and is dropped. A write may take effect at any time after its
//! call, or never. So may a compare-and-set, and where it finds another value than `a` it does
//! nothing: that is as if it had never happened.

use super::refute::Words;
use super::{Value, deterministic};
use crate::spec::{
    Claims, Mention, Name, PartView, Refutation, Role, Shape, Shaped, Slot, Spec, Traces,
    stable_hash,
};
use crate::wire::{self, Args, BadOption, Chance, FromWire, Mismatch, ModelInfo, NamedCall, Options, ToValue, ToWire, args};

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

    fn successors(&self, state: &V, op: &Self::Op, ret: Option<&Self::Ret>, next: &mut Vec<V>) {
        deterministic(Some(self.step(state, op)), ret, next);
    }

    fn outcomes(&self, state: &V, op: &Self::Op, out: &mut Vec<(Self::Ret, V)>) -> bool {
        out.push(self.step(state, op));
        true
    }

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

    fn claims(&self) -> Option<&dyn Claims<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn replay(
        &self,
        run: &mut dyn Iterator<Item = (&Self::Op, Option<&Self::Ret>)>,
    ) -> Option<Result<(), usize>> {
        let mut holds = &self.initial;
        for (at, (op, ret)) in run.enumerate() {
            holds = match (op, ret) {
                (Read, None) => holds,
                (Read, Some(CasRegisterRet::Value(v))) if v == holds => holds,
                (Write(v), None | Some(Written)) => v,
                (Cas(a, b), None | Some(Bool(true))) if a == holds => b,
                (Cas(a, _), None | Some(Bool(false))) if a != holds => holds,
                _ => return Some(Err(at)),
            };
        }
        Some(Ok(()))
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

impl<V: Value> Claims<CasRegisterOp<V>, CasRegisterRet<V>> for CasRegister<V> {
    fn leaves(&self, op: &CasRegisterOp<V>) -> Traces {
        match op {
            Read => Traces::none(),
            // A compare-and-set that fails leaves nothing, which is less.
            Write(v) | Cas(_, v) => Traces::one(v),
        }
    }

    /// After an operation that left `w`, and did not leave the state alone, the state is `w`.
    /// So an operation that needs one value `v` senses `v` only.
    ///
    /// A failed compare-and-set needs any value but the expected one: it senses anything, because a
    /// write of 3 makes a `cas(1, 2)` fail; and it senses the expected value by name, because a
    /// write of 1 differs for it from all the others.
    ///
    /// A compare-and-set with an unknown result senses the same. It is tempting to say that it
    /// senses its expected value only, since what fails might as well not have happened; but an
    /// operation whose *result* is unknown may have returned, and then it cannot be left out:
    /// after a write of 3 it is sure to leave the 3, without the write it may move on.
    fn senses(&self, op: &CasRegisterOp<V>, ret: Option<&CasRegisterRet<V>>) -> Traces {
        match (op, ret) {
            (Read, Some(CasRegisterRet::Value(v))) => Traces::one(v),
            (Read, _) => Traces::Any,
            (Write(_), _) => Traces::none(),
            (Cas(a, _), Some(Bool(true))) => Traces::one(a),
            (Cas(a, _), _) => Traces::any_and(a),
        }
    }

    fn senses_to_act(&self, op: &CasRegisterOp<V>) -> Traces {
        match op {
            Cas(a, _) => Traces::one(a),
            Read | Write(_) => Traces::none(),
        }
    }

    /// Values that nobody names are all alike: no read returns them, and every compare-and-set,
    /// pending or not, fails on each of them. So all such writes can replace each other, and so
    /// can all compare-and-sets that expect the same and lead to such values.
    fn anonymous_kind(&self, op: &CasRegisterOp<V>) -> Option<u64> {
        match op {
            Read => None,
            Write(_) => Some(0),
            Cas(a, _) => Some(stable_hash(&("cas", a))),
        }
    }

    fn guide(&self, part: &PartView<'_, CasRegisterOp<V>, CasRegisterRet<V>>) -> Option<Vec<u64>> {
        super::zone_guide::guide(
            part,
            |op, ret| match (op, ret) {
                (Read, _) | (Cas(..), Some(Bool(false))) => None,
                (Write(v) | Cas(_, v), _) => Some(v),
            },
            |op, ret| match (op, ret) {
                (Read, CasRegisterRet::Value(v)) | (Cas(v, _), Bool(true)) => Some(v),
                _ => None,
            },
        )
    }

    fn refute(
        &self,
        part: &PartView<'_, CasRegisterOp<V>, CasRegisterRet<V>>,
    ) -> Option<Refutation> {
        super::refute::sources(
            part,
            |v| usize::from(**v == self.initial),
            |op| match op {
                Write(v) | Cas(_, v) => Some(v),
                Read => None,
            },
            |op, ret| match (op, ret) {
                (Read, CasRegisterRet::Value(v)) | (Cas(v, _), Bool(true)) => Some(v),
                _ => None,
            },
            // The register holds `a` from a write of `a` to the first cas(a, b) at most.
            |op, ret| match (op, ret) {
                (Cas(a, b), Bool(true)) if a != b => Some(a),
                _ => None,
            },
            Words { verb: ("wrote", "write"), show: |v: &&V| format!("{v:?}") },
        )
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
        let found = SPEC.refute(&PartView::new(&h, &ids)).unwrap();
        assert_eq!(found.ops, ids);
    }
}
