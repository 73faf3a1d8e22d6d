//! Snapshot objects: each segment is a register, and scans see all of them at one moment.

use super::registers::Lens;
use super::view::{Row, View};
use crate::spec::{Role, Shape};
use crate::verdict::Argument;

/// Look at no more values than this.
const MOST_VALUES: usize = 1 << 22;
/// Compare scans with each other only in histories that are not longer than this.
const MOST_ROWS: usize = 1 << 11;

pub(super) fn argue(view: &View<'_, '_>, scan: &Row) -> Option<Argument> {
    let Shape::Snapshot { segments, .. } = view.case.subject.shape() else { return None };
    let scans = view.rows.iter().filter(|row| row.role == Role::Scan && row.certain);
    if scan.role != Role::Scan
        || (segments * segments).saturating_mul(view.rows.len()) > MOST_VALUES
    {
        return None;
    }
    let lenses: Vec<Lens<'_, '_, '_>> =
        (0..segments as u32).filter_map(|segment| Lens::new(view, Some(segment))).collect();
    if let Some(argument) = lenses.iter().find_map(|lens| lens.argue(scan)) {
        return Some(argument);
    }
    if view.rows.len() > MOST_ROWS {
        return None;
    }
    // Two scans that each saw something newer than the other.
    for other in scans.filter(|other| other.id != scan.id) {
        let newer = |a: &Row, b: &Row| {
            lenses
                .iter()
                .enumerate()
                .find_map(|(segment, lens)| lens.newer(a, b).map(|update| (segment as u32, update)))
        };
        if let Some(first) = newer(scan, other)
            && let Some(second) = newer(other, scan)
        {
            return Some(Argument::Crossed {
                scans: [scan.id, other.id],
                segments: [first.0, second.0],
                updates: [first.1, second.1],
            });
        }
    }
    None
}
