//! What the strategies under shuttle promise about the schedules they draw.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use linpoint_test::Test;
use linpoint_test::models::{Counter, CounterOp, CounterRet};
use linpoint_test::report::Fault;
use linpoint_test::research::{Coverage, Runner, Scenario};
use linpoint_test::schedule::shuttle::{Shuttle, Strategy};
use linpoint_test::sync::shuttled::atomic::{AtomicI64, Ordering::*};

const SAMPLERS: [Strategy; 5] =
    [Strategy::Random, Strategy::Pct(2), Strategy::Pos, Strategy::Urw, Strategy::Surw];

/// Steps of the long operation before it touches what the threads share.
const ALONE: usize = 20;
const EXECUTIONS: u64 = 4_000;

/// The share of executions in which a long operation overtakes a short one. The short operation is
/// one access. The long one does the same after [`ALONE`] accesses to an object of its own.
fn overtaken(strategy: Strategy) -> f64 {
    let overtaken = Arc::new(AtomicU64::new(0));
    let counted = overtaken.clone();
    let test = Test::new(|| (AtomicI64::new(0), AtomicI64::new(0)))
        .spec(Counter { initial: 0 })
        .ops(|_| CounterOp::Get)
        .perform(move |(own, shared), op| {
            if *op == CounterOp::FetchAdd(2) {
                for _ in 0..ALONE {
                    own.fetch_add(1, AcqRel);
                }
                let before = shared.fetch_add(2, AcqRel);
                counted.fetch_add(u64::from(before == 0), Relaxed);
                return CounterRet::Value(before);
            }
            CounterRet::Value(shared.fetch_add(1, AcqRel))
        });
    let threads = vec![vec![CounterOp::FetchAdd(1)], vec![CounterOp::FetchAdd(2)]];
    let scenario = Scenario { setup: vec![], threads, finally: vec![] };
    let attempt = Shuttle::new(strategy).seed(5).executions(EXECUTIONS).attempt(&test, &scenario);
    assert!(attempt.failure.is_none(), "the counter is correct: {attempt:?}");
    assert_eq!(attempt.executions, EXECUTIONS);
    overtaken.load(Relaxed) as f64 / EXECUTIONS as f64
}

#[test]
fn a_random_walk_almost_never_lets_a_long_operation_overtake() {
    assert!(overtaken(Strategy::Random) < 0.001);
}

/// Steps of a thread before its first access: it starts, and it calls its operation.
const BEFORE: f64 = 2.0;

#[test]
fn partial_order_sampling_does_not_draw_independent_accesses_again() {
    // The thread whose next access has the lowest priority of all waits until the other has ended.
    let (short, long) = (BEFORE + 1.0, BEFORE + ALONE as f64 + 1.0);
    let (share, expected) = (overtaken(Strategy::Pos), short / (short + long));
    assert!((share - expected).abs() < 0.03, "{share} instead of {expected}");
}

#[test]
fn a_uniform_walk_draws_every_interleaving_equally_often() {
    // Of all interleavings, this share ends with the short thread, whose access is its last step.
    let (short, long) = (BEFORE + 1.0, BEFORE + ALONE as f64 + 1.0);
    let (share, expected) = (overtaken(Strategy::Urw), short / (short + long));
    assert!((share - expected).abs() < 0.03, "{share} instead of {expected}");
}

#[test]
fn a_selective_walk_draws_the_orders_of_one_object_equally_often() {
    let share = overtaken(Strategy::Surw);
    assert!((share - 0.5).abs() < 0.05, "{share}");
}

#[test]
fn every_sampler_finds_a_lost_addition_and_repeats_it() {
    let test = Test::new(|| AtomicI64::new(0))
        .spec(Counter { initial: 0 })
        .ops(|_| CounterOp::Get)
        .perform(|total, op| match op {
            CounterOp::Get => CounterRet::Value(total.load(Acquire)),
            CounterOp::Add(n) | CounterOp::FetchAdd(n) | CounterOp::AddFetch(n) => {
                let before = total.load(Acquire);
                total.store(before + n, Release);
                CounterRet::Done
            }
        });
    let threads = vec![vec![CounterOp::Add(1); 2], vec![CounterOp::Add(1), CounterOp::Get]];
    let scenario = Scenario { setup: vec![], threads, finally: vec![CounterOp::Get] };
    for strategy in SAMPLERS {
        let mut shuttle = Shuttle::new(strategy);
        let first = shuttle.attempt(&test, &scenario);
        let failure = first.failure.expect("an addition is lost");
        assert_eq!(failure.fault, Fault::NotLinearizable);
        let schedule = failure.execution.schedule.as_deref();
        let again = shuttle.replay(&test, &scenario, schedule).failure.expect("it fails again");
        let texts = [&failure, &again].map(|f| format!("{:?}", f.execution.history));
        assert_eq!(texts[0], texts[1], "{strategy:?}");
        let same_seed = Shuttle::new(strategy).attempt(&test, &scenario);
        assert_eq!(same_seed.executions, first.executions, "{strategy:?}");
    }
}

#[test]
fn loops_that_wait_and_locks_end_under_every_sampler() {
    use linpoint_test::sync::shuttled::{Mutex, thread};
    let test = Test::new(|| (AtomicI64::new(0), Mutex::new(0)))
        .spec(Counter { initial: 0 })
        .ops(|_| CounterOp::Get)
        .perform(|(turns, total), op| match op {
            CounterOp::Get => {
                while turns.load(Acquire) < 2 {
                    thread::yield_now();
                }
                CounterRet::Value(*total.lock().unwrap())
            }
            CounterOp::Add(n) | CounterOp::FetchAdd(n) | CounterOp::AddFetch(n) => {
                *total.lock().unwrap() += n;
                turns.fetch_add(1, AcqRel);
                CounterRet::Done
            }
        });
    // Two threads that wait could pass the turn to each other without end.
    let adds = vec![CounterOp::Add(1); 2];
    let threads = vec![vec![CounterOp::Get], vec![CounterOp::Get; 2], adds];
    let scenario = Scenario { setup: vec![], threads, finally: vec![] };
    for strategy in SAMPLERS {
        let attempt = Shuttle::new(strategy).executions(300).attempt(&test, &scenario);
        assert!(attempt.failure.is_none(), "{strategy:?}: {attempt:?}");
        assert_eq!(attempt.coverage, Coverage::Sampled, "{strategy:?}");
        assert_eq!(attempt.executions, 300, "{strategy:?}");
    }
}
