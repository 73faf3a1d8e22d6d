//! Turns the logs of a run into an execution.

use std::sync::PoisonError;

use linpoint::history::{HistoryError, HistoryErrorKind};
use linpoint::{OpId, Spec};

use super::round::{Round, ThreadLog};
use crate::definition::Test;
use crate::execution::{Execution, ExecutionOf, Unfinished, UnfinishedReason};
use crate::record::merge::{Lane, Row, merge};
use crate::record::sheet::OPEN;
use crate::scenario::Scenario;

/// The execution of a run that has ended, and its logs for reuse.
pub(crate) fn finished<T, S: Spec>(
    test: &Test<T, S>,
    round: Round<T, S>,
) -> (ExecutionOf<S>, Vec<ThreadLog<S>>) {
    let Round { object, scenario, mut logs, panics, .. } = round;
    drop(object);
    let Scenario { mut setup, threads, finally } = scenario;
    setup.extend(finally);
    let mut lanes = Vec::with_capacity(logs.len());
    for (process, (log, ops)) in (0..).zip(logs.iter_mut().zip(threads.into_iter().chain([setup])))
    {
        let mut ops = ops.into_iter();
        let mut rows = Vec::with_capacity(log.called());
        log.drain(|(), ret, call, end| {
            rows.extend(ops.next().map(|op| Row { op, ret, call, end }));
        });
        lanes.push(Lane { process, rows });
    }
    let panics = panics.into_inner().unwrap_or_else(PoisonError::into_inner);
    relax(test, &mut lanes);
    (execution(lanes, &panics, Vec::new()), logs)
}

/// The execution so far of a run whose threads may still be active. `state_of` is the state of a
/// thread that has not returned.
pub(crate) fn snapshot<T, S: Spec>(
    test: &Test<T, S>,
    round: &Round<T, S>,
    state_of: impl Fn(usize) -> String,
) -> ExecutionOf<S> {
    let Scenario { setup, threads, finally } = &round.scenario;
    let main: Vec<S::Op> = setup.iter().chain(finally).cloned().collect();
    let mut lanes = Vec::with_capacity(round.logs.len());
    let panics = round.panics.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let mut waiting = Vec::new();
    let all = threads.iter().map(Vec::as_slice).chain([main.as_slice()]);
    for (thread, (log, ops)) in round.logs.iter().zip(all).enumerate() {
        let rows: Vec<Row<S::Op, S::Ret>> = log
            .entries()
            .zip(ops)
            .map(|(entry, op)| Row {
                op: op.clone(),
                ret: entry.ret.cloned(),
                call: entry.call,
                end: entry.end,
            })
            .collect();
        let is_open = rows.last().is_some_and(|row| row.end == OPEN);
        if is_open && !panics.iter().any(|(panicked, _, _)| *panicked == thread) {
            // The first thread performs the setup and the final operations.
            let worker = if thread == threads.len() { 0 } else { thread };
            waiting.push((thread, rows.len() - 1, state_of(worker)));
        }
        lanes.push(Lane { process: thread as u32, rows });
    }
    relax(test, &mut lanes);
    execution(lanes, &panics, waiting)
}

/// Forgets the results of relaxed operations that overlap an operation of another thread.
fn relax<T, S: Spec>(test: &Test<T, S>, lanes: &mut [Lane<S::Op, S::Ret>]) {
    let Some(is_relaxed) = test.relaxed_ops() else { return };
    for at in 0..lanes.len() {
        for row in 0..lanes[at].rows.len() {
            let Row { op, call, end, .. } = &lanes[at].rows[row];
            let (call, end) = (*call, *end);
            let overlaps = |other: &Row<S::Op, S::Ret>| other.call <= end && call <= other.end;
            let mut others = lanes.iter().enumerate().filter(|(other, _)| *other != at);
            if is_relaxed(op) && others.any(|(_, lane)| lane.rows.iter().any(overlaps)) {
                lanes[at].rows[row].ret = None;
            }
        }
    }
}

fn execution<O, R>(
    lanes: Vec<Lane<O, R>>,
    panics: &[(usize, usize, String)],
    waiting: Vec<(usize, usize, String)>,
) -> Execution<O, R> {
    let first = |thread: usize| lanes[..thread].iter().map(|lane| lane.rows.len()).sum::<usize>();
    let id = |thread: usize, number: usize| OpId((first(thread) + number) as u32);
    let mut unfinished: Vec<Unfinished> = Vec::new();
    for (thread, number, message) in panics {
        unfinished.push(Unfinished {
            op: id(*thread, *number),
            reason: UnfinishedReason::Panicked(message.clone()),
        });
    }
    for (thread, number, state) in waiting {
        unfinished
            .push(Unfinished { op: id(thread, number), reason: UnfinishedReason::Waiting(state) });
    }
    let history = merge(lanes).unwrap_or_else(|error| invalid(&error));
    Execution { history, unfinished, schedule: None }
}

/// Logs without overlaps in which calls precede returns form a valid history, unless it has more
/// than two billion operations.
#[cold]
fn invalid(error: &HistoryError) -> ! {
    match error.kind() {
        HistoryErrorKind::TooLarge => panic!("a run has too many operations: {error}"),
        _ => panic!("the logs of a run are inconsistent, which is a bug in linpoint-test: {error}"),
    }
}
