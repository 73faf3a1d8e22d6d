//! Turns names into small numbers.

use crate::history::radix;

/// The number of a row that has no name.
pub(crate) const NONE: u32 = u32::MAX;

/// Small numbers for names. Numbers are in the order of the names.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    /// The number of each row, or [`NONE`].
    pub(crate) of_row: Vec<u32>,
    /// One more than the largest number. Some numbers may be unused.
    pub(crate) count: usize,
}

/// Names are used as numbers if their range is at most this many times their count.
const SPARSE: u64 = 2;

/// The names of rows. While they are close together, as numbers in a history are, each takes four
/// bytes.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// The base of the near names.
    base: u64,
    /// The distance of each from the base; empty once one is too far away.
    near: Vec<u32>,
    /// All names, if one is too far away.
    far: Vec<u64>,
    /// True once there is a base.
    based: bool,
}

impl Names {
    pub(crate) fn with_capacity(rows: usize) -> Names {
        Names { near: Vec::with_capacity(rows), ..Names::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.near.len().max(self.far.len())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds a row with this name.
    #[inline]
    pub(crate) fn push(&mut self, name: u64) {
        if !self.based {
            (self.based, self.base) = (true, name.saturating_sub(1 << 31));
        }
        match name.checked_sub(self.base).and_then(|above| u32::try_from(above).ok()) {
            Some(above) if self.far.is_empty() => self.near.push(above),
            _ => self.push_far(name),
        }
    }

    /// Adds a row without a name.
    #[inline]
    pub(crate) fn push_none(&mut self) {
        match self.far.is_empty() {
            true => self.near.push(0),
            false => self.far.push(0),
        }
    }

    #[cold]
    fn push_far(&mut self, name: u64) {
        let base = self.base;
        self.far.extend(std::mem::take(&mut self.near).into_iter().map(|n| base + u64::from(n)));
        self.far.push(name);
    }
}

impl Numbers {
    /// Numbers the names of the rows. Rows for which `has_name` is false get none.
    pub(crate) fn of_names(names: Names, has_name: impl Fn(usize) -> bool) -> Numbers {
        if !names.far.is_empty() {
            return Numbers::of(&names.far, has_name);
        }
        let mut near = names.near;
        let Some((least, greatest, count)) = extent(&near, &has_name) else {
            near.fill(NONE);
            return Numbers { of_row: near, count: 0 };
        };
        let range = greatest - least;
        if u64::from(range) >= SPARSE * count || range == NONE {
            return Numbers::by_sorting(&near, has_name);
        }
        for (row, name) in near.iter_mut().enumerate() {
            *name = if has_name(row) { *name - least } else { NONE };
        }
        Numbers { of_row: near, count: range as usize + 1 }
    }

    /// The same for a slice of names.
    pub(crate) fn of(names: &[u64], has_name: impl Fn(usize) -> bool) -> Numbers {
        let Some((least, greatest, count)) = extent(names, &has_name) else {
            return Numbers { of_row: vec![NONE; names.len()], count: 0 };
        };
        let range = greatest - least;
        if range >= SPARSE * count || range >= u64::from(NONE) {
            return Numbers::by_sorting(names, has_name);
        }
        let number = |(row, name): (usize, &u64)| match has_name(row) {
            true => (name - least) as u32,
            false => NONE,
        };
        let of_row = names.iter().enumerate().map(number).collect();
        Numbers { of_row, count: range as usize + 1 }
    }

    fn by_sorting<N: Copy + Into<u64>>(names: &[N], has_name: impl Fn(usize) -> bool) -> Numbers {
        let rows: Vec<u32> =
            (0..names.len() as u32).filter(|row| has_name(*row as usize)).collect();
        let keys: Vec<u64> = rows.iter().map(|row| names[*row as usize].into()).collect();
        let mut of_row = vec![NONE; names.len()];
        let mut number = 0;
        let mut last = None;
        for at in radix::order(&keys) {
            let name = keys[at as usize];
            number += u32::from(last.is_some_and(|last| last != name));
            last = Some(name);
            of_row[rows[at as usize] as usize] = number;
        }
        Numbers { of_row, count: number as usize + 1 }
    }
}

/// The least and the greatest name, and the number of rows that have one; `None` if no row has.
fn extent<N: Copy + Ord>(names: &[N], has_name: impl Fn(usize) -> bool) -> Option<(N, N, u64)> {
    let mut named = names.iter().enumerate().filter(|(row, _)| has_name(*row)).map(|(_, n)| *n);
    let first = named.next()?;
    let wider = |(least, greatest, count): (N, N, u64), name: N| {
        (name.min(least), name.max(greatest), count + 1)
    };
    Some(named.fold((first, first, 1), wider))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dense_and_sparse_names_keep_order_and_equality() {
        let mut random = fastrand::Rng::with_seed(2);
        let has_name = |row: usize| row % 7 != 3;
        for (range, above) in
            [(3, 0), (20, 0), (20, u64::MAX - 30), (1 << 20, 5), (1 << 33, 7), (u64::MAX, 0)]
        {
            let names: Vec<u64> = (0..30).map(|_| above + random.u64(0..range)).collect();
            let numbers = Numbers::of(&names, has_name);
            let mut column = Names::with_capacity(30);
            for (row, name) in names.iter().enumerate() {
                if has_name(row) { column.push(*name) } else { column.push_none() }
            }
            assert_eq!(column.len(), 30);
            let same = Numbers::of_names(column, has_name);
            assert_eq!((&same.of_row, same.count), (&numbers.of_row, numbers.count));
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
