//! Threads that use up CPU time in irregular bursts, to simulate a busy machine.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::rng::SplitMix64;

/// Keeps the machine busy until it is dropped.
pub(super) struct Neighbours {
    stop: Arc<AtomicBool>,
    threads: Vec<std::thread::JoinHandle<()>>,
}

impl Neighbours {
    pub(super) fn new(threads: usize) -> Neighbours {
        let stop = Arc::new(AtomicBool::new(false));
        let spawn = |number: usize| {
            let stop = stop.clone();
            std::thread::spawn(move || keep_busy(&stop, number as u64))
        };
        Neighbours { threads: (0..threads).map(spawn).collect(), stop }
    }
}

/// Spins for up to a millisecond, then sleeps for up to a quarter of one.
fn keep_busy(stop: &AtomicBool, seed: u64) {
    let mut random = SplitMix64::new(seed);
    while !stop.load(Ordering::Relaxed) {
        let number = random.next_u64();
        let until = Instant::now() + Duration::from_micros(number % 1_000);
        while Instant::now() < until {
            std::hint::spin_loop();
        }
        std::thread::sleep(Duration::from_micros(number / 1_000 % 250));
    }
}

impl Drop for Neighbours {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
