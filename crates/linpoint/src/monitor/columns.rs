//! A history as columns of small numbers: what all monitors read.

use crate::spec::{Role, Shape, Slot};

use super::names::{NONE, Names, Numbers};
use super::peaks::Peaks;
use super::{Refusal, Rows};

/// What an operation does: a [`Role`] without its names.
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
    /// What each does.
    pub(crate) kinds: Vec<Kind>,
    /// The number of the element or value that it names, or [`NONE`]. For a priority queue, an
    /// element with a greater number never comes out after one with a smaller number. Empty for
    /// flags, which have no values.
    pub(crate) values: Vec<u32>,
    /// One more than the largest number of a value. Not all of them need be in use.
    pub(crate) value_count: usize,
    /// For a priority queue, by value: elements of one priority share a number, and a greater number
    /// comes out first. Empty if all priorities are different; then values are in their order.
    pub(crate) priority_class: Vec<u32>,
    /// For registers, the number of the initial value; [`NONE`] if no operation names it.
    pub(crate) initial: u32,
    /// For [`Kind::Replace`], the number of what it replaced. Empty if there is no such row.
    pub(crate) sources: Vec<u32>,
    /// The number of the flag or register, if there is more than one; else empty.
    pub(crate) keys: Vec<u32>,
    /// One more than the largest number of a key.
    pub(crate) key_count: usize,
    /// First peak at which each was open.
    pub(crate) left: Vec<u32>,
    /// Last peak at which it was, or [`Peaks::NEVER`].
    pub(crate) right: Vec<u32>,
    /// Number of peaks.
    pub(crate) peaks: u32,
}

/// The roles of all rows, with names as they are.
#[derive(Default)]
struct Roles {
    kinds: Vec<Kind>,
    /// Those of the sources come after the last row.
    names: Names,
    keys: Names,
    /// A place that has the name of a register's initial value.
    initial: Option<(u32, Slot)>,
}

impl Columns {
    /// Reads the operations, which all belong to one object.
    pub(crate) fn read(reader: Rows<'_>) -> Result<Columns, Refusal> {
        let Roles { kinds, names, keys, initial } = Roles::read(reader)?;
        let rows = kinds.len();
        // What is replaced is numbered together with what is written.
        let names_value = |row: usize| match row.checked_sub(rows) {
            None => kinds[row].has_value(),
            Some(row) => kinds[row] == Kind::Replace,
        };
        let mut numbers = Numbers::of_names(names, names_value);
        let key_numbers = Numbers::of_names(keys, |_| true);
        reader.verify(&key_numbers, rows, Slot::Key)?;
        reader.verify(&numbers, rows, Slot::Value)?;
        let priority_class = match reader.shape() {
            Shape::PriorityQueue => reader.sort_by_priority(&mut numbers),
            _ => Vec::new(),
        };
        let sources = numbers.of_row.split_off(rows.min(numbers.of_row.len()));
        let initial = initial.filter(|(row, slot)| reader.is_initial(*row as usize, *slot));
        let initial = match initial {
            None => NONE,
            Some((row, Slot::Source)) => sources[row as usize],
            Some((row, _)) => numbers.of_row[row as usize],
        };
        let Peaks { left, right, count } = Peaks::of(reader);
        Ok(Columns {
            kinds,
            values: numbers.of_row,
            value_count: numbers.count,
            priority_class,
            initial,
            sources,
            keys: key_numbers.of_row,
            key_count: key_numbers.count,
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

impl Roles {
    fn read(rows: Rows<'_>) -> Result<Roles, Refusal> {
        let mut roles = Roles::default();
        roles.kinds.reserve_exact(rows.len());
        let has_values = rows.shape() != Shape::Flags;
        let initial = match rows.shape() {
            Shape::Registers { initial } => Some(initial),
            _ => None,
        };
        let mut names = Names::with_capacity(if has_values { rows.len() } else { 0 });
        let mut sources: Vec<u64> = Vec::new();
        for row in 0..rows.len() {
            let (kind, value) = match rows.role(row) {
                Role::Foreign(reason) => return Err(Refusal::new(reason)),
                Role::Take if !rows.is_pending(row) => {
                    return Err(Refusal::new("it is not known what a completed removal found"));
                }
                Role::Other(_) => {
                    return Err(Refusal::new(
                        "a failed compare-and-set does not say what it found",
                    ));
                }
                Role::Idle => (Kind::Idle, 0),
                Role::Add(name) => (Kind::Add, name.0),
                Role::Remove(name) => (Kind::Remove, name.0),
                Role::Take => (Kind::Take, 0),
                Role::Peek(name) => (Kind::Peek, name.0),
                Role::Empty => (Kind::Empty, 0),
                Role::Raise => (Kind::Raise, 0),
                Role::Lower => (Kind::Lower, 0),
                Role::IsUp => (Kind::IsUp, 0),
                Role::IsDown => (Kind::IsDown, 0),
                Role::Write(name) => (Kind::Write, name.0),
                Role::Read(name) => (Kind::Read, name.0),
                Role::Replace { from, to } => {
                    sources.resize(row, 0);
                    sources.push(from.0);
                    if initial == Some(from) {
                        roles.initial = Some((row as u32, Slot::Source));
                    }
                    (Kind::Replace, to.0)
                }
                _ => return Err(Refusal::new("an operation that this kind of object lacks")),
            };
            if initial.is_some_and(|name| name.0 == value) && kind.has_value() {
                roles.initial = Some((row as u32, Slot::Value));
            }
            roles.kinds.push(kind);
            match has_values {
                true if kind.has_value() => names.push(value),
                true => names.push_none(),
                false => {}
            }
            if let Some(key) = rows.key(row) {
                if roles.keys.is_empty() {
                    roles.keys = Names::with_capacity(rows.len());
                }
                roles.keys.push(key.0);
            }
        }
        if !sources.is_empty() {
            sources.resize(rows.len(), 0);
            for (source, kind) in sources.iter().zip(&roles.kinds) {
                if *kind == Kind::Replace { names.push(*source) } else { names.push_none() }
            }
        }
        if roles.keys.len() != roles.kinds.len() && !roles.keys.is_empty() {
            return Err(Refusal::new("some operations have no key"));
        }
        roles.names = names;
        Ok(roles)
    }
}

impl Kind {
    /// True if a row of this kind names a value.
    fn has_value(self) -> bool {
        use Kind::{Add, Peek, Read, Remove, Replace, Write};
        matches!(self, Add | Remove | Peek | Write | Read | Replace)
    }
}

impl Rows<'_> {
    /// Makes sure that what has one number is equal.
    fn verify(&self, numbers: &Numbers, rows: usize, slot: Slot) -> Result<(), Refusal> {
        // Beyond the last row come the sources.
        let mention = |i: usize| match i.checked_sub(rows) {
            None => (i, slot),
            Some(row) => (row, Slot::Source),
        };
        let mut first = vec![NONE; numbers.count];
        for (i, &number) in numbers.of_row.iter().enumerate() {
            let Some(seen) = first.get_mut(number as usize) else { continue };
            if *seen == NONE {
                *seen = i as u32;
                continue;
            }
            if !self.same_name(mention(*seen as usize), mention(i)) {
                return Err(Refusal::new("two different values share a name"));
            }
        }
        Ok(())
    }

    /// Numbers elements by priority. Names of numbers are mostly in that order already, or in its
    /// reverse, so sorting them is one pass. Different elements of one priority keep their order;
    /// if there are any, the result says which share one ([`Columns::priority_class`]).
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
        // Neighbours of the result have been compared, or the sort could not know their order: if
        // two elements share a priority, the sort has seen it.
        let mut ties = false;
        used.sort_by(|a, b| {
            let order = self.compare(row(*a), row(*b));
            ties |= order.is_eq();
            order
        });
        let mut class = Vec::new();
        if ties {
            let differ = |pair: &[u32]| self.compare(row(pair[0]), row(pair[1])).is_ne();
            class.push(0);
            for pair in used.windows(2) {
                class.push(class[class.len() - 1] + u32::from(differ(pair)));
            }
        }
        // Numbers that are not in use cost later passes more than this one.
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
