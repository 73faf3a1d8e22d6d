//! The generic engines: complete for every specification.
//!
//! A part of a history is compiled once ([`problem`]). Operations, results and states are then
//! numbers, and the specification is a table that is filled on demand ([`automaton`]). [`frontier`]
//! determines for all engines what can happen next. The engines themselves are [`depth`] (Wing–Gong
//! and just-in-time, as tree or graph) and [`breadth`].

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

pub(crate) use automaton::{Automaton, Transition};
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

/// Parts of the search that can be switched off, to measure their benefit and to compare with the
/// published algorithms. No switch changes a verdict.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Switches {
    /// Let reads take effect as soon as they are legal, without branching.
    pub absorb_reads: bool,
    /// Of identical open operations, try only the one that returns first.
    pub first_of_class: bool,
    /// Drop pending operations that nothing can notice, and try the others only where something
    /// can.
    pub drop_idle_pending: bool,
    /// Count identical pending operations instead of distinguishing them.
    pub count_pending: bool,
    /// Forget configurations that use more pending operations than another (breadth-first only).
    pub dominance: bool,
    /// Remember configurations by slots rather than by the full set of operations.
    pub slot_masks: bool,
    /// Ask the specification once for each (state, operation, result).
    pub memoise_steps: bool,
    /// Let [`crate::spec::Claims::guide`] choose which operations to try first.
    pub guide: bool,
    /// Let a [monitor](crate::monitor) decide what it can before searching.
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
    /// Everything off: the published algorithms.
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

/// The result of a search on a compiled part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Outcome {
    Linearizable(Vec<frontier::Choice>),
    /// Some order explains `reached` returns, and none explains more.
    NotLinearizable {
        reached: u32,
    },
}

/// A search that ended without an answer, and its progress.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Stopped {
    pub(crate) stop: Stop,
    pub(crate) reached: u32,
}
