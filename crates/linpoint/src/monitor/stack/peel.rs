//! Peeling: which elements can be explained, from the outermost one inwards.
//!
//! A peak at which no element is certainly there is *free*: there the stack may be taken to be empty.
//! An operation that is open at a free peak may take effect at it. An element all of whose operations
//! have found such a peak disappears: whatever is left nests inside it or beside it. That frees more
//! peaks, and so on. If an element is left in the end, no order explains the history; the proof is
//! in [`super::certificate`], and the proof of the converse in [`super::witness`].
//!
//! A peek may also take effect where no element but its own is certainly there ([`super::peeks`]).
//!
//! Free peaks come in runs and are handled as runs. Which peaks are freed first does not matter, so
//! those freed last are handled first: they are near.

use super::super::columns::{Columns, Kind};
use super::super::container::Elements;
use super::super::names::NONE;
use super::cover::{Cover, Run};
use super::peeks::Peeks;
use super::stabbing::Stabbing;

/// The history and an assignment of pending removals.
#[derive(Clone, Copy)]
pub(super) struct Question<'a> {
    pub(super) c: &'a Columns,
    pub(super) e: &'a Elements,
    /// For each element, when its removal begins at the earliest; the number of peaks if it is never
    /// removed.
    pub(super) ends: &'a [u32],
}

impl Question<'_> {
    /// The peaks at which an element is certainly there: from the first one up to but not including
    /// the second one. None if they are not in this order.
    pub(super) fn span(&self, element: u32) -> (u32, u32) {
        // Numbers that are not in use end before everything.
        let added = self.e.list[element as usize].add_right;
        (added.saturating_add(1), self.ends[element as usize])
    }

    /// True if there is a peak at which the element is certainly there.
    pub(super) fn is_critical(&self, element: u32) -> bool {
        let (first, end) = self.span(element);
        first < end
    }

    /// The elements that are certainly there at some peak.
    pub(super) fn critical(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.ends.len() as u32).filter(|n| self.is_critical(*n))
    }

    /// When an operation of an element can take effect, given what else is known of the element.
    pub(super) fn window(&self, row: u32) -> (u32, u32) {
        let (i, element) = (row as usize, self.c.values[row as usize] as usize);
        match self.c.kinds[i] {
            Kind::Add => (self.c.left[i], self.e.list[element].add_right),
            Kind::Remove => (self.ends[element], self.c.right[i]),
            _ => (self.c.left[i], self.c.right[i]),
        }
    }

    /// The rows about elements that are certainly there at some peak.
    pub(super) fn rows(&self) -> impl Iterator<Item = u32> + '_ {
        let matters = |row: &u32| {
            let i = *row as usize;
            matches!(self.c.kinds[i], Kind::Add | Kind::Remove | Kind::Peek)
                && self.is_critical(self.c.values[i])
        };
        (0..self.c.len() as u32).filter(matters)
    }
}

/// What peeling found out.
#[derive(Debug)]
pub(super) struct Peeled {
    /// For each row the peak at which it can take effect, or [`NONE`] if none was found. Says nothing
    /// about elements that are nowhere critical.
    pub(super) peak: Vec<u32>,
    /// The critical elements that can be explained, from the outermost one inwards.
    pub(super) order: Vec<u32>,
    /// How many critical elements are left.
    pub(super) left: usize,
}

/// Peels; `cover` counts the critical elements at each peak.
pub(super) fn peel(question: Question<'_>, cover: Cover) -> Peeled {
    let mut peel = Peel::new(question, cover);
    peel.run();
    Peeled { peak: peel.peak, order: peel.order, left: peel.left }
}

struct Peel<'a> {
    q: Question<'a>,
    cover: Cover,
    /// The operations by the left ends of their windows.
    ops: Stabbing,
    /// The row of each slot of `ops`.
    rows: Vec<u32>,
    /// For each peak, how many windows begin before it.
    begun: Vec<u32>,
    /// For each element, how many of its operations have no peak yet.
    open: Vec<u32>,
    peeks: Option<Peeks>,
    /// Free peaks whose operations have not been looked at.
    free: Vec<Run>,
    peak: Vec<u32>,
    order: Vec<u32>,
    left: usize,
    /// Slots that were just taken out.
    found: Vec<u32>,
}

impl<'a> Peel<'a> {
    fn new(q: Question<'a>, cover: Cover) -> Peel<'a> {
        let mut begun = vec![0u32; q.c.peaks as usize + 2];
        let mut open = vec![0u32; q.ends.len()];
        for row in q.rows() {
            begun[q.window(row).0 as usize + 1] += 1;
            open[q.c.values[row as usize] as usize] += 1;
        }
        let mut total = 0;
        for n in &mut begun {
            total += *n;
            *n = total;
        }
        let mut ops = Stabbing::with_slots(total as usize);
        let mut rows = vec![0; total as usize];
        // While slots are given away, `begun` of a peak is its next slot; in the end that is where
        // the next peak begins.
        for row in q.rows() {
            let (first, last) = q.window(row);
            let slot = &mut begun[first as usize];
            rows[*slot as usize] = row;
            ops.put(*slot, last);
            *slot += 1;
        }
        ops.finish();
        let peeks = q.e.has_peeks.then(|| Peeks::new(q, &rows));
        Peel {
            q,
            cover,
            ops,
            rows,
            begun,
            peeks,
            free: Vec::new(),
            peak: vec![NONE; q.c.len()],
            order: Vec::new(),
            left: open.iter().filter(|n| **n > 0).count(),
            open,
            found: Vec::new(),
        }
    }

    fn run(&mut self) {
        while self.left > 0 {
            match self.cover.least() {
                Some(0) => self.cover.report(&mut self.free),
                Some(1) if self.free.is_empty() && self.peeks.is_some() => self.peek_alone(),
                _ if self.free.is_empty() => return,
                _ => {}
            }
            if let Some(run) = self.free.pop() {
                self.take_at(run);
            }
        }
    }

    /// All operations that are open at a free peak of the run can take effect there.
    fn take_at(&mut self, run: Run) {
        // `begun[p]` counts the windows that begin at `p` or before, see `new`.
        let mut found = std::mem::take(&mut self.found);
        self.ops.take((0, self.begun[run.last as usize]), run.first, &mut found);
        for slot in found.drain(..) {
            self.settle(self.rows[slot as usize], run);
        }
        self.found = found;
    }

    /// Where only one element is certainly there, peeks that found it can take effect.
    fn peek_alone(&mut self) {
        let mut runs = Vec::new();
        self.cover.report(&mut runs);
        let mut found = Vec::new();
        for mut run in runs {
            while run.first <= run.last {
                let Some(peeks) = &mut self.peeks else { return };
                // If there is none, it has disappeared meanwhile.
                let Some((element, end)) = peeks.element_at(run.first) else {
                    self.free.push(run);
                    break;
                };
                let part = Run { first: run.first, last: run.last.min(end - 1) };
                peeks.park(element, part);
                peeks.take(element, part, self.q.c, &mut found);
                for row in found.drain(..) {
                    self.settle(row, part);
                }
                run.first = part.last + 1;
            }
        }
    }

    /// The operation can take effect in the run.
    fn settle(&mut self, row: u32, run: Run) {
        let peak = &mut self.peak[row as usize];
        if *peak != NONE {
            return;
        }
        *peak = self.q.window(row).0.max(run.first);
        let element = self.q.c.values[row as usize];
        let open = &mut self.open[element as usize];
        *open -= 1;
        if *open == 0 {
            self.disappear(element);
        }
    }

    fn disappear(&mut self, element: u32) {
        self.order.push(element);
        self.left -= 1;
        let (first, end) = self.q.span(element);
        self.cover.uncover(first, end - 1);
        if let Some(peeks) = &mut self.peeks {
            peeks.disappear(element, &mut self.free);
        }
    }
}
