//! Running a priority queue in place.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

use super::PriorityQueueOp::{Insert, Peek, Poll};
use super::PriorityQueueRet::{Done, Value as Found};
use super::{PriorityQueue, PriorityQueueOp, PriorityQueueRet, Value};
use crate::spec::Run;

/// An element in the order of a priority queue, see [`PriorityQueue::sort`].
struct Ranked<'a, V> {
    queue: &'a PriorityQueue<V>,
    element: &'a V,
}

impl<V: Value + Ord> Ord for Ranked<'_, V> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.queue.sort(self.element, other.element)
    }
}

impl<V: Value + Ord> PartialOrd for Ranked<'_, V> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<V: Value + Ord> PartialEq for Ranked<'_, V> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<V: Value + Ord> Eq for Ranked<'_, V> {}

/// Performs the operations; logarithmic time each. `None` where several different elements could be
/// first and a poll does not say which it took.
pub(super) fn replay<V: Value + Ord>(
    queue: &PriorityQueue<V>,
    run: Run<'_, '_, PriorityQueueOp<V>, PriorityQueueRet<V>>,
) -> Option<Result<(), usize>> {
    let mut heap = BinaryHeap::new();
    // As soon as there are different elements of one priority, the heap is not enough.
    let mut contents: Option<Contents<'_, V>> = None;
    for (at, (op, ret)) in run.enumerate() {
        let step = match &mut contents {
            None => step_of_heap(queue, &mut heap, op, ret),
            Some(contents) => contents.step(op, ret),
        };
        let step = match (step, &contents) {
            (Step::Unclear, None) => {
                let elements =
                    std::mem::take(&mut heap).into_iter().map(|first: First<'_, V>| first.element);
                contents.insert(Contents::of(queue, elements)).step(op, ret)
            }
            (step, _) => step,
        };
        match step {
            Step::Fits => {}
            Step::Illegal => return Some(Err(at)),
            Step::Unclear => return None,
        }
    }
    Some(Ok(()))
}

/// What came of an operation.
enum Step {
    Fits,
    Illegal,
    /// It depends on which of several elements is taken.
    Unclear,
}

/// An element by its priority alone: the greatest one comes out first.
struct First<'a, V> {
    queue: &'a PriorityQueue<V>,
    element: &'a V,
}

impl<V: Value + Ord> Ord for First<'_, V> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.queue.compare(self.element, other.element)
    }
}

impl<V: Value + Ord> PartialOrd for First<'_, V> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<V: Value + Ord> PartialEq for First<'_, V> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<V: Value + Ord> Eq for First<'_, V> {}

/// Performs an operation on a heap, if that determines which element is meant.
fn step_of_heap<'a, V: Value + Ord>(
    queue: &'a PriorityQueue<V>,
    heap: &mut BinaryHeap<First<'a, V>>,
    op: &'a PriorityQueueOp<V>,
    ret: Option<&'a PriorityQueueRet<V>>,
) -> Step {
    match (op, ret, heap.peek()) {
        (Insert(element), None | Some(Done), _) => heap.push(First { queue, element }),
        (Insert(_), Some(Found(_)), _) | (Poll | Peek, Some(Done), _) => return Step::Illegal,
        (Peek, None, _) | (Poll, None, None) | (_, Some(Found(None)), None) => {}
        (Poll, None, Some(_)) => return Step::Unclear,
        (_, Some(Found(Some(v))), Some(first)) if v == first.element => {
            if *op == Poll {
                heap.pop();
            }
        }
        (_, Some(Found(Some(v))), Some(first)) if queue.compare(v, first.element).is_eq() => {
            return Step::Unclear;
        }
        (_, Some(Found(_)), _) => return Step::Illegal,
    }
    Step::Fits
}

/// All elements in order.
struct Contents<'a, V> {
    queue: &'a PriorityQueue<V>,
    /// Elements with one rank are equal, unless their hashes collide.
    by_rank: BTreeMap<Ranked<'a, V>, Copies<'a, V>>,
}

impl<'a, V: Value + Ord> Contents<'a, V> {
    fn of(queue: &'a PriorityQueue<V>, elements: impl Iterator<Item = &'a V>) -> Self {
        let mut contents = Contents { queue, by_rank: BTreeMap::new() };
        elements.for_each(|element| contents.insert(element));
        contents
    }

    fn insert(&mut self, element: &'a V) {
        let rank = Ranked { queue: self.queue, element };
        let more = |copies: &mut Copies<'a, V>| copies.more.push(element);
        self.by_rank.entry(rank).and_modify(more).or_insert(Copies::new(element));
    }

    fn step(&mut self, op: &'a PriorityQueueOp<V>, ret: Option<&'a PriorityQueueRet<V>>) -> Step {
        let queue = self.queue;
        if let Insert(v) = op {
            if !matches!(ret, None | Some(Done)) {
                return Step::Illegal;
            }
            self.insert(v);
            return Step::Fits;
        }
        let element = match ret {
            Some(Done) => return Step::Illegal,
            None if *op == Peek => return Step::Fits,
            Some(Found(element)) => element.as_ref(),
            None => {
                // The last two keys tell whether the first element is the only one of its priority.
                let mut last = self.by_rank.iter().rev();
                let (first, second) = (last.next(), last.next());
                let Some((rank, copies)) = first else { return Step::Fits };
                let alone =
                    second.is_none_or(|(r, _)| queue.compare(r.element, rank.element).is_ne());
                if !alone || !copies.are_equal() {
                    return Step::Unclear;
                }
                Some(rank.element)
            }
        };
        let fits = match (element, self.by_rank.last_key_value()) {
            (None, None) => true,
            (Some(element), Some((rank, _))) if queue.compare(element, rank.element).is_eq() => {
                take(&mut self.by_rank, Ranked { queue, element }, *op == Poll)
            }
            _ => false,
        };
        if fits { Step::Fits } else { Step::Illegal }
    }
}

/// Equal elements; most often there is one.
struct Copies<'a, V> {
    one: &'a V,
    more: Vec<&'a V>,
}

impl<'a, V: PartialEq> Copies<'a, V> {
    fn new(one: &'a V) -> Self {
        Copies { one, more: Vec::new() }
    }

    fn are_equal(&self) -> bool {
        self.more.iter().all(|other| *other == self.one)
    }
}

/// Looks for an element, which is removed if `remove`. False if it is not there.
fn take<'a, V: Value + Ord>(
    contents: &mut BTreeMap<Ranked<'a, V>, Copies<'a, V>>,
    rank: Ranked<'a, V>,
    remove: bool,
) -> bool {
    let Some(copies) = contents.get_mut(&rank) else { return false };
    let is_it = |other: &&V| **other == *rank.element;
    let in_more = copies.more.iter().rposition(is_it);
    if in_more.is_none() && !is_it(&copies.one) {
        return false;
    }
    if remove {
        match (in_more, copies.more.pop()) {
            (Some(at), Some(last)) if at < copies.more.len() => copies.more[at] = last,
            (Some(_), _) => {}
            (None, Some(last)) => copies.one = last,
            (None, None) => drop(contents.remove(&rank)),
        }
    }
    true
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::Order;
    use super::*;
    use crate::spec::Spec;

    /// A priority and something that it does not depend on.
    #[derive(Clone, PartialEq, Eq, Hash, Debug)]
    pub(in super::super) struct Job(pub u8, pub char);

    impl Ord for Job {
        fn cmp(&self, other: &Self) -> std::cmp::Ordering {
            self.0.cmp(&other.0)
        }
    }

    impl PartialOrd for Job {
        fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
            Some(self.cmp(other))
        }
    }

    /// Random runs with right and wrong results: replaying in place agrees with the relation.
    #[test]
    fn replay_agrees_with_the_relation() {
        let mut random = fastrand::Rng::with_seed(5);
        let (mut legal, mut illegal, mut silent) = (0, 0, 0);
        for round in 0..4000 {
            let spec = PriorityQueue::new(if round % 2 == 0 { Order::Max } else { Order::Min });
            let mut run = Vec::new();
            for _ in 0..random.usize(0..9) {
                let job = Job(random.u8(0..3), if random.bool() { 'a' } else { 'b' });
                let found = PriorityQueueRet::Value(random.bool().then(|| job.clone()));
                let op = [Insert(job.clone()), Insert(job), Poll, Peek][random.usize(0..4)].clone();
                let ret = match &op {
                    Insert(_) => Done,
                    _ => found,
                };
                run.push((op, (random.u8(0..4) > 0).then_some(ret)));
            }
            let mut states = vec![vec![]];
            let mut expected = Ok(());
            for (at, (op, ret)) in run.iter().enumerate() {
                let mut next = Vec::new();
                for state in &states {
                    spec.successors(state, op, ret.as_ref(), &mut next);
                }
                if next.is_empty() {
                    expected = Err(at);
                    break;
                }
                states = next;
            }
            match spec.replay(&mut run.iter().map(|(op, ret)| (op, ret.as_ref()))) {
                Some(got) => assert_eq!(got, expected, "{run:?}"),
                None => silent += 1,
            }
            legal += usize::from(expected.is_ok());
            illegal += usize::from(expected.is_err());
        }
        assert!(legal > 500 && illegal > 500 && silent > 10, "{legal} {illegal} {silent}");
    }
}
