//! The exact set of visited states: states are 64-bit numbers, equal if and only if the states are.
//!
//! All threads add states concurrently, without locks. The set is divided into segments that grow one at a time, so that
//! growing does not need twice the memory. There is no shared counter: each thread counts what it adds in its own
//! [`Share`], and shares are settled while no thread adds states.

use crate::sync::{AtomicU64, Ordering, size};
use crate::system::mix;

/// The highest bits of a hash select the segment.
const SEGMENT_BITS: u32 = size(6, 2) as u32;
const SEGMENTS: usize = 1 << SEGMENT_BITS;
/// Initial slots of a segment.
const FIRST: usize = size(1 << 10, 3);

/// A set of nonzero numbers.
pub(crate) struct Visited {
    segments: Vec<Segment>,
}

/// How many states one thread may add before the set has to grow, and how many it has added.
pub(crate) struct Share {
    room: [u32; SEGMENTS],
    added: [u32; SEGMENTS],
}

impl Share {
    /// How many more states fit, if no segment receives more than four times its share.
    pub(crate) fn room(&self) -> usize {
        let each =
            self.room.iter().zip(&self.added).map(|(room, added)| room.saturating_sub(*added));
        each.min().unwrap_or(0) as usize * (SEGMENTS / 4)
    }

    pub(crate) fn added(&self) -> usize {
        self.added.iter().map(|added| *added as usize).sum()
    }
}

struct Segment {
    slots: Vec<AtomicU64>,
    /// Settled states.
    used: usize,
}

impl Segment {
    fn new(size: usize) -> Segment {
        Segment { slots: (0..size).map(|_| AtomicU64::new(0)).collect(), used: 0 }
    }

    /// Sizes do not have to be powers of two: the hash is scaled.
    fn home(&self, hash: u64) -> usize {
        ((u128::from(hash << SEGMENT_BITS) * self.slots.len() as u128) >> 64) as usize
    }

    fn insert(&self, state: u64, hash: u64) -> bool {
        let home = self.home(hash);
        let mut at = home;
        loop {
            let mut found = self.slots[at].load(Ordering::Relaxed);
            if found == 0 {
                let slot = &self.slots[at];
                match slot.compare_exchange(0, state, Ordering::Relaxed, Ordering::Relaxed) {
                    Ok(_) => return true,
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
            assert!(at != home, "the set of states is full");
        }
    }

    fn room(&self) -> usize {
        (self.slots.len() / 8 * 7).saturating_sub(self.used)
    }

    /// The size needed for this many more.
    fn wanted(&self, more: usize) -> usize {
        if self.room() >= more {
            return self.slots.len();
        }
        let least = (self.used + more) * 8 / 7 + 8;
        least.max(self.slots.len() / 2 * 3)
    }

    fn grow(&mut self, more: usize) {
        if self.room() >= more {
            return;
        }
        let mut larger = Segment::new(self.wanted(more));
        larger.used = self.used;
        for slot in &self.slots {
            let state = slot.load(Ordering::Relaxed);
            if state != 0 {
                larger.insert(state, mix(state));
            }
        }
        *self = larger;
    }
}

fn segment_of(hash: u64) -> usize {
    (hash >> (u64::BITS - SEGMENT_BITS)) as usize
}

impl Visited {
    pub(crate) fn new() -> Visited {
        Visited { segments: (0..SEGMENTS).map(|_| Segment::new(FIRST)).collect() }
    }

    /// The contents of a state's first slot. Reading the first slots of many states before adding them overlaps cache
    /// misses.
    pub(crate) fn first_of(&self, state: u64) -> u64 {
        let hash = mix(state);
        let segment = &self.segments[segment_of(hash)];
        segment.slots[segment.home(hash)].load(Ordering::Relaxed)
    }

    /// Adds a state; true if it is new. Requires room.
    pub(crate) fn insert(&self, state: u64, share: &mut Share) -> bool {
        let hash = mix(state);
        let at = segment_of(hash);
        let is_new = self.segments[at].insert(state, hash);
        share.added[at] += u32::from(is_new);
        is_new
    }

    /// The share of one of this many threads.
    pub(crate) fn share(&self, threads: usize) -> Share {
        let room =
            |at: usize| u32::try_from(self.segments[at].room() / threads).unwrap_or(u32::MAX);
        Share { room: std::array::from_fn(room), added: [0; SEGMENTS] }
    }

    /// Counts the added states. Each share is settled once.
    pub(crate) fn settle(&mut self, share: &Share) {
        let each = self.segments.iter_mut().zip(share.added);
        each.for_each(|(segment, added)| segment.used += added as usize);
    }

    /// Makes room for this many more states, on this many cores.
    pub(crate) fn make_room(&mut self, more: usize, cores: usize) {
        let each = more.div_ceil(SEGMENTS / 4);
        let mut full: Vec<&mut Segment> =
            self.segments.iter_mut().filter(|segment| segment.room() < each).collect();
        if full.is_empty() {
            return;
        }
        let large = full.iter().any(|segment| segment.slots.len() >= LARGE);
        let part = full.len().div_ceil(if large { cores } else { 1 });
        std::thread::scope(|scope| {
            let mut parts = full.chunks_mut(part);
            let mine = parts.next();
            for others in parts {
                scope.spawn(|| others.iter_mut().for_each(|segment| segment.grow(each)));
            }
            mine.into_iter().flatten().for_each(|segment| segment.grow(each));
        });
    }

    /// Additional bytes that [`make_room`](Self::make_room) needs.
    pub(crate) fn growth(&self, more: usize) -> usize {
        let each = more.div_ceil(SEGMENTS / 4);
        let grown = self.segments.iter().map(|s| s.wanted(each) - s.slots.len());
        grown.sum::<usize>() * size_of::<u64>()
    }

    /// Number of settled states.
    pub(crate) fn len(&self) -> usize {
        self.segments.iter().map(|segment| segment.used).sum()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.segments.iter().map(|segment| segment.slots.len() * size_of::<u64>()).sum()
    }
}

/// Segments of this size and more are grown in parallel.
const LARGE: usize = 1 << 13;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concurrent_threads_add_every_state_once() {
        let mut visited = Visited::new();
        visited.make_room(60_000, 1);
        let add = |visited: &Visited, threads: usize| {
            let mut share = visited.share(threads);
            let new = (1..=20_000).filter(|state| visited.insert(*state, &mut share)).count();
            assert_eq!(new, share.added());
            share
        };
        let shares = std::thread::scope(|scope| {
            let others = [(); 3].map(|()| scope.spawn(|| add(&visited, 3)));
            others.map(|other| other.join().unwrap())
        });
        let before = visited.share(1).room();
        shares.iter().for_each(|share| visited.settle(share));
        assert_eq!(visited.len(), 20_000);
        assert!(visited.share(1).room() < before);
        for cores in [1, 2, 5] {
            visited.make_room(500_000 * cores, cores);
            assert!(visited.share(1).room() >= 500_000 * cores);
            assert_eq!((add(&visited, 1).added(), visited.len()), (0, 20_000));
            let known = |state: &u64| [*state, 0].contains(&visited.first_of(*state));
            assert!((1..=20_000).filter(known).count() > 15_000);
        }
    }

    #[test]
    fn shares_do_not_exceed_the_room() {
        let mut visited = Visited::new();
        visited.make_room(100_000, 1);
        let (all, part) = (visited.share(1).room(), visited.share(4).room());
        assert!(all >= 100_000 && 4 * part <= all && 5 * part > all, "{all} {part}");
        let mut share = visited.share(4);
        (1..=1_000).for_each(|state| assert!(visited.insert(state, &mut share)));
        assert!(share.room() < part);
        assert_eq!(visited.len(), 0);
        visited.settle(&share);
        assert_eq!((visited.len(), visited.share(1).room() < all), (1_000, true));
    }
}
