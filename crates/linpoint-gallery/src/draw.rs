//! How operations are drawn, for several structures. Values are distinct, which reveals more and is
//! checked faster.

use linpoint::spec::models::{DequeOp, KeyValueOp, QueueOp, StackOp};
use linpoint_test::Rng;

use crate::specs::SizedOp;

/// Half pushes, half pops: often empty.
pub fn stack(rng: &mut Rng) -> StackOp<u64> {
    if rng.chance(0.5) { StackOp::Push(rng.fresh()) } else { StackOp::Pop }
}

/// Half enqueues, half dequeues: often empty, and often full if the bound is small.
pub fn queue(rng: &mut Rng) -> QueueOp<u64> {
    if rng.chance(0.5) { QueueOp::Enqueue(rng.fresh()) } else { QueueOp::Dequeue }
}

/// Pushes and pops at one end, pops at the other. There are fewer pushes than pops, because both
/// ends collide on the last element.
pub fn deque(rng: &mut Rng) -> DequeOp<u64> {
    match rng.below(5) {
        0 => DequeOp::PopFront,
        1 | 2 => DequeOp::PopBack,
        _ => DequeOp::PushBack(rng.fresh()),
    }
}

/// Pushes, pops and sizes.
pub fn sized_stack(rng: &mut Rng) -> SizedOp {
    match rng.below(3) {
        0 => SizedOp::Size,
        1 => SizedOp::Pop,
        _ => SizedOp::Push(rng.fresh()),
    }
}

/// Reads, updates and deletions.
pub fn map(rng: &mut Rng, keys: u64) -> KeyValueOp<u64, u64> {
    let key = rng.below(keys);
    match rng.below(3) {
        0 => KeyValueOp::Get(key),
        1 => KeyValueOp::Delete(key),
        _ => KeyValueOp::Put(key, rng.fresh()),
    }
}

/// Reads, insertions and removals whose results reveal the previous value.
pub fn informative_map(rng: &mut Rng, keys: u64) -> KeyValueOp<u64, u64> {
    let key = rng.below(keys);
    match rng.below(3) {
        0 => KeyValueOp::Get(key),
        1 => KeyValueOp::Remove(key),
        _ => KeyValueOp::GetOrElseUpdate(key, rng.fresh()),
    }
}
