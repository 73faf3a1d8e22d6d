//! From a contradiction of many operations to one of few, by asking the monitor again.

use crate::minimise::{Reply, minimise};

/// Operations that may be looked at in all, so that long histories are not looked at too often.
const WORK: usize = 1 << 23;

/// Few of `rows` that still contradict each other with everything else relaxed, according to `is_bad`, which looks at
/// `cost` operations each time.
///
/// What is left is a contradiction in any case, and a smallest one (nothing can be left out) unless
/// the work was limited.
pub(super) fn shrink(
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

/// Few of `entries`, which contradict each other and are sorted by left end, that still do so with
/// all others relaxed. `relaxed` has what each becomes then, `None` if it becomes nothing.
pub(super) fn core<E: Copy>(
    entries: &[E],
    relaxed: &[Option<E>],
    mut is_bad: impl FnMut(&[E]) -> bool,
) -> Vec<E> {
    let mut mixed = Vec::with_capacity(entries.len());
    let all = (0..entries.len() as u32).collect();
    let core = shrink(all, entries.len(), |core| {
        mixed.clear();
        let mut kept = core.iter().peekable();
        // What is relaxed begins before everything, and so comes first.
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
        let rows = shrink((0..100).collect(), WORK / 3, |rows| rows.contains(&99));
        assert!(rows.contains(&99) && rows.len() < 100);
        assert_eq!(shrink(vec![1, 2], WORK + 1, |_| true), [1, 2]);
    }
}
