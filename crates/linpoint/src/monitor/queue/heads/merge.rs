//! Merges the two sequences into one order.

use crate::monitor::columns::Columns;
use crate::monitor::peaks::Peaks;

use super::Move;
use super::side::Side;

/// Merges the enqueues with the dequeues, peeks and empty results that were taken. Enqueues that
/// are not needed come last among enqueues; those that never returned are left out.
pub(super) fn merged(c: &Columns, enqueues: &Side, fronts: &Side, moves: &[Move]) -> Vec<u32> {
    let mut added: Vec<u32> = Vec::new();
    // Each with the number of enqueues that it needs.
    let mut taken: Vec<(u32, u32)> = Vec::new();
    let mut is_added = vec![false; enqueues.rows.len()];
    for &next in moves {
        match next {
            Move::Enqueue(op) => {
                is_added[op as usize] = true;
                added.push(enqueues.rows[op as usize]);
            }
            Move::Front(op) => taken.push((fronts.rows[op as usize], added.len() as u32)),
        }
    }
    let rest = (0..enqueues.rows.len()).filter(|op| !is_added[*op]);
    added.extend(rest.filter(|op| enqueues.right[*op] != Peaks::NEVER).map(|op| enqueues.rows[op]));
    // The first right end of each enqueue and those after it.
    let mut first_return = vec![Peaks::NEVER; added.len() + 1];
    for i in (0..added.len()).rev() {
        first_return[i] = c.right[added[i] as usize].min(first_return[i + 1]);
    }
    // Places enqueues as late as possible: before the rows that need them, and before rows called
    // after they returned.
    let mut order = Vec::with_capacity(added.len() + taken.len());
    let mut i = 0;
    for (row, needs) in taken {
        while i < needs as usize || first_return[i] < c.left[row as usize] {
            order.push(added[i]);
            i += 1;
        }
        order.push(row);
    }
    order.extend(&added[i..]);
    order
}
