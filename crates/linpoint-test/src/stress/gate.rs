//! A barrier at which threads meet, on idle and on busy machines.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::thread::Thread;
use std::time::{Duration, Instant};

/// The threads that may have to be woken.
pub(super) struct Sleepers(Box<[OnceLock<Thread>]>);

impl Sleepers {
    pub(super) fn new(threads: usize) -> Sleepers {
        Sleepers((0..threads).map(|_| OnceLock::new()).collect())
    }

    /// The calling thread is this one.
    pub(super) fn register(&self, number: usize) {
        self.0[number].get_or_init(std::thread::current);
    }

    fn wake(&self) {
        for thread in self.0.iter().filter_map(OnceLock::get) {
            thread.unpark();
        }
    }
}

/// A barrier.
#[repr(align(128))]
#[derive(Debug, Default)]
pub(super) struct Gate {
    arrived: AtomicUsize,
    parked: AtomicUsize,
}

/// The next waits in which threads do not yield. Of the whole process, since it is about the machine.
static CROWDED: AtomicU32 = AtomicU32::new(0);

impl Gate {
    /// The calling thread has arrived, one of `all`.
    pub(super) fn arrive(&self, all: usize, sleepers: &Sleepers) {
        // Sequentially consistent, as is the other side: either this sees that a thread has parked, or that thread
        // sees that all have arrived.
        let before = self.arrived.fetch_add(1, Ordering::SeqCst);
        if before + 1 == all && self.parked.load(Ordering::SeqCst) > 0 {
            sleepers.wake();
        }
    }

    pub(super) fn count(&self) -> usize {
        self.arrived.load(Ordering::Acquire)
    }

    /// Waits until `all` threads have arrived; false if the run is stopped.
    pub(super) fn wait(&self, all: usize, is_stopped: impl Fn() -> bool) -> bool {
        /// Enough if the last thread is about to arrive.
        const SPINS: u32 = 64;
        /// Enough if the last thread only needs this core.
        const YIELDS: u32 = 80;
        /// Threads look whether the run is stopped this often.
        const NAP: Duration = Duration::from_millis(1);
        let mut turns = 0_u32;
        let mut yields = None;
        while self.count() < all {
            if is_stopped() {
                return false;
            }
            turns = turns.saturating_add(1);
            if turns < SPINS {
                std::hint::spin_loop();
            } else if turns < YIELDS && *yields.get_or_insert_with(may_yield) {
                yields = Some(yield_now());
            } else {
                self.parked.fetch_add(1, Ordering::SeqCst);
                if self.arrived.load(Ordering::SeqCst) < all && !is_stopped() {
                    std::thread::park_timeout(NAP);
                }
                self.parked.fetch_sub(1, Ordering::SeqCst);
            }
        }
        !is_stopped()
    }

    /// Waits for this many threads, but not for long.
    pub(super) fn wait_briefly(&self, threads: usize) {
        const SPINS: u32 = 512;
        let mut turns = 0;
        while self.count() < threads && turns < SPINS {
            turns += 1;
            std::hint::spin_loop();
        }
    }
}

fn may_yield() -> bool {
    let less = |waits: u32| waits.checked_sub(1);
    CROWDED.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_err()
}

/// Yields the core. Returns true if the thread got it back soon. If other programs run there, it does not: they keep
/// the core for a whole time slice, in which thousands of runs would fit. A thread that sleeps is woken, and gets
/// the core back, at once.
fn yield_now() -> bool {
    const SOON: Duration = Duration::from_micros(200);
    /// How many waits go without yielding after a slow one.
    const WITHOUT: u32 = 500;
    let begin = Instant::now();
    std::thread::yield_now();
    let is_soon = begin.elapsed() < SOON;
    if !is_soon {
        CROWDED.store(WITHOUT, Ordering::Relaxed);
    }
    is_soon
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_thread_passes_before_all_have_arrived_and_all_are_woken() {
        const THREADS: usize = 3;
        let (gates, sleepers) =
            (Vec::from_iter((0..200).map(|_| Gate::default())), Sleepers::new(THREADS));
        std::thread::scope(|scope| {
            for number in 0..THREADS {
                let (gates, sleepers) = (&gates, &sleepers);
                scope.spawn(move || {
                    sleepers.register(number);
                    for (at, gate) in gates.iter().enumerate() {
                        if at % 40 == 0 && number == 0 {
                            // Long enough that the others park.
                            std::thread::sleep(Duration::from_millis(3));
                        }
                        gate.arrive(THREADS, sleepers);
                        assert!(gate.wait(THREADS, || false));
                        assert_eq!(gate.count(), THREADS);
                    }
                });
            }
        });
        let closed = Gate::default();
        assert!(!closed.wait(1, || true), "the run is stopped");
        closed.wait_briefly(1);
    }
}
