//! The walk through the returns.

use rustc_hash::FxHashSet;

use super::open::{Open, slots};
use super::state::{Moment, Reached, Set};
use super::{Effort, Kind, Problem, Refusal};

/// Split off what sets have in common once there are this many lists.
const MOST_LISTS: usize = 1 << 12;
/// Bytes of a set, in the layer and in the table of known sets.
const BYTES_PER_SET: usize = 48;

pub(super) enum Answer {
    Order(Vec<u32>),
    /// No set is left after this return.
    StuckAt(u32),
}

/// Decides a problem. The order is empty unless it is asked for.
pub(super) fn run(
    p: &Problem<'_>,
    with_order: bool,
    effort: &mut Effort<'_>,
) -> Result<Answer, Refusal> {
    let mut walk = Walk {
        moment: Moment::new(p, with_order),
        layer: vec![Reached::START],
        next: Vec::new(),
        known: FxHashSet::default(),
        todo: Vec::new(),
        held: 0,
    };
    let answer = walk.run(effort);
    effort.release(walk.held);
    answer
}

struct Walk<'a> {
    moment: Moment<'a>,
    /// The sets after the last return.
    layer: Vec<Reached>,
    /// The sets after this one.
    next: Vec<Reached>,
    known: FxHashSet<Set>,
    /// Sets before an add that have not been continued.
    todo: Vec<Reached>,
    /// Bytes that are reserved.
    held: usize,
}

impl Walk<'_> {
    fn run(&mut self, effort: &mut Effort<'_>) -> Result<Answer, Refusal> {
        let p = self.moment.p;
        let mut calls = p.calls.iter().copied().peekable();
        let mut slot_of = vec![0; p.c.len()];
        for &row in &p.returns {
            self.moment.now = p.c.right[row as usize];
            while let Some(call) = calls.next_if(|call| p.c.left[*call as usize] <= self.moment.now)
            {
                slot_of[call as usize] = self.call(call)?;
            }
            self.explain(row, slot_of[row as usize], effort)?;
            if self.layer.is_empty() {
                return Ok(Answer::StuckAt(row));
            }
        }
        Ok(Answer::Order(self.moment.trace.order(self.layer[0].place)))
    }

    /// Opens an operation and returns its slot.
    fn call(&mut self, row: u32) -> Result<u32, Refusal> {
        let c = self.moment.p.c;
        match c.kinds[row as usize] {
            Kind::Take => self.moment.call_pending_removal(row),
            Kind::Add if c.is_pending(row) => self.moment.call_pending_add(row),
            kind => {
                return self.moment.open.call(row, kind).ok_or_else(|| {
                    Refusal::new("values repeat, and more than 64 operations are open together")
                });
            }
        }
        Ok(0)
    }

    /// Lets the row, which returns now, take effect in all sets in which it has not.
    fn explain(&mut self, row: u32, slot: u32, effort: &mut Effort<'_>) -> Result<(), Refusal> {
        let is_add = Open::has(self.moment.open.adds, slot);
        self.known.clear();
        let layer = std::mem::take(&mut self.layer);
        for &reached in &layer {
            effort.work(64)?;
            self.moment.look_at(reached);
            self.moment.settle();
            if self.moment.is_done(slot) {
                self.keep(slot);
            } else if is_add || self.is_peek_of_absent(row, slot) {
                self.branch(row, slot, effort)?;
            } else if self.moment.force(slot) {
                self.moment.settle();
                self.keep(slot);
            }
        }
        self.layer = std::mem::replace(&mut self.next, layer);
        self.next.clear();
        self.close(row, slot);
        self.account(effort)
    }

    fn is_peek_of_absent(&self, row: u32, slot: u32) -> bool {
        let value = self.moment.p.value(row);
        Open::has(self.moment.open.peeks, slot) && self.moment.count(value) <= 0
    }

    /// Rule 5, for the set that is looked at: the row is an add, or a peek that needs one.
    fn branch(&mut self, row: u32, slot: u32, effort: &mut Effort<'_>) -> Result<(), Refusal> {
        let rank = self.moment.p.rank_of_row(row);
        // Sets before the row has taken effect are never sets after that, so one table is enough.
        self.todo.push(self.moment.at);
        while let Some(before) = self.todo.pop() {
            effort.work(64)?;
            self.moment.look_at(before);
            let happens = match Open::has(self.moment.open.adds, slot) {
                true => {
                    self.moment.perform(slot);
                    true
                }
                false => self.moment.force(slot),
            };
            if happens {
                self.moment.settle();
                self.keep(slot);
            }
            for first in self.prevented(rank, before.set.done) {
                effort.work(64)?;
                self.moment.look_at(before);
                if self.moment.force(first) {
                    self.moment.settle();
                    let at = self.moment.at;
                    if self.moment.is_done(slot) {
                        self.keep(slot);
                    } else if self.known.insert(at.set) {
                        self.todo.push(at);
                    }
                }
            }
        }
        Ok(())
    }

    /// The open operations that an element of this rank prevents, one for each group of twins.
    fn prevented(&self, rank: u32, done: u64) -> Vec<u32> {
        let (p, open) = (self.moment.p, &self.moment.open);
        let mut first: Vec<u32> = Vec::new();
        for slot in slots((open.removals | open.peeks | open.empties) & !done) {
            let row = open.row(slot);
            if p.rank_of_row(row) >= rank {
                continue;
            }
            let same = |other: &&mut u32| {
                let other = open.row(**other);
                p.value(other) == p.value(row)
                    && p.c.kinds[other as usize] == p.c.kinds[row as usize]
            };
            let right = |slot: u32| p.c.right[open.row(slot) as usize];
            match first.iter_mut().find(same) {
                None => first.push(slot),
                Some(twin) if right(slot) < right(*twin) => *twin = slot,
                Some(_) => {}
            }
        }
        first
    }

    /// The set that is looked at is one of the next layer.
    fn keep(&mut self, slot: u32) {
        let mut reached = self.moment.at;
        // While the row is open, these sets are different from those in which it is not done.
        if self.known.insert(reached.set) {
            reached.set.done &= !(1 << slot);
            self.next.push(reached);
        }
    }

    /// The row has returned, and is part of all sets.
    fn close(&mut self, row: u32, slot: u32) {
        let by = match self.moment.p.c.kinds[row as usize] {
            Kind::Add => 1,
            Kind::Remove => -1,
            _ => 0,
        };
        if by != 0 {
            self.moment.shift_base(self.moment.p.value(row), by);
        }
        self.moment.open.close(slot);
        let lists = self.moment.extras.len();
        if lists > 1 && (self.layer.len() == 1 || lists > MOST_LISTS) {
            self.moment.fold(&mut self.layer);
        }
        self.moment.trace.compact(self.layer.iter_mut().map(|reached| &mut reached.place));
    }

    /// Counts the memory in use.
    fn account(&mut self, effort: &mut Effort<'_>) -> Result<(), Refusal> {
        let sets = self.layer.capacity() + self.next.capacity() + self.known.capacity();
        let bytes = sets * BYTES_PER_SET + self.moment.trace.bytes();
        if bytes > self.held {
            effort.reserve(bytes - self.held)?;
            self.held = bytes;
        }
        Ok(())
    }
}
