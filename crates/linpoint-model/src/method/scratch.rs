//! What a method remembers on one core, and memory that it uses again and again.

use super::Numbers;
use super::flat::Flat;
use crate::system::{join, mix};

/// Entries of the table of outcomes.
const OUTCOMES: usize = 1 << 11;

/// Belongs to one core.
#[derive(Default)]
pub(crate) struct Scratch {
    pub(super) outcomes: Outcomes,
    /// Configurations: before the event, to be looked at, and what comes out of it; then sorted.
    pub(super) before: Flat,
    pub(super) todo: Flat,
    pub(super) done: Flat,
    pub(super) order: Vec<u32>,
    pub(super) set: Vec<u32>,
}

impl Scratch {
    /// Bytes in use, about.
    pub(crate) fn bytes() -> usize {
        OUTCOMES * (size_of::<(u64, Vec<(u32, u32)>)>() + 4 * size_of::<(u32, u32)>())
    }
}

/// What operations may return in states, and the states after that. A newer entry takes the place of an older one.
#[derive(Default)]
pub(super) struct Outcomes {
    known: Vec<(u64, Vec<(u32, u32)>)>,
}

const NO_KEY: u64 = u64::MAX;

impl Outcomes {
    /// Every result of an operation in a state, with the state after it.
    pub(super) fn of(&mut self, numbers: &dyn Numbers, state: u32, op: u32) -> &[(u32, u32)] {
        if self.known.is_empty() {
            self.known.resize(OUTCOMES, (NO_KEY, Vec::new()));
        }
        let key = join(state, op);
        let (known, outcomes) = &mut self.known[mix(key) as usize % OUTCOMES];
        if *known != key {
            // Not known before it is complete: a specification may panic.
            *known = NO_KEY;
            outcomes.clear();
            let are_known = numbers.outcomes(state, op, outcomes);
            assert!(are_known, "the specification cannot tell what an operation may return");
            *known = key;
        }
        outcomes
    }
}
