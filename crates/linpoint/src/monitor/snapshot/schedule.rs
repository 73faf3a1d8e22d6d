//! The earliest peak of every change and every scan.
//!
//! Each segment has a current slot. A scan takes effect as soon as all slots in which it saw
//! something have begun; a change as soon as all scans of the slot before it have taken effect. A
//! segment that has to wait for a scan is put on that scan's list and continues when the scan has
//! taken effect. So every (scan, segment) is visited twice, in an order close to that of time.

use super::super::names::NONE;
use super::super::peaks::Peaks;
use super::lane::Lane;

pub(super) struct Schedule<'a> {
    peaks: &'a Peaks,
    lanes: &'a [Lane],
    /// The earliest peak of each row.
    pub(super) at: Vec<u32>,
    /// Changes and scans in the order in which they took effect.
    pub(super) order: Vec<u32>,
    /// For each scan, the number of its slots that have not begun.
    missing: Vec<u32>,
    /// For each scan, the last segment that waits for it, or [`NONE`]. [`UNCONSTRAINED`] for rows
    /// that are not scans that saw something.
    waiting: Vec<u32>,
    /// Segments that can continue.
    ready: Vec<u32>,
    progress: Vec<Progress>,
}

/// The progress of a segment.
struct Progress {
    slot: u32,
    /// Next reader to wait for.
    cursor: u32,
    /// The earliest peak of the next change, as far as is known.
    at: u32,
    /// The next segment that waits for the same scan.
    next_waiting: u32,
}

/// Why there is no linearization.
pub(super) enum Trouble {
    /// This row must come after another that began only after its end.
    Late(u32),
    /// Rows that must each come before the next, and the last before the first.
    Circle(Vec<u32>),
}

const UNCONSTRAINED: u32 = NONE - 1;

impl<'a> Schedule<'a> {
    pub(super) fn make(peaks: &'a Peaks, lanes: &'a [Lane]) -> (Schedule<'a>, Option<Trouble>) {
        let mut schedule = Schedule::new(peaks, lanes);
        let trouble = schedule.run().err().map(Trouble::Late).or_else(|| schedule.stuck());
        (schedule, trouble)
    }

    fn new(peaks: &'a Peaks, lanes: &'a [Lane]) -> Schedule<'a> {
        let rows = peaks.left.len();
        let mut missing = vec![0u32; rows];
        let mut waiting = vec![UNCONSTRAINED; rows];
        let mut scans = 0;
        for &scan in lanes.iter().flat_map(|lane| &lane.readers) {
            missing[scan as usize] += 1;
            scans += usize::from(waiting[scan as usize] == UNCONSTRAINED);
            waiting[scan as usize] = NONE;
        }
        let changes: usize = lanes.iter().map(|lane| lane.changes.len()).sum();
        let start = |_: &Lane| Progress { slot: 0, cursor: 0, at: 0, next_waiting: NONE };
        Schedule {
            peaks,
            lanes,
            at: peaks.left.clone(),
            order: Vec::with_capacity(changes + scans),
            missing,
            waiting,
            ready: (0..lanes.len() as u32).rev().collect(),
            progress: lanes.iter().map(start).collect(),
        }
    }

    /// True if the row is a scan that saw something.
    pub(super) fn is_constrained(&self, scan: u32) -> bool {
        self.waiting[scan as usize] != UNCONSTRAINED
    }

    /// Runs until nothing more can take effect, or until a row is late.
    fn run(&mut self) -> Result<(), u32> {
        for lane in 0..self.lanes.len() {
            self.begin_slot(lane, 0, 0)?;
        }
        while let Some(lane) = self.ready.pop() {
            self.advance(lane)?;
        }
        Ok(())
    }

    /// Continues with a segment until it has to wait, or ends.
    fn advance(&mut self, number: u32) -> Result<(), u32> {
        let lanes = self.lanes;
        let lane = &lanes[number as usize];
        loop {
            let progress = &mut self.progress[number as usize];
            let end = lane.starts[progress.slot as usize + 1];
            while progress.cursor < end {
                let scan = lane.readers[progress.cursor as usize] as usize;
                if self.missing[scan] > 0 {
                    progress.next_waiting = self.waiting[scan];
                    self.waiting[scan] = number;
                    return Ok(());
                }
                progress.at = progress.at.max(self.at[scan]);
                progress.cursor += 1;
            }
            let Some(&change) = lane.changes.get(progress.slot as usize) else { return Ok(()) };
            progress.slot += 1;
            progress.at = progress.at.max(self.at[change as usize]);
            let (slot, at) = (progress.slot, progress.at);
            self.take_effect(change, at)?;
            self.begin_slot(number as usize, slot, at)?;
        }
    }

    /// A slot has begun, at this peak.
    fn begin_slot(&mut self, lane: usize, slot: u32, at: u32) -> Result<(), u32> {
        let lanes = self.lanes;
        for &scan in lanes[lane].readers_of(slot) {
            let index = scan as usize;
            self.at[index] = self.at[index].max(at);
            self.missing[index] -= 1;
            if self.missing[index] == 0 {
                self.take_effect(scan, self.at[index])?;
                let mut waiting = self.waiting[index];
                while waiting != NONE {
                    self.ready.push(waiting);
                    waiting = self.progress[waiting as usize].next_waiting;
                }
            }
        }
        Ok(())
    }

    fn take_effect(&mut self, row: u32, at: u32) -> Result<(), u32> {
        self.at[row as usize] = at;
        self.order.push(row);
        match at <= self.peaks.right[row as usize] {
            true => Ok(()),
            false => Err(row),
        }
    }

    /// A circle, if some segment has changes left. Such a segment waits for a scan, which waits for a
    /// change of another segment that has not happened, so the next change of that one comes before
    /// the scan, and so on until a segment comes up again.
    fn stuck(&self) -> Option<Trouble> {
        let next_change =
            |lane: usize| self.lanes[lane].changes.get(self.progress[lane].slot as usize).copied();
        let mut number = (0..self.lanes.len()).find(|lane| next_change(*lane).is_some())?;
        let awaited = self.awaited();
        let (mut met, mut circle) = (Vec::new(), Vec::new());
        loop {
            if let Some(first) = met.iter().position(|lane| *lane == number) {
                circle.drain(..2 * first);
                circle.reverse();
                return Some(Trouble::Circle(circle));
            }
            met.push(number);
            // Backwards: the change comes after the scan, that one after a change of the next segment.
            let scan = self.lanes[number].readers[self.progress[number].cursor as usize];
            circle.extend([next_change(number)?, scan]);
            number = awaited[scan as usize] as usize;
        }
    }

    /// For each scan that has not taken effect, a segment for which it waits.
    fn awaited(&self) -> Vec<u32> {
        let mut awaited = vec![NONE; self.at.len()];
        for (number, lane) in self.lanes.iter().enumerate() {
            let begun = lane.starts[self.progress[number].slot as usize + 1] as usize;
            for scan in &lane.readers[begun..] {
                awaited[*scan as usize] = number as u32;
            }
        }
        awaited
    }
}
