//! One register, ten clients, 13.9 % ambiguous writes: valid, and invalid in four ways.

use std::time::Duration;

use linpoint::History;
use linpoint::spec::models::{Register, RegisterOp, RegisterRet};

use crate::generate::Simulation;
use crate::measure::{Answer, Outcome, Setup, in_a_process, run};
use crate::objects::{SimRegister, Values};
use crate::table::{Table, mib, seconds};

const CLIENTS: u32 = 10;
/// Ambiguous writes in a thousand operations.
const SHARE: u32 = 139;
const DOMAIN: u32 = 5;
const KINDS: [&str; 4] = ["valid", "never written", "stale", "too many stale"];

/// Runs all.
pub fn main(quick: bool) {
    let limit = if quick { 5 } else { 30 };
    let mut table = Table::new([
        "history",
        "values",
        "n",
        "answer",
        "given by",
        "CPU",
        "wall",
        "explaining",
        "steps",
        "counted",
        "RSS before",
        "peak RSS",
    ]);
    for kind in KINDS {
        for domain in [0, DOMAIN] {
            // With unique values every ambiguous write explains one read, so there is no such case.
            if kind == "too many stale" && domain == 0 {
                continue;
            }
            for n in [1_000, 10_000, 100_000] {
                let numbers = [domain.to_string(), n.to_string(), limit.to_string()];
                let case: Vec<String> =
                    ["ambiguous".into(), kind.into()].into_iter().chain(numbers).collect();
                let outcome = in_a_process(&case);
                let row = vec![
                    kind.to_owned(),
                    if domain == 0 { "unique".into() } else { format!("1..{domain}") },
                    n.to_string(),
                    outcome.answer.name().into(),
                    outcome.engine.clone(),
                    seconds(outcome.cpu),
                    seconds(outcome.wall),
                    seconds(outcome.aftermath),
                    outcome.steps.to_string(),
                    mib(outcome.counted),
                    mib(outcome.rss_before),
                    mib(outcome.rss),
                ];
                eprintln!("{}", row.join(" | "));
                table.row(row);
            }
        }
    }
    let title = format!(
        "One register, {CLIENTS} clients, {} % ambiguous writes, planner, all cores, {limit} s / 4 GiB",
        f64::from(SHARE) / 10.0
    );
    table.publish(&title, "ambiguous");
}

/// Runs one case in this process: kind, domain, n, seconds.
pub fn case(words: &[String]) -> Outcome {
    let [kind, domain, n, limit] = words else { panic!("four words: {words:?}") };
    let (domain, n) = (domain.parse().expect("a number"), n.parse().expect("a number"));
    let limit = Duration::from_secs(limit.parse().expect("seconds"));
    let expected = if kind == "valid" { Answer::Yes } else { Answer::No };
    let setup = Setup::new("planner", limit).all_cores().memory(4 << 30);
    run(&Register { initial: 0 }, &history(kind, domain, n), &setup, expected)
}

/// The history of a kind. The contradiction, if there is one, is at three quarters.
fn history(kind: &str, domain: u32, n: usize) -> History<RegisterOp<u32>, RegisterRet<u32>> {
    let values = if domain == 0 { Values::UNIQUE } else { Values::Among(domain) };
    // The last value read must not be one that a pending write could bring back. With few values
    // every one is pending somewhere, unless ambiguous writes leave one out.
    let stale = if domain == 0 { u32::MAX } else { domain };
    let never_ambiguous = (kind == "stale").then_some(stale);
    let register = SimRegister { values, never_ambiguous, holds: 0 };
    let mut simulation = Simulation::new(register, CLIENTS, 1);
    let left_out = if kind == "stale" && domain > 0 { 1.0 / f64::from(domain) } else { 0.0 };
    simulation.ambiguous = 2.0 * f64::from(SHARE) / 1000.0 / (1.0 - left_out);
    simulation.until(n * 3 / 4);
    simulation.quiesce();
    let write = |s: &mut Simulation<SimRegister>, v| {
        s.object.holds = v;
        s.alone(RegisterOp::Write(v), RegisterRet::Written);
    };
    let read = |s: &mut Simulation<SimRegister>, v| {
        s.alone(RegisterOp::Read, RegisterRet::Value(v));
    };
    match kind {
        "valid" => {}
        "never written" => read(&mut simulation, u32::MAX),
        // Written, seen, overwritten, seen overwritten, read again.
        "stale" => {
            let other = if domain == 0 { u32::MAX - 1 } else { 1 };
            for v in [stale, other] {
                write(&mut simulation, v);
                read(&mut simulation, v);
            }
            read(&mut simulation, stale);
        }
        // As often as there are pending writes that could bring it back, and once more.
        "too many stale" => {
            for _ in 0..=simulation.lost(|op| *op == RegisterOp::Write(stale)) {
                write(&mut simulation, 1);
                read(&mut simulation, 1);
                read(&mut simulation, stale);
            }
        }
        other => panic!("no kind {other}"),
    }
    simulation.until(n);
    simulation.finish()
}
