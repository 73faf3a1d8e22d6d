//! Orders of independent keys, merged into one.

/// A row and the peak at which it takes effect.
pub(super) type Placed = (u32, u32);

/// One order out of several: `placed` has them one after the other, each with peaks that do not fall.
/// What takes effect at one peak keeps its order.
///
/// The result respects real time if every row has a peak at which it was open: whoever precedes
/// another has a smaller peak. And it is legal if each of the orders is and they are independent.
pub(super) fn by_peak(placed: &[Placed], peaks: u32) -> Vec<u32> {
    let mut next = vec![0u32; peaks as usize + 1];
    for &(_, peak) in placed {
        next[peak as usize + 1] += 1;
    }
    for peak in 1..next.len() {
        next[peak] += next[peak - 1];
    }
    let mut order = vec![0; placed.len()];
    for &(row, peak) in placed {
        let place = &mut next[peak as usize];
        order[*place as usize] = row;
        *place += 1;
    }
    order
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
