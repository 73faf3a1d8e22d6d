//! A map whose insert returns the old value, initially empty: the interface of a hash map. A history is split by key.
//!
//! Insert gives what the key held before, and so does remove. Get gives what it holds, contains whether it holds
//! anything. Len gives the number of keys that hold something. It depends on all keys, so a history with a len is
//! not split and no monitor serves it. Few concurrent maps promise an exact len: stress tests relax it
//! (`relaxed` in `linpoint-test`).
//!
//! Pending: get, contains and len have no effect and are dropped. Insert and remove may take effect at any time after
//! their call, or never.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use super::sorted::Sorted;
use super::{Value, one_outcome, replay};
use crate::spec::{Footprint, Mention, Name, Role, Run, Shape, Shaped, Slot, Spec};
use crate::wire::{
    self, Args, BadOption, Chance, FromWire, Mismatch, ModelInfo, NamedCall, Options, ToWire, args,
};

/// A map.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Map<K, V> {
    entries: std::marker::PhantomData<fn() -> (K, V)>,
}

impl<K, V> Map<K, V> {
    /// An empty map.
    pub fn new() -> Self {
        Map { entries: std::marker::PhantomData }
    }
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Self {
        Map::new()
    }
}

/// Operations of a [`Map`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum MapOp<K, V> {
    /// Gives [`MapRet::Value`], what the key held before.
    Insert(K, V),
    /// Gives [`MapRet::Value`], what the key held before.
    Remove(K),
    /// Gives [`MapRet::Value`], what the key holds.
    Get(K),
    /// Gives [`MapRet::Bool`].
    Contains(K),
    /// Gives [`MapRet::Len`].
    Len,
}

/// Results of a [`Map`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum MapRet<V> {
    /// What the key holds or held.
    Value(Option<V>),
    /// Whether the key holds anything.
    Bool(bool),
    /// How many keys hold something.
    Len(usize),
}

use MapOp::{Contains, Get, Insert, Len, Remove};
use MapRet::Bool;

impl<K, V> MapOp<K, V> {
    fn key(&self) -> Option<&K> {
        match self {
            Insert(k, _) | Remove(k) | Get(k) | Contains(k) => Some(k),
            Len => None,
        }
    }
}

/// Performs an operation in place.
fn apply<K: Value + Ord, V: Value>(state: &mut Sorted<K, V>, op: &MapOp<K, V>) -> MapRet<V> {
    let held = op.key().and_then(|key| state.get(key)).cloned();
    match op {
        Insert(k, v) => state.set(k, Some(v.clone())),
        Remove(k) => state.set(k, None),
        Get(_) => {}
        Contains(_) => return Bool(held.is_some()),
        Len => return MapRet::Len(state.iter().len()),
    }
    MapRet::Value(held)
}

impl<K: Value + Ord, V: Value> Map<K, V> {
    fn step(&self, state: &Sorted<K, V>, op: &MapOp<K, V>) -> (MapRet<V>, Sorted<K, V>) {
        let mut after = state.clone();
        (apply(&mut after, op), after)
    }
}

impl<K: Value + Ord, V: Value> Spec for Map<K, V> {
    type Op = MapOp<K, V>;
    type Ret = MapRet<V>;
    type State = Sorted<K, V>;

    fn initial(&self) -> Self::State {
        Sorted::default()
    }

    one_outcome!();

    fn footprint(&self, op: &Self::Op) -> Footprint {
        op.key().map_or(Footprint::Whole, Footprint::key)
    }

    fn is_read(&self, op: &Self::Op, ret: Option<&Self::Ret>) -> bool {
        match (op, ret) {
            (Get(_) | Contains(_) | Len, _) => true,
            // The result says that it inserted what was there, or removed nothing.
            (Insert(_, v), Some(MapRet::Value(Some(held)))) => v == held,
            (Remove(_), Some(MapRet::Value(held))) => held.is_none(),
            _ => false,
        }
    }

    fn shaped(&self) -> Option<&dyn Shaped<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn replay(&self, run: Run<'_, '_, Self::Op, Self::Ret>) -> Option<Result<(), usize>> {
        let mut map: HashMap<&K, &V, FxBuildHasher> = HashMap::default();
        replay(run, |op, ret| {
            let held = match op {
                Insert(k, v) => map.insert(k, v),
                Remove(k) => map.remove(k),
                Get(k) | Contains(k) => map.get(k).copied(),
                Len => None,
            };
            match (op, ret) {
                (_, None) => true,
                (Contains(_), Some(Bool(there))) => *there == held.is_some(),
                (Len, Some(MapRet::Len(len))) => *len == map.len(),
                (Insert(..) | Remove(_) | Get(_), Some(MapRet::Value(v))) => v.as_ref() == held,
                _ => false,
            }
        })
    }

    fn wire(&self) -> Option<&dyn ToWire<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn describe_ret(&self, _op: &Self::Op, ret: &Self::Ret) -> String {
        match ret {
            MapRet::Value(None) => "null".into(),
            MapRet::Value(Some(v)) => format!("{v:?}"),
            Bool(there) => there.to_string(),
            MapRet::Len(len) => len.to_string(),
        }
    }

    fn describe_state(&self, state: &Self::State) -> String {
        format!("{state:?}")
    }

    fn state_bytes(&self, state: &Self::State) -> usize {
        state.bytes()
    }
}

/// The value that is mentioned, or that there is none.
fn mentioned<'a, K, V>(mention: Mention<'a, MapOp<K, V>, MapRet<V>>) -> Option<&'a V> {
    match (mention.op, mention.slot, mention.ret) {
        (Insert(_, v), Slot::Value, _) => Some(v),
        // What a remove leaves. A contains names nothing but "none".
        (Remove(_), Slot::Value, _) | (Contains(_), ..) => None,
        (_, _, Some(MapRet::Value(found))) => found.as_ref(),
        _ => None,
    }
}

/// A register for each key, which holds a value or none.
///
/// Not complete: a len joins all keys into one part. There, `get(2)` after `insert(1, 5)` leads to another state than alone, although
/// it does not sense the insert.
impl<K: Value + Ord, V: Value> Shaped<MapOp<K, V>, MapRet<V>> for Map<K, V> {
    fn shape(&self) -> Shape {
        Shape::Registers { initial: Name::of(&None::<V>) }
    }

    fn role(&self, op: &MapOp<K, V>, ret: Option<&MapRet<V>>, _pending: bool) -> Role {
        let name = |v: Option<&V>| Name::of(&v);
        match (op, ret) {
            (Len, _) => Role::Foreign("len depends on all keys"),
            (Get(_) | Contains(_), None) => Role::Idle,
            (Get(_), Some(MapRet::Value(v))) => Role::Read(name(v.as_ref())),
            (Contains(_), Some(Bool(false))) => Role::Read(name(None)),
            (Contains(_), Some(Bool(true))) => Role::Other(name(None)),
            // Whatever it found was replaced.
            (Insert(_, v), None) => Role::Write(name(Some(v))),
            (Remove(_), None) => Role::Write(name(None)),
            (Insert(_, v), Some(MapRet::Value(held))) if held.as_ref() == Some(v) => {
                Role::Read(name(Some(v)))
            }
            (Insert(_, v), Some(MapRet::Value(held))) => {
                Role::Replace { from: name(held.as_ref()), to: name(Some(v)) }
            }
            (Remove(_), Some(MapRet::Value(None))) => Role::Read(name(None)),
            (Remove(_), Some(MapRet::Value(held))) => {
                Role::Replace { from: name(held.as_ref()), to: name(None) }
            }
            _ => Role::Foreign("an operation has a result of another kind"),
        }
    }

    fn key(&self, op: &MapOp<K, V>) -> Option<Name> {
        op.key().map(Name::of)
    }

    fn same_name(
        &self,
        a: Mention<'_, MapOp<K, V>, MapRet<V>>,
        b: Mention<'_, MapOp<K, V>, MapRet<V>>,
    ) -> bool {
        match a.slot {
            Slot::Key => a.op.key() == b.op.key(),
            _ => mentioned(a) == mentioned(b),
        }
    }

    fn is_initial(&self, mention: Mention<'_, MapOp<K, V>, MapRet<V>>) -> bool {
        mentioned(mention).is_none()
    }
}

impl<K: Value + Ord, V: Value> ToWire<MapOp<K, V>, MapRet<V>> for Map<K, V> {
    fn name(&self) -> &'static str {
        Map::<wire::Value, wire::Value>::INFO.name
    }

    fn op<'a>(&self, op: &'a MapOp<K, V>) -> (&'static str, Args<'a>) {
        match op {
            Insert(k, v) => ("insert", args([k, v])),
            Remove(k) => ("remove", args([k])),
            Get(k) => ("get", args([k])),
            Contains(k) => ("contains", args([k])),
            Len => ("len", args([])),
        }
    }

    fn ret(&self, _op: &MapOp<K, V>, ret: &MapRet<V>) -> Option<wire::Value> {
        match ret {
            MapRet::Value(v) => wire::value_or_nil(v.as_ref()),
            Bool(there) => Some(wire::Value::Bool(*there)),
            MapRet::Len(len) => i64::try_from(*len).ok().map(wire::Value::Int),
        }
    }
}

impl FromWire for Map<wire::Value, wire::Value> {
    const INFO: ModelInfo = ModelInfo {
        name: "map",
        about: "a map whose insert returns the old value",
        operations: &[
            "insert(key, value) -> the value before, or null",
            "remove(key) -> the value before, or null",
            "get(key) -> value or null",
            "contains(key) -> true or false",
            "len() -> how many keys there are",
        ],
        options: &[],
    };

    const HAS_KEYS: bool = true;

    /// A len is about all keys.
    const ONE_KEY: bool = false;

    fn from_options(_options: &mut Options<'_>) -> Result<Self, BadOption> {
        Ok(Map::new())
    }

    fn read_op(&self, call: &NamedCall<'_>) -> Result<Self::Op, Mismatch> {
        let key = || wire::one(call).cloned();
        Ok(match call.name {
            "insert" => match wire::two(call)? {
                (_, wire::Value::Nil) => {
                    return Err(wire::bad_arg("a value other than null", &wire::Value::Nil));
                }
                (k, v) => Insert(k.clone(), v.clone()),
            },
            "remove" => Remove(key()?),
            "get" => Get(key()?),
            "contains" => Contains(key()?),
            "len" => wire::none(call).map(|()| Len)?,
            _ => return Err(Mismatch::UnknownOperation),
        })
    }

    fn read_ret(&self, op: &Self::Op, value: &wire::Value) -> Result<Self::Ret, Mismatch> {
        match op {
            Contains(_) => wire::bool_ret(value).map(Bool),
            Len => wire::int_ret(value).map(MapRet::Len),
            _ => Ok(MapRet::Value(wire::maybe(value))),
        }
    }

    /// No len: it would join all keys, and a long history would be searched as a whole.
    fn draw(&self, _state: &Self::State, chance: &mut dyn Chance) -> Option<Self::Op> {
        let key = chance.key();
        Some(match chance.below(100) {
            0..40 => Get(key),
            40..45 => Contains(key),
            45..80 => Insert(key, chance.value()),
            _ => Remove(key),
        })
    }

    /// In place: a state with many keys is not copied.
    fn perform(
        &self,
        state: &mut Self::State,
        op: &Self::Op,
        _chance: &mut dyn Chance,
    ) -> Option<Self::Ret> {
        Some(apply(state, op))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::claims::check_claims;
    use crate::spec::models::tests::{next, run};

    #[test]
    fn sequential_semantics() {
        let ops = [Insert(1, 'a'), Insert(1, 'b'), Get(1), Contains(2), Len, Remove(1), Remove(1)];
        let (rets, state) = run(&Map::new(), &ops);
        assert_eq!(rets, ["null", "'a'", "'b'", "false", "1", "'b'", "null"]);
        assert_eq!(state, "{}");
    }

    #[test]
    fn a_pending_insert_works_in_every_state() {
        let spec = Map::new();
        let (_, one) = spec.step(&spec.initial(), &Insert(1, 5));
        assert_eq!(next(&spec, &one, &Insert(1, 6), None), ["{1: 6}"]);
        assert_eq!(next(&spec, &one, &Remove(1), None), ["{}"]);
        assert!(spec.is_read(&Insert(1, 5), Some(&MapRet::Value(Some(5)))));
        assert!(!spec.is_read(&Insert(1, 5), None));
    }

    #[test]
    fn claims_hold() {
        let mut ops = Vec::new();
        for k in 1..=2 {
            ops.extend([Get(k), Contains(k), Insert(k, 1), Insert(k, 2), Insert(k, 3), Remove(k)]);
        }
        check_claims(&Map::new(), &ops, 1, 400).unwrap();
        ops.push(Len);
        check_claims(&Map::new(), &ops, 2, 400).unwrap();
    }
}
