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

#[cfg(test)]
mod tests {
    use super::super::{Takes, peel};
    use super::*;
    use crate::monitor::names::NONE;
    use crate::monitor::peaks::Peaks;

    const PEAKS: u32 = 6;

    /// An enqueue and perhaps a dequeue, at random peaks.
    fn element(rng: &mut fastrand::Rng) -> Element {
        let mut interval = || {
            let (a, b) = (rng.u32(..PEAKS), rng.u32(..PEAKS));
            (a.min(b), a.max(b))
        };
        let (add, remove) = (interval(), interval());
        let unremoved = Element {
            add: 0,
            remove: NONE,
            add_left: add.0,
            add_right: add.1,
            seen_right: Peaks::NEVER,
            last_left: add.0,
        };
        // A dequeue that ended before the enqueue began is a contradiction of its own.
        if remove.1 < add.0 || rng.u32(..4) == 0 {
            return unremoved;
        }
        Element {
            remove: 1,
            add_right: add.1.min(remove.1),
            seen_right: remove.1,
            last_left: add.0.max(remove.0),
            ..unremoved
        }
    }

    /// A pass that says no too often would not be noticed from outside: no contradiction is found
    /// then, and slower algorithms decide.
    #[test]
    fn the_pass_agrees_with_peeling() {
        let mut rng = fastrand::Rng::with_seed(1);
        let mut answers = [0, 0];
        for _ in 0..20_000 {
            let list: Vec<Element> = (0..rng.usize(1..=5)).map(|_| element(&mut rng)).collect();
            let removal = |e: &Element| (e.add_right, e.remove_left(PEAKS));
            let reach = Reach::of(list.iter().map(removal), PEAKS);
            let takes = Takes { known: Vec::new(), beyond: PEAKS };
            let expected = peel::peel(&list, &takes, PEAKS).is_ok();
            assert_eq!(is_in_order(&list, &reach), expected, "{list:?}");
            answers[usize::from(expected)] += 1;
        }
        assert!(answers.iter().all(|n| *n > 1_000), "{answers:?}");
    }
}
