//! Scenarios under shuttle.
//!
//! Shuttle runs one thread at a time and may switch at every access to the primitives in
//! [`crate::sync::shuttled`], so a schedule is a list of threads. All atomic accesses are
//! sequentially consistent; use loom for bugs that need a weaker memory.
//!
//! Two things are added to shuttle's schedulers. The choices are recorded, so that a failing
//! execution can be repeated. And when no thread can continue, the execution ends quietly instead
//! of with a panic: a sentinel thread that is never scheduled keeps shuttle from detecting a
//! deadlock, and if it is the only runnable one, all others wait. The specification decides whether
//! they may.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ::shuttle::scheduler::{Schedule, Scheduler, Task, TaskId};
use linpoint::Spec;

use super::journal::End;
use super::stage::{Record, SchedulerHooks, Stage};
pub use super::strategy::Strategy;
use super::strategy::{Choices, Replayed};
use crate::definition::Test;
use crate::execution::{Attempt, Coverage, Runner, Truncation, message_of};
use crate::judge::{CheckLimits, judge};
use crate::rng::mix;
use crate::scenario::Scenario;

/// Executes scenarios under shuttle.
#[derive(Clone, Debug)]
pub struct Shuttle {
    strategy: Strategy,
    seed: u64,
    executions: u64,
    steps: usize,
    time: Option<Duration>,
    limits: CheckLimits,
    attempts: u64,
}

impl Shuttle {
    /// Uses this strategy: 1,000 executions of each scenario (depth-first: all, but at most a
    /// million) of at most 10,000 steps each.
    pub fn new(strategy: Strategy) -> Self {
        Shuttle {
            strategy,
            seed: 0,
            executions: if strategy.is_exhaustive() { 1_000_000 } else { 1_000 },
            steps: 10_000,
            time: None,
            limits: CheckLimits::default(),
            attempts: 0,
        }
    }

    /// Random schedules.
    pub fn random() -> Self {
        Shuttle::new(Strategy::Random)
    }

    /// Schedules with few switches, by PCT.
    pub fn pct(depth: usize) -> Self {
        Shuttle::new(Strategy::Pct(depth))
    }

    /// All schedules.
    pub fn depth_first() -> Self {
        Shuttle::new(Strategy::DepthFirst)
    }

    /// Random seed for schedules; 0 by default.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Limits the executions of a scenario.
    pub fn executions(mut self, executions: u64) -> Self {
        self.executions = executions.max(1);
        self
    }

    /// Limits the steps of an execution. One that has more is cut off and counts as truncated.
    pub fn steps(mut self, steps: usize) -> Self {
        self.steps = steps.max(1);
        self
    }

    /// Time limit for each scenario.
    pub fn time(mut self, time: Duration) -> Self {
        self.time = Some(time);
        self
    }

    /// Limits for checking one history.
    pub fn check_limits(mut self, limits: CheckLimits) -> Self {
        self.limits = limits;
        self
    }

    /// A description for reports.
    pub fn describe(&self) -> String {
        format!("shuttle, {}", self.strategy.describe())
    }

    fn run<T, S>(
        &self,
        test: &Test<T, S>,
        scenario: &Scenario<S::Op>,
        strategy: Box<dyn Scheduler>,
        coverage: Coverage,
    ) -> Attempt<S::Op, S::Ret>
    where
        T: Send + Sync + 'static,
        S: Spec + Send + 'static,
    {
        let stage = Stage::new(test, scenario);
        let shared = Arc::new(Shared { record: Mutex::default(), over: AtomicBool::new(false) });
        let supervisor = Supervisor {
            strategy,
            is_pct: matches!(self.strategy, Strategy::Pct(_)),
            fair: self.strategy.is_exhaustive(),
            stage: stage.clone(),
            shared: shared.clone(),
            limits: self.limits,
            executions: self.executions,
            steps: self.steps,
            deadline: self.time.map(|time| Instant::now() + time),
            started: false,
            choices: Choices::default(),
            end: None,
            yields: Vec::new(),
            resting: Vec::new(),
            had_choice: true,
            drew_random: false,
        };
        let runner = ::shuttle::Runner::new(supervisor, config());
        let inside = shared.clone();
        let run = std::panic::AssertUnwindSafe(|| runner.run(move || act(&stage, &inside)));
        let panicked = std::panic::catch_unwind(run).err().map(|payload| message_of(&*payload));
        let mut record = std::mem::take(&mut *shared.record());
        if let Some(message) = panicked {
            record.truncated.get_or_insert(Truncation::Panic { scheduler: "shuttle", message });
        }
        record.conclude(coverage)
    }
}

fn config() -> ::shuttle::Config {
    let mut config = ::shuttle::Config::new();
    config.failure_persistence = ::shuttle::FailurePersistence::None;
    config.silence_warnings = true;
    config.max_steps = ::shuttle::MaxSteps::None;
    config.stack_size = STACK;
    config
}

/// Installs shuttle's panic hook. Loom's threads end by a panic, which loom's hook hides from
/// earlier hooks. Shuttle's hook prints every panic, so it must be installed before loom's.
#[cfg(feature = "loom")]
pub(super) fn install_hook() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        ::shuttle::Runner::new(Replayed::new(Choices::default()), config()).run(|| ());
    });
}

/// Stack of each thread, in bytes. Pages that are not touched cost nothing.
const STACK: usize = 256 * 1024;

impl<T, S> Runner<T, S> for Shuttle
where
    T: Send + Sync + 'static,
    S: Spec + Send + 'static,
{
    fn describe(&self) -> String {
        Shuttle::describe(self)
    }

    fn mode(&self) -> &'static str {
        "shuttle"
    }

    fn attempt(&mut self, test: &Test<T, S>, scenario: &Scenario<S::Op>) -> Attempt<S::Op, S::Ret> {
        let seed = mix(self.seed ^ mix(self.attempts));
        self.attempts += 1;
        let coverage =
            if self.strategy.is_exhaustive() { Coverage::All } else { Coverage::Sampled };
        self.run(test, scenario, self.strategy.scheduler(seed), coverage)
    }

    fn replay(
        &mut self,
        test: &Test<T, S>,
        scenario: &Scenario<S::Op>,
        schedule: Option<&str>,
    ) -> Attempt<S::Op, S::Ret> {
        match schedule.map(str::parse::<Choices>) {
            None => self.attempt(test, scenario),
            Some(Ok(choices)) => {
                let strategy = Box::new(Replayed::new(choices));
                // The effect of yields on the order is part of the choices.
                let plain = Shuttle { strategy: Strategy::Random, ..self.clone() };
                plain.run(test, scenario, strategy, Coverage::Sampled)
            }
            Some(Err(error)) => Record::refused(Truncation::Schedule(error)),
        }
    }
}

/// State shared by the supervisor, outside of executions, and the threads inside.
struct Shared<Op, Ret> {
    record: Mutex<Record<Op, Ret>>,
    /// The execution is over: a thread that unwinds now does so because of the scheduler, not
    /// because of an operation.
    over: AtomicBool,
}

impl<Op, Ret> Shared<Op, Ret> {
    fn record(&self) -> MutexGuard<'_, Record<Op, Ret>> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One execution, inside shuttle.
fn act<T, S>(stage: &Arc<Stage<T, S>>, shared: &Arc<Shared<S::Op, S::Ret>>)
where
    T: Send + Sync + 'static,
    S: Spec + Send + 'static,
{
    drop(::shuttle::thread::spawn(|| ())); // The sentinel, see the top of the file.
    let hooks = SwitchPoint::new(shared);
    let object = Arc::new(stage.test.make());
    let scenario = &stage.scenario;
    if !stage.perform(&object, stage.main_process(), &scenario.setup, &hooks) {
        return;
    }
    let spawn = |thread: usize| {
        let (stage, object, shared) = (stage.clone(), object.clone(), shared.clone());
        ::shuttle::thread::spawn(move || {
            let ops = &stage.scenario.threads[thread];
            stage.perform(&object, thread as u32, ops, &SwitchPoint::new(&shared))
        })
    };
    let threads: Vec<_> = (0..scenario.threads.len()).map(spawn).collect();
    let ended: Vec<bool> = threads.into_iter().map(|t| t.join().unwrap_or(false)).collect();
    if ended.into_iter().all(|fine| fine) {
        stage.perform(&object, stage.main_process(), &scenario.finally, &hooks);
    }
}

/// The first thread that is spawned.
const SENTINEL: usize = 1;

struct SwitchPoint<Op, Ret> {
    shared: Arc<Shared<Op, Ret>>,
    /// Accessed only to let shuttle switch threads.
    point: ::shuttle::sync::atomic::AtomicBool,
}

impl<Op, Ret> SwitchPoint<Op, Ret> {
    fn new(shared: &Arc<Shared<Op, Ret>>) -> Self {
        let point = ::shuttle::sync::atomic::AtomicBool::new(false);
        SwitchPoint { shared: shared.clone(), point }
    }
}

impl<Op, Ret> SchedulerHooks for SwitchPoint<Op, Ret> {
    /// Shuttle switches before an access and not after it. Without a switch here, every operation
    /// would be called together with the last step of the previous one, and overlap everything
    /// before its own first step.
    fn before_call(&self) {
        self.point.load(Ordering::SeqCst);
    }

    fn after_return(&self) {}

    fn is_scheduler_panic(&self, _message: &str) -> bool {
        self.shared.over.load(Ordering::Relaxed)
    }
}

/// A scheduler between shuttle and the strategy: ends executions, records choices, and judges
/// between executions.
struct Supervisor<T, S: Spec> {
    strategy: Box<dyn Scheduler>,
    is_pct: bool,
    /// A thread that yielded rests until another has made a step.
    fair: bool,
    stage: Arc<Stage<T, S>>,
    shared: Arc<Shared<S::Op, S::Ret>>,
    limits: CheckLimits,
    executions: u64,
    steps: usize,
    deadline: Option<Instant>,
    started: bool,
    choices: Choices,
    end: Option<End>,
    /// The number of yields of each thread.
    yields: Vec<u32>,
    resting: Vec<usize>,
    had_choice: bool,
    drew_random: bool,
}

impl<T, S> Supervisor<T, S>
where
    T: Send + Sync + 'static,
    S: Spec + Send + 'static,
{
    /// Judges the execution that has just ended. True if it fails.
    fn conclude(&mut self) -> bool {
        let end = self.end.take().unwrap_or(End::Finished);
        let events = self.stage.journal.take();
        let mut record = self.shared.record();
        if self.drew_random && self.fair {
            record.truncated.get_or_insert(Truncation::RandomNumbers);
        }
        let Some(mut execution) = record.enter(&events, &end) else { return false };
        let judgement = judge(self.stage.test.specification(), &execution, &self.limits);
        execution.schedule = Some(self.choices.to_string());
        record.settle(execution, judgement)
    }

    /// `Some` if there will be no more executions, with the limit if all were to be explored.
    fn limit(&self) -> Option<Option<Truncation>> {
        if self.shared.record().executions >= self.executions {
            return Some(self.fair.then_some(Truncation::Executions(self.executions)));
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Some(self.fair.then_some(Truncation::Time));
        }
        // Shuttle's PCT panics in the next execution if this one had no choices.
        (self.is_pct && !self.had_choice).then_some(None)
    }

    /// The runnable threads without those that rest, if any are left; those with the fewest yields
    /// come first.
    fn fairly<'a>(
        &mut self,
        runnable: &[&'a Task],
        current: Option<TaskId>,
        yields: bool,
    ) -> Vec<&'a Task> {
        let number = |task: &Task| usize::from(task.id());
        match current.map(usize::from) {
            Some(thread) if yields => {
                if self.yields.len() <= thread {
                    self.yields.resize(thread + 1, 0);
                }
                self.yields[thread] += 1;
                self.resting.push(thread);
            }
            Some(thread) => self.resting.retain(|rests| *rests == thread),
            None => {}
        }
        let awake = |task: &&&Task| !self.resting.contains(&number(task));
        let mut tasks: Vec<&Task> = runnable.iter().filter(awake).copied().collect();
        if tasks.is_empty() {
            tasks = runnable.to_vec();
        }
        tasks.sort_by_key(|task| {
            (self.yields.get(number(task)).copied().unwrap_or(0), number(task))
        });
        tasks
    }
}

impl<T, S> Scheduler for Supervisor<T, S>
where
    T: Send + Sync + 'static,
    S: Spec + Send + 'static,
{
    fn new_execution(&mut self) -> Option<Schedule> {
        if std::mem::replace(&mut self.started, true) {
            if self.conclude() {
                return None;
            }
            if let Some(limit) = self.limit() {
                if let Some(why) = limit {
                    self.shared.record().truncated.get_or_insert(why);
                }
                return None;
            }
        }
        self.shared.over.store(false, Ordering::Relaxed);
        self.yields.clear();
        self.resting.clear();
        self.had_choice = false;
        let schedule = self.strategy.new_execution()?;
        self.choices = Choices { seed: schedule.seed, threads: Vec::new() };
        Some(schedule)
    }

    fn next_task(
        &mut self,
        runnable: &[&Task],
        current: Option<TaskId>,
        yields: bool,
    ) -> Option<TaskId> {
        let is_sentinel = |task: &Task| usize::from(task.id()) == SENTINEL;
        if !runnable.iter().any(|task| !is_sentinel(task) && task.runnable()) {
            self.end = Some(End::Waiting);
        } else if self.choices.threads.len() >= self.steps {
            self.end = Some(End::Cut(Truncation::Steps(self.steps)));
        }
        if self.end.is_some() {
            self.shared.over.store(true, Ordering::Relaxed);
            return None;
        }
        let others: Vec<&Task> = runnable.iter().filter(|t| !is_sentinel(t)).copied().collect();
        let others = if self.fair { self.fairly(&others, current, yields) } else { others };
        self.had_choice |= others.len() > 1;
        let next = self.strategy.next_task(&others, current, yields)?;
        self.choices.threads.push(next.into());
        Some(next)
    }

    fn next_u64(&mut self) -> u64 {
        self.drew_random = true;
        self.strategy.next_u64()
    }
}
