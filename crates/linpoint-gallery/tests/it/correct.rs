//! No correct structure raises an alarm.

use linpoint_gallery::exhibits::{ALL, Exhibit, Scale};
use linpoint_gallery::hunt::{Mode, Patience, hunt};
use linpoint_test::schedule::loom::Order;
use linpoint_test::schedule::shuttle::Strategy;

/// The long mode multiplies the work by this factor.
fn long(factor: u64) -> u64 {
    if std::env::var_os("LINPOINT_LONG").is_some() { factor } else { 1 }
}

fn assert_no_alarm(mode: Mode, scale: Scale, patience: Patience) {
    let fits = |exhibit: &&Exhibit| exhibit.schedulable || mode == Mode::Stress;
    for exhibit in ALL.iter().filter(|exhibit| exhibit.flaw.is_none()).filter(fits) {
        let caught = hunt(exhibit.name, mode, scale, 1, patience).expect("it is in the gallery");
        assert_eq!(caught.failure, None, "{} under {}", exhibit.name, mode.name());
        assert_eq!(caught.undecided, 0, "{} under {}", exhibit.name, mode.name());
        println!(
            "{} under {}: {} executions, {} operations{}",
            exhibit.name,
            mode.name(),
            caught.executions,
            caught.operations,
            caught.truncated.map_or(String::new(), |why| format!(", truncated: {why}")),
        );
    }
}

const SYSTEMATIC: Scale = Scale { threads: 3, operations: 4 };

fn patience(scenarios: u64, executions: u64) -> Patience {
    Patience { scenarios: scenarios * long(20), executions, preemptions: None, time: None }
}

#[test]
fn no_alarm_under_random_schedules() {
    assert_no_alarm(Mode::Shuttle(Strategy::Random), SYSTEMATIC, patience(20, 100));
}

#[test]
fn no_alarm_under_pct() {
    assert_no_alarm(Mode::Shuttle(Strategy::Pct(3)), SYSTEMATIC, patience(20, 100));
}

#[test]
fn no_alarm_under_loom() {
    let scale = Scale { threads: 2, operations: 2 };
    assert_no_alarm(Mode::Loom(Order::Synchronised), scale, patience(4, 1_500));
}

#[test]
fn no_alarm_under_loom_in_program_order() {
    let scale = Scale { threads: 2, operations: 2 };
    assert_no_alarm(Mode::Loom(Order::Program), scale, patience(4, 500));
}

#[test]
fn no_alarm_on_os_threads() {
    let scale = Scale { threads: 4, operations: 50 };
    // In the long mode, ten million operations of each.
    let patience = Patience { scenarios: 15 * long(3_500), ..patience(1, 1) };
    assert_no_alarm(Mode::Stress, scale, patience);
}
