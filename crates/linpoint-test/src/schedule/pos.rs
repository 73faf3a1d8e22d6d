//! Partial order sampling.
//!
//! *Idea.* A schedule matters only by the order of accesses that race: to the same object, at least
//! one of them a write. Every thread's next access gets a random priority, and the one with the
//! highest priority is executed. Afterwards, the accesses that race with it get new priorities,
//! and all others keep theirs. So the order of independent accesses, which does not matter, is not
//! drawn again and again, and every order of racing accesses gets a fair share of the schedules.
//!
//! *Paper.* Yuan, Yang and Gu, "Partial order aware concurrency sampling", CAV 2018.
//!
//! *Deviations.* A thread that yields waits for the others: loops that wait make no progress
//! otherwise. Accesses that are not announced race with nothing. The main thread runs first
//! ([`main_thread`]).

use ::shuttle::scheduler::{DataSource, RandomDataSource, Schedule, Scheduler, Task, TaskId};

use super::pending::{Pending, main_thread};
use crate::rng::{SplitMix64, mix};

/// Chooses by priorities of accesses.
pub(super) struct Pos {
    random: SplitMix64,
    data: RandomDataSource,
    pending: Pending,
    /// The priority of the next access of each thread; `None` if it has to be drawn.
    priorities: Vec<Option<u64>>,
}

impl Pos {
    pub fn new(seed: u64) -> Self {
        Pos {
            random: SplitMix64::new(mix(seed)),
            data: RandomDataSource::initialize(seed),
            pending: Pending::default(),
            priorities: Vec::new(),
        }
    }

    fn slot(&mut self, thread: TaskId) -> &mut Option<u64> {
        let number = usize::from(thread);
        if self.priorities.len() <= number {
            self.priorities.resize(number + 1, None);
        }
        &mut self.priorities[number]
    }

    fn priority(&mut self, thread: TaskId) -> u64 {
        if let Some(priority) = *self.slot(thread) {
            return priority;
        }
        // Zero is for threads that yield.
        let drawn = self.random.next_u64().max(1);
        *self.slot(thread) = Some(drawn);
        drawn
    }
}

impl Scheduler for Pos {
    fn new_execution(&mut self) -> Option<Schedule> {
        self.pending.clear();
        self.priorities.clear();
        Some(Schedule::new(self.data.reinitialize()))
    }

    fn next_task(
        &mut self,
        runnable: &[&Task],
        current: Option<TaskId>,
        yields: bool,
    ) -> Option<TaskId> {
        if self.pending.learn(runnable, current)
            && let Some(thread) = current
        {
            *self.slot(thread) = yields.then_some(0);
        }
        if let Some(main) = main_thread(runnable) {
            return Some(main);
        }
        let ids = runnable.iter().map(|task| task.id());
        let next = ids.clone().max_by_key(|id| self.priority(*id))?;
        if let Some(access) = self.pending.of(next) {
            for other in ids.filter(|id| *id != next) {
                if self.pending.of(other).is_some_and(|its| its.races_with(&access)) {
                    *self.slot(other) = None;
                }
            }
        }
        // The priority belonged to the access that is executed now.
        *self.slot(next) = None;
        Some(next)
    }

    fn next_u64(&mut self) -> u64 {
        self.data.next_u64()
    }
}
