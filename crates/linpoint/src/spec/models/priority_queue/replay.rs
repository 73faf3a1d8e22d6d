//! Running a priority queue in place.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::PriorityQueueOp::{Insert, Peek, Poll};
use super::PriorityQueueRet::{Done, Value as Found};
use super::{PriorityQueue, PriorityQueueOp, PriorityQueueRet, Value};

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
    run: &mut dyn Iterator<Item = (&PriorityQueueOp<V>, Option<&PriorityQueueRet<V>>)>,
) -> Option<Result<(), usize>> {
    let ranked = |element| Ranked { queue, element };
    // Elements with one rank are equal, unless their hashes collide.
    let mut contents: BTreeMap<Ranked<'_, V>, Copies<'_, V>> = BTreeMap::new();
    for (at, (op, ret)) in run.enumerate() {
        if let Insert(v) = op {
            if !matches!(ret, None | Some(Done)) {
                return Some(Err(at));
            }
            contents.entry(ranked(v)).and_modify(|c| c.more.push(v)).or_insert(Copies::new(v));
            continue;
        }
        let is_poll = *op == Poll;
        let element = match ret {
            Some(Done) => return Some(Err(at)),
            None if *op == Peek => continue,
            Some(Found(element)) => element.as_ref(),
            None => {
                // The last two keys tell whether the first element is the only one of its priority.
                let mut last = contents.iter().rev();
                let (first, second) = (last.next(), last.next());
                let Some((rank, copies)) = first else { continue };
                let alone =
                    second.is_none_or(|(r, _)| queue.compare(r.element, rank.element).is_ne());
                if !alone || !copies.are_equal() {
                    return None;
                }
                Some(rank.element)
            }
        };
        let fits = match (element, contents.last_key_value()) {
            (None, None) => true,
            (Some(v), Some((rank, _))) if queue.compare(v, rank.element).is_eq() => {
                take(&mut contents, ranked(v), is_poll)
            }
            _ => false,
        };
        if !fits {
            return Some(Err(at));
        }
    }
    Some(Ok(()))
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
