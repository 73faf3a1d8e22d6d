//! How long a stopped thread pauses.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::Points;

/// How far the threads of a batch have come, so that one of them can wait for the others.
#[derive(Debug)]
pub(crate) struct Pace {
    points: Arc<Points>,
    /// The number of operations that each thread has performed.
    done: Box<[Padded]>,
    /// The number of threads that have ended a round, over all rounds.
    ended: AtomicUsize,
    /// The number of threads that pause.
    paused: AtomicUsize,
    /// The number of times that a breakpoint was hit in an operation.
    stops: AtomicUsize,
}

/// A number on a cache line of its own.
#[repr(align(128))]
#[derive(Debug, Default)]
struct Padded(AtomicUsize);

impl Pace {
    pub(crate) fn new(points: Arc<Points>, threads: usize) -> Pace {
        let done = (0..threads).map(|_| Padded::default()).collect();
        Pace { points, done, ended: 0.into(), paused: 0.into(), stops: 0.into() }
    }

    pub(super) fn points(&self) -> &Points {
        &self.points
    }

    /// The number of times that a breakpoint was hit in an operation.
    pub(crate) fn stops(&self) -> usize {
        self.stops.load(Ordering::Relaxed)
    }

    /// True if a thread pauses.
    pub(crate) fn is_paused(&self) -> bool {
        self.paused.load(Ordering::SeqCst) > 0
    }

    /// A thread has performed an operation.
    pub(super) fn did(&self, thread: usize) {
        let done = &self.done[thread].0;
        done.store(done.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// A thread has ended its part of a round.
    pub(crate) fn end_round(&self) {
        self.ended.fetch_add(1, Ordering::SeqCst);
    }

    fn all_done(&self) -> usize {
        self.done.iter().map(|done| done.0.load(Ordering::Relaxed)).sum()
    }

    /// True if no thread is left that could do something in this round.
    fn all_wait(&self, round: usize) -> bool {
        let threads = self.done.len();
        let ended = self.ended.load(Ordering::SeqCst).saturating_sub(round * threads);
        ended + self.paused.load(Ordering::SeqCst) >= threads
    }

    /// Waits until other threads have performed a few operations or all that are left in this round, or do not
    /// get on: perhaps they wait for this one. Called in the handler of a signal.
    pub(super) fn pause(&self, round: usize, random: u64) {
        /// How many operations of others to wait for.
        const OPERATIONS: [usize; 8] = [1, 1, 2, 3, 4, 6, 10, usize::MAX];
        /// How many microseconds without progress to wait: short, in case the others wait for this one; long, in
        /// case they only need a core.
        const PATIENCE: [u64; 8] = [20, 20, 40, 40, 80, 160, 500, 3_000];
        self.stops.fetch_add(1, Ordering::Relaxed);
        let operations = OPERATIONS[random as usize % 8];
        let patience = Duration::from_micros(PATIENCE[(random >> 3) as usize % 8]);
        self.paused.fetch_add(1, Ordering::SeqCst);
        self.wait(round, operations, patience);
        self.paused.fetch_sub(1, Ordering::SeqCst);
    }

    fn wait(&self, round: usize, operations: usize, patience: Duration) {
        /// Enough if the others run.
        const SPINS: u32 = 256;
        /// Lets others run on this core.
        const NAP: Duration = Duration::from_micros(1);
        let enough = self.all_done().saturating_add(operations);
        let mut last = (0, Instant::now());
        let mut turns = 0;
        while !self.all_wait(round) {
            let done = self.all_done();
            let now = Instant::now();
            if done >= enough || done == last.0 && now - last.1 > patience {
                return;
            }
            if done != last.0 {
                last = (done, now);
            }
            turns += 1;
            if turns < SPINS {
                std::hint::spin_loop();
            } else {
                std::thread::sleep(NAP);
            }
        }
    }
}
