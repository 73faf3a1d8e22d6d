//! The engines by name, and running them: alone, or several in competition.

use std::sync::mpsc;

use super::automaton::Automaton;
use super::breadth::{self, Supply, Survey};
use super::depth::{self, Style};
use super::frontier::Choice;
use super::oracle::SpecOracle;
use super::problem::Compiled;
use super::{MoveOrder, Outcome, Stop, Stopped, Switches};
use crate::budget::{Budget, Cancel, Limit};
use crate::history::OpId;
use crate::spec::Spec;

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
    /// Schedules that delay few operations, see [`crate::hitting`]. Not complete: it finds witnesses, and
    /// never says that there is none.
    Hitting,
}

impl Engine {
    /// All that are complete: they decide every history, if there is time and memory.
    pub const ALL: [Engine; 5] =
        [Engine::WgTree, Engine::WgGraph, Engine::JitTree, Engine::JitGraph, Engine::Breadth];

    /// All that can be asked for by name.
    pub const NAMED: [Engine; 6] = [
        Engine::WgTree,
        Engine::WgGraph,
        Engine::JitTree,
        Engine::JitGraph,
        Engine::Breadth,
        Engine::Hitting,
    ];

    /// The name by which it is asked for.
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

    /// The engine of this name.
    pub fn from_name(name: &str) -> Option<Engine> {
        Engine::NAMED.into_iter().find(|e| e.name() == name)
    }

    /// One line about it.
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

/// What an engine found out about a part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Found {
    /// An order of all completed and some pending operations.
    Linearizable(Vec<OpId>),
    /// At most `reached` returns can be explained.
    NotLinearizable { reached: u32 },
}

/// A linearization and the state in which it ends.
pub(crate) type Ending<S> = (Vec<OpId>, <S as Spec>::State);

/// Runs engines on one compiled part.
pub(crate) struct Searcher<'a, S: Spec> {
    pub(crate) spec: &'a S,
    pub(crate) compiled: &'a Compiled<'a, S>,
    pub(crate) switches: Switches,
}

impl<S: Spec> Searcher<'_, S> {
    /// Runs one engine.
    pub(crate) fn run(&self, engine: Engine, budget: &mut Budget<'_>) -> Result<Found, Stopped> {
        let problem = &self.compiled.problem;
        if problem.returns.is_empty() {
            return Ok(Found::Linearizable(Vec::new()));
        }
        Ok(match self.outcome(engine, budget)? {
            Outcome::Linearizable(order) => Found::Linearizable(self.name_ops(&order)),
            Outcome::NotLinearizable { reached } => Found::NotLinearizable { reached },
        })
    }

    fn automaton(&self) -> Automaton<'_> {
        let oracle = Box::new(SpecOracle::new(self.spec, &self.compiled.classes));
        Automaton::new(oracle, self.compiled.classes.len(), self.switches.memoise_steps)
    }

    fn outcome(&self, engine: Engine, budget: &mut Budget<'_>) -> Result<Outcome, Stopped> {
        let (problem, switches) = (&self.compiled.problem, self.switches);
        let automaton = &mut self.automaton();
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
    /// means that even so there is no linearization.
    pub(crate) fn refutes_with_unlimited_pending(
        &self,
        budget: &mut Budget<'_>,
    ) -> Result<Option<u32>, Stopped> {
        let (problem, switches) = (&self.compiled.problem, self.switches);
        let automaton = &mut self.automaton();
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
    ) -> Result<Vec<Ending<S>>, Stopped> {
        let mut oracle = SpecOracle::new(self.spec, &self.compiled.classes);
        let survey = self.survey(&mut oracle, most, budget)?;
        let finish = |(order, state): (Vec<Choice>, u32)| {
            (self.name_ops(&order), oracle.state(state).clone())
        };
        Ok(survey.endings.into_iter().map(finish).collect())
    }

    /// All states in which the watched operation can take effect.
    pub(crate) fn watched_states(&self, budget: &mut Budget<'_>) -> Result<Vec<S::State>, Stopped> {
        let mut oracle = SpecOracle::new(self.spec, &self.compiled.classes);
        let survey = self.survey(&mut oracle, 0, budget)?;
        Ok(survey.watched_in.iter().map(|state| oracle.state(*state).clone()).collect())
    }

    fn survey(
        &self,
        oracle: &mut SpecOracle<'_, S>,
        most: usize,
        budget: &mut Budget<'_>,
    ) -> Result<Survey, Stopped> {
        let (problem, switches) = (&self.compiled.problem, self.switches);
        let classes = self.compiled.classes.len();
        let automaton = &mut Automaton::new(Box::new(oracle), classes, true);
        breadth::survey(problem, automaton, switches, most, budget)
    }

    /// The operations of the history behind the choices: of a pending class, the first use is the
    /// operation that was called first.
    fn name_ops(&self, order: &[Choice]) -> Vec<OpId> {
        let problem = &self.compiled.problem;
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

    /// Runs several engines at once, each in a thread of its own; the first to answer ends the
    /// others. `budget` makes a budget for each that also watches the given flag.
    pub(crate) fn compete<'b>(
        &self,
        engines: &[Engine],
        done: &'b Cancel,
        budget: impl Fn(&'b Cancel) -> Budget<'b> + Sync,
    ) -> Result<(Engine, Found), Stopped> {
        if let [engine] = engines {
            return self.run(*engine, &mut budget(done)).map(|found| (*engine, found));
        }
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

    /// The first answer, or else the most telling reason why there is none.
    fn first_answer(
        &self,
        receive: mpsc::Receiver<(Engine, Result<Found, Stopped>)>,
    ) -> Result<(Engine, Found), Stopped> {
        let mut worst: Option<Stopped> = None;
        for (engine, found) in receive {
            match found {
                Ok(found) => return Ok((engine, found)),
                Err(stopped) => {
                    let telling = |s: &Stopped| match s.stop {
                        Stop::SpecPanicked { .. } => 3,
                        Stop::Limit(Limit::Time) => 2,
                        Stop::Limit(Limit::Cancelled) => 0,
                        Stop::Limit(_) => 1,
                    };
                    let reached = worst.as_ref().map_or(0, |w| w.reached).max(stopped.reached);
                    let mut keep = match worst.take() {
                        Some(w) if telling(&w) >= telling(&stopped) => w,
                        _ => stopped,
                    };
                    keep.reached = reached;
                    worst = Some(keep);
                }
            }
        }
        let nobody = Stopped { stop: Stop::Limit(Limit::Cancelled), reached: 0 };
        Err(worst.unwrap_or(nobody))
    }
}
