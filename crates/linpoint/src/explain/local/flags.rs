//! Flags: elements of sets and locks. Between two moments at which a flag is known, raising and lowering alternate, so it
//! is enough to count them.

use super::view::{Row, View};
use crate::sorting::{pair, sort_by_key};
use crate::spec::Role;
use crate::verdict::{Argument, FlagFact};

/// Try at most this many operations as the earlier moment.
const MOST_ANCHORS: usize = 256;

/// Whether the operation finds the flag up, and how it leaves it.
fn finds(role: Role) -> Option<bool> {
    match role {
        Role::Lower | Role::IsUp => Some(true),
        Role::Raise | Role::IsDown => Some(false),
        _ => None,
    }
}

fn leaves(role: Role) -> Option<bool> {
    match role {
        Role::Raise | Role::IsUp => Some(true),
        Role::Lower | Role::IsDown => Some(false),
        _ => None,
    }
}

/// The state to which the operation changes the flag.
fn changes(role: Role) -> Option<bool> {
    match role {
        Role::Raise => Some(true),
        Role::Lower => Some(false),
        _ => None,
    }
}

/// Why an operation cannot have found the flag as it did.
///
/// Let an earlier operation (or the beginning) leave the flag in the other state. Then one change towards what was found
/// more than changes back must have happened in between. There are not enough if those that may have happened in between
/// are not more than those back that surely did. If the flag was found as it was at the beginning, both must be equally many,
/// and there are not enough if those towards are fewer.
pub(super) fn argue(view: &View<'_, '_>, row: &Row) -> Option<Argument> {
    if !row.certain {
        return None;
    }
    let found = finds(row.role)?;
    let mut anchors: Vec<Option<&Row>> = view
        .rows
        .iter()
        .filter(|other| other.surely_precedes(row) && leaves(other.role) == Some(!found))
        .map(Some)
        .collect();
    // What changed the flag says more than what only found it so, and the last one is the closest.
    sort_by_key(&mut anchors, |anchor| {
        anchor.map_or(0, |a| pair(u32::from(changes(a.role).is_none()), !a.span.call))
    });
    anchors.truncate(MOST_ANCHORS);
    anchors.push(None);
    let counted = anchors.into_iter().map(|anchor| (anchor, between(view, anchor, row, found)));
    let is_proof = |(anchor, [towards, back]): &(Option<&Row>, [usize; 2])| {
        let needed = usize::from(anchor.is_some() || found);
        *towards < back + needed
    };
    let (anchor, [towards, back]) =
        counted.filter(is_proof).min_by_key(|(_, [towards, back])| (*towards, *back))?;
    if anchor.is_none() && found && towards == 0 {
        return Some(unraised(view, row));
    }
    Some(Argument::Flag(FlagFact {
        reader: row.id,
        anchor: anchor.map(|row| row.id),
        found_up: found,
        changes: changes(row.role).is_some(),
        keyed: view.keyed,
        towards,
        back,
        holder: match anchor {
            None if !found && !view.keyed => holder(view, row).map(|row| row.id),
            _ => None,
        },
    }))
}

/// The last that acquired a lock before `row`, and whose process did not call for its release until `row` returned.
fn holder<'v>(view: &'v View<'_, '_>, row: &Row) -> Option<&'v Row> {
    let process = |row: &Row| view.case.extras(row.id).process;
    let releases = |held: &Row, other: &Row| {
        other.role == Role::Lower
            && process(other) == process(held)
            && other.span.call > held.span.call
            && other.span.call <= row.span.ret
    };
    view.rows
        .iter()
        .filter(|held| held.role == Role::Raise && held.surely_precedes(row))
        .filter(|held| process(held).is_some() && process(held) != process(row))
        .filter(|held| !view.rows.iter().any(|other| releases(held, other)))
        .max_by_key(|held| held.span.call)
}

/// How often the flag may have been changed to `found` between the two, and how often it surely was changed back.
fn between(view: &View<'_, '_>, anchor: Option<&Row>, row: &Row, found: bool) -> [usize; 2] {
    let mut counts = [0; 2];
    for other in view.before(row).filter(|other| anchor.is_none_or(|a| a.id != other.id)) {
        match changes(other.role) {
            Some(to) if to == found => {
                counts[0] += usize::from(anchor.is_none_or(|a| !other.precedes(a)));
            }
            Some(_) => {
                let after = anchor.is_none_or(|a| a.precedes(other));
                counts[1] += usize::from(after && other.surely_precedes(row));
            }
            None => {}
        }
    }
    counts
}

/// Nothing raised the flag before the operation returned.
fn unraised(view: &View<'_, '_>, row: &Row) -> Argument {
    let all = view.rows.iter().chain(&view.later);
    let late: Vec<&Row> = all.filter(|other| other.role == Role::Raise).collect();
    match late.iter().min_by_key(|row| row.span.call) {
        None => Argument::Phantom { reader: row.id },
        Some(first) => Argument::Future { reader: row.id, writer: first.id, writers: late.len() },
    }
}
