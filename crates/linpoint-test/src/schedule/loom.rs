//! Scenarios under loom: all executions that the C11 memory model allows, as far as loom implements
//! it.
//!
//! # The order between operations
//!
//! Linearizability is about operations that end before others begin. C11 has no such time, only
//! *happens-before*, and loom lets a load read any store that happens-before does not rule out,
//! even if a later one was executed long ago. [`Order`] says what "before" means. The recorder
//! matters here: what it does to learn the order may itself synchronise the threads, and so hide
//! that the object fails to.
//!
//! | order | how it is learnt | hidden bugs | false alarms |
//! | --- | --- | --- | --- |
//! | [`Order::Synchronised`] (default) | calls and returns advance a clock with acquire and release | those that need operations which do not overlap *and* are not synchronised by their users: a write that is not yet visible when it returns; store buffering across several operations of a thread | none known |
//! | [`Order::Unsynchronised`] | the same clock, relaxed | none that loom can see | objects that are correct only for users who synchronise: a register with a release store and an acquire load |
//! | [`Order::Program`] | not at all: only the order of each thread counts (sequential consistency) | a stale result, as long as some order of all operations explains it | none known |
//!
//! The recorder never synchronises operations that overlap. A missing acquire or release inside an
//! object shows there: the other thread sees the pointer before the data it points to.
//!
//! The clock is visible to loom on purpose. Loom skips schedules that differ only in the order of
//! independent steps. With a clock that loom cannot see, calls and returns would be independent of
//! everything, and orders that matter for the history would never be tried. The price is more
//! executions.
//!
//! # Limits
//!
//! Loom supports at most four threads besides the one that runs the setup, and remembers at most
//! seven values of an atomic variable. It treats sequentially consistent loads and stores as
//! acquire and release, so an object that needs more than that from them, instead of from fences,
//! raises a false alarm. Loom cannot continue after an execution in which all threads wait; if the
//! wait is legal, the exploration counts as truncated. The same holds for a loop that waits without
//! [`yield_now`](crate::sync::thread::yield_now): loom runs out of branches.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ::loom::sync::atomic::AtomicUsize;
use linpoint::Spec;

use super::journal::{End, Event};
use super::loom_judge::Judge;
use super::stage::{Record, SchedulerHooks, Stage};
use crate::definition::Test;
use crate::execution::{Attempt, Coverage, FailureOf, Retold, Runner, Truncation, message_of};
use crate::judge::CheckLimits;
use crate::scenario::Scenario;
use crate::sync::watch::{self, Entry, Listening};

/// The order between operations. See the [module documentation](self).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Order {
    /// An operation that returns before another is called also happens before it.
    #[default]
    Synchronised,
    /// An operation that returns before another is called need not be visible to it.
    Unsynchronised,
    /// Only operations of the same thread are ordered.
    Program,
}

impl Order {
    fn describe(self) -> &'static str {
        match self {
            Order::Synchronised => "synchronised by the clock",
            Order::Unsynchronised => "relaxed clock",
            Order::Program => "program order only",
        }
    }
}

/// Executes scenarios under loom.
#[derive(Clone, Debug)]
pub struct Loom {
    order: Order,
    executions: u64,
    branches: usize,
    preemptions: Option<usize>,
    time: Option<Duration>,
    limits: CheckLimits,
}

impl Default for Loom {
    fn default() -> Self {
        Loom::new()
    }
}

impl Loom {
    /// Explores all executions of each scenario, but at most a million, each with at most 10,000
    /// branches.
    pub fn new() -> Self {
        Loom {
            order: Order::default(),
            executions: 1_000_000,
            branches: 10_000,
            preemptions: None,
            time: None,
            limits: CheckLimits::default(),
        }
    }

    /// The order between operations; [`Order::Synchronised`] by default.
    pub fn order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// Limits the executions of a scenario.
    pub fn executions(mut self, executions: u64) -> Self {
        self.executions = executions.max(1);
        self
    }

    /// Limits the branches of an execution. Loom reserves memory for them.
    pub fn branches(mut self, branches: usize) -> Self {
        self.branches = branches.max(1);
        self
    }

    /// Explores only executions with at most this many preemptions.
    pub fn preemptions(mut self, preemptions: usize) -> Self {
        self.preemptions = Some(preemptions.min(u8::MAX.into()));
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
        format!("loom, {}", self.order.describe())
    }

    fn builder(&self) -> ::loom::model::Builder {
        let mut builder = ::loom::model::Builder::new();
        // Loom's own limits, which its environment variables set, end an exploration silently.
        builder.max_permutations = None;
        builder.max_duration = None;
        builder.checkpoint_file = None;
        builder.preemption_bound = self.preemptions;
        builder.max_branches = self.branches;
        builder
    }
}

impl<T, S> Runner<T, S> for Loom
where
    T: Send + Sync + 'static,
    S: Spec + Send + 'static,
{
    fn describe(&self) -> String {
        Loom::describe(self)
    }

    fn mode(&self) -> &'static str {
        "loom"
    }

    fn attempt(&mut self, test: &Test<T, S>, scenario: &Scenario<S::Op>) -> Attempt<S::Op, S::Ret> {
        let _listening = Listening::to_nothing();
        self.explore(test, scenario, None).0
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

/// The steps and the events of the execution that was to be recorded.
pub(super) type Recorded<Op, Ret> = Option<(Vec<Entry>, Vec<Event<Op, Ret>>)>;

/// The executions of a scenario, and the recorded one.
pub(super) type Explored<S> =
    (Attempt<<S as Spec>::Op, <S as Spec>::Ret>, Recorded<<S as Spec>::Op, <S as Spec>::Ret>);

impl Loom {
    /// Explores the scenario. The execution with the number `recorded` is kept, if somebody listens
    /// to steps.
    pub(super) fn explore<T, S>(
        &self,
        test: &Test<T, S>,
        scenario: &Scenario<S::Op>,
        recorded: Option<u64>,
    ) -> Explored<S>
    where
        T: Send + Sync + 'static,
        S: Spec + Send + 'static,
    {
        if scenario.threads.len() >= ::loom::MAX_THREADS {
            let refused = Record::refused(Truncation::Threads(::loom::MAX_THREADS - 1));
            return (refused, None);
        }
        #[cfg(feature = "shuttle")]
        super::shuttle::install_hook();
        let stage = Stage::new(test, scenario);
        let (judge, judging) = Judge::start(stage.clone(), self.order, self.limits);
        let exploration = Arc::new(Exploration {
            stage,
            judge,
            record: Mutex::default(),
            order: self.order,
            executions: self.executions,
            deadline: self.time.map(|time| Instant::now() + time),
            recorded,
            tape: Mutex::new(None),
        });
        let inside = exploration.clone();
        let builder = self.builder();
        let run = AssertUnwindSafe(move || builder.check(move || inside.execute()));
        if let Err(payload) = catch_unwind(run)
            && !payload.is::<Stop>()
        {
            exploration.end_by_panic(&message_of(&*payload));
        }
        let mut record = std::mem::take(&mut *exploration.record());
        if let Some(preemptions) = self.preemptions {
            record.truncated.get_or_insert(Truncation::Preemptions(preemptions));
        }
        // The judge ends when its channel closes. Stacks leaked by a panic may still hold a sender,
        // so close it.
        exploration.judge.dismiss();
        let _ = judging.join();
        let tape = exploration.tape.lock().unwrap_or_else(PoisonError::into_inner).take();
        (record.conclude(Coverage::All), tape)
    }

    /// The bound on preemptions, if there is one.
    pub(super) fn preemption_bound(&self) -> Option<usize> {
        self.preemptions
    }
}

/// The payload that ends the exploration from inside.
struct Stop;

struct Exploration<T, S: Spec> {
    stage: Arc<Stage<T, S>>,
    judge: Judge<S>,
    record: Mutex<Record<S::Op, S::Ret>>,
    order: Order,
    executions: u64,
    deadline: Option<Instant>,
    /// The number of the execution that is recorded.
    recorded: Option<u64>,
    tape: Mutex<Recorded<S::Op, S::Ret>>,
}

impl<T, S> Exploration<T, S>
where
    T: Send + Sync + 'static,
    S: Spec + Send + 'static,
{
    fn record(&self) -> MutexGuard<'_, Record<S::Op, S::Ret>> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One execution, inside loom.
    fn execute(self: &Arc<Self>) {
        self.check_limits();
        self.stage.journal.take();
        watch::rewind(self.recorded == Some(self.record().executions + 1));
        self.act();
        if self.conclude(&End::Finished) {
            // Unwinds without calling the panic hook. All threads have ended, and the object is
            // dropped.
            resume_unwind(Box::new(Stop));
        }
    }

    fn check_limits(&self) {
        let mut record = self.record();
        let why = if record.executions >= self.executions {
            Truncation::Executions(self.executions)
        } else if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            Truncation::Time
        } else {
            return;
        };
        record.truncated.get_or_insert(why);
        drop(record);
        resume_unwind(Box::new(Stop));
    }

    fn act(self: &Arc<Self>) {
        let Exploration { stage, order, .. } = &**self;
        let clocks: Arc<[AtomicUsize]> = [AtomicUsize::new(0), AtomicUsize::new(0)].into();
        let main = ClockHooks { order: *order, clocks, place: Place::Alone };
        let object = Arc::new(stage.test.make());
        let scenario = &stage.scenario;
        if !stage.perform(&object, stage.main_process(), &scenario.setup, &main) {
            return;
        }
        let spawn = |thread: usize| {
            let (exploration, object) = (self.clone(), object.clone());
            let place = Place::of(thread, scenario.threads.len());
            let hooks = ClockHooks { place, ..main.clone() };
            ::loom::thread::spawn(move || {
                let stage = &exploration.stage;
                let ops = &stage.scenario.threads[thread];
                stage.perform(&object, thread as u32, ops, &hooks)
            })
        };
        let threads: Vec<_> = (0..scenario.threads.len()).map(spawn).collect();
        let ended: Vec<bool> = threads.into_iter().map(|t| t.join().unwrap_or(false)).collect();
        if ended.into_iter().all(|fine| fine) {
            stage.perform(&object, stage.main_process(), &scenario.finally, &main);
        }
    }

    /// Judges the execution that has just ended. True if it fails.
    fn conclude(&self, end: &End) -> bool {
        let events = self.stage.journal.take();
        if watch::is_recording() {
            let tape = (watch::stop(), events.clone());
            *self.tape.lock().unwrap_or_else(PoisonError::into_inner) = Some(tape);
        }
        let mut record = self.record();
        let Some(execution) = record.enter(&events, end) else { return false };
        let judgement = self.judge.ask(execution.clone(), events);
        record.settle(execution, judgement)
    }

    /// Ends the exploration after loom itself has panicked.
    fn end_by_panic(&self, message: &str) {
        let (end, why) = if message.starts_with(DEADLOCK) {
            (End::Waiting, Truncation::Wait)
        } else if message.starts_with(TOO_LONG) {
            (End::Cut(Truncation::Branches), Truncation::Branches)
        } else {
            let why = Truncation::Panic { scheduler: "loom", message: message.to_owned() };
            (End::Cut(why.clone()), why)
        };
        self.conclude(&end);
        self.record().truncated.get_or_insert(why);
    }
}

const DEADLOCK: &str = "deadlock; threads";
const TOO_LONG: &str = "Model exceeded maximum number of branches";

/// How many threads run concurrently with this one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// None: a single thread, or before the threads start and after they have ended.
    Alone,
    /// One other thread; the number of this one, 0 or 1.
    Pair(usize),
    /// Several other threads.
    Crowd,
}

impl Place {
    fn of(thread: usize, threads: usize) -> Place {
        match threads {
            0 | 1 => Place::Alone,
            2 => Place::Pair(thread),
            _ => Place::Crowd,
        }
    }
}

/// The clock. Only the order between a return and a call of another thread matters, not the order
/// of two calls or of two returns. With two threads, each counts its returns and reads the count of
/// the other before a call, so that loom does not try orders that do not matter. More threads share
/// one count.
#[derive(Clone)]
struct ClockHooks {
    order: Order,
    clocks: Arc<[AtomicUsize]>,
    place: Place,
}

impl ClockHooks {
    fn advance(&self, clock: usize, by: usize) {
        let ordering = match self.order {
            Order::Synchronised => Ordering::AcqRel,
            Order::Unsynchronised => Ordering::Relaxed,
            Order::Program => return,
        };
        // Unlike a load, this never reads an old value.
        self.clocks[clock].fetch_add(by, ordering);
    }
}

impl SchedulerHooks for ClockHooks {
    fn before_call(&self) {
        match self.place {
            Place::Alone => {}
            Place::Pair(thread) => self.advance(1 - thread, 0),
            Place::Crowd => self.advance(0, 1),
        }
    }

    fn after_return(&self) {
        match self.place {
            Place::Alone => {}
            Place::Pair(thread) => self.advance(thread, 1),
            Place::Crowd => self.advance(0, 1),
        }
    }

    fn is_scheduler_panic(&self, message: &str) -> bool {
        message.starts_with(DEADLOCK) || message.starts_with(TOO_LONG)
    }
}
