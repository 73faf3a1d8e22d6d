//! Turns a complete peeling into an order.
//!
//! Empty results come first, each at its peak, where nothing is critical. Then the elements are put
//! in, outermost first, then those that are nowhere critical. The operations of an element become
//! one block, push, peeks, pop, in the gap before the first used peak that is not before its end
//! (its removal's earliest beginning); their peaks are moved into that gap.
//!
//! Why that is an order:
//! * A block is contiguous when it is put in, and so are all later ones: elements nest, and an empty
//!   result stays outside all of them. So it is legal for a stack.
//! * When an element is put in, it is not critical at any used peak: a peak was used because it was
//!   free when an element before it was peeled, or because only that element, now gone, was critical
//!   there. So the last used peak before the element's end is not after the end of its push's window,
//!   and moving the push up to it is fine; the next used peak is not before the beginning of its pop's
//!   window, and moving the pop down to it is fine. A peek's window reaches the end of the push's
//!   window and the beginning of the pop's, so it may be moved between them.
//!
//! No list is kept: at each peak, blocks that come to lie in front of what is there already go to the
//! front, all others to the back. So two cursors for each peak, moving apart, place everything. Time
//! O(n) but for finding the neighbouring used peaks, O(log n) each with a base of 64.

use super::super::columns::{Columns, Kind};
use super::super::container::Elements;
use super::super::names::NONE;
use super::marks::Marks;
use super::peel::Life;
use super::{Solved, Taken};
use crate::sorting::sort_by_key;

/// The rows in an order that explains the history.
pub(super) fn order(c: &Columns, e: &Elements, solved: Solved) -> Vec<u32> {
    let Solved { ends, mut taken, peeled, empty_at } = solved;
    sort_by_key(&mut taken, |t| t.element);
    let mut places = Places {
        c,
        e,
        ends,
        taken,
        lives: peeled.lives,
        peek_at: peeled.peek_at,
        used: Marks::new(c.peaks),
        peeks: Vec::new(),
        first_peek: Vec::new(),
    };
    if e.has_peeks {
        places.gather_peeks();
    }
    empty_at.iter().for_each(|peak| places.used.insert(*peak));
    let mut order = peeled.order;
    order.iter().for_each(|element| places.put(*element, true));
    let critical = order.len();
    order.extend(places.uncritical());
    order[critical..].iter().for_each(|element| places.put(*element, false));
    places.line_up(&order, &empty_at)
}

/// Set in the peak of a row that goes to the front of its peak.
const FRONT: u32 = 1 << 31;

struct Places<'a> {
    c: &'a Columns,
    e: &'a Elements,
    ends: Vec<u32>,
    /// By element.
    taken: Vec<Taken>,
    /// Where the operations of each element take effect; with [`FRONT`] once it has been placed,
    /// and [`NONE`] for pops that did not happen.
    lives: Vec<Life>,
    /// The same for peeks, by row.
    peek_at: Vec<u32>,
    used: Marks,
    /// The peeks of each element.
    peeks: Vec<u32>,
    /// For each element, where its peeks begin; empty if there are none at all.
    first_peek: Vec<u32>,
}

impl Places<'_> {
    fn gather_peeks(&mut self) {
        let c = self.c;
        let rows = || (0..c.len()).filter(|row| c.kinds[*row] == Kind::Peek);
        let mut first = vec![0u32; self.ends.len() + 2];
        rows().for_each(|row| first[c.values[row] as usize + 2] += 1);
        for i in 2..first.len() {
            first[i] += first[i - 1];
        }
        self.peeks = vec![0; first.last().map_or(0, |n| *n as usize)];
        for row in rows() {
            let at = &mut first[c.values[row] as usize + 1];
            self.peeks[*at as usize] = row as u32;
            *at += 1;
        }
        self.first_peek = first;
    }

    /// Where the peeks of an element are in `peeks`.
    fn peeks_of(&self, element: u32) -> std::ops::Range<usize> {
        let at = |i: u32| self.first_peek.get(i as usize).map_or(0, |n| *n as usize);
        at(element)..at(element + 1)
    }

    /// Elements that are nowhere critical.
    fn uncritical(&self) -> Vec<u32> {
        let is_one = |n: &u32| {
            let element = &self.e.list[*n as usize];
            element.is_used() && element.add_right.saturating_add(1) >= self.ends[*n as usize]
        };
        (0..self.ends.len() as u32).filter(is_one).collect()
    }

    /// The pop of an element, or the pending pop that took it, or [`NONE`].
    fn pop_of(&self, element: u32) -> u32 {
        match self.e.list[element as usize].remove {
            NONE => self
                .taken
                .binary_search_by_key(&element, |t| t.element)
                .map_or(NONE, |at| self.taken[at].by),
            row => row,
        }
    }

    /// Puts an element in.
    fn put(&mut self, number: u32, critical: bool) {
        let element = &self.e.list[number as usize];
        let end = self.ends[number as usize];
        let before = self.used.previous(end).unwrap_or(0);
        // After the last peak means after everything; a pop placed there did not happen.
        let after = if end < self.c.peaks { self.used.next(end) } else { None };
        let last = after.unwrap_or(self.c.peaks);
        let life = &mut self.lives[number as usize];
        let (push, pop) = match critical {
            // Of a pending pop only the beginning is known: it can wait for the next used peak.
            true => (life.push, if element.is_removed() { life.pop } else { last }),
            false => (element.add_right.min(end), end),
        };
        let (push, pop) = (push.clamp(before, last), pop.clamp(before, last));
        let mark = |peak: u32| if after == Some(peak) { peak | FRONT } else { peak };
        life.push = mark(push);
        self.used.insert(push);
        life.pop = NONE;
        if pop < self.c.peaks && self.pop_of(number) != NONE {
            self.lives[number as usize].pop = mark(pop);
            self.used.insert(pop);
        }
        for i in self.peeks_of(number) {
            let row = self.peeks[i] as usize;
            let at = if critical { self.peek_at[row] } else { self.c.left[row] };
            let at = at.clamp(push, pop);
            self.peek_at[row] = mark(at);
            self.used.insert(at);
        }
    }

    /// Lines up the rows, with the elements in the order in which they were placed.
    fn line_up(&self, order: &[u32], empty_at: &[u32]) -> Vec<u32> {
        let cursors = self.cursors(order, empty_at);
        let rows = vec![NONE; cursors.last().map_or(0, |cursor| cursor.0 as usize)];
        let mut place = Place { cursors, rows };
        self.e.empties.iter().zip(empty_at).for_each(|(row, peak)| place.back(*row, *peak));
        for &number in order {
            let life = &self.lives[number as usize];
            let (push, pop) = (self.e.list[number as usize].add, self.pop_of(number));
            let peeks = &self.peeks[self.peeks_of(number)];
            // Those at the front are placed from the last one backwards.
            place.front(pop, life.pop);
            peeks.iter().for_each(|row| place.front(*row, self.peek_at[*row as usize]));
            place.front(push, life.push);
            place.back(push, life.push);
            peeks.iter().for_each(|row| place.back(*row, self.peek_at[*row as usize]));
            place.back(pop, life.pop);
        }
        place.rows
    }

    /// For each peak, twice the position where its front ends and its back begins; then twice the
    /// number of rows.
    fn cursors(&self, order: &[u32], empty_at: &[u32]) -> Vec<(u32, u32)> {
        let mut cursors = vec![(0, 0); self.c.peaks as usize + 1];
        let mut count = |peak: u32| {
            if peak & FRONT == 0 {
                cursors[peak as usize].1 += 1;
            } else if peak != NONE {
                cursors[(peak & !FRONT) as usize].0 += 1;
            }
        };
        empty_at.iter().for_each(|peak| count(*peak));
        for &number in order {
            let life = &self.lives[number as usize];
            count(life.push);
            count(life.pop);
            let peeks = &self.peeks[self.peeks_of(number)];
            peeks.iter().for_each(|row| count(self.peek_at[*row as usize]));
        }
        let mut total = 0;
        for cursor in &mut cursors {
            let (front, back) = *cursor;
            *cursor = (total + front, total + front);
            total += front + back;
        }
        cursors
    }
}

/// Rows on their way to their places.
struct Place {
    cursors: Vec<(u32, u32)>,
    rows: Vec<u32>,
}

impl Place {
    /// Places a row if it belongs to the front of its peak.
    fn front(&mut self, row: u32, peak: u32) {
        if peak & FRONT != 0 && peak != NONE {
            let cursor = &mut self.cursors[(peak & !FRONT) as usize].0;
            *cursor -= 1;
            self.rows[*cursor as usize] = row;
        }
    }

    /// Places a row if it belongs to the back of its peak.
    fn back(&mut self, row: u32, peak: u32) {
        if peak & FRONT == 0 {
            let cursor = &mut self.cursors[peak as usize].1;
            self.rows[*cursor as usize] = row;
            *cursor += 1;
        }
    }
}
