//! Runs scenarios on threads and judges the executions.

use std::time::{Duration, Instant};

use linpoint::Spec;

use super::Summary;
use super::collect::{finished, snapshot};
use super::confirm::confirm;
use super::guess::{Guess, Guesser};
use super::pool::Pool;
use super::round::{Batch, Padded, Round, ThreadLog};
use super::settings::Settings;
use super::watchdog::{End, Rest, wait_for_batch};
use crate::definition::Test;
use crate::execution::{Attempt, Coverage, Execution, ExecutionOf, Failure, FailureOf, Runner};
use crate::judge::{Fault, Judgement, judge};
use crate::record::sheet::Sheet;
use crate::scenario::Scenario;

/// The target duration of a batch: long enough that waking the threads does not matter, short
/// enough that a failure is found soon.
const BATCH_TIME: Duration = Duration::from_millis(4);
/// The most runs in a batch: their objects are all in memory.
const LARGEST_BATCH: u64 = 512;
/// How long a scenario is repeated.
const LONGEST_ATTEMPT: Duration = Duration::from_millis(500);
/// How long a scenario is repeated if failures are frequent.
const SHORTEST_ATTEMPT: Duration = Duration::from_millis(20);
/// The most threads that may be abandoned in operations that wait forever.
const MOST_ABANDONED: usize = 200;

/// Runs scenarios on OS threads, which live as long as the runner.
pub(crate) struct StressRunner<T, S: Spec> {
    settings: Settings,
    pool: Pool<T, S>,
    /// Logs of runs that have been judged, for reuse.
    spare: Vec<Vec<ThreadLog<S>>>,
    /// Runs in the next batch.
    batch: u64,
    batches: u64,
    guesser: Guesser,
    hurry: bool,
    attempt_time: Duration,
}

/// The outcome of a batch.
struct Judged<O, R> {
    /// The number of runs, up to the first that failed.
    runs: u64,
    operations: u64,
    waits: u64,
    easy: u64,
    searched: u64,
    failure: Option<Failure<O, R>>,
}

impl<T: Send + Sync + 'static, S: Spec + Send + 'static> StressRunner<T, S> {
    pub(super) fn new(settings: Settings) -> Self {
        let pool = Pool::new(settings.placement);
        StressRunner {
            settings,
            pool,
            spare: Vec::new(),
            batch: 1,
            batches: 0,
            guesser: Guesser::default(),
            hurry: false,
            attempt_time: LONGEST_ATTEMPT,
        }
    }

    /// Runs a test up to the first failure. Returns the number of the failing run and the failure.
    pub(super) fn campaign(
        &mut self,
        test: &Test<T, S>,
        seed: u64,
        deadline: Option<Instant>,
        summary: &mut Summary,
    ) -> Option<(u64, FailureOf<S>)> {
        let begin = Instant::now();
        let mut run = 0;
        let warm_up = self.settings.warm_up;
        let all = warm_up.saturating_add(self.settings.runs);
        while run < all && deadline.is_none_or(|deadline| run == 0 || Instant::now() < deadline) {
            let is_warm = run >= warm_up;
            let size = self.batch.min(if is_warm { all - run } else { warm_up - run });
            let judged = self.batch(test, size, |at| test.draw(seed, run + at));
            run += judged.runs;
            if is_warm {
                summary.runs += judged.runs;
                summary.operations += judged.operations;
                summary.waits += judged.waits;
                summary.easy += judged.easy;
                summary.searched += judged.searched;
            }
            if let Some(failure) = judged.failure {
                summary.time = begin.elapsed();
                return Some((run - 1, failure));
            }
        }
        None
    }

    fn round(&mut self, test: &Test<T, S>, scenario: Scenario<S::Op>) -> Round<T, S> {
        let main = scenario.setup.len() + scenario.finally.len();
        let lengths = scenario.threads.iter().map(Vec::len).chain([main]);
        let fits = |logs: &Vec<ThreadLog<S>>| {
            logs.len() == scenario.threads.len() + 1
                && logs.iter().zip(lengths.clone()).all(|(log, length)| log.capacity() >= length)
        };
        let logs = self.spare.pop().filter(fits);
        let logs = logs.unwrap_or_else(|| lengths.map(Sheet::new).collect());
        Round::new(test.make(), scenario, logs)
    }

    /// Runs scenarios, all with the same number of threads, and judges them.
    fn batch(
        &mut self,
        test: &Test<T, S>,
        size: u64,
        scenario: impl Fn(u64) -> Scenario<S::Op>,
    ) -> Judged<S::Op, S::Ret> {
        let begin = Instant::now();
        let rounds: Vec<Round<T, S>> = (0..size).map(|at| self.round(test, scenario(at))).collect();
        let threads = rounds.first().map_or(0, |round| round.scenario.threads.len());
        self.batches += 1;
        let batch = Batch {
            test: test.clone(),
            rounds,
            clock: self.settings.clock.clone(),
            noise: self.settings.noise,
            seed: self.batches << 32,
            stop: false.into(),
            current_rounds: (0..threads).map(|_| Padded::default()).collect(),
        };
        let running = self.pool.start(batch);
        let Settings { mut patience, limits, .. } = self.settings;
        if self.hurry {
            patience = (patience / 10).max(Duration::from_millis(100)).min(patience);
        }
        let judged = match wait_for_batch(&self.pool, &running, patience, &limits) {
            End::Finished => {
                let Some(batch) = running.finished() else {
                    unreachable!("threads that have finished have dropped the batch")
                };
                self.judge_all(test, batch)
            }
            End::AtRest(rest) => {
                let Rest { round, execution, judgement } = *rest;
                let before = running.batch().rounds[..round].iter();
                let before: Vec<_> =
                    before.map(|round| snapshot(round, |_| String::new())).collect();
                running.stop(round);
                // Threads that only wait at a barrier return immediately.
                let soon = Duration::from_millis(20);
                let patience = if test.unblocks().is_some() { patience } else { soon };
                self.pool.abandon_stuck(running, patience);
                self.judge_at_rest(test, before, execution, judgement)
            }
        };
        let took = begin.elapsed();
        if took < BATCH_TIME / 2 {
            self.batch = (self.batch * 2).min(LARGEST_BATCH);
        } else if took > BATCH_TIME * 2 {
            self.batch = (self.batch / 2).max(1);
        }
        judged
    }

    fn judge_all(&mut self, test: &Test<T, S>, batch: Batch<T, S>) -> Judged<S::Op, S::Ret> {
        let mut judged = Judged::default();
        for mut round in batch.rounds {
            let guess = match judged.failure {
                None => self.guesser.guess(test.specification(), &round),
                Some(_) => Guess::Unknown,
            };
            if guess != Guess::Unknown {
                judged.runs += 1;
                judged.easy += u64::from(guess == Guess::AsReturned);
                judged.operations += round.scenario.len() as u64;
                for log in &mut round.logs {
                    log.drain(|(), _, _, _| ());
                }
                self.spare.push(std::mem::take(&mut round.logs));
                continue;
            }
            let (execution, logs) = finished(round);
            self.spare.push(logs);
            if judged.failure.is_none() {
                judged.searched += 1;
                let judgement = judge(test.specification(), &execution, &self.settings.limits);
                judged.add(execution, judgement);
            }
        }
        judged
    }

    /// Judges the runs before the one that came to rest first.
    fn judge_at_rest(
        &mut self,
        test: &Test<T, S>,
        before: Vec<ExecutionOf<S>>,
        execution: ExecutionOf<S>,
        judgement: Judgement,
    ) -> Judged<S::Op, S::Ret> {
        let mut judged = Judged::default();
        for execution in before {
            if judged.failure.is_none() {
                judged.searched += 1;
                let judgement = judge(test.specification(), &execution, &self.settings.limits);
                judged.add(execution, judgement);
            }
        }
        let crowded = self.pool.abandoned() > MOST_ABANDONED;
        if judged.failure.is_none() {
            judged.waits += 1;
            let judgement = match judgement {
                Judgement::Correct if crowded => Judgement::Failed(Fault::TooManyWaits),
                judgement => judgement,
            };
            judged.add(execution, judgement);
        }
        judged
    }
}

impl<O, R> Default for Judged<O, R> {
    fn default() -> Self {
        Judged { runs: 0, operations: 0, waits: 0, easy: 0, searched: 0, failure: None }
    }
}

impl<O, R> Judged<O, R> {
    fn add(&mut self, execution: Execution<O, R>, judgement: Judgement) {
        self.runs += 1;
        self.operations += execution.history.len() as u64;
        let fault = match judgement {
            Judgement::Correct => return,
            Judgement::Failed(fault) => fault,
            Judgement::Undecided(limit) => Fault::Undecided(limit),
        };
        self.failure = Some(Failure { execution, fault });
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
        Some(confirm(&settings, test, scenario))
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
        // A scenario that waits every time is known after a few executions.
        let mut waits = 0;
        self.batch = 1;
        while (begin.elapsed() < self.attempt_time || attempt.executions < 10) && waits < 3 {
            let judged = self.batch(test, self.batch, |_| scenario.clone());
            attempt.executions += judged.runs;
            waits += judged.waits;
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
