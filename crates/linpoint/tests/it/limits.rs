//! Budgets: a hard instance ends on time and within its memory, can be cancelled, and reports
//! progress. No test here depends on speed.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use linpoint::spec::models::{Queue, QueueOp, QueueRet};
use linpoint::{Cancel, Checker, Engine, History, Limit, Verdict};

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
            .timeout(Duration::from_secs(2))
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
    assert_eq!(violation.core.len(), 2, "{violation:?}");
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
