//! Stress tests of correct and of broken objects.

use std::sync::Mutex;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use linpoint_test::models::{
    Counter, CounterOp, CounterRet, Queue, QueueOp, QueueRet, Register, RegisterOp, RegisterRet,
};
use linpoint_test::record::Clock;
use linpoint_test::report::{Fault, Files};
use linpoint_test::research::Scenario;
use linpoint_test::{
    CheckLimits, FailureReport, Noise, Placement, Rng, Sequential, Stress, Summary, Test, profile,
};

fn increments(rng: &mut Rng) -> CounterOp {
    if rng.chance(0.7) { CounterOp::FetchAdd(rng.range(1..10) as i64) } else { CounterOp::Get }
}

fn exact(counter: &AtomicI64, op: &CounterOp) -> CounterRet {
    match op {
        CounterOp::Get => CounterRet::Value(counter.load(Ordering::SeqCst)),
        CounterOp::FetchAdd(n) => CounterRet::Value(counter.fetch_add(*n, Ordering::SeqCst)),
        CounterOp::AddFetch(n) => CounterRet::Value(counter.fetch_add(*n, Ordering::SeqCst) + n),
        CounterOp::Add(n) => {
            counter.fetch_add(*n, Ordering::SeqCst);
            CounterRet::Done
        }
    }
}

/// A counter that loses additions: it is read first and written later.
fn lossy(counter: &AtomicI64, op: &CounterOp) -> CounterRet {
    match op {
        CounterOp::FetchAdd(n) => {
            let before = counter.load(Ordering::SeqCst);
            std::thread::yield_now();
            counter.store(before + n, Ordering::SeqCst);
            CounterRet::Value(before)
        }
        other => exact(counter, other),
    }
}

/// Runs the lossy counter until it fails.
fn stress_lossy(name: &str) -> Stress<AtomicI64, Counter> {
    Stress::new(|| AtomicI64::new(0))
        .spec(Counter { initial: 0 })
        .ops(increments)
        .perform(lossy)
        .runs(10_000_000)
        .time_limit(Duration::from_secs(300))
        .shrink_time(Duration::from_secs(5))
        .name(name)
        .files(Files::none())
}

fn caught(result: Result<Summary, Box<FailureReport>>) -> FailureReport {
    *result.expect_err("a broken object was not caught")
}

/// A fresh directory for one test.
fn directory(name: &str) -> std::path::PathBuf {
    let path = std::env::temp_dir().join(format!("linpoint-test-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    path
}

#[test]
fn a_correct_counter_passes_with_every_setting() {
    let settings = [
        (Noise::NONE, Placement::Free, 0, Clock::private()),
        (Noise::SOME, Placement::Pinned, 0, Clock::private().undrained()),
        (Noise::SOME, Placement::Free, 0, Clock::instant()),
        (Noise::MUCH, Placement::Crowded(1), 1, Clock::shared()),
    ];
    for (noise, placement, neighbours, clock) in settings {
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
            .clock(clock)
            .files(Files::none())
            .run();
        assert_eq!((summary.runs, summary.operations), (200, 200 * 42));
    }
}

#[test]
fn a_lossy_counter_is_caught_and_shrunk() {
    let report = caught(stress_lossy("lossy").try_run());
    assert_eq!(report.fault, Fault::NotLinearizable);
    // Two threads and two operations are enough; a busy machine may not find that in time.
    assert!(report.operations < 60, "{report}");
    let text = report.to_string();
    for expected in [
        "linpoint: lossy: NOT LINEARIZABLE",
        " by thread ",
        "contradict each other",
        "\u{2717} fails at     ",
        "  allowed here   ",
        "  core           ",
        "  thread 0       fetch_add(",
        "  shrunk         from 3 threads and ",
        "  found          run ",
        "  recorded       stress on OS threads; ",
        "  to replay      cargo test",
        " && LINPOINT_REPLAY='v1 test=lossy mode=stress threads=",
        " stress::a_lossy_counter_is_caught_and_shrunk -- --exact",
    ] {
        assert!(text.contains(expected), "{expected:?} is missing in\n{text}");
    }
    assert!(
        text.lines().any(|line| line.starts_with("    thread ") && line.contains('|')),
        "{text}"
    );
}

#[test]
#[should_panic(expected = "NOT LINEARIZABLE")]
fn a_failing_test_panics_with_the_report() {
    stress_lossy("panics").shrink_time(Duration::ZERO).run();
}

#[test]
fn a_failure_is_saved_and_runs_first_next_time() {
    let place = directory("files");
    let files =
        Files::default().reports_in(place.join("reports")).regressions_in(place.join("saved"));
    let first = caught(stress_lossy("leaves files").files(files.clone()).try_run());
    let names: Vec<_> =
        first.written.iter().filter_map(|path| path.file_name()?.to_str()).collect();
    assert_eq!(names, ["history.jsonl", "timeline.html", "replay.txt", "leaves-files.txt"]);
    for path in &first.written {
        assert!(std::fs::metadata(path).unwrap().len() > 0, "{}", path.display());
    }
    let saved = files.regressions("leaves files", "stress");
    assert_eq!(saved, [first.replay]);
    // With zero runs, a failure must come from the saved scenario, which fails often but not
    // always.
    let again = || stress_lossy("leaves files").files(files.clone()).runs(0).try_run();
    let second = (0..100).find_map(|_| again().err()).expect("a saved scenario fails again");
    assert!(second.text.contains("by running a saved scenario"), "{second}");
    std::fs::remove_dir_all(place).unwrap();
}

#[test]
fn a_recipe_reproduces_the_drawn_scenario() {
    let test = Test::new(|| ())
        .spec(Queue::new())
        .ops(profile::queue(profile::Fill::Even))
        .perform(|(), _| QueueRet::Done)
        .threads(3)
        .operations(7)
        .setup([QueueOp::Dequeue]);
    for run in 0..50 {
        let drawn: Scenario<QueueOp<u64>> = test.draw(9, run);
        assert_eq!(test.draw(9, run), drawn);
        assert_ne!(test.draw(9, run + 1), drawn);
        let line = linpoint_test::replay::Replay {
            test: "t".to_owned(),
            mode: "stress".to_owned(),
            recipe: test.recipe(9, run),
            schedule: None,
        };
        let read: linpoint_test::replay::Replay = line.to_string().parse().unwrap();
        assert_eq!(test.instantiate(&read.recipe), drawn);
    }
}

/// A counter that panics above five.
fn panicking(counter: &AtomicI64, op: &CounterOp) -> CounterRet {
    let ret = exact(counter, op);
    assert!(!matches!(ret, CounterRet::Value(6..)), "more than five");
    ret
}

#[test]
fn a_panicking_operation_fails_the_test() {
    let report = caught(
        Stress::new(|| AtomicI64::new(0))
            .spec(Counter { initial: 0 })
            .ops(increments)
            .perform(panicking)
            .threads(2)
            .operations(10)
            .shrink_time(Duration::from_millis(300))
            .name("panicking")
            .files(Files::none())
            .try_run(),
    );
    let Fault::Panicked { message, .. } = &report.fault else { panic!("{report}") };
    assert_eq!(message, "more than five");
    let text = report.to_string();
    assert!(text.contains("PANIC: an operation panicked: more than five"), "{text}");
    assert!(text.contains(" panicked"), "{text}");
    assert!(text.contains("not returned"), "{text}");
}

#[test]
fn a_panic_can_be_mapped_to_a_result() {
    let summary = Stress::new(|| Mutex::new(0_i64))
        .spec(Register { initial: 0 })
        .ops_from([RegisterOp::Read, RegisterOp::Write(1), RegisterOp::Write(2)])
        .perform(|cell, op| {
            let mut cell = cell.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            match op {
                RegisterOp::Read => RegisterRet::Value(*cell),
                RegisterOp::Write(value) => {
                    *cell = *value;
                    panic!("written");
                }
            }
        })
        .panics_as(|_, message| (message == "written").then_some(RegisterRet::Written))
        .threads(2)
        .operations(3)
        .runs(10)
        .files(Files::none())
        .run();
    assert_eq!(summary.operations, 60);
}

/// A queue without a monitor.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Fifo(std::collections::VecDeque<u64>);

impl Sequential for Fifo {
    type Op = Option<u64>;
    type Ret = Option<u64>;
    fn apply(&mut self, add: &Option<u64>) -> Option<u64> {
        match add {
            Some(value) => {
                self.0.push_back(*value);
                None
            }
            None => self.0.pop_front(),
        }
    }
}

#[test]
fn an_undecided_run_fails_the_test() {
    let report = caught(
        Stress::new(|| Mutex::new(Vec::new()))
            .spec(Fifo::default())
            .ops(|rng| rng.chance(0.7).then(|| rng.fresh()))
            // The object is a stack, so no guess succeeds, and the check has no memory.
            .perform(|stack, add| {
                let mut stack = stack.lock().unwrap();
                match add {
                    Some(value) => {
                        stack.push(*value);
                        None
                    }
                    None => stack.pop(),
                }
            })
            .threads(2)
            .operations(50)
            .check_limits(CheckLimits { time: Duration::from_secs(10), memory: 1 })
            .files(Files::none())
            .try_run(),
    );
    assert_eq!(report.fault, Fault::Undecided(linpoint::Limit::Memory));
    assert!(report.text.contains("UNDECIDED: the memory limit of the check was hit"), "{report}");
}

/// A counter that a `Get` reads in two halves.
fn halves((low, high): &(AtomicI64, AtomicI64), op: &CounterOp) -> CounterRet {
    match op {
        CounterOp::Get => {
            let seen = low.load(Ordering::SeqCst);
            std::thread::yield_now();
            CounterRet::Value(seen + high.load(Ordering::SeqCst))
        }
        CounterOp::Add(n) | CounterOp::FetchAdd(n) | CounterOp::AddFetch(n) => {
            let half = if n % 2 == 0 { low } else { high };
            half.fetch_add(*n, Ordering::SeqCst);
            CounterRet::Done
        }
    }
}

fn stress_halves() -> Stress<(AtomicI64, AtomicI64), Counter> {
    Stress::new(|| (AtomicI64::new(0), AtomicI64::new(0)))
        .spec(Counter { initial: 0 })
        .ops(|rng| match rng.chance(0.6) {
            true => CounterOp::Add(rng.range(1..9) as i64),
            false => CounterOp::Get,
        })
        .perform(halves)
        .files(Files::none())
}

#[test]
fn a_relaxed_operation_may_be_wrong_only_while_others_run() {
    let strict = stress_halves().runs(10_000_000).time_limit(Duration::from_secs(300));
    assert_eq!(caught(strict.shrink_time(Duration::ZERO).try_run()).fault, Fault::NotLinearizable);
    relaxed_get(stress_halves()).runs(2_000).run();
    // With one thread nothing overlaps, so even relaxed operations must be right.
    let lies = Stress::new(|| ())
        .spec(Counter { initial: 0 })
        .ops_from([CounterOp::Get])
        .perform(|(), _| CounterRet::Value(7));
    let lies = relaxed_get(lies).threads(1).files(Files::none()).shrink_time(Duration::ZERO);
    assert_eq!(caught(lies.try_run()).fault, Fault::NotLinearizable);
}

fn relaxed_get<T>(stress: Stress<T, Counter>) -> Stress<T, Counter> {
    stress.relaxed(|op| *op == CounterOp::Get)
}

#[test]
fn a_broken_invariant_fails_the_test() {
    let report = caught(
        Stress::new(|| (AtomicI64::new(0), AtomicI64::new(0)))
            .spec(Counter { initial: 0 })
            .ops(increments)
            .perform(|(counter, calls), op| {
                calls.fetch_add(1, Ordering::SeqCst);
                exact(counter, op)
            })
            .validate(|(_, calls)| assert!(calls.load(Ordering::SeqCst) < 9, "too many calls"))
            .threads(2)
            .operations(6)
            .shrink_time(Duration::from_secs(20))
            .name("validated")
            .files(Files::none())
            .try_run(),
    );
    assert_eq!(report.fault, Fault::Invalid("too many calls".to_owned()));
    assert!(report.text.contains("INVALID: the run is linearizable, but"), "{report}");
    assert_eq!(report.operations, 9, "{report}");
}

#[test]
fn threads_have_roles_that_shrinking_keeps() {
    let report = caught(
        Stress::new(|| AtomicI64::new(0))
            .spec(Counter { initial: 0 })
            .ops(|_| CounterOp::Get)
            // The additions of the third thread are lost.
            .perform_by(|counter, thread, op| match (thread, op) {
                (2, CounterOp::Add(_)) => CounterRet::Done,
                (_, CounterOp::Get) => CounterRet::Value(counter.load(Ordering::SeqCst)),
                other => unreachable!("{other:?} is in no role"),
            })
            .thread(2, |rng| CounterOp::Add(rng.range(1..4) as i64))
            .shrink_time(Duration::from_secs(20))
            .name("roles")
            .files(Files::none())
            .try_run(),
    );
    assert_eq!(report.fault, Fault::NotLinearizable);
    let lengths: Vec<usize> = report.replay.recipe.threads.iter().map(Vec::len).collect();
    assert_eq!((lengths.len(), lengths[2]), (3, 1), "{report}");
    assert_eq!(report.operations, 2, "{report}");
}
