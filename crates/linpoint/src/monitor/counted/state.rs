//! One set of operations that have taken effect, and what can be done with it.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::super::trace::Trace;
use super::extras::{Extra, Extras};
use super::open::{Open, slots};
use super::{NONE, Problem};

/// The set: everything that returned, and this.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Set {
    /// The slots of open operations that have taken effect.
    pub(super) done: u64,
    /// What pending operations did, a number of [`Extras`].
    pub(super) extra: u32,
}

/// A set, and an order that leads to it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reached {
    pub(super) set: Set,
    pub(super) place: u32,
}

impl Reached {
    pub(super) const START: Reached =
        Reached { set: Set { done: 0, extra: Extras::NONE }, place: Trace::START };
}

/// The moment, and the set that is looked at.
pub(super) struct Moment<'a> {
    pub(super) p: &'a Problem<'a>,
    /// The peak of the return that is being explained.
    pub(super) now: u32,
    pub(super) open: Open,
    /// How many of each value everything that returned has left, which may be less than 0.
    base: Vec<i32>,
    /// The values for which that is not 0.
    nonzero: BTreeSet<u32>,
    /// Pending adds of each value that were called, and how many of them all sets have used.
    pending_adds: FxHashMap<u32, (Vec<u32>, usize)>,
    /// The same for pending removals.
    pending_removals: (Vec<u32>, usize),
    pub(super) extras: Extras,
    pub(super) trace: Trace,
    /// The set that is looked at.
    pub(super) at: Reached,
    /// What it adds to `base`, and where that may be other than 0.
    delta: Vec<i32>,
    touched: Vec<u32>,
}

impl<'a> Moment<'a> {
    pub(super) fn new(p: &'a Problem<'a>, with_order: bool) -> Moment<'a> {
        let values = p.c.value_count;
        Moment {
            p,
            now: 0,
            open: Open::new(),
            base: vec![0; values],
            nonzero: BTreeSet::new(),
            pending_adds: FxHashMap::default(),
            pending_removals: (Vec::new(), 0),
            extras: Extras::new(),
            trace: Trace::new(with_order),
            at: Reached::START,
            delta: vec![0; values],
            touched: Vec::new(),
        }
    }

    pub(super) fn call_pending_add(&mut self, row: u32) {
        self.pending_adds.entry(self.p.value(row)).or_default().0.push(row);
    }

    pub(super) fn call_pending_removal(&mut self, row: u32) {
        self.pending_removals.0.push(row);
    }

    /// Changes what all sets contain.
    pub(super) fn shift_base(&mut self, value: u32, by: i32) {
        let count = &mut self.base[value as usize];
        *count += by;
        if *count == 0 {
            self.nonzero.remove(&value);
        } else {
            self.nonzero.insert(value);
        }
    }

    /// Makes what all sets have in common part of `base`.
    pub(super) fn fold(&mut self, sets: &mut [Reached]) {
        let numbers = sets.iter_mut().map(|reached| &mut reached.set.extra).collect();
        for extra in self.extras.split_off_common(numbers) {
            match extra {
                Extra::Removed(value) => {
                    self.pending_removals.1 += 1;
                    self.shift_base(value, -1);
                }
                Extra::Added(value) => {
                    self.pending_adds.entry(value).or_default().1 += 1;
                    self.shift_base(value, 1);
                }
            }
        }
    }

    /// Looks at this set.
    pub(super) fn look_at(&mut self, reached: Reached) {
        for value in self.touched.drain(..) {
            self.delta[value as usize] = 0;
        }
        self.at = reached;
        for slot in slots(reached.set.done & (self.open.adds | self.open.removals)) {
            let by = if Open::has(self.open.adds, slot) { 1 } else { -1 };
            self.shift(self.p.value(self.open.row(slot)), by);
        }
        for i in 0..self.extras.list(reached.set.extra).len() {
            match self.extras.list(reached.set.extra)[i] {
                Extra::Removed(value) => self.shift(value, -1),
                Extra::Added(value) => self.shift(value, 1),
            }
        }
    }

    fn shift(&mut self, value: u32, by: i32) {
        self.delta[value as usize] += by;
        self.touched.push(value);
    }

    /// How many of the value are there.
    pub(super) fn count(&self, value: u32) -> i32 {
        self.base[value as usize] + self.delta[value as usize]
    }

    /// A value of the highest rank that is there. Values are numbered by rank.
    fn top(&self) -> Option<u32> {
        let is_there = |value: &u32| self.count(*value) > 0;
        let of_base = self.nonzero.iter().rev().copied().find(is_there);
        let of_set = self.touched.iter().copied().filter(is_there).max();
        of_base.max(of_set)
    }

    fn top_rank(&self) -> u32 {
        self.top().map_or(0, |value| self.p.ranks[value as usize])
    }

    pub(super) fn is_done(&self, slot: u32) -> bool {
        Open::has(self.at.set.done, slot)
    }

    /// Lets an open operation take effect.
    pub(super) fn perform(&mut self, slot: u32) {
        let row = self.open.row(slot);
        self.at.set.done |= 1 << slot;
        if Open::has(self.open.adds, slot) {
            self.shift(self.p.value(row), 1);
        } else if Open::has(self.open.removals, slot) {
            self.shift(self.p.value(row), -1);
        }
        self.at.place = self.trace.after(self.at.place, row);
    }

    /// Lets a pending operation take effect.
    fn perform_extra(&mut self, row: u32, extra: Extra) {
        match extra {
            Extra::Removed(value) => self.shift(value, -1),
            Extra::Added(value) => self.shift(value, 1),
        }
        self.at.set.extra = self.extras.with(self.at.set.extra, extra);
        self.at.place = self.trace.after(self.at.place, row);
    }

    /// Rule 2.
    fn read(&mut self) {
        let reads = (self.open.peeks | self.open.empties) & !self.at.set.done;
        if reads == 0 {
            return;
        }
        let rank = self.top_rank();
        for slot in slots(reads) {
            let row = self.open.row(slot);
            let is_there = match self.p.value(row) {
                NONE => true,
                value => self.count(value) > 0,
            };
            if is_there && self.p.rank_of_row(row) == rank {
                self.perform(slot);
            }
        }
    }

    /// Rules 2 and 6.
    pub(super) fn settle(&mut self) {
        loop {
            self.read();
            let rank = self.top_rank();
            let removals = self.open.removals & !self.at.set.done;
            let is_early = |slot: &u32| {
                let row = self.open.row(*slot);
                let value = self.p.value(row);
                self.p.last_rival[row as usize] <= self.now
                    && self.p.ranks[value as usize] == rank
                    && self.count(value) > 0
                    && self.open.first_to_return(self.p, removals, value) == Some(*slot)
            };
            match slots(removals).find(is_early) {
                None => return,
                Some(slot) => self.perform(slot),
            }
        }
    }

    /// Removes an element that is in the way, if possible.
    fn remove(&mut self, value: u32) -> bool {
        let removals = self.open.removals & !self.at.set.done;
        if let Some(slot) = self.open.first_to_return(self.p, removals, value) {
            self.perform(slot);
            return true;
        }
        let is_removed = |extra: &Extra| matches!(extra, Extra::Removed(_));
        let used = self.extras.list(self.at.set.extra).partition_point(is_removed);
        let (rows, used_by_all) = &self.pending_removals;
        let next = used + used_by_all;
        if next >= rows.len() + self.p.spare_takes {
            return false;
        }
        let row = rows.get(next).copied().unwrap_or(NONE);
        self.perform_extra(row, Extra::Removed(value));
        true
    }

    /// Adds an element that is needed, if possible.
    fn add(&mut self, value: u32) -> bool {
        let adds = self.open.adds & !self.at.set.done;
        if let Some(slot) = self.open.first_to_return(self.p, adds, value) {
            self.perform(slot);
            return true;
        }
        let extra = Extra::Added(value);
        let list = self.extras.list(self.at.set.extra);
        let used = list.partition_point(|e| *e <= extra) - list.partition_point(|e| *e < extra);
        let spare = self.p.spare_adds.get(value as usize).map_or(0, |spare| *spare as usize);
        let pending = self.pending_adds.get(&value);
        let next = used + pending.map_or(0, |(_, used_by_all)| *used_by_all);
        if next >= spare + pending.map_or(0, |(rows, _)| rows.len()) {
            return false;
        }
        let row = pending.and_then(|(rows, _)| rows.get(next).copied()).unwrap_or(NONE);
        self.perform_extra(row, extra);
        true
    }

    /// Rule 4: lets an operation that finds something, or nothing, take effect now, if possible.
    pub(super) fn force(&mut self, slot: u32) -> bool {
        let row = self.open.row(slot);
        let rank = self.p.rank_of_row(row);
        while let Some(value) = self.top() {
            if self.p.ranks[value as usize] <= rank {
                break;
            }
            if !self.remove(value) {
                return false;
            }
            self.read();
        }
        let value = self.p.value(row);
        if value != NONE && self.count(value) <= 0 {
            if !self.add(value) {
                return false;
            }
            self.read();
        }
        if !self.is_done(slot) {
            self.perform(slot);
        }
        true
    }
}
