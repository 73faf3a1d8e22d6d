//! Completed rows that reveal nothing, such as a peek whose result was not recorded. They must be
//! in the order, anywhere that real time allows.

use super::columns::{Columns, Kind};
use crate::sorting::sort_by_key;

/// Inserts the completed idle rows into an order of all others.
///
/// Each is inserted before the first row that begins after its end. The rows in front of it do not
/// begin after its end, and those behind it come after a row that begins later than it does. So the
/// result respects real time if the given order does.
pub(super) fn weave(c: &Columns, order: Vec<u32>) -> Vec<u32> {
    let is_idle = |row: &u32| c.kinds[*row as usize] == Kind::Idle && !c.is_pending(*row);
    let mut idle: Vec<u32> = (0..c.len() as u32).filter(is_idle).collect();
    if idle.is_empty() {
        return order;
    }
    sort_by_key(&mut idle, |row| c.right[*row as usize]);
    let mut idle = idle.into_iter().peekable();
    let mut woven = Vec::with_capacity(c.len());
    for row in order {
        let begin = c.left[row as usize];
        while let Some(before) = idle.next_if(|i| c.right[*i as usize] < begin) {
            woven.push(before);
        }
        woven.push(row);
    }
    woven.extend(idle);
    woven
}
