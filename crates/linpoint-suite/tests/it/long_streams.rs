//! Long streams with many busy clients: memory must not grow with the stream, and violations must
//! still be found after a long time.

use linpoint::incremental::{Incremental, Open, Step};
use linpoint::spec::Spec;
use linpoint::spec::models::{
    CasRegister, CasRegisterOp, CasRegisterRet, KeyValue, KeyValueOp, KeyValueRet, Order,
    PriorityQueue, PriorityQueueOp, PriorityQueueRet, Queue, QueueOp, QueueRet, Register,
    RegisterOp, RegisterRet, Snapshot, SnapshotOp, SnapshotRet, Stack, StackOp, StackRet,
};
use linpoint_suite::Rng;

/// What a client is doing.
enum Client<S: Spec> {
    Idle,
    Called(Open, S::Op),
    Done(Open, S::Ret),
}

/// The next operation of a client, given the state.
type Draw<'a, S> = dyn FnMut(&mut Rng, usize, &<S as Spec>::State) -> <S as Spec>::Op + 'a;

/// The maximum number of stored items, and the number of parts.
fn run<S: Spec>(
    stream: &mut Incremental<'_, S>,
    spec: &S,
    clients: usize,
    draw: &mut Draw<'_, S>,
) -> usize {
    let operations = if std::env::var("LINPOINT_LONG").is_ok() { 3_000_000 } else { 150_000 };
    let rng = &mut Rng::with_seed(5);
    let mut state = spec.initial();
    let mut doing: Vec<Client<S>> = (0..clients).map(|_| Client::Idle).collect();
    let (mut ended, mut most) = (0, 0);
    while ended < operations {
        let c = rng.usize(..clients);
        doing[c] = match std::mem::replace(&mut doing[c], Client::Idle) {
            Client::Idle => {
                let op = draw(rng, c, &state);
                Client::Called(stream.call(op.clone()).expect("one key"), op)
            }
            Client::Called(open, op) => {
                let mut out = Vec::new();
                assert!(spec.outcomes(&state, &op, &mut out));
                let (ret, next) = out.pop().expect("nothing has to wait");
                state = next;
                Client::Done(open, ret)
            }
            Client::Done(open, ret) => {
                ended += 1;
                assert_eq!(stream.ret(open, ret).expect("open"), Step::Fine);
                most = most.max(stream.stored());
                Client::Idle
            }
        };
    }
    assert_eq!(stream.monitored(), stream.parts(), "the monitor is used to the end");
    most
}

/// Log at most this many events for another engine, if it is not known which of them matter.
const KEPT: usize = 1 << 16;

/// Runs the stream; the number of stored items must be less than `each` for each client, plus
/// `more`. Then `op` returns `stale`, which was correct long ago.
fn check<S: Spec>(
    name: &str,
    spec: &S,
    (each, more): (usize, usize),
    draw: &mut Draw<'_, S>,
    (op, stale): (S::Op, S::Ret),
) {
    for clients in [4, 100] {
        let mut stream = Incremental::new(spec);
        let most = run(&mut stream, spec, clients, draw);
        println!("{name}, {clients} clients: at most {most} items stored");
        assert!(most < each * clients + more, "{name}, {clients} clients: {most} items stored");
        let open = stream.call(op.clone()).expect("one key");
        let step = stream.ret(open, stale.clone()).expect("open");
        let Step::Violation(violation) = step else { panic!("{name}: {step:?}") };
        assert_eq!(violation.returned, Some(stale.clone()));
        assert!(!violation.allowed.is_empty() && !violation.allowed.contains(&stale));
    }
}

#[test]
fn register() {
    let mut last = 0u64;
    let mut draw = |rng: &mut Rng, _: usize, _: &u64| match rng.bool() {
        true => RegisterOp::Read,
        false => {
            last += 1;
            RegisterOp::Write(last)
        }
    };
    let stale = (RegisterOp::Read, RegisterRet::Value(0));
    check("register", &Register { initial: 0 }, (60, 0), &mut draw, stale);
}

/// One client replaces the current value, so that everything is one chain; the others read, or
/// expect a value that is long gone. Values come back after a while.
#[test]
fn compare_and_set() {
    let mut last = 0u64;
    let mut draw = |rng: &mut Rng, client: usize, holds: &u64| {
        last += 1;
        match rng.usize(..4) {
            0 | 1 if client > 0 => CasRegisterOp::Read,
            _ if client > 0 => CasRegisterOp::Cas((last + 50_000) % 100_000, u64::MAX),
            _ => CasRegisterOp::Cas(*holds, 1 + last % 100_000),
        }
    };
    let stale = (CasRegisterOp::Read, CasRegisterRet::Value(0));
    check("compare-and-set", &CasRegister { initial: 0 }, (60, KEPT), &mut draw, stale);
}

/// The same with plain writes by all clients.
#[test]
fn compare_and_set_with_writes() {
    let mut last = 0u64;
    let mut draw = |rng: &mut Rng, client: usize, _: &u64| {
        last += 1;
        match rng.usize(..4) {
            0 | 1 => CasRegisterOp::Read,
            2 => CasRegisterOp::Write(1 + last % 100_000),
            _ => CasRegisterOp::Cas((last + 50_000) % 100_000, u64::MAX - client as u64),
        }
    };
    let stale = (CasRegisterOp::Read, CasRegisterRet::Value(0));
    check("compare-and-set, writes", &CasRegister { initial: 0 }, (60, 0), &mut draw, stale);
}

#[test]
fn map() {
    let spec: KeyValue<u64, u64> = KeyValue::new(None);
    let mut last = 0u64;
    let mut draw = |rng: &mut Rng, c: usize, _: &_| {
        let key = (c % 3) as u64;
        match rng.bool() {
            true => KeyValueOp::Get(key),
            false => {
                last += 1;
                KeyValueOp::Put(key, last)
            }
        }
    };
    check("map", &spec, (60, 0), &mut draw, (KeyValueOp::Get(0), KeyValueRet::Value(None)));
}

/// Each client has a segment of its own.
#[test]
fn snapshot() {
    let spec = Snapshot { segments: 8, initial: 0 };
    let mut last = 0u64;
    let mut draw = |rng: &mut Rng, c: usize, _: &_| match c < 8 && rng.f64() < 0.7 {
        true => {
            last += 1;
            SnapshotOp::Update(c, last)
        }
        false => SnapshotOp::Scan,
    };
    let stale = SnapshotRet::Values(vec![Some(0); 8].into());
    check("snapshot", &spec, (60, KEPT), &mut draw, (SnapshotOp::Scan, stale));
}

/// Elements that are in a container are stored. It may get as long as this.
const LONGEST: usize = 1 << 12;

/// Grows and shrinks in turns: what a client does next, of 0 (peek), 1 (add), 2 (remove).
fn turns() -> impl FnMut(&mut Rng) -> usize {
    let mut drawn = 0;
    move |rng| {
        drawn += 1;
        let adds = if drawn / 2_000 % 2 == 0 { 6 } else { 3 };
        match rng.usize(..11) {
            0 => 0,
            kind if kind <= adds => 1,
            _ => 2,
        }
    }
}

#[test]
fn queue() {
    let (mut last, mut turns) = (0u64, turns());
    let mut draw = |rng: &mut Rng, _: usize, _: &_| match turns(rng) {
        0 => QueueOp::Peek,
        1 => {
            last += 1;
            QueueOp::Enqueue(last)
        }
        _ => QueueOp::Dequeue,
    };
    let stale = (QueueOp::Dequeue, QueueRet::Value(Some(1)));
    check("queue", &Queue::new(), (60, KEPT + LONGEST), &mut draw, stale);
}

#[test]
fn stack() {
    let (mut last, mut turns) = (0u64, turns());
    let mut draw = |rng: &mut Rng, _: usize, _: &_| match turns(rng) {
        0 => StackOp::Peek,
        1 => {
            last += 1;
            StackOp::Push(last)
        }
        _ => StackOp::Pop,
    };
    // It was popped long ago: the stack is empty from time to time.
    let stale = (StackOp::Pop, StackRet::Value(Some(1)));
    check("stack", &Stack::new(), (60, KEPT + LONGEST), &mut draw, stale);
}

#[test]
fn priority_queue() {
    let (mut last, mut turns) = (0u64, turns());
    let mut draw = |rng: &mut Rng, _: usize, _: &_| match turns(rng) {
        0 => PriorityQueueOp::Peek,
        1 => {
            last += 1;
            PriorityQueueOp::Insert(last.wrapping_mul(0x9E37_79B9_7F4A_7C15))
        }
        _ => PriorityQueueOp::Poll,
    };
    let stale = (PriorityQueueOp::Poll, PriorityQueueRet::Value(Some(0x9E37_79B9_7F4A_7C15)));
    let spec = PriorityQueue::new(Order::Max);
    check("priority queue", &spec, (60, KEPT + LONGEST), &mut draw, stale);
}
