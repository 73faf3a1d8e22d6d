//! A failure under shuttle, told with as few preemptions as possible, and its steps.
//!
//! The schedules with no preemption are tried first, then those with one, and so on
//! ([`Bounded`]): the first that fails in the same way has the fewest. A scenario that has been
//! shrunk is small, so this takes milliseconds. If the limit comes first, the schedule that was
//! found stays, and the report says so.

use std::mem::discriminant;
use std::time::{Duration, Instant};

use linpoint::Spec;

use super::bounded::Bounded;
use super::interleaving::{Recording, Scheduler, fewest};
use super::shuttle::{Finished, Shuttle};
use super::strategy::{Choices, Replayed};
use crate::definition::Test;
use crate::execution::{Coverage, Failure, FailureOf, Retold};
use crate::scenario::Scenario;
use crate::sync::watch::Listening;

/// The most executions that look for a schedule with fewer preemptions.
const MOST_EXECUTIONS: u64 = 20_000;
/// The longest time for it.
const LONGEST: Duration = Duration::from_secs(3);

/// The current thread.
fn who() -> Option<u64> {
    ::shuttle::current::try_get_current_task().map(|task| usize::from(task) as u64)
}

/// The result of looking for a schedule with fewer preemptions.
struct Search<Op, Ret> {
    better: Option<(Failure<Op, Ret>, usize)>,
    executions: u64,
    /// All schedules with fewer preemptions were executed and judged.
    complete: bool,
}

impl Shuttle {
    /// Executes these choices once.
    pub(super) fn repeat<T, S>(
        &self,
        test: &Test<T, S>,
        scenario: &Scenario<S::Op>,
        choices: Choices,
        listening: Listening,
    ) -> Finished<S::Op, S::Ret>
    where
        T: Send + Sync + 'static,
        S: Spec + Send + 'static,
    {
        let strategy = Box::new(Replayed::new(choices));
        self.without_strategy().run(test, scenario, strategy, Coverage::Sampled, listening)
    }

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
        let untold = |failure| Retold { failure, is_new: false, interleaving: None };
        let Some(choices) = choices_of::<S>(&failure) else { return untold(failure) };
        let found = self.repeat(test, scenario, choices.clone(), Listening::to_nothing());
        let fails_again = found.attempt.failure.as_ref().is_some_and(|f| f.fault == failure.fault);
        if !fails_again {
            return untold(failure);
        }
        let search = self.fewer(test, scenario, &failure, choices.seed, found.preemptions);
        let is_new = search.better.is_some();
        let preemptions = search.better.as_ref().map_or(found.preemptions, |(_, fewer)| *fewer);
        let failure = search.better.map_or(failure, |(better, _)| better);
        let Some(choices) = choices_of::<S>(&failure) else { return untold(failure) };
        let told = self.repeat(test, scenario, choices, Listening::to_steps(who));
        let mut interleaving = Recording {
            scheduler: Scheduler::Shuttle,
            entries: told.tape.entries,
            events: told.tape.events,
            threads: scenario.threads.len() as u32,
        }
        .interleaving(test.specification());
        interleaving.fewest = Some(match search.complete {
            true => fewest(preemptions),
            false => {
                let tried = search.executions;
                format!("{preemptions} preemptions; none with fewer failed in {tried} executions")
            }
        });
        Retold { failure, is_new, interleaving: Some(interleaving) }
    }

    /// Looks for the same fault with fewer preemptions.
    fn fewer<T, S>(
        &self,
        test: &Test<T, S>,
        scenario: &Scenario<S::Op>,
        failure: &FailureOf<S>,
        seed: u64,
        preemptions: usize,
    ) -> Search<S::Op, S::Ret>
    where
        T: Send + Sync + 'static,
        S: Spec + Send + 'static,
    {
        let begin = Instant::now();
        let mut search = Search { better: None, executions: 0, complete: true };
        for bound in 0..preemptions {
            let executions = MOST_EXECUTIONS.saturating_sub(search.executions);
            let time = LONGEST.saturating_sub(begin.elapsed());
            if executions == 0 || time.is_zero() {
                search.complete = false;
                break;
            }
            let runner = self.without_strategy().executions(executions).time(time);
            let strategy = Box::new(Bounded::new(bound, seed));
            let listening = Listening::to_nothing();
            let tried = runner.run(test, scenario, strategy, Coverage::All, listening);
            search.executions += tried.attempt.executions;
            let same = |f: &FailureOf<S>| discriminant(&f.fault) == discriminant(&failure.fault);
            let attempt = tried.attempt;
            search.complete &= attempt.failure.as_ref().is_none_or(same);
            if let Some(better) = attempt.failure.filter(same) {
                search.better = Some((better, tried.preemptions));
                break;
            }
            let all = attempt.executions < executions && begin.elapsed() < LONGEST;
            let judged = attempt.undecided == 0 && attempt.coverage == Coverage::All;
            search.complete &= all && judged;
        }
        search
    }
}

fn choices_of<S: Spec>(failure: &FailureOf<S>) -> Option<Choices> {
    failure.execution.schedule.as_deref()?.parse().ok()
}
