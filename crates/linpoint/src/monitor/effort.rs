//! How much a monitor may do whose worst case is exponential.
//!
//! Most monitors take near-linear time, and need no limits. The others count what they do and what
//! they keep, and refuse when it becomes too much: the planner then continues with the next tactic,
//! which meets the same deadline, cancel flag and memory limit and answers "undecided" if one of
//! them was the reason.

use std::collections::HashMap;

use crate::allowance::Allowance;
use crate::budget::{Budget, Limit, Memory};

use super::Refusal;

/// Units of work if the caller has no limits of its own. A unit takes a few nanoseconds.
const WORK: u64 = 2_000_000_000;
/// Bytes if the caller has no limits of its own.
const BYTES: usize = 1 << 30;

/// The limits of one run of a monitor, and how much of them is used.
pub(crate) struct Effort<'a> {
    budget: Budget<'a>,
    work: u64,
    most_work: u64,
}

impl<'a> Effort<'a> {
    /// Stops at the limits of the caller's budget: its deadline, its cancel flags, its memory.
    pub(crate) fn within(budget: Budget<'a>) -> Effort<'a> {
        Effort { budget, work: 0, most_work: u64::MAX }
    }

    /// Does no more work than this, however much time there is.
    pub(crate) fn most_work(self, most_work: u64) -> Effort<'a> {
        Effort { most_work, ..self }
    }

    /// A constant limit, for callers that have none.
    pub(crate) fn constant() -> Effort<'static> {
        static MEMORY: Memory = Memory::unlimited();
        Effort::within(Budget::new(None, &MEMORY).max_bytes(BYTES)).most_work(WORK)
    }

    /// The same within an allowance.
    pub(crate) fn of(allowance: &Allowance) -> Effort<'static> {
        Effort::within(Budget::of(allowance).max_bytes(BYTES)).most_work(WORK)
    }

    /// Starts counting work again.
    pub(crate) fn renew(&mut self) {
        self.work = 0;
    }

    /// Counts work, in units of a few nanoseconds. Looks at the clock and the cancel flags once in a
    /// while.
    #[inline]
    pub(crate) fn work(&mut self, units: usize) -> Result<(), Refusal> {
        self.work += units as u64;
        if self.work > self.most_work {
            return Err(refusal(Limit::Steps));
        }
        self.budget.work(units).map_err(refusal)
    }

    /// Looks at the clock and the cancel flags as often as after this much work, but counts none: for monitors that
    /// limit their work themselves.
    pub(crate) fn look(&mut self, units: usize) -> Result<(), Refusal> {
        self.budget.work(units).map_err(refusal)
    }

    /// Counts memory that is about to be allocated. It is released when the effort ends.
    pub(crate) fn reserve(&mut self, bytes: usize) -> Result<(), Refusal> {
        self.budget.reserve(bytes).map_err(refusal)
    }

    /// See [`Budget::fits_another`].
    #[inline]
    pub(crate) fn fits_another<T>(&self, list: &Vec<T>) -> Result<(), Refusal> {
        self.budget.fits_another(list).map_err(refusal)
    }

    /// See [`Budget::fits_another_in`].
    #[inline]
    pub(crate) fn fits_another_in<K, V, S>(&self, table: &HashMap<K, V, S>) -> Result<(), Refusal> {
        self.budget.fits_another_in(table).map_err(refusal)
    }

    /// Releases memory that was counted before.
    pub(crate) fn release(&mut self, bytes: usize) {
        self.budget.release(bytes);
    }
}

#[cold]
fn refusal(limit: Limit) -> Refusal {
    Refusal::new(match limit {
        Limit::Memory => "it would need more memory than allowed",
        Limit::Time => "its share of the time was not enough",
        Limit::Cancelled => "it was cancelled",
        _ => "too many orders are possible",
    })
}
