//! The engines by name, and running them, alone or in competition.

use std::sync::mpsc;

use super::automaton::Automaton;
use super::breadth::{self, Supply, Survey};
use super::depth::{self, Style};
use super::frontier::Choice;
use super::problem::Problem;
use super::{MoveOrder, Outcome, StateId, Stop, Stopped, Switches};
use crate::budget::{Budget, Cancel, Limit};
use crate::history::OpId;
use crate::plan::UnknownEngine;
use crate::subject::{RetId, Session, Subject};

/// The generic engines.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Engine {
    /// Wing and Gong's tree search.
    WgTree,
    /// Wing and Gong's search with memory.
    WgGraph,
    /// Just-in-time linearization as a tree search.
    JitTree,
    /// Just-in-time linearization with memory.
    JitGraph,
    /// Just-in-time linearization, breadth first.
    Breadth,
    /// Schedules that delay few operations, see [`crate::hitting`]. Not complete: it finds
    /// witnesses, but never refutes.
    Hitting,
}

impl Engine {
    /// All complete engines: they decide every history, given enough time and memory.
    pub const ALL: [Engine; 5] =
        [Engine::WgTree, Engine::WgGraph, Engine::JitTree, Engine::JitGraph, Engine::Breadth];

    /// All engines that can be selected by name.
    pub const NAMED: [Engine; 6] = [
        Engine::WgTree,
        Engine::WgGraph,
        Engine::JitTree,
        Engine::JitGraph,
        Engine::Breadth,
        Engine::Hitting,
    ];

    /// The name that selects it.
    pub fn name(self) -> &'static str {
        match self {
            Engine::WgTree => "wg-tree",
            Engine::WgGraph => "wg-graph",
            Engine::JitTree => "jit-tree",
            Engine::JitGraph => "jit-graph",
            Engine::Breadth => "breadth",
            Engine::Hitting => "hitting",
        }
    }

    /// A one-line description.
    pub fn about(self) -> &'static str {
        match self {
            Engine::WgTree => {
                "Wing-Gong tree search: no memory, fast when lucky, exponential when not"
            }
            Engine::WgGraph => "Wing-Gong graph search: never expands a configuration twice",
            Engine::JitTree => "just-in-time tree search: no memory, effects as late as possible",
            Engine::JitGraph => "just-in-time graph search: the usual choice",
            Engine::Breadth => "breadth-first just-in-time search: robust where there is no order",
            Engine::Hitting => {
                "strong hitting families: witnesses that delay few operations; cannot refute"
            }
        }
    }
}

impl std::str::FromStr for Engine {
    type Err = UnknownEngine;

    fn from_str(name: &str) -> Result<Self, UnknownEngine> {
        let engine = Engine::NAMED.into_iter().find(|engine| engine.name() == name);
        engine.ok_or_else(|| UnknownEngine(name.to_owned()))
    }
}

/// An engine's answer for a part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// An order of all completed and some pending operations.
    Linearizable(Vec<OpId>),
    /// At most `reached` returns can be explained.
    NotLinearizable { reached: u32 },
}

/// A linearization, and its final state as text.
pub(crate) type Ending = (Vec<OpId>, String);

/// Runs engines on one compiled part.
#[derive(Clone, Copy)]
pub(crate) struct Searcher<'a> {
    pub(crate) subject: &'a dyn Subject,
    pub(crate) problem: &'a Problem,
    pub(crate) switches: Switches,
}

impl Searcher<'_> {
    /// Runs one engine.
    pub(crate) fn run(&self, engine: Engine, budget: &mut Budget<'_>) -> Result<Found, Stopped> {
        let problem = self.problem;
        if problem.returns.is_empty() {
            return Ok(Found::Linearizable(Vec::new()));
        }
        Ok(match self.outcome(engine, budget)? {
            Outcome::Linearizable(order) => Found::Linearizable(self.name_ops(&order)),
            Outcome::NotLinearizable { reached } => Found::NotLinearizable { reached },
        })
    }

    fn outcome(&self, engine: Engine, budget: &mut Budget<'_>) -> Result<Outcome, Stopped> {
        let (problem, switches) = (self.problem, self.switches);
        let mut session = self.subject.session();
        let memoise = switches.memoise_steps;
        let automaton = &mut Automaton::new(&mut *session, &problem.classes, memoise);
        let style = |order, remember| Style { order, remember };
        let style = match engine {
            Engine::Breadth => {
                return breadth::search(problem, automaton, switches, Supply::Counted, budget);
            }
            Engine::Hitting => return crate::hitting::run(problem, automaton, budget),
            Engine::WgTree => style(MoveOrder::CallFirst, false),
            Engine::WgGraph => style(MoveOrder::CallFirst, true),
            Engine::JitTree => style(MoveOrder::ReturnFirst, false),
            Engine::JitGraph => style(MoveOrder::ReturnFirst, true),
        };
        depth::search(problem, automaton, style, switches, budget)
    }

    /// Breadth-first search in which pending operations may take effect any number of times. True
    /// means that even then there is no linearization.
    pub(crate) fn refutes_with_unlimited_pending(
        &self,
        budget: &mut Budget<'_>,
    ) -> Result<Option<u32>, Stopped> {
        let (problem, switches) = (self.problem, self.switches);
        let mut session = self.subject.session();
        let memoise = switches.memoise_steps;
        let automaton = &mut Automaton::new(&mut *session, &problem.classes, memoise);
        Ok(match breadth::search(problem, automaton, switches, Supply::Unlimited, budget)? {
            Outcome::Linearizable(_) => None,
            Outcome::NotLinearizable { reached } => Some(reached),
        })
    }

    /// Up to `most` linearizations that end in different states, with those states.
    pub(crate) fn linearizations(
        &self,
        most: usize,
        budget: &mut Budget<'_>,
    ) -> Result<Vec<Ending>, Stopped> {
        let mut session = self.subject.session();
        let survey = self.survey(&mut *session, most, budget)?;
        let finish = |(order, state): (Vec<Choice>, StateId)| {
            (self.name_ops(&order), session.describe(state))
        };
        Ok(survey.endings.into_iter().map(finish).collect())
    }

    /// The possible results of the operation `op` of the subject, which must be
    /// [`Problem::tracked`], without duplicates and at most `most`, and whether the list is
    /// complete. `None` if they cannot be enumerated.
    pub(crate) fn tracked_results(
        &self,
        op: OpId,
        most: usize,
        budget: &mut Budget<'_>,
    ) -> Result<Option<(Vec<RetId>, bool)>, Stopped> {
        let mut session = self.subject.session();
        let survey = self.survey(&mut *session, 0, budget)?;
        let (mut results, mut outcomes) = (Vec::new(), Vec::new());
        for state in survey.tracked_in {
            let stopped = |stop| Stopped { stop, reached: 0 };
            if !session.outcomes(state, op, &mut outcomes, budget).map_err(stopped)? {
                return Ok(None);
            }
            for (ret, _) in outcomes.drain(..) {
                if results.len() >= most {
                    return Ok(Some((results, false)));
                }
                if !results.contains(&ret) {
                    results.push(ret);
                }
            }
        }
        Ok(Some((results, true)))
    }

    fn survey(
        &self,
        session: &mut dyn Session,
        most: usize,
        budget: &mut Budget<'_>,
    ) -> Result<Survey, Stopped> {
        let automaton = &mut Automaton::new(session, &self.problem.classes, true);
        breadth::survey(self.problem, automaton, self.switches, (Supply::Counted, most), budget)
    }

    /// Translates choices to operations of the history. The first use of a pending class is the
    /// operation that was called first.
    fn name_ops(&self, order: &[Choice]) -> Vec<OpId> {
        let problem = self.problem;
        let mut used = vec![0; problem.pending.len()];
        let mut name = |choice: &Choice| match choice.split() {
            Ok(op) => problem.ids[op as usize],
            Err(class) => {
                let count: &mut usize = &mut used[class as usize];
                *count += 1;
                problem.pending[class as usize].ops[*count - 1]
            }
        };
        order.iter().map(&mut name).collect()
    }

    /// Runs several engines in parallel, each on its own thread. The first to answer stops the
    /// others. `budget` makes a budget for each that also checks the given flag.
    pub(crate) fn compete<'b>(
        &self,
        engines: &[Engine],
        done: &'b Cancel,
        budget: impl Fn(&'b Cancel) -> Budget<'b> + Sync,
    ) -> Result<(Engine, Found), Stopped> {
        let (send, receive) = mpsc::channel();
        std::thread::scope(|scope| {
            for &engine in engines {
                let (send, budget) = (send.clone(), &budget);
                scope.spawn(move || {
                    let found = self.run(engine, &mut budget(done));
                    if found.is_ok() {
                        done.cancel();
                    }
                    // The receiver lives until all threads have ended.
                    let _ = send.send((engine, found));
                });
            }
            drop(send);
            self.first_answer(receive)
        })
    }

    /// The first answer, or else the most informative reason why there is none.
    fn first_answer(
        &self,
        receive: mpsc::Receiver<(Engine, Result<Found, Stopped>)>,
    ) -> Result<(Engine, Found), Stopped> {
        let mut worst: Option<Stopped> = None;
        for (engine, found) in receive {
            match found {
                Ok(found) => return Ok((engine, found)),
                Err(stopped) => {
                    let informative = |s: &Stopped| match s.stop {
                        Stop::SpecPanicked { .. } => 3,
                        Stop::Limit(Limit::Time) => 2,
                        Stop::Limit(Limit::Cancelled) => 0,
                        Stop::Limit(_) => 1,
                    };
                    let reached = worst.as_ref().map_or(0, |w| w.reached).max(stopped.reached);
                    let mut keep = match worst.take() {
                        Some(w) if informative(&w) >= informative(&stopped) => w,
                        _ => stopped,
                    };
                    keep.reached = reached;
                    worst = Some(keep);
                }
            }
        }
        let cancelled = Stopped { stop: Stop::Limit(Limit::Cancelled), reached: 0 };
        Err(worst.unwrap_or(cancelled))
    }
}

#[cfg(test)]
mod tests {
    use super::super::problem::{Scratch, compile};
    use super::*;
    use crate::budget::Memory;
    use crate::check::Hints;
    use crate::history::{Extras, History, Interval, Ties};
    use crate::spec::models::{Register, RegisterOp, RegisterRet};
    use crate::split::Split;
    use crate::subject::{Case, Typed};

    /// Reads and writes, some of which never return.
    fn history(rng: &mut fastrand::Rng) -> History<RegisterOp<u32>, RegisterRet<u32>> {
        let mut builder = History::from_intervals(Ties::Concurrent);
        for _ in 0..rng.u32(1..=6) {
            let (start, value) = (rng.u64(..12), rng.u32(..3));
            let (op, ret) = match rng.bool() {
                true => (RegisterOp::Read, RegisterRet::Value(value)),
                false => (RegisterOp::Write(value), RegisterRet::Written),
            };
            let end = (rng.u32(..3) > 0).then(|| start + rng.u64(1..6));
            let (ret, extras) = (Some(ret), Extras::default());
            builder.add(Interval { op, ret, start, end, extras }).expect("a return after its call");
        }
        builder.finish().expect("no process is named")
    }

    /// The planner gets to this tactic only in histories that are too hard for a small search, so
    /// comparing engines tests it rarely.
    #[test]
    fn refuting_with_unlimited_pending_operations_is_sound() {
        let (spec, switches) = (Register { initial: 0 }, Switches::default());
        let (mut rng, memory) = (fastrand::Rng::with_seed(5), Memory::unlimited());
        let (mut refuted, mut linearizable) = (0, 0);
        for round in 0..3_000 {
            let history = history(&mut rng);
            let typed = Typed::new(&spec, &history);
            let case = Case::new(&typed, history.timeline());
            let split = Split::whole(history.timeline());
            let scratch = &mut Scratch::new(&case);
            let problem = compile(&case, split.events(0), Hints::Ignore, &switches, scratch);
            let searcher = Searcher { subject: &typed, problem: &problem, switches };
            let budget = || Budget::new(None, &memory);
            let found = searcher.run(Engine::Breadth, &mut budget()).expect("no limit");
            let is_refuted = searcher.refutes_with_unlimited_pending(&mut budget());
            let is_refuted = is_refuted.expect("no limit").is_some();
            let is_linearizable = matches!(found, Found::Linearizable(_));
            assert!(!(is_refuted && is_linearizable), "round {round}");
            refuted += u32::from(is_refuted && !problem.pending.is_empty());
            linearizable += u32::from(is_linearizable && !problem.pending.is_empty());
        }
        assert!(
            refuted > 50 && linearizable > 50,
            "{refuted} refuted, {linearizable} linearizable"
        );
    }
}
