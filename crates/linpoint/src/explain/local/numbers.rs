//! Counters and semaphores: what an operation found lies outside of what any order gives.

use super::view::{Row, View};
use crate::sorting::sort_by_key;
use crate::spec::{Role, Shape};
use crate::verdict::Argument;

/// Try at most this many operations as the earlier moment.
const MOST_ANCHORS: usize = 64;

/// Why an operation of a counter cannot have found its number.
pub(super) fn counter(view: &View<'_, '_>, row: &Row) -> Option<Argument> {
    let Shape::Counter { initial } = view.case.subject.shape() else { return None };
    let found = found(row)?;
    if let Some(twice) = same_number(view, row) {
        return Some(twice);
    }
    let mut anchors: Vec<(Option<&Row>, i128)> = vec![(None, i128::from(initial))];
    let mut earlier: Vec<(&Row, i128)> = view
        .rows
        .iter()
        .filter(|other| other.precedes(row))
        .filter_map(|other| Some((other, self::found(other)? + shift(other.role))))
        .collect();
    sort_by_key(&mut earlier, |(row, _)| !row.span.call);
    anchors.extend(earlier.into_iter().take(MOST_ANCHORS).map(|(row, n)| (Some(row), n)));
    anchors.into_iter().find_map(|(anchor, base)| {
        let [least, most] = range(view, anchor, row, base)?;
        let is_outside = found < least || most < found;
        let (reader, anchor) = (row.id, anchor.map(|row| row.id));
        is_outside.then_some(Argument::Total { reader, anchor, found, least, most })
    })
}

fn found(row: &Row) -> Option<i128> {
    match row.role {
        Role::IsNumber(n) | Role::ShiftFrom { from: n, .. } if row.certain => Some(i128::from(n)),
        _ => None,
    }
}

fn shift(role: Role) -> i128 {
    match role {
        Role::Shift(by) | Role::ShiftFrom { by, .. } => i128::from(by),
        _ => 0,
    }
}

/// The numbers that are possible for `row` if there was `base` at `anchor`. `None` if the counter may wrap around.
fn range(view: &View<'_, '_>, anchor: Option<&Row>, row: &Row, base: i128) -> Option<[i128; 2]> {
    let mut range = [base; 2];
    for other in view.before(row).filter(|other| anchor.is_none_or(|a| a.id != other.id)) {
        let by = shift(other.role);
        let is_after = anchor.is_none_or(|a| a.precedes(other));
        if is_after && other.surely_precedes(row) {
            range = [range[0] + by, range[1] + by];
        } else if anchor.is_none_or(|a| !other.precedes(a)) {
            range = [range[0] + by.min(0), range[1] + by.max(0)];
        }
    }
    let fits = |n: i128| i64::try_from(n).is_ok();
    (fits(base) && range.into_iter().all(fits)).then_some(range)
}

/// Two operations that add something found the same number, and nothing is ever subtracted.
fn same_number(view: &View<'_, '_>, row: &Row) -> Option<Argument> {
    let adds = |row: &Row| shift(row.role) > 0;
    let total: i128 = view.rows.iter().map(|row| shift(row.role)).sum();
    if !adds(row) || total > i128::from(i64::MAX) || view.rows.iter().any(|r| shift(r.role) < 0) {
        return None;
    }
    let other = view.rows.iter().find(|other| {
        other.id != row.id && adds(other) && found(other).is_some() && found(other) == found(row)
    })?;
    Some(Argument::Twice { takers: vec![other.id, row.id], adders: Vec::new() })
}

/// Why an operation of a semaphore cannot have found a permit, or none.
pub(super) fn semaphore(view: &View<'_, '_>, row: &Row) -> Option<Argument> {
    let Shape::Semaphore { initial } = view.case.subject.shape() else { return None };
    let wants = match row.role {
        Role::Acquire if row.certain => true,
        Role::NoPermit if row.certain => false,
        _ => return None,
    };
    let mut free = i128::from(initial);
    for other in view.before(row) {
        let sure = other.surely_precedes(row);
        match other.role {
            // As many as possible for one that got a permit, as few as possible for one that found none.
            Role::Release if wants || sure => free += 1,
            Role::Acquire if !wants || sure => free -= 1,
            _ => {}
        }
    }
    let is_impossible = if wants { free < 1 } else { free > 0 };
    is_impossible.then_some(Argument::Permits { reader: row.id, free })
}
