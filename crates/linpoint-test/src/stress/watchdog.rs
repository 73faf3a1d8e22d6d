//! The watchdog: waits for a batch and detects when progress stops.
//!
//! Progress has stopped if for a while no operation was called or returned, and every thread is
//! either in the middle of an operation or has nothing left to do. Then the specification decides
//! whether these operations may wait (see [`crate::judge`]). If they may, the run has come to rest,
//! and the waiting operations are pending in its history; that is sound even if a thread was only
//! slow. If they may not, the watchdog waits until `patience` has passed. By then, each of these
//! threads must have been asleep or must have had a core for a while: a busy machine is not a
//! deadlock.

use std::sync::atomic::Ordering;
use std::time::Duration;

use linpoint::Spec;

use super::collect::snapshot;
use super::os_thread::ThreadState;
use super::pool::{Pool, Running};
use super::round::Round;
use crate::execution::Execution;
use crate::judge::{CheckLimits, Judgement, judge};
use crate::record::sheet::OPEN;

/// Interval between looks of the watchdog. A late look counts once.
const TICK: Duration = Duration::from_millis(5);
/// Looks without any change before the specification is consulted.
const QUIET: u32 = 4;

/// How a batch ended.
pub(crate) enum End<O, R> {
    /// All threads have finished all runs.
    Finished,
    /// Progress has stopped in one of the runs.
    AtRest(Box<Rest<O, R>>),
}

/// A run in which progress has stopped.
pub(crate) struct Rest<O, R> {
    /// Its number in the batch.
    pub(crate) round: usize,
    pub(crate) execution: Execution<O, R>,
    pub(crate) judgement: Judgement,
}

/// Waits for the end of a batch.
pub(crate) fn wait_for_batch<T, S>(
    pool: &Pool<T, S>,
    running: &Running<T, S>,
    patience: Duration,
    limits: &CheckLimits,
) -> End<S::Op, S::Ret>
where
    T: Send + Sync + 'static,
    S: Spec + Send + 'static,
{
    let batch = running.batch();
    let mut before = None;
    let mut quiet = 0_u32;
    let mut busy: Vec<ThreadState> = Vec::new();
    let threads = batch.current_rounds.len();
    let enough = (patience.as_nanos() / TICK.as_nanos()) as u32;
    loop {
        if running.wait(TICK) {
            return End::Finished;
        }
        let at: Vec<usize> =
            batch.current_rounds.iter().map(|round| round.0.load(Ordering::Acquire)).collect();
        let round = at.iter().copied().min().unwrap_or(0);
        let progress: usize = batch.rounds[round..].iter().take(2).map(Round::progress).sum();
        if before != Some((at.clone(), progress)) {
            before = Some((at, progress));
            quiet = 0;
            busy = (0..threads).map(|thread| pool.state_of(thread)).collect();
            continue;
        }
        quiet += 1;
        if quiet < QUIET || (quiet > QUIET && quiet < enough) {
            continue;
        }
        let current = &batch.rounds[round];
        if !is_at_rest(current) {
            continue;
        }
        if quiet >= enough
            && (0..threads).any(|t| was_starved(&busy[t], pool.state_of(t), patience))
        {
            continue;
        }
        let execution = snapshot(current, |thread| pool.state_of(thread).describe().to_owned());
        if execution.waiting().next().is_none() {
            continue;
        }
        let judgement = judge(batch.test.specification(), &execution, limits);
        if judgement == Judgement::Correct || quiet >= enough {
            return End::AtRest(Box::new(Rest { round, execution, judgement }));
        }
    }
}

/// True if no thread of the run is between two operations.
fn is_at_rest<T, S: Spec>(round: &Round<T, S>) -> bool {
    let threads = &round.scenario.threads;
    let main = round.log_of(threads.len());
    let is_open = |log: &super::round::ThreadLog<S>| {
        log.called().checked_sub(1).and_then(|last| log.get(last)).is_some_and(|e| e.end == OPEN)
    };
    if is_open(main) {
        return true;
    }
    let panicked = |thread: usize| {
        let panics = round.panics.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        panics.iter().any(|(panicked, _, _)| *panicked == thread)
    };
    let rests = |(thread, ops): (usize, &Vec<S::Op>)| {
        let log = round.log_of(thread);
        log.called() == ops.len() || is_open(log) || panicked(thread)
    };
    !round.has_ended() && threads.iter().enumerate().all(rests)
}

/// True if a thread was runnable all the time but got hardly any CPU time.
fn was_starved(before: &ThreadState, now: ThreadState, patience: Duration) -> bool {
    match (before, now) {
        (ThreadState::Running(then), ThreadState::Running(now)) => {
            now.saturating_sub(*then) < patience / 50
        }
        _ => false,
    }
}
