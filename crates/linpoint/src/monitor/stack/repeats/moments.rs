//! The returns of a history in their order, and what was open at each, for a stack.

use rustc_hash::FxHashMap;

use crate::monitor::Refusal;
use crate::monitor::columns::{Columns, Kind};
use crate::monitor::effort::Effort;
pub(super) use crate::monitor::returns::Choice;
use crate::monitor::returns::{Returns, add_peek};
use crate::sorting::sort_by_key;

/// The moments of a history, one for each return.
pub(super) struct Moments {
    returns: Returns,
    /// Pops that never returned, in the order of their calls.
    takes: Vec<u32>,
    /// Pushes of a value that never returned, in the order of their calls.
    unfinished: FxHashMap<u32, Vec<u32>>,
}

/// One moment: an operation returns.
pub(super) struct Moment {
    pub(super) row: u32,
    pub(super) kind: Kind,
    pub(super) value: u32,
    pub(super) bit: u64,
    /// Open pushes and pops, in the order of their returns.
    pub(super) pushes: Vec<Choice>,
    pub(super) pops: Vec<Choice>,
    /// Open peeks, by value.
    pub(super) peeks: Vec<(u32, u64)>,
    /// Open operations that found nothing.
    pub(super) empties: u64,
    /// Number of pops that never returned and were called by now.
    pub(super) takes: u32,
    /// The peak of the return.
    peak: u32,
    /// The row in each slot.
    rows: Vec<u32>,
}

impl Moment {
    pub(super) fn new() -> Moment {
        Moment {
            row: 0,
            kind: Kind::Idle,
            value: 0,
            bit: 0,
            pushes: Vec::new(),
            pops: Vec::new(),
            peeks: Vec::new(),
            empties: 0,
            takes: 0,
            peak: 0,
            rows: vec![0; 64],
        }
    }

    /// The row in the slot of this bit.
    pub(super) fn row_of(&self, bit: u64) -> u32 {
        self.rows[bit.trailing_zeros() as usize % 64]
    }

    /// Open peeks of a value.
    pub(super) fn peeks_of(&self, value: u32) -> u64 {
        self.peeks.iter().find(|(v, _)| *v == value).map_or(0, |(_, bits)| *bits)
    }

    /// True if some pop of the value is open and has not taken effect.
    pub(super) fn has_pop(&self, value: u32, done: u64) -> bool {
        self.pops.iter().any(|pop| pop.value == value && pop.bit & !done != 0)
    }
}

impl Moments {
    pub(super) fn of(c: &Columns, effort: &mut Effort<'_>) -> Result<Moments, Refusal> {
        let takes_part = |row: &u32| c.kinds[*row as usize] != Kind::Idle;
        let mut calls: Vec<u32> = (0..c.len() as u32).filter(takes_part).collect();
        sort_by_key(&mut calls, |row| c.left[*row as usize]);
        let mut takes = Vec::new();
        let mut unfinished: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        for &row in calls.iter().filter(|row| c.is_pending(**row)) {
            match c.kinds[row as usize] {
                Kind::Take => takes.push(row),
                Kind::Add => unfinished.entry(c.values[row as usize]).or_default().push(row),
                _ => {}
            }
        }
        calls.retain(|row| !c.is_pending(*row));
        let returns = Returns::of(c, calls, effort)?;
        Ok(Moments { returns, takes, unfinished })
    }

    /// Number of returns.
    pub(super) fn len(&self) -> usize {
        self.returns.len()
    }

    /// The row that returns after this many others.
    pub(super) fn returned(&self, at: usize) -> u32 {
        self.returns.row(at)
    }

    /// Fills in the moment of a return.
    pub(super) fn fill(&self, c: &Columns, at: usize, m: &mut Moment) {
        let row = self.returns.row(at);
        m.row = row;
        m.kind = c.kinds[row as usize];
        m.value = c.values[row as usize];
        m.bit = self.returns.bit(row);
        m.peak = c.right[row as usize];
        m.takes = self.takes.partition_point(|take| c.left[*take as usize] <= m.peak) as u32;
        m.pushes.clear();
        m.pops.clear();
        m.peeks.clear();
        m.empties = 0;
        for (row, slot) in self.returns.open(at) {
            let (value, bit) = (c.values[row as usize], 1 << slot);
            m.rows[usize::from(slot)] = row;
            match c.kinds[row as usize] {
                Kind::Add => Choice::add(&mut m.pushes, value, bit),
                Kind::Remove => Choice::add(&mut m.pops, value, bit),
                Kind::Peek => add_peek(&mut m.peeks, value, bit),
                _ => m.empties |= bit,
            }
        }
    }

    /// Number of pushes of the value that never returned and were called by this moment.
    pub(super) fn unfinished(&self, c: &Columns, m: &Moment, value: u32) -> u32 {
        let pushes = self.unfinished.get(&value);
        let is_called = |row: &u32| c.left[*row as usize] <= m.peak;
        pushes.map_or(0, |pushes| pushes.partition_point(is_called) as u32)
    }

    /// True if some push never returned.
    pub(super) fn has_unfinished(&self) -> bool {
        !self.unfinished.is_empty()
    }

    /// A pop that never returned.
    pub(super) fn take(&self, number: u32) -> Option<u32> {
        self.takes.get(number as usize).copied()
    }

    /// A push of the value that never returned.
    pub(super) fn unfinished_push(&self, value: u32, number: u32) -> Option<u32> {
        self.unfinished.get(&value)?.get(number as usize).copied()
    }
}
