//! Objects of distinct 64-bit values, as the monitors require.
//!
//! Unless empty results are requested, a container reserves an element for every open operation
//! that looks for one, so that none of them finds it empty whatever the order of effects.

use std::collections::{BinaryHeap, HashSet, VecDeque};

use linpoint::spec::models::{
    PriorityQueueOp, PriorityQueueRet, QueueOp, QueueRet, RegisterOp, RegisterRet, SetOp, SetRet,
    SnapshotOp, SnapshotRet, StackOp, StackRet,
};

use crate::generate::Object;
use crate::objects::Values;
use linpoint::random::SplitMix64 as Rng;

/// The frequencies of operations.
#[derive(Clone, Copy, Debug)]
pub struct Mix {
    /// Share of adds (writes, updates) among the operations that are not peeks.
    pub adds: f64,
    /// Share of peeks (lookups) among all operations.
    pub peeks: f64,
    /// Whether containers may be found empty.
    pub empties: bool,
}

/// The content of a container, and its operations.
pub trait Container: Default {
    /// What is called.
    type Op: Clone;
    /// What is returned.
    type Ret: Clone;
    /// Removes an element.
    const TAKE: Self::Op;
    /// Looks at an element.
    const PEEK: Self::Op;
    /// Adds an element.
    fn add(value: i64) -> Self::Op;
    /// The element that is added, if one is.
    fn added(op: &Self::Op) -> Option<i64>;
    /// Performs an operation.
    fn apply(&mut self, op: &Self::Op) -> Self::Ret;
    /// Number of elements.
    fn size(&self) -> usize;
}

impl Container for VecDeque<i64> {
    type Op = QueueOp<i64>;
    type Ret = QueueRet<i64>;
    const TAKE: Self::Op = QueueOp::Dequeue;
    const PEEK: Self::Op = QueueOp::Peek;

    fn add(value: i64) -> Self::Op {
        QueueOp::Enqueue(value)
    }

    fn added(op: &Self::Op) -> Option<i64> {
        if let QueueOp::Enqueue(v) = op { Some(*v) } else { None }
    }

    fn apply(&mut self, op: &Self::Op) -> Self::Ret {
        match op {
            QueueOp::Enqueue(v) => {
                self.push_back(*v);
                QueueRet::Done
            }
            QueueOp::Dequeue => QueueRet::Value(self.pop_front()),
            QueueOp::Peek => QueueRet::Value(self.front().copied()),
        }
    }

    fn size(&self) -> usize {
        self.len()
    }
}

impl Container for Vec<i64> {
    type Op = StackOp<i64>;
    type Ret = StackRet<i64>;
    const TAKE: Self::Op = StackOp::Pop;
    const PEEK: Self::Op = StackOp::Peek;

    fn add(value: i64) -> Self::Op {
        StackOp::Push(value)
    }

    fn added(op: &Self::Op) -> Option<i64> {
        if let StackOp::Push(v) = op { Some(*v) } else { None }
    }

    fn apply(&mut self, op: &Self::Op) -> Self::Ret {
        match op {
            StackOp::Push(v) => {
                self.push(*v);
                StackRet::Done
            }
            StackOp::Pop => StackRet::Value(self.pop()),
            StackOp::Peek => StackRet::Value(self.last().copied()),
        }
    }

    fn size(&self) -> usize {
        self.len()
    }
}

impl Container for BinaryHeap<i64> {
    type Op = PriorityQueueOp<i64>;
    type Ret = PriorityQueueRet<i64>;
    const TAKE: Self::Op = PriorityQueueOp::Poll;
    const PEEK: Self::Op = PriorityQueueOp::Peek;

    fn add(value: i64) -> Self::Op {
        PriorityQueueOp::Insert(value)
    }

    fn added(op: &Self::Op) -> Option<i64> {
        if let PriorityQueueOp::Insert(v) = op { Some(*v) } else { None }
    }

    fn apply(&mut self, op: &Self::Op) -> Self::Ret {
        match op {
            PriorityQueueOp::Insert(v) => {
                self.push(*v);
                PriorityQueueRet::Done
            }
            PriorityQueueOp::Poll => PriorityQueueRet::Value(self.pop()),
            PriorityQueueOp::Peek => PriorityQueueRet::Value(self.peek().copied()),
        }
    }

    fn size(&self) -> usize {
        self.len()
    }
}

/// A queue, a stack or a priority queue.
pub struct SimContainer<C> {
    mix: Mix,
    values: Values,
    content: C,
    /// Open operations that have an element reserved.
    promised: usize,
}

impl<C: Container> SimContainer<C> {
    /// An empty one.
    pub fn new(mix: Mix, values: Values) -> Self {
        SimContainer { mix, values, content: C::default(), promised: 0 }
    }
}

impl<C: Container> Object for SimContainer<C> {
    type Op = C::Op;
    type Ret = C::Ret;

    fn draw(&mut self, rng: &mut Rng) -> C::Op {
        let wanted = if rng.chance(self.mix.peeks) {
            C::PEEK
        } else if rng.chance(self.mix.adds) {
            return C::add(self.values.draw(rng).into());
        } else {
            C::TAKE
        };
        if !self.mix.empties && self.content.size() <= self.promised {
            return C::add(self.values.draw(rng).into());
        }
        self.promised += 1;
        wanted
    }

    fn apply(&mut self, op: &C::Op) -> C::Ret {
        if C::added(op).is_none() {
            self.promised -= 1;
        }
        self.content.apply(op)
    }
}

/// A set: each value is inserted once and removed at most once, both successfully. Lookups are for
/// one of the most recently inserted values, whether still there or not.
pub struct SimSet {
    mix: Mix,
    values: Values,
    content: HashSet<i64>,
    /// Elements of the set that no open operation will remove.
    removable: Vec<i64>,
    last: i64,
}

impl SimSet {
    /// An empty set.
    pub fn new(mix: Mix) -> Self {
        let (values, content) = (Values::UNIQUE, HashSet::new());
        SimSet { mix, values, content, removable: Vec::new(), last: 0 }
    }

    fn insert(&mut self, rng: &mut Rng) -> SetOp<i64> {
        self.last = self.values.draw(rng).into();
        SetOp::Insert(self.last)
    }
}

impl Object for SimSet {
    type Op = SetOp<i64>;
    type Ret = SetRet;

    fn draw(&mut self, rng: &mut Rng) -> SetOp<i64> {
        if self.last > 0 && rng.chance(self.mix.peeks) {
            let back = rng.index(self.last.min(256) as usize) as i64;
            return SetOp::Contains(self.last - back);
        }
        if self.removable.is_empty() || rng.chance(self.mix.adds) {
            return self.insert(rng);
        }
        let at = rng.index(self.removable.len());
        SetOp::Remove(self.removable.swap_remove(at))
    }

    fn apply(&mut self, op: &SetOp<i64>) -> SetRet {
        SetRet(match op {
            SetOp::Insert(v) => {
                self.removable.push(*v);
                self.content.insert(*v)
            }
            SetOp::Remove(v) => self.content.remove(v),
            SetOp::Contains(v) => self.content.contains(v),
        })
    }
}

/// A register that begins with 0.
pub struct SimCell {
    mix: Mix,
    values: Values,
    holds: i64,
}

impl SimCell {
    /// A register before the first write.
    pub fn new(mix: Mix) -> Self {
        SimCell { mix, values: Values::UNIQUE, holds: 0 }
    }
}

impl Object for SimCell {
    type Op = RegisterOp<i64>;
    type Ret = RegisterRet<i64>;

    fn draw(&mut self, rng: &mut Rng) -> Self::Op {
        if rng.chance(self.mix.adds) {
            RegisterOp::Write(self.values.draw(rng).into())
        } else {
            RegisterOp::Read
        }
    }

    fn apply(&mut self, op: &Self::Op) -> Self::Ret {
        match op {
            RegisterOp::Write(v) => {
                self.holds = *v;
                RegisterRet::Written
            }
            RegisterOp::Read => RegisterRet::Value(self.holds),
        }
    }
}

/// A snapshot object whose segments start with 0 and belong to the first clients, one each.
pub struct SimSnapshot {
    /// Probability that the owner of a segment updates it.
    updates: f64,
    values: Values,
    holds: Vec<Option<i64>>,
}

impl SimSnapshot {
    /// Creates an object with this many segments. Owners update more often if there are clients
    /// that never do; if there are too many of those, there are fewer updates than requested.
    pub fn new(mix: Mix, segments: usize, clients: usize) -> Self {
        let updates = mix.adds * clients as f64 / segments as f64;
        SimSnapshot { updates, values: Values::UNIQUE, holds: vec![Some(0); segments] }
    }
}

impl Object for SimSnapshot {
    type Op = SnapshotOp<i64>;
    type Ret = SnapshotRet<i64>;

    fn draw(&mut self, _rng: &mut Rng) -> Self::Op {
        SnapshotOp::Scan
    }

    fn draw_by(&mut self, client: usize, rng: &mut Rng) -> Self::Op {
        if client < self.holds.len() && rng.chance(self.updates) {
            SnapshotOp::Update(client, self.values.draw(rng).into())
        } else {
            self.draw(rng)
        }
    }

    fn apply(&mut self, op: &Self::Op) -> Self::Ret {
        match op {
            SnapshotOp::Update(segment, v) => {
                self.holds[*segment] = Some(*v);
                SnapshotRet::Done
            }
            SnapshotOp::Scan => SnapshotRet::Values(self.holds.clone().into()),
        }
    }
}
