//! Sets of short rows of numbers of equal length, without an allocation for each row.

use hashbrown::HashTable;

use crate::system::stable_hash;

/// Distinct rows in the order of insertion.
#[derive(Default)]
pub(super) struct RowSet {
    width: usize,
    numbers: Vec<u32>,
    index: HashTable<u32>,
}

impl RowSet {
    /// Clears the set, for rows of this nonzero length.
    pub(super) fn clear(&mut self, width: usize) {
        self.width = width;
        self.numbers.clear();
        self.index.clear();
    }

    /// Adds a row, if it is new.
    pub(super) fn insert(&mut self, row: &[u32]) {
        debug_assert_eq!(row.len(), self.width);
        let RowSet { width, numbers, index } = self;
        let at = |n: u32| n as usize * *width..(n as usize + 1) * *width;
        let hash = stable_hash(row);
        if index.find(hash, |n| numbers[at(*n)] == *row).is_none() {
            let next = (numbers.len() / *width) as u32;
            numbers.extend_from_slice(row);
            index.insert_unique(hash, next, |n| stable_hash(&numbers[at(*n)]));
        }
    }

    pub(super) fn len(&self) -> usize {
        self.index.len()
    }

    /// All rows, concatenated.
    pub(super) fn rows(&self) -> &[u32] {
        &self.numbers
    }

    pub(super) fn row(&self, at: usize) -> &[u32] {
        &self.numbers[at * self.width..(at + 1) * self.width]
    }

    /// Adds all rows to `out`, sorted.
    pub(super) fn sorted(&self, order: &mut Vec<u32>, out: &mut Vec<u32>) {
        order.clear();
        order.extend(0..self.len() as u32);
        order.sort_unstable_by_key(|at| self.row(*at as usize));
        order.iter().for_each(|at| out.extend_from_slice(self.row(*at as usize)));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn rows_are_kept_once_and_sorted() {
        let mut row_set = RowSet::default();
        for width in [3, 1] {
            row_set.clear(width);
            let rows = (0..500u32).map(|i| {
                let number = i.wrapping_mul(2_654_435_761) >> 20;
                [number % 7, number % 11, number % 3][..width].to_vec()
            });
            let expected: BTreeSet<Vec<u32>> = rows.clone().collect();
            rows.for_each(|row| row_set.insert(&row));
            let mut out = vec![9];
            row_set.sorted(&mut Vec::new(), &mut out);
            let expected: Vec<u32> =
                std::iter::once(9).chain(expected.into_iter().flatten()).collect();
            assert_eq!(out, expected);
            assert_eq!(row_set.len(), (out.len() - 1) / width);
        }
    }
}
