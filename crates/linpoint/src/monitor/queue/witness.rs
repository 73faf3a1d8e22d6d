//! Turns the order of the elements into an order of all operations, in linear time.
//!
//! Peaks at which the queue is found empty cut the line of elements into blocks: an element belongs
//! before the first cut that is not before its removal. Inside a block each operation gets a peak, as
//! early as possible: an enqueue not before the enqueues of the elements in front, an observation
//! not before the observations of the elements in front, nor before its own enqueue. At one peak
//! enqueues come first.
//!
//! Why this respects real time: all peaks that an operation of v must wait for are left ends. Those of
//! enqueues in front are not after `add_right(v)`, else v would have to be in front of that element;
//! those of observations and removals in front are not after `seen_right(v)`, for the same reason;
//! those of v's own other operations are fine because no element contradicts itself; and v must not be
//! in the queue at the cut before its block, so that none of its operations has ended by then. Across
//! blocks no constraint points backwards: what is removed by the cut has begun by the cut, what is
//! added after it has not ended before. Why it is legal: enqueues and observations both follow the line,
//! everything in a block is removed when the block ends, and only the last block is not followed by a cut.

use super::super::columns::{Columns, Kind};
use super::super::container::Elements;
use super::super::names::NONE;
use super::Place;
use super::reach::Cut;
use super::sort::{by_peak, in_buckets};

/// The order of all rows that took effect.
pub(super) fn order(c: &Columns, e: &Elements, line: Vec<Place>, cuts: Vec<Cut>) -> Vec<u32> {
    let peeks = if e.has_peeks { Peeks::of(c) } else { Peeks::default() };
    let (line, ends) = in_blocks(line, &cuts, c.peaks);
    let mut writer = Writer { c, e, peeks, rows: Vec::with_capacity(c.len()) };
    let (mut begin, mut lead) = (0, 0);
    let mut cuts = cuts.into_iter().peekable();
    for end in ends {
        writer.block(&line[begin as usize..end as usize], lead);
        begin = end;
        if let Some(&first) = cuts.peek() {
            lead = first.peak;
            while let Some(cut) = cuts.next_if(|cut| cut.peak == lead) {
                writer.rows.push(cut.row);
            }
        }
    }
    writer.rows
}

/// The line in blocks, and where they end. Each block but the last is followed by a cut.
fn in_blocks(line: Vec<Place>, cuts: &[Cut], peaks: u32) -> (Vec<Place>, Vec<u32>) {
    if cuts.is_empty() {
        let end = line.len() as u32;
        return (line, vec![end]);
    }
    // The number of cuts before each peak, and the number of all.
    let mut block_at = vec![0u32; peaks as usize + 1];
    let mut blocks = 0;
    let mut cuts = cuts.iter().peekable();
    for (peak, block) in block_at.iter_mut().enumerate() {
        *block = blocks;
        if cuts.next_if(|cut| cut.peak as usize == peak).is_some() {
            blocks += 1;
            while cuts.next_if(|cut| cut.peak as usize == peak).is_some() {}
        }
    }
    in_buckets(line, |place| block_at[place.left as usize], blocks as usize + 1)
}

struct Writer<'a> {
    c: &'a Columns,
    e: &'a Elements,
    peeks: Peeks,
    rows: Vec<u32>,
}

impl Writer<'_> {
    /// Emits the operations of some elements; none may come before the peak `lead`.
    fn block(&mut self, block: &[Place], lead: u32) {
        let list = &self.e.list;
        let add = |place: &Place| &list[place.value as usize];
        // The peaks of the last enqueue and of the last observation.
        let (mut enqueued, mut observed) = (lead, lead);
        let mut enqueues = block.iter().enumerate().peekable();
        for (i, place) in block.iter().enumerate() {
            let mut observe = |row: u32, left: u32, rows: &mut Vec<u32>| {
                while let Some((_, own)) = enqueues.next_if(|(at, _)| *at <= i) {
                    enqueued = enqueued.max(add(own).add_left);
                    rows.push(add(own).add);
                }
                // Enqueues of elements further back were emitted because they are not later.
                observed = observed.max(enqueued).max(left);
                while let Some((_, other)) = enqueues.next_if(|(_, o)| add(o).add_left <= observed)
                {
                    enqueued = enqueued.max(add(other).add_left);
                    rows.push(add(other).add);
                }
                rows.push(row);
            };
            for &peek in self.peeks.of_value(place.value) {
                observe(peek, self.c.left[peek as usize], &mut self.rows);
            }
            if place.removal != NONE {
                observe(place.removal, place.left, &mut self.rows);
            }
        }
        self.rows.extend(enqueues.map(|(_, place)| add(place).add));
    }
}

/// The peeks of each element, by left end.
#[derive(Default)]
struct Peeks {
    rows: Vec<u32>,
    /// Where the peeks of each element end.
    ends: Vec<u32>,
}

impl Peeks {
    fn of(c: &Columns) -> Peeks {
        let all = (0..c.len() as u32).filter(|row| c.kinds[*row as usize] == Kind::Peek).collect();
        let by_left = by_peak(all, |row| c.left[row as usize], c.peaks);
        let (rows, ends) = in_buckets(by_left, |row| c.values[*row as usize], c.value_count);
        Peeks { rows, ends }
    }

    fn of_value(&self, value: u32) -> &[u32] {
        let Some(&end) = self.ends.get(value as usize) else { return &[] };
        let begin = value.checked_sub(1).map_or(0, |previous| self.ends[previous as usize]);
        &self.rows[begin as usize..end as usize]
    }
}
