//! Questions about derived histories, each with a small budget.

use std::time::Instant;

use crate::budget::{Budget, Cancel, Limit, Memory};
use crate::check::{CheckError, Hints};
use crate::history::{History, OpId};
use crate::monitor::{self, Answer};
use crate::search::{Compiled, Ending, Engine, Found, Scratch, Searcher, Switches, compile};
use crate::spec::{PartView, Spec};
use crate::split::Split;

/// Asks whether histories are linearizable.
pub(super) struct Probe<'a, S> {
    pub(super) spec: &'a S,
    pub(super) hints: Hints,
    pub(super) deadline: Instant,
    pub(super) memory: &'a Memory,
    pub(super) cancel: &'a Cancel,
}

/// Steps of one engine for one question, and so many more for each operation.
const STEPS: u64 = 20_000;
const STEPS_PER_OP: u64 = 16;
/// A nondeterministic order is followed in at most this many states.
const MAX_STATES: usize = 64;
/// The same for the first attempt.
const STRAIGHT_STEPS: u64 = 1_000;
const STRAIGHT_STEPS_PER_OP: u64 = 2;

impl<S: Spec> Probe<'_, S> {
    fn budget(&self, ops: usize) -> Budget<'_> {
        Budget::new(Some(self.deadline), self.memory)
            .watch(self.cancel)
            .max_steps(STEPS + STEPS_PER_OP * ops as u64)
    }

    /// True once there is no time left for more questions.
    pub(super) fn is_late(&self) -> Option<Limit> {
        if self.cancel.is_cancelled() {
            Some(Limit::Cancelled)
        } else if Instant::now() >= self.deadline {
            Some(Limit::Time)
        } else {
            None
        }
    }

    fn compile<'h>(&self, history: &'h History<S::Op, S::Ret>) -> Compiled<'h, S> {
        self.compile_with(history, &Switches::default())
    }

    fn compile_with<'h>(
        &self,
        history: &'h History<S::Op, S::Ret>,
        switches: &Switches,
    ) -> Compiled<'h, S> {
        let split = Split::whole(history);
        compile(self.spec, history, split.events(0), self.hints, switches, &mut Scratch::default())
    }

    /// True: not linearizable; false: linearizable; `None`: a limit came first. Cheap ways first, as
    /// in [`crate::plan`].
    pub(super) fn is_bad(&self, history: &History<S::Op, S::Ret>) -> Option<bool> {
        if self.is_late().is_some() {
            return None;
        }
        if self.hints != Hints::Assert
            && let Ok(outcome) =
                monitor::decide(self.spec, history, &history.ids().collect::<Vec<_>>())
        {
            return Some(matches!(outcome.answer, Answer::Violation(_)));
        }
        let compiled = self.compile(history);
        let (spec, switches) = (self.spec, Switches::default());
        let searcher = Searcher { spec, compiled: &compiled, switches };
        let budget = || self.budget(history.len());
        let is_bad = |found| matches!(found, Found::NotLinearizable { .. });
        let few = STRAIGHT_STEPS + STRAIGHT_STEPS_PER_OP * history.len() as u64;
        if let Ok(found) = searcher.run(Engine::JitGraph, &mut budget().max_steps(few)) {
            return Some(is_bad(found));
        }
        let ids: Vec<OpId> = history.ids().collect();
        if spec.refute(&PartView::new(history, &ids)).is_some() {
            return Some(true);
        }
        if !compiled.problem.pending.is_empty()
            && let Ok(Some(_)) = searcher.refutes_with_unlimited_pending(&mut budget())
        {
            return Some(true);
        }
        let engines = [Engine::JitGraph, Engine::Breadth];
        engines.iter().find_map(|e| searcher.run(*e, &mut budget()).ok().map(is_bad))
    }

    /// Lets another engine than the ones that found the core say that it is bad. Gives its name,
    /// or nothing if a limit came first.
    pub(super) fn confirm(
        &self,
        history: &History<S::Op, S::Ret>,
    ) -> Result<Option<String>, CheckError> {
        let compiled = self.compile(history);
        let (spec, switches) = (self.spec, Switches::default());
        let searcher = Searcher { spec, compiled: &compiled, switches };
        for engine in [Engine::Breadth, Engine::WgGraph] {
            match searcher.run(engine, &mut self.budget(history.len())) {
                Ok(Found::NotLinearizable { .. }) => return Ok(Some(engine.name().into())),
                Ok(Found::Linearizable(_)) => {
                    return Err(CheckError::Internal(format!(
                        "{} does not confirm the violation that another engine found",
                        engine.name()
                    )));
                }
                Err(_) => {}
            }
        }
        Ok(None)
    }

    /// Up to `most` linearizations that end in different states, and those states.
    pub(super) fn linearizations(
        &self,
        history: &History<S::Op, S::Ret>,
        most: usize,
    ) -> Vec<Ending<S>> {
        let compiled = self.compile(history);
        let (spec, switches) = (self.spec, Switches::default());
        let searcher = Searcher { spec, compiled: &compiled, switches };
        if most > 1 {
            return searcher
                .linearizations(most, &mut self.budget(history.len()))
                .unwrap_or_default();
        }
        match searcher.run(Engine::JitGraph, &mut self.budget(history.len())) {
            Ok(Found::Linearizable(order)) => {
                let state = self.state_after(history, &order);
                state.map(|state| (order, state)).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    /// A state to which the order may lead.
    fn state_after(&self, history: &History<S::Op, S::Ret>, order: &[OpId]) -> Option<S::State> {
        let mut states = vec![self.spec.initial()];
        for id in order {
            let mut next = Vec::new();
            for state in &states {
                self.spec.successors(state, history.op(*id), history.ret(*id), &mut next);
            }
            next.truncate(MAX_STATES);
            states = next;
        }
        states.into_iter().next()
    }

    /// All states in which `op` of the history can take effect; `None` if a limit came first.
    pub(super) fn states_before(
        &self,
        history: &History<S::Op, S::Ret>,
        op: OpId,
    ) -> Option<Vec<S::State>> {
        // What the operation would notice depends on its result, which is open: nothing pending may
        // be left out.
        let switches = Switches { drop_idle_pending: false, ..Switches::default() };
        let mut compiled = self.compile_with(history, &switches);
        let watched = compiled.problem.ids.iter().position(|id| *id == op)?;
        compiled.problem.watched = Some(watched as u32);
        let searcher = Searcher { spec: self.spec, compiled: &compiled, switches };
        let few = STEPS + STRAIGHT_STEPS_PER_OP * history.len() as u64;
        searcher.watched_states(&mut self.budget(history.len()).max_steps(few)).ok()
    }
}
