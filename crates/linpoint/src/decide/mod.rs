//! Running a plan: each part goes down the ladder, all parts in parallel. Cheap tactics come first on
//! all parts, then those with a limit on steps, then complete ones; the first failing part (in the
//! order of the history, among those that fail at one stage) ends the rest.

mod monitored;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::budget::{Budget, Cancel, Limit, Memory, Progress};
use crate::check::{CheckError, Hints};
use crate::history::OpId;
use crate::monitor::Refusal;
use crate::plan::{Plan, Tactic};
use crate::search::{
    Engine, Found, Problem, Scratch, Searcher, Stop, Stopped, Switches, compile, guard,
};
use crate::spec::Refutation;
use crate::split::Split;
use crate::subject::Case;
use crate::verdict::certify::{self, Invalid};

pub(crate) use monitored::{Refusals, ask, ask_about_all};

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
    /// Some order explains the first so many returns; so none of them is the earliest failure.
    pub(crate) reached: u32,
    /// The specification's own proof, if it has one.
    pub(crate) refutation: Option<Refutation>,
}

/// The answer for one part, and who gave it.
#[derive(Clone, Debug)]
pub(crate) struct PartReport {
    pub(crate) answer: PartAnswer,
    pub(crate) engine: String,
}

/// Everything that is shared by the parts of one check.
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
    /// Why the monitor refused the history before it was split, if it was asked and did.
    pub(crate) refused_whole: Option<&'a Refusal>,
    /// Why monitors refused parts.
    pub(crate) refusals: &'a Refusals,
}

/// Easy operations for which a further thread is worth while.
const OPS_PER_THREAD: usize = 4_000;
/// A straight run may take this many steps, and so many more for each operation.
const STRAIGHT_STEPS: u64 = 1_000;
const STRAIGHT_STEPS_PER_OP: u64 = 2;
/// A probe may take this many steps, and so many more for each operation.
const PROBE_STEPS: u64 = 20_000;
const PROBE_STEPS_PER_OP: u64 = 16;
/// The search with unlimited pending operations may take this many times more.
const UNLIMITED_FACTOR: u64 = 64;
/// Without a second thread, engines take turns with this many steps, then twice as many, …
const FIRST_TURN: u64 = 1 << 18;

impl<'a> Run<'a> {
    /// Decides all parts. A part after a failing one may be missing.
    pub(crate) fn parts(&self) -> Result<Vec<Option<PartReport>>, CheckError> {
        let count = self.split.len();
        let results: Vec<Mutex<Option<PartReport>>> =
            (0..count).map(|_| Mutex::new(None)).collect();
        let first_failure = AtomicUsize::new(usize::MAX);
        let done = AtomicUsize::new(0);
        let spare = self.plan.threads;
        for (tactics, is_last) in self.stages() {
            if tactics.is_empty() && !is_last {
                continue;
            }
            // One failing part is enough: a hard part before it might take for ever.
            if first_failure.load(Ordering::Relaxed) != usize::MAX {
                break;
            }
            let open: Vec<usize> = (0..count).filter(|i| lock(&results[*i]).is_none()).collect();
            let racing = open.len() < spare;
            let each = |part: usize, scratch: &mut Scratch<'a>| -> Result<(), CheckError> {
                if part > first_failure.load(Ordering::Relaxed) && !self.all_failures {
                    return Ok(());
                }
                let report = self.part(part, &tactics, is_last, racing, &first_failure, scratch)?;
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

    /// The tactics by what they cost: all parts pass one stage before any enters the next, so that one
    /// hard part does not starve the others. With each, whether it is the last.
    fn stages(&self) -> [(Vec<&'a Tactic>, bool); 4] {
        let stage = |tactic: &Tactic| match tactic {
            Tactic::Monitor(_) => 0,
            Tactic::Straight(_) | Tactic::Refute => 1,
            Tactic::Probe(_) | Tactic::UnlimitedPending => 2,
            Tactic::Compete(_) => 3,
        };
        let of = |number: u8| self.plan.steps().filter(|tactic| stage(tactic) == number).collect();
        [(of(0), false), (of(1), false), (of(2), false), (of(3), true)]
    }

    /// Calls `each` for all `parts` on so many threads, and the progress callback now and then.
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
                // Small checks must not wait for the next look at the clock.
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
                    progress(Progress {
                        steps: self.steps.load(Ordering::Relaxed),
                        bytes: self.memory.used(),
                        parts_done: done.load(Ordering::Relaxed),
                        parts: self.split.len(),
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

    /// Sends a part down the ladder; `None` if no tactic had an answer and this is not the last.
    fn part(
        &self,
        part: usize,
        tactics: &[&Tactic],
        is_last: bool,
        racing: bool,
        first_failure: &AtomicUsize,
        scratch: &mut Scratch<'a>,
    ) -> Result<Option<PartReport>, CheckError> {
        for tactic in tactics {
            if let Tactic::Monitor(monitor) = tactic
                && !self.is_late()
                && let Some(report) = self.monitored(part, *monitor)?
            {
                return Ok(Some(report));
            }
        }
        if !is_last && tactics.iter().all(|t| matches!(t, Tactic::Monitor(_))) {
            return Ok(None);
        }
        let problem = guard(|| self.compile(part, tactics, scratch))
            .map_err(|message| self.panicked(part, message))?;
        let report = self.ladder(part, tactics, is_last, racing, first_failure, &problem);
        scratch.used_up = Some(problem);
        report
    }

    fn ladder(
        &self,
        part: usize,
        tactics: &[&Tactic],
        is_last: bool,
        racing: bool,
        first_failure: &AtomicUsize,
        problem: &Problem,
    ) -> Result<Option<PartReport>, CheckError> {
        let report = |answer, engine: String| Ok(Some(PartReport { answer, engine }));
        let searcher = Searcher { subject: self.case.subject, problem, switches: self.switches };
        let mut stopped = Stopped { stop: Stop::Limit(Limit::Steps), reached: 0 };
        for tactic in tactics {
            if matches!(tactic, Tactic::Monitor(_)) {
                continue;
            }
            if **tactic == Tactic::Refute {
                let refutation = self.refutation(part)?;
                if refutation.is_some() {
                    let evidence = Evidence { reached: stopped.reached, refutation };
                    return report(PartAnswer::Violation(evidence), tactic.name());
                }
                continue;
            }
            match self.apply(tactic, &searcher, part, racing, first_failure) {
                Ok(Some((engine, found))) => {
                    let mut answer = self.certified(found)?;
                    if let PartAnswer::Violation(evidence) = &mut answer {
                        if **tactic == Tactic::UnlimitedPending {
                            // How far a relaxation gets says nothing about the history itself.
                            evidence.reached = 0;
                        }
                        evidence.reached = evidence.reached.max(stopped.reached);
                        // The specification's own words say more than a search does.
                        if tactics.contains(&&Tactic::Refute) {
                            evidence.refutation = self.refutation(part)?;
                        }
                    }
                    return report(answer, engine);
                }
                Ok(None) => {}
                Err(stop) => {
                    if let Stop::SpecPanicked { op, message } = stop.stop {
                        return Err(self.panicked_at(op, message));
                    }
                    let got = if **tactic == Tactic::UnlimitedPending { 0 } else { stop.reached };
                    stopped = Stopped { reached: stopped.reached.max(got), ..stop };
                    if !others_may_help(&stopped.stop) {
                        break;
                    }
                }
            }
        }
        let Stop::Limit(limit) = stopped.stop else { return Ok(None) };
        if !is_last && others_may_help(&stopped.stop) {
            return Ok(None);
        }
        let returns = problem.returns.len() as u32;
        let answer = PartAnswer::Undecided { limit, reached: stopped.reached, returns };
        report(answer, self.plan.steps().last().map_or_else(String::new, Tactic::name))
    }

    fn compile(
        &self,
        part: usize,
        tactics: &[&Tactic],
        scratch: &mut Scratch<'a>,
    ) -> Problem {
        // A guide costs a pass over the part; cheap tactics go without.
        let cheap = tactics.iter().any(|t| matches!(t, Tactic::Straight(_)));
        let switches = Switches { guide: self.switches.guide && !cheap, ..self.switches };
        let events = self.split.events(part);
        compile(self.case, events, self.hints, &switches, scratch)
    }

    /// An obvious contradiction, if the specification sees one.
    fn refutation(&self, part: usize) -> Result<Option<Refutation>, CheckError> {
        let ids = self.split.ops(part);
        guard(|| self.case.subject.refute(&self.case.rows(&ids)))
            .map_err(|message| self.panicked(part, message))
    }

    fn apply(
        &self,
        tactic: &Tactic,
        searcher: &Searcher<'_>,
        part: usize,
        racing: bool,
        first_failure: &AtomicUsize,
    ) -> Result<Option<(String, Found)>, Stopped> {
        let problem = searcher.problem;
        let budget = || self.budget(part, first_failure);
        let probe_steps = PROBE_STEPS + PROBE_STEPS_PER_OP * problem.ids.len() as u64;
        let named = |engine: Engine, found| Some((engine.name().to_owned(), found));
        match tactic {
            // Asked elsewhere: they need no compiled part.
            Tactic::Monitor(_) | Tactic::Refute => Ok(None),
            Tactic::Straight(engine) => {
                let steps = STRAIGHT_STEPS + STRAIGHT_STEPS_PER_OP * problem.ids.len() as u64;
                let found = searcher.run(*engine, &mut budget().max_steps(steps))?;
                Ok(named(*engine, found))
            }
            Tactic::Probe(engine) => {
                let found = searcher.run(*engine, &mut budget().max_steps(probe_steps))?;
                Ok(named(*engine, found))
            }
            Tactic::UnlimitedPending => {
                if problem.pending.is_empty() {
                    return Ok(None);
                }
                let mut budget = budget().max_steps(probe_steps * UNLIMITED_FACTOR);
                let refuted = searcher.refutes_with_unlimited_pending(&mut budget)?;
                let name = tactic.name();
                Ok(refuted.map(|reached| (name, Found::NotLinearizable { reached })))
            }
            Tactic::Compete(engines) if racing || engines.len() == 1 => {
                let done = Cancel::new();
                let budget = |done| self.budget(part, first_failure).watch(done);
                let (engine, found) = searcher.compete(engines, &done, budget)?;
                Ok(named(engine, found))
            }
            Tactic::Compete(engines) => self.take_turns(engines, searcher, budget),
        }
    }

    /// Engines in competition on one thread: each in turn with a limit on steps that doubles.
    fn take_turns<'b>(
        &self,
        engines: &[Engine],
        searcher: &Searcher<'_>,
        budget: impl Fn() -> Budget<'b>,
    ) -> Result<Option<(String, Found)>, Stopped> {
        let mut alive = engines.to_vec();
        let mut turn = FIRST_TURN;
        let mut reached = 0;
        let mut ended = None;
        while !alive.is_empty() {
            let mut still_alive = Vec::new();
            for engine in alive {
                match searcher.run(engine, &mut budget().max_steps(turn)) {
                    Ok(found) => return Ok(Some((engine.name().to_owned(), found))),
                    Err(s) if s.stop == Stop::Limit(Limit::Steps) => {
                        reached = s.reached.max(reached);
                        still_alive.push(engine);
                    }
                    // Another engine may need less memory, or know no such bound.
                    Err(s) if others_may_help(&s.stop) => {
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

    /// Validates an order.
    fn certified(&self, found: Found) -> Result<PartAnswer, CheckError> {
        match found {
            Found::Linearizable(order) => {
                let begin = Instant::now();
                certify::replay_is_legal(self.case, &order).map_err(|invalid| match invalid {
                    Invalid::Illegal(message) => CheckError::Internal(message),
                    Invalid::Panicked(message) => {
                        self.panicked_at(order.first().copied(), message)
                    }
                })?;
                let nanos = begin.elapsed().as_nanos() as u64;
                self.certify_nanos.fetch_add(nanos, Ordering::Relaxed);
                Ok(PartAnswer::Linearizable(order))
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
        // Describing the operation is the user's code too.
        let description = guard(|| self.case.describe_op(op));
        let description = description.unwrap_or_else(|_| "an operation".into());
        CheckError::SpecPanicked { op, description, message }
    }
}

/// True if the limit is one of the engine rather than of the check.
fn others_may_help(stop: &Stop) -> bool {
    matches!(stop, Stop::Limit(Limit::Steps | Limit::Memory | Limit::Depth))
}

/// A poisoned lock only means that some other part failed; its data are whole.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}
