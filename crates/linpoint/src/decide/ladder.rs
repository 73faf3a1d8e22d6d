//! Climbs the rungs of a plan with one compiled part, both for checks and for queries of
//! explanations.

use crate::budget::{Budget, Cancel, Limit};
use crate::history::OpId;
use crate::plan::{Rung, Tactic};
use crate::search::{Engine, Found, Problem, Searcher, Stop, Stopped, Switches};
use crate::spec::Refutation;
use crate::subject::{Case, guard};

/// On a single thread, engines take turns: this many steps first, then twice as many, and so on.
const FIRST_TURN: u64 = 1 << 18;

/// Memory for searching with unlimited pending operations. With values that are appended to, there is no end of states, and a
/// step limit alone does not bound their size.
const RELAXATION_BYTES: usize = 1 << 28;

/// A part, and everything needed to climb.
pub(crate) struct Ladder<'a> {
    pub(crate) case: &'a Case<'a>,
    pub(crate) problem: &'a Problem,
    /// The operations of the part.
    pub(crate) ids: &'a dyn Fn() -> Vec<OpId>,
    pub(crate) switches: Switches,
    /// Set if competing engines may run on threads of their own. The first to answer cancels the
    /// rest with it.
    pub(crate) race: Option<&'a Cancel>,
    /// Creates a budget without a step limit.
    pub(crate) budget: &'a (dyn Fn() -> Budget<'a> + Sync),
}

/// How a climb ended.
pub(crate) struct Climbed {
    /// The engine, what it found, and for a violation the specification's own proof, if there is
    /// one.
    pub(crate) answer: Result<(String, Found, Option<Refutation>), Stop>,
    /// Some order explains this many returns.
    pub(crate) reached: u32,
}

impl<'a> Ladder<'a> {
    /// Climbs these rungs. Skips monitors, which need no compiled part.
    pub(crate) fn climb(&self, rungs: &[&Rung]) -> Climbed {
        let mut reached = 0;
        let mut stop = Stop::Limit(Limit::Steps);
        for rung in rungs {
            let is_relaxation = rung.tactic == Tactic::UnlimitedPending;
            match self.try_rung(rung) {
                Ok(None) => {}
                Ok(Some((engine, found, refutation))) => {
                    if let Found::NotLinearizable { reached: got } = found
                        && !is_relaxation
                    {
                        reached = reached.max(got);
                    }
                    // The specification's own proof is more informative than a failed search.
                    let wants_proof = matches!(found, Found::NotLinearizable { .. })
                        && rungs.iter().any(|rung| rung.tactic == Tactic::Refute);
                    let refutation = match refutation {
                        None if wants_proof => match self.refutation() {
                            Ok(refutation) => refutation,
                            Err(stop) => return Climbed { answer: Err(stop), reached },
                        },
                        refutation => refutation,
                    };
                    return Climbed { answer: Ok((engine, found, refutation)), reached };
                }
                Err(stopped) => {
                    // Progress on a relaxation says nothing about the history itself.
                    if !is_relaxation {
                        reached = reached.max(stopped.reached);
                    }
                    stop = stopped.stop;
                    let may_go_on = matches!(&stop, Stop::Limit(limit) if others_may_help(*limit));
                    if !may_go_on {
                        break;
                    }
                }
            }
        }
        Climbed { answer: Err(stop), reached }
    }

    /// An obvious contradiction, if the specification finds one.
    fn refutation(&self) -> Result<Option<Refutation>, Stop> {
        let ids = (self.ids)();
        let found =
            guard(|| self.case.subject.refute(&self.case.rows(&ids))).map_err(|message| {
                Stop::SpecPanicked { op: ids.first().map(|id| self.case.op(*id)), message }
            })?;
        let process = |op| self.case.extras(op).process;
        Ok(found.map(|Refutation { ops, reason }| Refutation {
            ops,
            reason: reason.with_processes(process),
        }))
    }

    fn try_rung(
        &self,
        rung: &Rung,
    ) -> Result<Option<(String, Found, Option<Refutation>)>, Stopped> {
        let Ladder { case, problem, switches, .. } = *self;
        let searcher = Searcher { subject: case.subject, problem, switches };
        let steps = rung.limit(problem.ids.len());
        let budget = || (self.budget)().max_steps(steps);
        let found = |engine: &str, found| Some((engine.to_owned(), found, None));
        match &rung.tactic {
            Tactic::Whole | Tactic::Monitor(_) => Ok(None),
            Tactic::Refute => {
                let stopped = |stop| Stopped { stop, reached: 0 };
                let refutation = self.refutation().map_err(stopped)?;
                let contradicted = Found::NotLinearizable { reached: 0 };
                Ok(refutation.map(|proof| (rung.tactic.name(), contradicted, Some(proof))))
            }
            Tactic::Straight(engine) | Tactic::Probe(engine) => {
                Ok(found(engine.name(), searcher.run(*engine, &mut budget())?))
            }
            Tactic::UnlimitedPending if problem.pending.is_empty() => Ok(None),
            Tactic::UnlimitedPending => {
                let budget = &mut budget().max_bytes(RELAXATION_BYTES).silent();
                let refuted = searcher.refutes_with_unlimited_pending(budget)?;
                let name = rung.tactic.name();
                Ok(refuted.map(|reached| (name, Found::NotLinearizable { reached }, None)))
            }
            Tactic::Compete(engines) => {
                let (engine, answer) = match (self.race, &engines[..]) {
                    (_, [engine]) => (*engine, searcher.run(*engine, &mut budget())?),
                    (Some(done), _) => {
                        let budget = |done| (self.budget)().max_steps(steps).watch(done);
                        searcher.compete(engines, done, budget)?
                    }
                    (None, _) => self.take_turns(engines, &searcher)?,
                };
                Ok(found(engine.name(), answer))
            }
        }
    }

    /// Runs competing engines on one thread, in turn, with a step limit that doubles.
    fn take_turns(
        &self,
        engines: &[Engine],
        searcher: &Searcher<'_>,
    ) -> Result<(Engine, Found), Stopped> {
        let mut alive = engines.to_vec();
        let mut turn = FIRST_TURN;
        let mut reached = 0;
        let mut ended = None;
        while !alive.is_empty() {
            let mut still_alive = Vec::new();
            for engine in alive {
                match searcher.run(engine, &mut (self.budget)().max_steps(turn)) {
                    Ok(found) => return Ok((engine, found)),
                    Err(s) if s.stop == Stop::Limit(Limit::Steps) => {
                        reached = s.reached.max(reached);
                        still_alive.push(engine);
                    }
                    // Another engine may need less memory, or may not have this bound.
                    Err(s) if matches!(s.stop, Stop::Limit(limit) if others_may_help(limit)) => {
                        reached = s.reached.max(reached);
                        ended = Some(s);
                    }
                    Err(s) => return Err(Stopped { reached: s.reached.max(reached), ..s }),
                }
            }
            alive = still_alive;
            turn = turn.saturating_mul(2);
        }
        let stop = Stop::Limit(Limit::Memory);
        let stopped = ended.unwrap_or(Stopped { stop, reached });
        Err(Stopped { reached, ..stopped })
    }
}

/// True if the limit applies to the engine rather than to the check.
pub(super) fn others_may_help(limit: Limit) -> bool {
    matches!(limit, Limit::Steps | Limit::Memory | Limit::Depth)
}
