//! A deque of numbers.

use linpoint::spec::models::{Deque, DequeOp, DequeRet};

use super::containers::any_value;
use crate::Rng;
use crate::small::draw::Style;
use crate::small::{Nibbles, SmallObject};

use DequeOp::{PeekBack, PeekFront, PopBack, PopFront, PushBack, PushFront};
use DequeRet::{Done, Value};

/// A deque. Its front is where [`Nibbles`] are pushed.
pub struct SmallDeque;

impl SmallObject for SmallDeque {
    type Op = DequeOp<u8>;
    type Ret = DequeRet<u8>;
    type Spec = Deque<u8>;

    fn name(&self) -> &'static str {
        "deque"
    }

    fn spec(&self) -> Deque<u8> {
        Deque::new()
    }

    fn step(&self, state: u64, op: &DequeOp<u8>) -> Option<(DequeRet<u8>, u64)> {
        let held = Nibbles(state);
        let found = match op {
            PushFront(v) => return Some((Done, held.push(*v).0)),
            PushBack(v) => return Some((Done, held.push_first(*v).0)),
            PopFront | PeekFront => held.pop_last(),
            PopBack | PeekBack => held.pop_first(),
        };
        let is_pop = matches!(op, PopFront | PopBack);
        let after = found.filter(|_| is_pop).map_or(held, |(_, rest)| rest);
        Some((Value(found.map(|(v, _)| v)), after.0))
    }

    fn draw(&self, rng: &mut Rng, _style: &Style, fresh: u8) -> DequeOp<u8> {
        match (rng.usize(..10), rng.bool()) {
            (0..4, true) => PushFront(fresh),
            (0..4, false) => PushBack(fresh),
            (4..8, true) => PopFront,
            (4..8, false) => PopBack,
            (_, true) => PeekFront,
            (_, false) => PeekBack,
        }
    }

    fn any_result(&self, rng: &mut Rng, op: &DequeOp<u8>, values: u8) -> DequeRet<u8> {
        match op {
            PushFront(_) | PushBack(_) => Done,
            _ => Value(any_value(rng, values)),
        }
    }

    fn letters(&self, values: u8) -> Vec<(DequeOp<u8>, Option<DequeRet<u8>>)> {
        let mut letters = vec![(PopFront, None), (PopBack, None)];
        for v in 0..values {
            for push in [PushFront(v), PushBack(v)] {
                letters.extend([(push.clone(), Some(Done)), (push, None)]);
            }
        }
        for found in (0..values).map(Some).chain([None]) {
            for op in [PopFront, PopBack, PeekFront, PeekBack] {
                letters.push((op, Some(Value(found))));
            }
        }
        letters
    }
}
