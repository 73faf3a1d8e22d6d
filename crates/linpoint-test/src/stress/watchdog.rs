//! The watchdog: waits for a batch and detects when progress stops.
//!
//! Progress has stopped if between several looks no operation was called or returned, and every thread is
//! either in the middle of an operation or has nothing left to do. Then the specification decides
//! whether these operations may wait (see [`crate::judge`]). If they may, the run has come to rest,
//! and the waiting operations are pending in its history; that is sound even if a thread was only
//! slow. If they may not, the watchdog waits until `patience` has passed. By then, each of these
//! threads must have been asleep or must have had a core for a while: a busy machine is not a
//! deadlock.
//!
//! Waiting must be cheap, since a run may well end in a wait. If the system says that all threads in the
//! middle of operations sleep, and that none of them has run between two looks, no thread is left that could wake
//! them, and two looks are enough. Where the system does not say so, or a thread waits without sleeping,
//! nothing must happen for a while. A run that has come to rest is released, and the batch goes on.

use std::time::{Duration, Instant};

use linpoint::Spec;

use super::breakpoints::Pace;
use super::collect::snapshot;
use super::os_thread::{PreciseTimers, ThreadState};
use super::pool::{Pool, Running};
use super::round::{Batch, Round, ThreadLog};
use crate::execution::Execution;
use crate::judge::{CheckLimits, Judgement, judge};
use crate::record::sheet::OPEN;

/// Interval between looks. A late look does not count for longer.
const TICK: Duration = Duration::from_millis(5);
/// The same, if operations of this test wait.
const SHORT_TICK: Duration = Duration::from_micros(50);
/// Time without any change before the specification is consulted, unless all threads sleep.
const QUIET: Duration = Duration::from_millis(20);

/// How a batch ended.
pub(crate) struct End<O, R> {
    /// The runs that came to rest, in order.
    pub(crate) rests: Vec<Rest<O, R>>,
    /// True if all threads have finished with the batch; false if some are still in the last run that came
    /// to rest.
    pub(crate) finished: bool,
}

/// A run in which progress has stopped.
pub(crate) struct Rest<O, R> {
    /// Its number in the batch.
    pub(crate) round: usize,
    pub(crate) execution: Execution<O, R>,
    pub(crate) judgement: Judgement,
}

/// How to watch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watch {
    /// Time without progress before a run is called stuck.
    pub(crate) patience: Duration,
    pub(crate) limits: CheckLimits,
    /// True if operations of this test are known to wait.
    pub(crate) expects_waits: bool,
}

/// Waits for the end of a batch.
pub(crate) fn wait_for_batch<T, S>(
    pool: &Pool<T, S>,
    running: &Running<T, S>,
    watch: Watch,
) -> End<S::Op, S::Ret>
where
    T: Send + Sync + 'static,
    S: Spec + Send + 'static,
{
    let batch = running.batch();
    let _precise = watch.expects_waits.then(PreciseTimers::new);
    let mut rests: Vec<Rest<S::Op, S::Ret>> = Vec::new();
    let mut looks = Looks::default();
    loop {
        let is_eager = watch.expects_waits && !looks.asked;
        if running.wait(if is_eager { SHORT_TICK } else { TICK }) {
            return End { rests, finished: true };
        }
        let round = batch.earliest_round();
        if !looks.nothing_moved(batch, round) {
            continue;
        }
        let is_over = looks.quiet >= watch.patience;
        if rests.last().is_some_and(|rest| rest.round == round) {
            if is_over {
                // Its threads have been released and do not leave.
                return End { rests, finished: false };
            }
            continue;
        }
        let current = &batch.rounds[round];
        if looks.asked && !is_over || !is_at_rest(current) || !looks.are_long_enough(current, pool)
        {
            continue;
        }
        if is_over && looks.someone_starved(pool, watch.patience) {
            continue;
        }
        let execution =
            snapshot(&batch.test, current, |thread| pool.state_of(thread).describe().to_owned());
        if execution.waiting().next().is_none() {
            continue;
        }
        let judgement = judge(batch.test.specification(), &execution, &watch.limits);
        looks.asked = true;
        if judgement != Judgement::Correct && !is_over {
            continue;
        }
        let goes_on = judgement == Judgement::Correct && batch.test.unblocks().is_some();
        rests.push(Rest { round, execution, judgement });
        if !goes_on {
            return End { rests, finished: false };
        }
        running.release(pool, round);
        looks = Looks::default();
    }
}

/// What the watchdog has seen since something moved.
#[derive(Default)]
struct Looks {
    /// The run of each thread, and the progress of the earliest run and the next.
    seen: Option<(Vec<usize>, usize)>,
    last: Option<Instant>,
    /// How long nothing has moved.
    quiet: Duration,
    /// True if the specification has been asked and does not allow the wait.
    asked: bool,
    /// At the last look, all threads in the middle of operations slept; when each of them last ran.
    asleep: Option<Vec<u64>>,
    /// The threads when nothing had moved for [`QUIET`].
    states: Vec<ThreadState>,
}

impl Looks {
    /// Looks. True if nothing has moved since the last look.
    fn nothing_moved<T, S: Spec>(&mut self, batch: &Batch<T, S>, round: usize) -> bool {
        let now = Instant::now();
        let seen = (batch.positions(), batch.progress_from(round));
        let is_paused = batch.pace.as_ref().is_some_and(Pace::is_paused);
        if is_paused || self.seen.as_ref() != Some(&seen) {
            *self = Looks { seen: Some(seen), last: Some(now), ..Looks::default() };
            return false;
        }
        let since = self.last.replace(now).map_or(Duration::ZERO, |last| now - last);
        self.quiet += since.min(TICK);
        true
    }

    /// True if the run will hardly go on by itself.
    fn are_long_enough<T, S>(&mut self, round: &Round<T, S>, pool: &Pool<T, S>) -> bool
    where
        T: Send + Sync + 'static,
        S: Spec + Send + 'static,
    {
        if self.quiet >= QUIET {
            if self.states.is_empty() {
                let threads = 0..round.scenario.threads.len();
                self.states = threads.map(|thread| pool.state_of(thread)).collect();
            }
            return true;
        }
        let asleep: Option<Vec<u64>> =
            busy_threads(round).map(|thread| pool.asleep_since(thread)).collect();
        let have_slept = asleep.is_some() && asleep == self.asleep;
        self.asleep = asleep;
        have_slept
    }

    /// True if a thread was runnable all the time but got hardly any CPU time.
    fn someone_starved<T, S>(&self, pool: &Pool<T, S>, patience: Duration) -> bool
    where
        T: Send + Sync + 'static,
        S: Spec + Send + 'static,
    {
        let starved =
            |(thread, before): (usize, &ThreadState)| match (before, pool.state_of(thread)) {
                (ThreadState::Running(then), ThreadState::Running(now)) => {
                    now.saturating_sub(*then) < patience / 50
                }
                _ => false,
            };
        self.states.iter().enumerate().any(starved)
    }
}

fn is_open<S: Spec>(log: &ThreadLog<S>) -> bool {
    log.called().checked_sub(1).and_then(|last| log.get(last)).is_some_and(|e| e.end == OPEN)
}

/// The workers in the middle of an operation. The first one performs the setup and the final operations.
fn busy_threads<T, S: Spec>(round: &Round<T, S>) -> impl Iterator<Item = usize> {
    let threads = round.scenario.threads.len();
    let open = (0..=threads).filter(|thread| is_open::<S>(round.log_of(*thread)));
    open.map(move |thread| if thread == threads { 0 } else { thread })
}

/// True if no thread of the run is between two operations.
fn is_at_rest<T, S: Spec>(round: &Round<T, S>) -> bool {
    let threads = &round.scenario.threads;
    if is_open::<S>(round.log_of(threads.len())) {
        return true;
    }
    let panicked = |thread: usize| {
        let panics = round.panics.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        panics.iter().any(|(panicked, _, _)| *panicked == thread)
    };
    let rests = |(thread, ops): (usize, &Vec<S::Op>)| {
        let log = round.log_of(thread);
        log.called() == ops.len() || is_open::<S>(log) || panicked(thread)
    };
    !round.has_ended() && threads.iter().enumerate().all(rests)
}
