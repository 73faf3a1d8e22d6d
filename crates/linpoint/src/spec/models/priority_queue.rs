//! A priority queue, initially empty. A value is its own priority, and values may repeat.
//!
//! Insert gives [`PriorityQueueRet::Done`]; poll and peek give the first element in the
//! [`Order`], or nothing if there is none, and poll removes it. Of equal elements one is removed.
//!
//! Pending: a peek has no effect and is dropped. An insert may take effect at any time after its
//! call, or never. A poll may remove whatever is first at any time after its call, or do nothing.

use super::{Value, deterministic, show_elements, show_option};
use crate::spec::{PartView, Refutation, Spec, Traces};

/// Which element comes first.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Order {
    /// The largest.
    #[default]
    Max,
    /// The smallest.
    Min,
}

/// A priority queue.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PriorityQueue<V> {
    /// Which element comes first.
    pub order: Order,
    values: std::marker::PhantomData<fn() -> V>,
}

impl<V> PriorityQueue<V> {
    /// An empty priority queue.
    pub fn new(order: Order) -> Self {
        PriorityQueue { order, values: std::marker::PhantomData }
    }
}

/// Operations of a [`PriorityQueue`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum PriorityQueueOp<V> {
    /// Gives [`PriorityQueueRet::Done`].
    Insert(V),
    /// Gives [`PriorityQueueRet::Value`].
    Poll,
    /// Gives [`PriorityQueueRet::Value`].
    Peek,
}

/// Results of a [`PriorityQueue`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum PriorityQueueRet<V> {
    /// An insert is done.
    Done,
    /// The first element, `None` if there was none.
    Value(Option<V>),
}

use PriorityQueueOp::{Insert, Peek, Poll};
use PriorityQueueRet::Done;

impl<V: Value + Ord> PriorityQueue<V> {
    /// Where `a` stands to `b` in the state, whose last element comes out first.
    fn compare(&self, a: &V, b: &V) -> std::cmp::Ordering {
        match self.order {
            Order::Max => a.cmp(b),
            Order::Min => b.cmp(a),
        }
    }

    fn step(&self, state: &[V], op: &PriorityQueueOp<V>) -> (PriorityQueueRet<V>, Vec<V>) {
        let mut after = state.to_vec();
        let ret = match op {
            Insert(v) => {
                after.insert(state.partition_point(|w| self.compare(w, v).is_lt()), v.clone());
                Done
            }
            Poll => PriorityQueueRet::Value(after.pop()),
            Peek => PriorityQueueRet::Value(after.last().cloned()),
        };
        (ret, after)
    }
}

impl<V: Value + Ord> Spec for PriorityQueue<V> {
    type Op = PriorityQueueOp<V>;
    type Ret = PriorityQueueRet<V>;
    /// Sorted, so that equal contents are equal states; the last comes out first.
    type State = Vec<V>;

    fn initial(&self) -> Vec<V> {
        Vec::new()
    }

    fn successors(
        &self,
        state: &Vec<V>,
        op: &Self::Op,
        ret: Option<&Self::Ret>,
        next: &mut Vec<Vec<V>>,
    ) {
        deterministic(Some(self.step(state, op)), ret, next);
    }

    fn outcomes(&self, state: &Vec<V>, op: &Self::Op, out: &mut Vec<(Self::Ret, Vec<V>)>) -> bool {
        out.push(self.step(state, op));
        true
    }

    fn is_read(&self, op: &Self::Op, ret: Option<&Self::Ret>) -> bool {
        matches!((op, ret), (Peek, _) | (Poll, Some(PriorityQueueRet::Value(None))))
    }

    fn leaves(&self, op: &Self::Op) -> Traces {
        match op {
            Insert(v) => Traces::any_and(v),
            Poll => Traces::Any,
            Peek => Traces::none(),
        }
    }

    fn senses(&self, _op: &Self::Op, ret: Option<&Self::Ret>) -> Traces {
        match ret {
            Some(PriorityQueueRet::Value(Some(v))) => Traces::any_and(v),
            _ => Traces::Any,
        }
    }

    // No anonymous kind: which element a pending poll finds first depends on its priority.

    /// Leave the insert out. If its element was never polled, it never was first when somebody
    /// looked. If it was polled, then by an operation that is pending too (the others would have
    /// named it): leave that out as well.
    fn idle_unless_named(&self, op: &Self::Op) -> bool {
        matches!(op, Insert(_))
    }

    fn refute(&self, part: &PartView<'_, Self::Op, Self::Ret>) -> Option<Refutation> {
        super::refute::elements(
            part,
            |op| match op {
                Insert(v) => Some(v),
                _ => None,
            },
            |_, ret| match ret {
                PriorityQueueRet::Value(v) => v.as_ref(),
                Done => None,
            },
            |op, ret| match (op, ret) {
                (Poll, PriorityQueueRet::Value(v)) => v.as_ref(),
                _ => None,
            },
        )
    }

    fn describe_op(&self, op: &Self::Op) -> String {
        match op {
            Insert(v) => format!("insert({v:?})"),
            Poll => "poll()".into(),
            Peek => "peek()".into(),
        }
    }

    fn describe_ret(&self, _op: &Self::Op, ret: &Self::Ret) -> String {
        match ret {
            Done => "ok".into(),
            PriorityQueueRet::Value(v) => show_option(v.as_ref()),
        }
    }

    fn describe_state(&self, state: &Vec<V>) -> String {
        let order = match self.order {
            Order::Max => "largest first",
            Order::Min => "smallest first",
        };
        show_elements(state.iter().rev(), state.len(), order)
    }

    fn why_illegal(&self, state: &Vec<V>, _op: &Self::Op, ret: &Self::Ret) -> Option<String> {
        match (ret, state.last()) {
            (PriorityQueueRet::Value(_), None) => Some("the priority queue is empty".into()),
            (PriorityQueueRet::Value(_), Some(first)) => Some(format!("{first:?} comes first")),
            (Done, _) => None,
        }
    }

    fn state_bytes(&self, state: &Vec<V>) -> usize {
        size_of::<Vec<V>>() + state.capacity() * size_of::<V>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::claims::check_claims;
    use crate::spec::models::tests::{next, run};

    #[test]
    fn sequential_semantics() {
        let ops = [Poll, Insert(2), Insert(5), Insert(2), Peek, Poll, Insert(1), Poll];
        let (rets, state) = run(&PriorityQueue::new(Order::Max), &ops);
        assert_eq!(rets, ["empty", "ok", "ok", "ok", "5", "5", "ok", "2"]);
        assert_eq!(state, "[2, 1] (largest first)");
        let (rets, state) = run(&PriorityQueue::new(Order::Min), &ops);
        assert_eq!(rets, ["empty", "ok", "ok", "ok", "2", "2", "ok", "1"]);
        assert_eq!(state, "[2, 5] (smallest first)");
    }

    #[test]
    fn a_pending_poll_takes_the_first() {
        let spec = PriorityQueue::new(Order::Max);
        assert_eq!(next(&spec, &vec![1, 2], &Poll, None), ["[1] (largest first)"]);
        assert_eq!(next(&spec, &vec![], &Poll, None), ["empty"]);
    }

    #[test]
    fn claims_hold() {
        let ops = [Insert(1), Insert(2), Insert(3), Poll, Poll, Peek];
        check_claims(&PriorityQueue::new(Order::Max), &ops, 1, 400).unwrap();
        check_claims(&PriorityQueue::new(Order::Min), &ops, 2, 400).unwrap();
    }
}
