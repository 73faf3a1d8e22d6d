//! Stress tests: OS threads perform random operations, run after run, and every run is checked.
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
//!         _ => unreachable!("not drawn"),
//!     })
//!     .threads(3)
//!     .run();
//! ```

mod breakpoints;
mod collect;
mod confirm;
mod gate;
mod guess;
mod interrupters;
mod manner;
mod neighbours;
mod os_thread;
mod pool;
mod round;
mod runner;
mod settings;
mod summary;
mod watchdog;

use std::time::{Duration, Instant};

use linpoint::Spec;

use runner::StressRunner;
pub use settings::{Noise, Placement};
pub use summary::Summary;

use crate::definition::{self, Mode, NeedsSpec, Test};
use crate::execution::{Attempt, Failure, Runner};
use crate::judge::CheckLimits;
use crate::record::Clock;
use crate::replay::Environment;
use crate::report::{self, FailureReport, Files, Found};
use crate::scenario::Recipe;
use settings::{Length, Settings};

/// A stress test on OS threads.
///
/// [`Stress::new`] asks for what is needed; the other methods are optional settings.
/// [`Stress::run`] runs the test. See the [module documentation](self) for an example.
#[must_use = "a test does nothing until it is run"]
pub struct Stress<T, S: Spec> {
    test: Test<T, S>,
    settings: Settings,
}

/// Yields a stress test.
#[doc(hidden)]
pub enum Stressed {}

impl Mode for Stressed {
    type Of<T, S: Spec + Send + 'static> = Stress<T, S>;
    fn of<T, S: Spec + Send + 'static>(test: Test<T, S>) -> Stress<T, S> {
        Stress { test, settings: Settings::default() }
    }
}

impl<T> Stress<T, crate::models::Register<()>> {
    /// Tests the objects that `make` makes. The next steps are [`spec`](NeedsSpec::spec),
    /// [`ops`](definition::NeedsOps::ops) and [`perform`](definition::NeedsPerform::perform).
    #[allow(clippy::new_ret_no_self)]
    pub fn new(make: impl Fn() -> T + Send + Sync + 'static) -> NeedsSpec<T, Stressed> {
        definition::start(make)
    }
}

impl<T, S: Spec> Test<T, S> {
    /// Runs this test on OS threads.
    pub fn stress(self) -> Stress<T, S> {
        Stress { test: self, settings: Settings::default() }
    }
}

/// The definition. [`Test`] has methods of the same names.
impl<T, S: Spec> Stress<T, S> {
    fn with(self, change: impl FnOnce(Test<T, S>) -> Test<T, S>) -> Self {
        Stress { test: change(self.test), settings: self.settings }
    }

    fn set(mut self, change: impl FnOnce(&mut Settings)) -> Self {
        change(&mut self.settings);
        self
    }

    /// The number of threads; 3 by default.
    pub fn threads(self, threads: usize) -> Self {
        self.with(|test| test.threads(threads))
    }

    /// The number of operations of each thread in a run. See [`Test::operations`].
    pub fn operations(self, operations: usize) -> Self {
        self.with(|test| test.operations(operations))
    }

    /// Operations performed, and recorded, before the threads start.
    pub fn setup(self, ops: impl IntoIterator<Item = S::Op>) -> Self {
        self.with(|test| test.setup(ops))
    }

    /// Operations performed, and recorded, when all threads have ended.
    pub fn finally(self, ops: impl IntoIterator<Item = S::Op>) -> Self {
        self.with(|test| test.finally(ops))
    }

    /// The name under which reports, replay files and regressions are kept. The default is that of
    /// the `#[test]`.
    pub fn name(self, name: impl Into<String>) -> Self {
        self.with(|test| test.name(name))
    }

    /// Releases operations that wait. See [`Test::unblock`].
    pub fn unblock(self, unblock: impl Fn(&T) + Send + Sync + 'static) -> Self {
        self.with(|test| test.unblock(unblock))
    }

    /// Thread `number` draws its operations by this function instead. See [`Test::thread`].
    pub fn thread(
        self,
        number: usize,
        draw: impl Fn(&mut crate::Rng) -> S::Op + Send + Sync + 'static,
    ) -> Self {
        self.with(|test| test.thread(number, draw))
    }

    /// Looks at the object after each run, and panics if something is wrong with it. See [`Test::validate`].
    pub fn validate(self, validate: impl Fn(&T) + Send + Sync + 'static) -> Self {
        self.with(|test| test.validate(validate))
    }

    /// Checks these operations only where nothing overlaps them. See [`Test::relaxed`].
    pub fn relaxed(self, is_relaxed: impl Fn(&S::Op) -> bool + Send + Sync + 'static) -> Self {
        self.with(|test| test.relaxed(is_relaxed))
    }

    /// Maps panics to results. See [`Test::panics_as`].
    pub fn panics_as(
        self,
        result: impl Fn(&S::Op, &str) -> Option<S::Ret> + Send + Sync + 'static,
    ) -> Self {
        self.with(|test| test.panics_as(result))
    }
}

/// Settings.
impl<T, S: Spec> Stress<T, S> {
    /// Tests for this long; one second by default. `LINPOINT_TIME` overrides it. Bugs that need rare
    /// interleavings need time: tests that run at night should have minutes.
    pub fn time(self, time: Duration) -> Self {
        self.set(|s| s.length = Length::Time(time))
    }

    /// Tests this many runs, instead of for a time. `LINPOINT_ITERS` overrides it.
    pub fn runs(self, runs: u64) -> Self {
        self.set(|s| s.length = Length::Runs(runs))
    }

    /// Runs before the others that are checked but not counted in the [`Summary`]; none by default.
    pub fn warm_up(self, runs: u64) -> Self {
        self.set(|s| s.warm_up = runs)
    }

    /// Random seed for drawing operations. The default is a new one each time, which reports print.
    /// `LINPOINT_SEED` overrides it. The same seed gives the same operations, but the threads may
    /// interleave differently.
    pub fn seed(self, seed: u64) -> Self {
        self.set(|s| s.seed = Some(seed))
    }

    /// Stops after this time, but not before the first run. A failure that was found is shrunk in what is left of
    /// the time, but at least in a tenth of it; explaining and confirming it takes a fifth of the limit at most.
    /// Only a run that makes no progress can take longer, until
    /// [`patience`](Stress::patience) ends.
    pub fn time_limit(self, time: Duration) -> Self {
        self.set(|s| s.time_limit = Some(time))
    }

    /// Time without progress before a deadlock or livelock is reported; 5 seconds by default.
    pub fn patience(self, time: Duration) -> Self {
        self.set(|s| s.patience = time)
    }

    /// Random pauses and yields between operations; [`Noise::SOME`] by default.
    pub fn noise(self, noise: Noise) -> Self {
        self.set(|s| s.noise = noise)
    }

    /// The cores on which threads run, and whether they are interrupted; [`Placement::Mixed`] by default.
    pub fn placement(self, placement: Placement) -> Self {
        self.set(|s| s.placement = placement)
    }

    /// Adds threads that only use up CPU time, in irregular bursts. Bugs that need a thread to be
    /// interrupted at a particular point are found sooner on a busy machine.
    pub fn busy_neighbours(self, threads: usize) -> Self {
        self.set(|s| s.busy_neighbours = threads)
    }

    /// The clock that stamps calls and returns; [`Clock::private`] by default. See
    /// [`crate::record::clock`].
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

    /// Time for shrinking a failure; 10 seconds by default.
    pub fn shrink_time(self, time: Duration) -> Self {
        self.set(|s| s.shrink_time = time)
    }

    /// The definition of the test.
    pub fn definition(&self) -> &Test<T, S> {
        &self.test
    }
}

impl<T: Send + Sync + 'static, S: Spec + Send + 'static> Stress<T, S> {
    /// Runs the test.
    ///
    /// # Panics
    ///
    /// With a report, if a run failed or could not be decided.
    #[track_caller]
    pub fn run(&self) -> Summary {
        match self.try_run() {
            Ok(summary) => summary,
            Err(report) => panic!("{report}"),
        }
    }

    /// Runs the test. A failure is returned as an error.
    ///
    /// What was tested is printed to the standard error, which `cargo test` shows with `--nocapture`.
    #[track_caller]
    pub fn try_run(&self) -> Result<Summary, Box<FailureReport>> {
        let environment = Environment::read();
        let name = report::name_of(self.test.given_name());
        let mut settings = self.settings.clone();
        settings.length = match (environment.time, environment.runs) {
            (Some(time), _) => Length::Time(time),
            (None, Some(runs)) => Length::Runs(runs),
            (None, None) => settings.length,
        };
        let seed = environment.seed.or(settings.seed).unwrap_or_else(report::any_seed);
        let begin = Instant::now();
        let deadline = settings.time_limit.and_then(|time| begin.checked_add(time));
        let context = report::Context {
            name: name.clone(),
            seed,
            files: settings.files.clone().of_source(std::panic::Location::caller().file()),
            limits: settings.limits,
            shrink_time: settings.shrink_time,
        };
        let mut runner = StressRunner::new(settings.clone(), deadline);
        let mut summary = Summary::default();
        if let Some(replay) = environment.replay_of(&name, runner.mode()) {
            let scenario = self.test.instantiate(&replay.recipe);
            let attempt = runner.replay(&self.test, &scenario, replay.schedule.as_deref());
            eprintln!("linpoint: {name}: replayed {} times", attempt.executions);
            summary.runs = attempt.executions;
            self.found(&mut runner, &context, attempt, replay.recipe, None)?;
            return Ok(summary);
        }
        for replay in context.files.regressions(&name, runner.mode()) {
            let attempt = runner.attempt(&self.test, &self.test.instantiate(&replay.recipe));
            summary.regressions += attempt.executions;
            self.found(&mut runner, &context, attempt, replay.recipe, None)?;
        }
        let _neighbours = neighbours::Neighbours::new(settings.busy_neighbours);
        let outcome = runner.campaign(&self.test, seed, &mut summary);
        match outcome {
            None => {
                eprintln!("linpoint: {name}: passed: {summary}");
                if let Some(warning) = summary.warning().filter(|_| self.test.thread_count() > 1) {
                    eprintln!("linpoint: {name}: WARNING: {warning}");
                }
                Ok(summary)
            }
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
        let mut context =
            report::Context { shrink_time: runner.time_to_shrink(), ..context.clone() };
        if let Some(limit) = self.settings.time_limit {
            // It is explained before and after it is shrunk.
            let time = (limit / 20).max(Duration::from_millis(100));
            context.limits.time = context.limits.time.min(time);
        }
        Box::new(report::conclude(runner, &self.test, found, &context))
    }
}
