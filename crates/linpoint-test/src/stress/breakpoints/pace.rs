//! How long a stopped thread pauses.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::Points;
use crate::stress::os_thread;

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
    /// A thread that pauses waits for this many operations of all threads; the smallest number, if several do.
    enough: AtomicUsize,
    /// Changes when threads that pause have to look again.
    news: AtomicU32,
    /// The number of times that a breakpoint was hit in an operation.
    stops: AtomicUsize,
    /// True if all threads share a core.
    is_crowded: bool,
    /// Changes when a thread goes on after a pause.
    resumed: AtomicU32,
    /// The threads, as far as they are known.
    threads: Vec<Arc<os_thread::Thread>>,
}

/// The longest wait for a thread that goes on after a pause.
const HAND_OVER: Duration = Duration::from_micros(200);

/// A number on a cache line of its own.
#[repr(align(128))]
#[derive(Debug, Default)]
struct Padded(AtomicUsize);

impl Pace {
    /// If it `is_crowded`, all threads share a core.
    pub(crate) fn new(points: Arc<Points>, threads: usize, is_crowded: bool) -> Pace {
        let done = (0..threads).map(|_| Padded::default()).collect();
        Pace {
            points,
            done,
            ended: 0.into(),
            paused: 0.into(),
            enough: usize::MAX.into(),
            news: 0.into(),
            stops: 0.into(),
            is_crowded,
            resumed: 0.into(),
            threads: Vec::new(),
        }
    }

    /// These are the threads.
    pub(crate) fn of_threads(&mut self, threads: Vec<Arc<os_thread::Thread>>) {
        self.threads = threads;
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
        // Another core may see this store late, and miss a wake-up. It then wakes up by its timeout.
        if self.is_paused() && self.all_done() >= self.enough.load(Ordering::SeqCst) {
            let resumed = self.resumed.load(Ordering::SeqCst);
            self.enough.store(usize::MAX, Ordering::SeqCst);
            self.signal();
            if self.is_crowded {
                // The other one goes on now, not at the end of this time slice. Yielding would also let other programs
                // run, for a whole slice.
                os_thread::wait_on(&self.resumed, resumed, HAND_OVER);
            }
        }
    }

    /// A thread has ended its part of a round.
    pub(crate) fn end_round(&self) {
        self.ended.fetch_add(1, Ordering::SeqCst);
        if self.is_paused() {
            self.signal();
        }
    }

    /// Wakes all threads that pause.
    fn signal(&self) {
        self.news.fetch_add(1, Ordering::SeqCst);
        os_thread::wake_all(&self.news);
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

    /// True if the system says that all other threads sleep. Perhaps they wait for a lock that this one holds.
    fn others_sleep(&self, thread: usize) -> bool {
        let mut others = self.threads.iter().enumerate().filter(|(number, _)| *number != thread);
        !self.threads.is_empty() && others.all(|(_, other)| other.is_asleep())
    }

    /// Waits until other threads have performed a few operations or all that are left in this round, or do not
    /// get on: perhaps they wait for this one. Called in the handler of a signal.
    pub(super) fn pause(&self, thread: usize, round: usize, random: u64) {
        /// How many operations of others to wait for.
        const OPERATIONS: [usize; 8] = [1, 1, 2, 3, 4, 6, 10, usize::MAX];
        /// How many microseconds without progress to wait while others run or could run: short, in case they spin
        /// until this one goes on; long, in case they only need a core.
        const PATIENCE: [u64; 8] = [30, 30, 60, 60, 100, 200, 500, 2_000];
        self.stops.fetch_add(1, Ordering::Relaxed);
        let operations = OPERATIONS[random as usize % 8];
        let patience = Duration::from_micros(PATIENCE[(random >> 3) as usize % 8]);
        self.paused.fetch_add(1, Ordering::SeqCst);
        self.wait(thread, round, operations, patience);
        if self.is_crowded {
            self.resumed.fetch_add(1, Ordering::SeqCst);
            os_thread::wake_all(&self.resumed);
        }
        if self.paused.fetch_sub(1, Ordering::SeqCst) > 1 {
            // Those who still pause say again what they wait for.
            self.enough.store(usize::MAX, Ordering::SeqCst);
            self.signal();
        }
    }

    fn wait(&self, thread: usize, round: usize, operations: usize, patience: Duration) {
        /// Enough if the others run.
        const SPINS: u32 = 300;
        /// Time without progress before the others may be asleep.
        const QUIET: Duration = Duration::from_micros(30);
        let enough = self.all_done().saturating_add(operations);
        let mut last: Option<(usize, Instant)> = None;
        let mut turns = 0;
        loop {
            let news = self.news.load(Ordering::SeqCst);
            let done = self.all_done();
            if done >= enough || self.all_wait(round) {
                return;
            }
            turns += 1;
            if turns < SPINS && !self.is_crowded {
                std::hint::spin_loop();
                continue;
            }
            let now = Instant::now();
            let since = match last {
                Some((then, since)) if then == done => since,
                _ => now,
            };
            last = Some((done, since));
            let quiet = now - since;
            if quiet >= patience || quiet >= QUIET && self.others_sleep(thread) {
                return;
            }
            self.enough.fetch_min(enough, Ordering::SeqCst);
            let left = if quiet < QUIET { QUIET } else { patience };
            os_thread::wait_on(&self.news, news, left.saturating_sub(quiet));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(threads: usize) -> Pace {
        Pace::new(Arc::new(Points::within(0..0)), threads, false)
    }

    #[test]
    fn a_thread_does_not_wait_for_threads_that_have_ended_or_pause() {
        let pace = pace(3);
        // The first round is over, in the second two threads have ended.
        (0..5).for_each(|_| pace.end_round());
        pace.wait(0, 0, usize::MAX, Duration::MAX);
        pace.paused.store(1, Ordering::SeqCst);
        pace.wait(0, 1, usize::MAX, Duration::MAX);
    }

    #[test]
    fn a_pause_ends_when_others_have_done_enough_or_have_ended() {
        for (operations, done) in [(3, 3), (usize::MAX, 5)] {
            let pace = pace(2);
            pace.paused.store(1, Ordering::SeqCst);
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    for _ in 0..done {
                        std::thread::sleep(Duration::from_millis(1));
                        pace.did(1);
                    }
                    if operations == usize::MAX {
                        pace.end_round();
                    }
                });
                pace.wait(0, 0, operations, Duration::MAX);
            });
            assert!(pace.all_done() >= done);
        }
    }

    #[test]
    fn a_pause_ends_when_nothing_moves() {
        let pace = pace(2);
        pace.pause(0, 0, 7);
        assert!(!pace.is_paused());
        assert_eq!(pace.stops(), 1);
    }
}
