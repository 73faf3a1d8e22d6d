//! Reduces a contradiction of many operations to one of a few, by querying the monitor again.

use crate::minimise::{Reply, minimise};

/// Read at most this many operations in total, so that long histories are not read too often.
const WORK: usize = 1 << 23;

/// A few of `rows` that still contradict each other with everything else relaxed, according to
/// `is_bad`, which reads `cost` operations for each query.
///
/// The result is always a contradiction. It is minimal (no row can be left out) unless the limit
/// was hit.
pub(super) fn few_rows(
    rows: Vec<u32>,
    cost: usize,
    mut is_bad: impl FnMut(&[u32]) -> bool,
) -> Vec<u32> {
    let mut runs = WORK / cost.max(1);
    let ask = |rows: &[u32]| match runs.checked_sub(1) {
        None => Reply::Stop,
        Some(left) => {
            runs = left;
            is_bad(rows).into()
        }
    };
    minimise(rows, 1, ask).items
}

/// A few of `entries`, which contradict each other and are sorted by left end, that still do so
/// with all others relaxed. `relaxed` has the relaxed form of each; `None` if it has none.
pub(super) fn core<E: Copy>(
    entries: &[E],
    relaxed: &[Option<E>],
    mut is_bad: impl FnMut(&[E]) -> bool,
) -> Vec<E> {
    let mut mixed = Vec::with_capacity(entries.len());
    let all = (0..entries.len() as u32).collect();
    let core = few_rows(all, entries.len(), |core| {
        mixed.clear();
        let mut kept = core.iter().peekable();
        // Relaxed entries begin before everything else, so they come first.
        let is_relaxed = |i: &usize| kept.next_if_eq(&&(*i as u32)).is_none();
        mixed.extend((0..entries.len()).filter(is_relaxed).filter_map(|i| relaxed[i]));
        mixed.extend(core.iter().map(|i| entries[*i as usize]));
        is_bad(&mixed)
    });
    core.iter().map(|i| entries[*i as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limited_work_leaves_a_contradiction() {
        let rows = few_rows((0..100).collect(), WORK / 3, |rows| rows.contains(&99));
        assert!(rows.contains(&99) && rows.len() < 100);
        assert_eq!(few_rows(vec![1, 2], WORK + 1, |_| true), [1, 2]);
    }
}
