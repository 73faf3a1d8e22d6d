//! What was written to each segment, and what scans saw in it.

use crate::spec::{Name, Role};

use super::super::{Refusal, Rows};

/// The operations, by segment.
#[derive(Default)]
pub(super) struct Segments {
    /// Up to the last one that is mentioned.
    pub(super) segments: Vec<Segment>,
    /// Scans that returned.
    pub(super) completed_scans: Vec<u32>,
}

/// One segment. Two pairs of columns.
#[derive(Default)]
pub(super) struct Segment {
    /// Rows that update it,
    pub(super) updates: Vec<u32>,
    /// and the names of what they wrote.
    pub(super) written: Vec<u64>,
    /// Rows that saw a value in it,
    pub(super) scans: Vec<u32>,
    /// and the names of what they saw.
    pub(super) seen: Vec<u64>,
}

impl Segments {
    pub(super) fn read<O, R>(rows: &Rows<'_, O, R>, segments: usize) -> Result<Segments, Refusal> {
        let mut read = Segments::default();
        // Segments are indexed; one with a huge number would need as many empty ones before it.
        let most = rows.ids.len().saturating_mul(2).saturating_add(1000).min(segments);
        let mut view: Vec<Option<Name>> = Vec::new();
        for (row, &id) in rows.ids.iter().enumerate() {
            let row = row as u32;
            let (op, ret) = (rows.history.op(id), rows.history.ret(id));
            match rows.shaped.role(op, ret, rows.history.span(id).is_pending()) {
                Role::Foreign(reason) => return Err(Refusal::new(reason)),
                Role::Idle => {}
                Role::Update { segment, value } => {
                    let segment = read.segment(segment as usize, most)?;
                    segment.updates.push(row);
                    segment.written.push(value.0);
                }
                Role::Scan => {
                    read.completed_scans.push(row);
                    view.clear();
                    ret.inspect(|ret| rows.shaped.view(ret, &mut view));
                    for (number, name) in view.iter().enumerate() {
                        let Some(name) = name else { continue };
                        let segment = read.segment(number, most.max(view.len()))?;
                        segment.scans.push(row);
                        segment.seen.push(name.0);
                    }
                }
                _ => return Err(Refusal::new("an operation that this kind of object lacks")),
            }
        }
        Ok(read)
    }

    fn segment(&mut self, number: usize, most: usize) -> Result<&mut Segment, Refusal> {
        if number >= most {
            return Err(Refusal::new("segment numbers are too large for so few operations"));
        }
        if number >= self.segments.len() {
            self.segments.resize_with(number + 1, Segment::default);
        }
        Ok(&mut self.segments[number])
    }
}
