//! Shrinks a failing scenario: fewer threads, fewer operations, smaller values.
//!
//! A failing execution says which operations matter: those that contradict each other (the core), those
//! that overlapped them, and those before the failing return. Scenarios of only these operations are tried first,
//! and for longer, since they are where shrinking ends in most cases. Each one that fails has a core of its own,
//! and so on. Then come scenarios without whole threads; without half of a thread's operations, a quarter, single
//! ones; and with smaller choices. The runner that found the failure executes every candidate, and one that fails
//! in the same way is kept. A candidate that did not fail is not ruled out: under OS threads it may have passed by
//! chance, so the next round tries it again.

use std::collections::HashSet;
use std::mem::discriminant;
use std::time::{Duration, Instant};

use linpoint::{History, OpId, Report, Spec};

use crate::definition::Test;
use crate::execution::{Failure, Runner};
use crate::judge::{CheckLimits, Fault, explain};
use crate::rng::ChoiceKind;
use crate::scenario::{Kept, Recipe};

/// A smaller scenario that fails.
pub struct Shrunk<Op, Ret> {
    /// The scenario.
    pub recipe: Recipe,
    /// How it fails.
    pub failure: Failure<Op, Ret>,
    /// The number of executions it took.
    pub executions: u64,
    /// True if nothing smaller failed, false if time ran out.
    pub complete: bool,
}

/// Looks for a smaller scenario that fails. `core` are the operations that the failure is about, if they
/// are known.
pub fn shrink<T, S: Spec>(
    runner: &mut dyn Runner<T, S>,
    test: &Test<T, S>,
    recipe: Recipe,
    failure: Failure<S::Op, S::Ret>,
    core: &[OpId],
    time: Duration,
) -> Shrunk<S::Op, S::Ret> {
    let deadline = Instant::now() + time;
    let best = Shrunk { recipe, failure, executions: 0, complete: false };
    let mut search = Search { runner, test, best, deadline };
    search.around(core.to_vec());
    loop {
        let before = search.best.recipe.clone();
        search.fewer_threads();
        search.fewer_operations();
        search.fewer_fixed();
        search.smaller_values();
        let done = search.best.recipe == before;
        if done || search.is_over() {
            search.best.complete = done && !search.is_over();
            return search.best;
        }
        let core = search.core();
        search.around(core);
    }
}

/// The operations that a failure is about.
pub(crate) fn core_of<Op, Ret>(failure: &Failure<Op, Ret>, report: Option<&Report>) -> Vec<OpId> {
    let violation = report.and_then(|report| report.verdict.violation());
    match (&failure.fault, violation) {
        (_, Some(violation)) => violation.core.iter().copied().chain(violation.failing).collect(),
        (Fault::Panicked { op, .. } | Fault::Obstructed { op }, _) => vec![*op],
        (Fault::Stuck { waiting, .. }, _) => waiting.clone(),
        _ => Vec::new(),
    }
}

/// Operations by thread and number.
type Places = HashSet<(usize, usize)>;

/// The places of these operations in a scenario with this many threads. Setup and final operations have none.
fn places<Op, Ret>(
    history: &History<Op, Ret>,
    threads: usize,
    kept: impl Fn(OpId) -> bool,
) -> Places {
    // In a history, the operations of each thread are in order.
    let mut counts = vec![0; threads];
    let mut places = Places::new();
    for id in history.ids() {
        let thread = history.extras(id).process.map(|process| process as usize);
        let Some((thread, count)) = thread.and_then(|t| Some((t, counts.get_mut(t)?))) else {
            continue;
        };
        if kept(id) {
            places.insert((thread, *count));
        }
        *count += 1;
    }
    places
}

struct Search<'a, T, S: Spec> {
    runner: &'a mut dyn Runner<T, S>,
    test: &'a Test<T, S>,
    best: Shrunk<S::Op, S::Ret>,
    deadline: Instant,
}

impl<T, S: Spec> Search<'_, T, S> {
    fn is_over(&self) -> bool {
        Instant::now() >= self.deadline
    }

    /// Keeps the candidate if it fails.
    fn accept(&mut self, candidate: Recipe) -> bool {
        if self.is_over() {
            return false;
        }
        let scenario = self.test.instantiate(&candidate);
        // Other choices may draw the same operations.
        if scenario == self.test.instantiate(&self.best.recipe) {
            return false;
        }
        let attempt = self.runner.attempt(self.test, &scenario);
        self.best.executions += attempt.executions;
        let Some(failure) = attempt.failure else { return false };
        if discriminant(&failure.fault) != discriminant(&self.best.failure.fault) {
            return false;
        }
        self.best.recipe = candidate;
        self.best.failure = failure;
        true
    }

    /// The core of the best failure so far.
    fn core(&self) -> Vec<OpId> {
        let failure = &self.best.failure;
        let limits = CheckLimits { time: Duration::from_millis(500), ..CheckLimits::default() };
        let report = match failure.fault {
            Fault::NotLinearizable => {
                explain(self.test.specification(), &failure.execution.history, &limits).ok()
            }
            _ => None,
        };
        core_of(failure, report.as_ref())
    }

    /// Only the core; with the operations that overlap it; and everything up to its end, of its threads or of
    /// all. Again with the core of what failed.
    fn around(&mut self, mut core: Vec<OpId>) {
        // The failure of a smaller scenario is worth some patience.
        const TRIES: usize = 3;
        while !core.is_empty() && !self.is_over() {
            let candidates = self.candidates(&core);
            let size = self.best.recipe.len();
            let mut smaller = candidates.into_iter().filter(|recipe| recipe.len() < size);
            if !smaller.any(|recipe| (0..TRIES).any(|_| self.accept(recipe.clone()))) {
                return;
            }
            core = self.core();
        }
    }

    fn candidates(&self, core: &[OpId]) -> Vec<Recipe> {
        let history = &self.best.failure.execution.history;
        let threads = self.best.recipe.threads.len();
        let end = core.iter().map(|id| history.span(*id).ret).max().unwrap_or(0);
        let overlaps = |id: OpId| {
            let span = history.span(id);
            let apart = |other: &OpId| {
                history.span(*other).precedes(span) || span.precedes(history.span(*other))
            };
            core.contains(&id) || core.iter().any(|other| !apart(other))
        };
        let in_time = |id: OpId| history.span(id).call <= end;
        let process = |id: OpId| history.extras(id).process;
        let of_core = |id: OpId| core.iter().any(|other| process(*other) == process(id));
        [
            places(history, threads, |id| core.contains(&id)),
            places(history, threads, overlaps),
            places(history, threads, |id| in_time(id) && of_core(id)),
            places(history, threads, in_time),
        ]
        .map(|places| {
            let kept = keep(&self.best.recipe, |thread, number| places.contains(&(thread, number)));
            self.without_idle_threads(kept)
        })
        .to_vec()
    }

    /// Without threads that do nothing. If threads have roles, their numbers must not change.
    fn without_idle_threads(&self, mut recipe: Recipe) -> Recipe {
        if !self.test.has_roles() {
            recipe.threads.retain(|ops| !ops.is_empty());
        }
        if recipe.threads.is_empty() {
            recipe.threads.push(Vec::new());
        }
        recipe
    }

    fn fewer_threads(&mut self) {
        for thread in (0..self.best.recipe.threads.len()).rev() {
            // Later threads may have gone with an earlier candidate.
            if thread >= self.best.recipe.threads.len() {
                continue;
            }
            let mut candidate = self.best.recipe.clone();
            if candidate.threads.len() > 1 && !candidate.threads[thread].is_empty() {
                candidate.threads[thread].clear();
                self.accept(self.without_idle_threads(candidate));
            }
        }
    }

    /// Removes halves, quarters, and so on, down to single operations.
    fn fewer_operations(&mut self) {
        let longest = self.best.recipe.threads.iter().map(Vec::len).max().unwrap_or(0);
        let mut length = longest.div_ceil(2);
        while length > 0 {
            for thread in 0..self.best.recipe.threads.len() {
                // From the back: later operations depend on earlier ones.
                let mut end = self.best.recipe.threads[thread].len();
                while end > 0 {
                    let start = end.saturating_sub(length);
                    let mut candidate = self.best.recipe.clone();
                    candidate.threads[thread].drain(start..end);
                    self.accept(candidate);
                    end = start;
                }
            }
            length /= 2;
        }
        self.accept(self.without_idle_threads(self.best.recipe.clone()));
    }

    fn fewer_fixed(&mut self) {
        let (setup, finally) = (self.test.setup_ops().len(), self.test.final_ops().len());
        self.fewer_of(setup, |recipe| &mut recipe.setup);
        self.fewer_of(finally, |recipe| &mut recipe.finally);
    }

    fn fewer_of(&mut self, len: usize, list: impl Fn(&mut Recipe) -> &mut Kept) {
        if len == 0 {
            return;
        }
        let mut none = self.best.recipe.clone();
        *list(&mut none) = Kept::Only(Vec::new());
        if self.accept(none) {
            return;
        }
        for at in (0..len).rev() {
            let mut candidate = self.best.recipe.clone();
            let kept = list(&mut candidate);
            let positions = kept.positions(len);
            let fewer: Vec<usize> = positions.iter().copied().filter(|p| *p != at).collect();
            if fewer.len() < positions.len() {
                *kept = Kept::Only(fewer);
                self.accept(candidate);
            }
        }
    }

    fn smaller_values(&mut self) {
        for thread in 0..self.best.recipe.threads.len() {
            for number in 0..self.best.recipe.threads[thread].len() {
                let choices = self.best.recipe.threads[thread][number].clone();
                for at in 0..choices.len() {
                    self.smaller_choice(thread, number, at);
                }
            }
        }
    }

    fn smaller_choice(&mut self, thread: usize, number: usize, at: usize) {
        let choices = self.best.recipe.threads[thread][number].clone();
        let known = self.test.choices(thread, number, &choices);
        let Some(choice) = known.get(at).copied() else { return };
        match choice.kind {
            ChoiceKind::Number => self.smaller_number(thread, number, at, choice.value),
            #[cfg(feature = "proptest")]
            ChoiceKind::Seed => {}
            #[cfg(feature = "proptest")]
            ChoiceKind::Simplifications => {
                for more in [64, 16, 4, 1] {
                    let value = choice.value.saturating_add(more).min(choice.largest);
                    self.with_choice(thread, number, at, value);
                }
            }
        }
    }

    /// Tries zero, then a few bisections.
    fn smaller_number(&mut self, thread: usize, number: usize, at: usize, value: u64) {
        const BISECTIONS: u32 = 6;
        if value == 0 || self.with_choice(thread, number, at, 0) {
            return;
        }
        let (mut passes, mut fails) = (0, value);
        for _ in 0..BISECTIONS {
            let middle = passes + (fails - passes) / 2;
            if middle == passes {
                return;
            }
            if self.with_choice(thread, number, at, middle) {
                fails = middle;
            } else {
                passes = middle;
            }
        }
    }

    fn with_choice(&mut self, thread: usize, number: usize, at: usize, value: u64) -> bool {
        let mut candidate = self.best.recipe.clone();
        match candidate.threads[thread][number].get_mut(at) {
            Some(choice) => *choice = value,
            None => return false,
        }
        self.accept(candidate)
    }
}

/// The recipe with only the operations that satisfy `kept`.
fn keep(recipe: &Recipe, kept: impl Fn(usize, usize) -> bool) -> Recipe {
    let mut recipe = recipe.clone();
    for (thread, ops) in recipe.threads.iter_mut().enumerate() {
        let mut number = 0;
        ops.retain(|_| {
            number += 1;
            kept(thread, number - 1)
        });
    }
    recipe
}
