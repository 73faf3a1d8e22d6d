//! The common part of the monitors of queues, stacks and priority queues: gathers the operations of
//! each element, and finds contradictions within a single element.
//!
//! Sound because an element is added once: the add comes before everything else of the element and
//! the removal after it, wherever they are. So the add may be taken to end when the first operation of
//! the element does, and the removal to begin when the last one does; an element that is never removed
//! has a removal after the end. Between the two, at the peaks strictly inside (`add_right`,
//! `remove_left`), the element is certainly there: it is *critical*.

use super::columns::{Columns, Kind};
use super::contradiction::contradiction;
use super::names::NONE;
use super::peaks::Peaks;
use super::{Contradiction, Refusal};
use crate::sorting::sort_by_key;

/// An element and its operations. Peaks of operations that do not exist are `u32::MAX`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    /// The row that adds it; [`NONE`] if the number is not in use.
    pub(crate) add: u32,
    /// The row that removes it, or [`NONE`] if only a pending removal can have removed it.
    pub(crate) remove: u32,
    /// When its add begins.
    pub(crate) add_left: u32,
    /// The latest possible end of its add: the first right end of all its operations. The number of
    /// peaks if none of them returned.
    pub(crate) add_right: u32,
    /// The first right end of its peeks and its removal; `u32::MAX` if there are none.
    pub(crate) seen_right: u32,
    /// The last left end of all its operations: its removal begins then at the earliest.
    pub(crate) last_left: u32,
}

impl Element {
    const UNUSED: Element = Element {
        add: NONE,
        remove: NONE,
        add_left: 0,
        add_right: Peaks::NEVER,
        seen_right: Peaks::NEVER,
        last_left: 0,
    };

    /// True if the number is in use.
    pub(crate) fn is_used(&self) -> bool {
        self.add != NONE
    }

    /// True if a completed operation removed it.
    pub(crate) fn is_removed(&self) -> bool {
        self.remove != NONE
    }

    /// The earliest possible beginning of its removal; after the last peak if it is never removed.
    pub(crate) fn remove_left(&self, peaks: u32) -> u32 {
        if self.is_removed() { self.last_left } else { peaks }
    }
}

/// The elements of a container, and the operations that name none.
#[derive(Debug)]
pub(crate) struct Elements {
    /// By number. Not all numbers are in use, see [`Element::is_used`].
    pub(crate) list: Vec<Element>,
    /// Number of elements in use that no completed operation removed.
    pub(crate) unremoved: usize,
    /// True if some element was peeked at.
    pub(crate) has_peeks: bool,
    /// Pending removals, by left end.
    pub(crate) takes: Vec<u32>,
    /// Rows that found no element.
    pub(crate) empties: Vec<u32>,
}

impl Elements {
    /// Gathers the operations of each element. The outer error is a refusal, the inner one a
    /// contradiction.
    pub(crate) fn gather(c: &Columns) -> Result<Result<Elements, Contradiction>, Refusal> {
        let mut elements = Elements {
            list: vec![Element::UNUSED; c.value_count],
            unremoved: 0,
            has_peeks: false,
            takes: Vec::new(),
            empties: Vec::new(),
        };
        let mut second_remove = NONE;
        let mut pending_adds = false;
        let rows = c.kinds.iter().zip(&c.values).zip(&c.left).zip(&c.right);
        for (row, (((&kind, &value), &left), &right)) in (0..).zip(rows) {
            match kind {
                Kind::Take => elements.takes.push(row),
                Kind::Empty => elements.empties.push(row),
                Kind::Add => {
                    let e = &mut elements.list[value as usize];
                    if e.add != NONE {
                        // A pending add that nothing noticed does not count, but which of the two
                        // that is cannot be determined.
                        return Err(Refusal::new("a value is added twice"));
                    }
                    pending_adds |= right == Peaks::NEVER;
                    e.add = row;
                    e.add_left = left;
                    e.add_right = e.add_right.min(right);
                    e.last_left = e.last_left.max(left);
                }
                Kind::Remove | Kind::Peek => {
                    let e = &mut elements.list[value as usize];
                    e.add_right = e.add_right.min(right);
                    e.seen_right = e.seen_right.min(right);
                    e.last_left = e.last_left.max(left);
                    if kind == Kind::Peek {
                        elements.has_peeks = true;
                    } else if e.remove == NONE {
                        e.remove = row;
                    } else if second_remove == NONE {
                        second_remove = row;
                    }
                }
                _ => {}
            }
        }
        if pending_adds {
            elements.forget_unnoticed_adds(c);
        }
        sort_by_key(&mut elements.takes, |row| c.left[*row as usize]);
        elements.unremoved =
            elements.list.iter().filter(|e| e.is_used() && !e.is_removed()).count();
        Ok(match elements.contradiction(c, second_remove) {
            Some(contradiction) => Err(contradiction),
            None => Ok(elements),
        })
    }

    /// Drops pending adds of elements that no operation saw. Leaving one out, together with the
    /// pending removal that may have taken its element, changes nothing that was observed.
    fn forget_unnoticed_adds(&mut self, c: &Columns) {
        for e in &mut self.list {
            if e.is_used() && c.is_pending(e.add) {
                if e.seen_right == Peaks::NEVER {
                    *e = Element::UNUSED;
                } else {
                    e.add_right = e.add_right.min(c.peaks);
                }
            }
        }
    }

    /// The contradiction within a single element, if there is one.
    fn contradiction(&self, c: &Columns, second_remove: u32) -> Option<Contradiction> {
        if second_remove != NONE {
            let element = &self.list[c.values[second_remove as usize] as usize];
            return Some(contradiction![
                element.remove,
                " and ",
                second_remove,
                " both removed what was added at most once"
            ]);
        }
        let suspect = |e: &Element| match e.add {
            NONE => e.seen_right != Peaks::NEVER,
            _ => {
                e.add_left > e.add_right
                    || e.is_removed() && c.right[e.remove as usize] < e.last_left
            }
        };
        let (number, e) = self.list.iter().enumerate().find(|(_, e)| suspect(e))?;
        let mut rows = (0..c.len() as u32)
            .filter(|r| c.values[*r as usize] == number as u32 && *r != e.add && *r != e.remove);
        if e.add == NONE {
            let row = if e.is_removed() { e.remove } else { rows.next()? };
            return Some(contradiction![row, " found what was never added"]);
        }
        if e.add_left > e.add_right {
            let ended = |row: &u32| c.right[*row as usize] < e.add_left;
            let row = if e.is_removed() && ended(&e.remove) { e.remove } else { rows.find(ended)? };
            return Some(contradiction![
                row,
                " had ended before ",
                e.add,
                " began, which added what it found"
            ]);
        }
        let late = rows.find(|row| c.left[*row as usize] == e.last_left)?;
        Some(contradiction![
            late,
            " began after ",
            e.remove,
            " had ended, which removed what it found"
        ])
    }
}
