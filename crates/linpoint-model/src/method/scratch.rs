//! Caches and scratch memory of a method, for one core.

use super::Numbers;
use super::row_set::RowSet;
use crate::system::{join_pair, mix};

/// Entries of the table of outcomes.
const OUTCOMES: usize = 1 << 11;

/// Caches and scratch memory of one core.
#[derive(Default)]
pub(crate) struct Scratch {
    pub(super) outcomes: Outcomes,
    /// Configurations before the event, to do, and after it; then their sorted order and the resulting set.
    pub(super) before: RowSet,
    pub(super) todo: RowSet,
    pub(super) done: RowSet,
    pub(super) order: Vec<u32>,
    pub(super) set: Vec<u32>,
}

impl Scratch {
    /// Approximate number of bytes in use.
    pub(crate) fn bytes() -> usize {
        OUTCOMES * (size_of::<(u64, Vec<(u32, u32)>)>() + 4 * size_of::<(u32, u32)>())
    }
}

/// A cache of the outcomes of operations in states. A newer entry replaces an older one.
#[derive(Default)]
pub(super) struct Outcomes {
    known: Vec<(u64, Vec<(u32, u32)>)>,
}

const NO_KEY: u64 = u64::MAX;

impl Outcomes {
    /// Every possible result of an operation in a state, with the state after it.
    pub(super) fn of(&mut self, numbers: &dyn Numbers, state: u32, op: u32) -> &[(u32, u32)] {
        if self.known.is_empty() {
            self.known.resize(OUTCOMES, (NO_KEY, Vec::new()));
        }
        let key = join_pair(state, op);
        let (known, outcomes) = &mut self.known[mix(key) as usize % OUTCOMES];
        if *known != key {
            // The key is set when the entry is complete: a specification may panic.
            *known = NO_KEY;
            outcomes.clear();
            let are_known = numbers.outcomes(state, op, outcomes);
            assert!(are_known, "the specification cannot enumerate the results of an operation");
            *known = key;
        }
        outcomes
    }
}
