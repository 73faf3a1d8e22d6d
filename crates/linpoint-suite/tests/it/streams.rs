//! Compares streams with a monitor to the same streams explained by configurations.

use linpoint::incremental::{Incremental, Open, Step};
use linpoint::spec::Spec;
use linpoint::spec::models::{
    Bag, BagOp, CasRegister, CasRegisterOp, KeyValue, KeyValueOp, Mutex, MutexOp, Order,
    PriorityQueue, PriorityQueueOp, Queue, QueueOp, Register, RegisterOp, Rmw, RmwOp, Set, SetOp,
    Snapshot, SnapshotOp, Stack, StackOp,
};
use linpoint_suite::small::draw::{self, draw};
use linpoint_suite::small::objects::{
    SmallBag, SmallCasRegister, SmallKeyValue, SmallPriorityQueue, SmallQueue, SmallRegister,
    SmallRmw, SmallSnapshot, SmallStack,
};
use linpoint_suite::small::{SmallObject, list};
use linpoint_suite::streams::{After, compare_history, compare_many};
use linpoint_suite::{Rng, rng_of_case};

use crate::common::is_long;

/// Streams of one kind.
fn count() -> u64 {
    if is_long() { 120_000 } else { 1_500 }
}

/// Streams with operations drawn uniformly.
fn compare_all<S: Spec>(name: &str, spec: &S, ops: &[S::Op]) {
    let pick = |rng: &mut Rng| rng.choice(ops).expect("some operation").clone();
    compare_many(name, spec, count(), |_| pick);
}

/// Values, mostly fresh ones. Some streams repeat values occasionally, some all the time.
fn values(rng: &mut Rng) -> impl FnMut(&mut Rng) -> u32 + use<> {
    let repeats = if rng.f64() < 0.6 { 0.0 } else { [0.02, 0.2, 1.0][rng.usize(..3)] };
    let mut last = 0;
    move |rng| {
        if rng.f64() < repeats {
            rng.usize(..4) as u32
        } else {
            last += 1;
            last
        }
    }
}

/// All small histories, and random ones with ties, as streams.
fn compare_small<B: SmallObject>(object: &B, lists: &[(usize, u8)]) {
    let spec = object.spec();
    let (mut all, mut violations) = (0u64, 0u64);
    for &(ops, values) in lists {
        list::all::<B>(&object.letters(values), ops, &mut |history| {
            all += 1;
            violations += u64::from(compare_history(&spec, history) == After::Violation);
        });
    }
    println!("{}: {all} small streams, {violations} with a violation", object.name());
    assert!(violations > 0 && violations < all);
    let style = draw::Style { ops: (3, 8), ..draw::Style::default() };
    let mut violations = 0;
    let count = 5 * count();
    for case in 0..count {
        let history = draw(object, &style, &mut rng_of_case(31, case));
        violations += u64::from(compare_history(&spec, &history) == After::Violation);
    }
    println!("{}: {count} histories as streams, {violations} with a violation", object.name());
    assert!(violations > 0 && violations < count);
}

#[test]
fn sets() {
    use SetOp::{Contains, Insert, Remove};
    compare_all("set, one key", &Set::new(), &[Insert(1), Remove(1), Contains(1)]);
    let two = [Insert(1), Remove(1), Contains(1), Insert(2), Remove(2), Contains(2)];
    compare_all("set, two keys", &Set::new(), &two);
}

#[test]
fn locks() {
    use MutexOp::{Acquire, Release, TryAcquire};
    let ops = [Acquire(None), Release(None), TryAcquire(None)];
    compare_all("lock", &Mutex { owner: false }, &ops);
    compare_all("lock with owners", &Mutex { owner: true }, &ops);
}

#[test]
fn registers() {
    let spec = Register { initial: 0 };
    compare_many("register", &spec, 3 * count(), |rng| {
        let mut value = values(rng);
        move |rng| match rng.bool() {
            true => RegisterOp::Read,
            false => RegisterOp::Write(value(rng)),
        }
    });
    compare_small(&SmallRegister, if is_long() { &[(3, 2), (4, 2), (5, 1)] } else { &[(3, 2)] });
}

#[test]
fn queues() {
    compare_many("queue", &Queue::new(), 4 * count(), |rng| {
        let (mut value, peeks, adds) = (values(rng), rng.usize(..3), rng.usize(2..7));
        move |rng| match rng.usize(..10) {
            kind if kind < adds => QueueOp::Enqueue(value(rng)),
            kind if kind < adds + peeks => QueueOp::Peek,
            _ => QueueOp::Dequeue,
        }
    });
    compare_small(&SmallQueue, if is_long() { &[(3, 2), (4, 2), (5, 1)] } else { &[(3, 2)] });
}

#[test]
fn priority_queues() {
    let spec = PriorityQueue::new(Order::Max);
    compare_many("priority queue", &spec, 4 * count(), |rng| {
        let (mut value, peeks, adds) = (values(rng), rng.usize(..3), rng.usize(2..7));
        // Half of the streams add smaller and smaller elements, or elements in no order.
        let (is_mixed, sign) = (rng.bool(), if rng.bool() { 1 } else { -1 });
        move |rng| match rng.usize(..10) {
            kind if kind < adds => {
                let value = i64::from(value(rng));
                PriorityQueueOp::Insert(if is_mixed { value * 7919 % 1009 } else { sign * value })
            }
            kind if kind < adds + peeks => PriorityQueueOp::Peek,
            _ => PriorityQueueOp::Poll,
        }
    });
    let lists: &[_] = if is_long() { &[(3, 2), (4, 2), (5, 1)] } else { &[(3, 2)] };
    compare_small(&SmallPriorityQueue(Order::Max), lists);
}

#[test]
fn stacks() {
    compare_many("stack", &Stack::new(), 4 * count(), |rng| {
        let (mut value, peeks, adds) = (values(rng), rng.usize(..3), rng.usize(2..7));
        move |rng| match rng.usize(..10) {
            kind if kind < adds => StackOp::Push(value(rng)),
            kind if kind < adds + peeks => StackOp::Peek,
            _ => StackOp::Pop,
        }
    });
    compare_small(&SmallStack, if is_long() { &[(3, 2), (4, 2), (5, 1)] } else { &[(3, 2)] });
}

#[test]
fn bags() {
    compare_many("bag", &Bag::new(), 2 * count(), |rng| {
        let (mut value, adds) = (values(rng), rng.usize(2..7));
        move |rng| match rng.usize(..10) {
            kind if kind < adds => BagOp::Add(value(rng)),
            _ => BagOp::Remove,
        }
    });
    compare_small(&SmallBag, if is_long() { &[(3, 2), (4, 2)] } else { &[(3, 2)] });
}

/// Few values, so that equal ones are in the container and open at the same time.
#[test]
fn containers_of_few_values() {
    let few = |rng: &mut Rng| (rng.usize(2..6), rng.usize(..4), rng.usize(2..7));
    compare_many("queue of few values", &Queue::new(), 4 * count(), |rng| {
        let (values, peeks, adds) = few(rng);
        move |rng| match rng.usize(..10) {
            kind if kind < adds => QueueOp::Enqueue(rng.usize(..values)),
            kind if kind < adds + peeks => QueueOp::Peek,
            _ => QueueOp::Dequeue,
        }
    });
    compare_many("stack of few values", &Stack::new(), 4 * count(), |rng| {
        let (values, peeks, adds) = few(rng);
        move |rng| match rng.usize(..10) {
            kind if kind < adds => StackOp::Push(rng.usize(..values)),
            kind if kind < adds + peeks => StackOp::Peek,
            _ => StackOp::Pop,
        }
    });
    let spec = PriorityQueue::new(Order::Max);
    compare_many("priority queue of few values", &spec, 4 * count(), |rng| {
        let (values, peeks, adds) = few(rng);
        move |rng| match rng.usize(..10) {
            kind if kind < adds => PriorityQueueOp::Insert(rng.usize(..values)),
            kind if kind < adds + peeks => PriorityQueueOp::Peek,
            _ => PriorityQueueOp::Poll,
        }
    });
}

#[test]
fn compare_and_set_registers() {
    let spec = CasRegister { initial: 0 };
    compare_many("compare-and-set register", &spec, 5 * count(), |rng| {
        let mut value = values(rng);
        let mut last = 0;
        move |rng| match rng.usize(..4) {
            0 | 1 => CasRegisterOp::Read,
            kind => {
                let new = value(rng);
                // A value that is likely to be present.
                let expected = last - (rng.usize(..3) as u32).min(last);
                last = new;
                match kind {
                    2 => CasRegisterOp::Write(new),
                    _ => CasRegisterOp::Cas(expected, new),
                }
            }
        }
    });
    compare_small(&SmallCasRegister, if is_long() { &[(2, 2), (3, 2)] } else { &[(2, 2), (3, 1)] });
}

#[test]
fn swaps() {
    let spec = Rmw { initial: 0 };
    compare_many("swap", &spec, count(), |rng| {
        let mut value = values(rng);
        move |rng| RmwOp(value(rng))
    });
    compare_small(&SmallRmw, if is_long() { &[(3, 2), (4, 1)] } else { &[(3, 1)] });
}

#[test]
fn maps() {
    use KeyValueOp::{CompareAndSet, Delete, Get, GetOrElseUpdate, Put, Remove};
    let spec: KeyValue<u8, u32> = KeyValue::new(None);
    compare_many("map", &spec, 5 * count(), |rng| {
        let mut value = values(rng);
        let keys = rng.usize(1..=2);
        // Probability of deleting a key.
        let deletes = if rng.bool() { 0 } else { 3 };
        let mut last = 0;
        move |rng| {
            let key = rng.usize(..keys) as u8;
            match rng.usize(..10 + deletes) {
                0..4 => Get(key),
                4..7 => {
                    last = value(rng);
                    Put(key, last)
                }
                7 => GetOrElseUpdate(key, value(rng)),
                8 | 9 => {
                    let expected = Some(last).filter(|_| rng.f64() < 0.8);
                    last = value(rng);
                    CompareAndSet(key, expected, last)
                }
                10 => Delete(key),
                _ => Remove(key),
            }
        }
    });
    compare_small(&SmallKeyValue, if is_long() { &[(3, 2), (4, 1)] } else { &[(3, 1)] });
}

#[test]
fn snapshots() {
    let spec = Snapshot { segments: 3, initial: 0 };
    compare_many("snapshot", &spec, 3 * count(), |rng| {
        let mut value = values(rng);
        let segments = rng.usize(1..=3);
        move |rng| match rng.f64() < 0.6 {
            true => SnapshotOp::Scan,
            false => SnapshotOp::Update(rng.usize(..segments), value(rng)),
        }
    });
    let fresh = SmallSnapshot { segments: 2, bits: false, partial: false };
    compare_small(&fresh, if is_long() { &[(3, 2), (4, 2)] } else { &[(3, 2)] });
    let bits = SmallSnapshot { segments: 3, bits: true, partial: true };
    compare_small(&bits, &[(3, 1)]);
}

/// With forty open operations there would be too many configurations; the monitor needs one.
#[test]
fn a_monitor_handles_many_open_operations() {
    let spec = Mutex { owner: false };
    let mut stream = Incremental::new(&spec);
    let open: Vec<Open> =
        (0..40).map(|_| stream.call(MutexOp::Acquire(None)).expect("one lock")).collect();
    for acquired in open {
        let done = linpoint::spec::models::MutexRet::Done;
        assert_eq!(stream.ret(acquired, done), Ok(Step::Fine));
        let release = stream.call(MutexOp::Release(None)).expect("one lock");
        assert_eq!(stream.ret(release, done), Ok(Step::Fine));
        assert_eq!(stream.configurations(), 1);
    }
}
