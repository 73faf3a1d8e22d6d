//! Merges orders of independent keys into one.

/// A row and the peak at which it takes effect.
pub(super) type Placed = (u32, u32);

/// Merges several orders into one. `placed` has them one after the other, each with ascending
/// peaks. Rows that take effect at the same peak keep their order.
///
/// The result respects real time if every row has a peak at which it was open: if one row precedes
/// another, its peak is smaller. It is legal if each of the orders is legal and they are
/// independent.
pub(super) fn by_peak(placed: &[Placed], peaks: u32) -> Vec<u32> {
    let mut starts = Starts::new(peaks);
    placed.iter().for_each(|(_, peak)| starts.count(*peak));
    let mut placing = starts.into_placing();
    placed.iter().for_each(|(row, peak)| placing.place(*row, *peak));
    placing.order
}

/// Counts the rows that take effect at each peak. For callers that can produce their rows twice in
/// the same order instead of storing them.
pub(super) struct Starts {
    /// After each peak, the number of rows that take effect at it.
    next: Vec<u32>,
}

impl Starts {
    pub(super) fn new(peaks: u32) -> Starts {
        Starts { next: vec![0; peaks as usize + 1] }
    }

    /// Counts a row.
    #[inline]
    pub(super) fn count(&mut self, peak: u32) {
        self.next[peak as usize + 1] += 1;
    }

    /// Ends counting and starts placing.
    pub(super) fn into_placing(mut self) -> Placing {
        let mut count = 0;
        for next in &mut self.next {
            count += *next;
            *next = count;
        }
        Placing { next: self.next, order: vec![0; count as usize] }
    }
}

/// Puts rows into an order by peak.
pub(super) struct Placing {
    /// Where the next row of each peak goes.
    next: Vec<u32>,
    /// The order; complete when all counted rows are placed.
    pub(super) order: Vec<u32>,
}

impl Placing {
    /// Places the next row of this peak.
    #[inline]
    pub(super) fn place(&mut self, row: u32, peak: u32) {
        let next = &mut self.next[peak as usize];
        self.order[*next as usize] = row;
        *next += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_sorted_stably_by_peak() {
        assert_eq!(by_peak(&[(4, 0), (3, 2), (1, 0), (0, 1), (2, 2)], 3), [4, 1, 0, 3, 2]);
        assert_eq!(by_peak(&[], 0), [0; 0]);
    }
}
