//! A first-in first-out queue, initially empty, with or without a bound.
//!
//! Enqueue gives [`QueueRet::Done`], or [`QueueRet::Full`] if the queue has a capacity and is full,
//! and then changes nothing. Dequeue and peek give the element at the front, or nothing if the queue
//! is empty, and dequeue removes it.
//!
//! Pending: a peek has no effect and is dropped. An enqueue may take effect at any time after its
//! call, or never (finding the queue full is the same as never). A dequeue may remove whatever is at
//! the front at any time after its call, or do nothing.

use std::collections::VecDeque;

use super::persistent::Fifo;
use super::{Value, one_outcome, replay, show_elements, show_option};
use crate::spec::{Mention, Name, Role, Run, Shape, Shaped, Spec};
use crate::wire::{
    self, Args, BadOption, Chance, FromWire, Mismatch, ModelInfo, NamedCall, Options, ToValue,
    ToWire, args,
};

/// A queue.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Queue<V> {
    /// The largest number of elements, if there is one.
    pub capacity: Option<usize>,
    values: std::marker::PhantomData<fn() -> V>,
}

impl<V> Queue<V> {
    /// A queue without a bound.
    pub fn new() -> Self {
        Queue { capacity: None, values: std::marker::PhantomData }
    }

    /// A queue of at most `capacity` elements.
    pub fn bounded(capacity: usize) -> Self {
        Queue { capacity: Some(capacity), ..Queue::new() }
    }
}

/// Operations of a [`Queue`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum QueueOp<V> {
    /// Gives [`QueueRet::Done`] or [`QueueRet::Full`].
    Enqueue(V),
    /// Gives [`QueueRet::Value`].
    Dequeue,
    /// Gives [`QueueRet::Value`].
    Peek,
}

/// Results of a [`Queue`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum QueueRet<V> {
    /// An enqueue is done.
    Done,
    /// The queue was full, nothing was added.
    Full,
    /// The element at the front, `None` if the queue was empty.
    Value(Option<V>),
}

use QueueOp::{Dequeue, Enqueue, Peek};
use QueueRet::{Done, Full};

impl<V: Value> Queue<V> {
    fn is_full(&self, state: &Fifo<V>) -> bool {
        self.capacity.is_some_and(|c| state.len() >= c)
    }

    fn step(&self, state: &Fifo<V>, op: &QueueOp<V>) -> (QueueRet<V>, Fifo<V>) {
        match op {
            Enqueue(_) if self.is_full(state) => (Full, state.clone()),
            Enqueue(v) => (Done, state.push(v.clone())),
            Dequeue => match state.pop() {
                Some((v, rest)) => (QueueRet::Value(Some(v)), rest),
                None => (QueueRet::Value(None), state.clone()),
            },
            Peek => (QueueRet::Value(state.first().cloned()), state.clone()),
        }
    }
}

impl<V: Value> Spec for Queue<V> {
    type Op = QueueOp<V>;
    type Ret = QueueRet<V>;
    type State = Fifo<V>;

    fn initial(&self) -> Fifo<V> {
        Fifo::new()
    }

    one_outcome!();

    fn is_read(&self, op: &Self::Op, ret: Option<&Self::Ret>) -> bool {
        matches!((op, ret), (Peek, _) | (_, Some(Full | QueueRet::Value(None))))
    }

    fn shaped(&self) -> Option<&dyn Shaped<Self::Op, Self::Ret>> {
        Some(self)
    }

    fn replay(&self, run: Run<'_, '_, Self::Op, Self::Ret>) -> Option<Result<(), usize>> {
        let mut queue: VecDeque<&V> = VecDeque::new();
        replay(run, |op, ret| {
            let is_full = self.capacity.is_some_and(|c| queue.len() >= c);
            let fits = match (op, ret) {
                (Enqueue(_), Some(QueueRet::Value(_))) | (Dequeue | Peek, Some(Done | Full)) => {
                    false
                }
                (_, None) => true,
                (Enqueue(_), Some(Full)) => is_full,
                (Enqueue(_), Some(Done)) => !is_full,
                (Dequeue | Peek, Some(QueueRet::Value(v))) => queue.front().copied() == v.as_ref(),
            };
            match op {
                Enqueue(v) if !is_full => queue.push_back(v),
                Dequeue => drop(queue.pop_front()),
                _ => {}
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
            Full => "full".into(),
            QueueRet::Value(v) => show_option(v.as_ref()),
        }
    }

    fn describe_state(&self, state: &Fifo<V>) -> String {
        show_elements(state.iter(), state.len(), "front first")
    }

    /// States share their nodes: each counts one of its own, which is what an enqueue adds.
    fn state_bytes(&self, _state: &Fifo<V>) -> usize {
        Fifo::<V>::bytes_of_version()
    }
}

/// The element that an operation adds, or finds.
fn element<'a, V>(op: &'a QueueOp<V>, ret: Option<&'a QueueRet<V>>) -> Option<&'a V> {
    match (op, ret) {
        (Enqueue(v), _) | (_, Some(QueueRet::Value(Some(v)))) => Some(v),
        _ => None,
    }
}

impl<V: Value> Shaped<QueueOp<V>, QueueRet<V>> for Queue<V> {
    fn shape(&self) -> Shape {
        self.capacity.map_or(Shape::Queue, |capacity| Shape::BoundedQueue { capacity })
    }

    fn is_complete(&self) -> bool {
        true
    }

    fn role(&self, op: &QueueOp<V>, ret: Option<&QueueRet<V>>, pending: bool) -> Role {
        match (op, ret) {
            // One that finds the queue full might as well not have happened; unless it returned.
            (Enqueue(_), None) if self.capacity.is_some() && !pending => {
                Role::Foreign("it is not known whether a completed enqueue found the queue full")
            }
            // Without a bound it never is. Whatever is claimed about that holds, and the rest of the history keeps its claims.
            (Enqueue(_), Some(Full)) => Role::Full,
            (Enqueue(v), None | Some(Done)) => Role::Add(Name::of(v)),
            (Dequeue, None) => Role::Take,
            (Dequeue, Some(QueueRet::Value(Some(v)))) => Role::Remove(Name::of(v)),
            (Peek, None) => Role::Idle,
            (Peek, Some(QueueRet::Value(Some(v)))) => Role::Peek(Name::of(v)),
            (Dequeue | Peek, Some(QueueRet::Value(None))) => Role::Empty,
            _ => Role::Foreign("an operation has a result of another kind"),
        }
    }

    fn same_name(
        &self,
        a: Mention<'_, QueueOp<V>, QueueRet<V>>,
        b: Mention<'_, QueueOp<V>, QueueRet<V>>,
    ) -> bool {
        element(a.op, a.ret) == element(b.op, b.ret)
    }
}

impl<V: Value> ToWire<QueueOp<V>, QueueRet<V>> for Queue<V> {
    fn name(&self) -> &'static str {
        Queue::<wire::Value>::INFO.name
    }

    fn options(&self) -> Option<Vec<(&'static str, wire::Value)>> {
        self.capacity.iter().map(|capacity| Some(("capacity", capacity.to_value()?))).collect()
    }

    fn op<'a>(&self, op: &'a QueueOp<V>) -> (&'static str, Args<'a>) {
        match op {
            Enqueue(v) => ("enqueue", args([v])),
            Dequeue => ("dequeue", args([])),
            Peek => ("peek", args([])),
        }
    }

    fn ret(&self, _op: &QueueOp<V>, ret: &QueueRet<V>) -> Option<wire::Value> {
        match ret {
            Done => Some("ok".into()),
            Full => Some("full".into()),
            QueueRet::Value(v) => wire::value_or_nil(v.as_ref()),
        }
    }
}

impl FromWire for Queue<wire::Value> {
    const INFO: ModelInfo = ModelInfo {
        name: "queue",
        about: "first in, first out",
        operations: &[
            "enqueue(value) -> \"ok\", with a capacity also \"full\"",
            "dequeue() -> value or null",
            "peek() -> value or null",
        ],
        options: &[wire::CAPACITY],
    };

    fn from_options(options: &mut Options<'_>) -> Result<Self, BadOption> {
        Ok(Queue { capacity: options.int("capacity")?, ..Queue::new() })
    }

    #[inline(always)]
    fn read_op(&self, call: &NamedCall<'_>) -> Result<Self::Op, Mismatch> {
        match call.name {
            "enqueue" => wire::element(call).map(Enqueue),
            "dequeue" => wire::none(call).map(|()| Dequeue),
            "peek" => wire::none(call).map(|()| Peek),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    #[inline(always)]
    fn read_ret(&self, op: &Self::Op, value: &wire::Value) -> Result<Self::Ret, Mismatch> {
        Ok(match op {
            Enqueue(_) if wire::added(value)? => Done,
            Enqueue(_) => Full,
            Dequeue | Peek => QueueRet::Value(wire::maybe(value)),
        })
    }

    #[inline(always)]
    fn only_ret(&self, op: &Self::Op) -> Option<Self::Ret> {
        (self.capacity.is_none() && matches!(op, Enqueue(_))).then_some(Done)
    }

    fn draw(&self, _state: &Self::State, chance: &mut dyn Chance) -> Option<Self::Op> {
        Some(match chance.below(20) {
            0 | 1 => Peek,
            2..11 => Enqueue(chance.value()),
            _ => Dequeue,
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
        let ops = [Dequeue, Enqueue(1), Enqueue(2), Enqueue(3), Peek, Dequeue, Enqueue(4)];
        let (rets, state) = run(&Queue::new(), &ops);
        assert_eq!(rets, ["empty", "ok", "ok", "ok", "1", "1", "ok"]);
        assert_eq!(state, "[2, 3, 4] (front first)");
        let (rets, state) = run(&Queue::bounded(2), &ops);
        assert_eq!(rets, ["empty", "ok", "ok", "full", "1", "1", "ok"]);
        assert_eq!(state, "[2, 4] (front first)");
    }

    #[test]
    fn a_pending_enqueue_on_a_full_queue_does_nothing() {
        let (spec, one) = (Queue::bounded(1), Fifo::new().push(1));
        assert_eq!(next(&spec, &one, &Enqueue(2), None), ["[1] (front first)"]);
        assert_eq!(next(&spec, &one, &Dequeue, None), ["empty"]);
        assert!(spec.is_read(&Enqueue(2), Some(&Full)) && !spec.is_read(&Enqueue(2), None));
    }

    #[test]
    fn claims_hold() {
        let ops = [Enqueue(1), Enqueue(2), Enqueue(3), Dequeue, Dequeue, Peek];
        check_claims(&Queue::new(), &ops, 1, 400).unwrap();
        check_claims(&Queue::bounded(2), &ops, 2, 400).unwrap();
    }

    #[test]
    fn a_dequeue_before_the_only_enqueue() {
        let mut events = crate::history::History::from_events();
        let d = events.call(Dequeue);
        events.ret(d, QueueRet::Value(Some(1))).unwrap();
        let e = events.call(Enqueue(1));
        let h = events.finish();
        let found = EffectiveClaims::of(&Queue::new()).refute(&PartView::new(&h, &[d, e])).unwrap();
        assert_eq!(found.ops, [d, e]);
        let h = part_of(&[(Dequeue, QueueRet::Value(Some(1))), (Enqueue(1), Done)]);
        assert_eq!(EffectiveClaims::of(&Queue::new()).refute(&PartView::new(&h, &[d, e])), None);
    }
}
