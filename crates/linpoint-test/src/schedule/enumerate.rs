//! Small scopes: all scenarios of a few threads with a few operations each, in the manner of
//! Line-Up (Burckhardt et al., PLDI 2010), each executed by a [`Runner`] that explores all
//! schedules.
//!
//! Scenarios that differ only by a permutation of the threads are tried once. Smaller scenarios
//! come first, so the first failing one is already a smallest.

use linpoint::Spec;

use crate::definition::Test;
use crate::execution::{Coverage, Failure, Runner, Truncation};
use crate::scenario::Scenario;

/// All small scenarios with operations from a list.
#[derive(Clone, Debug)]
pub struct Scope<Op> {
    ops: Vec<Op>,
    threads: usize,
    operations: usize,
    setup: Vec<Op>,
    finally: Vec<Op>,
    symmetric: bool,
}

impl<Op: Clone> Scope<Op> {
    /// Scenarios of 1 to `threads` threads, each with 1 to `operations` operations from the list.
    pub fn new(ops: impl IntoIterator<Item = Op>, threads: usize, operations: usize) -> Self {
        Scope {
            ops: ops.into_iter().collect(),
            threads,
            operations,
            setup: Vec::new(),
            finally: Vec::new(),
            symmetric: true,
        }
    }

    /// The operations of every scenario before the threads start.
    pub fn setup(mut self, ops: impl IntoIterator<Item = Op>) -> Self {
        self.setup = ops.into_iter().collect();
        self
    }

    /// The operations of every scenario when the threads have ended.
    pub fn finally(mut self, ops: impl IntoIterator<Item = Op>) -> Self {
        self.finally = ops.into_iter().collect();
        self
    }

    /// Treats threads as distinct, for tests that use
    /// [`perform_by`](crate::definition::NeedsPerform::perform_by): scenarios that differ by a
    /// permutation of the threads are all tried.
    pub fn threads_differ(mut self) -> Self {
        self.symmetric = false;
        self
    }

    /// The programs of a thread, as indices of operations, short ones first.
    fn programs(&self) -> Vec<Vec<usize>> {
        let mut programs: Vec<Vec<usize>> = Vec::new();
        let mut longest: Vec<Vec<usize>> = vec![Vec::new()];
        for _ in 0..self.operations {
            let longer = |program: &Vec<usize>| {
                let one_more = |op| [program.as_slice(), &[op]].concat();
                (0..self.ops.len()).map(one_more).collect::<Vec<_>>()
            };
            longest = longest.iter().flat_map(longer).collect();
            programs.extend(longest.iter().cloned());
        }
        programs
    }

    /// All scenarios, those with fewer operations first.
    pub fn scenarios(&self) -> impl Iterator<Item = Scenario<Op>> + use<Op> {
        self.clone().into_scenarios()
    }

    /// All scenarios, those with fewer operations first.
    pub fn into_scenarios(self) -> impl Iterator<Item = Scenario<Op>> + use<Op> {
        let programs = self.programs();
        let mut teams: Vec<Vec<usize>> = Vec::new();
        let mut largest: Vec<Vec<usize>> = vec![Vec::new()];
        for _ in 0..self.threads {
            let larger = |team: &Vec<usize>| {
                let first = if self.symmetric { team.last().copied().unwrap_or(0) } else { 0 };
                let one_more = |program| [team.as_slice(), &[program]].concat();
                (first..programs.len()).map(one_more).collect::<Vec<_>>()
            };
            largest = largest.iter().flat_map(larger).collect();
            teams.extend(largest.iter().cloned());
        }
        teams.sort_by_cached_key(|team| team.iter().map(|p| programs[*p].len()).sum::<usize>());
        teams.into_iter().map(move |team| {
            let ops = |program: &usize| {
                programs[*program].iter().map(|op| self.ops[*op].clone()).collect()
            };
            Scenario {
                setup: self.setup.clone(),
                threads: team.iter().map(ops).collect(),
                finally: self.finally.clone(),
            }
        })
    }
}

/// The result of trying all scenarios of a scope.
#[derive(Clone, Debug)]
pub struct Survey<Op, Ret> {
    /// Scenarios tried.
    pub scenarios: u64,
    /// Their executions.
    pub executions: u64,
    /// Executions that could not be decided within the limits.
    pub undecided: u64,
    /// The first scenario that failed, and the failure.
    pub failure: Option<(Scenario<Op>, Failure<Op, Ret>)>,
    /// Scenarios that were not explored completely.
    pub incomplete: u64,
    /// Why the first of them was not.
    pub why_incomplete: Option<Truncation>,
}

impl<Op, Ret> Survey<Op, Ret> {
    /// True if every execution of every scenario was explored and is correct.
    pub fn is_complete_and_correct(&self) -> bool {
        self.failure.is_none() && self.incomplete == 0 && self.undecided == 0
    }
}

impl<Op, Ret> std::fmt::Display for Survey<Op, Ret> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} scenarios, {} executions", self.scenarios, self.executions)?;
        if self.failure.is_some() {
            return write!(f, "; the last one failed");
        }
        if let Some(why) = &self.why_incomplete {
            write!(f, "; {} scenarios were not explored completely ({why})", self.incomplete)?;
        }
        if self.undecided > 0 {
            write!(f, "; {} executions were not decided", self.undecided)?;
        }
        if self.is_complete_and_correct() {
            write!(f, ", all of them correct")?;
        }
        Ok(())
    }
}

/// Tries all scenarios of a scope, up to the first failure.
pub fn survey<T, S: Spec>(
    test: &Test<T, S>,
    scope: &Scope<S::Op>,
    runner: &mut impl Runner<T, S>,
) -> Survey<S::Op, S::Ret> {
    let mut survey = Survey {
        scenarios: 0,
        executions: 0,
        undecided: 0,
        failure: None,
        incomplete: 0,
        why_incomplete: None,
    };
    for scenario in scope.scenarios() {
        let attempt = runner.attempt(test, &scenario);
        survey.scenarios += 1;
        survey.executions += attempt.executions;
        survey.undecided += attempt.undecided;
        if let Some(failure) = attempt.failure {
            survey.failure = Some((scenario, failure));
            return survey;
        }
        let why = match attempt.coverage {
            Coverage::All => continue,
            Coverage::Sampled => Truncation::Sampled,
            Coverage::Truncated(why) => why,
        };
        survey.incomplete += 1;
        survey.why_incomplete.get_or_insert(why);
    }
    survey
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(ops: usize, threads: usize, operations: usize) -> usize {
        Scope::new(0..ops, threads, operations).scenarios().count()
    }

    #[test]
    fn permutations_of_threads_are_listed_once() {
        // Two programs of one operation: alone 2; in pairs 3.
        assert_eq!(count(2, 2, 1), 5);
        // 2 + 4 programs: alone 6; in pairs 6 * 7 / 2.
        assert_eq!(count(2, 2, 2), 27);
        assert_eq!(Scope::new(0..2, 2, 1).threads_differ().scenarios().count(), 6);
    }

    #[test]
    fn every_scenario_has_a_listed_permutation() {
        let all = Scope::new(0..3, 2, 2);
        let sorted = |scenario: Scenario<i32>| {
            let mut threads = scenario.threads;
            threads.sort();
            threads
        };
        let symmetric: std::collections::HashSet<_> = all.scenarios().map(sorted).collect();
        let every: std::collections::HashSet<_> =
            all.clone().threads_differ().scenarios().map(sorted).collect();
        assert_eq!(symmetric, every);
        assert_eq!(symmetric.len(), all.scenarios().count());
    }

    #[test]
    fn smaller_scenarios_come_first() {
        let sizes: Vec<usize> = Scope::new(0..2, 3, 2).scenarios().map(|s| s.len()).collect();
        assert!(sizes.is_sorted());
        assert_eq!(sizes.last(), Some(&6));
    }
}
