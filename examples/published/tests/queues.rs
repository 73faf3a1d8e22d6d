//! Queues, deques and stacks.

use linpoint_test::Handles;
use linpoint_test::prelude::*;
use linpoint_test::report::Files;
use published::{bounded_queue, queue, spsc, stack};

#[test]
fn crossbeam_queue_seg_queue() {
    queue(crossbeam_queue::SegQueue::new, |q, v| q.push(v), |q| q.pop());
}

#[test]
fn crossbeam_queue_array_queue() {
    for capacity in [1, 2] {
        let make = move || crossbeam_queue::ArrayQueue::new(capacity);
        bounded_queue(Some(capacity), make, |q, v| q.push(v).is_ok(), |q| q.pop());
    }
}

#[test]
fn concurrent_queue_unbounded() {
    queue(
        concurrent_queue::ConcurrentQueue::unbounded,
        |q, v| q.push(v).unwrap(),
        |q| q.pop().ok(),
    );
}

#[test]
fn concurrent_queue_bounded_2() {
    let make = || concurrent_queue::ConcurrentQueue::bounded(2);
    bounded_queue(Some(2), make, |q, v| q.push(v).is_ok(), |q| q.pop().ok());
}

#[test]
fn concurrent_queue_bounded_1() {
    let make = || concurrent_queue::ConcurrentQueue::bounded(1);
    bounded_queue(Some(1), make, |q, v| q.push(v).is_ok(), |q| q.pop().ok());
}

#[test]
fn crossbeam_deque_injector() {
    queue(crossbeam_deque::Injector::new, |q, v| q.push(v), |q| steal(|| q.steal()));
}

fn steal(steal: impl Fn() -> crossbeam_deque::Steal<u64>) -> Option<u64> {
    std::iter::repeat_with(steal).find(|s| !s.is_retry()).and_then(|s| s.success())
}

#[test]
fn crossbeam_deque_worker() {
    enum End {
        Owner(crossbeam_deque::Worker<u64>),
        Thief(crossbeam_deque::Stealer<u64>),
    }
    Stress::new(|| {
        let worker = crossbeam_deque::Worker::new_lifo();
        let [a, b] = [worker.stealer(), worker.stealer()];
        Handles::new([End::Owner(worker), End::Thief(a), End::Thief(b)])
    })
    .spec(Deque::new())
    .ops(|_| DequeOp::PopFront)
    .perform_mut(|end, op| match (end, op) {
        (End::Owner(worker), DequeOp::PushBack(value)) => {
            worker.push(*value);
            DequeRet::Done
        }
        (End::Owner(worker), _) => DequeRet::Value(worker.pop()),
        (End::Thief(thief), _) => DequeRet::Value(steal(|| thief.steal())),
    })
    .thread(0, |rng| match rng.below(2) {
        0 => DequeOp::PushBack(rng.fresh()),
        _ => DequeOp::PopBack,
    })
    .files(Files::none())
    .run();
}

#[test]
fn lockfree_queue() {
    queue(lockfree::queue::Queue::new, |q, v| q.push(v), |q| q.pop());
}

#[test]
fn lockfree_stack() {
    stack(lockfree::stack::Stack::new, |s, v| s.push(v), |s| s.pop());
}

#[test]
fn sdd_queue() {
    let pop = |q: &sdd::Queue<u64>| q.pop().map(|entry| **entry);
    queue(sdd::Queue::default, |q, v| drop(q.push(v)), pop);
}

#[test]
fn sdd_stack() {
    let pop = |s: &sdd::Stack<u64>| s.pop().map(|entry| **entry);
    stack(sdd::Stack::default, |s, v| drop(s.push(v)), pop);
}

#[test]
fn thingbuf() {
    let make = || thingbuf::ThingBuf::new(2);
    bounded_queue(Some(2), make, |q, v| q.push(v).is_ok(), |q| q.pop());
}

#[test]
fn heapless_mpmc() {
    type Queue = heapless::mpmc::Queue<u64, 2>;
    bounded_queue(Some(2), Queue::new, |q, v| q.enqueue(v).is_ok(), |q| q.dequeue());
}

#[test]
fn rtrb() {
    spsc(2, || rtrb::RingBuffer::new(2), |p, v| p.push(v).is_ok(), |c| c.pop().ok());
}

#[test]
fn ringbuf() {
    use ringbuf::traits::{Consumer, Producer, Split};
    let make = || ringbuf::HeapRb::new(2).split();
    spsc(2, make, |p, v| p.try_push(v).is_ok(), |c| c.try_pop());
}
