//! The tutorial runs: every example, as it is.

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
fn first() {
    first_test::main();
}

#[test]
fn second() {
    let report = a_bug::find();
    assert!(report.operations >= 2, "{report}");
    a_bug::main();
}

#[test]
fn third() {
    own_specification::main();
}

#[cfg(feature = "shuttle")]
#[test]
fn fourth() {
    let report = systematic::find();
    assert!(report.replay.schedule.is_some(), "{report}");
    systematic::main();
}

#[cfg(feature = "loom")]
#[test]
fn fifth() {
    memory_model::main();
}

#[cfg(feature = "shuttle")]
#[test]
fn sixth() {
    small_scope::main();
}

#[cfg(feature = "shuttle")]
#[test]
fn seventh() {
    waiting::main();
}

#[cfg(feature = "shuttle")]
#[test]
fn eighth() {
    replay::main();
}
