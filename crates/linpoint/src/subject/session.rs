//! States behind numbers: they are interned as they are met, and a panic in a user's specification becomes a value.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::adapter::Columns;
use super::index::Index;
use super::typed::HistoryColumns;
use super::{Call, RetId, StateId};
use crate::budget::{Budget, Limit};
use crate::history::OpId;
use crate::sorting::sort_by_key;
use crate::spec::{Spec, stable_hash};

/// The step relation on numbers. One engine on one thread uses one session.
pub trait Session {
    /// The initial state.
    ///
    /// # Errors
    ///
    /// Like all methods here: a limit was hit, or the specification failed.
    fn initial(&mut self, budget: &mut Budget<'_>) -> Result<StateId, Stop>;

    /// Appends the successors of `state` under `call`, sorted, without repetition.
    fn step(
        &mut self,
        state: StateId,
        call: Call,
        next: &mut Vec<StateId>,
        budget: &mut Budget<'_>,
    ) -> Result<(), Stop>;

    /// Pushes each result that `op` may have in `state`, with the state that follows. False if the results cannot be
    /// enumerated. Equal results have equal numbers.
    fn outcomes(
        &mut self,
        state: StateId,
        op: OpId,
        out: &mut Vec<(RetId, StateId)>,
        budget: &mut Budget<'_>,
    ) -> Result<bool, Stop>;

    /// Forgets all states but those in `live` (which may repeat), gives the memory back, and
    /// replaces the ids in `live` by new ones.
    fn keep_only(&mut self, live: &mut [StateId], budget: &mut Budget<'_>);

    /// A state as text.
    fn describe(&self, state: StateId) -> String;

    /// Bytes that a state occupies.
    fn bytes(&self, state: StateId) -> usize;
}

/// Why a session could not answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// A limit was hit.
    Limit(Limit),
    /// The specification panicked, or failed otherwise.
    SpecPanicked {
        /// The operation it was asked about.
        op: Option<OpId>,
        /// The panic message.
        message: String,
    },
}

impl From<Limit> for Stop {
    fn from(limit: Limit) -> Self {
        Stop::Limit(limit)
    }
}

/// Runs a user's code; a panic becomes its message.
pub(crate) fn guard<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(message_of)
}

/// Out of line: there is a `guard` for each piece of code that it runs.
#[cold]
fn message_of(payload: Box<dyn Any + Send>) -> String {
    let text = payload.downcast_ref::<&str>().map(|s| (*s).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "no message".to_owned())
}

/// What the allocator adds to a state that lives on the heap.
const ALLOCATION_OVERHEAD: usize = 16;
/// State ids must leave room for the marks of the automaton.
const MAX_STATES: usize = 1 << 30;

/// The states of a typed specification.
pub(crate) struct TypedSession<'a, S: Spec> {
    spec: &'a S,
    columns: &'a HistoryColumns<'a, S>,
    /// INVARIANT: pairwise different.
    states: Vec<S::State>,
    index: Index,
    /// Bytes counted for the heap parts of states.
    heap_bytes: usize,
    scratch: Vec<S::State>,
}

impl<'a, S: Spec> TypedSession<'a, S> {
    pub(super) fn new(spec: &'a S, columns: &'a HistoryColumns<'a, S>) -> Self {
        TypedSession {
            spec,
            columns,
            states: Vec::new(),
            index: Index::default(),
            heap_bytes: 0,
            scratch: Vec::new(),
        }
    }

    fn fixed_bytes(&self) -> usize {
        self.states.capacity() * (size_of::<S::State>() + 8) + self.index.cells() * 4
    }

    fn intern(&mut self, state: S::State, budget: &mut Budget<'_>) -> Result<StateId, Stop> {
        let hash = stable_hash(&state).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        if self.index.is_full() {
            self.grow(budget)?;
        }
        let at = match self.index.find(hash, |id| self.states[id] == state) {
            Ok(known) => return Ok(StateId(known)),
            Err(at) => at,
        };
        let heap = self.spec.state_bytes(&state).saturating_sub(size_of::<S::State>());
        if heap > 0 {
            budget.reserve(heap + ALLOCATION_OVERHEAD)?;
            self.heap_bytes += heap + ALLOCATION_OVERHEAD;
        }
        let id = self.states.len() as u32;
        self.index.insert(at, id, hash);
        self.states.push(state);
        Ok(StateId(id))
    }

    fn grow(&mut self, budget: &mut Budget<'_>) -> Result<(), Stop> {
        let cells = (self.index.cells() * 2).max(16);
        if self.states.len() >= MAX_STATES {
            return Err(Limit::Memory.into());
        }
        let before = self.fixed_bytes();
        let room = room(cells);
        let reserved = room * (size_of::<S::State>() + 8) + cells * 4;
        budget.reserve(reserved)?;
        self.states.reserve_exact(room - self.states.len());
        self.index.reserve(room);
        self.index.resize(cells);
        budget.release(before);
        // The reservation was for `room` states; `reserve_exact` may have given more.
        let now = self.fixed_bytes();
        if now > reserved {
            budget.reserve(now - reserved)?;
        }
        Ok(())
    }
}

/// The number of states for which there is room before the index has to grow.
fn room(cells: usize) -> usize {
    cells / 4 * 3 + 1
}

/// Sorts what follows `begin` and drops repetitions there.
fn sort_and_dedup(states: &mut Vec<StateId>, begin: usize) {
    let new = &mut states[begin..];
    if new.len() > 1 {
        sort_by_key(new, |state| state.0);
        let mut kept = begin + 1;
        for at in begin + 1..states.len() {
            if states[at] != states[kept - 1] {
                states[kept] = states[at];
                kept += 1;
            }
        }
        states.truncate(kept);
    }
}

impl<S: Spec> Session for TypedSession<'_, S> {
    fn initial(&mut self, budget: &mut Budget<'_>) -> Result<StateId, Stop> {
        let spec = self.spec;
        let state =
            guard(|| spec.initial()).map_err(|message| Stop::SpecPanicked { op: None, message })?;
        self.intern(state, budget)
    }

    fn step(
        &mut self,
        state: StateId,
        call: Call,
        next: &mut Vec<StateId>,
        budget: &mut Budget<'_>,
    ) -> Result<(), Stop> {
        let (spec, from, found) = (self.spec, &self.states[state.index()], &mut self.scratch);
        // A panic may have left something behind.
        found.clear();
        let (op, ret) = (self.columns.op(call.op), self.columns.ret(call.ret));
        guard(|| spec.successors(from, op, ret, found))
            .map_err(|message| Stop::SpecPanicked { op: Some(call.op), message })?;
        // PERF: most steps lead to one state, or to none.
        if self.scratch.len() <= 1 {
            if let Some(state) = self.scratch.pop() {
                next.push(self.intern(state, budget)?);
            }
            return Ok(());
        }
        let mut found = std::mem::take(&mut self.scratch);
        let begin = next.len();
        for state in found.drain(..) {
            next.push(self.intern(state, budget)?);
        }
        self.scratch = found;
        sort_and_dedup(next, begin);
        Ok(())
    }

    fn outcomes(
        &mut self,
        state: StateId,
        op: OpId,
        out: &mut Vec<(RetId, StateId)>,
        budget: &mut Budget<'_>,
    ) -> Result<bool, Stop> {
        let (spec, from) = (self.spec, &self.states[state.index()]);
        let mut found = Vec::new();
        let are_known = guard(|| spec.outcomes(from, self.columns.op(op), &mut found))
            .map_err(|message| Stop::SpecPanicked { op: Some(op), message })?;
        for (ret, state) in found {
            out.push((self.columns.number(ret), self.intern(state, budget)?));
        }
        Ok(are_known)
    }

    fn keep_only(&mut self, live: &mut [StateId], budget: &mut Budget<'_>) {
        let before = self.fixed_bytes() + self.heap_bytes;
        let mut keep = vec![false; self.states.len()];
        for &id in live.iter() {
            keep[id.index()] = true;
        }
        let mut kept = keep.iter();
        self.states.retain(|_| kept.next() == Some(&true));
        let renamed = self.index.keep_only(&keep);
        // The room that `grow` makes for this many cells. It was there before, and is counted.
        self.states.shrink_to(room(self.index.cells()));
        let (spec, fixed) = (self.spec, size_of::<S::State>());
        let heap_bytes = |state| match spec.state_bytes(state).saturating_sub(fixed) {
            0 => 0,
            heap => heap + ALLOCATION_OVERHEAD,
        };
        self.heap_bytes = self.states.iter().map(heap_bytes).sum();
        budget.release(before.saturating_sub(self.fixed_bytes() + self.heap_bytes));
        for id in live {
            *id = StateId(renamed[id.index()]);
        }
    }

    fn describe(&self, state: StateId) -> String {
        self.spec.describe_state(&self.states[state.index()])
    }

    fn bytes(&self, state: StateId) -> usize {
        self.spec.state_bytes(&self.states[state.index()])
    }
}
