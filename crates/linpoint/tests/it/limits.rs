//! Budgets: a hard instance ends on time and within its memory, can be cancelled, and reports
//! progress. No test here depends on speed.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use linpoint::history::{Extras, Interval, OrderHint, Ties};
use linpoint::spec::models::{
    Bag, BagOp, BagRet, Queue, QueueOp, QueueRet, Register, RegisterOp, RegisterRet,
};
use linpoint::verdict::ViolationKind;
use linpoint::{Cancel, Checker, Engine, Hints, History, Limit, Verdict};

/// 40 concurrent enqueues, then dequeues, the last two of which contradict each other. Searches try
/// all orders of the others first.
fn hard() -> History<QueueOp<u32>, QueueRet<u32>> {
    let mut events = History::from_events();
    let open: Vec<_> = (0..40).map(|v| events.call(QueueOp::Enqueue(v))).collect();
    for id in open {
        events.ret(id, QueueRet::Done).unwrap();
    }
    for v in [100, 101] {
        let id = events.call(QueueOp::Enqueue(v));
        events.ret(id, QueueRet::Done).unwrap();
    }
    // The first 40 come out in an order that is hard to guess, then 101 before 100.
    let order = (0..40).map(|i| i * 17 % 40).chain([101, 100]);
    for v in order {
        let id = events.call(QueueOp::Dequeue);
        events.ret(id, QueueRet::Value(Some(v))).unwrap();
    }
    events.finish()
}

/// Like `hard`, but nothing reveals the order before the very end.
fn harder() -> History<QueueOp<u32>, QueueRet<u32>> {
    let mut events = History::from_events();
    for v in [100, 101] {
        let id = events.call(QueueOp::Enqueue(v));
        events.ret(id, QueueRet::Done).unwrap();
    }
    let open: Vec<_> = (0..40).map(|v| events.call(QueueOp::Enqueue(v))).collect();
    for id in open {
        events.ret(id, QueueRet::Done).unwrap();
    }
    let id = events.call(QueueOp::Dequeue);
    events.ret(id, QueueRet::Value(Some(101))).unwrap();
    events.finish()
}

fn limit_of(verdict: Verdict) -> Limit {
    match verdict {
        Verdict::Undecided(undecided) => undecided.limit,
        other => panic!("decided: {other:?}"),
    }
}

#[test]
fn time_limits_end_every_engine() {
    for engine in Engine::ALL {
        let verdict = Checker::new(&Queue::new())
            .engine(engine)
            .timeout(Duration::from_millis(50))
            .memory(64 << 20)
            .check(&harder())
            .unwrap()
            .verdict;
        assert!(matches!(limit_of(verdict), Limit::Time | Limit::Memory), "{}", engine.name());
    }
}

#[test]
fn counted_memory_stays_within_the_limit() {
    for engine in [Engine::WgGraph, Engine::JitGraph, Engine::Breadth] {
        let report = Checker::new(&Queue::new())
            .engine(engine)
            .timeout(Duration::from_millis(500))
            .memory(4 << 20)
            .check(&harder())
            .unwrap();
        assert!(report.stats.peak_bytes <= 4 << 20, "{engine:?}: {}", report.stats.peak_bytes);
        limit_of(report.verdict);
    }
}

#[test]
fn a_refuter_needs_no_search() {
    // 101 was dequeued twice: a proof of two operations, whatever the order of the other 40.
    let mut events = History::from_events();
    let open: Vec<_> = (0..40).map(|v| events.call(QueueOp::Enqueue(v))).collect();
    for id in open {
        events.ret(id, QueueRet::Done).unwrap();
    }
    for _ in 0..2 {
        let id = events.call(QueueOp::Dequeue);
        events.ret(id, QueueRet::Value(Some(7))).unwrap();
    }
    let report =
        Checker::new(&Queue::new()).timeout(Duration::from_secs(60)).check(&events.finish());
    let report = report.unwrap();
    let violation = report.verdict.violation().expect("7 was taken twice").clone();
    // The two, and the enqueue that the sentence names.
    assert_eq!(violation.core.len(), 3, "{violation:?}");
}

#[test]
fn another_thread_can_cancel() {
    let cancel = Cancel::new();
    let other = cancel.clone();
    let (spec, history) = (Queue::new(), harder());
    std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(Duration::from_millis(30));
            other.cancel();
        });
        let checker = Checker::new(&spec).engine(Engine::JitTree).cancel(&cancel);
        assert_eq!(limit_of(checker.check(&history).unwrap().verdict), Limit::Cancelled);
    });
}

#[test]
fn progress_is_reported() {
    let calls = AtomicUsize::new(0);
    let note = |progress: linpoint::Progress| {
        assert_eq!(progress.parts, 1);
        calls.fetch_add(1, Ordering::Relaxed);
    };
    let spec = Queue::new();
    let checker = Checker::new(&spec)
        .engine(Engine::JitTree)
        .timeout(Duration::from_millis(400))
        .progress(&note);
    limit_of(checker.check(&harder()).unwrap().verdict);
    assert!(calls.load(Ordering::Relaxed) > 0);
}

#[test]
fn the_planner_decides_what_search_alone_cannot() {
    // The queue's guide finds the order of the 40.
    let report = Checker::new(&Queue::new())
        .timeout(Duration::from_secs(5))
        .memory(256 << 20)
        .check(&hard())
        .unwrap();
    // Contradictory orders of two elements: either a violation, if there is time to prove it, or
    // undecided.
    assert!(!report.verdict.is_linearizable());
}

/// Adds of few values, then removals that never return, before a removal that finds nothing: an order says that they took
/// effect, but not what they removed. There are millions of states along it.
#[test]
fn an_order_with_very_many_states_is_validated() {
    let mut events = History::from_events();
    for v in 0..200 {
        let id = events.call(BagOp::Add(v % 5));
        events.ret(id, BagRet::Done).unwrap();
    }
    for _ in 0..200 {
        events.call(BagOp::Remove);
    }
    let id = events.call(BagOp::Remove);
    events.ret(id, BagRet::Value(None)).unwrap();
    let history = events.finish();
    let verdict = Checker::new(&Bag::new()).memory(256 << 20).check(&history).unwrap().verdict;
    assert!(!matches!(verdict, Verdict::Violation(_)), "{verdict:?}");
}

/// Whether a history is bad without its hints is a question of its own, and may stay open.
#[test]
fn a_violation_with_hints_is_not_blamed_on_them_unless_that_is_known() {
    let read_of = |value: u32| {
        let mut intervals = History::from_intervals(Ties::Ordered);
        for (position, v) in [(2, 1), (1, 2)] {
            let hint = Some(OrderHint { scope: 0, position });
            let extras = Extras { hint, ..Extras::default() };
            let at = 10 * u64::from(v);
            let write = Interval::new(RegisterOp::Write(v), RegisterRet::Written, at, at + 1);
            intervals.add(Interval { extras, ..write }).unwrap();
        }
        let read = Interval::new(RegisterOp::Read, RegisterRet::Value(value), 30, 31);
        intervals.add(read).unwrap();
        intervals.finish().unwrap()
    };
    let kind = |value, explains| {
        let spec = Register { initial: 0 };
        let checker = Checker::new(&spec).hints(Hints::Assert).explains(explains);
        match checker.check(&read_of(value)).unwrap().verdict {
            Verdict::Violation(violation) => violation.kind,
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(kind(2, true), ViolationKind::HintBroken);
    assert_eq!(kind(1, true), ViolationKind::NotLinearizable);
    // Without time for an explanation, only a proof that needs no hints tells them apart.
    assert_eq!(kind(2, false), ViolationKind::WithHints);
    assert_ne!(kind(1, false), ViolationKind::HintBroken);
}

#[test]
fn a_time_limit_beyond_the_end_of_time_is_none() {
    let spec = Queue::new();
    let checker = Checker::new(&spec).timeout(Duration::MAX);
    assert!(matches!(checker.check(&hard()).unwrap().verdict, Verdict::Violation(_)));
}
