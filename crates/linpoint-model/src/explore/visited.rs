//! The set of states that were met, exactly: states are 64-bit numbers, equal if and only if the states are.
//!
//! All threads add states at once, without locks. The set is cut into segments that grow one at a time, so that
//! growing does not need twice the memory.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::system::mix;

const SEGMENTS: usize = 64;
const FIRST: usize = 1 << 12;

/// A set of numbers that are not 0.
pub(crate) struct Visited {
    segments: Vec<Segment>,
}

struct Segment {
    slots: Vec<AtomicU64>,
    used: AtomicUsize,
}

impl Segment {
    fn new(size: usize) -> Segment {
        Segment { slots: (0..size).map(|_| AtomicU64::new(0)).collect(), used: AtomicUsize::new(0) }
    }

    /// Sizes need not be powers of two: the hash is scaled down.
    fn home(&self, hash: u64) -> usize {
        ((u128::from(hash << 6) * self.slots.len() as u128) >> 64) as usize
    }

    fn insert(&self, state: u64, hash: u64) -> bool {
        let mut at = self.home(hash);
        loop {
            let mut found = self.slots[at].load(Ordering::Relaxed);
            if found == 0 {
                let slot = &self.slots[at];
                match slot.compare_exchange(0, state, Ordering::Relaxed, Ordering::Relaxed) {
                    Ok(_) => {
                        self.used.fetch_add(1, Ordering::Relaxed);
                        return true;
                    }
                    Err(other) => found = other,
                }
            }
            if found == state {
                return false;
            }
            at += 1;
            if at == self.slots.len() {
                at = 0;
            }
        }
    }

    fn room(&self) -> usize {
        (self.slots.len() / 8 * 7).saturating_sub(self.used.load(Ordering::Relaxed))
    }

    /// The size it needs for so many more.
    fn wanted(&self, more: usize) -> usize {
        if self.room() >= more {
            return self.slots.len();
        }
        let least = (self.used.load(Ordering::Relaxed) + more) * 8 / 7 + 8;
        least.max(self.slots.len() / 2 * 3)
    }

    fn grow(&mut self, more: usize) {
        if self.room() >= more {
            return;
        }
        let larger = Segment::new(self.wanted(more));
        for slot in &self.slots {
            let state = slot.load(Ordering::Relaxed);
            if state != 0 {
                larger.insert(state, mix(state));
            }
        }
        *self = larger;
    }
}

impl Visited {
    pub(crate) fn new() -> Visited {
        Visited { segments: (0..SEGMENTS).map(|_| Segment::new(FIRST)).collect() }
    }

    /// Adds a state; true if it is new. There has to be room.
    pub(crate) fn insert(&self, state: u64) -> bool {
        let hash = mix(state);
        self.segments[(hash >> 58) as usize].insert(state, hash)
    }

    /// How many more states can be added, if no segment gets more than four times its share.
    pub(crate) fn room(&self) -> usize {
        let least = self.segments.iter().map(Segment::room).min().unwrap_or(0);
        least * (SEGMENTS / 4)
    }

    /// Makes room for so many more states.
    pub(crate) fn make_room(&mut self, more: usize) {
        let each = more.div_ceil(SEGMENTS / 4);
        self.segments.iter_mut().for_each(|segment| segment.grow(each));
    }

    /// Bytes that making room takes.
    pub(crate) fn growth(&self, more: usize) -> usize {
        let each = more.div_ceil(SEGMENTS / 4);
        let grown = self.segments.iter().map(|s| s.wanted(each) - s.slots.len());
        grown.sum::<usize>() * size_of::<u64>()
    }

    pub(crate) fn len(&self) -> usize {
        self.segments.iter().map(|segment| segment.used.load(Ordering::Relaxed)).sum()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.segments.iter().map(|segment| segment.slots.len() * size_of::<u64>()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_threads_add_every_state_once() {
        let mut visited = Visited::new();
        visited.make_room(60_000);
        let add = |visited: &Visited| (1..=20_000).filter(|state| visited.insert(*state)).count();
        let total = std::thread::scope(|scope| {
            let other = scope.spawn(|| add(&visited));
            add(&visited) + other.join().unwrap()
        });
        assert_eq!((total, visited.len()), (20_000, 20_000));
        visited.make_room(1_000_000);
        assert_eq!(add(&visited), 0);
    }
}
