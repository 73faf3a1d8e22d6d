//! Obstruction-freedom under shuttle.

use std::sync::atomic::Ordering::SeqCst;

use linpoint_test::prelude::*;
use linpoint_test::report::Files;
use linpoint_test::schedule::Systematic;
use linpoint_test::schedule::shuttle::Shuttle;
use linpoint_test::sync::shuttled::atomic::{AtomicBool, AtomicI64};
use linpoint_test::sync::shuttled::{Mutex, hint};

/// A counter of each kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// Compares and exchanges, and yields before it tries again.
    LockFree,
    Locked,
    /// Spins until a flag is down.
    SpinLocked,
}

struct Counting {
    kind: Kind,
    number: AtomicI64,
    lock: Mutex<()>,
    is_taken: AtomicBool,
}

impl Counting {
    fn new(kind: Kind) -> Self {
        let (number, is_taken) = (AtomicI64::new(0), AtomicBool::new(false));
        Counting { kind, number, lock: Mutex::new(()), is_taken }
    }

    fn perform(&self, op: &CounterOp) -> CounterRet {
        let CounterOp::Add(by) = op else { return CounterRet::Value(self.number.load(SeqCst)) };
        match self.kind {
            Kind::LockFree => loop {
                let found = self.number.load(SeqCst);
                if self.number.compare_exchange(found, found + by, SeqCst, SeqCst).is_ok() {
                    break;
                }
                hint::spin_loop();
            },
            Kind::Locked => {
                let _guard = self.lock.lock().unwrap();
                self.number.store(self.number.load(SeqCst) + by, SeqCst);
            }
            Kind::SpinLocked => {
                while self.is_taken.swap(true, SeqCst) {
                    hint::spin_loop();
                }
                self.number.store(self.number.load(SeqCst) + by, SeqCst);
                self.is_taken.store(false, SeqCst);
            }
        }
        CounterRet::Done
    }
}

fn test(kind: Kind, shuttle: Shuttle) -> Systematic<Counting, Counter, Shuttle> {
    Test::new(move || Counting::new(kind))
        .spec(Counter { initial: 0 })
        .ops_from([CounterOp::Add(1), CounterOp::Get])
        .perform(Counting::perform)
        .may_block(|op| *op == CounterOp::Get)
        .threads(2)
        .operations(3)
        .name("progress")
        .shuttle(shuttle.executions(100).obstruction_free())
        .scenarios(5)
        .seed(1)
        .files(Files::none())
}

#[test]
fn a_lock_is_not_obstruction_free() {
    for shuttle in [Shuttle::random(), Shuttle::pct(3), Shuttle::depth_first()] {
        let report = test(Kind::Locked, shuttle).try_run().unwrap_err().to_string();
        assert!(report.contains("NOT OBSTRUCTION-FREE"), "{report}");
        assert!(report.contains("its thread is waiting for another thread"), "{report}");
        assert!(report.contains("its thread was stopped"), "{report}");
    }
}

#[test]
fn a_loop_that_waits_is_not_obstruction_free() {
    let report = test(Kind::SpinLocked, Shuttle::random()).try_run().unwrap_err().to_string();
    assert!(report.contains("NOT OBSTRUCTION-FREE"), "{report}");
}

#[test]
fn a_loop_that_tries_again_is_obstruction_free() {
    for shuttle in [Shuttle::random(), Shuttle::pct(3)] {
        test(Kind::LockFree, shuttle).run();
    }
}

#[test]
fn operations_that_may_block_are_exempt() {
    for kind in [Kind::Locked, Kind::SpinLocked] {
        Test::new(move || Counting::new(kind))
            .spec(Counter { initial: 0 })
            .ops_from([CounterOp::Add(1), CounterOp::Get])
            .perform(Counting::perform)
            .may_block(|op| matches!(op, CounterOp::Add(_)))
            .threads(2)
            .operations(3)
            .name("progress exempt")
            .shuttle(Shuttle::random().executions(100).obstruction_free())
            .scenarios(5)
            .files(Files::none())
            .run();
    }
}
