//! The generic engines: complete for every specification.
//!
//! A part of a history is compiled once ([`problem`]); then operations, results and states are
//! numbers, and the specification is a table that is filled on demand ([`automaton`]). What can
//! happen next at a point of the search is decided in one place for all engines ([`frontier`]).
//! The engines themselves are [`depth`] (Wing–Gong and just-in-time, as tree or graph) and
//! [`breadth`].

mod automaton;
mod breadth;
mod depth;
mod engine;
mod frontier;
mod hints;
mod ledger;
mod mask;
mod pending;
mod problem;
mod visited;

pub(crate) use automaton::{Automaton, Step};
pub use engine::Engine;
pub(crate) use engine::{Ending, Found, Searcher};
pub(crate) use frontier::Choice;
pub(crate) use pending::Idle;
pub(crate) use problem::{Problem, Scratch, compile};

pub(crate) use crate::subject::{ClassId, StateId, Stop, guard};

/// Which operations a depth-first search tries first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MoveOrder {
    /// Those called first (Wing–Gong).
    CallFirst,
    /// Those that return first (just-in-time).
    ReturnFirst,
}

/// The parts of the search that can be switched off, to measure what each is worth and to compare
/// with the algorithms as published. No switch changes a verdict.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Switches {
    /// Let reads take effect as soon as they are legal, without branching.
    pub absorb_reads: bool,
    /// Of identical open operations, try only the one that returns first.
    pub first_of_class: bool,
    /// Drop pending operations that nobody can notice, and try the others only where somebody can.
    pub drop_idle_pending: bool,
    /// Count identical pending operations instead of telling them apart.
    pub count_pending: bool,
    /// Forget configurations that use more pending operations than another (breadth-first only).
    pub dominance: bool,
    /// Remember configurations by slots rather than by the full set of operations.
    pub slot_masks: bool,
    /// Ask the specification once for each (state, operation, result).
    pub memoise_steps: bool,
    /// Let [`crate::spec::Claims::guide`] say which operations to try first.
    pub guide: bool,
    /// Let a [monitor](crate::monitor) decide what it can, before anything is searched.
    pub monitors: bool,
}

impl Default for Switches {
    fn default() -> Self {
        Switches {
            absorb_reads: true,
            first_of_class: true,
            drop_idle_pending: true,
            count_pending: true,
            dominance: true,
            slot_masks: true,
            memoise_steps: true,
            guide: true,
            monitors: true,
        }
    }
}

impl Switches {
    /// Everything off: the algorithms as published.
    pub fn plain() -> Self {
        Switches {
            absorb_reads: false,
            first_of_class: false,
            drop_idle_pending: false,
            count_pending: false,
            dominance: false,
            slot_masks: false,
            memoise_steps: true,
            guide: false,
            monitors: false,
        }
    }
}

/// What a search found out about a compiled part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    Linearizable(Vec<frontier::Choice>),
    /// `reached` returns can be explained by some order, not more.
    NotLinearizable {
        reached: u32,
    },
}

/// A search that ended without an answer, and how far it got.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Stopped {
    pub(crate) stop: Stop,
    pub(crate) reached: u32,
}
