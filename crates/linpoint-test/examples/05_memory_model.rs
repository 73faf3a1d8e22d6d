//! 5. Weak memory: loom tries every execution that the C11 memory model allows.
//!
//! `cargo run -p linpoint-test --features loom --example 05_memory_model`
//!
//! A value is published by a flag. If the flag is stored with `Relaxed`, a reader may see it before
//! the value. Threads on this machine may never show that, shuttle never does, and loom finds it
//! immediately. With `Release` the code is correct, and loom reports that it has explored
//! everything.

use linpoint_test::Test;

use linpoint_test::models::{Register, RegisterOp, RegisterRet};
use linpoint_test::report::Files;
use linpoint_test::schedule::loom::Loom;
use linpoint_test::sync::loomed::atomic::{AtomicBool, AtomicU64, Ordering};

struct Once {
    value: AtomicU64,
    published: AtomicBool,
    publish: Ordering,
}

impl Once {
    fn write(&self, value: u64) {
        self.value.store(value, Ordering::Relaxed);
        self.published.store(true, self.publish);
    }

    fn read(&self) -> u64 {
        if !self.published.load(Ordering::Acquire) {
            return 1;
        }
        self.value.load(Ordering::Relaxed)
    }
}

fn test(publish: Ordering) -> Test<Once, Register<u64>> {
    let make =
        move || Once { value: AtomicU64::new(0), published: AtomicBool::new(false), publish };
    Test::new(make)
        .spec(Register { initial: 1 })
        .ops_from([RegisterOp::Write(2), RegisterOp::Read])
        .perform(|once: &Once, op| match op {
            RegisterOp::Write(value) => {
                once.write(*value);
                RegisterRet::Written
            }
            RegisterOp::Read => RegisterRet::Value(once.read()),
        })
}

/// Runs the example.
pub fn main() {
    let report = test(Ordering::Relaxed)
        .name("published too early")
        .loom(Loom::new())
        .small_scope(2, 1)
        .files(Files::none())
        .try_run()
        .expect_err("a read sees the flag and not the value");
    println!("{report}");
    let mut correct =
        test(Ordering::Release).loom(Loom::new()).small_scope(2, 1).files(Files::none());
    println!("\nWith Release: {}", correct.run());
    println!("({})", Loom::new().describe());
}
