//! What linpoint-test records can be read and means the same, for every bundled model that it can
//! write.

use linpoint::spec::models::{
    Bag, BagOp, CasRegister, CasRegisterOp, Counter, CounterOp, Deque, DequeOp, KeyValue,
    KeyValueOp, Order, PriorityQueue, PriorityQueueOp, Queue, QueueOp, QueueRet, Register,
    RegisterOp, Semaphore, SemaphoreOp, Set, SetOp, Stack, StackOp,
};
use linpoint::{History, OpId, Spec};
use linpoint_formats::{LoadedHistory, Source, registry};
use linpoint_test::record::json::write_any;

/// The operations one after the other, each with its first possible result. The last one is
/// pending.
fn sequential<S: Spec>(spec: &S, ops: &[S::Op]) -> History<S::Op, S::Ret> {
    let mut events = History::from_events();
    let mut state = spec.initial();
    for op in ops {
        let mut out = Vec::new();
        assert!(spec.outcomes(&state, op, &mut out));
        let (ret, after) = out.into_iter().next().expect("no operation waits");
        let id = events.call_by(0, op.clone()).unwrap();
        events.ret(id, ret).unwrap();
        state = after;
    }
    events.call_by(1, ops[0].clone()).unwrap();
    events.finish()
}

fn read<S: Spec + 'static>(spec: &S, history: &History<S::Op, S::Ret>) -> LoadedHistory {
    let mut text = Vec::new();
    assert!(write_any(&mut text, spec, history, "a \"note\"").unwrap(), "the model is known");
    let text = String::from_utf8(text).unwrap();
    registry::read(&Source::new("recorded", text.as_str()), None)
        .unwrap_or_else(|error| panic!("{error} in\n{text}"))
}

/// After writing and reading again, each operation has the same text, and the verdict is the same.
#[track_caller]
fn round_trip<S: Spec + 'static>(spec: &S, ops: &[S::Op]) {
    let history = sequential(spec, ops);
    let loaded = read(spec, &history);
    assert_eq!(loaded.len(), history.len());
    for id in history.ids() {
        assert_eq!(loaded.op(id), spec.describe_op(history.op(id)));
        let ret = history.ret(id).map(|ret| spec.describe_ret(history.op(id), ret));
        assert_eq!(loaded.ret(id), ret, "{}", loaded.op(id));
        assert_eq!(loaded.span(id), history.span(id));
    }
}

#[test]
fn every_model_round_trips() {
    let queue = [QueueOp::Enqueue(1_u64), QueueOp::Enqueue(2), QueueOp::Peek, QueueOp::Dequeue];
    round_trip(&Queue::new(), &queue);
    round_trip(&Queue::bounded(1), &queue);
    let words = ["a", "b\n"].map(|text| QueueOp::Enqueue(text.to_owned()));
    round_trip(&Queue::new(), &[&words[..], &[QueueOp::Dequeue]].concat());
    round_trip(&Stack::new(), &[StackOp::Push(-1_i64), StackOp::Peek, StackOp::Pop, StackOp::Pop]);
    use DequeOp::{PeekBack, PeekFront, PopBack, PopFront, PushBack, PushFront};
    let deque = [PushFront(1_u32), PushBack(2), PeekFront, PeekBack, PopFront, PopBack, PopBack];
    round_trip(&Deque::new(), &deque);
    round_trip(&Deque::bounded(1), &deque);
    round_trip(&Bag::new(), &[BagOp::Add(7_u8), BagOp::Remove, BagOp::Remove]);
    round_trip(&Set::new(), &[SetOp::Insert(7_u64), SetOp::Contains(7), SetOp::Remove(8)]);
    for order in [Order::Min, Order::Max] {
        use PriorityQueueOp::{Insert, Peek, Poll};
        round_trip(&PriorityQueue::new(order), &[Insert(1_i64), Insert(2), Peek, Poll, Poll, Poll]);
    }
}

#[test]
fn registers_and_the_like() {
    round_trip(
        &Register { initial: 4_u64 },
        &[RegisterOp::Read, RegisterOp::Write(5), RegisterOp::Read],
    );
    use CasRegisterOp::{Cas, Read, Write};
    round_trip(&CasRegister { initial: 4_i32 }, &[Cas(4, 5), Cas(4, 6), Read, Write(1)]);
    round_trip(
        &Counter { initial: 3 },
        &[CounterOp::Add(2), CounterOp::FetchAdd(-1), CounterOp::Get],
    );
    use SemaphoreOp::{Acquire, Release, TryAcquire};
    round_trip(&Semaphore { initial: 1 }, &[Acquire, TryAcquire, Release, TryAcquire]);
    use KeyValueOp::{CompareAndSet, Delete, Get, GetOrElseUpdate, Put, Remove};
    let all = [
        Get(1_u64),
        Put(1, 2_u64),
        GetOrElseUpdate(2, 3),
        CompareAndSet(1, Some(2), 3),
        CompareAndSet(1, None, 3),
        Remove(1),
        Delete(2),
    ];
    round_trip(&KeyValue::new(None), &all);
    round_trip(&KeyValue::new(Some(0)), &all);
}

#[test]
fn a_violation_remains_a_violation() {
    let mut events = History::from_events();
    for value in [1_u64, 2] {
        let id = events.call_by(0, QueueOp::Enqueue(value)).unwrap();
        events.ret(id, QueueRet::Done).unwrap();
    }
    let id = events.call_by(1, QueueOp::Dequeue).unwrap();
    events.ret(id, QueueRet::Value(Some(2))).unwrap();
    let loaded = read(&Queue::new(), &events.finish());
    let report = loaded.check(&linpoint_formats::Settings::default());
    assert_eq!(report.unwrap().verdict.violation().unwrap().failing, Some(OpId(2)));
}
