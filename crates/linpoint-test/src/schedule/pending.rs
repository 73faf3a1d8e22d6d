//! What each thread is about to access.
//!
//! A thread announces its next access before it lets the scheduler switch. Accesses to primitives
//! that are not wrapped by [`crate::sync`], such as channels, are not announced.

use ::shuttle::scheduler::{Task, TaskId};

use super::strategy::MAIN;
use crate::sync::watch::{self, Access};

/// The next access of each thread, by its number.
#[derive(Default)]
pub(super) struct Pending(Vec<Option<Access>>);

impl Pending {
    /// Forgets everything: an execution begins.
    pub fn clear(&mut self) {
        self.0.clear();
        watch::announced();
    }

    /// Learns what the thread that ran last is about to do. True if that is something new; false
    /// if it waits to do what it announced before.
    pub fn learn(&mut self, runnable: &[&Task], current: Option<TaskId>) -> bool {
        let announced = watch::announced();
        let Some(thread) = current else { return false };
        if announced.is_none() && !runnable.iter().any(|task| task.id() == thread) {
            return false;
        }
        let number = usize::from(thread);
        if self.0.len() <= number {
            self.0.resize(number + 1, None);
        }
        self.0[number] = announced;
        true
    }

    /// The next access of a thread, if it is known.
    pub fn of(&self, thread: TaskId) -> Option<Access> {
        self.0.get(usize::from(thread)).copied().flatten()
    }
}

/// The main thread, if it can run. It does not touch the object while other threads run, so a
/// strategy loses nothing if it always lets the main thread start and join the others first.
pub(super) fn main_thread(runnable: &[&Task]) -> Option<TaskId> {
    runnable.iter().map(|task| task.id()).find(|id| usize::from(*id) == MAIN)
}
