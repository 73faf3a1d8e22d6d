//! Turns the updates of a segment into changes, and the values that scans saw into slots.

use crate::sorting::{pair, sort_by_key};
use crate::spec::{Name, Slot};
use crate::subject::Place;

use super::super::names::NONE;
use super::super::peaks::Peaks;
use super::super::{Refusal, Rows};
use super::lane::Lane;
use super::read::Updates;
use super::values::Values;
use super::{AMBIGUOUS, OVERLAP};

/// A segment under construction.
pub(super) struct Draft<'a> {
    rows: Rows<'a>,
    peaks: &'a Peaks,
    values: Values,
    initial: Name,
    /// Updates with the numbers of what they wrote.
    updates: Vec<(u32, u32)>,
    has_pending: bool,
    /// By value, if scans were surveyed: the largest left end and the smallest right end of all
    /// operations that mention it.
    zones: Vec<(u32, u32)>,
    /// By value, if scans were surveyed: whether a scan saw it.
    is_seen: Vec<bool>,
    slots: SlotsByValue,
    /// The slots of the scans, by their position in the list of all scans; [`NONE`] if it is
    /// unknown what they saw. Shorter than that list if this is so for the last ones.
    reads: Vec<u32>,
    lane: Lane,
}

/// The slots of each value: those of value `v` are `slots[starts[v]..starts[v + 1]]`, in order.
/// Slot 0, of the initial value, is not among them.
#[derive(Default)]
struct SlotsByValue {
    starts: Vec<u32>,
    slots: Vec<u32>,
}

/// Why a scan cannot be resolved.
pub(super) enum Problem {
    /// It saw a value that the segment did not have at any time while the scan was open.
    Unexplained,
    /// Two different values share a name.
    SharedName,
}

impl<'a> Draft<'a> {
    pub(super) fn new(
        rows: Rows<'a>,
        peaks: &'a Peaks,
        updates: Updates,
        segment: u32,
        initial: Name,
    ) -> Self {
        let values = Values::of(&updates.names);
        let number = |name: &u64| values.number(*name).unwrap_or(0);
        let numbers = updates.names.iter().map(number);
        let pairs: Vec<_> = updates.rows.iter().copied().zip(numbers).collect();
        let mut draft = Draft {
            rows,
            peaks,
            values,
            initial,
            has_pending: updates.rows.iter().any(|row| peaks.right[*row as usize] == Peaks::NEVER),
            updates: pairs,
            zones: Vec::new(),
            is_seen: Vec::new(),
            slots: SlotsByValue::default(),
            reads: Vec::new(),
            lane: Lane { segment, ..Lane::default() },
        };
        draft.order_by_time();
        draft
    }

    fn left(&self, row: u32) -> u32 {
        self.peaks.left[row as usize]
    }

    fn right(&self, row: u32) -> u32 {
        self.peaks.right[row as usize]
    }

    fn order_by_time(&mut self) {
        let (peaks, updates) = (self.peaks, &mut self.updates);
        let left = |(row, _): &(u32, u32)| peaks.left[*row as usize];
        if !updates.is_sorted_by_key(left) {
            sort_by_key(updates, left);
        }
        let precedes = |pair: &[(u32, u32)]| peaks.right[pair[0].0 as usize] < left(&pair[1]);
        self.lane.guess = (!updates.windows(2).all(precedes)).then_some(OVERLAP);
    }

    /// True if it must be known in advance what scans saw.
    pub(super) fn needs_survey(&self) -> bool {
        self.has_pending || self.lane.guess.is_some()
    }

    /// Records what a scan saw.
    pub(super) fn survey(&mut self, scan: u32, name: Name) {
        if let Some(value) = self.values.number(name.0) {
            self.is_seen.resize(self.values.count(), false);
            self.is_seen[value as usize] = true;
            self.note_zone(scan, value);
        }
    }

    fn note_zone(&mut self, row: u32, value: u32) {
        let (left, right) = (self.left(row), self.right(row));
        self.zones.resize(self.values.count(), (0, Peaks::NEVER));
        let (last_left, first_right) = &mut self.zones[value as usize];
        *last_left = left.max(*last_left);
        *first_right = right.min(*first_right);
    }

    /// Finds the changes, in their order.
    pub(super) fn find_changes(&mut self) -> Result<(), Refusal> {
        if self.has_pending {
            self.drop_unseen_pending();
            self.order_by_time();
        }
        if self.lane.guess.is_some() {
            self.guess_order();
        }
        let repeats_count = self.lane.guess.is_none();
        let mut current = self.values.number(self.initial.0);
        let mut changed_to = Vec::with_capacity(self.updates.len());
        for (row, value) in std::mem::take(&mut self.updates) {
            // In a guessed order everything counts as a change: repetitions are recognised only
            // where real time orders the updates.
            if repeats_count && current == Some(value) {
                let change = self.lane.changes.last().copied();
                if !self.is_same(change, row) {
                    return Err(Refusal::new("two different values share a name"));
                }
                self.lane.repeats.push(row);
            } else {
                self.lane.changes.push(row);
                changed_to.push(value);
                current = Some(value);
            }
        }
        self.slots = SlotsByValue::of(&changed_to, self.values.count());
        Ok(())
    }

    /// A pending update whose value no scan saw in this segment can be left out: between it and the
    /// next update no scan saw the segment, so nothing depends on it.
    fn drop_unseen_pending(&mut self) {
        let (peaks, is_seen) = (self.peaks, &self.is_seen);
        let is_seen = |value: u32| is_seen.get(value as usize).is_some_and(|seen| *seen);
        let pending = |row: u32| peaks.right[row as usize] == Peaks::NEVER;
        self.updates.retain(|(row, value)| !pending(*row) || is_seen(*value));
    }

    /// The order that would be correct if this segment were the only one: by zones, as for
    /// registers.
    fn guess_order(&mut self) {
        let updates = std::mem::take(&mut self.updates);
        updates.iter().for_each(|(row, value)| self.note_zone(*row, *value));
        self.updates = updates;
        let zones = &self.zones;
        sort_by_key(&mut self.updates, |(_, value)| {
            let (last_left, first_right) = zones[*value as usize];
            pair(last_left.min(first_right), (first_right < last_left).into())
        });
    }

    /// True if an update writes what the change wrote, or the initial value, and not only one that shares its name.
    fn is_same(&self, change: Option<u32>, update: u32) -> bool {
        let update = update as usize;
        match change {
            None => self.rows.is_initial(update, Slot::Value),
            Some(change) => {
                self.rows.same_name((change as usize, Slot::Value), (update, Slot::Value))
            }
        }
    }

    /// Determines in which slot a scan saw this value. Scans come one after the other; `nth` counts
    /// them. Values that have to be equal, and not only their names, are added to `equal`.
    pub(super) fn resolve(
        &mut self,
        nth: usize,
        scan: u32,
        name: Name,
        equal: &mut Vec<[Place; 2]>,
    ) -> Result<(), Problem> {
        let later = self.values.number(name.0).map_or(&[][..], |value| self.slots.of_value(value));
        let is_initial_possible = name == self.initial && !self.is_over(0, scan);
        let over = match later {
            [only] => usize::from(self.is_over(*only, scan)),
            _ => later.partition_point(|slot| self.is_over(*slot, scan)),
        };
        // Slots begin one after the other, so two are enough to distinguish none, one and several.
        let begun = |slot: &&u32| self.has_begun(**slot, scan);
        let first = later.get(over).filter(begun).copied();
        let (slot, other) = match (is_initial_possible, first) {
            (true, other) => (0, other),
            (false, Some(slot)) => (slot, later.get(over + 1).filter(begun).copied()),
            (false, None) => return Err(Problem::Unexplained),
        };
        let seen = (scan as usize, Slot::Segment(self.lane.segment));
        match self.lane.begins(slot) {
            None if !self.rows.is_initial(seen.0, seen.1) => return Err(Problem::SharedName),
            None => {}
            Some(change) => {
                let wrote = self.rows.place((change as usize, Slot::Value));
                equal.push([wrote, self.rows.place(seen)]);
            }
        }
        if other.is_some() {
            self.lane.guess.get_or_insert(AMBIGUOUS);
            self.lane.doubtful.push(scan);
        }
        self.reads.resize(nth, NONE);
        self.reads.push(slot);
        Ok(())
    }

    /// True if the next change ended before the scan began.
    fn is_over(&self, slot: u32, scan: u32) -> bool {
        let next = self.lane.changes.get(slot as usize);
        next.is_some_and(|next| self.right(*next) < self.left(scan))
    }

    /// True if the change that begins the slot began before the scan ended.
    fn has_begun(&self, slot: u32, scan: u32) -> bool {
        self.lane.begins(slot).is_none_or(|change| self.left(change) <= self.right(scan))
    }

    /// Completes the segment.
    pub(super) fn finish(mut self, scans: &[u32]) -> Lane {
        let reads = scans.iter().copied().zip(self.reads.iter().copied());
        self.lane.take_readers(reads.filter(|(_, slot)| *slot != NONE));
        self.lane
    }

    /// The segment so far.
    pub(super) fn lane(&self) -> &Lane {
        &self.lane
    }
}

impl SlotsByValue {
    /// `changed_to[q - 1]` is the value of slot `q`.
    fn of(changed_to: &[u32], values: usize) -> SlotsByValue {
        let mut starts = vec![0u32; values + 2];
        for value in changed_to {
            starts[*value as usize + 2] += 1;
        }
        for value in 2..starts.len() {
            starts[value] += starts[value - 1];
        }
        let mut slots = vec![0; changed_to.len()];
        for (before, value) in changed_to.iter().enumerate() {
            let place = &mut starts[*value as usize + 1];
            slots[*place as usize] = before as u32 + 1;
            *place += 1;
        }
        SlotsByValue { starts, slots }
    }

    fn of_value(&self, value: u32) -> &[u32] {
        let value = value as usize;
        &self.slots[self.starts[value] as usize..self.starts[value + 1] as usize]
    }
}
