//! Queries about derived histories, each with a small budget.

use std::time::Instant;

use crate::budget::{Budget, Cancel, Limit, Memory};
use crate::check::Hints;
use crate::decide::Ladder;
use crate::history::OpId;
use crate::monitor::{self, Answer, Effort};
use crate::plan::Plan;
use crate::search::{Ending, Engine, Found, Problem, Scratch, Searcher, Switches, compile};
use crate::split::Split;
use crate::subject::{Case, RetId};
use crate::verdict::certify::order_is_valid;

/// Asks whether histories are linearizable.
#[derive(Clone, Copy)]
pub(super) struct Probe<'a> {
    pub(super) hints: Hints,
    pub(super) deadline: Instant,
    pub(super) memory: &'a Memory,
    pub(super) cancel: &'a Cancel,
}

/// What a second engine says about a violation.
pub(super) enum Confirmed {
    /// This engine confirms it.
    By(String),
    /// A limit was hit first.
    Unknown,
    /// This engine finds an order.
    Denied(&'static str),
}

/// Step limit of one engine for one query: a constant, plus an amount for each operation.
const STEPS: u64 = 20_000;
const STEPS_PER_OP: u64 = 16;
/// The same for the work of a monitor.
const WORK: u64 = 4_000_000;
const WORK_PER_OP: u64 = 10_000;
/// Follow a nondeterministic order in at most this many states.
const MAX_STATES: usize = 64;
/// Steps for each operation when searching for all results.
const STRAIGHT_STEPS_PER_OP: u64 = 2;

impl Probe<'_> {
    /// The same with a part of the time that is left: half of it, a third, and so on.
    pub(super) fn with_a_share(&self, of: u32) -> Self {
        let now = Instant::now();
        Probe { deadline: now + self.deadline.saturating_duration_since(now) / of, ..*self }
    }

    fn budget(&self, ops: usize) -> Budget<'_> {
        Budget::new(Some(self.deadline), self.memory)
            .watch(self.cancel)
            .max_steps(STEPS + STEPS_PER_OP * ops as u64)
    }

    /// The limits of a monitor whose worst case is exponential.
    fn effort(&self, ops: usize) -> Effort<'_> {
        let budget = Budget::new(Some(self.deadline), self.memory).watch(self.cancel);
        Effort::within(budget).most_work(WORK + WORK_PER_OP * ops as u64)
    }

    /// Set once there is no time or memory left for more queries.
    pub(super) fn is_late(&self) -> Option<Limit> {
        if self.cancel.is_cancelled() {
            Some(Limit::Cancelled)
        } else if Instant::now() >= self.deadline {
            Some(Limit::Time)
        } else if self.memory.is_short_of(0) {
            Some(Limit::Memory)
        } else {
            None
        }
    }

    fn compile(&self, case: &Case<'_>, switches: &Switches) -> Problem {
        let split = Split::whole(case.timeline());
        compile(case, split.events(0), self.hints, switches, &mut Scratch::new(case))
    }

    /// True: not linearizable. False: linearizable. `None`: a limit was hit first. Tries cheap
    /// tactics first, as in [`crate::plan`].
    pub(super) fn is_bad(&self, case: &Case<'_>) -> Option<bool> {
        if self.is_late().is_some() {
            return None;
        }
        if self.hints != Hints::Assert
            && let Ok(outcome) =
                monitor::decide_case(case, &case.ids().collect::<Vec<_>>(), self.effort(case.len()))
        {
            return Some(matches!(outcome.answer, Answer::Violation(_)));
        }
        let switches = Switches::default();
        let problem = self.compile(case, &switches);
        let rungs = Plan::query();
        let ladder = Ladder {
            case,
            problem: &problem,
            ids: &|| case.ids().collect(),
            switches,
            race: None,
            budget: &|| Budget::new(Some(self.deadline), self.memory).watch(self.cancel),
        };
        let climbed = ladder.climb(&rungs.iter().collect::<Vec<_>>());
        let (_, found, _) = climbed.answer.ok()?;
        Some(matches!(found, Found::NotLinearizable { .. }))
    }

    /// Has a different engine from the ones that found the core confirm that it is bad.
    pub(super) fn confirm(&self, case: &Case<'_>) -> Confirmed {
        if self.is_late().is_some() {
            return Confirmed::Unknown;
        }
        let (subject, switches) = (case.subject, Switches::default());
        let problem = self.compile(case, &switches);
        let searcher = Searcher { subject, problem: &problem, switches };
        for engine in [Engine::Breadth, Engine::WgGraph] {
            match searcher.run(engine, &mut self.budget(case.len())) {
                Ok(Found::NotLinearizable { .. }) => return Confirmed::By(engine.name().into()),
                Ok(Found::Linearizable(_)) => return Confirmed::Denied(engine.name()),
                Err(_) => {}
            }
        }
        Confirmed::Unknown
    }

    /// Up to `most` linearizations that end in different states, and those states.
    pub(super) fn linearizations(&self, case: &Case<'_>, most: usize) -> Vec<Ending> {
        if self.is_late().is_some() {
            return Vec::new();
        }
        let (subject, switches) = (case.subject, Switches::default());
        let problem = self.compile(case, &switches);
        let searcher = Searcher { subject, problem: &problem, switches };
        let budget = &mut self.budget(case.len());
        if most > 1
            && let Ok(found) = searcher.linearizations(most, budget)
            && !found.is_empty()
        {
            return found;
        }
        let order = match searcher.run(Engine::JitGraph, &mut self.budget(case.len())) {
            Ok(Found::Linearizable(order)) => Some(order),
            _ => self.order(case),
        };
        let ending = order.and_then(|order| self.state_after(case, &order).map(|s| (order, s)));
        ending.into_iter().collect()
    }

    /// A linearization that a monitor finds.
    fn order(&self, case: &Case<'_>) -> Option<Vec<OpId>> {
        if self.hints == Hints::Assert || self.is_late().is_some() {
            return None;
        }
        let ids: Vec<OpId> = case.ids().collect();
        match monitor::decide_case(case, &ids, self.effort(case.len())).ok()?.answer {
            Answer::Linearizable(order) => {
                order_is_valid(case.timeline(), &order, false).is_ok().then_some(order)
            }
            Answer::Violation(_) => None,
        }
    }

    /// Some results that the pending operation `op` may have: those that it can have along a linearization of the others, at
    /// most `most`, the latest first.
    pub(super) fn some_results(&self, case: &Case<'_>, op: OpId, most: usize) -> Vec<RetId> {
        let order = self.order(case);
        order.and_then(|order| self.results_along(case, &order, op, most)).unwrap_or_default()
    }

    fn results_along(
        &self,
        case: &Case<'_>,
        order: &[OpId],
        op: OpId,
        most: usize,
    ) -> Option<Vec<RetId>> {
        let budget = &mut self.budget(case.len());
        let mut session = case.subject.session();
        let mut states = vec![session.initial(budget).ok()?];
        let called = case.span(op).call;
        let first = order.iter().rposition(|id| case.span(*id).ret < called).map_or(0, |at| at + 1);
        for id in order.iter().take_while(|id| **id != op) {
            let mut next = Vec::new();
            session.step(*states.last()?, case.call(*id), &mut next, budget).ok()?;
            states.push(*next.first()?);
        }
        let (mut results, mut outcomes) = (Vec::new(), Vec::new());
        for state in states.iter().skip(first).rev() {
            session.outcomes(*state, case.op(op), &mut outcomes, budget).ok()?;
            for (ret, _) in outcomes.drain(..) {
                if !results.contains(&ret) {
                    results.push(ret);
                }
            }
            if results.len() >= most {
                break;
            }
        }
        results.truncate(most);
        Some(results)
    }

    /// A state that the order may lead to.
    fn state_after(&self, case: &Case<'_>, order: &[OpId]) -> Option<String> {
        let budget = &mut self.budget(case.len());
        let mut session = case.subject.session();
        let mut states = vec![session.initial(budget).ok()?];
        for id in order {
            let mut next = Vec::new();
            for state in &states {
                budget.step().ok()?;
                session.step(*state, case.call(*id), &mut next, budget).ok()?;
            }
            next.truncate(MAX_STATES);
            states = next;
        }
        states.first().map(|state| session.describe(*state))
    }

    /// The results that `op` can have, at most `most`, and whether the list is complete. `None` if
    /// a limit was hit first or if results cannot be enumerated.
    pub(super) fn results(
        &self,
        case: &Case<'_>,
        op: OpId,
        most: usize,
    ) -> Option<(Vec<RetId>, bool)> {
        if self.is_late().is_some() {
            return None;
        }
        // What the operation would notice depends on its result, which is not fixed here, so no
        // pending operation may be dropped.
        let switches = Switches { drop_idle_pending: false, ..Switches::default() };
        let mut problem = self.compile(case, &switches);
        let tracked = problem.ids.iter().position(|id| *id == op)?;
        problem.tracked = Some(tracked as u32);
        let searcher = Searcher { subject: case.subject, problem: &problem, switches };
        let few = STEPS + STRAIGHT_STEPS_PER_OP * case.len() as u64;
        let budget = &mut self.budget(case.len()).max_steps(few);
        searcher.tracked_results(case.op(op), most, budget).ok()?
    }
}
