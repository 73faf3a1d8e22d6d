//! Priority queues whose elements are distinct: each result must be the first of the elements
//! present.
//!
//! Idea: an element is certainly there at the peaks strictly between the first end of its
//! operations and the last beginning ([`container`](super::container)); there, nothing that comes
//! out after it can be seen. Go through the elements from the one that comes out first. Each peek
//! and each removal needs a peak at which no element before it is certainly there; then *paint* the
//! peaks at which this one is. In the end, rows that found nothing need an unpainted peak. Elements
//! of one priority do not block each other: they are painted after all of them have been checked.
//!
//! Exact: an operation of the remaining elements cannot take effect at a painted peak, so without
//! an unpainted one the answer is no. With one for each, the order of `order.rs` explains the
//! history, and the proof is there. A peek must not be placed before its element's add begins, nor
//! a removal before the last operation of its element does: without that, this would be wrong.
//!
//! Time: O(n α(n)) for n operations, after elements have been sorted by priority. The elements that
//! *pending* removals took are found by trial, see [`sandwich`](super::sandwich).
//!
//! Paper: Lee and Mathur on monitoring linearizability, Algorithm 5 and Corollary 7.3, in which a
//! peek may take effect before its own add. Deviations: that is corrected; peaks instead of events;
//! equal priorities; pending operations; "empty" results are checked last by the same means.

mod contradiction;
mod order;
mod unpainted;

use crate::sorting::{pair, sort_by_key};
use std::borrow::Cow;

use super::columns::{Columns, Kind};
use super::container::{Element, Elements};
use super::effort::Effort;
use super::group::sorted_by_number;
use super::sandwich::{self, Monitor, Sandwich, Taken};
use super::{Clock, Found, Refusal};
use unpainted::Unpainted;

/// Decides the rows.
pub(crate) fn decide(
    c: &Columns,
    e: &Elements,
    clock: &mut Clock,
    effort: &mut Effort<'_>,
) -> Result<Found, Refusal> {
    let mut problem = Problem::new(c, e);
    let answer = sandwich::decide(c, e, &mut problem, effort)?;
    clock.decided();
    Ok(match answer {
        Sandwich::Yes(list) => Found::Order(order::order(&problem, &list)),
        Sandwich::No(no) => Found::Contradiction(contradiction::contradiction(&problem, no.row)),
        Sandwich::NoneFits => Found::Contradiction(contradiction::by_trial(c)),
    })
}

/// An order that explains the rows, if there is one.
pub(crate) fn find_order(
    c: &Columns,
    e: &Elements,
    effort: &mut Effort<'_>,
) -> Result<Option<Vec<u32>>, Refusal> {
    let mut problem = Problem::new(c, e);
    Ok(match sandwich::decide(c, e, &mut problem, effort)? {
        Sandwich::Yes(list) => Some(order::order(&problem, &list)),
        Sandwich::No(_) | Sandwich::NoneFits => None,
    })
}

/// A history of a priority queue, grouped as the monitor needs it.
struct Problem<'a> {
    c: &'a Columns,
    e: &'a Elements,
    /// Elements by priority, those that come out last in front. Empty if this is the order of their
    /// numbers and no two priorities are equal.
    by_priority: Vec<u32>,
    /// Peeks, grouped by element.
    peeks: Vec<u32>,
    /// The position where the peeks of each element begin; the last entry is the end. Empty without
    /// peeks.
    peeks_start: Vec<u32>,
}

/// The elements of one priority.
enum Class<'a> {
    One(u32),
    Many(&'a [u32]),
}

impl Class<'_> {
    fn elements(&self) -> &[u32] {
        match self {
            Class::One(one) => std::slice::from_ref(one),
            Class::Many(many) => many,
        }
    }
}

impl<'a> Problem<'a> {
    fn new(c: &'a Columns, e: &'a Elements) -> Problem<'a> {
        let by_priority = match &c.priority_class[..] {
            [] => Vec::new(),
            class => {
                let all: Vec<u32> = (0..class.len() as u32).collect();
                sorted_by_number(&all, class.len(), |element| class[element as usize]).0
            }
        };
        let (peeks, peeks_start) = match e.has_peeks {
            false => (Vec::new(), Vec::new()),
            true => {
                let is_peek = |row: &u32| c.kinds[*row as usize] == Kind::Peek;
                let rows: Vec<u32> = (0..c.len() as u32).filter(is_peek).collect();
                sorted_by_number(&rows, c.value_count, |row| c.values[row as usize])
            }
        };
        Problem { c, e, by_priority, peeks, peeks_start }
    }

    /// A number that is greater the earlier an element comes out, and equal for elements of one
    /// priority.
    fn class_of(&self, element: u32) -> u32 {
        self.c.priority_class.get(element as usize).copied().unwrap_or(element)
    }

    /// The classes, those that come out first in front.
    fn classes(&self) -> impl Iterator<Item = Class<'_>> {
        let count = if self.by_priority.is_empty() { self.e.list.len() as u32 } else { 0 };
        let same = |a: &u32, b: &u32| self.class_of(*a) == self.class_of(*b);
        let alone = (0..count).rev().map(Class::One);
        alone.chain(self.by_priority.chunk_by(same).rev().map(Class::Many))
    }

    /// The peeks of an element, as positions in `peeks`.
    fn peeks_of(&self, element: u32) -> std::ops::Range<usize> {
        let at = |i: usize| self.peeks_start.get(i).map_or(0, |start| *start as usize);
        at(element as usize)..at(element as usize + 1)
    }

    /// The first peak at which a peek can take effect, judging by its own element.
    fn peek_left(&self, row: u32, element: &Element) -> u32 {
        self.c.left[row as usize].max(element.add_left)
    }

    /// The rows that have no peak to take effect at. Only the first one found unless `all`.
    fn blocked(&self, list: &[Element], all: bool) -> Vec<u32> {
        let c = self.c;
        let mut unpainted = Unpainted::new(c.peaks, false);
        let mut blocked = Vec::new();
        for class in self.classes() {
            for &element in class.elements() {
                let e = &list[element as usize];
                if e.is_removed() && unpainted.from(e.last_left) > c.right[e.remove as usize] {
                    blocked.push(e.remove);
                }
                for &peek in &self.peeks[self.peeks_of(element)] {
                    if unpainted.from(self.peek_left(peek, e)) > c.right[peek as usize] {
                        blocked.push(peek);
                    }
                }
            }
            if !all && !blocked.is_empty() {
                return blocked;
            }
            for &element in class.elements() {
                let e = &list[element as usize];
                if e.is_used() {
                    unpainted.paint_between(e.add_right, e.remove_left(c.peaks));
                }
            }
        }
        for &row in &self.e.empties {
            if unpainted.from(c.left[row as usize]) > c.right[row as usize] {
                blocked.push(row);
            }
        }
        blocked
    }
}

/// An assignment of pending removals that does not explain the history.
struct No<'a> {
    /// A row that has no peak to take effect at.
    row: u32,
    list: Cow<'a, [Element]>,
}

impl<'a> Monitor for Problem<'a> {
    type Yes = Cow<'a, [Element]>;
    type No = No<'a>;

    fn ask(&mut self, taken: &[Taken]) -> Result<Self::Yes, No<'a>> {
        let mut list = Cow::Borrowed(&self.e.list[..]);
        if !taken.is_empty() {
            for taken in taken {
                let e = &mut list.to_mut()[taken.element as usize];
                e.remove = taken.by;
                e.last_left = e.last_left.max(self.c.left[taken.by as usize]);
            }
        }
        match self.blocked(&list, false).first() {
            None => Ok(list),
            Some(&row) => Err(No { row, list }),
        }
    }

    /// Elements that were not removed and prevent a row that has no peak. Taking others does not
    /// help any such row, and rows that have a peak keep it whatever is taken.
    fn blamed(&self, no: &No<'a>) -> Option<Vec<u32>> {
        let c = self.c;
        // Rows that find an element of this class or a later one (or find nothing, which counts as
        // later than all) can take effect up to this peak.
        let mut latest: Vec<(u32, u32)> = Vec::new();
        for row in self.blocked(&no.list, true) {
            let after = match c.kinds[row as usize] {
                Kind::Empty => 0,
                _ => self.class_of(c.values[row as usize]) + 1,
            };
            latest.push((after, c.right[row as usize]));
        }
        sort_by_key(&mut latest, |(after, right)| pair(*after, *right));
        for i in 1..latest.len() {
            latest[i].1 = latest[i].1.max(latest[i - 1].1);
        }
        let is_to_blame = |element: &u32| {
            let e = &no.list[*element as usize];
            let behind = latest.partition_point(|(after, _)| *after <= self.class_of(*element));
            e.is_used() && !e.is_removed() && behind > 0 && e.add_right < latest[behind - 1].1
        };
        Some((0..no.list.len() as u32).filter(is_to_blame).collect())
    }
}
