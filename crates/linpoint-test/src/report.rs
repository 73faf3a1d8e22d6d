//! What is told about a failure: the smallest scenario that was found, the timeline, the contradiction, how to
//! see it again; and the files in which all of that is kept.

mod files;
mod words;

use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use linpoint::{OpId, Report, Spec};

pub use files::Files;
use words::{Named, Words};

use crate::definition::Test;
use crate::execution::{Failure, Runner};
use crate::judge::{CheckLimits, Fault, explain};
use crate::replay::Replay;
use crate::scenario::Recipe;
use crate::shrink::{Shrunk, shrink};

/// What a report needs to know about a test beside its definition.
#[derive(Clone, Debug)]
pub struct Context {
    /// The name of the test.
    pub name: String,
    /// What operations were drawn from.
    pub seed: u64,
    /// Where things are kept.
    pub files: Files,
    /// Limits of the check that explains.
    pub limits: CheckLimits,
    /// Time for shrinking.
    pub shrink_time: Duration,
}

/// A failure that was found.
pub struct Found<Op, Ret> {
    /// The scenario.
    pub recipe: Recipe,
    /// What happened.
    pub failure: Failure<Op, Ret>,
    /// How it was found, in words: `run 17 of seed 4`. `None`: it was known before.
    pub how: Option<String>,
}

/// A failure, ready to be shown.
#[derive(Clone, Debug)]
pub struct FailureReport {
    /// All of it, as text.
    pub text: String,
    /// What is wrong with the execution that is shown.
    pub fault: Fault,
    /// The scenario that is shown.
    pub replay: Replay,
    /// Its number of threads.
    pub threads: usize,
    /// Its number of operations, those of the setup and the final ones included.
    pub operations: usize,
    /// The files that were written.
    pub written: Vec<PathBuf>,
    /// How long it took to shrink and to explain the failure, after it was found.
    pub explaining: Duration,
}

impl fmt::Display for FailureReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl std::error::Error for FailureReport {}

/// The name of a test: the one it was given; else that of the thread, which is that of the `#[test]`; else the place in the
/// source.
#[track_caller]
pub fn name_of(given: Option<&str>) -> String {
    if let Some(name) = given {
        return name.to_owned();
    }
    match std::thread::current().name() {
        Some(name) if name != "main" => name.to_owned(),
        // Where only one test is run, that may be done by the first thread.
        _ if std::env::var("NEXTEST_TEST_NAME").is_ok() => {
            std::env::var("NEXTEST_TEST_NAME").unwrap_or_default()
        }
        _ => {
            let place = std::panic::Location::caller();
            format!("{}:{}", place.file(), place.line())
        }
    }
}

/// A seed that is another one each time.
pub fn any_seed() -> u64 {
    // The standard library's hashers are seeded at random.
    let hasher = std::collections::hash_map::RandomState::new().build_hasher();
    hasher.finish() >> 16
}

/// Shrinks, explains, writes files, and puts everything into words.
pub fn conclude<T, S: Spec + 'static>(
    runner: &mut dyn Runner<T, S>,
    test: &Test<T, S>,
    found: Found<S::Op, S::Ret>,
    context: &Context,
) -> FailureReport {
    let concluding = Instant::now();
    let Found { recipe, failure, how } = found;
    let original = test.cook(&recipe);
    let first = explanation(test, &failure, context);
    let begin = Instant::now();
    let shrunk = if is_worth_shrinking(&failure.fault) {
        let related = related(&failure, first.as_ref(), &original);
        smaller(runner, test, recipe, failure, &related, context.shrink_time)
    } else {
        Shrunk { recipe, failure, executions: 0, complete: true }
    };
    let took = begin.elapsed();
    let Shrunk { recipe, failure, executions, complete } = shrunk;
    let scenario = test.cook(&recipe);
    let report = if executions == 0 { first } else { explanation(test, &failure, context) };
    let replay = Replay {
        test: context.name.clone(),
        mode: runner.mode().to_owned(),
        recipe,
        schedule: failure.execution.schedule.clone(),
    };
    let named =
        Named { spec: test.specification(), failure: &failure, threads: scenario.threads.len() };
    let words = Words {
        named: &named,
        report: report.as_ref(),
        scenario: &scenario,
        original: &original,
        shrinking: (executions, took, complete),
        how: how.as_deref(),
        runner: &runner.describe(),
        context,
    };
    let (written, told) = context.files.write(&words, &replay);
    let text = words.text(&told);
    let (threads, operations) = (scenario.threads.len(), scenario.len());
    let explaining = concluding.elapsed();
    FailureReport { text, fault: failure.fault, replay, threads, operations, written, explaining }
}

fn is_worth_shrinking(fault: &Fault) -> bool {
    matches!(fault, Fault::NotLinearizable | Fault::Panicked { .. } | Fault::Stuck { .. })
}

/// Shrinks in a hurry; the last word is had without.
fn smaller<T, S: Spec>(
    runner: &mut dyn Runner<T, S>,
    test: &Test<T, S>,
    recipe: Recipe,
    failure: Failure<S::Op, S::Ret>,
    related: &[(usize, usize)],
    time: Duration,
) -> Shrunk<S::Op, S::Ret> {
    let original = (recipe.clone(), failure.clone());
    runner.hurry(true);
    let shrunk = shrink(runner, test, recipe, failure, related, time);
    runner.hurry(false);
    // Only what depends on patience can be wrong in a hurry.
    if shrunk.recipe == original.0 || !matches!(shrunk.failure.fault, Fault::Stuck { .. }) {
        return shrunk;
    }
    let attempt = runner.attempt(test, &test.cook(&shrunk.recipe));
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

/// Why there is no legal order, if that is what is wrong.
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

/// The operations that the failure is about, as thread and number.
fn related<Op, Ret>(
    failure: &Failure<Op, Ret>,
    report: Option<&Report>,
    scenario: &crate::scenario::Scenario<Op>,
) -> Vec<(usize, usize)> {
    let violation = report.and_then(|report| report.verdict.violation());
    let ids: Vec<OpId> = match (&failure.fault, violation) {
        (_, Some(violation)) => violation.core.iter().copied().chain(violation.failing).collect(),
        (Fault::Panicked { op, .. }, _) => vec![*op],
        (Fault::Stuck { waiting, .. }, _) => waiting.clone(),
        _ => Vec::new(),
    };
    // A history has the operations of each thread one after the other.
    let mut counts = vec![0; scenario.threads.len() + 1];
    let mut places = Vec::new();
    let history = &failure.execution.history;
    for id in history.ids() {
        let Some(thread) = history.extras(id).process.map(|process| process as usize) else {
            continue;
        };
        let Some(count) = counts.get_mut(thread) else { continue };
        if thread < scenario.threads.len() && ids.contains(&id) {
            places.push((thread, *count));
        }
        *count += 1;
    }
    places
}
