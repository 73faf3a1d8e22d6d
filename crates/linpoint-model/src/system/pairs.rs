//! Numbers for pairs of numbers. States are stored as trees of such pairs: a state that differs from another in
//! one thread shares everything else with it, and takes 8 bytes itself.
//!
//! All threads add pairs at once, without locks. The index is an open-addressing table of numbers; it only grows
//! while nobody else uses it ([`Pairs::make_room`]).

use std::sync::atomic::{AtomicU32, Ordering};

use super::column::Column;

/// Pairs and their numbers: 1, 2, 3, …
pub(crate) struct Pairs {
    /// Numbers; 0 is an empty slot.
    slots: Vec<AtomicU32>,
    /// Pairs by number.
    pairs: Column,
    next: AtomicU32,
}

/// Stands for the pair of a number that stays unused; no number is as large as its halves.
const UNUSED: u64 = u64::MAX;

/// Spreads a pair over 64 bits.
pub(crate) fn mix(pair: u64) -> u64 {
    let x = (pair ^ (pair >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ (x >> 32)
}

pub(crate) fn join(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

pub(crate) fn parted(pair: u64) -> (u32, u32) {
    ((pair >> 32) as u32, pair as u32)
}

impl Pairs {
    pub(crate) fn new() -> Pairs {
        let slots = (0..1 << 14).map(|_| AtomicU32::new(0)).collect();
        Pairs { slots, pairs: Column::new(), next: AtomicU32::new(1) }
    }

    /// The number of a pair. There has to be room.
    pub(crate) fn number(&self, left: u32, right: u32) -> u32 {
        let pair = join(left, right);
        let mask = self.slots.len() - 1;
        let mut at = mix(pair) as usize & mask;
        let mut mine = 0;
        loop {
            let mut found = self.slots[at].load(Ordering::Acquire);
            if found == 0 {
                if mine == 0 {
                    mine = self.next.fetch_add(1, Ordering::Relaxed);
                    self.pairs.set(mine, pair);
                }
                let slot = &self.slots[at];
                match slot.compare_exchange(0, mine, Ordering::AcqRel, Ordering::Acquire) {
                    Ok(_) => return mine,
                    // Somebody was quicker. If it was with this very pair, our number stays unused.
                    Err(other) => found = other,
                }
            }
            if self.pairs.get(found) == pair {
                if mine != 0 {
                    self.abandon(mine);
                }
                return found;
            }
            at = (at + 1) & mask;
        }
    }

    /// Nobody has seen this number. The pair must not have it when the table is built anew, or it would have two.
    fn abandon(&self, number: u32) {
        self.pairs.set(number, UNUSED);
    }

    /// The pair with this number.
    pub(crate) fn get(&self, number: u32) -> (u32, u32) {
        parted(self.pairs.get(number))
    }

    /// How many more pairs can be added before there is no room.
    pub(crate) fn room(&self) -> usize {
        let used = self.next.load(Ordering::Relaxed) as usize;
        (self.slots.len() / 4 * 3).saturating_sub(used)
    }

    /// The size it needs for so many more.
    fn wanted(&self, more: usize) -> usize {
        if self.room() >= more {
            return self.slots.len();
        }
        let used = self.next.load(Ordering::Relaxed) as usize;
        ((used + more) / 3 * 4 + 8).next_power_of_two()
    }

    /// Bytes that making room takes.
    pub(crate) fn growth(&self, more: usize) -> usize {
        (self.wanted(more) - self.slots.len()) * size_of::<AtomicU32>()
    }

    /// Grows until there is room for so many more.
    pub(crate) fn make_room(&mut self, more: usize) {
        if self.room() >= more {
            return;
        }
        let used = self.next.load(Ordering::Relaxed);
        let size = self.wanted(more);
        // Given back first: both at once would be half as much again.
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
    fn a_number_that_came_too_late_stays_unused() {
        let mut pairs = Pairs::new();
        // What a thread does that loses the race for a slot, when its number is the smaller one.
        let late = pairs.next.fetch_add(1, Ordering::Relaxed);
        pairs.pairs.set(late, join(7, 8));
        let number = pairs.number(7, 8);
        assert!(late < number);
        pairs.abandon(late);
        pairs.make_room(100_000);
        assert_eq!(pairs.number(7, 8), number);
    }

    #[test]
    fn threads_agree_on_numbers() {
        let mut pairs = Pairs::new();
        pairs.make_room(40_000);
        let numbers =
            |pairs: &Pairs| (0..9_000).map(|i| pairs.number(i, i / 3)).collect::<Vec<_>>();
        let (a, b) = std::thread::scope(|scope| {
            let other = scope.spawn(|| numbers(&pairs));
            (numbers(&pairs), other.join().unwrap())
        });
        assert_eq!(a, b);
        pairs.make_room(200_000);
        assert_eq!(a, numbers(&pairs));
        assert!(a.iter().enumerate().all(|(i, n)| pairs.get(*n) == (i as u32, i as u32 / 3)));
    }
}
