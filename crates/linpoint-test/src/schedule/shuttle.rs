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

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ::shuttle::scheduler::Scheduler;
use linpoint::Spec;

use super::journal::Event;
use super::obstruction::Processes;
use super::stage::{Record, SchedulerHooks, Stage};
use super::strategy::Choices;
pub use super::strategy::Strategy;
use super::supervisor::{Rules, Supervisor};
use crate::definition::Test;
use crate::execution::{Attempt, Coverage, FailureOf, Retold, Runner, Truncation, message_of};
use crate::judge::CheckLimits;
use crate::rng::mix;
use crate::scenario::Scenario;
use crate::sync::watch::{self, Entry, Listening};

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
    counts_preemptions: bool,
    obstruction_free: bool,
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
            counts_preemptions: false,
            obstruction_free: false,
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

    /// Schedules in which racing accesses come in any order, by partial order sampling.
    pub fn pos() -> Self {
        Shuttle::new(Strategy::Pos)
    }

    /// Uniformly drawn interleavings, by a weighted random walk.
    pub fn urw() -> Self {
        Shuttle::new(Strategy::Urw)
    }

    /// Uniformly drawn interleavings of the accesses to one object at a time.
    pub fn surw() -> Self {
        Shuttle::new(Strategy::Surw)
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

    /// Operations must also be obstruction-free: one that runs alone returns, wherever the other threads have stopped.
    /// Locks are not. [`Test::may_block`] exempts operations that may wait. If all schedules are tried, operations
    /// that sleep are found, but not those that spin.
    pub fn obstruction_free(mut self) -> Self {
        self.obstruction_free = true;
        self
    }

    /// A description for reports.
    pub fn describe(&self) -> String {
        format!("shuttle, {}", self.strategy.describe())
    }

    /// The same limits, for a strategy of its own. Preemptions are counted.
    pub(super) fn without_strategy(&self) -> Self {
        // The effect of yields on the order is up to the other strategy.
        Shuttle { strategy: Strategy::Random, counts_preemptions: true, ..self.clone() }
    }

    /// Executes the scenario as `strategy` chooses. `_listening` ends with it.
    pub(super) fn run<T, S>(
        &self,
        test: &Test<T, S>,
        scenario: &Scenario<S::Op>,
        strategy: Box<dyn Scheduler>,
        coverage: Coverage,
        _listening: Listening,
    ) -> Finished<S::Op, S::Ret>
    where
        T: Send + Sync + 'static,
        S: Spec + Send + 'static,
    {
        let stage = Stage::new(test, scenario);
        let shared = Arc::new(Shared::default());
        let rules = Rules {
            is_pct: matches!(self.strategy, Strategy::Pct(_)),
            fair: self.strategy.is_exhaustive(),
            counts_preemptions: self.counts_preemptions,
            obstruction_free: self.obstruction_free,
            limits: self.limits,
            executions: self.executions,
            steps: self.steps,
            deadline: self.time.map(|time| Instant::now() + time),
        };
        let supervisor = Supervisor::new(strategy, rules, &stage, &shared);
        let runner = ::shuttle::Runner::new(supervisor, config());
        let inside = shared.clone();
        let run = std::panic::AssertUnwindSafe(|| runner.run(move || act(&stage, &inside)));
        let panicked = std::panic::catch_unwind(run).err().map(|payload| message_of(&*payload));
        let mut record = std::mem::take(&mut *shared.record());
        if let Some(message) = panicked {
            record.truncated.get_or_insert(Truncation::Panic { scheduler: "shuttle", message });
        }
        let preemptions = shared.preemptions.load(Ordering::Relaxed);
        let tape = std::mem::take(&mut *shared.tape());
        Finished { attempt: record.conclude(coverage), preemptions, tape }
    }
}

/// The executions of a scenario, and more about the last one.
pub(super) struct Finished<Op, Ret> {
    pub attempt: Attempt<Op, Ret>,
    /// The preemptions of the one that failed.
    pub preemptions: usize,
    pub tape: Tape<Op, Ret>,
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
        ::shuttle::Runner::new(super::strategy::Replayed::new(Choices::default()), config())
            .run(|| ());
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
        let listening = match self.strategy.needs_accesses() {
            true => Listening::to_announcements(),
            false => Listening::to_nothing(),
        };
        self.run(test, scenario, self.strategy.scheduler(seed), coverage, listening).attempt
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
                self.repeat(test, scenario, choices, Listening::to_nothing()).attempt
            }
            Some(Err(error)) => Record::refused(Truncation::Schedule(error)),
        }
    }

    fn retell(
        &mut self,
        test: &Test<T, S>,
        scenario: &Scenario<S::Op>,
        failure: FailureOf<S>,
    ) -> Retold<S::Op, S::Ret> {
        self.retell_simply(test, scenario, failure)
    }
}

/// State shared by the supervisor, outside of executions, and the threads inside.
pub(super) struct Shared<Op, Ret> {
    record: Mutex<Record<Op, Ret>>,
    /// The execution is over: a thread that unwinds now does so because of the scheduler, not
    /// because of an operation.
    pub over: AtomicBool,
    /// The preemptions of the failing execution.
    pub preemptions: AtomicUsize,
    pub processes: Processes,
    tape: Mutex<Tape<Op, Ret>>,
}

/// The steps and the events of an execution, if they are recorded.
pub(super) struct Tape<Op, Ret> {
    pub entries: Vec<Entry>,
    pub events: Vec<Event<Op, Ret>>,
}

impl<Op, Ret> Default for Tape<Op, Ret> {
    fn default() -> Self {
        Tape { entries: Vec::new(), events: Vec::new() }
    }
}

impl<Op, Ret> Default for Shared<Op, Ret> {
    fn default() -> Self {
        Shared {
            record: Mutex::default(),
            over: AtomicBool::new(false),
            preemptions: AtomicUsize::new(0),
            processes: Processes::default(),
            tape: Mutex::default(),
        }
    }
}

impl<Op, Ret> Shared<Op, Ret> {
    pub fn record(&self) -> MutexGuard<'_, Record<Op, Ret>> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tape(&self) -> MutexGuard<'_, Tape<Op, Ret>> {
        self.tape.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the steps up to here, if there is a tape.
    pub fn stop_tape(&self) {
        let entries = watch::stop();
        if !entries.is_empty() {
            self.tape().entries = entries;
        }
    }
}

impl<Op: Clone, Ret: Clone> Shared<Op, Ret> {
    /// Keeps the steps and the events of an execution, if there is a tape.
    pub fn end_tape(&self, events: &[Event<Op, Ret>]) {
        self.stop_tape();
        let mut tape = self.tape();
        if !tape.entries.is_empty() {
            tape.events = events.to_vec();
        }
    }
}

/// One execution, inside shuttle.
fn act<T, S>(stage: &Arc<Stage<T, S>>, shared: &Arc<Shared<S::Op, S::Ret>>)
where
    T: Send + Sync + 'static,
    S: Spec + Send + 'static,
{
    drop(::shuttle::thread::spawn(|| ())); // The sentinel, see the top of the file.
    let hooks = SwitchPoint::new(shared, stage.main_process());
    let object = Arc::new(stage.test.make());
    let scenario = &stage.scenario;
    if !stage.perform(&object, stage.main_process(), &scenario.setup, &hooks) {
        return;
    }
    let spawn = |thread: usize| {
        let (stage, object, shared) = (stage.clone(), object.clone(), shared.clone());
        ::shuttle::thread::spawn(move || {
            let ops = &stage.scenario.threads[thread];
            let process = thread as u32;
            stage.perform(&object, process, ops, &SwitchPoint::new(&shared, process))
        })
    };
    let threads: Vec<_> = (0..scenario.threads.len()).map(spawn).collect();
    let ended: Vec<bool> = threads.into_iter().map(|t| t.join().unwrap_or(false)).collect();
    if ended.into_iter().all(|fine| fine) {
        stage.perform(&object, stage.main_process(), &scenario.finally, &hooks);
    }
}

/// The first thread that is spawned.
pub(super) const SENTINEL: usize = 1;

struct SwitchPoint<Op, Ret> {
    shared: Arc<Shared<Op, Ret>>,
    /// Accessed only to let shuttle switch threads.
    point: ::shuttle::sync::atomic::AtomicBool,
}

impl<Op, Ret> SwitchPoint<Op, Ret> {
    /// For the thread that performs the operations of `process`.
    fn new(shared: &Arc<Shared<Op, Ret>>, process: u32) -> Self {
        shared.processes.enter(process);
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
