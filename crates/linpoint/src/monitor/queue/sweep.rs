//! Queues without peeks in which all removals are known: two passes, without sorting.
//!
//! A cycle of constraints then implies one of two elements: v's enqueue had ended before w's began,
//! yet w's dequeue had ended before v's began. For of two constraints in a row that come from enqueues
//! (u before v, v before w: `add_right(u) < add_left(v) <= add_right(v) < add_left(w)`) one follows
//! from u to w, likewise for dequeues, so that a shortest cycle alternates; and if u, v by enqueues,
//! v, w by dequeues, w, x by enqueues, then either u's enqueue had ended before x's began, or w's had
//! ended before v's began, which is a cycle of two with the constraint from v to w. So a shortest
//! cycle has two elements. An element that is never dequeued is dequeued after the end.

use super::super::container::Element;
use super::reach::Reach;
use super::sort::by_peak;

/// True if there is no such pair. `reach` has all elements.
pub(super) fn is_in_order(list: &[Element], reach: &Reach) -> bool {
    // Unused numbers begin at 0.
    list.iter().all(|w| reach.before(w.add_left) <= w.seen_right)
}

/// An order of the elements, front first, if there is no such pair.
///
/// By the end of their dequeues; but before w come all v whose enqueue had ended before w's began, by
/// the end of their enqueues. Those v have not been dequeued yet when w's dequeue ends, and theirs have
/// begun by then, so that none of their dequeues precedes another one's.
pub(super) fn line(list: &[Element], peaks: u32) -> Vec<u32> {
    let of = |value: u32| &list[value as usize];
    let used = || (0..list.len() as u32).filter(|v| of(*v).is_used());
    let by_enqueue = by_peak(used().collect(), |v| of(v).add_right, peaks);
    let removed = used().filter(|v| of(*v).is_removed()).collect();
    let by_dequeue = by_peak(removed, |v| of(v).seen_right, peaks);
    let mut line = Vec::with_capacity(by_enqueue.len());
    let mut is_placed = vec![false; list.len()];
    let mut place = |value: u32| {
        if !std::mem::replace(&mut is_placed[value as usize], true) {
            line.push(value);
        }
    };
    let mut rest = by_enqueue.into_iter().peekable();
    for w in by_dequeue {
        while let Some(v) = rest.next_if(|v| of(*v).add_right < of(w).add_left) {
            place(v);
        }
        place(w);
    }
    rest.for_each(place);
    line
}
