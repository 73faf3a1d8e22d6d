//! The returns of a history in their order, and what was open at each.
//!
//! While an operation is open it has a *slot*, which is one bit of a mask. Operations that never
//! returned have none: they are counted by what they are, in the order of their calls
//! ([`super::pending`]).

use rustc_hash::FxHashMap;

use crate::monitor::Refusal;
use crate::monitor::columns::{Columns, Kind};
use crate::monitor::effort::Effort;
use crate::sorting::sort_by_key;

/// The moments of a history, one for each return.
pub(super) struct Moments {
    /// What returns, in order.
    returns: Vec<u32>,
    /// What is open when `returns[i]` returns, in the order of returns: `open[starts[i]..starts[i +
    /// 1]]`. It comes first.
    open: Vec<u32>,
    starts: Vec<u32>,
    /// The slot of each row.
    slots: Vec<u8>,
    /// Pops that never returned, in the order of their calls.
    takes: Vec<u32>,
    /// Pushes of a value that never returned, in the order of their calls.
    unfinished: FxHashMap<u32, Vec<u32>>,
}

/// A push or pop that may take effect.
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
        let mut returns = calls.clone();
        sort_by_key(&mut returns, |row| c.right[*row as usize]);
        effort.reserve(16 * c.len())?;
        let (open, starts, slots) = (Vec::new(), vec![0], vec![0; c.len()]);
        let mut moments = Moments { returns, open, starts, slots, takes, unfinished };
        moments.find_open(c, calls, effort)?;
        Ok(moments)
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
        for (at, row) in self.returns.iter().enumerate() {
            place[*row as usize] = at as u32;
        }
        let mut now: Vec<u32> = Vec::new();
        let mut free = u64::MAX;
        for (at, &row) in self.returns.iter().enumerate() {
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
            self.open.extend(now.iter().map(|place| self.returns[*place as usize]));
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
        self.returns.len()
    }

    /// The row that returns after this many others.
    pub(super) fn returned(&self, at: usize) -> u32 {
        self.returns[at]
    }

    /// Fills in the moment of a return.
    pub(super) fn fill(&self, c: &Columns, at: usize, m: &mut Moment) {
        let row = self.returns[at];
        m.row = row;
        m.kind = c.kinds[row as usize];
        m.value = c.values[row as usize];
        m.bit = 1 << self.slots[row as usize];
        m.peak = c.right[row as usize];
        m.takes = self.takes.partition_point(|take| c.left[*take as usize] <= m.peak) as u32;
        m.pushes.clear();
        m.pops.clear();
        m.peeks.clear();
        m.empties = 0;
        for &row in &self.open[self.starts[at] as usize..self.starts[at + 1] as usize] {
            let (slot, value) = (self.slots[row as usize], c.values[row as usize]);
            let bit = 1 << slot;
            m.rows[usize::from(slot)] = row;
            match c.kinds[row as usize] {
                Kind::Add => add_choice(&mut m.pushes, value, bit),
                Kind::Remove => add_choice(&mut m.pops, value, bit),
                Kind::Peek => match m.peeks.iter_mut().find(|(v, _)| *v == value) {
                    Some((_, bits)) => *bits |= bit,
                    None => m.peeks.push((value, bit)),
                },
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

/// Adds an operation that returns after those that are there.
fn add_choice(choices: &mut Vec<Choice>, value: u32, bit: u64) {
    let twins = choices.iter().filter(|c| c.value == value).fold(0, |bits, c| bits | c.bit);
    choices.push(Choice { value, bit, twins });
}
