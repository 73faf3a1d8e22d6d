//! Containers: what goes in comes out, in one order or another.

use linpoint::spec::models::{
    Bag, BagOp, BagRet, Deque, DequeOp, DequeRet, Order, PriorityQueue, PriorityQueueOp,
    PriorityQueueRet, Queue, QueueOp, QueueRet, Set, SetOp, SetRet, Stack, StackOp, StackRet,
};

use super::super::join::{Join, Mismatch, added, bool_ret, done, element, maybe, none, one};
use super::super::{Entry, ModelInfo};
use crate::Value;
use crate::raw::RawOp;

const CAPACITY: &str = "capacity=N: holds at most so many; adding may then give \"full\"";

pub(super) const QUEUE: Entry = Entry {
    info: ModelInfo {
        name: "queue",
        about: "first in, first out",
        operations: &[
            "enqueue(value) -> \"ok\", with a capacity also \"full\"",
            "dequeue() -> value or null",
            "peek() -> value or null",
        ],
        options: &[CAPACITY],
    },
    join: |options| Ok(Box::new(QueueJoin { capacity: options.int("capacity")? })),
};

struct QueueJoin {
    capacity: Option<usize>,
}

impl Join for QueueJoin {
    type Spec = Queue<Value>;

    fn spec(&self) -> Queue<Value> {
        self.capacity.map_or_else(Queue::new, Queue::bounded)
    }

    #[inline(always)]
    fn op(&self, raw: &RawOp<'_>) -> Result<QueueOp<Value>, Mismatch> {
        match raw.name {
            "enqueue" => element(raw).map(QueueOp::Enqueue),
            "dequeue" => none(raw).map(|()| QueueOp::Dequeue),
            "peek" => none(raw).map(|()| QueueOp::Peek),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    #[inline(always)]
    fn ret(&self, op: &QueueOp<Value>, value: &Value) -> Result<QueueRet<Value>, Mismatch> {
        Ok(match op {
            QueueOp::Enqueue(_) if added(value)? => QueueRet::Done,
            QueueOp::Enqueue(_) => QueueRet::Full,
            QueueOp::Dequeue | QueueOp::Peek => QueueRet::Value(maybe(value)),
        })
    }

    #[inline(always)]
    fn only_ret(&self, op: &QueueOp<Value>) -> Option<QueueRet<Value>> {
        let unbounded = self.capacity.is_none();
        (unbounded && matches!(op, QueueOp::Enqueue(_))).then_some(QueueRet::Done)
    }
}

pub(super) const STACK: Entry = Entry {
    info: ModelInfo {
        name: "stack",
        about: "last in, first out",
        operations: &["push(value)", "pop() -> value or null", "peek() -> value or null"],
        options: &[],
    },
    join: |_| Ok(Box::new(StackJoin)),
};

struct StackJoin;

impl Join for StackJoin {
    type Spec = Stack<Value>;

    fn spec(&self) -> Stack<Value> {
        Stack::new()
    }

    #[inline(always)]
    fn op(&self, raw: &RawOp<'_>) -> Result<StackOp<Value>, Mismatch> {
        match raw.name {
            "push" => element(raw).map(StackOp::Push),
            "pop" => none(raw).map(|()| StackOp::Pop),
            "peek" => none(raw).map(|()| StackOp::Peek),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    #[inline(always)]
    fn ret(&self, op: &StackOp<Value>, value: &Value) -> Result<StackRet<Value>, Mismatch> {
        match op {
            StackOp::Push(_) => done(value).map(|()| StackRet::Done),
            StackOp::Pop | StackOp::Peek => Ok(StackRet::Value(maybe(value))),
        }
    }

    #[inline(always)]
    fn only_ret(&self, op: &StackOp<Value>) -> Option<StackRet<Value>> {
        matches!(op, StackOp::Push(_)).then_some(StackRet::Done)
    }
}

pub(super) const DEQUE: Entry = Entry {
    info: ModelInfo {
        name: "deque",
        about: "a queue with two ends",
        operations: &[
            "push_front(value) -> \"ok\", with a capacity also \"full\"",
            "push_back(value) -> \"ok\", with a capacity also \"full\"",
            "pop_front() -> value or null",
            "pop_back() -> value or null",
            "peek_front() -> value or null",
            "peek_back() -> value or null",
        ],
        options: &[CAPACITY],
    },
    join: |options| Ok(Box::new(DequeJoin { capacity: options.int("capacity")? })),
};

struct DequeJoin {
    capacity: Option<usize>,
}

impl Join for DequeJoin {
    type Spec = Deque<Value>;

    fn spec(&self) -> Deque<Value> {
        self.capacity.map_or_else(Deque::new, Deque::bounded)
    }

    #[inline]
    fn op(&self, raw: &RawOp<'_>) -> Result<DequeOp<Value>, Mismatch> {
        match raw.name {
            "push_front" => element(raw).map(DequeOp::PushFront),
            "push_back" => element(raw).map(DequeOp::PushBack),
            "pop_front" => none(raw).map(|()| DequeOp::PopFront),
            "pop_back" => none(raw).map(|()| DequeOp::PopBack),
            "peek_front" => none(raw).map(|()| DequeOp::PeekFront),
            "peek_back" => none(raw).map(|()| DequeOp::PeekBack),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    #[inline]
    fn ret(&self, op: &DequeOp<Value>, value: &Value) -> Result<DequeRet<Value>, Mismatch> {
        Ok(match op {
            DequeOp::PushFront(_) | DequeOp::PushBack(_) if added(value)? => DequeRet::Done,
            DequeOp::PushFront(_) | DequeOp::PushBack(_) => DequeRet::Full,
            _ => DequeRet::Value(maybe(value)),
        })
    }

    #[inline]
    fn only_ret(&self, op: &DequeOp<Value>) -> Option<DequeRet<Value>> {
        let push = matches!(op, DequeOp::PushFront(_) | DequeOp::PushBack(_));
        (push && self.capacity.is_none()).then_some(DequeRet::Done)
    }
}

pub(super) const PRIORITY_QUEUE: Entry = Entry {
    info: ModelInfo {
        name: "priority-queue",
        about: "the largest value (or the smallest) comes out first",
        operations: &["insert(value)", "poll() -> value or null", "peek() -> value or null"],
        options: &["min: the smallest first", "max: the largest first (default)"],
    },
    join: |options| {
        let order = match (options.switch("min")?, options.switch("max")?) {
            (true, true) => {
                return Err("a priority queue is min or max, not both".to_owned().into());
            }
            (true, false) => Order::Min,
            (false, _) => Order::Max,
        };
        Ok(Box::new(PriorityQueueJoin { order }))
    },
};

struct PriorityQueueJoin {
    order: Order,
}

impl Join for PriorityQueueJoin {
    type Spec = PriorityQueue<Value>;

    fn spec(&self) -> PriorityQueue<Value> {
        PriorityQueue::new(self.order)
    }

    #[inline(always)]
    fn op(&self, raw: &RawOp<'_>) -> Result<PriorityQueueOp<Value>, Mismatch> {
        match raw.name {
            "insert" => element(raw).map(PriorityQueueOp::Insert),
            "poll" => none(raw).map(|()| PriorityQueueOp::Poll),
            "peek" => none(raw).map(|()| PriorityQueueOp::Peek),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    #[inline(always)]
    fn ret(
        &self,
        op: &PriorityQueueOp<Value>,
        value: &Value,
    ) -> Result<PriorityQueueRet<Value>, Mismatch> {
        match op {
            PriorityQueueOp::Insert(_) => done(value).map(|()| PriorityQueueRet::Done),
            _ => Ok(PriorityQueueRet::Value(maybe(value))),
        }
    }

    #[inline(always)]
    fn only_ret(&self, op: &PriorityQueueOp<Value>) -> Option<PriorityQueueRet<Value>> {
        matches!(op, PriorityQueueOp::Insert(_)).then_some(PriorityQueueRet::Done)
    }
}

pub(super) const SET: Entry = Entry {
    info: ModelInfo {
        name: "set",
        about: "values that are there or not",
        operations: &[
            "insert(value) -> true if it was not there",
            "remove(value) -> true if it was there",
            "contains(value) -> true if it is there",
        ],
        options: &[],
    },
    join: |_| Ok(Box::new(SetJoin)),
};

struct SetJoin;

impl Join for SetJoin {
    type Spec = Set<Value>;

    fn spec(&self) -> Set<Value> {
        Set::new()
    }

    #[inline(always)]
    fn op(&self, raw: &RawOp<'_>) -> Result<SetOp<Value>, Mismatch> {
        match raw.name {
            "insert" => Ok(SetOp::Insert(one(raw)?.clone())),
            "remove" => Ok(SetOp::Remove(one(raw)?.clone())),
            "contains" => Ok(SetOp::Contains(one(raw)?.clone())),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    #[inline(always)]
    fn ret(&self, _op: &SetOp<Value>, value: &Value) -> Result<SetRet, Mismatch> {
        bool_ret(value).map(SetRet)
    }
}

pub(super) const BAG: Entry = Entry {
    info: ModelInfo {
        name: "bag",
        about: "values come out in any order",
        operations: &["add(value)", "remove() -> value or null"],
        options: &[],
    },
    join: |_| Ok(Box::new(BagJoin)),
};

struct BagJoin;

impl Join for BagJoin {
    type Spec = Bag<Value>;

    fn spec(&self) -> Bag<Value> {
        Bag::new()
    }

    #[inline]
    fn op(&self, raw: &RawOp<'_>) -> Result<BagOp<Value>, Mismatch> {
        match raw.name {
            "add" => element(raw).map(BagOp::Add),
            "remove" => none(raw).map(|()| BagOp::Remove),
            _ => Err(Mismatch::UnknownOperation),
        }
    }

    #[inline]
    fn ret(&self, op: &BagOp<Value>, value: &Value) -> Result<BagRet<Value>, Mismatch> {
        match op {
            BagOp::Add(_) => done(value).map(|()| BagRet::Done),
            BagOp::Remove => Ok(BagRet::Value(maybe(value))),
        }
    }

    #[inline]
    fn only_ret(&self, op: &BagOp<Value>) -> Option<BagRet<Value>> {
        matches!(op, BagOp::Add(_)).then_some(BagRet::Done)
    }
}
