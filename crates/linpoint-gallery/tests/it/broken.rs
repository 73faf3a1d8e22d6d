//! Every broken structure is caught, under every scheduler that can show its bug. Schedulers are
//! deterministic, and so are these tests; OS threads are used only for bugs that show in most runs.

use linpoint_gallery::exhibits::{ALL, Exhibit, Scale};
use linpoint_gallery::hunt::{Catch, Mode, Patience, hunt};
use linpoint_test::schedule::loom::Order;
use linpoint_test::schedule::shuttle::Strategy;

/// Only counts: a time limit would make the result depend on the machine.
const PATIENCE: Patience =
    Patience { scenarios: 400, executions: 200, preemptions: Some(2), time: None };

/// The broken structures that schedulers can run.
fn broken() -> impl Iterator<Item = &'static Exhibit> {
    ALL.iter().filter(|exhibit| exhibit.flaw.is_some() && exhibit.schedulable)
}

fn catch(name: &str, mode: Mode, scale: Scale, patience: Patience) -> Catch {
    let caught = hunt(name, mode, scale, 1, patience).expect("it is in the gallery");
    assert!(caught.failure.is_some(), "{name} was not caught under {}: {caught:?}", mode.name());
    println!("{name}, {}: {} executions", mode.name(), caught.executions);
    caught
}

fn all_under(strategy: Strategy) {
    for exhibit in broken().filter(|exhibit| exhibit.flaw.is_some_and(|flaw| flaw.interleaving)) {
        let scale = Scale { threads: 3, operations: 4 };
        catch(exhibit.name, Mode::Shuttle(strategy), scale, PATIENCE);
    }
}

#[test]
fn random_schedules_catch_every_interleaving_bug() {
    all_under(Strategy::Random);
}

#[test]
fn pct_catches_every_interleaving_bug() {
    all_under(Strategy::Pct(3));
}

#[test]
fn loom_catches_every_bug() {
    let patience = Patience { executions: 1_000, ..PATIENCE };
    for exhibit in broken() {
        let weak = exhibit.flaw.is_some_and(|flaw| !flaw.interleaving);
        let order = if weak { Order::Unsynchronised } else { Order::Synchronised };
        catch(exhibit.name, Mode::Loom(order), Scale { threads: 2, operations: 3 }, patience);
    }
}

#[test]
fn shuttle_does_not_show_weak_memory_bugs() {
    let scale = Scale { threads: 3, operations: 4 };
    let patience = Patience { scenarios: 20, ..PATIENCE };
    let caught = hunt("register, relaxed", Mode::Shuttle(Strategy::Random), scale, 1, patience);
    assert_eq!(caught.unwrap().failure, None);
}

#[test]
fn os_threads_catch_bugs_that_show_in_most_runs() {
    // Each of these fails in most runs, however threads are scheduled.
    for name in ["register, hoisted", "skip list, bad hash"] {
        let patience = Patience { scenarios: 100_000, ..PATIENCE };
        catch(name, Mode::Stress, Scale { threads: 4, operations: 100 }, patience);
    }
}
