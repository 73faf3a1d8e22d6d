//! Stress tests of objects that are right, and of objects that are wrong.

use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use linpoint_test::judge::Fault;
use linpoint_test::models::{
    Counter, CounterOp, CounterRet, Queue, QueueOp, QueueRet, Register, RegisterOp, RegisterRet,
};
use linpoint_test::report::Files;
use linpoint_test::{FailureReport, Noise, Placement, Rng, Stress, profile};

fn increments(rng: &mut Rng) -> CounterOp {
    if rng.chance(0.7) { CounterOp::FetchAdd(rng.range(1..10) as i64) } else { CounterOp::Get }
}

/// A counter that forgets additions: it is read, and written later.
fn forgetful(counter: &AtomicI64, op: &CounterOp) -> CounterRet {
    match op {
        CounterOp::Get => CounterRet::Value(counter.load(Ordering::SeqCst)),
        CounterOp::FetchAdd(n) | CounterOp::Add(n) => {
            let before = counter.load(Ordering::SeqCst);
            std::thread::yield_now();
            counter.store(before + n, Ordering::SeqCst);
            CounterRet::Value(before)
        }
    }
}

fn exact(counter: &AtomicI64, op: &CounterOp) -> CounterRet {
    match op {
        CounterOp::Get => CounterRet::Value(counter.load(Ordering::SeqCst)),
        CounterOp::FetchAdd(n) => CounterRet::Value(counter.fetch_add(*n, Ordering::SeqCst)),
        CounterOp::Add(n) => {
            counter.fetch_add(*n, Ordering::SeqCst);
            CounterRet::Done
        }
    }
}

fn caught(result: Result<linpoint_test::Summary, Box<FailureReport>>) -> FailureReport {
    *result.expect_err("a broken object was not caught")
}

#[test]
fn a_right_counter_passes_in_every_setting() {
    let settings = [
        (Noise::NONE, Placement::Free, 0),
        (Noise::SOME, Placement::Pinned, 0),
        (Noise::MUCH, Placement::Crowded(1), 1),
    ];
    for (noise, placement, neighbours) in settings {
        let summary = Stress::new(|| AtomicI64::new(0))
            .spec(Counter { initial: 0 })
            .ops(increments)
            .perform(exact)
            .setup([CounterOp::Add(5)])
            .finally([CounterOp::Get])
            .threads(4)
            .operations(10)
            .runs(200)
            .warm_up(10)
            .noise(noise)
            .placement(placement)
            .busy_neighbours(neighbours)
            .files(Files::none())
            .run();
        assert_eq!((summary.runs, summary.operations), (200, 200 * 42));
    }
}

#[test]
fn a_forgetful_counter_is_caught_and_shrunk() {
    let report = caught(
        Stress::new(|| AtomicI64::new(0))
            .spec(Counter { initial: 0 })
            .ops(increments)
            .perform(forgetful)
            .runs(100_000)
            .time_limit(Duration::from_secs(60))
            .name("forgetful")
            .files(Files::none())
            .try_run(),
    );
    println!("{report}");
    assert_eq!(report.fault, Fault::NotLinearizable);
}
