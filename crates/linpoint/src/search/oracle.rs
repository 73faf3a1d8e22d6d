//! The specification behind numbers: states are interned as they are met, and a panic in the
//! user's code becomes a value.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{ClassId, StateId, Stop};
use crate::budget::Budget;
use crate::spec::{Spec, stable_hash};

/// The step relation on numbers. Engines see specifications only through this.
pub(crate) trait Oracle {
    /// The initial state.
    fn initial(&mut self, budget: &mut Budget<'_>) -> Result<StateId, Stop>;

    /// Appends the successors of `state` under operations of `class`, sorted, without repetition.
    fn step(
        &mut self,
        state: StateId,
        class: ClassId,
        next: &mut Vec<StateId>,
        budget: &mut Budget<'_>,
    ) -> Result<(), Stop>;

    /// Forgets all states but those in `live` (which may repeat), gives the memory back, and
    /// replaces the ids in `live` by new ones.
    fn keep_only(&mut self, live: &mut [StateId], budget: &mut Budget<'_>);
}

/// An operation with its result, if known: what the specification is asked about.
pub(crate) type Class<'h, S> = (&'h <S as Spec>::Op, Option<&'h <S as Spec>::Ret>);

/// What the allocator adds to a state that lives on the heap.
const ALLOCATION_OVERHEAD: usize = 16;

/// A spec whose states are interned.
pub(crate) struct SpecOracle<'a, S: Spec> {
    spec: &'a S,
    classes: &'a [Class<'a, S>],
    /// INVARIANT: pairwise different.
    states: Vec<S::State>,
    /// Hash of each state.
    hashes: Vec<u64>,
    /// Open addressing over `states`; a power of two long or empty; [`EMPTY`] marks a free cell.
    index: Vec<u32>,
    /// Bytes counted for the heap parts of states.
    heap_bytes: usize,
    scratch: Vec<S::State>,
}

const EMPTY: u32 = u32::MAX;
/// State ids must leave room for the marks of [`super::automaton`].
const MAX_STATES: usize = 1 << 30;

impl<'a, S: Spec> SpecOracle<'a, S> {
    pub(crate) fn new(spec: &'a S, classes: &'a [Class<'a, S>]) -> Self {
        SpecOracle {
            spec,
            classes,
            states: Vec::new(),
            hashes: Vec::new(),
            index: Vec::new(),
            heap_bytes: 0,
            scratch: Vec::new(),
        }
    }

    fn fixed_bytes(&self) -> usize {
        self.states.capacity() * (size_of::<S::State>() + 8) + self.index.len() * 4
    }

    fn intern(&mut self, state: S::State, budget: &mut Budget<'_>) -> Result<StateId, Stop> {
        let hash = stable_hash(&state).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        if self.states.len() * 4 >= self.index.len() * 3 {
            self.grow(budget)?;
        }
        let wrap = self.index.len() - 1;
        let mut at = (hash >> 20) as usize & wrap;
        loop {
            let id = self.index[at];
            if id == EMPTY {
                break;
            }
            if self.hashes[id as usize] == hash && self.states[id as usize] == state {
                return Ok(id);
            }
            at = (at + 1) & wrap;
        }
        let heap = self.spec.state_bytes(&state).saturating_sub(size_of::<S::State>());
        if heap > 0 {
            budget.reserve(heap + ALLOCATION_OVERHEAD)?;
            self.heap_bytes += heap + ALLOCATION_OVERHEAD;
        }
        let id = self.states.len() as u32;
        self.index[at] = id;
        self.states.push(state);
        self.hashes.push(hash);
        Ok(id)
    }

    fn grow(&mut self, budget: &mut Budget<'_>) -> Result<(), Stop> {
        let cells = (self.index.len() * 2).max(16);
        if self.states.len() >= MAX_STATES {
            return Err(crate::budget::Limit::Memory.into());
        }
        let before = self.fixed_bytes();
        let room = cells / 4 * 3 + 1;
        budget.reserve(room * (size_of::<S::State>() + 8) + cells * 4)?;
        self.states.reserve_exact(room - self.states.len());
        self.hashes.reserve_exact(room - self.hashes.len());
        self.index = vec![EMPTY; cells];
        for (id, hash) in self.hashes.iter().enumerate() {
            let mut at = (hash >> 20) as usize & (cells - 1);
            while self.index[at] != EMPTY {
                at = (at + 1) & (cells - 1);
            }
            self.index[at] = id as u32;
        }
        budget.release(before);
        // The reservation was for `room` states; `reserve_exact` may have given more.
        let now = self.fixed_bytes();
        let reserved = room * (size_of::<S::State>() + 8) + cells * 4;
        if now > reserved {
            budget.reserve(now - reserved)?;
        }
        Ok(())
    }

    /// The interned state itself.
    pub(crate) fn state(&self, id: StateId) -> &S::State {
        &self.states[id as usize]
    }
}

impl<O: Oracle> Oracle for &mut O {
    fn initial(&mut self, budget: &mut Budget<'_>) -> Result<StateId, Stop> {
        (**self).initial(budget)
    }

    fn step(
        &mut self,
        state: StateId,
        class: ClassId,
        next: &mut Vec<StateId>,
        budget: &mut Budget<'_>,
    ) -> Result<(), Stop> {
        (**self).step(state, class, next, budget)
    }

    fn keep_only(&mut self, live: &mut [StateId], budget: &mut Budget<'_>) {
        (**self).keep_only(live, budget);
    }
}

/// Runs a user's code; a panic becomes its message.
pub(crate) fn guard<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|payload| {
        let text = payload.downcast_ref::<&str>().map(|s| (*s).to_owned());
        text.or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "no message".to_owned())
    })
}

impl<S: Spec> Oracle for SpecOracle<'_, S> {
    fn initial(&mut self, budget: &mut Budget<'_>) -> Result<StateId, Stop> {
        let spec = self.spec;
        let state = guard(|| spec.initial())
            .map_err(|message| Stop::SpecPanicked { class: None, message })?;
        self.intern(state, budget)
    }

    fn step(
        &mut self,
        state: StateId,
        class: ClassId,
        next: &mut Vec<StateId>,
        budget: &mut Budget<'_>,
    ) -> Result<(), Stop> {
        let (op, ret) = self.classes[class as usize];
        let (spec, from) = (self.spec, &self.states[state as usize]);
        let mut found = std::mem::take(&mut self.scratch);
        guard(|| spec.successors(from, op, ret, &mut found))
            .map_err(|message| Stop::SpecPanicked { class: Some(class), message })?;
        let begin = next.len();
        for state in found.drain(..) {
            next.push(self.intern(state, budget)?);
        }
        self.scratch = found;
        if next.len() > begin + 1 {
            next[begin..].sort_unstable();
            let mut kept = begin;
            for i in begin..next.len() {
                if i == begin || next[i] != next[kept - 1] {
                    next[kept] = next[i];
                    kept += 1;
                }
            }
            next.truncate(kept);
        }
        Ok(())
    }

    fn keep_only(&mut self, live: &mut [StateId], budget: &mut Budget<'_>) {
        budget.release(self.fixed_bytes() + self.heap_bytes);
        let states = std::mem::take(&mut self.states);
        self.hashes = Vec::new();
        self.index = Vec::new();
        self.heap_bytes = 0;
        let mut keep = vec![false; states.len()];
        for &id in live.iter() {
            keep[id as usize] = true;
        }
        let mut renamed = vec![EMPTY; states.len()];
        for (old, state) in states.into_iter().enumerate() {
            if keep[old] {
                // Fits: less than was released just now.
                if let Ok(id) = self.intern(state, budget) {
                    renamed[old] = id;
                }
            }
        }
        for id in live {
            *id = renamed[*id as usize];
        }
    }
}
