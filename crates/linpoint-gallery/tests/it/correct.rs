//! No right structure raises an alarm.

use linpoint_gallery::exhibits::{ALL, Exhibit, Scale};
use linpoint_gallery::hunt::{Mode, Patience, hunt};
use linpoint_test::schedule::loom::Order;
use linpoint_test::schedule::shuttle::Strategy;

/// The long mode does so many times more.
fn long(factor: u64) -> u64 {
    if std::env::var_os("LINPOINT_LONG").is_some() { factor } else { 1 }
}

fn none_under(mode: Mode, scale: Scale, patience: Patience) {
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
fn random_schedules() {
    none_under(Mode::Shuttle(Strategy::Random), SYSTEMATIC, patience(20, 100));
}

#[test]
fn pct() {
    none_under(Mode::Shuttle(Strategy::Pct(3)), SYSTEMATIC, patience(20, 100));
}

#[test]
fn loom() {
    let scale = Scale { threads: 2, operations: 2 };
    none_under(Mode::Loom(Order::Synchronised), scale, patience(4, 1_500));
}

#[test]
fn loom_in_program_order() {
    let scale = Scale { threads: 2, operations: 2 };
    none_under(Mode::Loom(Order::Program), scale, patience(4, 500));
}

#[test]
fn threads() {
    let scale = Scale { threads: 4, operations: 50 };
    // In the long mode, ten million operations of each.
    let patience = Patience { scenarios: 200 * long(250), ..patience(1, 1) };
    none_under(Mode::Stress, scale, patience);
}
