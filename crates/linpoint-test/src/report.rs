//! Failure reports: the smallest failing scenario, the timeline, the contradiction, how to replay
//! it; and the files that keep them.

mod files;
mod text;

use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use linpoint::{OpId, Report, Spec};

pub use crate::judge::Fault;
pub use files::Files;
use text::{Named, ReportText};

use crate::definition::Test;
use crate::execution::{Failure, Retold, Runner};
use crate::judge::{CheckLimits, explain};
use crate::replay::Replay;
use crate::scenario::Recipe;
use crate::schedule::Interleaving;
use crate::shrink::{Shrunk, core_of, shrink};

/// What a report needs beside the definition of the test.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    /// The name of the test.
    pub(crate) name: String,
    /// The random seed for drawing operations.
    pub(crate) seed: u64,
    /// Where reports and regressions are kept.
    pub(crate) files: Files,
    /// Limits of the check that explains the failure.
    pub(crate) limits: CheckLimits,
    /// Time for shrinking.
    pub(crate) shrink_time: Duration,
}

/// A failure that was found.
pub(crate) struct Found<Op, Ret> {
    /// The scenario.
    pub(crate) recipe: Recipe,
    /// The failing execution.
    pub(crate) failure: Failure<Op, Ret>,
    /// How it was found: `run 17 of seed 4`. `None` if by a saved scenario.
    pub(crate) how: Option<String>,
}

/// A failure, ready to be printed.
#[derive(Clone, Debug)]
pub struct FailureReport {
    /// The whole report.
    pub text: String,
    /// What is wrong with the reported execution.
    pub fault: Fault,
    /// The reported scenario.
    pub replay: Replay,
    /// The number of threads.
    pub threads: usize,
    /// The number of operations, including setup and final ones.
    pub operations: usize,
    /// The steps of the execution, if the scheduler knows them.
    pub interleaving: Option<Interleaving>,
    /// The files that were written.
    pub written: Vec<PathBuf>,
    /// The time it took to shrink and explain the failure after it was found.
    pub explaining: Duration,
}

impl fmt::Display for FailureReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for FailureReport {}

/// The name of a test: the given one; otherwise that of the `#[test]`; otherwise the position in the source.
#[track_caller]
pub(crate) fn name_of(given: Option<&str>) -> String {
    if let Some(name) = given {
        return name.to_owned();
    }
    // Not inside of the closure, whose caller is here.
    let place = std::panic::Location::caller();
    harness_name().unwrap_or_else(|| format!("{}:{}", place.file(), place.line()))
}

/// The name of the `#[test]` that runs on this thread: that of the thread, unless the test runs alone on the
/// main thread.
fn harness_name() -> Option<String> {
    match std::thread::current().name() {
        Some(name) if name != "main" => Some(name.to_owned()),
        _ => std::env::var("NEXTEST_TEST_NAME").ok(),
    }
}

/// A new random seed.
pub(crate) fn any_seed() -> u64 {
    // The standard library's hashers are seeded at random.
    let hasher = std::collections::hash_map::RandomState::new().build_hasher();
    hasher.finish() >> 16
}

/// Shrinks and explains a failure, writes the files, and makes the report.
pub(crate) fn conclude<T, S: Spec + 'static>(
    runner: &mut dyn Runner<T, S>,
    test: &Test<T, S>,
    found: Found<S::Op, S::Ret>,
    context: &Context,
) -> FailureReport {
    let concluding = Instant::now();
    let Found { recipe, failure, how } = found;
    let original = test.instantiate(&recipe);
    let first = explanation(test, &failure, context);
    let begin = Instant::now();
    let shrunk = if is_worth_shrinking(&failure.fault) {
        let core = core_of(&failure, first.as_ref());
        smaller(runner, test, recipe, failure, &core, context.shrink_time)
    } else {
        Shrunk { recipe, failure, executions: 0, complete: true }
    };
    let took = begin.elapsed();
    let Shrunk { recipe, failure, executions, complete } = shrunk;
    let scenario = test.instantiate(&recipe);
    let Retold { failure, is_new, interleaving } = runner.retell(test, &scenario, failure);
    let is_first = executions == 0 && !is_new;
    let report = if is_first { first } else { explanation(test, &failure, context) };
    let replay = Replay {
        test: context.name.clone(),
        mode: runner.mode().to_owned(),
        recipe,
        schedule: failure.execution.schedule.clone(),
    };
    let confirmed = match failure.fault {
        Fault::NotLinearizable => runner.confirm(test, &scenario),
        _ => None,
    };
    let named = Named {
        spec: test.specification(),
        failure: &failure,
        threads: scenario.threads.len(),
        interleaving: interleaving.as_ref(),
    };
    let report_text = ReportText {
        named: &named,
        report: report.as_ref(),
        scenario: &scenario,
        original: &original,
        shrinking: (executions, took, complete),
        how: how.as_deref(),
        runner: &runner.describe(),
        confirmed: confirmed.as_deref(),
        context,
    };
    let (written, facts) = context.files.write(&report_text, &replay);
    let text = report_text.text(&facts);
    let (threads, operations) = (scenario.threads.len(), scenario.len());
    let explaining = concluding.elapsed();
    let fault = failure.fault;
    FailureReport { text, fault, replay, threads, operations, interleaving, written, explaining }
}

fn is_worth_shrinking(fault: &Fault) -> bool {
    use Fault::{Invalid, NotLinearizable, Obstructed, Panicked, Stuck};
    let has_operations = matches!(fault, Panicked { .. } | Stuck { .. } | Obstructed { .. });
    has_operations || matches!(fault, NotLinearizable | Invalid(_))
}

/// Shrinks with short timeouts and confirms the result with the full ones.
fn smaller<T, S: Spec>(
    runner: &mut dyn Runner<T, S>,
    test: &Test<T, S>,
    recipe: Recipe,
    failure: Failure<S::Op, S::Ret>,
    core: &[OpId],
    time: Duration,
) -> Shrunk<S::Op, S::Ret> {
    let original = (recipe.clone(), failure.clone());
    runner.hurry(true);
    let shrunk = shrink(runner, test, recipe, failure, core, time);
    runner.hurry(false);
    // Only faults that depend on a timeout can be wrong.
    if shrunk.recipe == original.0 || !matches!(shrunk.failure.fault, Fault::Stuck { .. }) {
        return shrunk;
    }
    let attempt = runner.attempt(test, &test.instantiate(&shrunk.recipe));
    match attempt.failure {
        Some(failure) if matches!(failure.fault, Fault::Stuck { .. }) => {
            Shrunk { failure, executions: shrunk.executions + attempt.executions, ..shrunk }
        }
        _ => {
            let (recipe, failure) = original;
            Shrunk { recipe, failure, executions: shrunk.executions, complete: false }
        }
    }
}

/// The explanation, if the execution is not linearizable.
fn explanation<T, S: Spec>(
    test: &Test<T, S>,
    failure: &Failure<S::Op, S::Ret>,
    context: &Context,
) -> Option<Report> {
    match failure.fault {
        Fault::NotLinearizable => {
            explain(test.specification(), &failure.execution.history, &context.limits).ok()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_without_a_name_is_named_by_the_place_that_calls_it() {
        if std::env::var_os("NEXTEST_TEST_NAME").is_some() {
            return;
        }
        let names = std::thread::spawn(|| [name_of(None), name_of(None), name_of(Some("mine"))]);
        let line = line!() - 1;
        let [first, second, given] = names.join().unwrap();
        assert_eq!(first, format!("{}:{line}", file!()));
        assert_eq!(second, first);
        assert_eq!(given, "mine");
    }
}
