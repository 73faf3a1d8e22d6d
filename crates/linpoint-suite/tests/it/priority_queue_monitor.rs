//! The priority-queue monitor: histories that other checkers got wrong, equal priorities, and
//! values that come back.

use linpoint::history::{Extras, History, Interval, OpId, Ties};
use linpoint::monitor::{self, Answer};
use linpoint::spec::Spec;
use linpoint::spec::models::{
    Order, PriorityQueue, PriorityQueueOp, PriorityQueueRet, QueueOp, QueueRet, StackOp, StackRet,
};
use linpoint_suite::oracle::Oracle;
use linpoint_suite::small::SmallObject;
use linpoint_suite::small::check::Trial;
use linpoint_suite::small::draw::Style;
use linpoint_suite::small::objects::{SmallPriorityQueue, SmallQueue, SmallStack};
use linpoint_suite::{Rng, rng_of_case};

use PriorityQueueOp::{Insert, Peek, Poll};
use PriorityQueueRet::{Done, Value};

/// Start, end, operation, result. Without an end it is pending.
type Line<O, R> = (u64, Option<u64>, O, Option<R>);

fn history<O, R>(lines: Vec<Line<O, R>>) -> History<O, R> {
    let mut builder = History::from_intervals(Ties::Ordered);
    for (start, end, op, ret) in lines {
        let ret = ret.filter(|_| end.is_some());
        builder.add(Interval { op, ret, start, end, extras: Extras::default() }).unwrap();
    }
    builder.finish().unwrap()
}

fn insert<V>(start: u64, end: u64, v: V) -> Line<PriorityQueueOp<V>, PriorityQueueRet<V>> {
    (start, Some(end), Insert(v), Some(Done))
}

fn peek<V>(start: u64, end: u64, v: V) -> Line<PriorityQueueOp<V>, PriorityQueueRet<V>> {
    (start, Some(end), Peek, Some(Value(Some(v))))
}

fn poll<V>(start: u64, end: u64, v: Option<V>) -> Line<PriorityQueueOp<V>, PriorityQueueRet<V>> {
    (start, Some(end), Poll, Some(Value(v)))
}

fn pending<O, R>(start: u64, op: O) -> Line<O, R> {
    (start, None, op, None)
}

/// The answer of the monitor, compared with brute force.
fn ask(lines: Vec<Line<PriorityQueueOp<u8>, PriorityQueueRet<u8>>>) -> Option<bool> {
    Trial::new(SmallPriorityQueue(Order::Max)).one(&history(lines))
}

#[test]
fn a_peek_does_not_come_before_the_add_of_what_it_finds() {
    assert_eq!(ask(vec![insert(2, 7, 0), peek(1, 6, 0), insert(0, 2, 1)]), Some(false));
    assert_eq!(ask(vec![insert(1, 4, 2), peek(2, 8, 1), insert(5, 7, 1)]), Some(false));
}

#[test]
fn a_wrong_empty_result_at_the_end_is_found() {
    assert_eq!(ask(vec![insert(1, 2, 1), poll(3, 4, None)]), Some(false));
    assert_eq!(ask(vec![poll(1, 2, None), poll(3, 4, None)]), Some(true));
    assert_eq!(ask(vec![]), Some(true));
}

#[test]
fn pending_polls_take_blocking_elements() {
    // Each of the two blocks another row, so both must have been taken.
    let two = |polls: usize| {
        let mut lines = vec![insert(0, 1, 5), insert(2, 3, 3), peek(4, 5, 3), insert(6, 7, 2)];
        lines.push(peek(8, 9, 2));
        lines.extend((0..polls).map(|_| pending(0, Poll)));
        ask(lines)
    };
    assert_eq!(
        (two(0), two(1), two(2), two(3)),
        (Some(false), Some(false), Some(true), Some(true))
    );
}

#[test]
fn values_that_come_back() {
    let twice = |last: Option<u8>| {
        let rest = [insert(4, 5, 7), poll(6, 7, last)];
        ask([insert(0, 1, 7), poll(2, 3, Some(7))].into_iter().chain(rest).collect())
    };
    assert_eq!((twice(Some(7)), twice(None)), (Some(true), Some(false)));
    // Removed twice before it is added again.
    let lines = vec![insert(0, 1, 7), poll(2, 3, Some(7)), poll(4, 5, Some(7)), insert(6, 7, 7)];
    assert_eq!(ask(lines), Some(false));
    // Found before it is added at all.
    assert_eq!(ask(vec![peek(0, 1, 7), insert(2, 3, 7), insert(4, 5, 7)]), Some(false));
    // Both are present.
    let lines = vec![insert(0, 1, 7), insert(2, 3, 7), poll(4, 5, Some(7)), poll(6, 7, Some(7))];
    assert_eq!(ask(lines), Some(true));
}

#[test]
fn adds_that_cannot_have_been_seen() {
    assert_eq!(ask(vec![insert(0, 1, 7), pending(2, Insert(7)), insert(4, 5, 3)]), Some(true));
    assert_eq!(ask(vec![insert(0, 1, 7), insert(2, 3, 7), poll(4, 5, None)]), Some(false));
    let lines = vec![insert(0, 1, 7), poll(2, 3, Some(7)), pending(4, Insert(7)), insert(5, 6, 7)];
    assert_eq!(ask(lines), Some(true));
    let queue = history(vec![
        (0, Some(1), QueueOp::Enqueue(7), Some(QueueRet::Done)),
        pending(0, QueueOp::Enqueue(7)),
        (2, Some(3), QueueOp::Dequeue, Some(QueueRet::Value(None))),
    ]);
    assert_eq!(Trial::new(SmallQueue).one(&queue), Some(false));
    let stack = history(vec![
        (0, Some(1), StackOp::Push(7), Some(StackRet::Done)),
        pending(0, StackOp::Push(7)),
        (2, Some(3), StackOp::Push(7), Some(StackRet::Done)),
        pending(2, StackOp::Pop),
        pending(2, StackOp::Pop),
        (4, Some(5), StackOp::Peek, Some(StackRet::Value(None))),
    ]);
    assert_eq!(Trial::new(SmallStack).one(&stack), Some(true));
}

/// Few values, so that most histories have repeated ones.
#[test]
fn values_that_come_back_at_random() {
    fn run<B: SmallObject>(object: B) {
        let (name, mut trial) = (object.name(), Trial::new(object));
        let style = Style { distinct: 0.0, ops: (2, 8), ..Style::default() };
        trial.random(&style, 17, 6_000);
        println!("{name}, repeated values: {}", trial.tally);
        assert!(trial.tally.yes > 2_000 && trial.tally.no > 200, "{name}: {}", trial.tally);
    }
    run(SmallPriorityQueue(Order::Max));
    run(SmallQueue);
    run(SmallStack);
}

/// A priority, and a field that does not affect it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Job(u8, u8);

impl Ord for Job {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.cmp(&other.0)
    }
}

impl PartialOrd for Job {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// A random history of jobs of few priorities.
fn jobs(rng: &mut Rng) -> History<PriorityQueueOp<Job>, PriorityQueueRet<Job>> {
    let n = rng.usize(2..=7);
    let names = rng.usize(2..=n);
    let priorities = rng.usize(1..=3);
    let job = |name: usize| Job((name % priorities) as u8, name as u8);
    let span = rng.usize(1..=2 * n);
    let mut lines = Vec::new();
    for i in 0..n {
        let start = rng.usize(..3 * n) as u64;
        let end = start + 1 + rng.usize(..span) as u64;
        let found = Value((rng.f64() < 0.85).then(|| job(rng.usize(..names))));
        let (op, ret) = match rng.usize(..5) {
            0 | 1 => (Insert(job(i.min(names - 1))), Done),
            2 | 3 => (Poll, found),
            _ => (Peek, found),
        };
        let end = (rng.f64() < 0.9).then_some(end);
        lines.push((start, end, op, Some(ret)));
    }
    history(lines)
}

#[test]
fn equal_priorities_of_different_elements() {
    let (mut yes, mut no) = (0, 0);
    let count =
        if std::env::var("LINPOINT_LONG").is_ok_and(|v| v == "1") { 600_000 } else { 30_000 };
    for case in 0..count {
        let mut rng = rng_of_case(31, case);
        let spec = PriorityQueue::new(if rng.bool() { Order::Max } else { Order::Min });
        let history = jobs(&mut rng);
        let ids: Vec<OpId> = history.ids().collect();
        let Ok(outcome) = monitor::decide(&spec, &history, &ids) else { continue };
        let oracle =
            |h: &History<_, _>| Oracle::new().remember_failures(true).linearizable(&spec, h);
        let expected = oracle(&history);
        match outcome.answer {
            Answer::Linearizable(order) => {
                assert!(expected && explains(&spec, &history, &order), "{case}: {history:?}");
                yes += 1;
            }
            Answer::Violation(found) => {
                let relaxed = history.derive(&ids, |id, row| {
                    if !found.ops.contains(&id) {
                        row.relax();
                    }
                });
                assert!(!expected && !oracle(&relaxed), "{case}: {found:?} {history:?}");
                no += 1;
            }
        }
    }
    println!("equal priorities: {yes} yes, {no} no of {count}");
    assert!(yes > count / 20 && no > count / 20);
}

/// True if the order respects real time, is complete, and is legal.
fn explains(
    spec: &PriorityQueue<Job>,
    history: &History<PriorityQueueOp<Job>, PriorityQueueRet<Job>>,
    order: &[OpId],
) -> bool {
    let mut states = vec![spec.initial()];
    for (i, &id) in order.iter().enumerate() {
        let early = |other: &OpId| history.span(*other).precedes(history.span(id));
        if order[i + 1..].iter().any(early) || order[..i].contains(&id) {
            return false;
        }
        let mut next = Vec::new();
        for state in &states {
            spec.successors(state, history.op(id), history.ret(id), &mut next);
        }
        states = next;
    }
    let complete = |id: OpId| history.span(id).is_pending() || order.contains(&id);
    !states.is_empty() && history.ids().all(complete)
}
