//! Peeks: where only one element is certainly there, a peek that found it can take effect.
//!
//! Pushes and pops do not need this: where they are open, their own element is not certainly there
//! yet, or no longer.

use super::super::columns::Columns;
use super::super::names::NONE;
use super::cover::Run;
use super::peel::Question;
use super::stabbing::Stabbing;
use crate::sorting::sort_by_key;

/// The peeks of each element, and the spans of the elements.
#[derive(Debug)]
pub(super) struct Peeks {
    /// Peeks by element and left end.
    by_element: Stabbing,
    /// The row of each slot of `by_element`.
    rows: Vec<u32>,
    /// For each element, its first slot in `by_element`.
    first: Vec<u32>,
    /// Critical elements by the first peak at which they are certainly there, until they disappear.
    spans: Stabbing,
    /// The element of each slot of `spans`, and the end of its span.
    elements: Vec<(u32, u32)>,
    /// The slot of each element in `spans`.
    slots: Vec<u32>,
    /// For each peak, how many spans begin at it or before.
    begun: Vec<u32>,
    /// For each element, the last of the runs where only it is certainly there.
    parked: Vec<u32>,
    /// Those runs, each with the previous one.
    runs: Vec<(Run, u32)>,
}

impl Peeks {
    /// Gathers the peeks.
    pub(super) fn new(q: Question<'_>) -> Peeks {
        let element = |row: u32| q.c.values[row as usize] as usize;
        let mut first = vec![0u32; q.ends.len() + 1];
        q.peeks().for_each(|row| first[element(row) + 1] += 1);
        sum_up(&mut first);
        let mut next = first.clone();
        let total = first.last().copied().unwrap_or(0) as usize;
        let mut rows = vec![0; total];
        for row in q.peeks() {
            let slot = &mut next[element(row)];
            rows[*slot as usize] = row;
            *slot += 1;
        }
        let mut by_element = Stabbing::with_slots(total);
        for ends in first.windows(2) {
            // Usually sorted already, and few.
            let rows = &mut rows[ends[0] as usize..ends[1] as usize];
            sort_by_key(rows, |row| q.c.left[*row as usize]);
        }
        for (slot, row) in rows.iter().enumerate() {
            by_element.put(slot as u32, q.c.right[*row as usize]);
        }
        by_element.finish();
        let mut all = Peeks {
            by_element,
            rows,
            first,
            spans: Stabbing::with_slots(0),
            elements: Vec::new(),
            slots: next,
            begun: Vec::new(),
            parked: vec![NONE; q.ends.len()],
            runs: Vec::new(),
        };
        all.sort_spans(q);
        all
    }

    fn sort_spans(&mut self, q: Question<'_>) {
        let mut begun = vec![0u32; q.c.peaks as usize + 2];
        q.critical().for_each(|element| begun[q.span(element).0 as usize + 1] += 1);
        sum_up(&mut begun);
        let total = begun.last().copied().unwrap_or(0) as usize;
        self.elements = vec![(0, 0); total];
        self.spans = Stabbing::with_slots(total);
        for element in q.critical() {
            let (start, end) = q.span(element);
            let slot = &mut begun[start as usize];
            self.spans.put(*slot, end - 1);
            self.elements[*slot as usize] = (element, end);
            self.slots[element as usize] = *slot;
            *slot += 1;
        }
        self.spans.finish();
        self.begun = begun;
    }

    /// The first element that is certainly there at the peak, and where its span ends.
    pub(super) fn element_at(&self, peak: u32) -> Option<(u32, u32)> {
        let slot = self.spans.first((0, self.begun[peak as usize]), peak)?;
        Some(self.elements[slot as usize])
    }

    /// Remembers a run at which only this element is certainly there. It is free once the element
    /// has disappeared.
    pub(super) fn park(&mut self, element: u32, run: Run) {
        let before = std::mem::replace(&mut self.parked[element as usize], self.runs.len() as u32);
        self.runs.push((run, before));
    }

    /// Takes out the peeks of the element that are open in the run, and pushes their rows and right
    /// ends.
    pub(super) fn take(
        &mut self,
        element: u32,
        run: Run,
        c: &Columns,
        found: &mut Vec<(u32, u32)>,
    ) {
        let (from, to) = (self.first[element as usize], self.first[element as usize + 1]);
        let rows = &self.rows[from as usize..to as usize];
        let begun = rows.partition_point(|row| c.left[*row as usize] <= run.last) as u32;
        self.by_element.take((from, from + begun), run.first, found);
        for (slot, _) in found {
            *slot = self.rows[*slot as usize];
        }
    }

    /// The element has disappeared.
    pub(super) fn disappear(&mut self, element: u32, free: &mut Vec<Run>) {
        self.spans.clear(self.slots[element as usize]);
        let mut at = std::mem::replace(&mut self.parked[element as usize], NONE);
        while let Some((run, before)) = self.runs.get(at as usize) {
            free.push(*run);
            at = *before;
        }
    }
}

/// Replaces each number by the sum of all up to it.
fn sum_up(counts: &mut [u32]) {
    let mut total = 0;
    for n in counts {
        total += *n;
        *n = total;
    }
}
