//! Runs a plan: each part climbs the ladder, all parts in parallel. Cheap tactics run on all parts
//! first, then those with a step limit, then complete ones. The first failing part (in the order of
//! the history, among those that fail at the same stage) stops the rest.

mod ladder;
mod monitored;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::budget::{Budget, Cancel, Limit, Memory, Progress, Searched};
use crate::check::{CheckError, Hints};
use crate::history::OpId;
use crate::plan::{Plan, Rung, Tactic};
use crate::search::{Found, Problem, Scratch, Stop, Switches, compile, guard};
use crate::spec::Refutation;
use crate::split::Split;
use crate::subject::Case;
use crate::verdict::certify::{self, Invalid};

use ladder::others_may_help;
pub(crate) use ladder::{Climbed, Ladder};
pub(crate) use monitored::{Refusals, ask, ask_about_all, effort};

/// The answer for one part.
#[derive(Clone, Debug)]
pub(crate) enum PartAnswer {
    /// A validated order.
    Linearizable(Vec<OpId>),
    /// No order.
    Violation(Evidence),
    Undecided {
        limit: Limit,
        reached: u32,
        returns: u32,
    },
}

/// What is known about a violation.
#[derive(Clone, Debug)]
pub(crate) struct Evidence {
    /// Some order explains this many returns, so none of them is the earliest failure.
    pub(crate) reached: u32,
    /// The specification's own proof, if it has one.
    pub(crate) refutation: Option<Refutation>,
}

/// The answer for one part, and the engine that gave it.
#[derive(Clone, Debug)]
pub(crate) struct PartReport {
    pub(crate) answer: PartAnswer,
    pub(crate) engine: String,
}

/// State shared by the parts of one check.
pub(crate) struct Run<'a> {
    pub(crate) case: &'a Case<'a>,
    pub(crate) split: &'a Split,
    pub(crate) plan: &'a Plan,
    pub(crate) hints: Hints,
    pub(crate) switches: Switches,
    pub(crate) all_failures: bool,
    pub(crate) deadline: Option<Instant>,
    pub(crate) memory: &'a Memory,
    pub(crate) cancel: &'a Cancel,
    pub(crate) steps: &'a AtomicU64,
    pub(crate) certify_nanos: &'a AtomicU64,
    pub(crate) progress: Option<&'a (dyn Fn(Progress) + Sync)>,
    /// The part that is searched, for progress.
    pub(crate) searched: &'a Searched,
    /// Why monitors refused parts.
    pub(crate) refusals: &'a Refusals,
}

/// Easy operations per additional thread.
const OPS_PER_THREAD: usize = 4_000;
impl<'a> Run<'a> {
    /// Decides all parts. Parts after a failing one may be missing.
    pub(crate) fn parts(&self) -> Result<Vec<Option<PartReport>>, CheckError> {
        let count = self.split.len();
        let results: Vec<Mutex<Option<PartReport>>> =
            (0..count).map(|_| Mutex::new(None)).collect();
        let first_failure = AtomicUsize::new(usize::MAX);
        let done = AtomicUsize::new(0);
        let spare = self.plan.threads;
        for (rungs, is_last) in self.stages() {
            if rungs.is_empty() && !is_last {
                continue;
            }
            // One failing part is enough. A hard part before it might never finish.
            if first_failure.load(Ordering::Relaxed) != usize::MAX {
                break;
            }
            let open: Vec<usize> = (0..count).filter(|i| lock(&results[*i]).is_none()).collect();
            let racing = open.len() < spare;
            let each = |part: usize, scratch: &mut Scratch<'a>| -> Result<(), CheckError> {
                if part > first_failure.load(Ordering::Relaxed) && !self.all_failures {
                    return Ok(());
                }
                let report = self.part(part, &rungs, is_last, racing, &first_failure, scratch)?;
                if let Some(report) = report {
                    if matches!(report.answer, PartAnswer::Violation(_)) && !self.all_failures {
                        first_failure.fetch_min(part, Ordering::Relaxed);
                    }
                    *lock(&results[part]) = Some(report);
                    done.fetch_add(1, Ordering::Relaxed);
                }
                Ok(())
            };
            let threads = match is_last {
                true => self.plan.threads,
                // Starting a thread costs as much as deciding a few thousand easy operations.
                false => self.plan.threads.min(1 + self.case.len() / OPS_PER_THREAD),
            };
            self.in_parallel(&open, threads, each, &done)?;
        }
        Ok(results.into_iter().map(|r| r.into_inner().unwrap_or_else(|e| e.into_inner())).collect())
    }

    /// The rungs grouped by cost. All parts pass one stage before any enters the next, so that one
    /// hard part does not starve the rest. The flag marks the last stage.
    fn stages(&self) -> [(Vec<&'a Rung>, bool); 4] {
        let stage = |tactic: &Tactic| match tactic {
            // Handled before the history was split.
            Tactic::Whole => None,
            Tactic::Monitor(_) => Some(0),
            Tactic::Straight(_) | Tactic::Refute => Some(1),
            Tactic::Probe(_) | Tactic::UnlimitedPending => Some(2),
            Tactic::Compete(_) => Some(3),
        };
        let rungs = |number: u8| {
            let here = |rung: &&Rung| stage(&rung.tactic) == Some(number);
            self.plan.rungs().filter(here).collect()
        };
        [(rungs(0), false), (rungs(1), false), (rungs(2), false), (rungs(3), true)]
    }

    /// Calls `each` for all `parts` on this many threads, and the progress callback about ten times
    /// a second.
    fn in_parallel(
        &self,
        parts: &[usize],
        threads: usize,
        each: impl Fn(usize, &mut Scratch<'a>) -> Result<(), CheckError> + Sync,
        done: &AtomicUsize,
    ) -> Result<(), CheckError> {
        let next = AtomicUsize::new(0);
        let failed: Mutex<Option<CheckError>> = Mutex::new(None);
        let work = || {
            let mut scratch = Scratch::new(self.case);
            while let Some(&part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
                if let Err(error) = each(part, &mut scratch) {
                    *lock(&failed) = Some(error);
                    next.store(parts.len(), Ordering::Relaxed);
                }
            }
        };
        let helpers = threads.min(parts.len()).saturating_sub(1);
        if helpers == 0 && self.progress.is_none() {
            work();
        } else {
            let working = AtomicUsize::new(helpers + 1);
            let waiting = std::thread::current();
            let work_and_say_so = || {
                work();
                working.fetch_sub(1, Ordering::Release);
                // Small checks must not wait for the next progress tick.
                waiting.unpark();
            };
            std::thread::scope(|scope| {
                for _ in 0..helpers {
                    scope.spawn(work_and_say_so);
                }
                let Some(progress) = self.progress else { return work() };
                scope.spawn(work_and_say_so);
                while working.load(Ordering::Acquire) > 0 {
                    std::thread::park_timeout(Duration::from_millis(100));
                    let (part, returns, returns_reached) = self.searched.now();
                    progress(Progress {
                        steps: self.steps.load(Ordering::Relaxed),
                        bytes: self.memory.used(),
                        parts_done: done.load(Ordering::Relaxed),
                        parts: self.split.len(),
                        part,
                        returns,
                        returns_reached,
                    });
                }
            });
        }
        match failed.into_inner().unwrap_or_else(|e| e.into_inner()) {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    fn budget<'b>(&'b self, part: usize, first_failure: &'b AtomicUsize) -> Budget<'b> {
        Budget::new(self.deadline, self.memory)
            .watch(self.cancel)
            .unless_failed_before(first_failure, part)
            .count_into(self.steps)
    }

    /// Lets a part climb some rungs. `None` if none of them gave an answer and this is not the last
    /// stage.
    fn part(
        &self,
        part: usize,
        rungs: &[&Rung],
        is_last: bool,
        racing: bool,
        first_failure: &AtomicUsize,
        scratch: &mut Scratch<'a>,
    ) -> Result<Option<PartReport>, CheckError> {
        for rung in rungs {
            if let Tactic::Monitor(monitor) = rung.tactic
                && !self.is_late()
                && let Some(report) = self.monitored(part, monitor)?
            {
                return Ok(Some(report));
            }
        }
        if !is_last && rungs.iter().all(|rung| matches!(rung.tactic, Tactic::Monitor(_))) {
            return Ok(None);
        }
        // Compiling takes time of its own.
        if let Err(limit) = self.budget(part, first_failure).check_now()
            && !others_may_help(limit)
        {
            let answer = PartAnswer::Undecided { limit, reached: 0, returns: 0 };
            let engine = self.plan.steps().last().map_or_else(String::new, Tactic::name);
            return Ok(Some(PartReport { answer, engine }));
        }
        let problem = guard(|| self.compile(part, rungs, scratch))
            .map_err(|message| self.panicked(part, message))?;
        let returns = problem.returns.len() as u32;
        let budget = || self.budget(part, first_failure).report_to(self.searched, part, returns);
        let ids = || self.split.ops(part);
        let switches = self.switches;
        let (done, case) = (Cancel::new(), self.case);
        let race = racing.then_some(&done);
        let climbed =
            Ladder { case, problem: &problem, ids: &ids, switches, race, budget: &budget }
                .climb(rungs);
        self.searched.leave(part);
        scratch.used_up = Some(problem);
        let Climbed { answer, reached } = climbed;
        let report = |answer, engine| Ok(Some(PartReport { answer, engine }));
        match answer {
            Ok((engine, found, refutation)) => {
                let mut answer = self.certified(found, returns)?;
                if let PartAnswer::Violation(evidence) = &mut answer {
                    *evidence = Evidence { reached, refutation };
                }
                report(answer, engine)
            }
            Err(Stop::SpecPanicked { op, message }) => Err(self.panicked_at(op, message)),
            Err(Stop::Limit(limit)) if is_last || !others_may_help(limit) => {
                let answer = PartAnswer::Undecided { limit, reached, returns };
                report(answer, self.plan.steps().last().map_or_else(String::new, Tactic::name))
            }
            Err(Stop::Limit(_)) => Ok(None),
        }
    }

    fn compile(&self, part: usize, rungs: &[&Rung], scratch: &mut Scratch<'a>) -> Problem {
        // A guide costs a pass over the part, so cheap tactics do without.
        let cheap = rungs.iter().any(|rung| matches!(rung.tactic, Tactic::Straight(_)));
        let switches = Switches { guide: self.switches.guide && !cheap, ..self.switches };
        compile(self.case, self.split.events(part), self.hints, &switches, scratch)
    }

    /// Validates an order. An order that cannot be validated within the limits is no answer.
    fn certified(&self, found: Found, returns: u32) -> Result<PartAnswer, CheckError> {
        match found {
            Found::Linearizable(order) => {
                let begin = Instant::now();
                let budget = &mut Budget::new(self.deadline, self.memory).watch(self.cancel);
                let valid = certify::replay_is_legal(self.case, &order, budget);
                let nanos = begin.elapsed().as_nanos() as u64;
                self.certify_nanos.fetch_add(nanos, Ordering::Relaxed);
                match valid {
                    Ok(()) => Ok(PartAnswer::Linearizable(order)),
                    Err(Invalid::Unknown(limit)) => {
                        Ok(PartAnswer::Undecided { limit, reached: returns, returns })
                    }
                    Err(Invalid::Illegal(message)) => Err(CheckError::Internal(message)),
                    Err(Invalid::Panicked(message)) => {
                        Err(self.panicked_at(order.first().copied(), message))
                    }
                }
            }
            Found::NotLinearizable { reached } => {
                Ok(PartAnswer::Violation(Evidence { reached, refutation: None }))
            }
        }
    }

    fn panicked(&self, part: usize, message: String) -> CheckError {
        self.panicked_at(self.split.ops(part).first().copied(), message)
    }

    fn panicked_at(&self, op: Option<OpId>, message: String) -> CheckError {
        let op = op.unwrap_or(OpId(0));
        // `describe_op` is user code too, and may panic.
        let description = guard(|| self.case.describe_op(op));
        let description = description.unwrap_or_else(|_| "an operation".into());
        CheckError::SpecPanicked { op, description, message }
    }
}

/// A poisoned lock only means that another part panicked. The data are intact.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}
