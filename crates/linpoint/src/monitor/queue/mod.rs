//! First-in first-out queues whose elements are distinct: enqueue, dequeue, peek, empty results,
//! elements that are never dequeued, pending enqueues and dequeues.
//!
//! Idea. An element has four numbers (peaks): its enqueue *begins* at `add_left` and has *ended* by
//! `add_right`; its first observation (peek or dequeue) ends at `seen_right`, its last operation begins
//! at `last_left`, or at the removal that it is given. Element v must be in front of w
//!
//! * if v's enqueue had ended before w's began (`add_right(v) < add_left(w)`), or
//! * if v had been seen at the front before w's last operation began (`seen_right(v) < last_left(w)`):
//!   were w in front of v, it would have been gone before v was seen.
//!
//! If these constraints have no cycle, then each order that respects them is the order of some
//! linearization (the argument is in `witness.rs`). Empty results need in addition a peak at which no
//! element must be in the queue, and that is all they need.
//!
//! * Without peeks, a cycle implies one of two elements, and one pass finds it (`sweep.rs`).
//! * Otherwise elements that constrain no other are peeled off from the back (`peel.rs`), which also
//!   decides which never-dequeued element each pending dequeue removes.
//!
//! Complexity: O(n), and a logarithm for each never-dequeued element where there are peeks or pending
//! dequeues. Complete for all histories in which no element is enqueued twice; others are refused
//! before they come here.
//!
//! Paper: Lee and Mathur on monitoring linearizability, the queue algorithm. Deviations: 1. peaks
//! instead of event times; 2. peeling from the back instead of the front, because from the front the
//! wrong element may steal a pending dequeue; 3. pending operations at all; 4. the pass without peeks;
//! 5. witnesses and contradictions.

mod contradiction;
mod cycle;
pub(super) mod heads;
mod peel;
mod reach;
mod sort;
mod sweep;
mod witness;

use super::columns::Columns;
use super::container::{Element, Elements};
use super::effort::Effort;
use super::names::NONE;
use super::{Clock, Found, Refusal};
use reach::{Cut, Reach};

/// Decides the rows.
pub(crate) fn decide(
    c: &Columns,
    e: &Elements,
    clock: &mut Clock,
    _effort: &mut Effort<'_>,
) -> Result<Found, Refusal> {
    // Pending dequeues have nothing to remove if every element is already removed.
    let removals_are_known = e.takes.is_empty() || e.unremoved == 0;
    let answer = if e.has_peeks || !removals_are_known { by_peeling(c, e) } else { by_sweep(c, e) };
    clock.decided();
    match answer {
        Some((line, cuts)) => Ok(Found::Order(witness::order(c, e, line.places(c, e), cuts))),
        None => contradiction::find(c, e).map(Found::Contradiction),
    }
}

/// An order that explains the rows, if there is one.
pub(crate) fn order(c: &Columns, e: &Elements) -> Option<Vec<u32>> {
    let (line, cuts) = by_peeling(c, e)?;
    Some(witness::order(c, e, line.places(c, e), cuts))
}

/// What is known about the order of the elements once the answer is yes.
enum Line {
    /// Not known yet.
    ToBeFound,
    /// The elements, front first.
    Known(Vec<u32>),
}

fn by_sweep(c: &Columns, e: &Elements) -> Option<(Line, Vec<Cut>)> {
    let removal = |e: &Element| (e.add_right, e.remove_left(c.peaks));
    let reach = Reach::of(e.list.iter().filter(|e| e.is_used()).map(removal), c.peaks);
    if !sweep::is_in_order(&e.list, &reach) {
        return None;
    }
    Some((Line::ToBeFound, reach.cuts(c, &e.empties).ok()?))
}

fn by_peeling(c: &Columns, e: &Elements) -> Option<(Line, Vec<Cut>)> {
    let takes = Takes::of(c, e);
    let line = peel::peel(&e.list, &takes, c.peaks).ok()?;
    let cuts = if e.empties.is_empty() {
        Vec::new()
    } else {
        let spans = takes.places(&line, &e.list).map(|p| p.critical(&e.list));
        Reach::of(spans, c.peaks).cuts(c, &e.empties).ok()?
    };
    Some((Line::Known(line), cuts))
}

impl Line {
    /// Each element with its removal, front first.
    fn places(self, c: &Columns, e: &Elements) -> Vec<Place> {
        let line = match self {
            Line::ToBeFound => sweep::line(&e.list, c.peaks),
            Line::Known(line) => line,
        };
        Takes::of(c, e).places(&line, &e.list).collect()
    }
}

/// The pending dequeues that may remove something.
struct Takes {
    /// Their rows and left ends, by left end.
    known: Vec<(u32, u32)>,
    /// The left end of all further ones, of which there are as many as needed.
    beyond: u32,
}

impl Takes {
    /// The pending dequeues of the history. Elements that they do not remove are removed after the
    /// end.
    ///
    /// The first ones are used: of two pending dequeues, the one that was called first can do
    /// whatever the other can.
    fn of(c: &Columns, e: &Elements) -> Takes {
        let of_row = |row: &u32| (*row, c.left[*row as usize]);
        let known = e.takes.iter().take(e.unremoved).map(of_row).collect();
        Takes { known, beyond: c.peaks }
    }

    /// No pending dequeue, but elements that are never dequeued may be gone from `peak` on.
    fn unlimited_from(peak: u32) -> Takes {
        Takes { known: Vec::new(), beyond: peak }
    }

    /// The row and left end of the pending dequeue that removes the `nth` of the elements that no
    /// completed operation removes. Those in front get the first ones.
    fn nth(&self, nth: usize) -> (u32, u32) {
        self.known.get(nth).copied().unwrap_or((NONE, self.beyond))
    }

    /// The left end of the last of the first `count`; 0 if there is none.
    fn last_left(&self, count: usize) -> u32 {
        count.checked_sub(1).map_or(0, |last| self.nth(last).1)
    }

    /// Gives each element of the line its removal.
    fn places<'a>(
        &'a self,
        line: &'a [u32],
        list: &'a [Element],
    ) -> impl Iterator<Item = Place> + 'a {
        let mut unremoved = 0;
        line.iter().map(move |&value| {
            let e = &list[value as usize];
            if e.is_removed() {
                return Place { value, removal: e.remove, left: e.last_left };
            }
            let (removal, left) = self.nth(unremoved);
            unremoved += 1;
            Place { value, removal, left: left.max(e.last_left) }
        })
    }
}

/// An element in the order of the queue, and its removal.
#[derive(Clone, Copy)]
struct Place {
    /// The number of the element.
    value: u32,
    /// The row that removes it, or [`NONE`].
    removal: u32,
    /// The earliest peak at which it is removed.
    left: u32,
}

impl Place {
    /// The ends of the gap in which it must be in the queue: it is there at every peak strictly
    /// between them.
    fn critical(&self, list: &[Element]) -> (u32, u32) {
        (list[self.value as usize].add_right, self.left)
    }
}
