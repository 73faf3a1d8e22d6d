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
