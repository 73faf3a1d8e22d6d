//! The returns of a history in their order, and what was open at each, for a deque.

use rustc_hash::FxHashMap;

use super::ends::End;
use crate::monitor::Refusal;
use crate::monitor::columns::{Columns, Kind};
use crate::monitor::effort::Effort;
use crate::monitor::returns::{Choice, Returns, add_peek};
use crate::sorting::sort_by_key;

/// The moments of a history, one for each return.
pub(super) struct Moments {
    returns: Returns,
    /// Pops that never returned, by end, in the order of their calls.
    takes: [Vec<u32>; 2],
    /// Pushes that never returned, in the order of the first call.
    unfinished: Vec<Unfinished>,
}

/// Pushes that never returned and were called by some moment.
pub(super) struct Called<'a> {
    pub(super) end: End,
    pub(super) value: u32,
    pub(super) rows: &'a [u32],
    /// True if an operation at the other end finds the value and has not returned before that moment.
    pub(super) is_found_across: bool,
}

/// Pushes of one value at one end that never returned.
struct Unfinished {
    end: End,
    value: u32,
    /// In the order of their calls.
    rows: Vec<u32>,
    /// The last peak of the operations at the other end that find the value.
    found_across: Option<u32>,
}

/// One moment: an operation returns.
pub(super) struct Moment {
    pub(super) row: u32,
    pub(super) kind: Kind,
    pub(super) end: End,
    pub(super) value: u32,
    pub(super) bit: u64,
    /// Open pushes and pops, by end, in the order of their returns.
    pub(super) pushes: [Vec<Choice>; 2],
    pub(super) pops: [Vec<Choice>; 2],
    /// All open pops.
    pub(super) removals: u64,
    /// Open peeks, by end and value.
    pub(super) peeks: [Vec<(u32, u64)>; 2],
    /// Open operations that found nothing.
    pub(super) empties: u64,
    /// Number of pops that never returned and were called by now, by end.
    pub(super) takes: [u32; 2],
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
            end: End::Front,
            value: 0,
            bit: 0,
            pushes: Default::default(),
            pops: Default::default(),
            removals: 0,
            peeks: Default::default(),
            empties: 0,
            takes: [0; 2],
            peak: 0,
            rows: vec![0; 64],
        }
    }

    /// The row in the slot of this bit.
    pub(super) fn row_of(&self, bit: u64) -> u32 {
        self.rows[bit.trailing_zeros() as usize % 64]
    }

    /// Open peeks of a value at an end.
    pub(super) fn peeks_of(&self, end: End, value: u32) -> u64 {
        let peeks = &self.peeks[end.index()];
        peeks.iter().find(|(v, _)| *v == value).map_or(0, |(_, bits)| *bits)
    }

    /// True if some pop of the value at this end is open and has not taken effect.
    pub(super) fn has_pop(&self, end: End, value: u32, done: u64) -> bool {
        self.pops[end.index()].iter().any(|pop| pop.value == value && pop.bit & !done != 0)
    }

    /// True if some push of the value at this end is open and has not taken effect.
    pub(super) fn has_push(&self, end: End, value: u32, done: u64) -> bool {
        self.pushes[end.index()].iter().any(|push| push.value == value && push.bit & !done != 0)
    }
}

/// The end that a row is about.
pub(super) fn end_of(c: &Columns, row: u32) -> End {
    if c.fronts.get(row as usize).is_some_and(|front| *front) { End::Front } else { End::Back }
}

impl Moments {
    pub(super) fn of(c: &Columns, effort: &mut Effort<'_>) -> Result<Moments, Refusal> {
        let takes_part = |row: &u32| c.kinds[*row as usize] != Kind::Idle;
        let mut calls: Vec<u32> = (0..c.len() as u32).filter(takes_part).collect();
        sort_by_key(&mut calls, |row| c.left[*row as usize]);
        let mut takes = [Vec::new(), Vec::new()];
        for &row in calls.iter().filter(|row| c.is_pending(**row)) {
            if c.kinds[row as usize] == Kind::Take {
                takes[end_of(c, row).index()].push(row);
            }
        }
        let unfinished = unfinished(c, &calls);
        calls.retain(|row| !c.is_pending(*row));
        Ok(Moments { returns: Returns::of(c, calls, effort)?, takes, unfinished })
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
        m.end = end_of(c, row);
        m.value = c.values[row as usize];
        m.bit = self.returns.bit(row);
        m.peak = c.right[row as usize];
        for end in End::BOTH.map(End::index) {
            let is_called = |take: &u32| c.left[*take as usize] <= m.peak;
            m.takes[end] = self.takes[end].partition_point(is_called) as u32;
            m.pushes[end].clear();
            m.pops[end].clear();
            m.peeks[end].clear();
        }
        m.empties = 0;
        m.removals = 0;
        for (row, slot) in self.returns.open(at) {
            let (value, bit) = (c.values[row as usize], 1 << slot);
            let end = end_of(c, row).index();
            m.rows[usize::from(slot)] = row;
            match c.kinds[row as usize] {
                Kind::Add => Choice::add(&mut m.pushes[end], value, bit),
                Kind::Remove => {
                    Choice::add(&mut m.pops[end], value, bit);
                    m.removals |= bit;
                }
                Kind::Peek => add_peek(&mut m.peeks[end], value, bit),
                _ => m.empties |= bit,
            }
        }
    }

    /// True if some operation never returned and may have taken effect.
    pub(super) fn has_pending(&self) -> bool {
        !self.unfinished.is_empty() || self.takes.iter().any(|takes| !takes.is_empty())
    }

    /// A pop at this end that never returned.
    pub(super) fn take(&self, end: End, number: u32) -> Option<u32> {
        self.takes[end.index()].get(number as usize).copied()
    }

    /// The pushes that never returned and were called by this moment.
    pub(super) fn unfinished<'a>(
        &'a self,
        c: &'a Columns,
        m: &Moment,
    ) -> impl Iterator<Item = Called<'a>> + use<'a> {
        let peak = m.peak;
        let is_called = move |row: &u32| c.left[*row as usize] <= peak;
        let called = self.unfinished.iter().map(move |pushes| Called {
            end: pushes.end,
            value: pushes.value,
            rows: &pushes.rows[..pushes.rows.partition_point(is_called)],
            is_found_across: pushes.found_across.is_some_and(|last| last >= peak),
        });
        called.take_while(|called| !called.rows.is_empty())
    }
}

/// The pushes that never returned. One whose value nobody is known to have found is left out: its
/// element was never removed, and neither end was seen beyond it; or a pop removed it that never
/// returned, which can be left out too.
fn unfinished(c: &Columns, calls: &[u32]) -> Vec<Unfinished> {
    let is_found = |row: &&u32| matches!(c.kinds[**row as usize], Kind::Remove | Kind::Peek);
    let mut places: FxHashMap<(End, u32), usize> = FxHashMap::default();
    let mut unfinished: Vec<Unfinished> = Vec::new();
    let is_push = |row: u32| c.is_pending(row) && c.kinds[row as usize] == Kind::Add;
    if !calls.iter().any(|row| is_push(*row)) {
        return unfinished;
    }
    // By value, at the front and at the back.
    let mut found: FxHashMap<u32, [Option<u32>; 2]> = FxHashMap::default();
    for &row in calls.iter().filter(is_found) {
        let last = &mut found.entry(c.values[row as usize]).or_default()[end_of(c, row).index()];
        *last = (*last).max(Some(c.right[row as usize]));
    }
    for &row in calls {
        let (end, value) = (end_of(c, row), c.values[row as usize]);
        if is_push(row)
            && let Some(found) = found.get(&value)
        {
            let found_across = found[end.other().index()];
            let place = *places.entry((end, value)).or_insert(unfinished.len());
            if place == unfinished.len() {
                unfinished.push(Unfinished { end, value, rows: Vec::new(), found_across });
            }
            unfinished[place].rows.push(row);
        }
    }
    unfinished
}
