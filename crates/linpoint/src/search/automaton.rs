//! The specification as a table of numbers, filled on demand.
//!
//! User code runs once for each distinct (state, class of operations); after that it is a lookup.
//! With few classes every state has a dense row; with many there is a hash table.

use rustc_hash::FxHashMap;

use super::{ClassId, StateId, Stop};
use crate::budget::Budget;
use crate::subject::{Call, Session};

/// The effect of an operation on a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Transition {
    /// It is illegal in this state.
    Illegal,
    /// It leads to this state.
    To(StateId),
    /// It leads to any of these states: a range for [`Automaton::many`].
    ToAny(u32),
}

/// Encoded steps. Numbers below `MANY` are states. Numbers from `MANY` on are positions in `many`,
/// where a list starts with its length.
const UNKNOWN: u32 = u32::MAX;
const ILLEGAL: u32 = u32::MAX - 1;
const MANY: u32 = 1 << 30;

/// Work of a step that is not known yet, for [`Budget::work`]. It is not known how long the specification and the
/// comparison of states take: of states with thousands of elements, 64 steps take a millisecond.
const WORK_PER_STEP: usize = 1 << 10;

/// Rows are dense if there are at most this many classes.
const DENSE_CLASSES: usize = 96;
/// Worst-case memory of an entry of the hash table: while it grows, the old and the new table, with
/// 17 bytes for each cell, hold at most 7/8 of the old cells.
const SPARSE_ENTRY_BYTES: usize = 60;
/// Reserve hash table memory for this many entries at a time.
const SPARSE_CHUNK: usize = 256;

pub(crate) struct Automaton<'a> {
    session: &'a mut dyn Session,
    classes: &'a [Call],
    memoise: bool,
    /// `dense[state * classes + class]`, if there are few classes.
    dense: Vec<u32>,
    sparse: FxHashMap<u64, u32>,
    sparse_reserved: usize,
    many: Vec<StateId>,
    scratch: Vec<StateId>,
}

impl<'a> Automaton<'a> {
    pub(crate) fn new(session: &'a mut dyn Session, classes: &'a [Call], memoise: bool) -> Self {
        Automaton {
            session,
            classes,
            memoise,
            dense: Vec::new(),
            sparse: FxHashMap::default(),
            sparse_reserved: 0,
            many: Vec::new(),
            scratch: Vec::new(),
        }
    }

    pub(crate) fn initial(&mut self, budget: &mut Budget<'_>) -> Result<StateId, Stop> {
        self.session.initial(budget)
    }

    #[inline]
    pub(crate) fn step(
        &mut self,
        state: StateId,
        class: ClassId,
        budget: &mut Budget<'_>,
    ) -> Result<Transition, Stop> {
        let known = if self.classes.len() <= DENSE_CLASSES {
            let at = state.index() * self.classes.len() + class.index();
            self.dense.get(at).copied().unwrap_or(UNKNOWN)
        } else {
            let key = u64::from(state.0) << 32 | u64::from(class.0);
            self.sparse.get(&key).copied().unwrap_or(UNKNOWN)
        };
        if known == UNKNOWN { self.compute(state, class, budget) } else { Ok(decode(known)) }
    }

    /// The states behind [`Transition::ToAny`].
    pub(crate) fn many(&self, at: u32) -> &[StateId] {
        let at = at as usize;
        let count = self.many[at].index();
        &self.many[at + 1..at + 1 + count]
    }

    #[cold]
    fn compute(
        &mut self,
        state: StateId,
        class: ClassId,
        budget: &mut Budget<'_>,
    ) -> Result<Transition, Stop> {
        let mut next = std::mem::take(&mut self.scratch);
        next.clear();
        let outcome = self.session.step(state, self.classes[class.index()], &mut next, budget);
        let code = outcome.and_then(|()| self.encode(&next, budget));
        self.scratch = next;
        let code = code?;
        budget.work(WORK_PER_STEP)?;
        if self.memoise {
            self.remember(state, class, code, budget)?;
        }
        Ok(decode(code))
    }

    fn encode(&mut self, next: &[StateId], budget: &mut Budget<'_>) -> Result<u32, Stop> {
        Ok(match next {
            [] => ILLEGAL,
            [one] => one.0,
            several => {
                budget.reserve(4 * (several.len() + 1))?;
                budget.fits_another(&self.many)?;
                let at = self.many.len() as u32;
                self.many.push(StateId(several.len() as u32));
                self.many.extend_from_slice(several);
                MANY + at
            }
        })
    }

    fn remember(
        &mut self,
        state: StateId,
        class: ClassId,
        code: u32,
        budget: &mut Budget<'_>,
    ) -> Result<(), Stop> {
        if self.classes.len() <= DENSE_CLASSES {
            let need = (state.index() + 1) * self.classes.len();
            if self.dense.len() < need {
                if self.dense.capacity() < need {
                    let (old, new) = (self.dense.capacity(), need.max(self.dense.capacity() * 2));
                    budget.reserve(4 * new)?;
                    self.dense.reserve_exact(new - self.dense.len());
                    budget.release(4 * old);
                }
                self.dense.resize(need, UNKNOWN);
            }
            self.dense[state.index() * self.classes.len() + class.index()] = code;
        } else {
            if self.sparse.len() == self.sparse_reserved {
                budget.reserve(SPARSE_CHUNK * SPARSE_ENTRY_BYTES)?;
                self.sparse_reserved += SPARSE_CHUNK;
            }
            budget.fits_another_in(&self.sparse)?;
            self.sparse.insert(u64::from(state.0) << 32 | u64::from(class.0), code);
        }
        Ok(())
    }

    /// Drops all states but those in `live`, and every table. Renumbers the ids in `live`.
    pub(crate) fn keep_only(&mut self, live: &mut [StateId], budget: &mut Budget<'_>) {
        budget.release(
            4 * self.dense.capacity()
                + self.sparse_reserved * SPARSE_ENTRY_BYTES
                + 4 * self.many.len(),
        );
        self.dense = Vec::new();
        self.sparse = FxHashMap::default();
        self.sparse_reserved = 0;
        self.many = Vec::new();
        self.session.keep_only(live, budget);
    }
}

fn decode(code: u32) -> Transition {
    match code {
        ILLEGAL => Transition::Illegal,
        at if at >= MANY => Transition::ToAny(at - MANY),
        state => Transition::To(StateId(state)),
    }
}
