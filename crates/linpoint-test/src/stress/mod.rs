//! Stress: threads of the operating system perform random operations, again and again, and every run is
//! checked.
//!
//! ```
//! use std::sync::atomic::{AtomicI64, Ordering};
//! use linpoint_test::Stress;
//! use linpoint_test::models::{Counter, CounterOp, CounterRet};
//!
//! Stress::new(|| AtomicI64::new(0))
//!     .spec(Counter { initial: 0 })
//!     .ops(|rng| if rng.chance(0.5) { CounterOp::FetchAdd(1) } else { CounterOp::Get })
//!     .perform(|counter, op| match op {
//!         CounterOp::Get => CounterRet::Value(counter.load(Ordering::SeqCst)),
//!         CounterOp::FetchAdd(n) => CounterRet::Value(counter.fetch_add(*n, Ordering::SeqCst)),
//!         CounterOp::Add(_) => unreachable!("not drawn"),
//!     })
//!     .threads(3)
//!     .run();
//! ```

mod guess;
mod harvest;
mod neighbours;
mod place;
mod pool;
mod round;
mod runner;
mod settings;
mod watch;

use std::time::{Duration, Instant};

use linpoint::Spec;

pub use runner::StressRunner;
pub use settings::{Noise, Placement};

use crate::definition::{self, Mode, NeedsSpec, Test};
use crate::execution::{Attempt, Failure, Runner};
use crate::judge::CheckLimits;
use crate::record::Clock;
use crate::replay::Environment;
use crate::report::{self, FailureReport, Files, Found};
use crate::scenario::Recipe;
use settings::Settings;

/// A stress test. See the [module documentation](self).
#[must_use = "a test does nothing until it is run"]
pub struct Stress<T, S: Spec> {
    test: Test<T, S>,
    settings: Settings,
}

/// Ends in a stress test.
pub enum Stressed {}

impl Mode for Stressed {
    type Of<T, S: Spec + Send + 'static> = Stress<T, S>;
    fn of<T, S: Spec + Send + 'static>(test: Test<T, S>) -> Stress<T, S> {
        Stress { test, settings: Settings::default() }
    }
}

impl<T> Stress<T, crate::models::Register<()>> {
    /// Tests the objects that `make` makes. What else is needed is asked for in order: `spec`, `ops`,
    /// `perform`.
    #[allow(clippy::new_ret_no_self)]
    pub fn new(make: impl Fn() -> T + Send + Sync + 'static) -> NeedsSpec<T, Stressed> {
        definition::start(make)
    }
}

impl<T, S: Spec> Test<T, S> {
    /// This test, by threads of the operating system.
    pub fn stress(self) -> Stress<T, S> {
        Stress { test: self, settings: Settings::default() }
    }
}

/// What a test that found nothing did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Runs, without those of the warm-up.
    pub runs: u64,
    /// Operations that were called in them.
    pub operations: u64,
    /// Runs that ended with operations that rightly wait.
    pub waits: u64,
    /// Runs in which the operations could have taken effect in the order of their returns. Where it is nearly all
    /// of them, threads hardly ever got into each other's way.
    pub easy: u64,
    /// Runs for which the checker was asked. For those that are neither, a guess at the order was right.
    pub searched: u64,
    /// How long it took.
    pub time: Duration,
    /// Executions of saved regressions, before the runs.
    pub regressions: u64,
}

/// What is tested; see the methods of the same names of [`Test`].
impl<T, S: Spec> Stress<T, S> {
    fn with(self, change: impl FnOnce(Test<T, S>) -> Test<T, S>) -> Self {
        Stress { test: change(self.test), settings: self.settings }
    }

    fn set(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.settings);
        self
    }

    /// How many threads; 3 by default.
    pub fn threads(self, threads: usize) -> Self {
        self.with(|test| test.threads(threads))
    }

    /// How many operations each thread performs in a run; 20 by default. Short runs have shorter reports and find most
    /// bugs as soon; long ones start less often.
    pub fn operations(self, operations: usize) -> Self {
        self.with(|test| test.operations(operations))
    }

    /// What is done, and recorded, before the threads start.
    pub fn setup(self, ops: impl IntoIterator<Item = S::Op>) -> Self {
        self.with(|test| test.setup(ops))
    }

    /// What is done, and recorded, when all threads have ended.
    pub fn finally(self, ops: impl IntoIterator<Item = S::Op>) -> Self {
        self.with(|test| test.finally(ops))
    }

    /// The name under which reports, replay files and regressions are kept; by default that of the `#[test]`.
    pub fn name(self, name: impl Into<String>) -> Self {
        self.with(|test| test.name(name))
    }

    /// Ends the waiting of operations that wait. See [`Test::unblock`].
    pub fn unblock(self, unblock: impl Fn(&T) + Send + Sync + 'static) -> Self {
        self.with(|test| test.unblock(unblock))
    }

    /// What a panic counts as. See [`Test::panics_as`].
    pub fn panics_as(
        self,
        result: impl Fn(&S::Op, &str) -> Option<S::Ret> + Send + Sync + 'static,
    ) -> Self {
        self.with(|test| test.panics_as(result))
    }
}

/// How it is tested.
impl<T, S: Spec> Stress<T, S> {
    /// How many runs; 1,000 by default. `LINPOINT_ITERS` goes before it.
    pub fn runs(self, runs: u64) -> Self {
        self.set(|s| s.runs = runs)
    }

    /// So many runs come first that are checked but not counted in the [`Summary`].
    pub fn warm_up(self, runs: u64) -> Self {
        self.set(|s| s.warm_up = runs)
    }

    /// What operations are drawn from; by default another one each time, which reports name. `LINPOINT_SEED`
    /// goes before it. Threads of the operating system do not do the same again because the operations
    /// are the same.
    pub fn seed(self, seed: u64) -> Self {
        self.set(|s| s.seed = Some(seed))
    }

    /// Ends after this time, however many runs there were (but not before the first).
    pub fn time_limit(self, time: Duration) -> Self {
        self.set(|s| s.time_limit = Some(time))
    }

    /// So long nothing may move before that counts as a deadlock or a livelock; 5 seconds by default.
    pub fn patience(self, time: Duration) -> Self {
        self.set(|s| s.patience = time)
    }

    /// What happens between operations.
    pub fn noise(self, noise: Noise) -> Self {
        self.set(|s| s.noise = noise)
    }

    /// Where threads run.
    pub fn placement(self, placement: Placement) -> Self {
        self.set(|s| s.placement = placement)
    }

    /// So many threads that do nothing but take time from the others, in fits and starts. Bugs that need a
    /// thread to be interrupted at the wrong moment are found sooner on a busy machine.
    pub fn busy_neighbours(self, threads: usize) -> Self {
        self.set(|s| s.busy_neighbours = threads)
    }

    /// How events are stamped; [`Clock::private`] by default, see [`crate::record::clock`].
    pub fn clock(self, clock: Clock) -> Self {
        self.set(|s| s.clock = clock)
    }

    /// Time and memory for checking one run; 10 seconds and 1 GiB by default. A run that cannot be
    /// decided fails the test.
    pub fn check_limits(self, limits: CheckLimits) -> Self {
        self.set(|s| s.limits = limits)
    }

    /// Where reports and regressions are kept.
    pub fn files(self, files: Files) -> Self {
        self.set(|s| s.files = files)
    }

    /// So long a smaller scenario is looked for that fails too; 10 seconds by default.
    pub fn shrink_time(self, time: Duration) -> Self {
        self.set(|s| s.shrink_time = time)
    }

    /// The definition, for other ways to run it.
    pub fn definition(&self) -> &Test<T, S> {
        &self.test
    }
}

impl<T: Send + Sync + 'static, S: Spec + Send + 'static> Stress<T, S> {
    /// Runs the test.
    ///
    /// # Panics
    ///
    /// With a report, if a run failed, or could not be decided.
    #[track_caller]
    pub fn run(&self) -> Summary {
        match self.try_run() {
            Ok(summary) => summary,
            Err(report) => panic!("{report}"),
        }
    }

    /// Runs the test; what was found is an error.
    #[track_caller]
    pub fn try_run(&self) -> Result<Summary, Box<FailureReport>> {
        let environment = Environment::read();
        let name = report::name_of(self.test.given_name());
        let mut settings = self.settings.clone();
        settings.runs = environment.runs.unwrap_or(settings.runs);
        let seed = environment.seed.or(settings.seed).unwrap_or_else(report::any_seed);
        let context = report::Context {
            name: name.clone(),
            seed,
            files: settings.files.clone(),
            limits: settings.limits,
            shrink_time: settings.shrink_time,
        };
        let mut runner = StressRunner::new(settings.clone());
        let begin = Instant::now();
        let mut summary = Summary::default();
        if let Some(replay) = environment.replay_of(&name, runner.mode()) {
            let scenario = self.test.cook(&replay.recipe);
            let attempt = runner.replay(&self.test, &scenario, replay.schedule.as_deref());
            eprintln!("linpoint: {name}: replayed {} times", attempt.executions);
            summary.runs = attempt.executions;
            self.found(&mut runner, &context, attempt, replay.recipe, None)?;
            return Ok(summary);
        }
        for replay in context.files.regressions(&name, runner.mode()) {
            let attempt = runner.attempt(&self.test, &self.test.cook(&replay.recipe));
            summary.regressions += attempt.executions;
            self.found(&mut runner, &context, attempt, replay.recipe, None)?;
        }
        let _neighbours = neighbours::Neighbours::new(settings.busy_neighbours);
        let deadline = settings.time_limit.map(|time| begin + time);
        let outcome = runner.campaign(&self.test, seed, deadline, &mut summary);
        summary.time = begin.elapsed();
        match outcome {
            None => Ok(summary),
            Some((run, failure)) => {
                let recipe = self.test.recipe(seed, run);
                Err(self.conclude(&mut runner, &context, failure, recipe, Some((run, summary))))
            }
        }
    }

    fn found(
        &self,
        runner: &mut StressRunner<T, S>,
        context: &report::Context,
        attempt: Attempt<S::Op, S::Ret>,
        recipe: Recipe,
        after: Option<(u64, Summary)>,
    ) -> Result<(), Box<FailureReport>> {
        match attempt.failure {
            None => Ok(()),
            Some(failure) => Err(self.conclude(runner, context, failure, recipe, after)),
        }
    }

    fn conclude(
        &self,
        runner: &mut StressRunner<T, S>,
        context: &report::Context,
        failure: Failure<S::Op, S::Ret>,
        recipe: Recipe,
        after: Option<(u64, Summary)>,
    ) -> Box<FailureReport> {
        let found = after.map(|(run, summary)| {
            let operations = summary.operations;
            format!(
                "run {run} of seed {}, after {operations} operations and {}",
                context.seed,
                linpoint_report::text::duration(summary.time),
            )
        });
        let found = Found { recipe, failure, how: found };
        Box::new(report::conclude(runner, &self.test, found, context))
    }
}
