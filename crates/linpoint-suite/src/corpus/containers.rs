//! Objects that hold elements.

use linpoint::spec::models::{
    Bag, BagOp, BagRet, Deque, DequeOp, DequeRet, Order, PriorityQueue, PriorityQueueOp,
    PriorityQueueRet, Queue, QueueOp, QueueRet, Set, SetOp, SetRet, Stack, StackOp, StackRet,
};

use crate::vocabulary::Vocabulary;

/// A set.
pub fn set() -> Vocabulary<Set<u8>> {
    use SetOp::{Contains, Insert, Remove};
    let both = || [true, false].map(SetRet);
    Vocabulary::new("set", Set::new())
        .once(Insert(1), both())
        .op(Remove(1), both())
        .op(Contains(1), both())
        .exhaustive_so_far()
        .once(Insert(2), both())
        .op(Remove(2), both())
        .op(Contains(2), both())
}

/// A bag.
pub fn bag() -> Vocabulary<Bag<u8>> {
    use BagOp::{Add, Remove};
    use BagRet::{Done, Value};
    Vocabulary::new("bag", Bag::new())
        .op(Remove, [None, Some(1), Some(2)].map(Value))
        .once(Add(1), [Done])
        .once(Add(2), [Done])
        .exhaustive_so_far()
        .op(Remove, [None, Some(1), Some(2), Some(3), Some(9)].map(Value))
        .once(Add(3), [Done])
}

/// A stack.
pub fn stack() -> Vocabulary<Stack<u8>> {
    use StackOp::{Peek, Pop, Push};
    use StackRet::{Done, Value};
    let values = || [None, Some(1), Some(2), Some(3), Some(9)].map(Value);
    Vocabulary::new("stack", Stack::new())
        .op(Pop, [None, Some(1), Some(2)].map(Value))
        .once(Push(1), [Done])
        .once(Push(2), [Done])
        .op(Peek, [None, Some(1)].map(Value))
        .exhaustive_so_far()
        .op(Pop, values())
        .op(Peek, values())
        .once(Push(3), [Done])
}

/// A queue.
pub fn queue() -> Vocabulary<Queue<u8>> {
    queue_of("queue", Queue::new())
}

/// A queue of at most two elements.
pub fn bounded_queue() -> Vocabulary<Queue<u8>> {
    queue_of("bounded queue", Queue::bounded(2))
}

fn queue_of(name: &'static str, spec: Queue<u8>) -> Vocabulary<Queue<u8>> {
    use QueueOp::{Dequeue, Enqueue, Peek};
    use QueueRet::{Done, Full, Value};
    // Without a bound, "full" is always wrong.
    let values = || [None, Some(1), Some(2), Some(3), Some(9)].map(Value);
    Vocabulary::new(name, spec)
        .op(Dequeue, [None, Some(1), Some(2)].map(Value))
        .once(Enqueue(1), [Done, Full])
        .once(Enqueue(2), [Done, Full])
        .exhaustive_so_far()
        .op(Dequeue, values())
        .op(Peek, values())
        .once(Enqueue(3), [Done, Full])
        .once(Enqueue(4), [Done, Full])
}

/// A double-ended queue.
pub fn deque() -> Vocabulary<Deque<u8>> {
    deque_of("deque", Deque::new())
}

/// A double-ended queue of at most two elements.
pub fn bounded_deque() -> Vocabulary<Deque<u8>> {
    deque_of("bounded deque", Deque::bounded(2))
}

fn deque_of(name: &'static str, spec: Deque<u8>) -> Vocabulary<Deque<u8>> {
    use DequeOp::{PeekBack, PeekFront, PopBack, PopFront, PushBack, PushFront};
    use DequeRet::{Done, Full, Value};
    let values = || [None, Some(1), Some(2), Some(3)].map(Value);
    Vocabulary::new(name, spec)
        .op(PopFront, [None, Some(1), Some(2)].map(Value))
        .once(PushBack(1), [Done])
        .once(PushFront(2), [Done, Full])
        .op(PopBack, [Some(1), Some(2)].map(Value))
        .exhaustive_so_far()
        .op(PopFront, values())
        .op(PopBack, values())
        .op(PeekFront, values())
        .op(PeekBack, values())
        .once(PushBack(1), [Done, Full])
        .once(PushFront(1), [Done, Full])
        .once(PushBack(3), [Done, Full])
        .once(PushFront(4), [Done, Full])
}

/// A priority queue, largest first.
pub fn priority_queue_max() -> Vocabulary<PriorityQueue<u8>> {
    priority_queue_of("priority queue, largest first", Order::Max)
}

/// A priority queue, smallest first.
pub fn priority_queue_min() -> Vocabulary<PriorityQueue<u8>> {
    priority_queue_of("priority queue, smallest first", Order::Min)
}

fn priority_queue_of(name: &'static str, order: Order) -> Vocabulary<PriorityQueue<u8>> {
    use PriorityQueueOp::{Insert, Peek, Poll};
    use PriorityQueueRet::{Done, Value};
    let values = || [None, Some(1), Some(2), Some(3), Some(9)].map(Value);
    Vocabulary::new(name, PriorityQueue::new(order))
        .op(Poll, [None, Some(1), Some(2)].map(Value))
        .once(Insert(1), [Done])
        .once(Insert(2), [Done])
        .op(Peek, [Some(1)].map(Value))
        .exhaustive_so_far()
        .op(Poll, values())
        .op(Peek, values())
        .once(Insert(3), [Done])
}
