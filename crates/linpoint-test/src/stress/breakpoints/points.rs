//! The instructions at which operations can be stopped, and how a thread uses them.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

use super::code::Access;
use super::pace::Pace;
use crate::rng::SplitMix64;

/// The most points of a test, each as often as it has weight.
const MOST: usize = 1024;
/// The most breakpoints of a thread.
const ARMED: usize = 4;

/// The points that are known of a test.
#[derive(Debug)]
pub(crate) struct Points {
    /// Points are only there.
    code: Range<u64>,
    /// A point is here several times if it is tried more often.
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
    pub(super) fn note(&self, address: u64, access: Access) {
        let weight = match access {
            Access::Load => 1,
            Access::Store => 2,
            Access::Atomic => 4,
        };
        let is = |known: &AtomicU64| known.load(Ordering::Relaxed) == address;
        if !self.code.contains(&address) || self.known().iter().any(is) {
            return;
        }
        let at = self.count.fetch_add(weight, Ordering::AcqRel);
        match self.addresses.get(at..at + weight) {
            Some(places) => places.iter().for_each(|place| place.store(address, Ordering::Release)),
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
        let is_due = random.is_multiple_of(1 + barren * barren / 4);
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

    /// Performs an operation of this round.
    #[inline]
    pub(crate) fn during<R>(&mut self, round: usize, operation: impl FnOnce() -> R) -> R {
        /// The number of operations for which there is one breakpoint.
        const OPERATIONS: u64 = 4;
        let random = self.random.next_u64();
        if random.is_multiple_of(OPERATIONS) {
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

#[cfg(all(test, target_os = "linux", target_arch = "x86_64", not(miri)))]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;

    /// Adds in two steps.
    #[inline(never)]
    fn add(counter: &AtomicU64) -> u64 {
        let before = counter.load(Ordering::SeqCst);
        counter.store(before + 1, Ordering::SeqCst);
        before
    }

    #[test]
    fn threads_are_stopped_inside_of_operations_and_compute_what_they_did_without() {
        // A debugger, or a system that forbids it.
        let Some(points) = Points::new() else { return };
        let pace = Pace::new(points, 2, false);
        let counters = [AtomicU64::new(0), AtomicU64::new(0)].map(Box::new);
        std::thread::scope(|scope| {
            for (thread, counter) in counters.iter().enumerate() {
                let pace = &pace;
                scope.spawn(move || {
                    let mut stops = Stops::new(pace, thread, thread as u64);
                    for number in 0..2_000 {
                        let before = stops.during(0, || std::hint::black_box(add)(counter));
                        assert_eq!(before, number);
                        stops.done();
                    }
                    pace.end_round();
                });
            }
        });
        assert!(pace.points().known().len() >= 2, "a load and a store");
        assert!(pace.stops() > 0);
        assert!(!pace.is_paused());
        // Nothing is left behind.
        assert_eq!(counters.map(|counter| add(&counter)), [2_000, 2_000]);
    }

    #[test]
    fn points_are_only_in_the_program_and_as_often_as_they_have_weight() {
        let points = Points::within(100..200);
        assert_eq!(points.any(5), None);
        points.note(99, Access::Atomic);
        points.note(200, Access::Atomic);
        assert_eq!(points.any(5), None);
        for _ in 0..2 {
            points.note(100, Access::Load);
            points.note(150, Access::Atomic);
        }
        let picked: Vec<_> = (0..5).filter_map(|random| points.any(random)).collect();
        assert_eq!(picked, [100, 150, 150, 150, 150]);
        // A full table stays as it is.
        for address in 101..200 {
            (0..40).for_each(|_| points.note(address, Access::Atomic));
        }
        let all: Vec<_> = (0..MOST as u64).filter_map(|random| points.any(random)).collect();
        assert!(all.iter().all(|address| (100..200).contains(address)));
    }
}
