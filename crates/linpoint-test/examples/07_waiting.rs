//! 7. Operations that wait: a legal wait or a lost wake-up?
//!
//! `cargo run -p linpoint-test --features shuttle --example 07_waiting`
//!
//! A gate: `pass` waits until it is open. The specification says in which states `pass` can return.
//! An execution that ends with a waiting thread fails if and only if the specification lets that
//! thread continue.

use std::time::Duration;

use linpoint_test::report::Files;
use linpoint_test::schedule::shuttle::Shuttle;
use linpoint_test::sync::shuttled::{Condvar, Mutex};
use linpoint_test::{Sequential, Test};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Op {
    Open,
    Pass,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Gate {
    open: bool,
}

impl Sequential for Gate {
    type Op = Op;
    type Ret = ();

    fn apply(&mut self, op: &Op) {
        self.open |= *op == Op::Open;
    }

    fn enabled(&self, op: &Op) -> bool {
        self.open || *op == Op::Open
    }
}

struct RealGate {
    open: Mutex<bool>,
    opened: Condvar,
    wake_all: bool,
}

impl RealGate {
    fn perform(&self, op: &Op) {
        match op {
            Op::Open => {
                *self.open.lock().unwrap() = true;
                if self.wake_all {
                    self.opened.notify_all();
                } else {
                    self.opened.notify_one(); // The others sleep on.
                }
            }
            Op::Pass => {
                let mut open = self.open.lock().unwrap();
                while !*open {
                    open = self.opened.wait(open).unwrap();
                }
            }
        }
    }
}

fn test(wake_all: bool) -> Test<RealGate, Gate> {
    let make = move || RealGate { open: Mutex::new(false), opened: Condvar::new(), wake_all };
    Test::new(make)
        .spec(Gate { open: false })
        .ops_from([Op::Pass, Op::Open])
        .perform(RealGate::perform)
        .name("gate")
}

/// Runs the example.
pub fn main() {
    let all = |wake_all| {
        test(wake_all)
            .shuttle(Shuttle::random().executions(300))
            .small_scope(3, 1)
            .shrink_time(Duration::from_secs(1))
            .files(Files::none())
    };
    let report = all(false).try_run().expect_err("one thread sleeps on");
    println!("{report}");
    println!("\nWith notify_all: {}", all(true).run());
}
