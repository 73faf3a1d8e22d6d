//! From names to small numbers.

/// The number of a row that has no name.
pub(crate) const NONE: u32 = u32::MAX;

/// Small numbers for names; numbers are in the order of the names.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    /// The number of each row, or [`NONE`].
    pub(crate) of_row: Vec<u32>,
    /// One more than the largest number. Not all of them need be in use.
    pub(crate) count: usize,
}

/// Names in a range of so many times their number are not numbered anew.
const SPARSE: u64 = 2;

impl Numbers {
    /// Numbers the names of the rows; rows for which `has_name` is false get none.
    pub(crate) fn of(names: &[u64], has_name: impl Fn(usize) -> bool) -> Numbers {
        let named = || names.iter().enumerate().filter(|(row, _)| has_name(*row));
        let (mut least, mut greatest) = (u64::MAX, 0);
        let mut count = 0;
        for (_, &name) in named() {
            least = least.min(name);
            greatest = greatest.max(name);
            count += 1;
        }
        if count == 0 {
            return Numbers { of_row: vec![NONE; names.len()], count: 0 };
        }
        let range = greatest - least;
        if range < SPARSE * count && range < u64::from(NONE) {
            let number = |(row, name): (usize, &u64)| match has_name(row) {
                true => (name - least) as u32,
                false => NONE,
            };
            let of_row = names.iter().enumerate().map(number).collect();
            return Numbers { of_row, count: range as usize + 1 };
        }
        let mut sorted: Vec<(u64, u32)> = named().map(|(row, &name)| (name, row as u32)).collect();
        sorted.sort_unstable();
        let mut of_row = vec![NONE; names.len()];
        let mut number = 0;
        for (i, &(name, row)) in sorted.iter().enumerate() {
            number += u32::from(i > 0 && sorted[i - 1].0 != name);
            of_row[row as usize] = number;
        }
        Numbers { of_row, count: number as usize + 1 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_and_sparse_names_keep_order_and_equality() {
        let mut random = fastrand::Rng::with_seed(2);
        for range in [3, 20, u64::MAX] {
            let names: Vec<u64> = (0..30).map(|_| random.u64(0..range)).collect();
            let numbers = Numbers::of(&names, |row| row % 7 != 3);
            for a in 0..30 {
                assert_eq!(numbers.of_row[a] == NONE, a % 7 == 3);
                for b in 0..30 {
                    if a % 7 != 3 && b % 7 != 3 {
                        let order = numbers.of_row[a].cmp(&numbers.of_row[b]);
                        assert_eq!(order, names[a].cmp(&names[b]));
                        assert!((numbers.of_row[a] as usize) < numbers.count);
                    }
                }
            }
        }
    }
}
