//! What was written to each segment, and which rows are scans.

use crate::spec::{Name, Role};

use super::super::{Refusal, Rows};

/// The operations, by segment.
#[derive(Default)]
pub(super) struct Operations {
    /// Up to the last one that is written to.
    pub(super) segments: Vec<Updates>,
    /// Scans that returned.
    pub(super) scans: Vec<u32>,
}

/// The updates of one segment, in columns.
#[derive(Default)]
pub(super) struct Updates {
    pub(super) rows: Vec<u32>,
    /// The names of what they wrote.
    pub(super) names: Vec<u64>,
}

impl Operations {
    pub(super) fn read<O, R>(rows: &Rows<'_, O, R>) -> Result<Operations, Refusal> {
        let mut read = Operations::default();
        // Segments are indexed: one with a huge number would need as many empty ones before it.
        let most = rows.ids.len().saturating_mul(2).saturating_add(1000);
        for (row, &id) in rows.ids.iter().enumerate() {
            let row = row as u32;
            let pending = rows.history.span(id).is_pending();
            match rows.shaped.role(rows.history.op(id), rows.history.ret(id), pending) {
                Role::Foreign(reason) => return Err(Refusal::new(reason)),
                Role::Idle => {}
                Role::Update { segment, value } => {
                    let segment = segment as usize;
                    if segment >= most {
                        let reason = "segment numbers are too large for so few operations";
                        return Err(Refusal::new(reason));
                    }
                    if segment >= read.segments.len() {
                        read.segments.resize_with(segment + 1, Updates::default);
                    }
                    read.segments[segment].rows.push(row);
                    read.segments[segment].names.push(value.0);
                }
                Role::Scan => read.scans.push(row),
                _ => return Err(Refusal::new("an operation that this kind of object lacks")),
            }
        }
        Ok(read)
    }
}

/// Calls `see(scan, segment, name)` for everything that the scans saw, until it gives something.
pub(super) fn each_view<O, R, T>(
    rows: &Rows<'_, O, R>,
    scans: &[u32],
    mut see: impl FnMut(u32, usize, Name) -> Option<T>,
) -> Option<T> {
    let mut view: Vec<Option<Name>> = Vec::new();
    for &scan in scans {
        let Some(ret) = rows.history.ret(rows.ids[scan as usize]) else { continue };
        view.clear();
        rows.shaped.view(ret, &mut view);
        for (segment, name) in view.iter().enumerate() {
            if let Some(found) = name.and_then(|name| see(scan, segment, name)) {
                return Some(found);
            }
        }
    }
    None
}
