//! Runs scenarios on threads and judges the executions.

use std::sync::Arc;
use std::time::{Duration, Instant};

use linpoint::{Limit, Spec};

use super::breakpoints::{Pace, Points};
use super::collect::{finished, snapshot};
use super::confirm::confirm;
use super::guess::{Guess, Guesser, Order};
use super::interrupters::Interrupters;
use super::manner::Manner;
use super::pool::{Pool, Running};
use super::round::{Batch, Round, ThreadLog};
use super::settings::{Length, Placement, Settings};
use super::summary::{Judged, Summary};
use super::watchdog::{End, Rest, Watch, wait_for_batch};
use crate::definition::Test;
use crate::execution::{Attempt, Coverage, ExecutionOf, Failure, FailureOf, Runner};
use crate::judge::{Fault, Judgement, judge};
use crate::record::sheet::Sheet;
use crate::scenario::Scenario;

/// The target duration of a batch: long enough that waking the threads does not matter, short
/// enough that a failure is found soon.
const BATCH_TIME: Duration = Duration::from_millis(8);
/// The most runs in a batch: their objects are all in memory.
const LARGEST_BATCH: u64 = 512;
/// How long a scenario is repeated.
const LONGEST_ATTEMPT: Duration = Duration::from_millis(500);
/// How long a scenario is repeated if failures are frequent.
const SHORTEST_ATTEMPT: Duration = Duration::from_millis(20);
/// A check that begins at the deadline still has this time.
const SHORTEST_CHECK: Duration = Duration::from_millis(100);
/// The most threads that may be abandoned in operations that wait forever.
const MOST_ABANDONED: usize = 200;

/// Runs scenarios on OS threads, which live as long as the runner.
pub(crate) struct StressRunner<T, S: Spec> {
    settings: Settings,
    /// Nothing is judged after this.
    deadline: Option<Instant>,
    pool: Pool<T, S>,
    interrupters: Interrupters,
    /// Where operations can be stopped, if the system supports it.
    points: Option<Arc<Points>>,
    /// Logs of runs that have been judged, for reuse.
    spare: Vec<Vec<ThreadLog<S>>>,
    /// How batches are disturbed, by turns, and the number of runs in the next batch of each manner.
    turns: Vec<(Manner, u64)>,
    batches: u64,
    guesser: Guesser,
    /// True if operations of the test have waited.
    expects_waits: bool,
    hurry: bool,
    attempt_time: Duration,
}

impl<T: Send + Sync + 'static, S: Spec + Send + 'static> StressRunner<T, S> {
    pub(super) fn new(settings: Settings, deadline: Option<Instant>) -> Self {
        let mixes = settings.placement == Placement::Mixed;
        let points = mixes.then(Points::new).flatten();
        let turns = Manner::turns(&settings, points.is_some());
        let turns = turns.into_iter().map(|manner| (manner, 1)).collect();
        StressRunner {
            settings,
            deadline,
            pool: Pool::new(),
            interrupters: Interrupters::default(),
            points,
            spare: Vec::new(),
            turns,
            batches: 0,
            guesser: Guesser::default(),
            expects_waits: false,
            hurry: false,
            attempt_time: LONGEST_ATTEMPT,
        }
    }

    /// Repeats scenarios no longer than this.
    pub(super) fn attempting_for(self, attempt_time: Duration) -> Self {
        StressRunner { attempt_time, ..self }
    }

    fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The time for shrinking a failure: what is left, but at least a tenth of the limit. Shrinking has no
    /// other deadline.
    pub(super) fn time_to_shrink(&mut self) -> Duration {
        let Settings { shrink_time, time_limit, .. } = self.settings;
        match (self.deadline.take(), time_limit) {
            (Some(deadline), Some(limit)) => {
                let left = deadline.saturating_duration_since(Instant::now());
                shrink_time.min(left.max(limit / 10))
            }
            _ => shrink_time,
        }
    }

    /// Runs a test up to the first failure. Returns the number of the failing run and the failure.
    pub(super) fn campaign(
        &mut self,
        test: &Test<T, S>,
        seed: u64,
        summary: &mut Summary,
    ) -> Option<(u64, FailureOf<S>)> {
        let begin = Instant::now();
        let warm_up = self.settings.warm_up;
        let (runs, end) = match self.settings.length {
            Length::Runs(runs) => (runs, None),
            Length::Time(time) => (u64::MAX, begin.checked_add(time)),
        };
        let all = warm_up.saturating_add(runs);
        let is_over = |run: u64| run >= all || end.is_some_and(|end| Instant::now() >= end);
        let mut run = 0;
        while !is_over(run) && !self.is_late() || run == 0 && all > 0 {
            let is_warm = run >= warm_up;
            let most = if is_warm { all - run } else { warm_up - run };
            let judged = self.batch(test, most, |at| test.draw(seed, run + at));
            run += judged.counts.runs;
            if is_warm {
                summary.add(&judged.counts);
            }
            if let Some(failure) = judged.failure {
                summary.time = begin.elapsed();
                return Some((run - 1, failure));
            }
            if judged.cut {
                break;
            }
        }
        summary.time = begin.elapsed();
        None
    }

    fn round(&mut self, test: &Test<T, S>, scenario: Scenario<S::Op>) -> Round<T, S> {
        let main = scenario.setup.len() + scenario.finally.len();
        // Long enough for all runs, so that logs fit again.
        let longest = test.operation_count();
        let lengths = scenario.threads.iter().map(|ops| ops.len().max(longest)).chain([main]);
        let fits = |logs: &Vec<ThreadLog<S>>| {
            logs.len() == scenario.threads.len() + 1
                && logs.iter().zip(lengths.clone()).all(|(log, length)| log.capacity() >= length)
        };
        let logs = self.spare.pop().filter(fits);
        let logs = logs.unwrap_or_else(|| lengths.map(Sheet::new).collect());
        Round::new(test.make(), scenario, logs)
    }

    /// Runs scenarios, all with the same number of threads, and judges them. There are at most `most`.
    fn batch(
        &mut self,
        test: &Test<T, S>,
        most: u64,
        scenario: impl Fn(u64) -> Scenario<S::Op>,
    ) -> Judged<S::Op, S::Ret> {
        let begin = Instant::now();
        let turn = self.batches as usize % self.turns.len();
        let (manner, size) = self.turns[turn];
        let rounds: Vec<Round<T, S>> =
            (0..size.min(most)).map(|at| self.round(test, scenario(at))).collect();
        self.batches += 1;
        let clock = self.settings.clock.clone();
        let batch = Batch::new(test.clone(), rounds, clock, manner, self.batches << 32);
        let patience = self.patience();
        let running = {
            let cores = self.pool.cores();
            let used = cores.used_by(manner.placement, batch.threads());
            let _interrupted = manner.interrupted.then(|| self.interrupters.interrupt(used, cores));
            let points = self.points.clone().filter(|_| manner.stopped);
            let running = self.pool.start(batch.on_cores(used).stopping_at(points));
            let expects_waits = self.expects_waits || test.unblocks().is_some();
            let watch = Watch { patience, limits: self.settings.limits, expects_waits };
            let end = wait_for_batch(&self.pool, &running, watch);
            (running, end)
        };
        let (running, End { rests, finished }) = running;
        let stops = running.batch().pace.as_ref().map_or(0, Pace::stops);
        self.expects_waits |= !rests.is_empty();
        let mut judged = if finished {
            match running.finished(patience) {
                Ok(batch) => self.judge_all(test, batch.rounds, rests),
                Err(batch) => self.judge_copies(test, &batch, batch.rounds.len(), rests),
            }
        } else {
            self.judge_unfinished(test, running, rests)
        };
        judged.counts.stops += stops as u64;
        let took = begin.elapsed();
        let (_, size) = &mut self.turns[turn];
        if took < BATCH_TIME / 2 {
            *size = (*size * 2).min(LARGEST_BATCH);
        } else if took > BATCH_TIME * 2 {
            *size = (*size / 2).max(1);
        }
        judged
    }

    fn patience(&self) -> Duration {
        let patience = self.settings.patience;
        match self.hurry {
            true => (patience / 10).max(Duration::from_millis(100)).min(patience),
            false => patience,
        }
    }

    /// Judges the runs of a batch that all threads have left.
    fn judge_all(
        &mut self,
        test: &Test<T, S>,
        rounds: Vec<Round<T, S>>,
        rests: Vec<Rest<S::Op, S::Ret>>,
    ) -> Judged<S::Op, S::Ret> {
        let mut judged = Judged::default();
        let mut rests = rests.into_iter().peekable();
        for (number, mut round) in rounds.into_iter().enumerate() {
            if let Some(rest) = rests.next_if(|rest| rest.round == number) {
                judged.add_rest(rest);
                self.reuse(round.logs);
                continue;
            }
            if judged.is_done() || self.is_late() && judged.counts.runs > 0 {
                judged.cut |= !judged.is_done();
                self.reuse(round.logs);
                continue;
            }
            let Order { guess, overlaps, interrupted } =
                self.guesser.guess(test.specification(), &round);
            judged.counts.overlapping += u64::from(overlaps);
            judged.counts.interrupted += interrupted;
            let invalid = test.invalidity(&round.object);
            if guess != Guess::Unknown && invalid.is_none() {
                judged.counts.runs += 1;
                judged.counts.easy += u64::from(guess == Guess::AsReturned);
                judged.counts.operations += round.scenario.len() as u64;
                self.reuse(std::mem::take(&mut round.logs));
                continue;
            }
            let (execution, logs) = finished(test, round);
            self.spare.push(logs);
            self.judge_one(test, execution, invalid, &mut judged);
        }
        judged
    }

    fn reuse(&mut self, mut logs: Vec<ThreadLog<S>>) {
        for log in &mut logs {
            log.drain(|(), _, _, _| ());
        }
        self.spare.push(logs);
    }

    /// Has the checker judge an execution, unless that takes longer than there is time.
    fn judge_one(
        &self,
        test: &Test<T, S>,
        execution: ExecutionOf<S>,
        invalid: Option<String>,
        judged: &mut Judged<S::Op, S::Ret>,
    ) {
        let mut limits = self.settings.limits;
        if let Some(deadline) = self.deadline {
            let left = deadline.saturating_duration_since(Instant::now());
            limits.time = limits.time.min(left.max(SHORTEST_CHECK));
        }
        let mut judgement = judge(test.specification(), &execution, &limits);
        if let (Judgement::Correct, Some(message)) = (&judgement, invalid) {
            judgement = Judgement::Failed(Fault::Invalid(message));
        }
        if judgement == Judgement::Undecided(Limit::Time) && limits.time < self.settings.limits.time
        {
            judged.cut = true;
            return;
        }
        judged.counts.searched += 1;
        judged.add(execution, judgement);
    }

    /// Judges the runs of a batch whose threads are still in the last run that came to rest.
    fn judge_unfinished(
        &mut self,
        test: &Test<T, S>,
        running: Running<T, S>,
        rests: Vec<Rest<S::Op, S::Ret>>,
    ) -> Judged<S::Op, S::Ret> {
        let last = rests.last().map_or(0, |rest| rest.round);
        let batch = running.batch().clone();
        running.stop(&self.pool, last);
        // Threads that only wait at a barrier return immediately.
        let soon = Duration::from_millis(20);
        let patience = if test.unblocks().is_some() { self.patience() } else { soon };
        self.pool.abandon_stuck(running, patience);
        let mut judged = self.judge_copies(test, &batch, last + 1, rests);
        if judged.failure.is_none() && self.pool.abandoned() > MOST_ABANDONED {
            let round = &batch.rounds[last];
            let execution = snapshot(test, round, |_| String::new());
            judged.failure = Some(Failure { execution, fault: Fault::TooManyWaits });
        }
        judged
    }

    /// Judges the first runs of a batch that somebody may still use.
    fn judge_copies(
        &mut self,
        test: &Test<T, S>,
        batch: &Batch<T, S>,
        runs: usize,
        rests: Vec<Rest<S::Op, S::Ret>>,
    ) -> Judged<S::Op, S::Ret> {
        let mut judged = Judged::default();
        let mut rests = rests.into_iter().peekable();
        for (number, round) in batch.rounds[..runs].iter().enumerate() {
            if let Some(rest) = rests.next_if(|rest| rest.round == number) {
                judged.add_rest(rest);
            } else if !judged.is_done() {
                self.judge_one(test, snapshot(test, round, |_| String::new()), None, &mut judged);
            }
        }
        judged
    }
}

impl<T: Send + Sync + 'static, S: Spec + Send + 'static> Runner<T, S> for StressRunner<T, S> {
    fn describe(&self) -> String {
        format!("stress on OS threads; {}", self.settings.clock.describe())
    }

    fn mode(&self) -> &'static str {
        "stress"
    }

    fn hurry(&mut self, hurry: bool) {
        self.hurry = hurry;
        self.attempt_time = LONGEST_ATTEMPT;
    }

    fn confirm(&mut self, test: &Test<T, S>, scenario: &Scenario<S::Op>) -> Option<String> {
        if self.settings.shrink_time.is_zero() {
            return None;
        }
        let settings = Settings { patience: self.settings.patience / 10, ..self.settings.clone() };
        Some(confirm(&settings, test, scenario, LONGEST_ATTEMPT))
    }

    /// Schedules of OS threads cannot be repeated, so this tries longer than [`Runner::attempt`].
    fn replay(
        &mut self,
        test: &Test<T, S>,
        scenario: &Scenario<S::Op>,
        _schedule: Option<&str>,
    ) -> Attempt<S::Op, S::Ret> {
        const ATTEMPTS: u32 = 20;
        let mut executions = 0;
        let mut attempts = 0;
        loop {
            let attempt = self.attempt(test, scenario);
            executions += attempt.executions;
            attempts += 1;
            if attempt.failure.is_some() || attempts == ATTEMPTS {
                return Attempt { executions, ..attempt };
            }
        }
    }

    /// Repeats the scenario for a while, or until it fails.
    fn attempt(&mut self, test: &Test<T, S>, scenario: &Scenario<S::Op>) -> Attempt<S::Op, S::Ret> {
        let begin = Instant::now();
        let mut attempt =
            Attempt { executions: 0, failure: None, undecided: 0, coverage: Coverage::Sampled };
        // If nothing releases threads that wait, each wait costs a thread.
        let enough = if test.unblocks().is_some() { u64::MAX } else { 3 };
        let mut waits = 0;
        for (_, size) in &mut self.turns {
            *size = 1;
        }
        while (begin.elapsed() < self.attempt_time || attempt.executions < 10) && waits < enough {
            let judged = self.batch(test, u64::MAX, |_| scenario.clone());
            attempt.executions += judged.counts.runs;
            waits += judged.counts.waits;
            attempt.failure = judged.failure;
            if attempt.failure.is_some() {
                // A candidate that fails as often needs as long; one that fails much more rarely is
                // not worth more.
                self.attempt_time = (begin.elapsed() * 20).clamp(SHORTEST_ATTEMPT, LONGEST_ATTEMPT);
                break;
            }
        }
        attempt
    }
}
