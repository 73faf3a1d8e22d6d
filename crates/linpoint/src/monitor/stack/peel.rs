//! Peeling: determines which elements can be explained, from the outermost one inwards.
//!
//! A peak at which no element is certainly there is *free*: there the stack can be assumed to be
//! empty. An operation that is open at a free peak may take effect at it. An element all of whose
//! operations have found such a peak disappears: whatever is left nests inside it or beside it.
//! That frees more peaks, and so on. If an element is left in the end, no order explains the
//! history; the proof is in [`super::contradiction`], and the proof of the converse in
//! [`super::witness`].
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
    /// For each element, the earliest beginning of its removal; the number of peaks if it is never
    /// removed.
    pub(super) ends: &'a [u32],
}

impl Question<'_> {
    /// The peaks at which an element is certainly there: from the first one up to but not including
    /// the second one. None if they are not in this order.
    pub(super) fn span(&self, element: u32) -> (u32, u32) {
        // Unused numbers end before everything else.
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

    /// The window in which an operation of an element can take effect, given what else is known
    /// about the element.
    pub(super) fn window(&self, row: u32) -> (u32, u32) {
        let (i, element) = (row as usize, self.c.values[row as usize] as usize);
        match self.c.kinds[i] {
            Kind::Add => (self.c.left[i], self.e.list[element].add_right),
            Kind::Remove => (self.ends[element], self.c.right[i]),
            _ => (self.c.left[i], self.c.right[i]),
        }
    }

    /// The peeks at elements that are certainly there at some peak.
    pub(super) fn peeks(&self) -> impl Iterator<Item = u32> + '_ {
        let rows = if self.e.has_peeks { self.c.len() as u32 } else { 0 };
        let matters = |row: &u32| {
            let i = *row as usize;
            self.c.kinds[i] == Kind::Peek && self.is_critical(self.c.values[i])
        };
        (0..rows).filter(matters)
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

/// An element, while it is peeled and put back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Life {
    /// It is certainly there from this peak
    first: u32,
    /// up to but not including this one.
    end: u32,
    /// Where its push can take effect, or [`NONE`] if no such peak was found.
    pub(super) push: u32,
    /// Where its pop can take effect.
    pub(super) pop: u32,
    /// The number of its operations without a peak so far.
    open: u32,
}

/// The result of peeling. It says nothing about elements that are nowhere critical.
#[derive(Debug)]
pub(super) struct Peeled {
    /// By element.
    pub(super) lives: Vec<Life>,
    /// For each row that is a peek, where it can take effect. Empty if there are no peeks.
    pub(super) peek_at: Vec<u32>,
    /// The critical elements that can be explained, from the outermost one inwards.
    pub(super) order: Vec<u32>,
    /// Number of critical elements that are left.
    pub(super) left: usize,
}

/// Peels; `cover` counts the critical elements at each peak.
pub(super) fn peel(question: Question<'_>, cover: Cover) -> Peeled {
    let mut peel = Peel::new(question, cover);
    peel.run();
    peel.peeled
}

struct Peel<'a> {
    q: Question<'a>,
    cover: Cover,
    /// The operations by the left ends of their windows.
    ops: Stabbing,
    /// What is in each slot of `ops`: see [`Op`].
    codes: Vec<u32>,
    /// For each peak, how many windows begin at it or before.
    begun: Vec<u32>,
    peeks: Option<Peeks>,
    /// Free peaks whose operations have not been examined.
    free: Vec<Run>,
    /// Operations that were just taken out, and their right ends.
    found: Vec<(u32, u32)>,
    peeled: Peeled,
}

/// An operation; as a code, two bits and a number.
enum Op {
    PushOf(u32),
    PopOf(u32),
    /// The row of a peek.
    Peek(u32),
}

impl Op {
    fn code(&self) -> u32 {
        match self {
            Op::PushOf(element) => element << 2,
            Op::PopOf(element) => element << 2 | 1,
            Op::Peek(row) => row << 2 | 2,
        }
    }

    fn of(code: u32) -> Op {
        match code & 3 {
            0 => Op::PushOf(code >> 2),
            1 => Op::PopOf(code >> 2),
            _ => Op::Peek(code >> 2),
        }
    }
}

impl<'a> Peel<'a> {
    fn new(q: Question<'a>, cover: Cover) -> Peel<'a> {
        let mut lives: Vec<Life> = Vec::with_capacity(q.ends.len());
        let mut begun = vec![0u32; q.c.peaks as usize + 2];
        let mut left = 0;
        for (element, number) in q.e.list.iter().zip(0..) {
            let (first, end) = q.span(number);
            let mut open = 0;
            if first < end {
                left += 1;
                open = 1 + u32::from(element.is_removed());
                begun[element.add_left as usize + 1] += 1;
                // The end of an element that is not removed may be after the last peak.
                begun[end as usize + 1] += u32::from(element.is_removed());
            }
            lives.push(Life { first, end, push: NONE, pop: NONE, open });
        }
        for row in q.peeks() {
            begun[q.c.left[row as usize] as usize + 1] += 1;
            lives[q.c.values[row as usize] as usize].open += 1;
        }
        let peek_at = if q.e.has_peeks { vec![NONE; q.c.len()] } else { Vec::new() };
        let order = Vec::with_capacity(left);
        let mut peel = Peel {
            q,
            cover,
            ops: Stabbing::with_slots(0),
            codes: Vec::new(),
            begun,
            peeks: q.e.has_peeks.then(|| Peeks::new(q)),
            free: Vec::new(),
            found: Vec::new(),
            peeled: Peeled { lives, peek_at, order, left },
        };
        peel.sort_ops();
        peel
    }

    /// Assigns each operation its slot. Until now, `begun` has counts, shifted by one.
    fn sort_ops(&mut self) {
        let mut total = 0;
        for n in &mut self.begun {
            total += *n;
            *n = total;
        }
        self.ops = Stabbing::with_slots(total as usize);
        self.codes = vec![0; total as usize];
        // Now `begun` of a peak is its next slot; in the end that is where the next peak begins.
        let q = self.q;
        for (element, number) in q.e.list.iter().zip(0..) {
            if q.is_critical(number) {
                self.put(Op::PushOf(number), element.add_left, element.add_right);
                if element.is_removed() {
                    let right = q.c.right[element.remove as usize];
                    self.put(Op::PopOf(number), q.ends[number as usize], right);
                }
            }
        }
        for row in q.peeks() {
            self.put(Op::Peek(row), q.c.left[row as usize], q.c.right[row as usize]);
        }
        self.ops.finish();
    }

    fn put(&mut self, op: Op, left: u32, right: u32) {
        let slot = &mut self.begun[left as usize];
        self.codes[*slot as usize] = op.code();
        self.ops.put(*slot, right);
        *slot += 1;
    }

    fn run(&mut self) {
        while self.peeled.left > 0 {
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
        let mut found = std::mem::take(&mut self.found);
        self.ops.take((0, self.begun[run.last as usize]), run.first, &mut found);
        for (slot, right) in found.drain(..) {
            self.settle(Op::of(self.codes[slot as usize]), right.min(run.last));
        }
        self.found = found;
    }

    /// Where only one element is certainly there, peeks that found it can take effect.
    fn peek_alone(&mut self) {
        let mut runs = Vec::new();
        self.cover.report(&mut runs);
        let mut found = std::mem::take(&mut self.found);
        for mut run in runs {
            while run.first <= run.last {
                let Some(peeks) = &mut self.peeks else { return };
                // If there is none, it has disappeared in the meantime. Another one may follow in the run.
                let Some((element, end)) = peeks.element_at(run.first) else {
                    let is_free = |peak: &u32| peeks.element_at(*peak).is_none();
                    let last = (run.first..=run.last).take_while(is_free).last();
                    let part = Run { first: run.first, last: last.unwrap_or(run.first) };
                    self.free.push(part);
                    run.first = part.last + 1;
                    continue;
                };
                let part = Run { first: run.first, last: run.last.min(end - 1) };
                peeks.park(element, part);
                peeks.take(element, part, self.q.c, &mut found);
                for (row, right) in found.drain(..) {
                    self.settle(Op::Peek(row), right.min(part.last));
                }
                run.first = part.last + 1;
            }
        }
        self.found = found;
    }

    /// The operation can take effect at the peak.
    fn settle(&mut self, op: Op, peak: u32) {
        let lives = &mut self.peeled.lives;
        let element = match op {
            Op::PushOf(element) => {
                lives[element as usize].push = peak;
                element
            }
            Op::PopOf(element) => {
                lives[element as usize].pop = peak;
                element
            }
            Op::Peek(row) => {
                let at = &mut self.peeled.peek_at[row as usize];
                // Peeks are found in two ways.
                if *at != NONE {
                    return;
                }
                *at = peak;
                self.q.c.values[row as usize]
            }
        };
        let life = &mut lives[element as usize];
        life.open -= 1;
        if life.open == 0 {
            let (first, end) = (life.first, life.end);
            self.peeled.order.push(element);
            self.peeled.left -= 1;
            self.cover.uncover(first, end - 1);
            if let Some(peeks) = &mut self.peeks {
                peeks.disappear(element, &mut self.free);
            }
        }
    }
}
