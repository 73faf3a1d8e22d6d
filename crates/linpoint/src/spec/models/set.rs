//! A set, initially empty.
//!
//! Insert gives true if the value was not there, remove gives true if it was, contains gives
//! whether it is there. Values are independent of each other: a history is split by value.
//!
//! Pending: contains has no effect and is dropped. Insert and remove may take effect at any time
//! after their call, or never.

use std::collections::HashSet;

use rustc_hash::FxBuildHasher;

use super::sorted::Sorted;
use super::{Value, one_outcome, replay, show_elements};
use crate::spec::{Footprint, Mention, Name, Role, Run, Shape, Shaped, Spec};
use crate::wire::{
    self, Args, BadOption, Chance, FromWire, Mismatch, ModelInfo, NamedCall, Options, ToWire, args,
};

/// A set.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Set<V> {
    values: std::marker::PhantomData<fn() -> V>,
}

impl<V> Set<V> {
    /// An empty set.
    pub fn new() -> Self {
        Set { values: std::marker::PhantomData }
    }
}

/// Operations of a [`Set`]; all give a [`SetRet`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum SetOp<V> {
    /// True if the value was not there.
    Insert(V),
    /// True if the value was there.
    Remove(V),
    /// True if the value is there.
    Contains(V),
}

/// The result of every operation of a [`Set`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct SetRet(pub bool);

use SetOp::{Contains, Insert, Remove};

impl<V> SetOp<V> {
    fn value(&self) -> &V {
        match self {
            Insert(v) | Remove(v) | Contains(v) => v,
        }
    }
}

impl<V: Value + Ord> Set<V> {
    fn step(&self, state: &Sorted<V, ()>, op: &SetOp<V>) -> (SetRet, Sorted<V, ()>) {
        let there = state.get(op.value()).is_some();
        let mut after = state.clone();
        match op {
            Insert(v) => after.set(v, Some(())),
            Remove(v) => after.set(v, None),
            Contains(_) => {}
        }
        (SetRet(if matches!(op, Insert(_)) { !there } else { there }), after)
    }
}

impl<V: Value + Ord> Spec for Set<V> {
    type Op = SetOp<V>;
    type Ret = SetRet;
    type State = Sorted<V, ()>;

    fn initial(&self) -> Self::State {
        Sorted::default()
    }

    one_outcome!();

    fn footprint(&self, op: &Self::Op) -> Footprint {
        Footprint::key(op.value())
    }

    fn is_read(&self, op: &Self::Op, ret: Option<&SetRet>) -> bool {
        matches!(op, Contains(_)) || ret == Some(&SetRet(false))
    }

    fn shaped(&self) -> Option<&dyn Shaped<Self::Op, SetRet>> {
        Some(self)
    }

    fn replay(&self, run: Run<'_, '_, Self::Op, Self::Ret>) -> Option<Result<(), usize>> {
        let mut set: HashSet<&V, FxBuildHasher> = HashSet::default();
        replay(run, |op, ret| {
            let got = match op {
                Insert(v) => set.insert(v),
                Remove(v) => set.remove(v),
                Contains(v) => set.contains(v),
            };
            ret.is_none_or(|ret| ret.0 == got)
        })
    }

    fn wire(&self) -> Option<&dyn ToWire<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn describe_ret(&self, _op: &Self::Op, ret: &SetRet) -> String {
        ret.0.to_string()
    }

    fn describe_state(&self, state: &Self::State) -> String {
        show_elements(state.iter().map(|(v, ())| v), state.iter().len(), "")
    }

    fn state_bytes(&self, state: &Self::State) -> usize {
        state.bytes()
    }
}

/// A value is a flag: up while it is in the set.
impl<V: Value + Ord> Shaped<SetOp<V>, SetRet> for Set<V> {
    fn shape(&self) -> Shape {
        Shape::Flags
    }

    fn is_complete(&self) -> bool {
        true
    }

    // By the result first, which is easier to guess than the operation: the rest then needs no branches.
    fn role(&self, op: &SetOp<V>, ret: Option<&SetRet>, pending: bool) -> Role {
        match ret {
            Some(SetRet(true)) => match op {
                Insert(_) => Role::Raise,
                Remove(_) => Role::Lower,
                Contains(_) => Role::IsUp,
            },
            Some(SetRet(false)) => match op {
                Insert(_) => Role::IsUp,
                Remove(_) | Contains(_) => Role::IsDown,
            },
            // One that finds its work done might as well not have happened; unless it returned.
            None => match op {
                Contains(_) => Role::Idle,
                Insert(_) if pending => Role::Raise,
                Remove(_) if pending => Role::Lower,
                Insert(_) | Remove(_) => {
                    Role::Foreign("it is not known whether a completed operation changed the set")
                }
            },
        }
    }

    fn key(&self, op: &SetOp<V>) -> Option<Name> {
        Some(Name::of(op.value()))
    }

    fn same_name(
        &self,
        a: Mention<'_, SetOp<V>, SetRet>,
        b: Mention<'_, SetOp<V>, SetRet>,
    ) -> bool {
        a.op.value() == b.op.value()
    }
}

impl<V: Value + Ord> ToWire<SetOp<V>, SetRet> for Set<V> {
    fn name(&self) -> &'static str {
        Set::<wire::Value>::INFO.name
    }

    fn op<'a>(&self, op: &'a SetOp<V>) -> (&'static str, Args<'a>) {
        match op {
            Insert(v) => ("insert", args([v])),
            Remove(v) => ("remove", args([v])),
            Contains(v) => ("contains", args([v])),
        }
    }

    fn ret(&self, _op: &SetOp<V>, ret: &SetRet) -> Option<wire::Value> {
        Some(wire::Value::Bool(ret.0))
    }
}

impl FromWire for Set<wire::Value> {
    const INFO: ModelInfo = ModelInfo {
        name: "set",
        about: "values that are there or not",
        operations: &[
            "insert(value) -> true if it was not there",
            "remove(value) -> true if it was there",
            "contains(value) -> true if it is there",
        ],
        options: &[],
    };

    fn from_options(_options: &mut Options<'_>) -> Result<Self, BadOption> {
        Ok(Set::new())
    }

    #[inline(always)]
    fn read_op(&self, call: &NamedCall<'_>) -> Result<Self::Op, Mismatch> {
        match call.name {
            "insert" => wire::one(call).cloned().map(Insert),
            "remove" => wire::one(call).cloned().map(Remove),
            "contains" => wire::one(call).cloned().map(Contains),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    #[inline(always)]
    fn read_ret(&self, _op: &Self::Op, value: &wire::Value) -> Result<SetRet, Mismatch> {
        wire::bool_ret(value).map(SetRet)
    }

    fn draw(&self, _state: &Self::State, chance: &mut dyn Chance) -> Option<Self::Op> {
        Some(match chance.below(3) {
            0 => Insert(chance.value()),
            1 => Remove(chance.value()),
            _ => Contains(chance.value()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::claims::check_claims;
    use crate::spec::models::tests::{next, run};

    #[test]
    fn sequential_semantics() {
        let ops = [Remove(1), Insert(1), Insert(1), Insert(2), Contains(1), Remove(1), Contains(1)];
        let (rets, state) = run(&Set::new(), &ops);
        assert_eq!(rets, ["false", "true", "false", "true", "true", "true", "false"]);
        assert_eq!(state, "[2]");
    }

    #[test]
    fn a_pending_insert_works_in_every_state() {
        let spec = Set::new();
        let mut one = spec.initial();
        one.set(&1, Some(()));
        assert_eq!(next(&spec, &spec.initial(), &Insert(1), None), ["[1]"]);
        assert_eq!(next(&spec, &one, &Insert(1), None), ["[1]"]);
        assert!(spec.is_read(&Insert(1), Some(&SetRet(false))) && !spec.is_read(&Insert(1), None));
    }

    #[test]
    fn claims_hold() {
        let ops = [Insert(1), Remove(1), Contains(1), Insert(2), Remove(2), Contains(2)];
        check_claims(&Set::new(), &ops, 1, 400).unwrap();
    }
}
