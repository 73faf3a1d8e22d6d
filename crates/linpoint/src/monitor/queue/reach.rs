//! How long the queue cannot have been empty: which of its elements stays longest.

use super::Columns;
use crate::sorting::{pair, sort_by_key};

/// For each peak, the latest removal of all elements whose enqueue has ended by then.
pub(super) struct Reach {
    far: Vec<u32>,
}

/// A peak at which the queue is empty, and a row that finds it empty.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Cut {
    pub(super) peak: u32,
    pub(super) row: u32,
}

impl Reach {
    /// From the peaks at which each element's enqueue has ended and its removal begins.
    pub(super) fn of(spans: impl Iterator<Item = (u32, u32)>, peaks: u32) -> Reach {
        let mut far = vec![0; peaks as usize + 1];
        for (ended, left) in spans {
            let at = &mut far[ended as usize];
            *at = left.max(*at);
        }
        let mut latest = 0;
        for at in &mut far {
            latest = latest.max(*at);
            *at = latest;
        }
        Reach { far }
    }

    /// The latest removal of all elements whose enqueue had ended before the peak.
    pub(super) fn before(&self, peak: u32) -> u32 {
        peak.checked_sub(1).map_or(0, |last| self.far[last as usize])
    }

    /// Finds a peak for each row that found the queue empty, sorted by peak. The error is a row for
    /// which there is none.
    pub(super) fn cuts(self, c: &Columns, empties: &[u32]) -> Result<Vec<Cut>, u32> {
        if empties.is_empty() {
            return Ok(Vec::new());
        }
        let next_empty = self.next_empty();
        let mut cuts = Vec::with_capacity(empties.len());
        for &row in empties {
            let peak = next_empty[c.left[row as usize] as usize];
            if peak > c.right[row as usize] {
                return Err(row);
            }
            cuts.push(Cut { peak, row });
        }
        if !cuts.is_sorted() {
            sort_by_key(&mut cuts, |cut| pair(cut.peak, cut.row));
        }
        Ok(cuts)
    }

    /// For each peak, the first peak from there on at which the queue may be empty, since all
    /// elements that must have been added by then may be gone. The number of peaks if there is
    /// none.
    fn next_empty(self) -> Vec<u32> {
        let mut next = self.far;
        let mut empty = next.len() as u32 - 1;
        for peak in (0..next.len()).rev() {
            let before = if peak == 0 { 0 } else { next[peak - 1] };
            if before <= peak as u32 {
                empty = peak as u32;
            }
            next[peak] = empty;
        }
        next
    }
}
