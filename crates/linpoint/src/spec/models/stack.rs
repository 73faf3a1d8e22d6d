//! An unbounded stack, initially empty.
//!
//! Push gives [`StackRet::Done`]; pop and peek give the element on top, or nothing if the stack is
//! empty, and pop removes it.
//!
//! Pending: a peek has no effect and is dropped. A push may take effect at any time after its call,
//! or never. A pop may remove whatever is on top at any time after its call, or do nothing.

use super::persistent::List;
use super::{Value, one_outcome, replay, show_elements, show_option};
use crate::spec::{Mention, Name, Role, Run, Shape, Shaped, Spec};
use crate::wire::{
    self, Args, BadOption, Chance, FromWire, Mismatch, ModelInfo, NamedCall, Options, ToWire, args,
};

/// A stack.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stack<V> {
    values: std::marker::PhantomData<fn() -> V>,
}

impl<V> Stack<V> {
    /// An empty stack.
    pub fn new() -> Self {
        Stack { values: std::marker::PhantomData }
    }
}

/// Operations of a [`Stack`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum StackOp<V> {
    /// Gives [`StackRet::Done`].
    Push(V),
    /// Gives [`StackRet::Value`].
    Pop,
    /// Gives [`StackRet::Value`].
    Peek,
}

/// Results of a [`Stack`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum StackRet<V> {
    /// A push is done.
    Done,
    /// The element on top, `None` if the stack was empty.
    Value(Option<V>),
}

use StackOp::{Peek, Pop, Push};
use StackRet::Done;

impl<V: Value> Stack<V> {
    fn step(&self, state: &List<V>, op: &StackOp<V>) -> (StackRet<V>, List<V>) {
        match op {
            Push(v) => (Done, state.push(v.clone())),
            Pop => (StackRet::Value(state.first().cloned()), state.rest()),
            Peek => (StackRet::Value(state.first().cloned()), state.clone()),
        }
    }
}

impl<V: Value> Spec for Stack<V> {
    type Op = StackOp<V>;
    type Ret = StackRet<V>;
    type State = List<V>;

    fn initial(&self) -> List<V> {
        List::new()
    }

    one_outcome!();

    fn is_read(&self, op: &Self::Op, ret: Option<&Self::Ret>) -> bool {
        matches!((op, ret), (Peek, _) | (Pop, Some(StackRet::Value(None))))
    }

    fn shaped(&self) -> Option<&dyn Shaped<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn replay(&self, run: Run<'_, '_, Self::Op, Self::Ret>) -> Option<Result<(), usize>> {
        let mut stack: Vec<&V> = Vec::new();
        replay(run, |op, ret| {
            let fits = match (op, ret) {
                (_, None) => true,
                (Push(_), Some(ret)) => *ret == Done,
                (Pop | Peek, Some(Done)) => false,
                (Pop | Peek, Some(StackRet::Value(v))) => stack.last().copied() == v.as_ref(),
            };
            match op {
                Push(v) => stack.push(v),
                Pop => drop(stack.pop()),
                Peek => {}
            }
            fits
        })
    }

    fn wire(&self) -> Option<&dyn ToWire<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn describe_ret(&self, _op: &Self::Op, ret: &Self::Ret) -> String {
        match ret {
            Done => "ok".into(),
            StackRet::Value(v) => show_option(v.as_ref()),
        }
    }

    fn describe_state(&self, state: &List<V>) -> String {
        show_elements(state.iter(), state.len(), "top first")
    }

    /// States share their nodes: each counts one of its own, which is what a push adds.
    fn state_bytes(&self, _state: &List<V>) -> usize {
        List::<V>::bytes_of_version()
    }
}

/// The element that an operation adds, or finds.
fn element<'a, V>(op: &'a StackOp<V>, ret: Option<&'a StackRet<V>>) -> Option<&'a V> {
    match (op, ret) {
        (Push(v), _) | (_, Some(StackRet::Value(Some(v)))) => Some(v),
        _ => None,
    }
}

impl<V: Value> Shaped<StackOp<V>, StackRet<V>> for Stack<V> {
    fn shape(&self) -> Shape {
        Shape::Stack
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn role(&self, op: &StackOp<V>, ret: Option<&StackRet<V>>, _pending: bool) -> Role {
        match (op, ret) {
            (Push(v), None | Some(Done)) => Role::Add(Name::of(v)),
            (Pop, None) => Role::Take,
            (Pop, Some(StackRet::Value(Some(v)))) => Role::Remove(Name::of(v)),
            (Peek, None) => Role::Idle,
            (Peek, Some(StackRet::Value(Some(v)))) => Role::Peek(Name::of(v)),
            (Pop | Peek, Some(StackRet::Value(None))) => Role::Empty,
            _ => Role::Foreign("an operation has a result of another kind"),
        }
    }

    fn same_name(
        &self,
        a: Mention<'_, StackOp<V>, StackRet<V>>,
        b: Mention<'_, StackOp<V>, StackRet<V>>,
    ) -> bool {
        element(a.op, a.ret) == element(b.op, b.ret)
    }
}

impl<V: Value> ToWire<StackOp<V>, StackRet<V>> for Stack<V> {
    fn name(&self) -> &'static str {
        Stack::<wire::Value>::INFO.name
    }

    fn op<'a>(&self, op: &'a StackOp<V>) -> (&'static str, Args<'a>) {
        match op {
            Push(v) => ("push", args([v])),
            Pop => ("pop", args([])),
            Peek => ("peek", args([])),
        }
    }

    fn ret(&self, _op: &StackOp<V>, ret: &StackRet<V>) -> Option<wire::Value> {
        match ret {
            Done => Some("ok".into()),
            StackRet::Value(v) => wire::value_or_nil(v.as_ref()),
        }
    }
}

impl FromWire for Stack<wire::Value> {
    const INFO: ModelInfo = ModelInfo {
        name: "stack",
        about: "last in, first out",
        operations: &["push(value)", "pop() -> value or null", "peek() -> value or null"],
        options: &[],
    };

    fn from_options(_options: &mut Options<'_>) -> Result<Self, BadOption> {
        Ok(Stack::new())
    }

    #[inline(always)]
    fn read_op(&self, call: &NamedCall<'_>) -> Result<Self::Op, Mismatch> {
        match call.name {
            "push" => wire::element(call).map(Push),
            "pop" => wire::none(call).map(|()| Pop),
            "peek" => wire::none(call).map(|()| Peek),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    #[inline(always)]
    fn read_ret(&self, op: &Self::Op, value: &wire::Value) -> Result<Self::Ret, Mismatch> {
        match op {
            Push(_) => wire::done(value).map(|()| Done),
            Pop | Peek => Ok(StackRet::Value(wire::maybe(value))),
        }
    }

    #[inline(always)]
    fn only_ret(&self, op: &Self::Op) -> Option<Self::Ret> {
        matches!(op, Push(_)).then_some(Done)
    }

    fn draw(&self, _state: &Self::State, chance: &mut dyn Chance) -> Option<Self::Op> {
        Some(match chance.below(20) {
            0 | 1 => Peek,
            2..11 => Push(chance.value()),
            _ => Pop,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::claims::check_claims;
    use crate::spec::models::tests::{next, part_of, run};
    use crate::spec::{EffectiveClaims, PartView};

    #[test]
    fn sequential_semantics() {
        let ops = [Pop, Push(1), Push(2), Peek, Pop, Push(3), Push(4)];
        let (rets, state) = run(&Stack::new(), &ops);
        assert_eq!(rets, ["empty", "ok", "ok", "2", "2", "ok", "ok"]);
        assert_eq!(state, "[4, 3, 1] (top first)");
    }

    #[test]
    fn a_pending_pop_removes_whatever_is_on_top() {
        let (spec, one) = (Stack::new(), List::new().push(1));
        assert_eq!(next(&spec, &one, &Pop, None), ["empty"]);
        assert_eq!(next(&spec, &List::new(), &Pop, None), ["empty"]);
        assert!(spec.is_read(&Pop, Some(&StackRet::Value(None))) && !spec.is_read(&Pop, None));
    }

    #[test]
    fn claims_hold() {
        let ops = [Push(1), Push(2), Push(3), Pop, Pop, Peek];
        check_claims(&Stack::new(), &ops, 1, 400).unwrap();
    }

    /// Why [`Claims::needs_unnamed`](crate::spec::Claims::needs_unnamed) is true of unknown results: no operation names the 2, but without it the
    /// completed pop with an unknown result would have taken the 1.
    #[test]
    fn an_unknown_pop_needs_the_unnamed_push() {
        let spec = Stack::new();
        let one = List::new().push(1);
        let pop_one = StackRet::Value(Some(1));
        let with = next(&spec, &one.push(2).rest(), &Pop, Some(&pop_one));
        let without = next(&spec, &one.rest(), &Pop, Some(&pop_one));
        assert_eq!((with, without), (vec!["empty".into()], vec![]));
        assert_eq!(EffectiveClaims::of(&spec).senses(&Pop, None).names(), [0; 0]);
    }

    #[test]
    fn an_element_is_popped_once() {
        let pop = (Pop, StackRet::Value(Some(1)));
        let h = part_of(&[(Push(1), Done), pop.clone(), (Push(2), Done), pop]);
        let ids: Vec<_> = h.ids().collect();
        let found = EffectiveClaims::of(&Stack::new()).refute(&PartView::new(&h, &ids)).unwrap();
        assert_eq!(found.ops, [ids[1], ids[3]]);
        assert_eq!(
            found.reason.to_string(),
            "pop() -> 1 and pop() -> 1 removed what was there at most once"
        );
    }
}
