//! The threads that read and check inputs, and what they share.
//!
//! *Threads.* As many inputs are worked on at once as there are threads. A check gets the threads that are its
//! share of the work that is left: one while there are many inputs of the same size, all for the last one or for
//! one that is larger than all others together.
//!
//! *Memory.* The limit is divided evenly among the checks that may run at once. One for which its share was not
//! enough is made again, alone and with the whole limit. Beside that, the histories in memory at once are
//! bounded by what they are expected to take: a quarter of the limit, or a single one that takes more.
//!
//! *No deadlock.* Inputs are admitted in order. Whoever waits to be admitted waits for inputs before it,
//! all of which have been admitted, and what they hold is given back when their findings have been written.

use std::num::NonZero;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, RwLock, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use linpoint::Limit;
use linpoint::verdict::{Undecided, Verdict};
use linpoint::{CheckError, Report};
use linpoint_formats::{LoadedHistory, Settings};

use super::work::{Failure, Finding, findings};
use crate::args::resolved::Check;
use crate::inputs::Input;
use crate::progress::{Board, Entry};

/// Bytes of memory for each byte of a text, while it is read, checked and reported. JSON lines took 3.3, fastlin's
/// text 3.8 (a million operations each, linearizable); explanations and pages take more.
const BYTES_PER_BYTE: u64 = 10;
/// What an input costs however small it is.
const BYTES_PER_INPUT: u64 = 1 << 16;
/// Histories may take so much of the memory limit.
const SHARE_OF_HISTORIES: usize = 4;

/// Everybody who works on the inputs.
pub struct Crew<'a> {
    check: &'a Check,
    inputs: &'a [Input],
    board: &'a Board,
    /// What each input is expected to take.
    costs: Vec<u64>,
    threads: usize,
    files_at_once: usize,
    /// Most that the inputs in work may take together.
    room: u64,
    state: Mutex<State>,
    changed: Condvar,
    /// Held by every check, and exclusively by one that is made alone.
    alone: RwLock<()>,
}

#[derive(Debug)]
struct State {
    /// The input that is admitted next.
    next: usize,
    /// What the inputs in work and findings that wait to be written take.
    used: u64,
    /// What the inputs that are not finished are expected to take.
    left: u64,
    unfinished: usize,
    stopped: bool,
}

impl<'a> Crew<'a> {
    pub fn new(check: &'a Check, inputs: &'a [Input], board: &'a Board) -> Crew<'a> {
        let threads = check
            .how
            .settings
            .threads
            .unwrap_or_else(|| thread::available_parallelism().map_or(1, NonZero::get));
        let room = check.how.settings.limits.memory_bytes() / SHARE_OF_HISTORIES;
        let room = u64::try_from(room).unwrap_or(u64::MAX);
        // What has no size of its own is worked on alone.
        let cost = |input: &Input| {
            let size = input.expected_size().unwrap_or(room);
            size.saturating_mul(BYTES_PER_BYTE).saturating_add(BYTES_PER_INPUT)
        };
        let costs: Vec<u64> = inputs.iter().map(cost).collect();
        let left = costs.iter().fold(0_u64, |sum, cost| sum.saturating_add(*cost));
        let state = State { next: 0, used: 0, left, unfinished: costs.len(), stopped: false };
        Crew {
            check,
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

    /// How many threads should call [`Crew::work`].
    pub fn files_at_once(&self) -> usize {
        self.files_at_once
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works on inputs until there are no more.
    pub fn work(&self, findings_of: &mpsc::Sender<(usize, Vec<Finding>)>) {
        while let Some(input) = self.admit() {
            let entry = self.board.begin(self.inputs[input].name());
            // Whoever panics must still give back what it holds, or the others would wait for ever.
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

    /// The next input, once there is room for it.
    fn admit(&self) -> Option<usize> {
        let mut state = self.state();
        loop {
            let input = state.next;
            let cost = *self.costs.get(input)?;
            if state.stopped || self.check.how.settings.cancel.is_cancelled() {
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

    /// An input is done; what was found takes so many bytes until it is written.
    fn finished(&self, input: usize, findings: u64) {
        let mut state = self.state();
        let cost = self.costs[input];
        state.used = state.used.saturating_sub(cost).saturating_add(findings);
        state.left = state.left.saturating_sub(cost);
        state.unfinished -= 1;
        drop(state);
        self.changed.notify_all();
    }

    /// Findings of so many bytes have been written.
    pub fn written(&self, findings: u64) {
        let mut state = self.state();
        state.used = state.used.saturating_sub(findings);
        drop(state);
        self.changed.notify_all();
    }

    /// No more inputs are begun, and what runs ends soon.
    pub fn stop(&self) {
        let mut state = self.state();
        state.stopped = true;
        // At the end of a run everything has been finished, and this changes nothing.
        if state.unfinished > 0 {
            self.check.how.settings.cancel.cancel();
        }
        drop(state);
        self.changed.notify_all();
    }

    /// How many inputs nobody has looked at.
    pub fn not_taken(&self) -> usize {
        self.inputs.len() - self.state().next
    }

    /// True if there is nothing but one input.
    pub fn has_one_input(&self) -> bool {
        self.inputs.len() == 1
    }

    /// An input by its number.
    pub fn input(&self, number: usize) -> &'a Input {
        &self.inputs[number]
    }

    /// The settings of the command line.
    pub fn command(&self) -> &'a Check {
        self.check
    }

    /// Threads for a check of this input: its share of the work that is left.
    fn threads_for(&self, cost: u64) -> usize {
        let state = self.state();
        let by_files = self.threads / state.unfinished.max(1);
        let by_cost = self.threads as f64 * cost as f64 / state.left.max(1) as f64;
        by_files.max(by_cost.round() as usize).clamp(1, self.threads)
    }

    /// Checks a history with its share of threads and memory; if that was not enough memory, again with everything.
    /// The time is that of checking, without that of waiting for others.
    pub fn check(
        &self,
        history: &LoadedHistory,
        input: usize,
        entry: &Entry,
    ) -> Result<(Report, Duration), CheckError> {
        let settings = &self.check.how.settings;
        let run = |settings: &Settings| {
            let begun = Instant::now();
            let report = match entry.is_shown() {
                true => history.check_watched(settings, &|progress| entry.came_to(progress)),
                false => history.check(settings),
            };
            report.map(|report| (report, begun.elapsed()))
        };
        if self.files_at_once <= 1 {
            return run(settings);
        }
        let mut shared = settings.clone();
        shared.threads = Some(self.threads_for(self.costs[input]));
        shared.limits.memory = Some(settings.limits.memory_bytes() / self.files_at_once);
        let shares = self.alone.read().unwrap_or_else(PoisonError::into_inner);
        let (mut report, mut time) = run(&shared)?;
        drop(shares);
        if let Verdict::Undecided(Undecided { limit: Limit::Memory, .. }) = report.verdict {
            let mut whole = settings.clone();
            whole.limits.time = settings.limits.time.map(|limit| limit.saturating_sub(time));
            let _alone = self.alone.write().unwrap_or_else(PoisonError::into_inner);
            let (again, more) = run(&whole)?;
            (report, time) = (again, time + more);
        }
        // Its share was a matter of scheduling. These are the limits that apply.
        report.plan.limits = settings.limits;
        Ok((report, time))
    }
}

fn panicked(input: &Input) -> Finding {
    let name = input.name();
    let message = format!("{name}: this is a bug in linpoint: it panicked");
    Finding::Failed { name, failure: Failure::Input(message) }
}
