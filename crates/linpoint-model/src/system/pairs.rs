//! Numbers for pairs of numbers. States are stored as trees of such pairs: a state that differs from another in one thread
//! shares everything else with it, and takes 8 bytes itself.
//!
//! All threads add pairs concurrently, without locks. Each takes numbers in batches ([`Reserve`]), so that they do not
//! contend for a counter. The index is an open-addressing table of numbers; it grows only while no other thread uses it
//! ([`Pairs::make_room`]).

use super::cache_padded::CachePadded;
use super::column::Column;
use crate::sync::{AtomicU32, Ordering, size};

/// Pairs and their numbers: 1, 2, 3, …, some of which stay unused.
pub(crate) struct Pairs {
    /// Numbers; 0 is an empty slot.
    slots: Vec<AtomicU32>,
    /// Pairs by number.
    pairs: Column,
    next: CachePadded<AtomicU32>,
}

/// Unused numbers reserved for one core.
#[derive(Default)]
pub(crate) struct Reserve {
    next: u32,
    end: u32,
}

impl Reserve {
    /// Numbers per batch.
    pub(crate) const BATCH: u32 = size(64, 2) as u32;
}

/// A pair to be numbered, and its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Query {
    pair: u64,
    pub(crate) number: u32,
    /// The caller's index of the query.
    pub(crate) by: u32,
}

impl Query {
    pub(crate) fn new(left: u32, right: u32, by: usize) -> Query {
        Query { pair: join_pair(left, right), number: 0, by: by as u32 }
    }
}

/// The pair of a number that is not in use. No number is as large as its halves.
const UNUSED: u64 = u64::MAX;

/// A 64-bit hash of a pair.
pub(crate) fn mix(pair: u64) -> u64 {
    let x = (pair ^ (pair >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ (x >> 32)
}

pub(crate) fn join_pair(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

pub(crate) fn split_pair(pair: u64) -> (u32, u32) {
    ((pair >> 32) as u32, pair as u32)
}

impl Pairs {
    pub(crate) fn new() -> Pairs {
        let slots = (0..size(1 << 14, 4)).map(|_| AtomicU32::new(0)).collect();
        Pairs { slots, pairs: Column::new(), next: CachePadded(AtomicU32::new(1)) }
    }

    /// The number of a pair. Requires room.
    pub(crate) fn number(&self, left: u32, right: u32, reserve: &mut Reserve) -> u32 {
        self.number_of(join_pair(left, right), reserve)
    }

    /// Answers all queries. All slots are read before the first is compared, so that cache misses overlap.
    pub(crate) fn number_all(&self, queries: &mut [Query], reserve: &mut Reserve) {
        let mask = self.slots.len() - 1;
        for query in &mut *queries {
            query.number = self.slots[mix(query.pair) as usize & mask].load(Ordering::Acquire);
        }
        for query in &mut *queries {
            // No pair has the number 0.
            let is_it = self.pairs.get(query.number) == query.pair;
            query.number = if is_it && query.number != 0 { query.number } else { 0 };
        }
        for query in queries.iter_mut().filter(|query| query.number == 0) {
            query.number = self.number_of(query.pair, reserve);
        }
    }

    fn number_of(&self, pair: u64, reserve: &mut Reserve) -> u32 {
        let mask = self.slots.len() - 1;
        let home = mix(pair) as usize & mask;
        let mut at = home;
        let mut mine = 0;
        loop {
            let mut found = self.slots[at].load(Ordering::Acquire);
            if found == 0 {
                if mine == 0 {
                    mine = self.first(reserve);
                    self.pairs.set(mine, pair);
                }
                let slot = &self.slots[at];
                match slot.compare_exchange(0, mine, Ordering::AcqRel, Ordering::Acquire) {
                    Ok(_) => {
                        reserve.next += 1;
                        return mine;
                    }
                    // Another thread was faster.
                    Err(other) => found = other,
                }
            }
            if self.pairs.get(found) == pair {
                if mine != 0 {
                    // Another thread added the same pair. No thread has seen our number, so it is kept for the next pair.
                    // It must not belong to this pair when the table is rebuilt, or the pair would have two numbers.
                    self.pairs.set(mine, UNUSED);
                }
                return found;
            }
            at = (at + 1) & mask;
            assert!(at != home, "the table of pairs is full");
        }
    }

    /// The first number of the reserve, which is refilled if it is empty.
    fn first(&self, reserve: &mut Reserve) -> u32 {
        if reserve.next == reserve.end {
            let begin = self.next.fetch_add(Reserve::BATCH, Ordering::Relaxed);
            assert!(begin < u32::MAX - (1 << 16), "too many pairs to number");
            *reserve = Reserve { next: begin, end: begin + Reserve::BATCH };
            (reserve.next..reserve.end).for_each(|number| self.pairs.set(number, UNUSED));
        }
        reserve.next
    }

    /// The pair with this number.
    pub(crate) fn get(&self, number: u32) -> (u32, u32) {
        split_pair(self.pairs.get(number))
    }

    /// How many more pairs fit.
    pub(crate) fn room(&self) -> usize {
        let used = self.next.load(Ordering::Relaxed) as usize;
        (self.slots.len() / 4 * 3).saturating_sub(used)
    }

    /// The size needed for this many more.
    fn wanted(&self, more: usize) -> usize {
        if self.room() >= more {
            return self.slots.len();
        }
        let used = self.next.load(Ordering::Relaxed) as usize;
        ((used + more) / 3 * 4 + 8).next_power_of_two()
    }

    /// Additional bytes that [`make_room`](Self::make_room) needs.
    pub(crate) fn growth(&self, more: usize) -> usize {
        (self.wanted(more) - self.slots.len()) * size_of::<AtomicU32>()
    }

    /// Makes room for this many more pairs.
    pub(crate) fn make_room(&mut self, more: usize) {
        if self.room() >= more {
            return;
        }
        let used = self.next.load(Ordering::Relaxed);
        let size = self.wanted(more);
        // Freed first: both tables together would take half as much again.
        self.slots = Vec::new();
        let slots: Vec<AtomicU32> = (0..size).map(|_| AtomicU32::new(0)).collect();
        for number in 1..used {
            let pair = self.pairs.get(number);
            if pair == UNUSED {
                continue;
            }
            let mut at = mix(pair) as usize & (size - 1);
            while slots[at].load(Ordering::Relaxed) != 0 {
                at = (at + 1) & (size - 1);
            }
            slots[at].store(number, Ordering::Relaxed);
        }
        self.slots = slots;
    }

    pub(crate) fn bytes(&self) -> usize {
        self.slots.len() * size_of::<AtomicU32>() + self.pairs.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_reserved_or_lost_a_race_have_no_pair() {
        let mut pairs = Pairs::new();
        let (mut mine, mut other) = (Reserve::default(), Reserve::default());
        // The steps of a thread that loses the race for a slot with the smaller number.
        let late = pairs.first(&mut mine);
        pairs.pairs.set(late, join_pair(7, 8));
        let number = pairs.number(7, 8, &mut other);
        assert!(late < number);
        pairs.pairs.set(late, UNUSED);
        pairs.make_room(100_000);
        assert_eq!(pairs.number(7, 8, &mut mine), number);
        // The pair (0, 0) is not confused with a number that is not used yet.
        let first = pairs.number(0, 0, &mut mine);
        assert_eq!((first, pairs.number(0, 0, &mut other)), (late, late));
        pairs.make_room(1_000_000);
        assert_eq!((pairs.number(0, 0, &mut other), pairs.get(late)), (late, (0, 0)));
    }

    #[test]
    fn concurrent_threads_agree_on_numbers() {
        let mut pairs = Pairs::new();
        pairs.make_room(40_000);
        let numbers = |pairs: &Pairs, one_by_one: bool| {
            let mut reserve = Reserve::default();
            if one_by_one {
                return (0..9_000).map(|i| pairs.number(i, i / 3, &mut reserve)).collect();
            }
            let mut all: Vec<Query> =
                (0..9_000).map(|i| Query::new(i, i / 3, i as usize)).collect();
            all.chunks_mut(50).for_each(|some| pairs.number_all(some, &mut reserve));
            assert!(all.iter().enumerate().all(|(at, query)| query.by == at as u32));
            all.iter().map(|query| query.number).collect::<Vec<_>>()
        };
        let found = std::thread::scope(|scope| {
            let pairs = &pairs;
            let others = [true, false, false].map(|one| scope.spawn(move || numbers(pairs, one)));
            others.map(|other| other.join().unwrap())
        });
        assert!(found[0] == found[1] && found[1] == found[2]);
        pairs.make_room(200_000);
        assert_eq!(found[0], numbers(&pairs, false));
        assert!(found[0].iter().zip(0..).all(|(n, i)| pairs.get(*n) == (i, i / 3)));
        // Numbers in use are the pairs, plus the rest of each reserve.
        assert!(pairs.next.load(Ordering::Relaxed) <= 9_001 + 4 * Reserve::BATCH);
    }
}
