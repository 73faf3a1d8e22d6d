//! Failing schedules: as few preemptions as possible, told as steps in the source.

use linpoint_test::Test;
use linpoint_test::models::{Counter, CounterOp, CounterRet};
use linpoint_test::report::{Fault, Files};
use linpoint_test::research::{Retold, Runner, Scenario};
use linpoint_test::schedule::Interleaving;
use linpoint_test::schedule::interleaving::{Moment, What};
use linpoint_test::schedule::loom::Loom;
use linpoint_test::schedule::shuttle::Shuttle;
use linpoint_test::sync::{loomed, shuttled};

const ADD: CounterOp = CounterOp::Add(1);

fn threads(threads: &[&[CounterOp]]) -> Scenario<CounterOp> {
    let threads = threads.iter().map(|ops| ops.to_vec()).collect();
    Scenario { setup: vec![], threads, finally: vec![] }
}

/// A counter whose additions are a load and a store. A step in a macro would have the place of its
/// call, so it stands here twice.
fn two_steps() -> Test<shuttled::atomic::AtomicI64, Counter> {
    use shuttled::atomic::{AtomicI64, Ordering::*};
    Test::new(|| AtomicI64::new(0))
        .spec(Counter { initial: 0 })
        .ops_from([ADD, CounterOp::Get])
        .perform(|total, op| {
            if *op == CounterOp::Get {
                return CounterRet::Value(total.load(Acquire));
            }
            let before = total.load(Acquire);
            total.store(before + 1, Release);
            CounterRet::Done
        })
}

fn two_steps_under_loom() -> Test<loomed::atomic::AtomicI64, Counter> {
    use loomed::atomic::{AtomicI64, Ordering::*};
    Test::new(|| AtomicI64::new(0))
        .spec(Counter { initial: 0 })
        .ops_from([ADD, CounterOp::Get])
        .perform(|total, op| {
            if *op == CounterOp::Get {
                return CounterRet::Value(total.load(Acquire));
            }
            let before = total.load(Acquire);
            total.store(before + 1, Release);
            CounterRet::Done
        })
}

fn steps(interleaving: &Interleaving) -> Vec<(u32, &str)> {
    let step = |moment| match moment {
        &Moment { process, what: What::Step { ref text, .. } } => Some((process, text.as_str())),
        _ => None,
    };
    interleaving.moments.iter().filter_map(step).collect()
}

/// Every place is the line of the source on which the access stands.
fn assert_places(interleaving: &Interleaving) {
    let source = include_str!("interleavings.rs");
    for moment in &interleaving.moments {
        if let What::Step { text, place: Some((file, line)), .. } = &moment.what {
            let line = source.lines().nth(*line as usize - 1).unwrap();
            let access = text.split(['(', ' ']).next().unwrap();
            assert!(line.contains(access), "{access} is not in {line:?}");
            assert!(file.ends_with("interleavings.rs"), "{file}");
        }
    }
}

#[test]
fn a_lost_addition_is_told_with_one_preemption() {
    let (test, mut shuttle) = (two_steps(), Shuttle::random());
    let scenario = threads(&[&[ADD, ADD, CounterOp::Get], &[ADD, ADD]]);
    let failure = shuttle.attempt(&test, &scenario).failure.expect("an addition is lost");
    let Retold { failure, interleaving, .. } = shuttle.retell(&test, &scenario, failure);
    assert_eq!(failure.fault, Fault::NotLinearizable);
    let interleaving = interleaving.expect("shuttle knows the steps");
    assert_places(&interleaving);
    assert_eq!(interleaving.switches_inside_operations(), 1, "{interleaving}");
    let fewest = interleaving.fewest.as_deref();
    assert_eq!(fewest, Some("1 preemption; it does not fail without"), "{interleaving}");
    // The schedule of the failure is the one that is printed.
    let schedule = failure.execution.schedule.as_deref();
    let again = shuttle.replay(&test, &scenario, schedule).failure.expect("it fails again");
    let texts = [&failure, &again].map(|f| format!("{:?}", f.execution.history));
    assert_eq!(texts[0], texts[1]);
}

#[test]
fn loom_tells_orderings_and_all_reads() {
    let (test, mut loom) = (two_steps_under_loom(), Loom::new());
    let scenario = threads(&[&[ADD], &[ADD, CounterOp::Get]]);
    let failure = loom.attempt(&test, &scenario).failure.expect("an addition is lost");
    let Retold { failure, interleaving, .. } = loom.retell(&test, &scenario, failure);
    assert_eq!(failure.fault, Fault::NotLinearizable);
    let interleaving = interleaving.expect("loom knows the steps");
    assert_places(&interleaving);
    let text = interleaving.to_string();
    assert!(text.contains("total.load(Acquire) → 0"), "{text}");
    assert!(text.contains("total.store(1, Release)"), "{text}");
    assert_eq!(steps(&interleaving).len(), 5, "{text}");
}

#[test]
fn two_preemptions_are_found_where_one_is_not_enough() {
    use shuttled::atomic::{AtomicI64, Ordering::*};
    // Wrong only if the value changes between the first two loads and between the last two.
    let test = Test::new(|| AtomicI64::new(0))
        .spec(Counter { initial: 0 })
        .ops(|_| CounterOp::Get)
        .perform(|total, op| match op {
            CounterOp::Get => {
                let seen = [total.load(Acquire), total.load(Acquire), total.load(Acquire)];
                let changes = seen.windows(2).filter(|pair| pair[0] != pair[1]).count();
                CounterRet::Value(if changes == 2 { -1 } else { seen[2] })
            }
            CounterOp::Add(n) | CounterOp::FetchAdd(n) | CounterOp::AddFetch(n) => {
                total.fetch_add(*n, AcqRel);
                CounterRet::Done
            }
        });
    let scenario = threads(&[&[CounterOp::Get], &[ADD], &[ADD]]);
    for mut shuttle in [Shuttle::random(), Shuttle::depth_first()] {
        let failure = shuttle.attempt(&test, &scenario).failure.expect("two changes");
        let told = shuttle.retell(&test, &scenario, failure);
        let interleaving = told.interleaving.expect("shuttle knows the steps");
        assert_eq!(interleaving.switches_inside_operations(), 2, "{interleaving}");
        let fewest = interleaving.fewest.as_deref();
        assert_eq!(fewest, Some("2 preemptions; it does not fail with fewer"), "{interleaving}");
    }
}

#[test]
fn every_kind_of_step_is_told_by_its_name() {
    use shuttled::atomic::{AtomicI64, Ordering::*, fence};
    use shuttled::{Condvar, Mutex, RwLock, thread};
    #[derive(Default)]
    struct Object {
        total: AtomicI64,
        lock: Mutex<i64>,
        shared: RwLock<i64>,
        changed: Condvar,
        pair: (AtomicI64, AtomicI64),
        cells: [AtomicI64; 2],
    }
    let test = Test::new(Object::default)
        .spec(Counter { initial: 0 })
        .ops(|_| CounterOp::Get)
        .perform(|object, _| {
            let Object { lock, shared, .. } = object;
            *lock.lock().unwrap() += 1;
            assert!(lock.try_lock().is_ok());
            drop(shared.read());
            let held = shared.write().unwrap();
            assert!(shared.try_read().is_err());
            drop(held);
            object.changed.notify_all();
            object.pair.1.store(4, Release);
            object.cells[1].store(5, Release);
            object.cells[0].store(6, Release);
            let _ = object.total.fetch_update(AcqRel, Acquire, |n| Some(n + 2));
            assert_eq!(object.total.compare_exchange(9, 8, AcqRel, Acquire), Err(2));
            assert_eq!(object.total.swap(7, AcqRel), 2);
            fence(SeqCst);
            thread::yield_now();
            CounterRet::Value(-1)
        });
    let mut shuttle = Shuttle::random();
    let scenario = threads(&[&[CounterOp::Get]]);
    let failure = shuttle.attempt(&test, &scenario).failure.expect("-1 is wrong");
    let told = shuttle.retell(&test, &scenario, failure).interleaving.expect("the steps");
    let told: Vec<&str> = steps(&told).into_iter().map(|(_, text)| text).collect();
    assert_eq!(
        told,
        [
            "lock.lock",
            "lock.unlock",
            "lock.try_lock → ok",
            "lock.unlock",
            "shared.read",
            "shared.unlock",
            "shared.write",
            "shared.try_read → taken",
            "shared.unlock",
            "changed.notify_all (no thread waits)",
            "pair.1.store(4)",
            "cells#1.store(5)",
            "cells#2.store(6)",
            "total.load → 0",
            "total.compare_exchange(0, 2) → ok",
            "total.compare_exchange(9, 8) → failed, found 2",
            "total.swap(7) → 2",
            "fence",
            "yield_now",
        ]
    );
}

#[test]
fn a_report_contains_the_steps_in_text_and_page() {
    let directory = std::env::temp_dir().join(format!("linpoint-steps-{}", std::process::id()));
    let report = two_steps()
        .name("steps in a report")
        .shuttle(Shuttle::random())
        .files(Files::default().reports_in(&directory).without_regressions())
        .small_scope(2, 2)
        .try_run()
        .expect_err("an addition is lost");
    let page = report.written.iter().find(|path| path.ends_with("timeline.html"));
    let page = std::fs::read_to_string(page.expect("a page is written")).unwrap();
    for text in [&report.text, &page] {
        assert!(text.contains("── switch to t"), "{text}");
        assert!(text.contains("total.store(1)"), "{text}");
        assert!(text.contains("interleavings.rs:"), "{text}");
    }
    assert!(report.text.contains("1 preemption; it does not fail without"), "{report}");
    std::fs::remove_dir_all(directory).unwrap();
}
