//! Reads what was written to each segment, and which rows are scans.

use crate::spec::{Name, Role};

use super::super::roles::PORTION;
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
    pub(super) fn read(rows: Rows<'_>) -> Result<Operations, Refusal> {
        let mut read = Operations::default();
        // Segments are indexed: one with a huge number would need as many empty ones before it.
        let most = rows.len().saturating_mul(2).saturating_add(1000);
        let mut roles = Vec::with_capacity(PORTION);
        for begin in (0..rows.len()).step_by(PORTION) {
            let portion = begin..rows.len().min(begin + PORTION);
            roles.clear();
            rows.roles(portion.clone(), &mut roles);
            for (row, (role, _)) in portion.zip(&roles) {
                read.row(row as u32, *role, most)?;
            }
        }
        Ok(read)
    }

    /// One more row. Numbers of segments are below `most`.
    fn row(&mut self, row: u32, role: Role, most: usize) -> Result<(), Refusal> {
        match role {
            Role::Foreign(reason) => return Err(Refusal::new(reason)),
            Role::Idle => {}
            Role::Update { segment, value } => {
                let segment = segment as usize;
                if segment >= most {
                    let reason = "segment numbers are too large for so few operations";
                    return Err(Refusal::new(reason));
                }
                if segment >= self.segments.len() {
                    self.segments.resize_with(segment + 1, Updates::default);
                }
                self.segments[segment].rows.push(row);
                self.segments[segment].names.push(value.0);
            }
            Role::Scan => self.scans.push(row),
            _ => return Err(Refusal::new("an operation that this kind of object lacks")),
        }
        Ok(())
    }
}

/// Calls `see(nth, segment, name)` for everything that the nth scan saw, until it returns `Some`.
pub(super) fn each_view<T>(
    rows: Rows<'_>,
    scans: &[u32],
    mut see: impl FnMut(usize, usize, Name) -> Option<T>,
) -> Option<T> {
    let mut view: Vec<Option<Name>> = Vec::new();
    for (nth, &scan) in scans.iter().enumerate() {
        view.clear();
        rows.view(scan as usize, &mut view);
        for (segment, name) in view.iter().enumerate() {
            if let Some(found) = name.and_then(|name| see(nth, segment, name)) {
                return Some(found);
            }
        }
    }
    None
}
