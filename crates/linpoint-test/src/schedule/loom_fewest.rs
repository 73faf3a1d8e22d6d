//! A failure under loom, told with as few preemptions as possible, and its steps.
//!
//! Loom is deterministic: an exploration with the same bound meets the same executions in the same
//! order. So the scenario is explored again, first without preemptions, then with one, and so on.
//! The number of the first execution that fails says which one to record in a last exploration.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::mem::discriminant;
use std::time::Duration;

use linpoint::Spec;

use super::interleaving::{Recording, Scheduler, fewest};
use super::loom::Loom;
use crate::definition::Test;
use crate::execution::{Coverage, FailureOf, Retold, Truncation};
use crate::scenario::Scenario;
use crate::sync::watch::Listening;

/// Bounds that are tried before the one of the test.
const BOUNDS: std::ops::RangeInclusive<usize> = 0..=3;
/// The longest time for one bound.
const LONGEST: Duration = Duration::from_secs(2);
/// The longest time for the bound of the test. A failure that takes longer to find has no steps.
const LONGEST_LAST: Duration = Duration::from_secs(10);

/// The current thread.
#[allow(clippy::unnecessary_wraps)] // Shuttle has steps without a thread.
fn who() -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    ::loom::thread::current().id().hash(&mut hasher);
    Some(hasher.finish())
}

impl Loom {
    /// The failure with the fewest preemptions that could be found, and its steps.
    pub(super) fn retell_simply<T, S>(
        &self,
        test: &Test<T, S>,
        scenario: &Scenario<S::Op>,
        failure: FailureOf<S>,
    ) -> Retold<S::Op, S::Ret>
    where
        T: Send + Sync + 'static,
        S: Spec + Send + 'static,
    {
        let below = self.preemption_bound().unwrap_or(usize::MAX);
        let bounded = BOUNDS.filter(|bound| *bound < below);
        let runners =
            bounded.map(|bound| (Some(bound), self.clone().preemptions(bound).time(LONGEST)));
        let mut complete = true;
        for (bound, runner) in
            runners.chain([(self.preemption_bound(), self.clone().time(LONGEST_LAST))])
        {
            let listening = Listening::to_nothing();
            let (attempt, _) = runner.explore(test, scenario, None);
            drop(listening);
            let same = |f: &FailureOf<S>| discriminant(&f.fault) == discriminant(&failure.fault);
            let ended = attempt.failure.is_some();
            let Some(better) = attempt.failure.filter(same) else {
                // A bound on preemptions is the one truncation that is wanted here.
                let bounded =
                    matches!(attempt.coverage, Coverage::Truncated(Truncation::Preemptions(_)));
                complete &= bounded && attempt.undecided == 0 && !ended;
                continue;
            };
            let _listening = Listening::to_steps(who);
            // The same executions again: only the time must not end them earlier.
            let runner = runner.time(2 * LONGEST_LAST);
            let (_, tape) = runner.explore(test, scenario, Some(attempt.executions));
            let Some((entries, events)) = tape else { break };
            let threads = scenario.threads.len() as u32;
            let recording = Recording { scheduler: Scheduler::Loom, entries, events, threads };
            let mut interleaving = recording.interleaving(test.specification());
            interleaving.fewest = bound.map(|bound| match complete {
                true => fewest(bound),
                false => format!("at most {bound} preemptions"),
            });
            return Retold { failure: better, is_new: true, interleaving: Some(interleaving) };
        }
        Retold { failure, is_new: false, interleaving: None }
    }
}
