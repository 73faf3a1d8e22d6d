//! The watchdog: waits for a batch, and finds out when nothing moves any more.
//!
//! Nothing moves if for a while no operation was called or returned, and every thread is either in the
//! midst of an operation or has nothing more to do. Then the specification is asked whether those
//! operations may wait (see [`crate::judge`]). If they may, the run has come to rest, and what waits is
//! pending in its history: that is right even if a thread was only slow. If they may not, nothing is said
//! until `patience` has passed, during which each of these threads must have been asleep or must have had
//! a core for a while: a busy machine is no deadlock.

use std::time::Duration;

use linpoint::Spec;

use super::harvest::snapshot;
use super::place::Doing;
use super::pool::{Pool, Running};
use super::round::Round;
use crate::execution::Execution;
use crate::judge::{CheckLimits, Judgement, judge};
use crate::record::sheet::OPEN;

/// How often the watchdog looks. A look that comes late counts as one.
const TICK: Duration = Duration::from_millis(5);
/// After so many looks without any change, the specification is asked.
const QUIET: u32 = 4;

/// How a batch ended.
pub(crate) enum End<O, R> {
    /// All threads have finished all runs.
    Finished,
    /// In one of the runs, nothing moves any more.
    AtRest(Box<Rest<O, R>>),
}

/// A run in which nothing moves any more.
pub(crate) struct Rest<O, R> {
    /// Its number in the batch.
    pub(crate) round: usize,
    pub(crate) execution: Execution<O, R>,
    pub(crate) judgement: Judgement,
}

/// Waits for the end of a batch.
pub(crate) fn watch<T, S>(
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
    let mut busy: Vec<Doing> = Vec::new();
    let threads = batch.places.len();
    let enough = (patience.as_nanos() / TICK.as_nanos()) as u32;
    loop {
        if running.wait(TICK) {
            return End::Finished;
        }
        let places: Vec<usize> =
            batch.places.iter().map(|p| p.0.load(std::sync::atomic::Ordering::Acquire)).collect();
        let round = places.iter().copied().min().unwrap_or(0);
        let progress: usize = batch.rounds[round..].iter().take(2).map(Round::progress).sum();
        if before != Some((places.clone(), progress)) {
            before = Some((places, progress));
            quiet = 0;
            busy = (0..threads).map(|thread| pool.doing(thread)).collect();
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
            && (0..threads).any(|t| was_kept_from_running(&busy[t], pool.doing(t), patience))
        {
            continue;
        }
        let execution = snapshot(current, |thread| pool.doing(thread).describe().to_owned());
        if execution.waiting().next().is_none() {
            continue;
        }
        let judgement = judge(batch.test.specification(), &execution, limits);
        if judgement == Judgement::Fine || quiet >= enough {
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
        panics.iter().any(|(who, _, _)| *who == thread)
    };
    let rests = |(thread, ops): (usize, &Vec<S::Op>)| {
        let log = round.log_of(thread);
        log.called() == ops.len() || is_open(log) || panicked(thread)
    };
    !round.has_ended() && threads.iter().enumerate().all(rests)
}

/// True if a thread wanted to run all the time and has hardly been let.
fn was_kept_from_running(before: &Doing, now: Doing, patience: Duration) -> bool {
    match (before, now) {
        (Doing::Running(then), Doing::Running(now)) => now.saturating_sub(*then) < patience / 50,
        _ => false,
    }
}
