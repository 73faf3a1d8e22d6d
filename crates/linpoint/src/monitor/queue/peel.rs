//! Queues with peeks, or with pending dequeues whose elements are unknown: peeling from the back.
//!
//! The last element of the queue is one that need not be in front of any other. Elements that no
//! completed operation removed share the removals that are left (the first pending dequeues, then
//! removals after the end), and those in front get the earlier ones; so the last one gets the latest. An
//! element qualifies as the last if
//!
//! * its enqueue had not ended before another one's began,
//! * it had not been seen before another one's last operation began, and
//! * it had not been seen before the latest removal that the others need began.
//!
//! Removed elements that qualify are peeled first, then of the others the one whose enqueue ends last.
//!
//! Proof that this misses nothing. Take any linearization. That the removals are handed out in
//! order, and that the first ones are used, is no restriction: which pending dequeue removes an
//! element does not matter, the earlier ones can stand in for the later ones, and more elements can
//! be removed at the very end. Its line of elements then respects all constraints, and each empty
//! result has a peak outside all gaps in which an element must be there. Suppose that v is peeled,
//! but is not the last in line.
//!
//! * v was removed: moving it to the end breaks no constraint, because v need not be in front of
//!   anything, and changes no removal.
//! * v was not removed: then no removed element qualifies, but the last in line, z, does, so that z
//!   was not removed either, and v's enqueue ends no earlier than z's. Moving v to the end gives it
//!   z's removal, and every unremoved element that stood behind v gets that of the one before it.
//!   Only v's removal becomes later, and nothing is behind v any more. The gap of v grows at most
//!   to where z's removal begins, and z had to be there from the same peak or an earlier one until
//!   then. So no peak is in a gap that was in none before.
//!
//! Either way another line with v at its end is as good, and the rest of it is a line without v.
//!
//! What an element is compared with only falls, so each of four sorted lists is walked once.

use std::collections::BinaryHeap;

use super::super::container::Element;
use super::Takes;
use super::sort::by_peak;

/// The elements, front first; or those that are left when none qualifies.
pub(super) fn peel(list: &[Element], takes: &Takes, peaks: u32) -> Result<Vec<u32>, Vec<u32>> {
    let mut peel = Peel::new(list, takes, peaks);
    let mut line = Vec::with_capacity(peel.by_begin.len());
    while let Some(value) = peel.next() {
        line.push(value);
    }
    peel.drop_peeled();
    if peel.by_begin.is_empty() {
        line.reverse();
        return Ok(line);
    }
    Err(peel.by_begin.into_iter().filter(|v| !peel.marks[*v as usize].peeled).collect())
}

/// The properties of an element.
#[derive(Clone, Copy, Default)]
struct Marks {
    /// It has been peeled.
    peeled: bool,
    /// Its enqueue precedes no other enqueue.
    enqueue_is_free: bool,
    /// It was not seen before another element's last operation.
    sight_is_free: bool,
}

/// Lists are sorted, and consumed from their ends.
struct Peel<'a> {
    list: &'a [Element],
    takes: &'a Takes,
    marks: Vec<Marks>,
    /// All elements, by the left end of their enqueue.
    by_begin: Vec<u32>,
    /// Those whose enqueue is not free, by the end of their enqueue.
    by_end: Vec<u32>,
    /// All but `last`, by their last left end.
    by_last: Vec<u32>,
    /// The two elements whose last left ends are greatest, the greatest first.
    last: [Option<u32>; 2],
    /// Removed elements that are not critical on their own and whose sight is not free, by the end
    /// of the sight.
    removed_by_sight: Vec<u32>,
    /// The same for elements that no completed operation removed.
    unremoved_by_sight: Vec<u32>,
    /// Removed elements that qualify.
    removed: Vec<u32>,
    /// Unremoved elements that qualify, with the end of their enqueue.
    unremoved: BinaryHeap<(u32, u32)>,
    /// Number of unremoved elements that are not peeled.
    unremoved_left: usize,
}

/// True if the element was seen before its own last operation began. Then only the last element by
/// left end can be free, and that is checked when it is the last.
fn sees_itself(e: &Element) -> bool {
    e.last_left > e.seen_right
}

impl<'a> Peel<'a> {
    fn new(list: &'a [Element], takes: &'a Takes, peaks: u32) -> Self {
        let of = |value: u32| &list[value as usize];
        let used: Vec<u32> = (0..list.len() as u32).filter(|v| of(*v).is_used()).collect();
        let by_sight = |removed: bool| {
            let wanted = |v: &u32| of(*v).is_removed() == removed && !sees_itself(of(*v));
            let wanted = used.iter().copied().filter(wanted).collect();
            by_peak(wanted, |v| of(v).seen_right.min(peaks), peaks)
        };
        Peel {
            removed_by_sight: by_sight(true),
            unremoved_by_sight: by_sight(false),
            by_end: by_peak(used.clone(), |v| of(v).add_right, peaks),
            by_last: by_peak(used.clone(), |v| of(v).last_left, peaks),
            last: [None; 2],
            removed: Vec::new(),
            unremoved: BinaryHeap::new(),
            unremoved_left: used.iter().filter(|v| !of(**v).is_removed()).count(),
            by_begin: by_peak(used, |v| of(v).add_left, peaks),
            marks: vec![Marks::default(); list.len()],
            list,
            takes,
        }
    }

    fn of(&self, value: u32) -> &'a Element {
        &self.list[value as usize]
    }

    /// Takes the next element from the back.
    fn next(&mut self) -> Option<u32> {
        self.drop_peeled();
        self.find_free();
        let value = self.choose()?;
        self.marks[value as usize].peeled = true;
        self.unremoved_left -= usize::from(!self.of(value).is_removed());
        Some(value)
    }

    fn choose(&mut self) -> Option<u32> {
        if let Some(value) = self.removed.pop() {
            return Some(value);
        }
        let Some(critical) = self.free_critical() else {
            return self.unremoved.pop().map(|(_, value)| value);
        };
        let better = |(end, _): &(u32, u32)| *end > self.of(critical).add_right;
        if !self.of(critical).is_removed() && self.unremoved.peek().is_some_and(better) {
            return self.unremoved.pop().map(|(_, value)| value);
        }
        Some(critical)
    }

    /// The left ends that sights are compared with: those of the others, and of the removals that
    /// others need.
    fn removals_needed(&self, by_others_than: &Element) -> u32 {
        let own = usize::from(!by_others_than.is_removed());
        self.takes.last_left(self.unremoved_left.saturating_sub(own))
    }

    /// The element that was seen before its own last operation began, if it qualifies.
    fn free_critical(&self) -> Option<u32> {
        let value = self.last[0]?;
        let e = self.of(value);
        let others = self.last[1].map_or(0, |second| self.of(second).last_left);
        let qualifies = sees_itself(e)
            && self.marks[value as usize].enqueue_is_free
            && e.seen_right >= others.max(self.removals_needed(e));
        qualifies.then_some(value)
    }

    /// Drops peeled elements at the ends of the lists.
    fn drop_peeled(&mut self) {
        let marks = &self.marks;
        let is_peeled = |v: &u32| marks[*v as usize].peeled;
        while self.by_begin.pop_if(|v| is_peeled(v)).is_some() {}
        if self.last[0].is_some_and(|v| is_peeled(&v)) {
            self.last = [self.last[1], None];
        }
        for last in &mut self.last {
            while last.is_none_or(|v| is_peeled(&v)) {
                *last = self.by_last.pop();
                if last.is_none() {
                    break;
                }
            }
        }
    }

    /// Finds elements that have become free.
    fn find_free(&mut self) {
        let Some(&latest) = self.by_begin.last() else { return };
        let begin = self.of(latest).add_left;
        let list = self.list;
        let of = |value: u32| &list[value as usize];
        while let Some(value) = self.by_end.pop_if(|v| of(*v).add_right >= begin) {
            self.marks[value as usize].enqueue_is_free = true;
            self.qualifies(value);
        }
        let last = self.last[0].map_or(0, |v| of(v).last_left);
        let removed = last.max(self.takes.last_left(self.unremoved_left));
        while let Some(value) = self.removed_by_sight.pop_if(|v| of(*v).seen_right >= removed) {
            self.marks[value as usize].sight_is_free = true;
            self.qualifies(value);
        }
        let unremoved = last.max(self.takes.last_left(self.unremoved_left.saturating_sub(1)));
        while let Some(value) = self.unremoved_by_sight.pop_if(|v| of(*v).seen_right >= unremoved) {
            self.marks[value as usize].sight_is_free = true;
            self.qualifies(value);
        }
    }

    /// Records the element if it is free in both ways.
    fn qualifies(&mut self, value: u32) {
        let marks = self.marks[value as usize];
        if !(marks.enqueue_is_free && marks.sight_is_free) {
            return;
        }
        let e = self.of(value);
        if e.is_removed() {
            self.removed.push(value);
        } else {
            self.unremoved.push((e.add_right, value));
        }
    }
}
