//! Runs every example of the tutorial.

#[path = "../../examples/02_a_bug.rs"]
mod a_bug;
#[path = "../../examples/01_first_test.rs"]
mod first_test;
#[cfg(feature = "loom")]
#[path = "../../examples/05_memory_model.rs"]
mod memory_model;
#[path = "../../examples/03_own_specification.rs"]
mod own_specification;
#[cfg(feature = "shuttle")]
#[path = "../../examples/08_replay.rs"]
mod replay;
#[cfg(feature = "shuttle")]
#[path = "../../examples/06_small_scope.rs"]
mod small_scope;
#[cfg(feature = "shuttle")]
#[allow(clippy::duplicate_mod)]
#[path = "../../examples/04_systematic.rs"]
mod systematic;
#[cfg(feature = "shuttle")]
#[path = "../../examples/07_waiting.rs"]
mod waiting;

#[test]
fn first_test_passes() {
    first_test::main();
}

#[test]
fn a_bug_is_found_and_reported() {
    let report = a_bug::find();
    assert!(report.operations >= 2, "{report}");
    a_bug::main();
}

#[test]
fn own_specification_passes() {
    own_specification::main();
}

#[cfg(feature = "shuttle")]
#[test]
fn systematic_failure_has_a_schedule() {
    let report = systematic::find();
    assert!(report.replay.schedule.is_some(), "{report}");
    systematic::main();
}

#[cfg(feature = "loom")]
#[test]
fn memory_model_bug_is_found_by_loom() {
    memory_model::main();
}

#[cfg(feature = "shuttle")]
#[test]
fn small_scope_finds_the_race() {
    small_scope::main();
}

#[cfg(feature = "shuttle")]
#[test]
fn waiting_finds_the_lost_wake_up() {
    waiting::main();
}

#[cfg(feature = "shuttle")]
#[test]
fn replay_repeats_the_failure() {
    replay::main();
}
