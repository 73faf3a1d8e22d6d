//! One segment: its changes in their order, and between which of them each scan saw it.

use rustc_hash::FxHashSet;

use crate::spec::{Name, Slot};

use super::super::names::{NONE, Numbers};
use super::super::peaks::Peaks;
use super::super::{Refusal, Rows};
use super::read::Segment;
use super::{AMBIGUOUS, OVERLAP};

/// A segment. *Slot* `q` is the time from the `q`-th change to the next one; slot 0 is the time before
/// the first.
pub(super) struct Lane {
    /// Which segment.
    pub(super) segment: u32,
    /// Updates that change the value: `changes[q - 1]` begins slot `q`.
    pub(super) changes: Vec<u32>,
    /// Updates that repeat the value before them.
    pub(super) repeats: Vec<u32>,
    /// Scans by slot: those of slot `q` are `readers[starts[q]..starts[q + 1]]`.
    pub(super) readers: Vec<u32>,
    pub(super) starts: Vec<u32>,
    /// What had to be guessed.
    pub(super) guess: Option<&'static str>,
    /// Scans whose slot was guessed.
    doubtful: Vec<u32>,
}

/// Whether the scans of a segment could be explained.
pub(super) enum Resolved {
    All,
    /// This scan saw a value that the segment did not have at any time while the scan was open.
    Unexplained(u32),
}

impl Lane {
    pub(super) fn build<O, R>(
        rows: &Rows<'_, O, R>,
        peaks: &Peaks,
        mut segment: Segment,
        number: u32,
        initial: Name,
    ) -> Result<(Lane, Resolved), Refusal> {
        let mut builder = Builder::new(rows, peaks, &mut segment, number, initial);
        builder.order_updates();
        builder.find_changes()?;
        let slots = builder.slots_by_value();
        let resolved = builder.resolve(&slots)?;
        drop(slots);
        if let Resolved::All = resolved {
            builder.bucket();
        }
        Ok((builder.lane, resolved))
    }

    /// Drops the constraints that were guessed. What is left holds in every linearization.
    pub(super) fn drop_guesses(&mut self) {
        if self.guess == Some(OVERLAP) {
            self.changes.clear();
            self.readers.clear();
            self.starts = vec![0, 0];
        } else if self.guess.is_some() {
            let doubtful: FxHashSet<u32> = self.doubtful.drain(..).collect();
            let mut kept = 0;
            for slot in 0..self.starts.len() - 1 {
                let range = self.starts[slot] as usize..self.starts[slot + 1] as usize;
                self.starts[slot] = kept as u32;
                for at in range {
                    if !doubtful.contains(&self.readers[at]) {
                        self.readers[kept] = self.readers[at];
                        kept += 1;
                    }
                }
            }
            self.readers.truncate(kept);
            if let Some(end) = self.starts.last_mut() {
                *end = kept as u32;
            }
        }
        self.guess = None;
    }

    /// The scans of a slot.
    pub(super) fn readers_of(&self, slot: u32) -> &[u32] {
        let slot = slot as usize;
        &self.readers[self.starts[slot] as usize..self.starts[slot + 1] as usize]
    }

    /// The last slot.
    pub(super) fn last_slot(&self) -> u32 {
        self.changes.len() as u32
    }
}

struct Builder<'a, O, R> {
    rows: &'a Rows<'a, O, R>,
    peaks: &'a Peaks,
    /// Number of the initial value, if it is mentioned.
    initial_number: u32,
    /// Updates in the order in which they take effect, with the numbers of what they wrote.
    updates: Vec<(u32, u32)>,
    /// Scans, with the numbers of what they saw; later with the slots.
    reads: Vec<(u32, u32)>,
    /// One more than the largest number.
    values: usize,
    /// The number of the value of each slot.
    value_of_slot: Vec<u32>,
    lane: Lane,
}

/// Slots by value: those of value `v` are `slots[starts[v]..starts[v + 1]]`, in order.
struct SlotsByValue {
    starts: Vec<u32>,
    slots: Vec<u32>,
}

impl<'a, O, R> Builder<'a, O, R> {
    fn new(
        rows: &'a Rows<'a, O, R>,
        peaks: &'a Peaks,
        segment: &mut Segment,
        number: u32,
        initial: Name,
    ) -> Self {
        let Segment { updates, written, scans, seen } = std::mem::take(segment);
        let mut names = written;
        names.extend(&seen);
        drop(seen);
        let numbers = Numbers::of(&names, |_| true);
        let example = names.iter().position(|name| *name == initial.0);
        drop(names);
        let (written, seen) = numbers.of_row.split_at(updates.len());
        let pairs = |rows: Vec<u32>, numbers: &[u32]| {
            rows.into_iter().zip(numbers.iter().copied()).collect::<Vec<_>>()
        };
        Builder {
            rows,
            peaks,
            initial_number: example.map_or(NONE, |i| numbers.of_row[i]),
            updates: pairs(updates, written),
            reads: pairs(scans, seen),
            values: numbers.count,
            value_of_slot: Vec::new(),
            lane: Lane {
                segment: number,
                changes: Vec::new(),
                repeats: Vec::new(),
                readers: Vec::new(),
                starts: Vec::new(),
                guess: None,
                doubtful: Vec::new(),
            },
        }
    }

    fn left(&self, row: u32) -> u32 {
        self.peaks.left[row as usize]
    }

    fn right(&self, row: u32) -> u32 {
        self.peaks.right[row as usize]
    }

    /// Puts the updates into the order of real time, or into a likely one if they overlap.
    fn order_updates(&mut self) {
        self.drop_unseen_pending();
        let (peaks, updates) = (self.peaks, &mut self.updates);
        let left = |(row, _): &(u32, u32)| peaks.left[*row as usize];
        if !updates.is_sorted_by_key(left) {
            updates.sort_unstable_by_key(left);
        }
        let precedes = |pair: &[(u32, u32)]| peaks.right[pair[0].0 as usize] < left(&pair[1]);
        if !updates.windows(2).all(precedes) {
            self.lane.guess = Some(OVERLAP);
            self.guess_order();
        }
    }

    /// A pending update whose value nobody saw in this segment can be left out: between it and the
    /// next update no scan saw the segment, so nobody misses it.
    fn drop_unseen_pending(&mut self) {
        let pending = |row: u32| self.peaks.right[row as usize] == Peaks::NEVER;
        if self.updates.iter().any(|(row, _)| pending(*row)) {
            let mut seen = vec![false; self.values];
            for (_, value) in &self.reads {
                seen[*value as usize] = true;
            }
            self.updates.retain(|(row, value)| !pending(*row) || seen[*value as usize]);
        }
    }

    /// The order that would be right if this segment were the only one: by zones, as for registers.
    fn guess_order(&mut self) {
        let mut zones = vec![(0, Peaks::NEVER); self.values];
        for (row, value) in self.updates.iter().chain(&self.reads) {
            let (last_left, first_right) = &mut zones[*value as usize];
            *last_left = self.left(*row).max(*last_left);
            *first_right = self.right(*row).min(*first_right);
        }
        self.updates.sort_by_key(|(_, value)| {
            let (last_left, first_right) = zones[*value as usize];
            (last_left.min(first_right), first_right < last_left)
        });
    }

    /// Tells changes from repetitions. In a guessed order everything counts as a change, as repetitions
    /// have their place only where real time orders the updates.
    fn find_changes(&mut self) -> Result<(), Refusal> {
        let repeats_count = self.lane.guess.is_none();
        self.value_of_slot.push(self.initial_number);
        let mut before: Option<u32> = None;
        for &(row, value) in &self.updates {
            if repeats_count && self.value_of_slot.last() == Some(&value) {
                self.make_sure(before, row, Slot::Value)?;
                self.lane.repeats.push(row);
            } else {
                self.lane.changes.push(row);
                self.value_of_slot.push(value);
                before = Some(row);
            }
        }
        self.updates = Vec::new();
        Ok(())
    }

    /// Makes sure that what a row mentions is what `update` wrote, or the initial value, and does not
    /// only share its name.
    fn make_sure(&self, update: Option<u32>, row: u32, slot: Slot) -> Result<(), Refusal> {
        let mention = self.rows.mention(row as usize, slot);
        let is_same = match update {
            None => self.rows.shaped.is_initial(mention),
            Some(update) => {
                let written = self.rows.mention(update as usize, Slot::Value);
                self.rows.shaped.same_name(written, mention)
            }
        };
        match is_same {
            true => Ok(()),
            false => Err(Refusal::new("two different values share a name")),
        }
    }

    fn slots_by_value(&self) -> SlotsByValue {
        let named = || {
            let slots = self.value_of_slot.iter().enumerate();
            slots.filter(|(_, value)| **value != NONE)
        };
        let mut starts = vec![0u32; self.values + 2];
        for (_, value) in named() {
            starts[*value as usize + 2] += 1;
        }
        for value in 2..starts.len() {
            starts[value] += starts[value - 1];
        }
        let mut slots = vec![0; self.value_of_slot.len()];
        for (slot, value) in named() {
            let place = &mut starts[*value as usize + 1];
            slots[*place as usize] = slot as u32;
            *place += 1;
        }
        SlotsByValue { starts, slots }
    }

    /// Replaces the value that each scan saw by the slot in which it did.
    fn resolve(&mut self, by_value: &SlotsByValue) -> Result<Resolved, Refusal> {
        let mut reads = std::mem::take(&mut self.reads);
        for (scan, number) in &mut reads {
            let value = *number as usize;
            let range = by_value.starts[value] as usize..by_value.starts[value + 1] as usize;
            let slots = &by_value.slots[range];
            let over = match slots {
                [only] => usize::from(self.is_over(*only, *scan)),
                _ => slots.partition_point(|slot| self.is_over(*slot, *scan)),
            };
            // Slots begin one after the other: two are enough to tell none, one and several.
            let is_possible = |i: usize| slots.get(i).is_some_and(|q| self.has_begun(*q, *scan));
            if !is_possible(over) {
                return Ok(Resolved::Unexplained(*scan));
            }
            if is_possible(over + 1) {
                self.lane.guess.get_or_insert(AMBIGUOUS);
                self.lane.doubtful.push(*scan);
            }
            let slot = slots[over];
            let change = slot.checked_sub(1).map(|q| self.lane.changes[q as usize]);
            self.make_sure(change, *scan, Slot::Segment(self.lane.segment))?;
            *number = slot;
        }
        self.reads = reads;
        Ok(Resolved::All)
    }

    /// True if the next change ended before the scan began.
    fn is_over(&self, slot: u32, scan: u32) -> bool {
        let next = self.lane.changes.get(slot as usize);
        next.is_some_and(|next| self.right(*next) < self.left(scan))
    }

    /// True if the change that begins the slot began before the scan ended.
    fn has_begun(&self, slot: u32, scan: u32) -> bool {
        let change = slot.checked_sub(1).map(|q| self.lane.changes[q as usize]);
        change.is_none_or(|change| self.left(change) <= self.right(scan))
    }

    /// Sorts the scans by slot.
    fn bucket(&mut self) {
        let slots = self.lane.changes.len() + 1;
        let mut starts = vec![0u32; slots + 2];
        for (_, slot) in &self.reads {
            starts[*slot as usize + 2] += 1;
        }
        for slot in 2..starts.len() {
            starts[slot] += starts[slot - 1];
        }
        let mut readers = vec![0; self.reads.len()];
        for (scan, slot) in &self.reads {
            let place = &mut starts[*slot as usize + 1];
            readers[*place as usize] = *scan;
            *place += 1;
        }
        starts.pop();
        self.lane.starts = starts;
        self.lane.readers = readers;
    }
}
