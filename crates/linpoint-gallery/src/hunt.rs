//! Hunts for a failure of a structure: runs scenarios under one scheduler until one fails.

use std::fmt::{Debug, Write};
use std::time::{Duration, Instant};

use linpoint::Spec;
use linpoint_test::Test;
use linpoint_test::report::{Fault, Files};
use linpoint_test::research::{Attempt, Coverage, Failure, Runner, Scenario};
use linpoint_test::schedule::loom::{Loom, Order};
use linpoint_test::schedule::shuttle::{Shuttle, Strategy};

use crate::exhibits::{Scale, Visitor, visit_loomed, visit_plain, visit_shuttled};

/// How scenarios are executed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// On OS threads.
    Stress,
    /// Under shuttle.
    Shuttle(Strategy),
    /// Under loom.
    Loom(Order),
}

impl Mode {
    /// Its name in tables.
    pub fn name(self) -> String {
        match self {
            Mode::Stress => "stress".to_owned(),
            Mode::Shuttle(Strategy::Random) => "shuttle random".to_owned(),
            Mode::Shuttle(Strategy::Pct(depth)) => format!("shuttle PCT {depth}"),
            Mode::Shuttle(Strategy::Pos) => "shuttle POS".to_owned(),
            Mode::Shuttle(Strategy::Urw) => "shuttle URW".to_owned(),
            Mode::Shuttle(Strategy::Surw) => "shuttle SURW".to_owned(),
            Mode::Shuttle(Strategy::DepthFirst) => "shuttle depth first".to_owned(),
            Mode::Loom(Order::Synchronised) => "loom".to_owned(),
            Mode::Loom(Order::Unsynchronised) => "loom, relaxed clock".to_owned(),
            Mode::Loom(Order::Program) => "loom, program order".to_owned(),
        }
    }
}

/// The limits of a hunt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patience {
    /// The number of scenarios.
    pub scenarios: u64,
    /// The most executions of each scenario.
    pub executions: u64,
    /// The most preemptions in an execution under loom.
    pub preemptions: Option<usize>,
    /// Total time, checked between scenarios.
    pub time: Option<Duration>,
}

/// The result of a hunt.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Catch {
    /// The failure, if there is one.
    pub failure: Option<String>,
    /// Scenarios tried.
    pub scenarios: u64,
    /// Their executions.
    pub executions: u64,
    /// The operations in them.
    pub operations: u64,
    /// Executions on OS threads in which the order of returns was legal.
    pub easy: u64,
    /// Executions on OS threads that needed the checker; for the others, an order was guessed.
    pub searched: u64,
    /// Executions that could not be decided.
    pub undecided: u64,
    /// Why the first truncated scenario was truncated.
    pub truncated: Option<String>,
    /// The time until the failure was found, or until the hunt gave up.
    pub time: Duration,
}

/// Hunts for a failure of the structure; `None` if there is no such structure in this mode.
pub fn hunt(name: &str, mode: Mode, scale: Scale, seed: u64, patience: Patience) -> Option<Catch> {
    let hunt = Hunt { seed, patience };
    match mode {
        Mode::Stress => visit_plain(name, scale, Threads(hunt)),
        Mode::Shuttle(strategy) => visit_shuttled(name, scale, Shuttling(hunt, strategy)),
        Mode::Loom(order) => visit_loomed(name, scale, Looming(hunt, order)),
    }
}

// One visitor for each mode, so that each compiles only the tests of its own flavour.
struct Threads(Hunt);
struct Shuttling(Hunt, Strategy);
struct Looming(Hunt, Order);

struct Hunt {
    seed: u64,
    patience: Patience,
}

impl Visitor for Threads {
    type Out = Catch;
    fn visit<T, S>(self, test: Test<T, S>) -> Catch
    where
        T: Send + Sync + 'static,
        S: Spec + Send + 'static,
    {
        let Threads(Hunt { seed, patience }) = self;
        let stress = test.stress().seed(seed).runs(patience.scenarios);
        // The failure need not be small.
        let stress = stress.files(Files::none()).shrink_time(Duration::ZERO);
        let stress = match patience.time {
            Some(time) => stress.time_limit(time),
            None => stress,
        };
        let begin = Instant::now();
        let outcome = stress.try_run();
        let time = begin.elapsed();
        match outcome {
            // An undecided run is not a failure.
            Err(report) if matches!(report.fault, Fault::Undecided(_)) => {
                Catch { undecided: 1, truncated: Some(report.text), time, ..Catch::default() }
            }
            Err(report) => {
                let time = time.saturating_sub(report.explaining);
                Catch { failure: Some(report.text), time, ..Catch::default() }
            }
            Ok(summary) => Catch {
                scenarios: summary.runs,
                executions: summary.runs,
                operations: summary.operations,
                easy: summary.easy,
                searched: summary.searched,
                time,
                ..Catch::default()
            },
        }
    }
}

impl Visitor for Shuttling {
    type Out = Catch;
    fn visit<T, S>(self, test: Test<T, S>) -> Catch
    where
        T: Send + Sync + 'static,
        S: Spec + Send + 'static,
    {
        let Shuttling(hunt, strategy) = self;
        let shuttle = Shuttle::new(strategy).seed(hunt.seed);
        hunt.run(&test, shuttle.executions(hunt.patience.executions))
    }
}

impl Visitor for Looming {
    type Out = Catch;
    fn visit<T, S>(self, test: Test<T, S>) -> Catch
    where
        T: Send + Sync + 'static,
        S: Spec + Send + 'static,
    {
        let Looming(hunt, order) = self;
        let loom = Loom::new().order(order).executions(hunt.patience.executions);
        let loom = match hunt.patience.preemptions {
            Some(bound) => loom.preemptions(bound),
            None => loom,
        };
        hunt.run(&test, loom)
    }
}

impl Hunt {
    fn run<T, S: Spec>(&self, test: &Test<T, S>, mut runner: impl Runner<T, S>) -> Catch {
        let begin = Instant::now();
        let mut caught = Catch::default();
        for run in 0..self.patience.scenarios {
            let scenario = test.draw(self.seed, run);
            let attempt = runner.attempt(test, &scenario);
            caught.add(&scenario, &attempt);
            let late = self.patience.time.is_some_and(|time| begin.elapsed() >= time);
            if caught.failure.is_some() || late {
                break;
            }
        }
        caught.time = begin.elapsed();
        caught
    }
}

/// The fault, and every operation with its thread and its interval.
fn describe<Op: Debug, Ret: Debug>(failure: &Failure<Op, Ret>) -> String {
    let history = &failure.execution.history;
    let mut text = format!("{:?}", failure.fault);
    for id in history.ids() {
        let process = history.extras(id).process.unwrap_or(0);
        let (op, ret, span) = (history.op(id), history.ret(id), history.span(id));
        let end = if span.is_pending() { String::new() } else { span.ret.to_string() };
        let _ = write!(text, "\n  thread {process}, {}..{end}: {op:?} -> {ret:?}", span.call);
    }
    text
}

impl Catch {
    fn add<Op: Debug, Ret: Debug>(&mut self, scenario: &Scenario<Op>, attempt: &Attempt<Op, Ret>) {
        self.scenarios += 1;
        self.executions += attempt.executions;
        self.operations += attempt.executions * scenario.len() as u64;
        self.undecided += attempt.undecided;
        if let Coverage::Truncated(why) = &attempt.coverage {
            self.truncated.get_or_insert_with(|| why.to_string());
        }
        if let Some(failure) = &attempt.failure {
            self.failure = Some(describe(failure));
        }
    }
}
