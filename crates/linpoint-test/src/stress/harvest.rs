//! From the logs of a run to an execution.

use std::sync::PoisonError;

use linpoint::history::{HistoryError, HistoryErrorKind};
use linpoint::{OpId, Spec};

use super::round::{Round, ThreadLog};
use crate::execution::{Execution, ExecutionOf, Unfinished, Why};
use crate::record::merge::{Lane, Row, merge};
use crate::record::sheet::OPEN;
use crate::scenario::Scenario;

/// What a run that has ended leaves: the execution, and logs that can be used again.
pub(crate) fn finished<T, S: Spec>(round: Round<T, S>) -> (ExecutionOf<S>, Vec<ThreadLog<S>>) {
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
    (execution(lanes, &panics, Vec::new()), logs)
}

/// What a run has come to in which threads may still be doing something. `doing` tells for a thread that has not
/// returned what it is doing.
pub(crate) fn snapshot<T, S: Spec>(
    round: &Round<T, S>,
    doing: impl Fn(usize) -> String,
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
        if is_open && !panics.iter().any(|(who, _, _)| *who == thread) {
            // The setup and the final operations are the first thread's.
            let who = if thread == threads.len() { 0 } else { thread };
            waiting.push((thread, rows.len() - 1, doing(who)));
        }
        lanes.push(Lane { process: thread as u32, rows });
    }
    execution(lanes, &panics, waiting)
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
        unfinished
            .push(Unfinished { op: id(*thread, *number), why: Why::Panicked(message.clone()) });
    }
    for (thread, number, doing) in waiting {
        unfinished.push(Unfinished { op: id(thread, number), why: Why::Waiting(doing) });
    }
    let history = merge(lanes).unwrap_or_else(|error| refused(&error));
    Execution { history, unfinished, schedule: None }
}

/// A log without overlaps in which calls come before returns is a valid history, unless it has more than
/// two thousand million operations.
#[cold]
fn refused(error: &HistoryError) -> ! {
    match error.kind() {
        HistoryErrorKind::TooLarge => panic!("a run has too many operations: {error}"),
        _ => panic!(
            "the logs of a run do not fit together, which is a bug of linpoint-test: {error}"
        ),
    }
}
