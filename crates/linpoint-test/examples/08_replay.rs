//! 8. From a failure to its replay, and from threads to a scheduler.
//!
//! `cargo run -p linpoint-test --features shuttle --example 08_replay`
//!
//! A report ends with a replay: one line with the scenario and, under shuttle, the schedule.
//! `LINPOINT_REPLAY` takes it, or the file it was written to. This example does it by hand: it
//! finds a failure, parses its line, and repeats the execution. Schedules of OS threads cannot be
//! repeated, but their scenarios can be run under a scheduler, which then has a schedule.

use linpoint_test::replay::Replay;
use linpoint_test::report::Files;
use linpoint_test::research::Runner;
use linpoint_test::schedule::shuttle::Shuttle;

#[allow(clippy::duplicate_mod)]
#[path = "stack/plain.rs"]
mod plain;

#[allow(clippy::duplicate_mod)]
#[path = "stack/shuttled.rs"]
mod shuttled;

/// Runs the example.
pub fn main() {
    let mut test = shuttled::test()
        .name("tutorial stack")
        .shuttle(Shuttle::pct(3))
        .seed(1)
        .shrink_time(std::time::Duration::from_secs(2))
        .files(Files::none());
    let report = test.try_run().expect_err("the stack has a bug");
    let line = report.replay.to_string();
    println!("LINPOINT_REPLAY='{line}'");

    let replay: Replay = line.parse().expect("a printed replay can be parsed");
    let test = shuttled::test();
    let scenario = test.instantiate(&replay.recipe);
    let again = Shuttle::random().replay(&test, &scenario, replay.schedule.as_deref());
    let failure = again.failure.expect("the same schedule gives the same execution");
    println!("again, after {} execution: {:?}", again.executions, failure.fault);

    // OS threads may need long to find this bug, so they get only a few runs. If they find it,
    // shuttle repeats it.
    let stress = plain::test()
        .operations(20)
        .stress()
        .runs(2_000)
        .shrink_time(std::time::Duration::from_secs(2))
        .files(Files::none());
    match stress.try_run() {
        Ok(summary) => println!("threads found nothing in {} operations", summary.operations),
        Err(found) => {
            println!("threads found {:?} with {} operations", found.fault, found.operations);
            let shuttle = Shuttle::pct(3).executions(5_000);
            match shuttled::test()
                .shuttle(shuttle)
                .shrink_time(std::time::Duration::from_secs(2))
                .files(Files::none())
                .find_again(&found.replay.recipe)
            {
                Err(report) => println!("and shuttle found it again:\n{report}"),
                Ok(explored) => println!("which shuttle did not find again in {explored}"),
            }
        }
    }
}
