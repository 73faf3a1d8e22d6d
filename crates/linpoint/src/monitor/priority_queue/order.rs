//! Builds an order that explains the history, given that every row has an unpainted peak.
//!
//! Each row is given a peak at which it is open; rows are then sorted by peak, which respects real
//! time. Elements are placed from the one that comes out first, among the peaks that earlier classes
//! left unpainted:
//!
//! * an element whose operations have a free peak in common lives and dies there;
//! * of any other, the removal goes to the first free peak of its own, the peeks that can be as early
//!   as the end of the add (`add_right`) go to the last free peak up to it if they can, else to their
//!   first free one, and the add goes to `add_right`, or before it to the first of the peeks.
//!
//! So an element is there, strictly between the peaks of its add and its removal, only at peaks that
//! it or an earlier class paints: those up to `add_right`, if the add is before it, and those from
//! `remove_left` on, if the removal is after it, were skipped because they were painted; the others
//! are its own. Hence (*) at a peak at which a row sees an element, or sees none, no element that comes
//! out before it is passing through: it is absent, or it is added or removed at that very peak.
//!
//! At one peak come first the removals of elements that were added at earlier peaks, those that come
//! out first in front, each after its peeks; then what found nothing; and then everything else,
//! element by element, those that come out last in front: add, peeks, removal. By (*), a removal or
//! peek of the first part finds nothing before its element, for what is removed at this peak and comes
//! out first is gone and what is added is not yet there. What found nothing has no element passing
//! through, whatever its class. In the last part, an element with a peek or a removal finds only
//! elements that come out after it or at its own turn: those passing through, by (*), and those added
//! here before it, by the order.
//!
//! A removal that lands behind the last peak has not happened: the element is never removed, or a
//! pending removal was assigned to it in vain.

use super::super::container::Element;
use super::super::names::NONE;
use super::Problem;
use super::unpainted::Unpainted;

/// The rows in an order that explains the history.
pub(super) fn order(problem: &Problem<'_>, list: &[Element]) -> Vec<u32> {
    Placed::new(problem, list).sorted()
}

/// The peaks at which rows take effect.
struct Placed<'a> {
    problem: &'a Problem<'a>,
    list: &'a [Element],
    /// The peaks at which each element is added and removed; the number of peaks means never.
    spans: Vec<(u32, u32)>,
    /// When each of `Problem::peeks` takes effect.
    peeks: Vec<u32>,
    /// The same for rows without an element.
    others: Vec<(u32, u32)>,
}

impl<'a> Placed<'a> {
    fn new(problem: &'a Problem<'a>, list: &'a [Element]) -> Placed<'a> {
        let c = problem.c;
        let mut unpainted = Unpainted::new(c.peaks, true);
        let spans = vec![(c.peaks, c.peaks); list.len()];
        let peeks = vec![0; problem.peeks.len()];
        let mut placed = Placed { problem, list, spans, peeks, others: Vec::new() };
        for class in problem.classes() {
            for &element in class.elements() {
                if list[element as usize].is_used() {
                    placed.place(element, &mut unpainted);
                }
            }
            for &element in class.elements() {
                let e = &list[element as usize];
                if e.is_used() {
                    unpainted.paint_between(e.add_right, e.remove_left(c.peaks));
                }
            }
        }
        for &row in &problem.e.empties {
            placed.others.push((row, unpainted.from(c.left[row as usize])));
        }
        placed
    }

    /// Places the rows of an element.
    fn place(&mut self, element: u32, unpainted: &mut Unpainted) {
        let e = &self.list[element as usize];
        let remove_left = e.remove_left(self.problem.c.peaks);
        let removed = unpainted.from(remove_left);
        let peeks = self.problem.peeks_of(element);
        if removed <= e.add_right {
            self.spans[element as usize] = (removed, removed);
            self.peeks[peeks].fill(removed);
            return;
        }
        let mut added = e.add_right;
        if !peeks.is_empty() {
            let early = unpainted.up_to(e.add_right);
            for i in peeks {
                let left = self.problem.peek_left(self.problem.peeks[i], e);
                let at = match early != NONE && left <= early {
                    true => early,
                    false => unpainted.from(left),
                };
                self.peeks[i] = at;
                added = added.min(at);
            }
        }
        self.spans[element as usize] = (added, removed);
    }

    /// All rows by peak; within a peak, in the order that the module documentation defines.
    fn sorted(&self) -> Vec<u32> {
        let mut start = vec![0u32; self.problem.c.peaks as usize + 1];
        self.each(|_, at| start[at as usize + 1] += 1);
        for i in 1..start.len() {
            start[i] += start[i - 1];
        }
        let count = start.last().copied().unwrap_or(0);
        let mut order = vec![0; count as usize];
        self.each(|row, at| {
            let next = &mut start[at as usize];
            order[*next as usize] = row;
            *next += 1;
        });
        order
    }

    /// Passes each row that takes effect to `visit`, with its peak; rows of one peak are in the
    /// right order.
    fn each(&self, mut visit: impl FnMut(u32, u32)) {
        for class in self.problem.classes() {
            for &element in class.elements() {
                let (added, removed) = self.spans[element as usize];
                if added < removed && removed < self.problem.c.peaks {
                    self.peeks_at(element, |at| at == removed, &mut visit);
                    visit(self.list[element as usize].remove, removed);
                }
            }
        }
        for &(row, at) in &self.others {
            visit(row, at);
        }
        self.each_ascending(|element| {
            let e = &self.list[element as usize];
            let (added, removed) = self.spans[element as usize];
            if !e.is_used() {
                return;
            }
            visit(e.add, added);
            self.peeks_at(element, |at| at != removed || at == added, &mut visit);
            if added == removed {
                visit(e.remove, removed);
            }
        });
    }

    fn each_ascending(&self, mut each: impl FnMut(u32)) {
        match &self.problem.by_priority[..] {
            [] => (0..self.list.len() as u32).for_each(each),
            by_priority => by_priority.iter().for_each(|element| each(*element)),
        }
    }

    fn peeks_at(&self, element: u32, when: impl Fn(u32) -> bool, visit: &mut impl FnMut(u32, u32)) {
        for i in self.problem.peeks_of(element) {
            if when(self.peeks[i]) {
                visit(self.problem.peeks[i], self.peeks[i]);
            }
        }
    }
}
