//! Orders of independent keys, merged into one.

/// A row and the peak at which it takes effect.
pub(super) type Placed = (u32, u32);

/// One order out of several: `placed` has them one after the other, each with peaks that do not fall.
/// What takes effect at one peak keeps its order.
///
/// The result respects real time if every row has a peak at which it was open: whoever precedes
/// another has a smaller peak. And it is legal if each of the orders is and they are independent.
pub(super) fn by_peak(placed: &[Placed], peaks: u32) -> Vec<u32> {
    let mut starts = Starts::new(peaks);
    placed.iter().for_each(|(_, peak)| starts.count(*peak));
    let mut placing = starts.into_placing();
    placed.iter().for_each(|(row, peak)| placing.place(*row, *peak));
    placing.order
}

/// Counts what takes effect at each peak. For those that can tell their rows twice in the same order, so
/// that nobody has to write them down.
pub(super) struct Starts {
    /// Behind each peak, how many take effect at it.
    next: Vec<u32>,
}

impl Starts {
    pub(super) fn new(peaks: u32) -> Starts {
        Starts { next: vec![0; peaks as usize + 1] }
    }

    /// One more.
    #[inline]
    pub(super) fn count(&mut self, peak: u32) {
        self.next[peak as usize + 1] += 1;
    }

    /// All are counted; now they are placed.
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
    /// The order, complete when all that were counted are placed.
    pub(super) order: Vec<u32>,
}

impl Placing {
    /// The next row of this peak.
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
    fn peaks_first_then_the_order_given() {
        assert_eq!(by_peak(&[(4, 0), (3, 2), (1, 0), (0, 1), (2, 2)], 3), [4, 1, 0, 3, 2]);
        assert_eq!(by_peak(&[], 0), [0; 0]);
    }
}
