//! Confirms a failure: executes its scenario again with other clocks.
//!
//! The recorded execution is a violation as far as its stamps are right. A failure that other clocks see
//! as well does not depend on any of them.

use std::time::Duration;

use linpoint::Spec;

use super::runner::StressRunner;
use super::settings::Settings;
use crate::definition::Test;
use crate::execution::Runner;
use crate::judge::Fault;
use crate::record::Clock;
use crate::scenario::Scenario;

/// Which clocks see the failure, and what that means. The first clock is the one that found it; each of the others
/// has up to this time.
pub(super) fn confirm<T: Send + Sync + 'static, S: Spec + Send + 'static>(
    settings: &Settings,
    test: &Test<T, S>,
    scenario: &Scenario<S::Op>,
    longest: Duration,
) -> String {
    let time = time_to_confirm(settings.time_limit, longest);
    let own = settings.clock.name();
    let others = [Clock::private(), Clock::instant(), Clock::shared()];
    let mut seen: Vec<(&str, bool)> = vec![(own, true)];
    for clock in others {
        if seen.iter().all(|(name, _)| *name != clock.name()) {
            let name = clock.name();
            let mut runner = StressRunner::new(Settings { clock, ..settings.clone() }, None);
            runner = runner.attempting_for(time);
            let failure = runner.attempt(test, scenario).failure;
            let fails = failure.is_some_and(|failure| failure.fault == Fault::NotLinearizable);
            seen.push((name, fails));
        }
    }
    let word = |fails: bool| if fails { "yes" } else { "no" };
    let list: Vec<String> =
        seen.iter().map(|(name, fails)| format!("{name} {}", word(*fails))).collect();
    format!("{}: {}", list.join(", "), meaning(own, &seen))
}

/// Confirming is a small part of the time limit.
fn time_to_confirm(time_limit: Option<Duration>, longest: Duration) -> Duration {
    time_limit.map_or(longest, |limit| longest.min(limit / 20))
}

fn meaning(own: &str, seen: &[(&str, bool)]) -> &'static str {
    let others = seen[1..].iter().filter(|(_, fails)| *fails).count();
    if others == seen.len() - 1 {
        "the failure does not depend on the clock"
    } else if others > 0 {
        "the failure is real; it is rare, or slower clocks hide it"
    } else if own == "undrained" {
        "only the undrained clock sees it: a store becomes visible after its operation has returned. If the \
         object promises linearizability only to threads that synchronise, this is no bug"
    } else {
        "no other clock sees it in the time it was given: the failure is rare, or other clocks hide it"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confirming_a_failure_takes_a_small_part_of_the_time_limit() {
        let half = Duration::from_millis(500);
        assert_eq!(time_to_confirm(None, half), half);
        assert_eq!(time_to_confirm(Some(Duration::from_secs(60)), half), half);
        assert_eq!(time_to_confirm(Some(Duration::from_secs(1)), half), Duration::from_millis(50));
    }

    #[test]
    fn the_meaning_depends_on_who_sees_the_failure() {
        let of = |own, others: &[bool]| {
            let mut seen = vec![(own, true)];
            seen.extend(others.iter().map(|fails| ("other", *fails)));
            meaning(own, &seen)
        };
        assert!(of("private", &[true, true]).contains("does not depend"));
        assert!(of("private", &[true, false]).contains("is real"));
        assert!(of("private", &[false, false]).contains("no other clock"));
        assert!(of("undrained", &[false, false, false]).contains("only the undrained clock"));
    }
}
