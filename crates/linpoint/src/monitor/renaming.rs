//! Values that are added more than once: each add gets a name of its own, where that is exact.
//!
//! The monitors of containers need distinct elements. Two rules number the adds of one value such
//! that the renamed history is linearizable exactly if the given one is. One direction is easy: an
//! order that explains the renamed history explains the given one, because the container treats
//! elements with the same value (and, in a priority queue, with the same priority) alike. For the
//! other direction, take an order that explains the given history, and follow each single element
//! in it.
//!
//! 1. *Never seen.* An add that begins after all peeks and removals that name its value have ended:
//!    its element can only be taken by a pending removal, which names nothing. So it may have a name
//!    of its own. If the add is pending, it is left out, together with the pending removal that took
//!    its element: nothing saw it in front of anything, and everything else keeps its place.
//! 2. *Epochs.* Let all operations of a value that begin before some moment have ended by then, with
//!    as many adds as removals among them. Then no element of that value is left at that moment: what
//!    was added is at least what was removed, by these and by pending removals. So operations before
//!    and after never speak of the same element, and the later ones may have a name of their own.
//!    (With more removals than adds there is no order at all, before and after renaming.)
//!
//! If two adds still share a name, the rules do not apply and the history is refused.
//!
//! A *contradiction* of the renamed history may not be one of the given history, once other adds of
//! the value are relaxed: those might supply it. If all adds and removals of the value are kept
//! unchanged, the rules still apply, whatever else is relaxed: [`Renamed::widen`] adds them.
//!
//! Time: linear, if rows come in the order of their calls. Values that are added once are not
//! touched. Not from a paper. It is used after the columns have been found to have a repeated add.

use super::columns::{Columns, Kind};
use super::group::sorted_by_number;
use super::names::NONE;
use super::peaks::Peaks;
use super::{Contradiction, Piece, Refusal};
use crate::sorting::sort_by_key;

/// What was renamed.
pub(crate) struct Renamed {
    /// The old number of each number.
    origin: Vec<u32>,
    /// The old numbers with more than one add.
    repeated: Vec<bool>,
    /// Pending adds that were left out, with their old numbers.
    dropped: Vec<(u32, u32)>,
}

/// Gives each add of one value its own number. Refuses if that is not exact. `by_priority` is for a
/// priority queue, in which the new elements have the priority of the old.
pub(crate) fn rename(c: &mut Columns, by_priority: bool) -> Result<Renamed, Refusal> {
    let repeated = repeated(c);
    let is_repeated = |value: u32| repeated.get(value as usize).is_some_and(|r| *r);
    let rows: Vec<u32> =
        (0..c.len() as u32).filter(|row| is_repeated(c.values[*row as usize])).collect();
    let (mut rows, start) = sorted_by_number(&rows, c.value_count, |row| c.values[row as usize]);
    let origin = (0..c.value_count as u32).collect();
    let mut renamed = Renamed { origin, repeated, dropped: Vec::new() };
    for group in start.windows(2) {
        let group = &mut rows[group[0] as usize..group[1] as usize];
        if !group.is_empty() {
            sort_by_key(group, |row| c.left[*row as usize]);
            renamed.rename_value(c, group)?;
        }
    }
    if by_priority {
        let class = std::mem::take(&mut c.priority_class);
        let of_old = |old: &u32| class.get(*old as usize).copied().unwrap_or(*old);
        c.priority_class = renamed.origin.iter().map(of_old).collect();
    }
    c.value_count = renamed.origin.len();
    Ok(renamed)
}

/// Which values are added more than once.
fn repeated(c: &Columns) -> Vec<bool> {
    let mut added = vec![false; c.value_count];
    let mut repeated = vec![false; c.value_count];
    for (kind, value) in c.kinds.iter().zip(&c.values) {
        if *kind == Kind::Add {
            repeated[*value as usize] |= added[*value as usize];
            added[*value as usize] = true;
        }
    }
    repeated
}

/// The events since the number of a value last changed.
#[derive(Default)]
struct Epoch {
    adds: u32,
    removals: u32,
    /// The last end of its operations.
    right: u32,
}

impl Renamed {
    /// Renames the rows of one value, in the order of their left ends.
    fn rename_value(&mut self, c: &mut Columns, rows: &[u32]) -> Result<(), Refusal> {
        let old = c.values[rows[0] as usize];
        let seen = |row: &&u32| c.kinds[**row as usize] != Kind::Add;
        let last_seen = rows.iter().filter(seen).map(|row| c.right[*row as usize]).max();
        let (mut number, mut epoch) = (old, Epoch::default());
        for &row in rows {
            let (kind, left, right) =
                (c.kinds[row as usize], c.left[row as usize], c.right[row as usize]);
            let is_add = kind == Kind::Add;
            if is_add && last_seen.is_none_or(|seen| left > seen) {
                self.rename_unseen(c, row);
                continue;
            }
            if left > epoch.right && epoch.removals >= epoch.adds {
                number = self.fresh(old);
                epoch = Epoch::default();
            }
            epoch.adds += u32::from(is_add);
            epoch.removals += u32::from(kind == Kind::Remove);
            epoch.right = epoch.right.max(right);
            c.values[row as usize] = number;
            if epoch.adds > 1 {
                return Err(Refusal::new(
                    "a value is added again while it may still be there from before",
                ));
            }
        }
        Ok(())
    }

    /// Rule 1.
    fn rename_unseen(&mut self, c: &mut Columns, row: u32) {
        let old = c.values[row as usize];
        if c.right[row as usize] == Peaks::NEVER {
            self.dropped.push((row, old));
            c.kinds[row as usize] = Kind::Idle;
            c.values[row as usize] = NONE;
        } else {
            c.values[row as usize] = self.fresh(old);
        }
    }

    fn fresh(&mut self, old: u32) -> u32 {
        self.origin.push(old);
        self.origin.len() as u32 - 1
    }

    /// Turns a contradiction of the renamed history into one of the given history.
    pub(crate) fn widen(&self, c: &Columns, contradiction: Contradiction) -> Contradiction {
        let origin = |row: &u32| self.origin.get(c.values[*row as usize] as usize).copied();
        let mut involved = vec![false; self.repeated.len()];
        for old in contradiction.rows.iter().filter_map(origin) {
            involved[old as usize] = self.repeated[old as usize];
        }
        if !involved.contains(&true) {
            return contradiction;
        }
        let matters = |row: &u32| {
            matches!(c.kinds[*row as usize], Kind::Add | Kind::Remove)
                && origin(row).is_some_and(|old| involved[old as usize])
        };
        let dropped = self.dropped.iter().filter(|(_, old)| involved[*old as usize]);
        let mut wider = contradiction
            .and((0..c.len() as u32).filter(matters))
            .and(dropped.map(|(row, _)| *row));
        wider.sentence.push(Piece::from(
            " (other adds of the same value had been removed again by then, or began too late)",
        ));
        wider
    }
}
