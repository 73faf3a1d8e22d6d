//! The returns of a history in their order, and what was open at each.
//!
//! Monitors whose values repeat handle one return after the other. While an operation is open it has a
//! *slot*, which is one bit of a mask. Operations that never returned have none: they are counted by
//! what they are, in the order of their calls ([`pending`]).

pub(super) mod course;
pub(super) mod graph;
pub(super) mod pending;
pub(super) mod word;
pub(super) mod words;

use super::Refusal;
use super::columns::{Columns, Kind};
use super::contradiction::{Contradiction, contradiction};
use super::effort::Effort;
use crate::sorting::sort_by_key;

/// The returns of some rows.
pub(super) struct Returns {
    /// What returns, in order.
    rows: Vec<u32>,
    /// What is open when `rows[i]` returns, in the order of returns: `open[starts[i]..starts[i + 1]]`.
    /// It comes first.
    open: Vec<u32>,
    starts: Vec<u32>,
    /// The slot of each row of the history.
    slots: Vec<u8>,
}

impl Returns {
    /// The returns of these rows, which all returned and are in the order of their calls.
    pub(super) fn of(
        c: &Columns,
        calls: Vec<u32>,
        effort: &mut Effort<'_>,
    ) -> Result<Returns, Refusal> {
        let mut rows = calls.clone();
        sort_by_key(&mut rows, |row| c.right[*row as usize]);
        effort.reserve(16 * c.len())?;
        let mut returns =
            Returns { rows, open: Vec::new(), starts: vec![0], slots: vec![0; c.len()] };
        returns.find_open(c, calls, effort)?;
        Ok(returns)
    }

    fn find_open(
        &mut self,
        c: &Columns,
        calls: Vec<u32>,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        let mut calls = calls.into_iter().peekable();
        // The position of each row in the order of returns.
        let mut place = vec![0u32; c.len()];
        for (at, row) in self.rows.iter().enumerate() {
            place[*row as usize] = at as u32;
        }
        let mut now: Vec<u32> = Vec::new();
        let mut free = u64::MAX;
        for (at, &row) in self.rows.iter().enumerate() {
            let called = now.len();
            while let Some(row) = calls.next_if(|r| c.left[*r as usize] <= c.right[row as usize]) {
                if free == 0 {
                    let reason = "values repeat, and more than 64 operations are open together";
                    return Err(Refusal::new(reason));
                }
                self.slots[row as usize] = free.trailing_zeros() as u8;
                free &= free - 1;
                now.push(place[row as usize]);
            }
            if now.len() > called {
                now.sort_unstable();
            }
            effort.work(now.len())?;
            effort.reserve(8 * now.len())?;
            self.open.extend(now.iter().map(|place| self.rows[*place as usize]));
            if self.open.len() > u32::MAX as usize {
                return Err(Refusal::new("values repeat, and the history is too long"));
            }
            self.starts.push(self.open.len() as u32);
            // The first to return is the one that returns now.
            debug_assert_eq!(now.first(), Some(&(at as u32)));
            now.remove(0);
            free |= 1 << self.slots[row as usize];
        }
        Ok(())
    }

    /// Number of returns.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The row that returns after this many others.
    pub(super) fn row(&self, at: usize) -> u32 {
        self.rows[at]
    }

    /// The rows that are open at this return and their slots, in the order of returns.
    pub(super) fn open(&self, at: usize) -> impl Iterator<Item = (u32, u8)> {
        let open = &self.open[self.starts[at] as usize..self.starts[at + 1] as usize];
        open.iter().map(|row| (*row, self.slots[*row as usize]))
    }

    /// The bit of a row while it is open.
    pub(super) fn bit(&self, row: u32) -> u64 {
        1 << self.slots[row as usize]
    }
}

/// An operation that adds or removes a value and may take effect.
#[derive(Clone, Copy)]
pub(super) struct Choice {
    pub(super) value: u32,
    pub(super) bit: u64,
    /// Operations of the same kind and value that return before it.
    twins: u64,
}

impl Choice {
    /// True if it has not taken effect and none of its twins that return earlier is left.
    ///
    /// Let two pushes of one value (or two pops) be open, and let an order take the one that returns
    /// later. Then the two can trade places: both were called, and the one that returns earlier
    /// comes before its return even in the later place.
    #[inline]
    pub(super) fn is_next(&self, done: u64) -> bool {
        self.bit & done == 0 && self.twins & !done == 0
    }

    /// Adds an operation to those of its kind that return before it.
    pub(super) fn add(choices: &mut Vec<Choice>, value: u32, bit: u64) {
        let twins = choices.iter().filter(|c| c.value == value).fold(0, |bits, c| bits | c.bit);
        choices.push(Choice { value, bit, twins });
    }
}

/// Adds an operation that changes nothing to those that found the same value.
pub(super) fn add_peek(peeks: &mut Vec<(u32, u64)>, value: u32, bit: u64) {
    match peeks.iter_mut().find(|(v, _)| *v == value) {
        Some((_, bits)) => *bits |= bit,
        None => peeks.push((value, bit)),
    }
}

/// No state is left when `last` returns: no order of what had been called is `legal`. Whatever was called
/// later could have helped if it had been called earlier, except peeks. A pop that found nothing might have found
/// something.
pub(super) fn stuck(c: &Columns, last: u32, legal: &str) -> Contradiction {
    let until = c.right[last as usize];
    let takes_part = |row: &u32| match c.kinds[*row as usize] {
        Kind::Idle => false,
        Kind::Peek => c.left[*row as usize] <= until,
        _ => true,
    };
    let sentence = format!(
        " returned when no order of what had been called is {legal}, whichever equal values belong together"
    );
    let mut found = contradiction![last, sentence].and((0..c.len() as u32).filter(takes_part));
    // Returns of one peak are handled in any order.
    found.explained = c.right.iter().filter(|right| **right < until).count() as u32;
    found
}
