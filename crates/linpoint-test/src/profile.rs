//! Ready-made ways to draw operations that collide where bugs are.
//!
//! They follow Gavin Lowe's advice (Testing for Linearizability, 2016, section 8):
//!
//! * bugs between operations on one key show with only one or two keys ([`Keys::Few`]);
//! * bugs in resizing need more keys than the table is large ([`Keys::Many`]);
//! * bugs between keys with the same hash need a bad hash function ([`BadHash`]);
//! * bugs at the ends of a container show if it is often empty or often full: draw removals or
//!   additions more often, and make the container small ([`Fill`], [`SMALL_BOUND`]).

use std::hash::{Hash, Hasher};

use crate::models::{ChannelOp, KeyValueOp, MapOp, QueueOp, SetOp, StackOp};
use crate::rng::Rng;

/// A good capacity for a bounded container under test: it is full after two additions.
pub const SMALL_BOUND: usize = 2;

/// How full a container tends to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Fill {
    /// Removals are drawn more often: 30 % additions.
    OftenEmpty,
    /// As many additions as removals.
    #[default]
    Even,
    /// Additions are drawn more often: 70 %.
    OftenFull,
}

impl Fill {
    /// Draws whether the next operation is an addition.
    pub fn adds(self, rng: &mut Rng) -> bool {
        rng.chance(match self {
            Fill::OftenEmpty => 0.3,
            Fill::Even => 0.5,
            Fill::OftenFull => 0.7,
        })
    }
}

/// The number of keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Keys {
    /// Two: operations collide on a key.
    #[default]
    Few,
    /// Thirty-two: tables have to grow.
    Many,
    /// This many.
    Number(u64),
}

impl Keys {
    /// Draws a key.
    pub fn draw(self, rng: &mut Rng) -> u64 {
        rng.below(match self {
            Keys::Few => 2,
            Keys::Many => 32,
            Keys::Number(number) => number,
        })
    }
}

/// Enqueues of distinct values, and dequeues.
pub fn queue(fill: Fill) -> impl Fn(&mut Rng) -> QueueOp<u64> + Send + Sync + 'static {
    move |rng| if fill.adds(rng) { QueueOp::Enqueue(rng.fresh()) } else { QueueOp::Dequeue }
}

/// Pushes of distinct values, and pops.
pub fn stack(fill: Fill) -> impl Fn(&mut Rng) -> StackOp<u64> + Send + Sync + 'static {
    move |rng| if fill.adds(rng) { StackOp::Push(rng.fresh()) } else { StackOp::Pop }
}

/// Inserts, removals and lookups in equal shares.
pub fn set(keys: Keys) -> impl Fn(&mut Rng) -> SetOp<u64> + Send + Sync + 'static {
    move |rng| {
        let kind = rng.below(3);
        let key = keys.draw(rng);
        match kind {
            0 => SetOp::Contains(key),
            1 => SetOp::Insert(key),
            _ => SetOp::Remove(key),
        }
    }
}

/// Inserts of distinct values, removals and lookups in equal shares.
pub fn map(keys: Keys) -> impl Fn(&mut Rng) -> MapOp<u64, u64> + Send + Sync + 'static {
    move |rng| {
        let kind = rng.below(3);
        let key = keys.draw(rng);
        match kind {
            0 => MapOp::Get(key),
            1 => MapOp::Insert(key, rng.fresh()),
            _ => MapOp::Remove(key),
        }
    }
}

/// Sends of distinct values, and receives. Half of them wait.
pub fn channel(fill: Fill) -> impl Fn(&mut Rng) -> ChannelOp<u64> + Send + Sync + 'static {
    move |rng| match (fill.adds(rng), rng.chance(0.5)) {
        (true, true) => ChannelOp::Send(rng.fresh()),
        (true, false) => ChannelOp::TrySend(rng.fresh()),
        (false, true) => ChannelOp::Recv,
        (false, false) => ChannelOp::TryRecv,
    }
}

/// Gets, puts of distinct values, and removals in equal shares.
pub fn key_value(keys: Keys) -> impl Fn(&mut Rng) -> KeyValueOp<u64, u64> + Send + Sync + 'static {
    move |rng| {
        let kind = rng.below(3);
        let key = keys.draw(rng);
        match kind {
            0 => KeyValueOp::Get(key),
            1 => KeyValueOp::Put(key, rng.fresh()),
            _ => KeyValueOp::Remove(key),
        }
    }
}

/// A key whose hash has only `HASHES` different values.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct BadHash<const HASHES: u64 = 2>(pub u64);

impl<const HASHES: u64> Hash for BadHash<HASHES> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.0 % HASHES.max(1)).hash(state);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Place;
    use std::collections::HashSet;

    #[test]
    fn fill_sets_the_share_of_additions() {
        let share = |fill: Fill| {
            let draw = queue(fill);
            let adds =
                |seed| matches!(draw(&mut Rng::new(seed, Place::default())), QueueOp::Enqueue(_));
            (0..10_000).filter(|seed| adds(*seed)).count()
        };
        assert!((2_700..3_300).contains(&share(Fill::OftenEmpty)));
        assert!((6_700..7_300).contains(&share(Fill::OftenFull)));
    }

    #[test]
    fn a_bad_hash_has_few_distinct_values() {
        use std::hash::BuildHasher;
        let state = std::collections::hash_map::RandomState::new();
        let hashes: HashSet<u64> = (0..100).map(|k| state.hash_one(BadHash::<2>(k))).collect();
        assert_eq!(hashes.len(), 2);
        assert_ne!(BadHash::<2>(0), BadHash::<2>(2));
    }
}
