//! A value that was found too early: fewer of it had been added than were removed.
//!
//! Sort the adds of a value by their calls and its removals by their returns. If removal number i
//! returned before add number i was called, then i removals had happened and fewer adds. That is a
//! contradiction of these removals and of the adds that were called later, in any container; the adds
//! before that add no more if they are relaxed. It is found in O(n log n), without a search.

use super::Contradiction;
use super::columns::{Columns, Kind};
use super::contradiction::contradiction;
use super::group::sorted_by_number;
use crate::sorting::sort_by_key;

/// A contradiction of one value, if there is one.
pub(super) fn find(c: &Columns) -> Option<Contradiction> {
    let has_value =
        |row: &u32| c.values.get(*row as usize).is_some_and(|v| *v < c.value_count as u32);
    let rows: Vec<u32> = (0..c.len() as u32).filter(has_value).collect();
    let (rows, start) = sorted_by_number(&rows, c.value_count, |row| c.values[row as usize]);
    start.windows(2).find_map(|group| of_value(c, &rows[group[0] as usize..group[1] as usize]))
}

/// The rows of one value.
fn of_value(c: &Columns, rows: &[u32]) -> Option<Contradiction> {
    let of_kind = |kind: Kind| rows.iter().copied().filter(move |r| c.kinds[*r as usize] == kind);
    let mut adds: Vec<u32> = of_kind(Kind::Add).collect();
    sort_by_key(&mut adds, |row| c.left[*row as usize]);
    let mut removals: Vec<u32> = of_kind(Kind::Remove).collect();
    sort_by_key(&mut removals, |row| c.right[*row as usize]);
    let is_early = |row: u32, add: Option<&u32>| {
        add.is_none_or(|add| c.right[row as usize] < c.left[*add as usize])
    };
    let first_found = of_kind(Kind::Peek).chain(removals.first().copied());
    if let Some(row) = first_found.min_by_key(|row| c.right[*row as usize])
        && is_early(row, adds.first())
    {
        return Some(match adds[..] {
            [] => contradiction![row, " found what was never added"],
            [first, ..] => contradiction![
                row,
                " had ended before ",
                first,
                " began, which is the first to add what it found"
            ]
            .and(adds),
        });
    }
    let short = (0..removals.len()).find(|i| is_early(removals[*i], adds.get(*i)))?;
    let mut involved = removals[..=short].to_vec();
    involved.extend(adds.get(short..).unwrap_or_default());
    Some(Contradiction::of_all(&involved, ": what was removed had not been added as often by then"))
}
