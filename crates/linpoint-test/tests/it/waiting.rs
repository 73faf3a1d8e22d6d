//! Operations that wait: legally, forever, or because of a lost wake-up.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

use linpoint::History;

use linpoint_test::models::{Counter, CounterOp, CounterRet, Semaphore, SemaphoreOp, SemaphoreRet};
use linpoint_test::report::{Fault, Files};
use linpoint_test::research::{Execution, Judgement, Unfinished, UnfinishedReason, judge};
use linpoint_test::{CheckLimits, FailureReport, Noise, Sequential, Stress, Summary};

/// The specification of a channel whose receive waits while it is empty.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
struct Channel(VecDeque<u64>);

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Op {
    Send(u64),
    Receive,
}

impl Sequential for Channel {
    type Op = Op;
    type Ret = Option<u64>;
    fn apply(&mut self, op: &Op) -> Option<u64> {
        match op {
            Op::Send(value) => {
                self.0.push_back(*value);
                None
            }
            Op::Receive => self.0.pop_front(),
        }
    }
    fn enabled(&self, op: &Op) -> bool {
        matches!(op, Op::Send(_)) || !self.0.is_empty()
    }
}

/// The channel under test.
#[derive(Default)]
struct Waiting {
    values: Mutex<VecDeque<u64>>,
    sent: Condvar,
    closed: AtomicBool,
}

impl Waiting {
    fn send(&self, value: u64, wake: bool) {
        self.values.lock().unwrap().push_back(value);
        if wake {
            self.sent.notify_one();
        }
    }

    fn receive(&self) -> Option<u64> {
        let values = self.values.lock().unwrap();
        let empty =
            |values: &mut VecDeque<u64>| values.is_empty() && !self.closed.load(Ordering::SeqCst);
        self.sent.wait_while(values, empty).unwrap().pop_front()
    }

    fn close(&self) {
        let _values = self.values.lock().unwrap();
        self.closed.store(true, Ordering::SeqCst);
        self.sent.notify_all();
    }
}

fn channel(wakes: bool) -> Stress<Waiting, Channel> {
    Stress::new(Waiting::default)
        .spec(Channel::default())
        .ops(|rng| if rng.chance(0.5) { Op::Send(rng.fresh()) } else { Op::Receive })
        .perform(move |channel, op| match op {
            Op::Send(value) => {
                channel.send(*value, wakes);
                None
            }
            Op::Receive => channel.receive(),
        })
        .unblock(Waiting::close)
        .threads(3)
        .operations(4)
        .noise(Noise::MUCH)
        .files(Files::none())
}

fn caught(result: Result<Summary, Box<FailureReport>>) -> FailureReport {
    *result.expect_err("a broken object was not caught")
}

#[test]
fn waiting_on_an_empty_channel_is_legal() {
    let summary = channel(true).runs(40).run();
    assert!(summary.waits > 0, "some run draws more receives than sends: {summary:?}");
}

#[test]
fn a_lost_wake_up_is_caught() {
    let report = caught(
        channel(false)
            .runs(1_000_000)
            .time_limit(Duration::from_secs(300))
            .patience(Duration::from_millis(400))
            .shrink_time(Duration::from_secs(3))
            .name("lost wake-up")
            .try_run(),
    );
    let Fault::Stuck { waiting, .. } = &report.fault else { panic!("{report}") };
    assert!(!waiting.is_empty());
    let text = report.to_string();
    assert!(text.contains("STUCK: no progress, although in every possible order"), "{text}");
    assert!(text.contains("Receive waits"), "{text}");
    assert!(text.contains("not returned"), "{text}");
}

/// A counter behind two locks that are taken in different orders.
#[derive(Default)]
struct TwoLocks {
    a: Mutex<()>,
    b: Mutex<()>,
    count: AtomicI64,
}

#[test]
fn a_deadlock_is_caught_with_the_state_of_each_thread() {
    let report = caught(
        Stress::new(TwoLocks::default)
            .spec(Counter { initial: 0 })
            .ops_from([CounterOp::FetchAdd(1), CounterOp::Get])
            .perform(|TwoLocks { a, b, count }, op| {
                let (first, second) = if *op == CounterOp::Get { (a, b) } else { (b, a) };
                let _first = first.lock().unwrap();
                std::thread::yield_now();
                let _second = second.lock().unwrap();
                let add = i64::from(*op != CounterOp::Get);
                CounterRet::Value(count.fetch_add(add, Ordering::SeqCst))
            })
            .threads(2)
            .operations(50)
            .runs(1_000_000)
            .time_limit(Duration::from_secs(300))
            .patience(Duration::from_millis(300))
            .shrink_time(Duration::from_secs(2))
            .name("deadlock")
            .files(Files::none())
            .try_run(),
    );
    let Fault::Stuck { waiting, lost } = &report.fault else { panic!("{report}") };
    // The specification lets both complete.
    assert_eq!((waiting.len(), lost.len()), (2, 2), "{report}");
    assert_eq!(report.text.matches("not returned").count(), 2, "{report}");
    assert_eq!(report.text.matches("its thread is ").count(), 2, "{report}");
}

#[test]
fn a_livelock_is_caught() {
    let stop = std::sync::Arc::new(AtomicBool::new(false));
    let given_up = stop.clone();
    let report = caught(
        Stress::new(|| AtomicI64::new(0))
            .spec(Counter { initial: 0 })
            .ops_from([CounterOp::FetchAdd(1)])
            .perform(move |counter, _| {
                let before = counter.fetch_add(1, Ordering::SeqCst);
                // The third addition waits for a condition that never holds.
                while before == 2 && !stop.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
                CounterRet::Value(before)
            })
            .threads(2)
            .operations(2)
            .patience(Duration::from_millis(300))
            .shrink_time(Duration::ZERO)
            .name("livelock")
            .files(Files::none())
            .try_run(),
    );
    given_up.store(true, Ordering::Relaxed);
    let Fault::Stuck { waiting, lost } = &report.fault else { panic!("{report}") };
    assert_eq!((waiting.len(), lost.len()), (1, 1), "{report}");
}

#[test]
fn the_test_gives_up_after_too_many_waits_without_unblock() {
    let report = caught(
        Stress::new(|| Mutex::new(()))
            .spec(Semaphore { initial: 0 })
            .ops_from([SemaphoreOp::Acquire])
            .perform(|_, _| {
                loop {
                    std::thread::park();
                }
            })
            .threads(1)
            .operations(1)
            .runs(1_000)
            .files(Files::none())
            .try_run(),
    );
    assert_eq!(report.fault, Fault::TooManyWaits);
    assert!(report.text.contains("(unblock)"), "{report}");
}

/// Judges a history whose pending operations wait.
fn judged(history: History<Op, Option<u64>>) -> Judgement {
    let waiting = history.ids().filter(|id| history.span(*id).is_pending());
    let reason = || UnfinishedReason::Waiting("asleep".to_owned());
    let unfinished = waiting.map(|op| Unfinished { op, reason: reason() }).collect();
    let execution = Execution { history, unfinished, schedule: None };
    judge(&Channel::default(), &execution, &CheckLimits::default())
}

#[test]
fn a_wait_is_legal_if_some_order_allows_it() {
    // One receive overlaps a send and another receive: in every order, nothing is left for it.
    let mut events = History::from_events();
    let send = events.call(Op::Send(1));
    let first = events.call(Op::Receive);
    events.call(Op::Receive);
    events.ret(first, Some(1)).unwrap();
    events.ret(send, None).unwrap();
    assert_eq!(judged(events.finish()), Judgement::Correct);

    // The 1 is still there: the receive could have returned it.
    let mut events = History::from_events();
    let send = events.call(Op::Send(1));
    let waits = events.call(Op::Receive);
    events.ret(send, None).unwrap();
    let expected = Fault::Stuck { waiting: vec![waits], lost: vec![waits] };
    assert_eq!(judged(events.finish()), Judgement::Failed(expected));

    // Either of two could have returned it: a wake-up is lost, but it is not known which.
    let mut events = History::from_events();
    let send = events.call(Op::Send(1));
    let (one, two) = (events.call(Op::Receive), events.call(Op::Receive));
    events.ret(send, None).unwrap();
    let expected = Fault::Stuck { waiting: vec![one, two], lost: vec![] };
    assert_eq!(judged(events.finish()), Judgement::Failed(expected));
}

#[test]
fn a_semaphore_admits_as_many_as_it_has_permits() {
    let judged = |releases: usize| {
        let mut events = History::from_events();
        for _ in 0..releases {
            let release = events.call(SemaphoreOp::Release);
            events.ret(release, SemaphoreRet::Done).unwrap();
        }
        let through = events.call(SemaphoreOp::Acquire);
        let waits = events.call(SemaphoreOp::Acquire);
        events.ret(through, SemaphoreRet::Done).unwrap();
        let unfinished =
            vec![Unfinished { op: waits, reason: UnfinishedReason::Waiting(String::new()) }];
        let execution = Execution { history: events.finish(), unfinished, schedule: None };
        judge(&Semaphore { initial: 0 }, &execution, &CheckLimits::default())
    };
    assert_eq!(judged(1), Judgement::Correct);
    assert!(matches!(judged(2), Judgement::Failed(Fault::Stuck { .. })));
    assert_eq!(judged(0), Judgement::Failed(Fault::NotLinearizable));
}
