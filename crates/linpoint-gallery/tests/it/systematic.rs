//! Replay, limits, small scopes, derived specifications, and the meaning of loom's orders.

use linpoint::spec::models as spec;
use linpoint::spec::models::{CounterOp, CounterRet, RegisterOp, RegisterRet};
use linpoint_gallery::{loomed, shuttled};
use linpoint_test::Test;
use linpoint_test::report::{Fault, Files};
use linpoint_test::research::{Coverage, Runner, Scenario, Scope, Truncation, survey};
use linpoint_test::schedule::derived::Derived;
use linpoint_test::schedule::loom::{Loom, Order};
use linpoint_test::schedule::shuttle::Shuttle;

const ADD: CounterOp = CounterOp::Add(1);

macro_rules! counter {
    ($flavour:ident, $atomic:expr) => {{
        use $flavour::structures::counter::Counter;
        Test::new(|| Counter::new($atomic))
            .spec(spec::Counter { initial: 0 })
            .ops_from([CounterOp::Add(1), CounterOp::Get])
            .perform(Counter::perform)
    }};
}

macro_rules! register {
    ($variant:ident) => {{
        use loomed::structures::register::{Register, Variant};
        Test::new(|| Register::new(Variant::$variant))
            .spec(spec::Register { initial: 0 })
            .ops(|_| unreachable!("nothing is drawn"))
            .perform(Register::perform)
    }};
}

fn threads<Op: Clone>(threads: &[&[Op]]) -> Scenario<Op> {
    let threads = threads.iter().map(|ops| ops.to_vec()).collect();
    Scenario { setup: vec![], threads, finally: vec![] }
}

#[test]
fn a_schedule_repeats_the_execution() {
    let test = counter!(shuttled, false);
    let scenario = threads(&[&[ADD; 3], &[CounterOp::Add(1), CounterOp::Get]]);
    for mut runner in [Shuttle::random(), Shuttle::pct(3), Shuttle::depth_first()] {
        let failure = runner.attempt(&test, &scenario).failure.expect("an addition is lost");
        let schedule = failure.execution.schedule.clone().expect("shuttle has schedules");
        for _ in 0..3 {
            let again = runner.replay(&test, &scenario, Some(&schedule));
            assert_eq!((again.executions, again.coverage), (1, Coverage::Sampled));
            let again = again.failure.expect("it fails again");
            assert_eq!(again.execution.schedule.as_deref(), Some(schedule.as_str()));
            let texts = [&failure, &again].map(|f| format!("{:?}", f.execution.history));
            assert_eq!(texts[0], texts[1]);
        }
    }
}

#[test]
fn a_malformed_schedule_is_not_a_pass() {
    let test = counter!(shuttled, true);
    let scenario = threads(&[&[CounterOp::Get]]);
    let attempt = Shuttle::random().replay(&test, &scenario, Some("what?"));
    assert!(
        matches!(attempt.coverage, Coverage::Truncated(Truncation::Schedule(_))),
        "{attempt:?}"
    );
    assert_eq!(attempt.executions, 0);
}

#[test]
fn equal_seeds_find_equal_failures() {
    let test = counter!(shuttled, false);
    let scenario = threads(&[&[ADD; 3], &[CounterOp::Add(1), CounterOp::Get]]);
    let find = |seed| Shuttle::random().seed(seed).attempt(&test, &scenario);
    let (first, second) = (find(7), find(7));
    assert_eq!(first.executions, second.executions);
    let schedule = |attempt: linpoint_test::research::Attempt<_, _>| {
        attempt.failure.unwrap().execution.schedule
    };
    assert_eq!(schedule(first), schedule(second));
}

#[test]
fn a_truncated_exploration_names_its_limit() {
    let scenario = threads(&[&[ADD; 3], &[ADD; 3]]);
    let shuttle =
        Shuttle::depth_first().executions(10).attempt(&counter!(shuttled, true), &scenario);
    let loom = Loom::new().executions(10).attempt(&counter!(loomed, true), &scenario);
    for attempt in [shuttle, loom] {
        assert_eq!(attempt.executions, 10);
        assert_eq!(attempt.coverage, Coverage::Truncated(Truncation::Executions(10)));
        assert_eq!(Truncation::Executions(10).to_string(), "after 10 executions");
    }
    let steps = Shuttle::random().steps(5).attempt(&counter!(shuttled, true), &scenario);
    let Coverage::Truncated(why) = steps.coverage else { panic!("cut off") };
    assert_eq!(why.to_string(), "an execution had more than 5 steps");
    let bounded = Loom::new().preemptions(1).attempt(&counter!(loomed, true), &scenario);
    assert_eq!(bounded.coverage, Coverage::Truncated(Truncation::Preemptions(1)));
    let crowd = threads(&[&[CounterOp::Get][..]; 5]);
    let crowd = Loom::new().attempt(&counter!(loomed, true), &crowd);
    assert_eq!(crowd.coverage, Coverage::Truncated(Truncation::Threads(4)));
}

#[test]
fn a_waiting_loop_without_yield_now_is_cut_off() {
    use linpoint_test::sync::loomed::atomic::{AtomicI64, Ordering::*};
    let test = Test::new(|| AtomicI64::new(0))
        .spec(spec::Counter { initial: 0 })
        .ops(|_| unreachable!("nothing is drawn"))
        .perform(|counter, op| match op {
            CounterOp::Get => {
                while counter.load(Acquire) == 0 {}
                CounterRet::Value(counter.load(Acquire))
            }
            CounterOp::FetchAdd(n) => CounterRet::Value(counter.fetch_add(*n, AcqRel)),
            other => unreachable!("{other:?} is in no thread"),
        });
    let scenario = threads(&[&[CounterOp::Get], &[CounterOp::FetchAdd(1)]]);
    let attempt = Loom::new().branches(200).attempt(&test, &scenario);
    assert!(attempt.failure.is_none());
    assert_eq!(attempt.coverage, Coverage::Truncated(Truncation::Branches));
}

#[test]
#[should_panic(expected = "This is not a pass")]
fn a_truncated_run_fails() {
    let shuttle = Shuttle::depth_first().executions(3);
    counter!(shuttled, true).shuttle(shuttle).files(Files::none()).small_scope(2, 1).run();
}

#[test]
fn all_small_scenarios_of_a_correct_counter_pass() {
    let explored =
        counter!(loomed, true).loom(Loom::new()).files(Files::none()).small_scope(2, 2).run();
    assert!(explored.is_complete(), "{explored}");
    assert_eq!(explored.scenarios, 27);
    let test = counter!(shuttled, true);
    let scope = Scope::new([CounterOp::Add(1), CounterOp::Get], 2, 1);
    let survey = survey(&test, &scope, &mut Shuttle::depth_first());
    assert!(survey.is_complete_and_correct(), "{survey}");
}

#[test]
fn the_first_failing_small_scenario_is_minimal() {
    let explorer = counter!(loomed, false).loom(Loom::new());
    let report = explorer.files(Files::none()).small_scope(2, 2).try_run().unwrap_err();
    assert_eq!((report.threads, report.operations), (2, 3), "{report}");
    assert!(matches!(report.fault, Fault::NotLinearizable));
}

#[test]
fn a_derived_specification_finds_the_lost_addition() {
    use shuttled::structures::counter::Counter;
    for (atomic, expected) in [(true, None), (false, Some(3))] {
        let one = Shuttle::random().executions(1);
        let derived = Derived::under(one, move || Counter::new(atomic), Counter::perform);
        let test = Test::new(move || Counter::new(atomic))
            .spec(derived.clone())
            .ops_from([CounterOp::Add(1), CounterOp::Get])
            .perform(Counter::perform);
        let scope = Scope::new([CounterOp::Add(1), CounterOp::Get], 2, 2);
        let survey = survey(&test, &scope, &mut Shuttle::random().executions(200));
        let size = survey.failure.as_ref().map(|(scenario, _)| scenario.len());
        assert_eq!(size, expected, "{survey}");
        assert_eq!(derived.flaw(), None);
    }
}

#[test]
fn an_operation_that_waits_alone_is_disabled_in_a_derived_specification() {
    use linpoint_gallery::specs::MailOp::{self, *};
    use shuttled::structures::mailbox::Mailbox;
    let one = Shuttle::random().executions(1);
    let derived = Derived::under(one, || Mailbox::new(true), Mailbox::perform);
    let test = |careful| {
        Test::new(move || Mailbox::new(careful))
            .spec(derived.clone())
            .ops(|_| unreachable!("nothing is drawn"))
            .perform(Mailbox::perform)
    };
    let scenario: Scenario<MailOp> = threads(&[&[Send(1)], &[Receive]]);
    let correct = Shuttle::depth_first().attempt(&test(true), &scenario);
    assert!(correct.failure.is_none() && correct.coverage == Coverage::All, "{correct:?}");
    let broken = Shuttle::depth_first().attempt(&test(false), &scenario);
    assert!(matches!(broken.failure.unwrap().fault, Fault::Stuck { .. }));
}

/// A write and a read, which does not see the write although it has returned.
fn stale() -> Scenario<RegisterOp<u64>> {
    threads(&[&[RegisterOp::Write(1)], &[RegisterOp::Read]])
}

#[test]
fn a_relaxed_register_is_correct_for_users_who_synchronise() {
    let test = register!(Relaxed);
    let attempt = |order| Loom::new().order(order).attempt(&test, &stale());
    for order in [Order::Synchronised, Order::Program] {
        let attempt = attempt(order);
        assert!(attempt.failure.is_none(), "{order:?}: {attempt:?}");
        assert_eq!(attempt.coverage, Coverage::All);
    }
    let failure = attempt(Order::Unsynchronised).failure.expect("a stale read");
    let history = failure.execution.history;
    let read = history.ids().find(|id| *history.op(*id) == RegisterOp::Read).unwrap();
    assert_eq!(history.ret(read), Some(&RegisterRet::Value(0)));
}

#[test]
fn a_register_with_fences_is_correct_in_every_order() {
    let test = register!(Fenced);
    let scenario = threads(&[
        &[RegisterOp::Write(1), RegisterOp::Read][..],
        &[RegisterOp::Write(2), RegisterOp::Read],
    ]);
    for order in [Order::Unsynchronised, Order::Synchronised, Order::Program] {
        for scenario in [&stale(), &scenario] {
            let attempt = Loom::new().order(order).attempt(&test, scenario);
            assert!(attempt.failure.is_none(), "{order:?}: {attempt:?}");
            assert_eq!(attempt.coverage, Coverage::All);
        }
    }
}

/// Publishes a value in two steps: the value, then a flag. A read that sees the flag must see the
/// value.
fn publication(
    store: std::sync::atomic::Ordering,
) -> Test<impl Send + Sync + 'static, spec::Register<u64>> {
    use linpoint_test::sync::loomed::atomic::{AtomicBool, AtomicU64, Ordering::*};
    Test::new(|| (AtomicU64::new(0), AtomicBool::new(false)))
        .spec(spec::Register { initial: 0 })
        .ops(|_| unreachable!("nothing is drawn"))
        .perform(move |(value, published), op| match op {
            RegisterOp::Read if published.load(Acquire) => {
                // Zero is never written, so the value is not visible yet.
                RegisterRet::Value(match value.load(Relaxed) {
                    0 => u64::MAX,
                    value => value,
                })
            }
            RegisterOp::Read => RegisterRet::Value(0),
            RegisterOp::Write(new) => {
                value.store(*new, Relaxed);
                published.store(true, store);
                RegisterRet::Written
            }
        })
}

#[test]
fn a_missing_release_shows_in_every_order() {
    use std::sync::atomic::Ordering::{Relaxed, Release};
    for order in [Order::Unsynchronised, Order::Synchronised, Order::Program] {
        let attempt = Loom::new().order(order).attempt(&publication(Relaxed), &stale());
        assert!(attempt.failure.is_some(), "{order:?}: {attempt:?}");
    }
    for order in [Order::Synchronised, Order::Program] {
        let attempt = Loom::new().order(order).attempt(&publication(Release), &stale());
        assert!(attempt.failure.is_none(), "{order:?}: {attempt:?}");
        assert_eq!(attempt.coverage, Coverage::All);
    }
}

#[test]
fn program_order_shows_store_buffering_and_the_clock_hides_it() {
    use linpoint_test::sync::loomed::atomic::{AtomicU64, Ordering::Relaxed};
    // Each thread raises its flag and reads the other: at least one of them must see the other's
    // flag.
    let test = Test::new(|| [AtomicU64::new(0), AtomicU64::new(0)])
        .spec(spec::KeyValue::new(Some(0)))
        .ops(|_| unreachable!("nothing is drawn"))
        .perform(|flags, op| match op {
            spec::KeyValueOp::Get(key) => {
                spec::KeyValueRet::Value(Some(flags[*key as usize].load(Relaxed)))
            }
            spec::KeyValueOp::Put(key, value) => {
                flags[*key as usize].store(*value, Relaxed);
                spec::KeyValueRet::Done
            }
            _ => unreachable!("not drawn"),
        });
    let raise_and_look =
        |mine: u64| [spec::KeyValueOp::Put(mine, 1), spec::KeyValueOp::Get(1 - mine)];
    let scenario = threads(&[&raise_and_look(0)[..], &raise_and_look(1)]);
    let fails = |order| Loom::new().order(order).attempt(&test, &scenario).failure.is_some();
    assert!(fails(Order::Program), "the recorder does not synchronise");
    assert!(!fails(Order::Synchronised), "the recorder synchronises");
}

#[test]
fn a_panic_is_a_fault_unless_mapped_to_a_result() {
    use shuttled::structures::shann::Shann;
    let queue = || {
        Test::new(|| Shann::new(true, 1, 0))
            .spec(spec::Queue::bounded(1))
            .ops(|_| unreachable!("nothing is drawn"))
            .perform(Shann::perform)
    };
    let scenario = threads(&[&[spec::QueueOp::Dequeue]]);
    let failure = Shuttle::random().executions(1).attempt(&queue(), &scenario).failure.unwrap();
    let Fault::Panicked { message, .. } = failure.fault else { panic!("{failure:?}") };
    assert_eq!(message, "dequeue gave up after too many attempts");
    let tolerant = queue().panics_as(|_, _| Some(spec::QueueRet::Value(None)));
    assert!(Shuttle::random().executions(1).attempt(&tolerant, &scenario).failure.is_none());
}
