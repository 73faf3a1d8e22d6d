//! What the input says about operations: notes, errors, other keys of a Jepsen event.
//!
//! A page has each text once. A part has the number of its remarks, then for each of them the distance to the operation with
//! the previous one, and the number of the text.

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
    /// By operation: the number of its text, counted from 1, or 0. Empty if there are none.
    numbers: Vec<u64>,
}

impl Remarks {
    /// The remarks on the operations `0..count`. If there is no room for all, the page has those that are nearest to the
    /// failing return.
    pub(super) fn new(count: usize, operations: &dyn Operations, report: &Report) -> Remarks {
        let ids = (0..count as u32).map(OpId);
        let mut ids: Vec<OpId> = ids.filter(|id| operations.remark(*id).is_some()).collect();
        let failing = report.verdict.violation().and_then(|violation| violation.failing);
        let end = failing.map(|id| operations.span(id).ret).filter(|end| *end != Span::NEVER);
        if let Some(end) = end {
            ids.sort_unstable_by_key(|id| (operations.span(*id).call.abs_diff(end), *id));
        }
        let (mut table, mut numbers) = (Table::default(), Vec::new());
        numbers.resize(if ids.is_empty() { 0 } else { count }, 0);
        for id in ids {
            if let Some(text) = operations.remark(id).filter(|_| table.bytes < MOST_BYTES) {
                numbers[id.index()] = table.number(&shorten(&text, MAX_REMARK)) + 1;
            }
        }
        Remarks { texts: table.texts, numbers }
    }

    /// Appends those on the operations of a part.
    pub(super) fn write(&self, part: &[OpId], data: &mut Digits) {
        let number = |id: &OpId| self.numbers.get(id.index()).copied().unwrap_or(0);
        data.number(part.iter().filter(|id| number(id) > 0).count() as u64);
        let mut last = 0;
        for (at, id) in (0..).zip(part).filter(|(_, id)| number(id) > 0) {
            data.number(at - last);
            data.number(number(id) - 1);
            last = at;
        }
    }
}
