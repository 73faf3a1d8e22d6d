//! What the input says about operations: notes, errors, other keys of a Jepsen event.
//!
//! A page has each text once. A part has the number of its remarks, then for each of them the distance to the operation with
//! the previous one, and the number of the text.

use std::collections::HashMap;

use linpoint::history::Span;
use linpoint::{OpId, Report};

use super::encode::{Digits, Table};
use crate::rendered::Operations;
use crate::text::shorten;

/// Longer remarks are cut to this many characters.
pub(super) const MAX_REMARK: usize = 600;
/// No more are added once their distinct texts have this many bytes.
const MOST_BYTES: usize = 1 << 20;

/// The remarks on the operations of a history.
#[derive(Default)]
pub(super) struct Remarks {
    pub(super) texts: Vec<String>,
    numbers: HashMap<OpId, u64>,
}

impl Remarks {
    /// The remarks on the operations `0..count`. If there is no room for all, the page has those that are nearest to the
    /// failing return.
    pub(super) fn new(count: usize, operations: &dyn Operations, report: &Report) -> Remarks {
        let ids = (0..count as u32).map(OpId);
        let mut all: Vec<(OpId, String)> =
            ids.filter_map(|id| Some((id, operations.remark(id)?))).collect();
        let failing = report.verdict.violation().and_then(|violation| violation.failing);
        let end = failing.map(|id| operations.span(id).ret).filter(|end| *end != Span::NEVER);
        if let Some(end) = end {
            all.sort_by_key(|(id, _)| operations.span(*id).call.abs_diff(end));
        }
        let (mut table, mut numbers) = (Table::default(), HashMap::new());
        for (id, text) in all {
            if table.bytes < MOST_BYTES {
                numbers.insert(id, table.number(&shorten(&text, MAX_REMARK)));
            }
        }
        Remarks { texts: table.texts, numbers }
    }

    /// Appends those on the operations of a part.
    pub(super) fn write(&self, part: &[OpId], data: &mut Digits) {
        let known = |(at, id)| Some((at, *self.numbers.get(id)?));
        let all: Vec<(u64, u64)> = match self.numbers.is_empty() {
            true => Vec::new(),
            false => (0..).zip(part).filter_map(known).collect(),
        };
        data.number(all.len() as u64);
        let mut last = 0;
        for (at, number) in all {
            data.number(at - last);
            data.number(number);
            last = at;
        }
    }
}
