//! The instructions at which operations can be stopped, and how a thread uses them.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use super::pace::Pace;
use crate::rng::SplitMix64;

/// The most points of a test.
const MOST: usize = 512;
/// The most breakpoints of a thread.
const ARMED: usize = 4;

/// The points that are known of a test.
#[derive(Debug)]
pub(crate) struct Points {
    /// Points are only there.
    code: Range<u64>,
    addresses: Box<[AtomicU64]>,
    count: AtomicUsize,
    /// Operations that were single-stepped since a point was found.
    barren: AtomicU32,
}

impl Points {
    /// No points yet; `None` if the system does not support breakpoints.
    pub(crate) fn new() -> Option<Arc<Points>> {
        #[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
        if super::trap::is_ready() {
            return super::table::code().map(|code| Arc::new(Points::within(code)));
        }
        None
    }

    /// Points in this code only.
    pub(super) fn within(code: Range<u64>) -> Points {
        let addresses = (0..MOST).map(|_| AtomicU64::new(0)).collect();
        Points { code, addresses, count: 0.into(), barren: 0.into() }
    }

    fn known(&self) -> &[AtomicU64] {
        self.addresses.get(..self.count.load(Ordering::Acquire)).unwrap_or(&self.addresses)
    }

    /// Adds a point, in the handler of a signal. If two threads add the same one, it may be there twice.
    pub(super) fn note(&self, address: u64) {
        let is = |known: &AtomicU64| known.load(Ordering::Relaxed) == address;
        if !self.code.contains(&address) || self.known().iter().any(is) {
            return;
        }
        let at = self.count.fetch_add(1, Ordering::AcqRel);
        match self.addresses.get(at) {
            Some(place) => place.store(address, Ordering::Release),
            None => self.count.store(MOST, Ordering::Release),
        }
        self.barren.store(0, Ordering::Relaxed);
    }

    /// A random point.
    pub(super) fn any(&self, random: u64) -> Option<u64> {
        let known = self.known();
        let at = random.checked_rem(known.len() as u64)?;
        let address = known[at as usize].load(Ordering::Acquire);
        (address != 0).then_some(address)
    }

    /// True if the next operation should be single-stepped: often at first, rarely when nothing new is found.
    fn wants_a_lesson(&self, random: u64) -> bool {
        let barren = u64::from(self.barren.load(Ordering::Relaxed));
        let is_due = random % (1 + barren * barren / 4) == 0;
        if is_due {
            self.barren.fetch_add(1, Ordering::Relaxed);
        }
        is_due
    }
}

/// The breakpoints of a thread.
pub(crate) struct Stops<'a> {
    pace: &'a Pace,
    thread: usize,
    random: SplitMix64,
    armed: [u64; ARMED],
    next: usize,
}

impl<'a> Stops<'a> {
    pub(crate) fn new(pace: &'a Pace, thread: usize, seed: u64) -> Self {
        Stops { pace, thread, random: SplitMix64::new(seed), armed: [0; ARMED], next: 0 }
    }

    /// Performs an operation, one of `operations` of this thread in this round.
    #[inline]
    pub(crate) fn during<R>(
        &mut self,
        round: usize,
        operations: usize,
        operation: impl FnOnce() -> R,
    ) -> R {
        /// Breakpoints of a thread in a round.
        const BREAKPOINTS: u64 = 2;
        let random = self.random.next_u64();
        if (random % operations.max(1) as u64) < BREAKPOINTS {
            self.arm(random >> 32);
        }
        let _in_operation = self.enter(round);
        operation()
    }

    pub(crate) fn done(&self) {
        self.pace.did(self.thread);
    }

    #[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
    fn arm(&mut self, random: u64) {
        let Some(point) = self.pace.points().any(random) else { return };
        self.next = (self.next + 1) % ARMED;
        let before = std::mem::replace(&mut self.armed[self.next], point);
        if before != 0 && before != point {
            super::table::clear(before);
        }
        super::table::set(point);
    }

    #[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
    fn enter(&mut self, round: usize) -> super::trap::InOperation<'a> {
        let random = self.random.next_u64();
        let steps = self.pace.points().wants_a_lesson(random >> 16);
        super::trap::InOperation::new(self.pace, self.thread, round, random, steps)
    }

    #[cfg(not(all(target_os = "linux", target_arch = "x86_64", not(miri))))]
    fn arm(&mut self, _random: u64) {}

    #[cfg(not(all(target_os = "linux", target_arch = "x86_64", not(miri))))]
    fn enter(&mut self, _round: usize) {}
}

impl Drop for Stops<'_> {
    fn drop(&mut self) {
        #[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
        for point in self.armed.into_iter().filter(|point| *point != 0) {
            super::table::clear(point);
        }
    }
}
