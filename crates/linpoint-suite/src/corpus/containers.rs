//! Objects that hold elements.

use linpoint::spec::models::{
    Bag, BagOp, BagRet, Channel, ChannelOp, ChannelRet, Deque, DequeOp, DequeRet, Map, MapOp,
    MapRet, Order, PriorityQueue, PriorityQueueOp, PriorityQueueRet, Queue, QueueOp, QueueRet, Set,
    SetOp, SetRet, Stack, StackOp, StackRet,
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

/// A map.
pub fn map() -> Vocabulary<Map<u8, u8>> {
    use MapOp::{Contains, Get, Insert, Len, Remove};
    use MapRet::{Bool, Value};
    let values = || [None, Some(1), Some(2), Some(9)].map(Value);
    Vocabulary::new("map", Map::new())
        .once(Insert(1, 1), [None, Some(1)].map(Value))
        .op(Remove(1), [None, Some(1)].map(Value))
        .op(Get(1), [None, Some(1)].map(Value))
        .op(Contains(1), [true, false].map(Bool))
        .exhaustive_so_far()
        .op(Insert(1, 1), values())
        .once(Insert(1, 2), values())
        .op(Remove(1), values())
        .op(Get(1), values())
        .once(Insert(2, 1), values())
        .op(Remove(2), values())
        .op(Contains(2), [true, false].map(Bool))
        .op(Len, [0, 1, 2].map(MapRet::Len))
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

/// A channel of at most two messages. One without a bound is compared with the oracle among the bundled models: here,
/// pending sends without number would have no end of states.
pub fn bounded_channel() -> Vocabulary<Channel<u8>> {
    use ChannelOp::{Cancel, Close, Recv, Send, TryRecv, TrySend};
    use ChannelRet::{Bool, Closed, Done, Empty, Full, Message};
    Vocabulary::new("bounded channel", Channel::bounded(2))
        .op(Recv, [Message(1), Closed])
        .once(Send(1), [Done, Closed])
        .op(TryRecv, [Empty, Message(1)])
        .op(Close, [Bool(true), Done])
        .exhaustive_so_far()
        .op(Recv, [Message(1), Message(2), Message(3), Message(9), Closed, Empty])
        .op(TryRecv, [Message(1), Message(2), Message(4), Empty, Closed])
        .once(Send(2), [Done, Closed, Full])
        .once(TrySend(3), [Done, Full, Closed])
        .once(TrySend(4), [Done, Full])
        .op(Close, [Bool(true), Bool(false), Done])
        .op(Cancel, [Bool(true), Bool(false), Done])
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
