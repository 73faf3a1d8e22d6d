//! Obstruction-freedom: an operation that runs alone returns, wherever the other threads have stopped.
//!
//! Two observations in an execution show the opposite:
//!
//! * A thread in the middle of an operation cannot run: it sleeps, or waits for a lock. Only another thread can wake it.
//! * A thread in the middle of an operation yields, is run alone from there on, and does not return: it spins. A thread
//!   that yields only to back off returns.
//!
//! The first is noticed in every execution. For the second, all other threads are stopped where a thread yields, so it is
//! not for strategies that try all schedules: they would miss some. A loop that spins without a yield is cut off by the
//! limit on steps, as always.
//!
//! *Paper.* Herlihy, Luchangco and Moir, "Obstruction-free synchronization", ICDCS 2003.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};

use ::shuttle::scheduler::TaskId;

use super::journal::Journal;

/// An operation that has made this many steps alone waits for something.
const STEPS_ALONE: usize = 1_000;

/// Which process each thread is.
#[derive(Default)]
pub(super) struct Processes(Mutex<HashMap<TaskId, u32>>);

impl Processes {
    /// The current thread performs the operations of `process`.
    pub fn enter(&self, process: u32) {
        if let Some(task) = ::shuttle::current::try_get_current_task() {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(task, process);
        }
    }

    fn of(&self, task: TaskId) -> Option<u32> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&task).copied()
    }
}

/// Watches over an execution.
#[derive(Default)]
pub(super) struct Obstruction {
    /// The thread that runs alone, the number of its operation, and its steps.
    alone: Option<(TaskId, usize, usize)>,
}

/// What `current` has just done.
pub(super) struct Moment {
    pub current: TaskId,
    pub can_run: bool,
    pub yields: bool,
    /// Threads that yield may be run alone.
    pub may_stop_others: bool,
}

impl Obstruction {
    /// The process whose operation needs another thread to return, if that has become clear.
    pub fn observe<Op: Clone + Hash, Ret>(
        &mut self,
        moment: &Moment,
        processes: &Processes,
        journal: &Journal<Op, Ret>,
        may_block: impl Fn(&Op) -> bool,
    ) -> Option<u32> {
        let process = processes.of(moment.current)?;
        let open = journal.open(process).filter(|(_, op)| !may_block(op));
        let Some((call, _)) = open else {
            self.alone = None;
            return None;
        };
        if !moment.can_run {
            return Some(process);
        }
        let steps = match self.alone {
            Some((task, same, steps)) if task == moment.current && same == call => steps + 1,
            _ if moment.yields && moment.may_stop_others => 0,
            _ => {
                self.alone = None;
                return None;
            }
        };
        self.alone = Some((moment.current, call, steps));
        (steps >= STEPS_ALONE).then_some(process)
    }

    /// The only thread that may run, if all others are stopped.
    pub fn alone(&self) -> Option<TaskId> {
        self.alone.map(|(task, ..)| task)
    }
}
