//! A test under a scheduler, from the first scenario to the report.

use std::time::{Duration, Instant};

use linpoint::Spec;

use super::enumerate::Scope;
use crate::definition::Test;
use crate::execution::{Attempt, Coverage, Failure, Runner, Truncation};
use crate::judge::CheckLimits;
use crate::replay::Environment;
use crate::report::{self, FailureReport, Files, Found};
use crate::scenario::{Kept, Recipe};

/// A test under a scheduler. [`Systematic::run`] runs it.
#[must_use = "a test does nothing until it is run"]
pub struct Systematic<T, S: Spec, R> {
    test: Test<T, S>,
    runner: R,
    scenarios: Scenarios,
    seed: Option<u64>,
    time_limit: Option<Duration>,
    files: Files,
    limits: CheckLimits,
    shrink_time: Duration,
    truncation_allowed: bool,
}

/// The scenarios to try.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Scenarios {
    /// This many random ones.
    Drawn(u64),
    /// All with up to this many threads, and up to this many operations each.
    Small(usize, usize),
}

/// Statistics of a systematic test that passed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Explored {
    /// Scenarios tried.
    pub scenarios: u64,
    /// Their executions.
    pub executions: u64,
    /// Scenarios that were truncated: a limit ended the exploration.
    pub truncated: u64,
    /// Why the first of them was truncated.
    pub why_truncated: Option<Truncation>,
    /// Executions that could not be judged within the limits.
    pub undecided: u64,
    /// True if schedules were only sampled.
    pub sampled: bool,
    /// Elapsed time.
    pub time: Duration,
}

impl Explored {
    /// True if every execution of every scenario was explored and judged.
    pub fn is_complete(&self) -> bool {
        self.truncated == 0 && self.undecided == 0 && !self.sampled
    }

    fn add<Op, Ret>(&mut self, attempt: &Attempt<Op, Ret>) {
        self.scenarios += 1;
        self.executions += attempt.executions;
        self.undecided += attempt.undecided;
        match &attempt.coverage {
            Coverage::All => {}
            Coverage::Sampled => self.sampled = true,
            Coverage::Truncated(why) => {
                self.truncated += 1;
                self.why_truncated.get_or_insert_with(|| why.clone());
            }
        }
    }
}

impl std::fmt::Display for Explored {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} executions of {} scenarios", self.executions, self.scenarios)?;
        if let Some(why) = &self.why_truncated {
            write!(f, "; {} scenarios were truncated: {why}", self.truncated)?;
        }
        if self.undecided > 0 {
            write!(f, "; {} executions could not be judged within the limits", self.undecided)?;
        }
        if self.is_complete() {
            write!(f, ", explored completely")?;
        }
        Ok(())
    }
}

impl<T, S: Spec> Test<T, S> {
    /// Runs this test under a runner.
    pub fn under<R: Runner<T, S>>(self, runner: R) -> Systematic<T, S, R> {
        Systematic {
            test: self,
            runner,
            scenarios: Scenarios::Drawn(100),
            seed: None,
            time_limit: None,
            files: Files::default(),
            limits: CheckLimits::default(),
            shrink_time: Duration::from_secs(10),
            truncation_allowed: false,
        }
    }

    /// Runs this test under shuttle.
    #[cfg(feature = "shuttle")]
    pub fn shuttle(
        self,
        shuttle: super::shuttle::Shuttle,
    ) -> Systematic<T, S, super::shuttle::Shuttle>
    where
        T: Send + Sync + 'static,
        S: Send + 'static,
    {
        self.under(shuttle)
    }

    /// Runs this test under loom.
    #[cfg(feature = "loom")]
    pub fn loom(self, loom: super::loom::Loom) -> Systematic<T, S, super::loom::Loom>
    where
        T: Send + Sync + 'static,
        S: Send + 'static,
    {
        self.under(loom)
    }
}

/// Settings.
impl<T, S: Spec, R> Systematic<T, S, R> {
    /// The number of random scenarios; 100 by default. `LINPOINT_ITERS` overrides it.
    pub fn scenarios(mut self, scenarios: u64) -> Self {
        self.scenarios = Scenarios::Drawn(scenarios);
        self
    }

    /// Tries all scenarios of up to `threads` threads with up to `operations` operations each,
    /// instead of random ones. The operations are those listed by
    /// [`ops_from`](crate::definition::NeedsOps::ops_from).
    pub fn small_scope(mut self, threads: usize, operations: usize) -> Self {
        self.scenarios = Scenarios::Small(threads, operations);
        self
    }

    /// Random seed for drawing operations. The default is a new one each time, which reports print.
    /// `LINPOINT_SEED` overrides it.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Stops after this time, but not before the first scenario. The test then counts as truncated.
    pub fn time_limit(mut self, time: Duration) -> Self {
        self.time_limit = Some(time);
        self
    }

    /// Where reports and regressions are kept.
    pub fn files(mut self, files: Files) -> Self {
        self.files = files;
        self
    }

    /// Limits of the check that explains a failure.
    pub fn check_limits(mut self, limits: CheckLimits) -> Self {
        self.limits = limits;
        self
    }

    /// Time for shrinking a failure; 10 seconds by default.
    pub fn shrink_time(mut self, time: Duration) -> Self {
        self.shrink_time = time;
        self
    }

    /// Lets [`Systematic::run`] pass although some scenarios were truncated.
    pub fn truncation_allowed(mut self) -> Self {
        self.truncation_allowed = true;
        self
    }
}

impl<T: 'static, S: Spec + 'static, R: Runner<T, S>> Systematic<T, S, R> {
    /// Runs the test.
    ///
    /// # Panics
    ///
    /// With a report, if an execution failed. Also if a scenario was truncated, unless that is
    /// [allowed](Systematic::truncation_allowed), and if an execution could not be judged.
    #[track_caller]
    pub fn run(&mut self) -> Explored {
        match self.try_run() {
            Err(report) => panic!("{report}"),
            Ok(explored) if explored.undecided > 0 => panic!("{explored}"),
            Ok(explored) if explored.truncated > 0 && !self.truncation_allowed => {
                panic!("{explored}. This is not a pass; see Systematic::truncation_allowed")
            }
            Ok(explored) => explored,
        }
    }

    /// Runs the test. A failure is returned as an error. Truncation is not an error; the result
    /// reports it.
    #[track_caller]
    pub fn try_run(&mut self) -> Result<Explored, Box<FailureReport>> {
        let environment = Environment::read();
        let seed = environment.seed.or(self.seed).unwrap_or_else(report::any_seed);
        let context = self.context(seed);
        let begin = Instant::now();
        let mut explored = Explored::default();
        if let Some(replay) = environment.replay_of(&context.name, self.runner.mode()) {
            let scenario = self.test.instantiate(&replay.recipe);
            let attempt = self.runner.replay(&self.test, &scenario, replay.schedule.as_deref());
            eprintln!("linpoint: {}: replayed {} times", context.name, attempt.executions);
            self.settle(&context, attempt, replay.recipe, None, &mut explored)?;
            return Ok(explored);
        }
        for replay in context.files.regressions(&context.name, self.runner.mode()) {
            let scenario = self.test.instantiate(&replay.recipe);
            let attempt = self.runner.replay(&self.test, &scenario, replay.schedule.as_deref());
            self.settle(&context, attempt, replay.recipe, None, &mut explored)?;
        }
        for (number, recipe) in self.recipes(seed, environment.runs).enumerate() {
            if number > 0 && self.time_limit.is_some_and(|time| begin.elapsed() >= time) {
                explored.truncated += 1;
                explored.why_truncated.get_or_insert(Truncation::Time);
                break;
            }
            let attempt = self.runner.attempt(&self.test, &self.test.instantiate(&recipe));
            let how = format!(
                "scenario {number} of seed {seed}, after {} executions and {}",
                explored.executions + attempt.executions,
                linpoint_report::text::duration(begin.elapsed()),
            );
            self.settle(&context, attempt, recipe, Some(how), &mut explored)?;
        }
        explored.time = begin.elapsed();
        Ok(explored)
    }

    /// Executes one scenario that failed elsewhere, such as under OS threads.
    ///
    /// ```ignore
    /// let found = stress.try_run().unwrap_err();
    /// let again = test.shuttle(Shuttle::pct(3)).find_again(&found.replay.recipe);
    /// ```
    #[track_caller]
    pub fn find_again(&mut self, recipe: &Recipe) -> Result<Explored, Box<FailureReport>> {
        let context = self.context(self.seed.unwrap_or(0));
        let mut explored = Explored::default();
        let attempt = self.runner.attempt(&self.test, &self.test.instantiate(recipe));
        let how = format!("found again after {} executions", attempt.executions);
        self.settle(&context, attempt, recipe.clone(), Some(how), &mut explored)?;
        Ok(explored)
    }

    #[track_caller]
    fn context(&self, seed: u64) -> report::Context {
        report::Context {
            name: report::name_of(self.test.given_name()),
            seed,
            files: self.files.clone(),
            limits: self.limits,
            shrink_time: self.shrink_time,
        }
    }

    fn recipes(&self, seed: u64, runs: Option<u64>) -> Box<dyn Iterator<Item = Recipe>> {
        match self.scenarios {
            Scenarios::Drawn(scenarios) => {
                let test = self.test.clone();
                let runs = runs.unwrap_or(scenarios);
                Box::new((0..runs).map(move |run| test.recipe(seed, run)))
            }
            Scenarios::Small(threads, operations) => {
                let ops = self.test.listed_ops().map(<[S::Op]>::len);
                let ops = ops.expect("a small scope needs a list of operations: see `ops_from`");
                let scope = Scope::new(0..ops as u64, threads, operations);
                let recipe = |threads: Vec<Vec<u64>>| {
                    // An operation from a list is one choice: its index.
                    let ops = |thread: Vec<u64>| thread.into_iter().map(|op| vec![op]).collect();
                    let threads = threads.into_iter().map(ops).collect();
                    Recipe { threads, setup: Kept::All, finally: Kept::All }
                };
                Box::new(scope.into_scenarios().map(move |scenario| recipe(scenario.threads)))
            }
        }
    }

    fn settle(
        &mut self,
        context: &report::Context,
        attempt: Attempt<S::Op, S::Ret>,
        recipe: Recipe,
        how: Option<String>,
        explored: &mut Explored,
    ) -> Result<(), Box<FailureReport>> {
        explored.add(&attempt);
        match attempt.failure {
            None => Ok(()),
            Some(failure) => Err(self.conclude(context, failure, recipe, how)),
        }
    }

    fn conclude(
        &mut self,
        context: &report::Context,
        failure: Failure<S::Op, S::Ret>,
        recipe: Recipe,
        how: Option<String>,
    ) -> Box<FailureReport> {
        let found = Found { recipe, failure, how };
        Box::new(report::conclude(&mut self.runner, &self.test, found, context))
    }
}
