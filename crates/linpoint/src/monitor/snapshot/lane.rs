//! One segment, ready for the schedule: its changes in order, and the scans between them.

use rustc_hash::FxHashSet;

use super::OVERLAP;

/// A segment. *Slot* `q` is the time from the `q`-th change to the next one; slot 0 is the time before
/// the first.
#[derive(Default)]
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
    /// Why something had to be guessed.
    pub(super) guess: Option<&'static str>,
    /// Scans whose slot was guessed.
    pub(super) doubtful: Vec<u32>,
}

impl Lane {
    /// The change that begins a slot.
    pub(super) fn begins(&self, slot: u32) -> Option<u32> {
        self.changes.get((slot as usize).checked_sub(1)?).copied()
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

    /// Takes the scans and their slots, and sorts them by slot.
    pub(super) fn take_readers(&mut self, reads: impl Iterator<Item = (u32, u32)> + Clone) {
        let mut starts = vec![0u32; self.changes.len() + 3];
        let mut count = 0;
        for (_, slot) in reads.clone() {
            starts[slot as usize + 2] += 1;
            count += 1;
        }
        for slot in 2..starts.len() {
            starts[slot] += starts[slot - 1];
        }
        let mut readers = vec![0; count];
        for (scan, slot) in reads {
            let place = &mut starts[slot as usize + 1];
            readers[*place as usize] = scan;
            *place += 1;
        }
        starts.pop();
        self.starts = starts;
        self.readers = readers;
    }

    /// Drops the guessed constraints. The rest hold in every linearization.
    pub(super) fn drop_guesses(&mut self) {
        if self.guess == Some(OVERLAP) {
            self.changes.clear();
            self.readers.clear();
            self.starts = vec![0, 0];
        } else if self.guess.is_some() {
            let doubtful: FxHashSet<u32> = self.doubtful.drain(..).collect();
            let mut certain = Vec::with_capacity(self.readers.len());
            for slot in 0..=self.last_slot() {
                let readers = self.readers_of(slot).iter();
                let readers = readers.filter(|scan| !doubtful.contains(scan));
                certain.extend(readers.map(|scan| (*scan, slot)));
            }
            self.take_readers(certain.iter().copied());
        }
        self.guess = None;
    }
}
