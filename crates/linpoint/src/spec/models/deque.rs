//! A double-ended queue, initially empty, with or without a bound.
//!
//! A push gives [`DequeRet::Done`], or [`DequeRet::Full`] if the deque has a capacity and is full, and
//! then changes nothing. Pop and peek give the element at that end, or nothing if the deque is empty,
//! and pop removes it.
//!
//! Pending: a peek has no effect and is dropped. A push may take effect at any time after its call,
//! or never (finding the deque full is the same as never). A pop may remove whatever is at its end at
//! any time after its call, or do nothing.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::{Value, one_outcome, show_elements, show_option};
use crate::spec::derived::sources::{TypedRules, Words};
use crate::spec::{Claims, Mention, Name, PartView, Refutation, Role, Shape, Shaped, Spec, Traces};
use crate::wire::{
    self, Args, BadOption, Chance, FromWire, Mismatch, ModelInfo, NamedCall, Options, ToValue,
    ToWire, args,
};

/// A double-ended queue.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Deque<V> {
    /// The largest number of elements, if there is one.
    pub capacity: Option<usize>,
    values: std::marker::PhantomData<fn() -> V>,
}

impl<V> Deque<V> {
    /// A deque without a bound.
    pub fn new() -> Self {
        Deque { capacity: None, values: std::marker::PhantomData }
    }

    /// A deque of at most `capacity` elements.
    pub fn bounded(capacity: usize) -> Self {
        Deque { capacity: Some(capacity), ..Deque::new() }
    }
}

/// Operations of a [`Deque`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum DequeOp<V> {
    /// Gives [`DequeRet::Done`] or [`DequeRet::Full`].
    PushFront(V),
    /// Gives [`DequeRet::Done`] or [`DequeRet::Full`].
    PushBack(V),
    /// Gives [`DequeRet::Value`].
    PopFront,
    /// Gives [`DequeRet::Value`].
    PopBack,
    /// Gives [`DequeRet::Value`].
    PeekFront,
    /// Gives [`DequeRet::Value`].
    PeekBack,
}

/// Results of a [`Deque`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum DequeRet<V> {
    /// A push is done.
    Done,
    /// The deque was full, nothing was added.
    Full,
    /// The element at this end, `None` if the deque was empty.
    Value(Option<V>),
}

use DequeOp::{PeekBack, PeekFront, PopBack, PopFront, PushBack, PushFront};
use DequeRet::{Done, Full};

impl<V: Value> Deque<V> {
    fn is_full(&self, state: &VecDeque<V>) -> bool {
        self.capacity.is_some_and(|c| state.len() >= c)
    }

    fn step(&self, state: &VecDeque<V>, op: &DequeOp<V>) -> (DequeRet<V>, VecDeque<V>) {
        // PERF: with room for one more. A clone that grows doubles, and leaves a hole that is too small for the next one.
        let mut after = VecDeque::with_capacity(state.len() + 1);
        after.extend(state.iter().cloned());
        let ret = match op {
            PushFront(_) | PushBack(_) if self.is_full(state) => Full,
            PushFront(v) => {
                after.push_front(v.clone());
                Done
            }
            PushBack(v) => {
                after.push_back(v.clone());
                Done
            }
            PopFront => DequeRet::Value(after.pop_front()),
            PopBack => DequeRet::Value(after.pop_back()),
            PeekFront => DequeRet::Value(after.front().cloned()),
            PeekBack => DequeRet::Value(after.back().cloned()),
        };
        (ret, after)
    }
}

impl<V: Value> Spec for Deque<V> {
    type Op = DequeOp<V>;
    type Ret = DequeRet<V>;
    type State = VecDeque<V>;

    fn initial(&self) -> VecDeque<V> {
        VecDeque::new()
    }

    one_outcome!();

    fn is_read(&self, op: &Self::Op, ret: Option<&Self::Ret>) -> bool {
        matches!((op, ret), (PeekFront | PeekBack, _) | (_, Some(Full | DequeRet::Value(None))))
    }

    fn claims(&self) -> Option<&dyn Claims<Self::Op, Self::Ret>> {
        Some(self)
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
            Full => "full".into(),
            DequeRet::Value(v) => show_option(v.as_ref()),
        }
    }

    fn describe_state(&self, state: &VecDeque<V>) -> String {
        show_elements(state, state.len(), "front first")
    }

    fn state_bytes(&self, state: &VecDeque<V>) -> usize {
        size_of::<VecDeque<V>>() + state.capacity() * size_of::<V>()
    }
}

/// The element that an operation adds, or finds.
fn element<'a, V>(op: &'a DequeOp<V>, ret: Option<&'a DequeRet<V>>) -> Option<&'a V> {
    match (op, ret) {
        (PushFront(v) | PushBack(v), _) | (_, Some(DequeRet::Value(Some(v)))) => Some(v),
        _ => None,
    }
}

impl<V: Value> Shaped<DequeOp<V>, DequeRet<V>> for Deque<V> {
    /// There is no monitor for a deque with a bound.
    fn shape(&self) -> Shape {
        if self.capacity.is_none() { Shape::Deque } else { Shape::Opaque }
    }

    fn is_complete(&self) -> bool {
        self.capacity.is_none()
    }

    fn role(&self, op: &DequeOp<V>, ret: Option<&DequeRet<V>>, _pending: bool) -> Role {
        match (op, ret) {
            (PushFront(v), None | Some(Done)) => Role::AddFront(Name::of(v)),
            (PushBack(v), None | Some(Done)) => Role::Add(Name::of(v)),
            (PopFront, None) => Role::TakeFront,
            (PopBack, None) => Role::Take,
            (PopFront, Some(DequeRet::Value(Some(v)))) => Role::RemoveFront(Name::of(v)),
            (PopBack, Some(DequeRet::Value(Some(v)))) => Role::Remove(Name::of(v)),
            (PeekFront | PeekBack, None) => Role::Idle,
            (PeekFront, Some(DequeRet::Value(Some(v)))) => Role::PeekFront(Name::of(v)),
            (PeekBack, Some(DequeRet::Value(Some(v)))) => Role::Peek(Name::of(v)),
            (PopFront | PopBack | PeekFront | PeekBack, Some(DequeRet::Value(None))) => Role::Empty,
            _ => Role::Foreign("an operation has a result of another kind"),
        }
    }

    fn same_name(
        &self,
        a: Mention<'_, DequeOp<V>, DequeRet<V>>,
        b: Mention<'_, DequeOp<V>, DequeRet<V>>,
    ) -> bool {
        element(a.op, a.ret) == element(b.op, b.ret)
    }
}

impl<V: Value> Claims<DequeOp<V>, DequeRet<V>> for Deque<V> {
    fn leaves(&self, op: &DequeOp<V>) -> Traces {
        match op {
            PushFront(v) | PushBack(v) => Traces::any_and(v),
            PopFront | PopBack => Traces::Any,
            PeekFront | PeekBack => Traces::none(),
        }
    }

    fn senses(&self, _op: &DequeOp<V>, ret: Option<&DequeRet<V>>) -> Traces {
        match ret {
            Some(DequeRet::Value(Some(v))) => Traces::any_and(v),
            _ => Traces::Any,
        }
    }

    /// An element that no operation names takes up room at its place, but it does not matter which one it
    /// is.
    fn anonymous_kind(&self, op: &DequeOp<V>) -> Option<u64> {
        match op {
            PushFront(_) => Some(0),
            PushBack(_) => Some(1),
            _ => None,
        }
    }

    /// Leave the push out. If its element was never popped, neither end was seen beyond it. If it was
    /// popped, then by an operation that is pending too (the others would have named it): leave
    /// that out as well. Not so with a bound, where the element may be what made it full.
    fn idle_unless_named(&self, op: &DequeOp<V>) -> bool {
        self.capacity.is_none() && matches!(op, PushFront(_) | PushBack(_))
    }

    fn refute(&self, part: &PartView<'_, DequeOp<V>, DequeRet<V>>) -> Option<Refutation> {
        TypedRules {
            initial: &|_: &&V| 0,
            provides: &|op, things| {
                if let PushFront(v) | PushBack(v) = op {
                    things(v);
                }
            },
            sees: &|_, ret, things| {
                if let DequeRet::Value(Some(v)) = ret {
                    things(v);
                }
            },
            takes: &|op, ret, things| {
                if let (PopFront | PopBack, DequeRet::Value(Some(v))) = (op, ret) {
                    things(v);
                }
            },
            words: Words::ELEMENTS,
        }
        .refute(self, part)
    }

    /// Pops first, as they were called. Two elements that are there at once leave in the order of their places, seen from
    /// either end; so of two pushes at one end, the one whose element lies further inside comes first.
    fn guide(&self, part: &PartView<'_, DequeOp<V>, DequeRet<V>>) -> Option<Vec<u64>> {
        let mut place: FxHashMap<&V, i64> = FxHashMap::default();
        let never = i64::from(u32::MAX);
        for view in part.iter() {
            let Some(DequeRet::Value(Some(v))) = view.ret else { continue };
            let called = i64::from(view.span.call);
            match view.op {
                PopFront => place.insert(v, called),
                PopBack => place.insert(v, 2 * never - called),
                _ => None,
            };
        }
        let place_of = |v: &V| place.get(v).copied().unwrap_or(never);
        let key = |op: &DequeOp<V>, called: u32| match op {
            PushBack(v) => never + place_of(v),
            PushFront(v) => 3 * never - place_of(v),
            _ => i64::from(called),
        };
        Some(part.iter().map(|view| key(view.op, view.span.call) as u64).collect())
    }
}

impl<V: Value> ToWire<DequeOp<V>, DequeRet<V>> for Deque<V> {
    fn name(&self) -> &'static str {
        Deque::<wire::Value>::INFO.name
    }

    fn options(&self) -> Option<Vec<(&'static str, wire::Value)>> {
        self.capacity.iter().map(|capacity| Some(("capacity", capacity.to_value()?))).collect()
    }

    fn op<'a>(&self, op: &'a DequeOp<V>) -> (&'static str, Args<'a>) {
        match op {
            PushFront(v) => ("push_front", args([v])),
            PushBack(v) => ("push_back", args([v])),
            PopFront => ("pop_front", args([])),
            PopBack => ("pop_back", args([])),
            PeekFront => ("peek_front", args([])),
            PeekBack => ("peek_back", args([])),
        }
    }

    fn ret(&self, _op: &DequeOp<V>, ret: &DequeRet<V>) -> Option<wire::Value> {
        match ret {
            Done => Some("ok".into()),
            Full => Some("full".into()),
            DequeRet::Value(v) => wire::value_or_nil(v.as_ref()),
        }
    }
}

impl FromWire for Deque<wire::Value> {
    const INFO: ModelInfo = ModelInfo {
        name: "deque",
        about: "a queue with two ends",
        operations: &[
            "push_front(value) -> \"ok\", with a capacity also \"full\"",
            "push_back(value) -> \"ok\", with a capacity also \"full\"",
            "pop_front() -> value or null",
            "pop_back() -> value or null",
            "peek_front() -> value or null",
            "peek_back() -> value or null",
        ],
        options: &[wire::CAPACITY],
    };

    fn from_options(options: &mut Options<'_>) -> Result<Self, BadOption> {
        Ok(Deque { capacity: options.int("capacity")?, ..Deque::new() })
    }

    #[inline(always)]
    fn read_op(&self, call: &NamedCall<'_>) -> Result<Self::Op, Mismatch> {
        match call.name {
            "push_front" => wire::element(call).map(PushFront),
            "push_back" => wire::element(call).map(PushBack),
            "pop_front" => wire::none(call).map(|()| PopFront),
            "pop_back" => wire::none(call).map(|()| PopBack),
            "peek_front" => wire::none(call).map(|()| PeekFront),
            "peek_back" => wire::none(call).map(|()| PeekBack),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    #[inline(always)]
    fn read_ret(&self, op: &Self::Op, value: &wire::Value) -> Result<Self::Ret, Mismatch> {
        Ok(match op {
            PushFront(_) | PushBack(_) if wire::added(value)? => Done,
            PushFront(_) | PushBack(_) => Full,
            _ => DequeRet::Value(wire::maybe(value)),
        })
    }

    #[inline(always)]
    fn only_ret(&self, op: &Self::Op) -> Option<Self::Ret> {
        let push = matches!(op, PushFront(_) | PushBack(_));
        (push && self.capacity.is_none()).then_some(Done)
    }

    fn draw(&self, _state: &Self::State, chance: &mut dyn Chance) -> Option<Self::Op> {
        Some(match (chance.below(20), chance.percent(50)) {
            (0 | 1, true) => PeekFront,
            (0 | 1, false) => PeekBack,
            (2..11, true) => PushFront(chance.value()),
            (2..11, false) => PushBack(chance.value()),
            (_, true) => PopFront,
            (_, false) => PopBack,
        })
    }

    /// In place: states are copied otherwise.
    fn perform(
        &self,
        state: &mut Self::State,
        op: &Self::Op,
        _chance: &mut dyn Chance,
    ) -> Option<Self::Ret> {
        let is_full = self.is_full(state);
        Some(match op {
            PushFront(_) | PushBack(_) if is_full => Full,
            PushFront(v) => {
                state.push_front(v.clone());
                Done
            }
            PushBack(v) => {
                state.push_back(v.clone());
                Done
            }
            PopFront => DequeRet::Value(state.pop_front()),
            PopBack => DequeRet::Value(state.pop_back()),
            PeekFront => DequeRet::Value(state.front().cloned()),
            PeekBack => DequeRet::Value(state.back().cloned()),
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
        let ops = [PopBack, PushBack(1), PushFront(2), PushBack(3), PeekFront, PeekBack, PopBack];
        let (rets, state) = run(&Deque::new(), &ops);
        assert_eq!(rets, ["empty", "ok", "ok", "ok", "2", "3", "3"]);
        assert_eq!(state, "[2, 1] (front first)");
        let (rets, state) = run(&Deque::bounded(2), &ops);
        assert_eq!(rets, ["empty", "ok", "ok", "full", "2", "1", "1"]);
        assert_eq!(state, "[2] (front first)");
    }

    #[test]
    fn a_pending_pop_takes_from_its_end() {
        let (spec, state) = (Deque::new(), VecDeque::from([1, 2]));
        assert_eq!(next(&spec, &state, &PopFront, None), ["[2] (front first)"]);
        assert_eq!(next(&spec, &state, &PopBack, None), ["[1] (front first)"]);
        assert_eq!(next(&spec, &state, &PopBack, Some(&DequeRet::Value(None))), [""; 0]);
        assert!(!spec.is_read(&PopBack, None));
    }

    #[test]
    fn claims_hold() {
        let ops = [
            PushFront(1),
            PushFront(2),
            PushBack(3),
            PushBack(4),
            PopFront,
            PopBack,
            PeekFront,
            PeekBack,
        ];
        check_claims(&Deque::new(), &ops, 1, 400).unwrap();
        check_claims(&Deque::bounded(2), &ops, 2, 400).unwrap();
    }
}
