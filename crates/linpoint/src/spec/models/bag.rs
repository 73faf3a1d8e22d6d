//! A bag (pool, multiset), initially empty: elements come out in any order.
//!
//! Add gives [`BagRet::Done`]. Remove takes some element, whichever it likes, and gives it; it gives
//! nothing only if the bag is empty.
//!
//! Pending: an add may take effect at any time after its call, or never. A remove may take any one
//! element that is there at any time after its call, or do nothing.

use rustc_hash::FxHashMap;

use super::sorted::Sorted;
use super::{Value, show_elements, show_option};
use crate::spec::{Mention, Name, Role, Run, Shape, Shaped, Spec};
use crate::wire::{
    self, Args, BadOption, Chance, FromWire, Mismatch, ModelInfo, NamedCall, Options, ToWire, args,
};

/// A bag.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bag<V> {
    values: std::marker::PhantomData<fn() -> V>,
}

impl<V> Bag<V> {
    /// An empty bag.
    pub fn new() -> Self {
        Bag { values: std::marker::PhantomData }
    }
}

/// Operations of a [`Bag`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum BagOp<V> {
    /// Gives [`BagRet::Done`].
    Add(V),
    /// Gives [`BagRet::Value`].
    Remove,
}

/// Results of a [`Bag`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum BagRet<V> {
    /// An add is done.
    Done,
    /// The element that was removed, `None` if the bag was empty.
    Value(Option<V>),
}

use BagOp::{Add, Remove};
use BagRet::Done;

/// How often each element is there.
type Counts<V> = Sorted<V, u32>;

fn change<V: Value + Ord>(state: &Counts<V>, value: &V, by: impl Fn(u32) -> u32) -> Counts<V> {
    let mut after = state.clone();
    let count = by(state.get(value).copied().unwrap_or(0));
    after.set(value, (count > 0).then_some(count));
    after
}

impl<V: Value + Ord> Spec for Bag<V> {
    type Op = BagOp<V>;
    type Ret = BagRet<V>;
    type State = Counts<V>;

    fn initial(&self) -> Counts<V> {
        Counts::default()
    }

    fn successors(
        &self,
        state: &Counts<V>,
        op: &Self::Op,
        ret: Option<&Self::Ret>,
        next: &mut Vec<Counts<V>>,
    ) {
        match (op, ret) {
            // PERF: a known element needs no list of all that might have been taken.
            (Remove, Some(BagRet::Value(Some(v)))) => {
                if state.get(v).is_some() {
                    next.push(change(state, v, |n| n.saturating_sub(1)));
                }
            }
            _ => {
                let mut out = Vec::new();
                self.outcomes(state, op, &mut out);
                let fits = |r: &Self::Ret| ret.is_none_or(|ret| ret == r);
                next.extend(out.into_iter().filter(|(r, _)| fits(r)).map(|(_, s)| s));
            }
        }
    }

    fn outcomes(
        &self,
        state: &Counts<V>,
        op: &Self::Op,
        out: &mut Vec<(Self::Ret, Counts<V>)>,
    ) -> bool {
        match op {
            Add(v) => out.push((Done, change(state, v, |n| n.saturating_add(1)))),
            Remove if state.is_empty() => out.push((BagRet::Value(None), state.clone())),
            Remove => out.extend(state.iter().map(|(v, _)| {
                (BagRet::Value(Some(v.clone())), change(state, v, |n| n.saturating_sub(1)))
            })),
        }
        true
    }

    fn is_read(&self, op: &Self::Op, ret: Option<&Self::Ret>) -> bool {
        matches!((op, ret), (Remove, Some(BagRet::Value(None))))
    }

    /// Not if a removal has an unknown result: it may have taken any element.
    fn replay(&self, run: Run<'_, '_, Self::Op, Self::Ret>) -> Option<Result<(), usize>> {
        let mut counts: FxHashMap<&V, u32> = FxHashMap::default();
        for (at, (op, ret)) in run.enumerate() {
            let is_legal = match (op, ret) {
                (Add(v), None | Some(Done)) => {
                    *counts.entry(v).or_default() += 1;
                    true
                }
                (Remove, Some(BagRet::Value(Some(v)))) => match counts.get_mut(v) {
                    Some(1) => counts.remove(v).is_some(),
                    Some(count) => {
                        *count -= 1;
                        true
                    }
                    None => false,
                },
                (Remove, Some(BagRet::Value(None))) => counts.is_empty(),
                (Remove, None) if counts.is_empty() => true,
                (Remove, None) => return None,
                _ => false,
            };
            if !is_legal {
                return Some(Err(at));
            }
        }
        Some(Ok(()))
    }

    fn shaped(&self) -> Option<&dyn Shaped<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn wire(&self) -> Option<&dyn ToWire<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn describe_ret(&self, _op: &Self::Op, ret: &Self::Ret) -> String {
        match ret {
            Done => "ok".into(),
            BagRet::Value(v) => show_option(v.as_ref()),
        }
    }

    fn describe_state(&self, state: &Counts<V>) -> String {
        let len = state.iter().map(|(_, n)| *n as usize).sum();
        let each = state.iter().flat_map(|(v, n)| std::iter::repeat_n(v, *n as usize));
        show_elements(each, len, "")
    }

    fn state_bytes(&self, state: &Counts<V>) -> usize {
        state.bytes()
    }
}

/// The element that an operation adds, or finds.
fn element<'a, V>(mention: Mention<'a, BagOp<V>, BagRet<V>>) -> Option<&'a V> {
    match (mention.op, mention.ret) {
        (Add(v), _) | (_, Some(BagRet::Value(Some(v)))) => Some(v),
        _ => None,
    }
}

impl<V: Value + Ord> Shaped<BagOp<V>, BagRet<V>> for Bag<V> {
    fn shape(&self) -> Shape {
        Shape::Bag
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn role(&self, op: &BagOp<V>, ret: Option<&BagRet<V>>, _pending: bool) -> Role {
        match (op, ret) {
            (Add(v), None | Some(Done)) => Role::Add(Name::of(v)),
            (Remove, None) => Role::Take,
            (Remove, Some(BagRet::Value(Some(v)))) => Role::Remove(Name::of(v)),
            (Remove, Some(BagRet::Value(None))) => Role::Empty,
            _ => Role::Foreign("an operation has a result of another kind"),
        }
    }

    fn same_name(
        &self,
        a: Mention<'_, BagOp<V>, BagRet<V>>,
        b: Mention<'_, BagOp<V>, BagRet<V>>,
    ) -> bool {
        element(a) == element(b)
    }
}

impl<V: Value + Ord> ToWire<BagOp<V>, BagRet<V>> for Bag<V> {
    fn name(&self) -> &'static str {
        Bag::<wire::Value>::INFO.name
    }

    fn op<'a>(&self, op: &'a BagOp<V>) -> (&'static str, Args<'a>) {
        match op {
            Add(v) => ("add", args([v])),
            Remove => ("remove", args([])),
        }
    }

    fn ret(&self, _op: &BagOp<V>, ret: &BagRet<V>) -> Option<wire::Value> {
        match ret {
            Done => Some("ok".into()),
            BagRet::Value(v) => wire::value_or_nil(v.as_ref()),
        }
    }
}

impl FromWire for Bag<wire::Value> {
    const INFO: ModelInfo = ModelInfo {
        name: "bag",
        about: "values come out in any order",
        operations: &["add(value)", "remove() -> value or null"],
        options: &[],
    };

    fn from_options(_options: &mut Options<'_>) -> Result<Self, BadOption> {
        Ok(Bag::new())
    }

    #[inline(always)]
    fn read_op(&self, call: &NamedCall<'_>) -> Result<Self::Op, Mismatch> {
        match call.name {
            "add" => wire::element(call).map(Add),
            "remove" => wire::none(call).map(|()| Remove),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    #[inline(always)]
    fn read_ret(&self, op: &Self::Op, value: &wire::Value) -> Result<Self::Ret, Mismatch> {
        match op {
            Add(_) => wire::done(value).map(|()| Done),
            Remove => Ok(BagRet::Value(wire::maybe(value))),
        }
    }

    #[inline(always)]
    fn only_ret(&self, op: &Self::Op) -> Option<Self::Ret> {
        matches!(op, Add(_)).then_some(Done)
    }

    fn draw(&self, _state: &Self::State, chance: &mut dyn Chance) -> Option<Self::Op> {
        Some(match chance.percent(50) {
            true => Add(chance.value()),
            false => Remove,
        })
    }

    /// In place, and without a list of everything that could be taken.
    fn perform(
        &self,
        state: &mut Self::State,
        op: &Self::Op,
        chance: &mut dyn Chance,
    ) -> Option<Self::Ret> {
        let chosen = match op {
            Add(v) => {
                state.set(v, Some(state.get(v).map_or(1, |n| n.saturating_add(1))));
                return Some(Done);
            }
            Remove if state.is_empty() => return Some(BagRet::Value(None)),
            Remove => chance.below(state.iter().len() as u64) as usize,
        };
        let (v, count) = state.iter().nth(chosen).cloned()?;
        state.set(&v, (count > 1).then(|| count - 1));
        Some(BagRet::Value(Some(v)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::claims::check_claims;
    use crate::spec::models::tests::{next, run};

    #[test]
    fn sequential_semantics() {
        let ops = [Remove, Add(2), Add(1), Add(2), Remove];
        let (rets, state) = run(&Bag::new(), &ops);
        assert_eq!(rets, ["empty", "ok", "ok", "ok", "1"]);
        assert_eq!(state, "[2, 2]");
    }

    #[test]
    fn a_remove_takes_any_element() {
        let spec = Bag::new();
        let mut state = spec.initial();
        for v in [1, 2, 2] {
            state = change(&state, &v, |n| n + 1);
        }
        assert_eq!(next(&spec, &state, &Remove, None), ["[2, 2]", "[1, 2]"]);
        assert_eq!(next(&spec, &state, &Remove, Some(&BagRet::Value(Some(2)))), ["[1, 2]"]);
        assert_eq!(next(&spec, &state, &Remove, Some(&BagRet::Value(None))), [""; 0]);
        assert_eq!(next(&spec, &spec.initial(), &Remove, None), ["empty"]);
    }

    #[test]
    fn claims_hold() {
        check_claims(&Bag::new(), &[Add(1), Add(2), Add(3), Remove, Remove], 1, 400).unwrap();
    }
}
