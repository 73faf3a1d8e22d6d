//! Performs operations one after the other, by number.
//!
//! A completed operation with an unknown result may lead to several states, so this tracks a set of
//! states. Nearly always it has one element.

use rustc_hash::FxHashMap;

use crate::budget::Budget;
use crate::search::{Automaton, ClassId, StateId, Stop, Transition};
use crate::sorting::sort_by_key;

/// A non-empty set of states: a single state, or the number of a set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct States(u32);

/// Numbers from here on denote sets. Automata have fewer states.
const SEVERAL: u32 = 1 << 31;

/// Memory overhead of a set.
const SET_BYTES: usize = 96;

pub(super) struct Replay<'r, 'a> {
    automaton: &'r mut Automaton<'a>,
    /// The class of each operation.
    class: &'r [ClassId],
    sets: Vec<Vec<StateId>>,
    numbers: FxHashMap<Vec<StateId>, u32>,
}

impl<'r, 'a> Replay<'r, 'a> {
    pub(super) fn new(automaton: &'r mut Automaton<'a>, class: &'r [ClassId]) -> Self {
        Replay { automaton, class, sets: Vec::new(), numbers: FxHashMap::default() }
    }

    pub(super) fn initial(&mut self, budget: &mut Budget<'_>) -> Result<States, Stop> {
        self.automaton.initial(budget).map(|state| States(state.0))
    }

    /// The states after the operation; `None` if its result is impossible.
    pub(super) fn step(
        &mut self,
        from: States,
        op: usize,
        budget: &mut Budget<'_>,
    ) -> Result<Option<States>, Stop> {
        let class = self.class[op];
        if from.0 < SEVERAL {
            return match self.automaton.step(StateId(from.0), class, budget)? {
                Transition::Illegal => Ok(None),
                Transition::To(state) => Ok(Some(States(state.0))),
                Transition::ToAny(at) => {
                    let states = self.automaton.many(at).to_vec();
                    self.number(states, budget).map(Some)
                }
            };
        }
        let mut all = Vec::new();
        for at in 0..self.sets[(from.0 - SEVERAL) as usize].len() {
            let state = self.sets[(from.0 - SEVERAL) as usize][at];
            match self.automaton.step(state, class, budget)? {
                Transition::Illegal => {}
                Transition::To(state) => all.push(state),
                Transition::ToAny(at) => all.extend_from_slice(self.automaton.many(at)),
            }
        }
        sort_by_key(&mut all, |state| state.0);
        all.dedup();
        match all[..] {
            [] => Ok(None),
            [one] => Ok(Some(States(one.0))),
            _ => self.number(all, budget).map(Some),
        }
    }

    fn number(&mut self, states: Vec<StateId>, budget: &mut Budget<'_>) -> Result<States, Stop> {
        if let Some(number) = self.numbers.get(&states) {
            return Ok(States(*number));
        }
        budget.reserve(SET_BYTES + 2 * states.len() * size_of::<StateId>())?;
        let number = SEVERAL + self.sets.len() as u32;
        self.sets.push(states.clone());
        self.numbers.insert(states, number);
        Ok(States(number))
    }
}
