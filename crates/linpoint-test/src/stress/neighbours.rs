//! Threads that take time from others, in fits and starts: a busy machine on demand.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::rng::mix;

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
            std::thread::spawn(move || bustle(&stop, number as u64))
        };
        Neighbours { threads: (0..threads).map(spawn).collect(), stop }
    }
}

/// Works for up to a millisecond, rests for up to a quarter of one.
fn bustle(stop: &AtomicBool, seed: u64) {
    let mut state = seed;
    while !stop.load(Ordering::Relaxed) {
        state = mix(state.wrapping_add(0x9e37_79b9_7f4a_7c15));
        let until = Instant::now() + Duration::from_micros(state % 1_000);
        while Instant::now() < until {
            std::hint::spin_loop();
        }
        std::thread::sleep(Duration::from_micros(state / 1_000 % 250));
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
