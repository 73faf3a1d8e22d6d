//! Priority queues and bags whose values repeat: only how many of each value are there matters.
//!
//! Idea. What such an object contains is a function of the *set* of operations that have taken
//! effect. So walk through the returns in the order of time and keep the sets that are possible: all
//! that returned, and some of those that are open. That is at most 2^k sets for k open operations.
//! The rules below leave a few of them, mostly one. Values have *ranks*; an operation that finds a
//! value needs that nothing of a higher rank is there, and one that finds nothing needs that nothing
//! is there at all. In a bag, all values have the same rank.
//!
//! Everything that is open at a return overlaps, so real time allows all orders of it. Hence:
//!
//! 1. *Twins.* Of open operations that do the same, the one that returns first goes first.
//! 2. *Reads.* A peek or an empty result that can happen now, happens now.
//! 3. *Adds are late.* An add happens at its return, or before an operation that needs it.
//! 4. *Removals are late,* and so are the other operations that need something. Take an order in
//!    which `x1 … xm` come before `o`, which is about to return and finds a value of rank r. What is
//!    above r at the beginning is gone when `o` happens. Let the removals of exactly these elements
//!    come first, then `o`, then the rest in its old order. There, counts above r are at most what
//!    they were, and equal from the point on where an element is removed that was not there at the
//!    beginning; counts up to r are what they were, except that the element of `o` is missing until
//!    the first removal of that value, whose role `o` has taken (twins). Peeks that would miss one of
//!    these elements have happened (reads). So `o` needs one try: remove what is above it, add its
//!    value if it is not there, and then do it.
//! 5. *Except before an element stays.* If `o` is an add, or a peek that needs one, the new element
//!    prevents operations of lower ranks. Each set of those may happen before it, in the way of rule 4.
//!    This is where sets multiply.
//! 6. *Removals without rivals are early.* Let the first removal `q` of a value be possible now, with
//!    no other removal or peek of the value being called before `q` returns. Then it happens now. Take
//!    an order in which it happens later. It is the first removal of its value there (twins), and
//!    nothing misses the element in between.
//!
//! A pending add is an add that never returns. A pending removal may remove anything that is in the
//! way: once it is known what it removes, it is a twin that returns last, so it is used only if no
//! other removal can do the same. Sets therefore have a list of what pending operations added and
//! removed ([`extras`]); what all sets have in common is moved to the counts.
//!
//! Time: O(n k 2^k) at worst, and O(n k) as long as few sets are possible. Memory: the sets of one
//! return, and the orders that lead to them as a tree.
//!
//! That the contents depend on the set only is why the FPT algorithm for priority queues by FPTLin's
//! authors takes O(k 2^k n log n). Deviations: rules 3 to 6, pending operations, equal priorities, bags.

mod contradiction;
mod extras;
mod layers;
mod open;
mod state;

use crate::sorting::sort_by_key;
use crate::spec::Shape;

use super::columns::{Columns, Kind};
use super::effort::Effort;
use super::names::NONE;
use super::{Clock, Found, Refusal};

use layers::{Answer, run};

/// Decides the rows of a priority queue or a bag.
pub(crate) fn decide(
    c: &Columns,
    shape: Shape,
    clock: &mut Clock,
    effort: &mut Effort<'_>,
) -> Result<Found, Refusal> {
    let ranks = ranks(c, shape);
    let answer = run(&Problem::of_all(c, &ranks), true, effort)?;
    clock.decided();
    Ok(match answer {
        Answer::Order(order) => Found::Order(order),
        Answer::StuckAt(row) => Found::Contradiction(contradiction::contradiction(c, &ranks, row)),
    })
}

/// The rank of each value, from 1 on.
fn ranks(c: &Columns, shape: Shape) -> Vec<u32> {
    let rank = |value: u32| match shape {
        Shape::Bag => 1,
        _ => 1 + c.priority_class.get(value as usize).copied().unwrap_or(value),
    };
    (0..c.value_count as u32).map(rank).collect()
}

/// Rows to be decided, and how many others may happen at any time.
struct Problem<'a> {
    c: &'a Columns,
    ranks: &'a [u32],
    /// The rows that may take effect, in the order of calls.
    calls: Vec<u32>,
    /// Those that returned, in the order of returns.
    returns: Vec<u32>,
    /// For each of `returns` that removes a value: the last call of a removal or a peek of that value
    /// before it returned. By row.
    last_rival: Vec<u32>,
    /// How many adds of each value may happen at any time; empty if there are none.
    spare_adds: Vec<u32>,
    /// How many removals may happen at any time.
    spare_takes: usize,
}

impl<'a> Problem<'a> {
    fn of_all(c: &'a Columns, ranks: &'a [u32]) -> Problem<'a> {
        let mut calls: Vec<u32> = (0..c.len() as u32).collect();
        if !c.left.is_sorted() {
            sort_by_key(&mut calls, |row| c.left[*row as usize]);
        }
        Problem::of(c, ranks, calls)
    }

    /// These rows, which are in the order of their calls.
    fn of(c: &'a Columns, ranks: &'a [u32], mut calls: Vec<u32>) -> Problem<'a> {
        calls.retain(|row| match c.kinds[*row as usize] {
            Kind::Idle => false,
            Kind::Peek | Kind::Empty => !c.is_pending(*row),
            _ => true,
        });
        let mut returns: Vec<u32> =
            calls.iter().copied().filter(|row| !c.is_pending(*row)).collect();
        sort_by_key(&mut returns, |row| c.right[*row as usize]);
        let last_rival = last_rivals(c, &calls, &returns);
        Problem { c, ranks, calls, returns, last_rival, spare_adds: Vec::new(), spare_takes: 0 }
    }

    fn value(&self, row: u32) -> u32 {
        self.c.values[row as usize]
    }

    /// The rank of what the row finds; 0 if it finds nothing.
    fn rank_of_row(&self, row: u32) -> u32 {
        match self.value(row) {
            NONE => 0,
            value => self.ranks[value as usize],
        }
    }
}

/// See [`Problem::last_rival`].
fn last_rivals(c: &Columns, calls: &[u32], returns: &[u32]) -> Vec<u32> {
    let mut last_rival = vec![0; c.len()];
    let mut last_of_value = vec![0; c.value_count];
    let mut calls = calls.iter().copied().peekable();
    for &row in returns {
        let until = c.right[row as usize];
        while let Some(called) = calls.next_if(|call| c.left[*call as usize] <= until) {
            if matches!(c.kinds[called as usize], Kind::Remove | Kind::Peek) {
                last_of_value[c.values[called as usize] as usize] = c.left[called as usize];
            }
        }
        if c.kinds[row as usize] == Kind::Remove {
            last_rival[row as usize] = last_of_value[c.values[row as usize] as usize];
        }
    }
    last_rival
}
