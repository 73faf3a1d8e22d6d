//! Shrinks a failing scenario: fewer threads, fewer operations, smaller values.
//!
//! The most promising candidates come first: only the operations in the explanation; then without
//! whole threads; then without half of a thread's operations, a quarter, single ones; then with
//! smaller choices. The runner that found the failure executes every candidate, and one that fails
//! in the same way is kept. A candidate that did not fail is not ruled out: under OS threads it may
//! have passed by chance, so the next round tries it again.

use std::mem::discriminant;
use std::time::{Duration, Instant};

use linpoint::Spec;

use crate::definition::Test;
use crate::execution::{Failure, Runner};
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

/// Looks for a smaller scenario that fails. `related` are the operations (thread, number) of the
/// explanation, which are tried alone first.
pub fn shrink<T, S: Spec>(
    runner: &mut dyn Runner<T, S>,
    test: &Test<T, S>,
    recipe: Recipe,
    failure: Failure<S::Op, S::Ret>,
    related: &[(usize, usize)],
    time: Duration,
) -> Shrunk<S::Op, S::Ret> {
    let deadline = Instant::now() + time;
    let best = Shrunk { recipe, failure, executions: 0, complete: false };
    let mut search = Search { runner, test, best, deadline };
    search.only(related);
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
    }
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

    /// Only these operations; or these and everything their threads do before the last of them.
    fn only(&mut self, related: &[(usize, usize)]) {
        if related.is_empty() {
            return;
        }
        let named = |thread: usize, number: usize| related.contains(&(thread, number));
        let up_to = |thread: usize, number: usize| {
            related.iter().any(|(by, last)| *by == thread && number <= *last)
        };
        let alone = keep(&self.best.recipe, named);
        let with_prefixes = keep(&self.best.recipe, up_to);
        if !self.accept(without_idle_threads(alone)) {
            self.accept(with_prefixes);
        }
    }

    fn fewer_threads(&mut self) {
        let mut thread = self.best.recipe.threads.len();
        while thread > 0 {
            thread -= 1;
            if self.best.recipe.threads.len() > 1 {
                let mut candidate = self.best.recipe.clone();
                candidate.threads.remove(thread);
                self.accept(candidate);
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
        self.accept(without_idle_threads(self.best.recipe.clone()));
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

fn without_idle_threads(mut recipe: Recipe) -> Recipe {
    recipe.threads.retain(|ops| !ops.is_empty());
    if recipe.threads.is_empty() {
        recipe.threads.push(Vec::new());
    }
    recipe
}
