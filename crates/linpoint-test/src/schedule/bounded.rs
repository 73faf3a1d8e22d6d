//! All schedules with at most a number of preemptions.
//!
//! *Idea.* Most bugs need few preemptions: places at which a thread that could have continued has
//! to stop. With a bound on them, the number of schedules is polynomial in the length of the
//! execution, and the first bound under which a scenario fails is the smallest. Switches are free
//! where a thread ends, waits or yields.
//!
//! *Paper.* Musuvathi and Qadeer, "Iterative context bounding for systematic testing of
//! multithreaded programs", PLDI 2007.
//!
//! *Deviations.* Schedules are tried depth-first within one bound, and states are not compared. A
//! thread that yields does not continue if another can run: loops that wait would be unrolled
//! without end. The main thread, which does not touch the object while others run, always runs
//! first and is never preempted.

use ::shuttle::scheduler::{DataSource, RandomDataSource, Schedule, Scheduler, Task, TaskId};

use super::strategy::MAIN;

/// Tries all schedules with at most `preemptions` preemptions.
pub(super) struct Bounded {
    preemptions: usize,
    seed: u64,
    data: RandomDataSource,
    /// The choices of the execution: the possible threads, and which of them is chosen.
    path: Vec<(Vec<TaskId>, usize)>,
    /// The number of choices made in this execution.
    depth: usize,
    used: usize,
    started: bool,
}

impl Bounded {
    /// `seed` is for the random numbers that the object draws.
    pub fn new(preemptions: usize, seed: u64) -> Self {
        let data = RandomDataSource::initialize(seed);
        let path = Vec::new();
        Bounded { preemptions, seed, data, path, depth: 0, used: 0, started: false }
    }

    /// The threads that may run, the preferred one first.
    fn options(&self, runnable: &[&Task], current: Option<TaskId>, yields: bool) -> Vec<TaskId> {
        let ids = || runnable.iter().map(|task| task.id());
        if let Some(main) = ids().find(|id| usize::from(*id) == MAIN) {
            return vec![main];
        }
        let here = current.filter(|current| ids().any(|id| id == *current));
        let others = ids().filter(|id| Some(*id) != here);
        match here {
            None => others.collect(),
            Some(here) if yields => {
                let others: Vec<TaskId> = others.collect();
                if others.is_empty() { vec![here] } else { others }
            }
            Some(here) if self.used < self.preemptions => {
                std::iter::once(here).chain(others).collect()
            }
            Some(here) => vec![here],
        }
    }
}

impl Scheduler for Bounded {
    fn new_execution(&mut self) -> Option<Schedule> {
        if std::mem::replace(&mut self.started, true) {
            // An execution that was cut off may have left choices behind it.
            self.path.truncate(self.depth);
            while let Some((options, chosen)) = self.path.last_mut() {
                *chosen += 1;
                if *chosen < options.len() {
                    break;
                }
                self.path.pop();
            }
            if self.path.is_empty() {
                return None;
            }
        }
        self.depth = 0;
        self.used = 0;
        self.data = RandomDataSource::initialize(self.seed);
        Some(Schedule::new(self.data.reinitialize()))
    }

    fn next_task(
        &mut self,
        runnable: &[&Task],
        current: Option<TaskId>,
        yields: bool,
    ) -> Option<TaskId> {
        let options = self.options(runnable, current, yields);
        if self.depth == self.path.len() {
            self.path.push((options.clone(), 0));
        }
        let (_, chosen) = self.path[self.depth];
        // The object may behave differently from execution to execution.
        let next = options.get(chosen).copied().or_else(|| options.first().copied())?;
        self.depth += 1;
        let stays = current.is_some_and(|here| runnable.iter().any(|task| task.id() == here));
        if stays && !yields && current != Some(next) && usize::from(next) != MAIN {
            self.used += 1;
        }
        Some(next)
    }

    fn next_u64(&mut self) -> u64 {
        self.data.next_u64()
    }
}
