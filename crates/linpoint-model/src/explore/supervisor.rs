//! Limits, cancellation and progress.

use std::time::{Duration, Instant};

use linpoint::{Cancel, Limit};

use super::worker::Successor;
use super::{Counts, Progress};
use crate::error::ModelError;

/// Interval between two progress reports.
const TICK: Duration = Duration::from_millis(100);

/// Why an exploration stops early.
pub(crate) enum Stop {
    Limit(Limit),
    Error(ModelError),
    /// By this move from the state with this index.
    Violation(u32, Successor),
}

/// Enforces limits and reports progress.
pub(crate) struct Supervisor<'a> {
    begun: Instant,
    deadline: Option<Instant>,
    memory: usize,
    cancel: &'a Cancel,
    progress: Option<&'a (dyn Fn(Progress) + Sync)>,
    last_report: Instant,
}

impl<'a> Supervisor<'a> {
    pub(crate) fn new(
        timeout: Option<Duration>,
        memory: usize,
        cancel: &'a Cancel,
        progress: Option<&'a (dyn Fn(Progress) + Sync)>,
    ) -> Self {
        let begun = Instant::now();
        let deadline = timeout.and_then(|time| begun.checked_add(time));
        Supervisor { begun, deadline, memory, cancel, progress, last_report: begun }
    }

    /// True if time is up or the exploration was cancelled.
    pub(crate) fn is_over(&self) -> bool {
        self.cancel.is_cancelled() || self.deadline.is_some_and(|end| Instant::now() >= end)
    }

    pub(crate) fn elapsed(&self) -> Duration {
        self.begun.elapsed()
    }

    /// Checks the limits, given the memory about to be in use, and reports progress.
    pub(crate) fn check(
        &mut self,
        counts: &Counts,
        states: u64,
        frontier: u64,
        bytes: usize,
    ) -> Result<(), Stop> {
        if self.cancel.is_cancelled() {
            return Err(Stop::Limit(Limit::Cancelled));
        }
        if self.is_over() {
            return Err(Stop::Limit(Limit::Time));
        }
        if bytes > self.memory {
            return Err(Stop::Limit(Limit::Memory));
        }
        if let (Some(progress), true) = (self.progress, self.last_report.elapsed() >= TICK) {
            self.last_report = Instant::now();
            let elapsed = self.elapsed();
            progress(Progress { states, frontier, depth: counts.depth, bytes, elapsed });
        }
        Ok(())
    }
}
