//! 4. The same test under a scheduler: rare interleavings become frequent, and a failure can be
//!    repeated.
//!
//! `cargo run -p linpoint-test --features shuttle --example 04_systematic`
//!
//! The stack is written against `super::sync`, which is shuttle here. Its bug needs a thread to be
//! paused in the middle of a pop while others pop and push. OS threads rarely do that; shuttle
//! needs a few executions.

use linpoint_test::FailureReport;
use linpoint_test::report::Files;
use linpoint_test::schedule::shuttle::Shuttle;

#[allow(clippy::duplicate_mod)]
#[path = "stack/shuttled.rs"]
mod shuttled;

/// Runs until the bug shows. The seed is fixed, so it always shows in the same execution.
pub fn find() -> Box<FailureReport> {
    let mut test = shuttled::test()
        .name("tutorial stack")
        .shuttle(Shuttle::pct(3))
        .seed(1)
        .shrink_time(std::time::Duration::from_secs(2))
        .files(Files::none());
    test.try_run().expect_err("the stack has a bug")
}

/// Runs the example.
pub fn main() {
    let report = find();
    println!("{report}");
    println!("\nIts schedule: {}", report.replay.schedule.as_deref().unwrap_or("none"));
}
