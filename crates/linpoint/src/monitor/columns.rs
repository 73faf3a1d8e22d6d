//! A history as columns of small numbers, the input of all monitors.

use std::cmp::Ordering;

use crate::spec::{Shape, Slot};

use super::names::{NONE, Numbers};
use super::peaks::Peaks;
use super::roles::{PORTION, Roles};
use super::{Refusal, Rows};

/// The kind of an operation: a [`Role`] without its names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Kind {
    Idle,
    Add,
    Remove,
    Take,
    Peek,
    Empty,
    Raise,
    Lower,
    IsUp,
    IsDown,
    Write,
    Read,
    Replace,
}

/// The operations of one object, a row each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Columns {
    /// The kind of each row.
    pub(crate) kinds: Vec<Kind>,
    /// The number of the element or value that the row names, or [`NONE`]. For a priority queue, an
    /// element with a greater number never comes out after one with a smaller number. Empty for
    /// flags, which have no values.
    pub(crate) values: Vec<u32>,
    /// One more than the largest number of a value. Some numbers may be unused.
    pub(crate) value_count: usize,
    /// For a priority queue, by value: elements of one priority share a number, and a greater
    /// number comes out first. Empty if all priorities are distinct; values are then numbered in
    /// priority order. In a bag, all elements have the same priority.
    pub(crate) priority_class: Vec<u32>,
    /// For registers, the number of the initial value; [`NONE`] if no operation names it.
    pub(crate) initial: u32,
    /// For [`Kind::Replace`], the number of the value it replaced. Empty if there is no such row.
    pub(crate) sources: Vec<u32>,
    /// The number of the flag or register of each row; empty if there is only one.
    pub(crate) keys: Vec<u32>,
    /// One more than the largest number of a key.
    pub(crate) key_count: usize,
    /// For a deque: whether the row is about the front. Empty otherwise.
    pub(crate) fronts: Vec<bool>,
    /// First peak at which each was open.
    pub(crate) left: Vec<u32>,
    /// Last peak at which it was open, or [`Peaks::NEVER`].
    pub(crate) right: Vec<u32>,
    /// Number of peaks.
    pub(crate) peaks: u32,
}

/// The kinds of all rows, with numbers for the names.
pub(crate) struct Named {
    pub(crate) kinds: Vec<Kind>,
    /// Numbers of values. Those of the sources come after the last row.
    values: Numbers,
    /// The flag or register of each row, if there is more than one.
    pub(crate) keys: Numbers,
    /// A place that has the name of a register's initial value.
    initial: Option<(u32, Slot)>,
    /// Of a deque: whether each row is about the front.
    fronts: Vec<bool>,
}

impl Named {
    /// Reads the operations, which all belong to one object.
    pub(crate) fn read(rows: Rows<'_>) -> Result<Named, Refusal> {
        let named = Named::trusting(rows)?;
        if !rows.trusts_names() {
            named.verify(rows)?;
        }
        Ok(named)
    }

    /// Assumes that equal names mean equal values.
    fn trusting(rows: Rows<'_>) -> Result<Named, Refusal> {
        let Roles { kinds, names, keys, initial, fronts } = Roles::read(rows)?;
        // Replaced values are numbered together with written ones.
        let names_value = |row: usize| match row.checked_sub(kinds.len()) {
            None => kinds[row].has_value(),
            Some(row) => kinds[row] == Kind::Replace,
        };
        let values = Numbers::of_names(names, names_value);
        let keys = Numbers::of_names(keys, |_| true);
        Ok(Named { kinds, values, keys, initial, fronts })
    }

    /// Checks that values with the same number are equal.
    fn verify(&self, rows: Rows<'_>) -> Result<(), Refusal> {
        rows.verify(&self.keys, Slot::Key)?;
        rows.verify(&self.values, Slot::Value)
    }
}

impl Columns {
    /// Reads the operations, which all belong to one object.
    pub(crate) fn read(reader: Rows<'_>) -> Result<Columns, Refusal> {
        let content = || {
            let mut named = Named::read(reader)?;
            let priority_class = match reader.shape() {
                Shape::PriorityQueue => reader.sort_by_priority(&mut named.values),
                Shape::Bag => vec![0; named.values.count],
                _ => Vec::new(),
            };
            Ok((named, priority_class))
        };
        let ((named, priority_class), peaks) =
            reader.helper.try_both(content, || Peaks::of(reader))?;
        let Named { kinds, mut values, keys, initial, fronts } = named;
        let rows = kinds.len();
        let sources = values.of_row.split_off(rows.min(values.of_row.len()));
        let initial = initial.filter(|(row, slot)| reader.is_initial(*row as usize, *slot));
        let initial = match initial {
            None => NONE,
            Some((row, Slot::Source)) => sources[row as usize],
            Some((row, _)) => values.of_row[row as usize],
        };
        let Peaks { left, right, count } = peaks;
        Ok(Columns {
            kinds,
            values: values.of_row,
            value_count: values.count,
            priority_class,
            initial,
            sources,
            keys: keys.of_row,
            key_count: keys.count,
            fronts,
            left,
            right,
            peaks: count,
        })
    }

    /// Number of rows.
    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }

    /// True if the row never returned.
    pub(crate) fn is_pending(&self, row: u32) -> bool {
        self.right[row as usize] == Peaks::NEVER
    }
}

impl Kind {
    /// True if a row of this kind names a value.
    pub(super) fn has_value(self) -> bool {
        use Kind::{Add, Peek, Read, Remove, Replace, Write};
        matches!(self, Add | Remove | Peek | Write | Read | Replace)
    }
}

impl Rows<'_> {
    /// Refuses rows whose names were trusted although two different values share one. Must be
    /// called before a contradiction is reported, or after an order turned out to be wrong.
    pub(crate) fn verify_names(&self) -> Result<(), Refusal> {
        match Named::trusting(*self) {
            Ok(named) if self.trusts_names() => named.verify(*self),
            _ => Ok(()),
        }
    }

    /// Checks that values with the same number are equal.
    fn verify(&self, numbers: &Numbers, slot: Slot) -> Result<(), Refusal> {
        // Beyond the last row come the sources.
        let mention = |i: usize| match i.checked_sub(self.len()) {
            None => self.place((i, slot)),
            Some(row) => self.place((row, Slot::Source)),
        };
        let mut first = vec![NONE; numbers.count];
        let mut pairs = Vec::with_capacity(PORTION);
        for (portion, begin) in numbers.of_row.chunks(PORTION).zip((0..).step_by(PORTION)) {
            for (i, &number) in (begin..).zip(portion) {
                match first.get_mut(number as usize) {
                    None => {}
                    Some(seen) if *seen == NONE => *seen = i as u32,
                    Some(seen) => pairs.push([mention(*seen as usize), mention(i)]),
                }
            }
            if !self.same_names(&pairs) {
                return Err(Refusal::new("two different values share a name"));
            }
            pairs.clear();
        }
        Ok(())
    }

    /// Numbers elements by priority. The names of numbers are mostly in that order already, or in
    /// its reverse, so sorting them takes one pass. Different elements of one priority keep their
    /// order; if there are any, the result says which share one ([`Columns::priority_class`]).
    fn sort_by_priority(&self, numbers: &mut Numbers) -> Vec<u32> {
        let mut example = vec![NONE; numbers.count];
        for (row, &number) in numbers.of_row.iter().enumerate() {
            if number != NONE {
                example[number as usize] = row as u32;
            }
        }
        let mut used: Vec<u32> =
            (0..numbers.count as u32).filter(|n| example[*n as usize] != NONE).collect();
        let row = |number: u32| example[number as usize] as usize;
        // The sort has compared neighbours of the result, or it could not have known their order.
        // So if two elements share a priority, it has noticed.
        let mut ties = false;
        match self.direction(used.iter().map(|number| row(*number))) {
            Some(Ordering::Less) => {}
            Some(Ordering::Greater) => used.reverse(),
            _ => used.sort_by(|a, b| {
                let order = self.compare(row(*a), row(*b));
                ties |= order.is_eq();
                order
            }),
        }
        let mut class = Vec::new();
        if ties {
            let differ = |pair: &[u32]| self.compare(row(pair[0]), row(pair[1])).is_ne();
            class.push(0);
            for pair in used.windows(2) {
                class.push(class[class.len() - 1] + u32::from(differ(pair)));
            }
        }
        // Unused numbers cost later passes more than this pass costs.
        if !ties && used.len() == numbers.count && used.is_sorted() {
            return class;
        }
        let mut renamed = vec![NONE; numbers.count];
        for (new, old) in used.iter().enumerate() {
            renamed[*old as usize] = new as u32;
        }
        for number in numbers.of_row.iter_mut().filter(|n| **n != NONE) {
            *number = renamed[*number as usize];
        }
        numbers.count = used.len();
        class
    }
}
