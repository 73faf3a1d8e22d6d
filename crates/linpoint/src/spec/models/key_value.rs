//! A key-value store. Keys are independent of each other: a history is split by key.
//!
//! A key holds a value or none. [`KeyValue::initial`] is what every key holds at first, and again
//! after it was deleted: `None` for a store in which a missing key gives nothing, `Some("")` for one
//! in which a missing key gives the empty string. The operations and what they give are listed at
//! [`KeyValueOp`].
//!
//! Pending: get has no effect and is dropped. All others may take effect at any time after their
//! call, or never; a compare-and-set that finds another value than expected does nothing.

mod shaped;
mod wire;

use std::borrow::Cow;
use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use super::append::Append;
use super::sorted::Sorted;
use super::{Value, one_outcome, replay};
use crate::spec::{
    Claims, Derived, Footprint, PartView, Refutation, Returned, Run, Shaped, Spec, Traces,
};
use crate::wire::ToWire;

/// A key-value store.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyValue<K, V> {
    /// What every key holds before the first operation, and after a deletion.
    pub initial: Option<V>,
    keys: std::marker::PhantomData<fn() -> K>,
}

impl<K, V> KeyValue<K, V> {
    /// A store in which every key at first holds `initial`.
    pub fn new(initial: Option<V>) -> Self {
        KeyValue { initial, keys: std::marker::PhantomData }
    }
}

/// Operations of a [`KeyValue`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum KeyValueOp<K, V> {
    /// Gives [`KeyValueRet::Value`], what the key holds.
    Get(K),
    /// Replaces what the key holds. Gives [`KeyValueRet::Done`].
    Put(K, V),
    /// Appends to what the key holds, or puts if it holds none. Gives [`KeyValueRet::Done`].
    Append(K, V),
    /// Gives the key its initial value. Gives [`KeyValueRet::Done`].
    Delete(K),
    /// Deletes. Gives [`KeyValueRet::Value`], what the key held.
    Remove(K),
    /// Puts if the key holds none. Gives [`KeyValueRet::Value`], what the key holds afterwards.
    GetOrElseUpdate(K, V),
    /// Puts the last value if the key holds exactly the one before. Gives [`KeyValueRet::Bool`].
    CompareAndSet(K, Option<V>, V),
}

/// Results of a [`KeyValue`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum KeyValueRet<V> {
    /// The operation is done.
    Done,
    /// What the key holds or held.
    Value(Option<V>),
    /// Whether a compare-and-set found the expected value and replaced it.
    Bool(bool),
}

use KeyValueOp::{CompareAndSet, Delete, Get, GetOrElseUpdate, Put, Remove};
use KeyValueRet::{Bool, Done};

impl<K, V> KeyValueOp<K, V> {
    fn key(&self) -> &K {
        match self {
            Get(k) | Put(k, _) | KeyValueOp::Append(k, _) | Delete(k) | Remove(k) => k,
            GetOrElseUpdate(k, _) | CompareAndSet(k, _, _) => k,
        }
    }
}

impl<K: Value + Ord, V: Append> KeyValue<K, V> {
    fn holds<'a>(&'a self, state: &'a Sorted<K, V>, key: &K) -> Option<&'a V> {
        state.get(key).or(self.initial.as_ref())
    }

    fn step(&self, state: &Sorted<K, V>, op: &KeyValueOp<K, V>) -> (KeyValueRet<V>, Sorted<K, V>) {
        let holds = self.holds(state, op.key());
        let value = |v: Option<&V>| KeyValueRet::Value(v.cloned());
        let (ret, new) = match op {
            Get(_) => (value(holds), None),
            Put(_, v) => (Done, Some(Some(v.clone()))),
            KeyValueOp::Append(_, v) => {
                (Done, Some(Some(holds.map_or_else(|| v.clone(), |h| h.append(v)))))
            }
            Delete(_) => (Done, Some(self.initial.clone())),
            Remove(_) => (value(holds), Some(self.initial.clone())),
            GetOrElseUpdate(_, v) if holds.is_none() => (value(Some(v)), Some(Some(v.clone()))),
            GetOrElseUpdate(..) => (value(holds), None),
            CompareAndSet(_, expected, new) if expected.as_ref() == holds => {
                (Bool(true), Some(Some(new.clone())))
            }
            CompareAndSet(..) => (Bool(false), None),
        };
        let mut after = state.clone();
        if let Some(new) = new {
            // Keys that hold what they held at first are not stored: equal contents, equal states.
            after.set(op.key(), new.filter(|v| self.initial.as_ref() != Some(v)));
        }
        (ret, after)
    }

    /// The claims that follow from the shape, which has no appends.
    fn derived(&self) -> Option<Derived<'_, KeyValueOp<K, V>, KeyValueRet<V>>> {
        Some(Derived::of(self)?.with_foreign_operations())
    }
}

impl<K: Value + Ord, V: Append> Spec for KeyValue<K, V> {
    type Op = KeyValueOp<K, V>;
    type Ret = KeyValueRet<V>;
    type State = Sorted<K, V>;

    fn initial(&self) -> Self::State {
        Sorted::default()
    }

    one_outcome!();

    fn footprint(&self, op: &Self::Op) -> Footprint {
        Footprint::key(op.key())
    }

    fn is_read(&self, op: &Self::Op, ret: Option<&Self::Ret>) -> bool {
        match (op, ret) {
            (Get(_), _) | (CompareAndSet(..), Some(Bool(false))) => true,
            (Remove(_), Some(KeyValueRet::Value(held))) => *held == self.initial,
            // It found this value there: its own is another.
            (GetOrElseUpdate(_, v), Some(KeyValueRet::Value(held))) => held.as_ref() != Some(v),
            _ => false,
        }
    }

    fn shaped(&self) -> Option<&dyn Shaped<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn claims(&self) -> Option<&dyn Claims<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn replay(&self, run: Run<'_, '_, Self::Op, Self::Ret>) -> Option<Result<(), usize>> {
        let mut store: HashMap<&K, Option<Cow<'_, V>>, FxBuildHasher> = HashMap::default();
        let initial = self.initial.as_ref().map(Cow::Borrowed);
        replay(run, |op, ret| {
            let holds = store.entry(op.key()).or_insert_with(|| initial.clone());
            let found = |holds: &Option<Cow<'_, V>>| match ret {
                None => true,
                Some(KeyValueRet::Value(v)) => v.as_ref() == holds.as_deref(),
                Some(_) => false,
            };
            let done = matches!(ret, None | Some(Done));
            match op {
                Get(_) => found(holds),
                Put(_, v) => {
                    *holds = Some(Cow::Borrowed(v));
                    done
                }
                KeyValueOp::Append(_, v) => {
                    let joined = holds.as_ref().map(|h| Cow::Owned(h.append(v)));
                    *holds = Some(joined.unwrap_or(Cow::Borrowed(v)));
                    done
                }
                Delete(_) => {
                    holds.clone_from(&initial);
                    done
                }
                Remove(_) => {
                    let fits = found(holds);
                    holds.clone_from(&initial);
                    fits
                }
                GetOrElseUpdate(_, v) => {
                    holds.get_or_insert(Cow::Borrowed(v));
                    found(holds)
                }
                CompareAndSet(_, expected, v) => {
                    let is_it = expected.as_ref() == holds.as_deref();
                    if is_it {
                        *holds = Some(Cow::Borrowed(v));
                    }
                    matches!(ret, None | Some(Bool(_))) && ret.is_none_or(|r| *r == Bool(is_it))
                }
            }
        })
    }

    fn wire(&self) -> Option<&dyn ToWire<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn describe_ret(&self, _op: &Self::Op, ret: &Self::Ret) -> String {
        match ret {
            Done => "ok".into(),
            KeyValueRet::Value(None) => "null".into(),
            KeyValueRet::Value(Some(v)) => format!("{v:?}"),
            Bool(b) => b.to_string(),
        }
    }

    fn describe_state(&self, state: &Self::State) -> String {
        format!("{state:?}")
    }

    fn state_bytes(&self, state: &Self::State) -> usize {
        state.bytes() + state.iter().map(|(_, value)| value.heap_bytes()).sum::<usize>()
    }
}

/// As for a register for each key. What an append leaves depends on what it finds, so it leaves and senses anything.
///
/// There are no anonymous kinds, and nothing is idle: after put("a") and append("b") a get names "ab", but never the "a"
/// that it depends on.
impl<K: Value + Ord, V: Append> Claims<KeyValueOp<K, V>, KeyValueRet<V>> for KeyValue<K, V> {
    fn leaves(&self, op: &KeyValueOp<K, V>) -> Traces {
        self.derived().map_or(Traces::Any, |claims| claims.leaves(op))
    }

    fn senses(&self, op: &KeyValueOp<K, V>, ret: Option<&KeyValueRet<V>>) -> Traces {
        let senses = |op: &KeyValueOp<K, V>, ret: Option<&KeyValueRet<V>>| {
            self.derived().map_or(Traces::Any, |claims| claims.senses(op, ret))
        };
        match (op, ret) {
            // It found this value, as a get would, or it found none and put its own, as a compare-and-set would.
            (GetOrElseUpdate(k, own), Some(KeyValueRet::Value(Some(v))))
                if v == own && self.initial.is_none() =>
            {
                let found = senses(&Get(k.clone()), ret);
                let put = CompareAndSet(k.clone(), None, own.clone());
                found.and(&senses(&put, Some(&Bool(true))))
            }
            _ => senses(op, ret),
        }
    }

    fn senses_to_act(&self, op: &KeyValueOp<K, V>) -> Traces {
        self.derived().map_or(Traces::Any, |claims| claims.senses_to_act(op))
    }

    fn likely_order(
        &self,
        run: &[Returned<'_, KeyValueOp<K, V>, KeyValueRet<V>>],
    ) -> Option<Vec<u32>> {
        self.derived()?.likely_order(run)
    }

    fn guide(&self, part: &PartView<'_, KeyValueOp<K, V>, KeyValueRet<V>>) -> Option<Vec<u64>> {
        self.derived()?.guide(part)
    }

    /// Nothing if there are appends: they make values that no operation wrote.
    fn refute(&self, part: &PartView<'_, KeyValueOp<K, V>, KeyValueRet<V>>) -> Option<Refutation> {
        self.derived()?.refute(part)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::claims::check_claims;
    use crate::spec::models::tests::{next, run};
    use KeyValueOp::Append;

    #[test]
    fn sequential_semantics() {
        let s = String::from;
        let ops = [
            Get(1),
            Append(1, s("a")),
            Append(1, s("b")),
            Get(1),
            GetOrElseUpdate(1, s("c")),
            Remove(1),
            GetOrElseUpdate(1, s("c")),
            CompareAndSet(1, None, s("d")),
            CompareAndSet(1, Some(s("c")), s("d")),
            CompareAndSet(2, None, s("e")),
            Delete(1),
        ];
        let (rets, state) = run(&KeyValue::new(None), &ops);
        let expected =
            ["null", "ok", "ok", "\"ab\"", "\"ab\"", "\"ab\"", "\"c\"", "false", "true", "true"];
        assert_eq!(rets[..10], expected);
        assert_eq!(state, "{2: \"e\"}");
    }

    #[test]
    fn a_missing_key_may_be_an_empty_string() {
        let spec = KeyValue::new(Some(String::new()));
        let ops = [Get(1), Put(1, "x".into()), Remove(1), Put(1, String::new()), Get(1)];
        let (rets, state) = run(&spec, &ops);
        assert_eq!(rets, ["\"\"", "ok", "\"x\"", "ok", "\"\""]);
        assert_eq!(state, "{}");
    }

    #[test]
    fn pending_operations() {
        let spec = KeyValue::new(None);
        let empty = spec.initial();
        assert_eq!(next(&spec, &empty, &CompareAndSet(1, Some(5), 6), None), ["{}"]);
        assert_eq!(next(&spec, &empty, &CompareAndSet(1, None, 6), None), ["{1: 6}"]);
        assert_eq!(next(&spec, &empty, &GetOrElseUpdate(1, 6), None), ["{1: 6}"]);
        assert!(!spec.is_read(&GetOrElseUpdate(1, 6), None));
        assert!(!spec.is_read(&GetOrElseUpdate(1, 6), Some(&KeyValueRet::Value(Some(6)))));
        assert!(spec.is_read(&GetOrElseUpdate(1, 6), Some(&KeyValueRet::Value(Some(5)))));
    }

    #[test]
    fn claims_hold() {
        let mut ops = Vec::new();
        for k in 1..=2 {
            ops.extend([Get(k), Put(k, 1), Put(k, 2), Delete(k), Remove(k)]);
            ops.extend([GetOrElseUpdate(k, 1), CompareAndSet(k, None, 3)]);
            ops.extend([CompareAndSet(k, Some(1), 1), CompareAndSet(k, Some(1), 2)]);
        }
        for initial in [None, Some(0), Some(1)] {
            check_claims(&KeyValue::new(initial), &ops, 1, 300).unwrap();
        }
        ops.extend([Append(1, 1), Append(2, 1)]);
        for initial in [None, Some(0), Some(1)] {
            check_claims(&KeyValue::new(initial), &ops, 2, 300).unwrap();
        }
    }
}
