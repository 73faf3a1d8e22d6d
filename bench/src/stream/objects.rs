//! Objects that respond immediately, and the workload of their clients.

use std::collections::{BinaryHeap, HashMap, VecDeque};

use linpoint::spec::models::{
    CasRegisterOp, CasRegisterRet, KeyValueOp, KeyValueRet, PriorityQueueOp, PriorityQueueRet,
    QueueOp, QueueRet, RegisterOp, RegisterRet, SnapshotOp, SnapshotRet, StackOp, StackRet,
};

use linpoint::random::SplitMix64 as Rng;

/// Keys of the map.
pub const KEYS: usize = 1_000;

/// Segments of the snapshot object; the first clients have one each.
pub const SEGMENTS: usize = 4;

/// An object that responds immediately.
pub trait Atomic {
    type Op: Clone;
    type Ret: Clone;
    fn draw(&mut self, rng: &mut Rng, client: usize) -> Self::Op;
    fn apply(&mut self, op: &Self::Op) -> Self::Ret;
}

/// Gets, puts of fresh values, removals.
#[derive(Default)]
pub struct Map {
    content: HashMap<u64, u64>,
    written: u64,
}

impl Atomic for Map {
    type Op = KeyValueOp<u64, u64>;
    type Ret = KeyValueRet<u64>;

    fn draw(&mut self, rng: &mut Rng, _client: usize) -> Self::Op {
        let key = rng.index(KEYS) as u64;
        match rng.index(4) {
            0 | 1 => KeyValueOp::Get(key),
            2 => {
                self.written += 1;
                KeyValueOp::Put(key, self.written)
            }
            _ => KeyValueOp::Remove(key),
        }
    }

    fn apply(&mut self, op: &Self::Op) -> Self::Ret {
        match op {
            KeyValueOp::Put(key, value) => {
                self.content.insert(*key, *value);
                KeyValueRet::Done
            }
            KeyValueOp::Remove(key) => KeyValueRet::Value(self.content.remove(key)),
            KeyValueOp::Get(key) => KeyValueRet::Value(self.content.get(key).copied()),
            other => unreachable!("{other:?} is never drawn"),
        }
    }
}

/// Reads and writes of fresh values, half and half.
#[derive(Default)]
pub struct Cell {
    holds: u64,
    written: u64,
}

impl Atomic for Cell {
    type Op = RegisterOp<u64>;
    type Ret = RegisterRet<u64>;

    fn draw(&mut self, rng: &mut Rng, _client: usize) -> Self::Op {
        if rng.index(2) == 0 {
            return RegisterOp::Read;
        }
        self.written += 1;
        RegisterOp::Write(self.written)
    }

    fn apply(&mut self, op: &Self::Op) -> Self::Ret {
        match op {
            RegisterOp::Read => RegisterRet::Value(self.holds),
            RegisterOp::Write(value) => {
                self.holds = *value;
                RegisterRet::Written
            }
        }
    }
}

/// Reads, writes of fresh values, and compare-and-sets that expect the value present at their call.
#[derive(Default)]
pub struct CasCell {
    holds: u64,
    written: u64,
}

impl Atomic for CasCell {
    type Op = CasRegisterOp<u64>;
    type Ret = CasRegisterRet<u64>;

    fn draw(&mut self, rng: &mut Rng, _client: usize) -> Self::Op {
        self.written += 1;
        match rng.index(4) {
            0 | 1 => CasRegisterOp::Read,
            2 => CasRegisterOp::Write(self.written),
            _ => CasRegisterOp::Cas(self.holds, self.written),
        }
    }

    fn apply(&mut self, op: &Self::Op) -> Self::Ret {
        match op {
            CasRegisterOp::Read => CasRegisterRet::Value(self.holds),
            CasRegisterOp::Write(value) => {
                self.holds = *value;
                CasRegisterRet::Written
            }
            CasRegisterOp::Cas(expected, value) => {
                let matches = *expected == self.holds;
                if matches {
                    self.holds = *value;
                }
                CasRegisterRet::Bool(matches)
            }
        }
    }
}

/// Scans, and updates with fresh values; each segment has one writer.
#[derive(Default)]
pub struct Segments {
    holds: [u64; SEGMENTS],
    written: u64,
}

impl Atomic for Segments {
    type Op = SnapshotOp<u64>;
    type Ret = SnapshotRet<u64>;

    fn draw(&mut self, rng: &mut Rng, client: usize) -> Self::Op {
        if client >= SEGMENTS || rng.index(2) == 0 {
            return SnapshotOp::Scan;
        }
        self.written += 1;
        SnapshotOp::Update(client, self.written)
    }

    fn apply(&mut self, op: &Self::Op) -> Self::Ret {
        match op {
            SnapshotOp::Scan => SnapshotRet::Values(self.holds.iter().copied().map(Some).collect()),
            SnapshotOp::Update(segment, value) => {
                self.holds[*segment] = *value;
                SnapshotRet::Done
            }
        }
    }
}

/// Additions of fresh values and removals, half and half, and a few peeks.
#[derive(Default)]
pub struct Fifo {
    content: VecDeque<u64>,
    added: u64,
}

impl Atomic for Fifo {
    type Op = QueueOp<u64>;
    type Ret = QueueRet<u64>;

    fn draw(&mut self, rng: &mut Rng, _client: usize) -> Self::Op {
        match rng.index(20) {
            0 => QueueOp::Peek,
            1..10 => {
                self.added += 1;
                QueueOp::Enqueue(self.added)
            }
            _ => QueueOp::Dequeue,
        }
    }

    fn apply(&mut self, op: &Self::Op) -> Self::Ret {
        match op {
            QueueOp::Enqueue(v) => {
                self.content.push_back(*v);
                QueueRet::Done
            }
            QueueOp::Dequeue => QueueRet::Value(self.content.pop_front()),
            QueueOp::Peek => QueueRet::Value(self.content.front().copied()),
        }
    }
}

/// The same for a stack.
#[derive(Default)]
pub struct Lifo {
    content: Vec<u64>,
    added: u64,
}

impl Atomic for Lifo {
    type Op = StackOp<u64>;
    type Ret = StackRet<u64>;

    fn draw(&mut self, rng: &mut Rng, _client: usize) -> Self::Op {
        match rng.index(20) {
            0 => StackOp::Peek,
            1..10 => {
                self.added += 1;
                StackOp::Push(self.added)
            }
            _ => StackOp::Pop,
        }
    }

    fn apply(&mut self, op: &Self::Op) -> Self::Ret {
        match op {
            StackOp::Push(v) => {
                self.content.push(*v);
                StackRet::Done
            }
            StackOp::Pop => StackRet::Value(self.content.pop()),
            StackOp::Peek => StackRet::Value(self.content.last().copied()),
        }
    }
}

/// The same for a priority queue. Values come in no order.
#[derive(Default)]
pub struct Heap {
    content: BinaryHeap<u64>,
    added: u64,
}

impl Atomic for Heap {
    type Op = PriorityQueueOp<u64>;
    type Ret = PriorityQueueRet<u64>;

    fn draw(&mut self, rng: &mut Rng, _client: usize) -> Self::Op {
        match rng.index(20) {
            0 => PriorityQueueOp::Peek,
            1..10 => {
                self.added += 1;
                // Odd factors lose nothing.
                PriorityQueueOp::Insert(self.added.wrapping_mul(0x9E37_79B9_7F4A_7C15))
            }
            _ => PriorityQueueOp::Poll,
        }
    }

    fn apply(&mut self, op: &Self::Op) -> Self::Ret {
        match op {
            PriorityQueueOp::Insert(v) => {
                self.content.push(*v);
                PriorityQueueRet::Done
            }
            PriorityQueueOp::Poll => PriorityQueueRet::Value(self.content.pop()),
            PriorityQueueOp::Peek => PriorityQueueRet::Value(self.content.peek().copied()),
        }
    }
}
