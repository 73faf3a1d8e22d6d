//! Operations drawn by proptest strategies.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use linpoint_test::models::{Register, RegisterOp, RegisterRet};
use linpoint_test::report::{Fault, Files};
use linpoint_test::{Stress, Test};
use proptest::prelude::*;

fn operations() -> impl Strategy<Value = RegisterOp<u64>> + Send + Sync {
    prop_oneof![Just(RegisterOp::Read), (1_u64..1_000).prop_map(RegisterOp::Write),]
}

#[test]
fn equal_seeds_draw_equal_operations_from_a_strategy() {
    let test = Test::new(|| ()).spec(Register { initial: 0 }).ops_of(operations());
    let test = test.perform(|(), _| RegisterRet::Written).operations(30);
    let drawn = test.draw(3, 4);
    assert_eq!(test.draw(3, 4), drawn);
    assert_eq!(test.instantiate(&test.recipe(3, 4)), drawn);
    let ops: Vec<_> = drawn.threads.concat();
    assert!(ops.contains(&RegisterOp::Read) && ops.iter().any(|op| *op != RegisterOp::Read));
}

#[test]
fn values_from_a_strategy_are_shrunk() {
    // A register that loses large values: one thread is enough to see that, and it is
    // deterministic.
    let report = Stress::new(|| AtomicU64::new(0))
        .spec(Register { initial: 0 })
        .ops_of(operations())
        .perform(|cell, op| match op {
            RegisterOp::Read => RegisterRet::Value(cell.load(Ordering::SeqCst)),
            RegisterOp::Write(value) => {
                cell.store(if *value > 9 { 0 } else { *value }, Ordering::SeqCst);
                RegisterRet::Written
            }
        })
        .threads(1)
        .operations(10)
        .shrink_time(Duration::from_secs(20))
        .name("loses large values")
        .files(Files::none())
        .try_run()
        .expect_err("large values are lost");
    assert_eq!(report.fault, Fault::NotLinearizable);
    assert_eq!((report.threads, report.operations), (1, 2), "{report}");
    // Proptest shrinks a number by bisection and stops above the largest value that is not lost.
    assert!((10..=20).any(|n| report.text.contains(&format!("write({n})"))), "{report}");
}
