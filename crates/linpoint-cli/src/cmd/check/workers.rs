//! The threads that read and check inputs, and how they share threads and memory.
//!
//! *Threads.* There is one worker per thread, and each works on one input. Reading and checking it also get their share of the
//! threads, in proportion to the work that is left: one while there are many inputs of the same size, all for
//! the last input or for one that is larger than all others together.
//!
//! *Memory.* The limit, without what the process already has, is divided evenly among the checks that may run at the same time. A check whose share was
//! too small is repeated alone with the whole limit. In addition, the estimated memory of all loaded histories
//! is bounded by a quarter of the limit; a single history may exceed that.
//!
//! *No deadlock.* Inputs are admitted in order. An input that waits for admission waits only for earlier
//! inputs, all of which have been admitted, and each of them frees its memory when its findings have been
//! written.

use std::num::NonZero;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, RwLock, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use linpoint::Limit;
use linpoint::verdict::{Undecided, Verdict};
use linpoint::{CheckError, Progress, Report};
use linpoint_formats::{LoadedHistory, Settings};
use linpoint_report::Place;

use super::finding::{Finding, findings};
use crate::args::resolved::CheckOptions;
use crate::error::CommandError;
use crate::inputs::Input;
use crate::progress::{Board, BoardEntry};

/// Bytes of memory per byte of text, while it is read, checked and reported. JSON lines took 3.3, fastlin's
/// text 3.8 (a million operations each, linearizable); explanations and pages take more.
const BYTES_PER_BYTE: u64 = 10;
/// Fixed cost of an input.
const BYTES_PER_INPUT: u64 = 1 << 16;
/// Loaded histories may take the memory limit divided by this.
const HISTORIES_DIVISOR: usize = 4;

/// What the workers share.
pub struct Workers<'a> {
    options: &'a CheckOptions,
    inputs: &'a [Input],
    board: &'a Board,
    /// Estimated memory of each input, in bytes.
    costs: Vec<u64>,
    threads: usize,
    files_at_once: usize,
    /// Limit on the estimated memory of all admitted inputs together.
    room: u64,
    state: Mutex<Admissions>,
    changed: Condvar,
    /// Read-locked by every check; write-locked by a check that needs the whole memory limit.
    alone: RwLock<()>,
}

#[derive(Debug)]
struct Admissions {
    /// The input to admit next.
    next: usize,
    /// Estimated memory of the admitted inputs and of findings that wait to be written.
    used: u64,
    /// Estimated memory of all unfinished inputs, admitted or not.
    left: u64,
    unfinished: usize,
    stopped: bool,
}

impl<'a> Workers<'a> {
    pub fn new(options: &'a CheckOptions, inputs: &'a [Input], board: &'a Board) -> Workers<'a> {
        let settings = &options.run.settings;
        let threads = settings
            .threads
            .unwrap_or_else(|| thread::available_parallelism().map_or(1, NonZero::get));
        let room = settings.limits.memory_bytes() / HISTORIES_DIVISOR;
        let room = u64::try_from(room).unwrap_or(u64::MAX);
        // An input of unknown size counts as large enough to be worked on alone.
        let cost = |input: &Input| {
            let size = input.expected_size().unwrap_or(room);
            size.saturating_mul(BYTES_PER_BYTE).saturating_add(BYTES_PER_INPUT)
        };
        let costs: Vec<u64> = inputs.iter().map(cost).collect();
        let left = costs.iter().fold(0_u64, |sum, cost| sum.saturating_add(*cost));
        let state = Admissions { next: 0, used: 0, left, unfinished: costs.len(), stopped: false };
        Workers {
            options,
            inputs,
            board,
            costs,
            threads,
            files_at_once: threads.min(inputs.len()),
            room,
            state: Mutex::new(state),
            changed: Condvar::new(),
            alone: RwLock::new(()),
        }
    }

    /// How many threads should call [`Workers::work`].
    pub fn files_at_once(&self) -> usize {
        self.files_at_once
    }

    fn state(&self) -> MutexGuard<'_, Admissions> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works on inputs until there are no more.
    pub fn work(&self, findings_of: &mpsc::Sender<(usize, Vec<Finding>)>) {
        while let Some(input) = self.admit() {
            let entry = self.board.begin(self.inputs[input].name());
            // After a panic the memory must still be released, or the other workers would wait forever.
            let found = panic::catch_unwind(AssertUnwindSafe(|| findings(self, input, &entry)));
            let found = found.unwrap_or_else(|_| vec![panicked(self.input(input))]);
            let bytes = found.iter().map(Finding::bytes).sum();
            self.board.end(entry);
            self.finished(input, bytes);
            if findings_of.send((input, found)).is_err() {
                return;
            }
        }
    }

    /// Waits until there is room for the next input. `None`: there is no more work.
    fn admit(&self) -> Option<usize> {
        let mut state = self.state();
        loop {
            let input = state.next;
            let cost = *self.costs.get(input)?;
            if state.stopped || self.options.run.settings.cancel.is_cancelled() {
                return None;
            }
            if state.used == 0 || state.used.saturating_add(cost) <= self.room {
                state.used = state.used.saturating_add(cost);
                state.next += 1;
                return Some(input);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Releases the memory of an input, except for its findings, which wait to be written.
    fn finished(&self, input: usize, findings: u64) {
        let mut state = self.state();
        let cost = self.costs[input];
        state.used = state.used.saturating_sub(cost).saturating_add(findings);
        state.left = state.left.saturating_sub(cost);
        state.unfinished -= 1;
        drop(state);
        self.changed.notify_all();
    }

    /// Releases the memory of findings that have been written.
    pub fn findings_written(&self, findings: u64) {
        let mut state = self.state();
        state.used = state.used.saturating_sub(findings);
        drop(state);
        self.changed.notify_all();
    }

    /// Admits no more inputs, and cancels running checks.
    pub fn stop(&self) {
        let mut state = self.state();
        state.stopped = true;
        // After a complete run there is nothing to cancel.
        if state.unfinished > 0 {
            self.options.run.settings.cancel.cancel();
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Number of inputs that were never admitted.
    pub fn not_started(&self) -> usize {
        self.inputs.len() - self.state().next
    }

    /// True if there is exactly one input.
    pub fn has_one_input(&self) -> bool {
        self.inputs.len() == 1
    }

    /// An input by its number.
    pub fn input(&self, number: usize) -> &'a Input {
        &self.inputs[number]
    }

    /// The options of the command.
    pub fn options(&self) -> &'a CheckOptions {
        self.options
    }

    /// Number of threads for an input: its share of the work that is left.
    pub fn threads_for(&self, input: usize) -> usize {
        let cost = self.costs[input];
        let state = self.state();
        let by_files = self.threads / state.unfinished.max(1);
        let by_cost = self.threads as f64 * cost as f64 / state.left.max(1) as f64;
        by_files.max(by_cost.round() as usize).clamp(1, self.threads)
    }

    /// Checks a history with its share of threads and memory; if the memory was too little, again with the whole
    /// limit. The duration excludes waiting for other checks.
    pub fn check(
        &self,
        history: &LoadedHistory,
        input: usize,
        entry: &BoardEntry,
    ) -> Result<(Report, Duration), CheckError> {
        let settings = &self.options.run.settings;
        let run = |settings: &Settings| {
            let begun = Instant::now();
            let report: Result<Report, CheckError> = match entry.is_shown() {
                true => {
                    entry.set_progress(Progress::default());
                    history.check_watched(settings, &|progress| entry.set_progress(progress))
                }
                false => history.check(settings),
            };
            report.map(|report| (report, begun.elapsed()))
        };
        let mut shared = settings.clone();
        shared.limits.memory = Some(memory_left(settings) / self.files_at_once);
        if self.files_at_once <= 1 {
            let (mut report, time) = run(&shared)?;
            report.plan.limits = settings.limits;
            return Ok((report, time));
        }
        shared.threads = Some(self.threads_for(input));
        let shares = self.alone.read().unwrap_or_else(PoisonError::into_inner);
        let (mut report, mut time) = run(&shared)?;
        drop(shares);
        if let Verdict::Undecided(Undecided { limit: Limit::Memory, .. }) = report.verdict {
            let mut whole = settings.clone();
            whole.limits.time = settings.limits.time.map(|limit| limit.saturating_sub(time));
            let _alone = self.alone.write().unwrap_or_else(PoisonError::into_inner);
            whole.limits.memory = Some(memory_left(settings));
            let (again, more) = run(&whole)?;
            (report, time) = (again, time + more);
        }
        // The share is an internal matter; report the limits that the user set.
        report.plan.limits = settings.limits;
        Ok((report, time))
    }
}

/// The memory limit without what the process already has: mostly histories. A history that takes most of the limit is
/// still checked, with a part of it.
pub fn memory_left(settings: &Settings) -> usize {
    let limit = settings.limits.memory_bytes();
    limit.saturating_sub(linpoint_memory::in_use()).max(limit / HISTORIES_DIVISOR)
}

fn panicked(input: &Input) -> Finding {
    let name = input.name();
    let message = format!("{name}: this is a bug in linpoint: it panicked");
    let place = Place { file: input.file(), line: None };
    Finding::Failed { name, place, error: CommandError::Input(message) }
}
