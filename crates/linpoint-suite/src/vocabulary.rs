//! What histories of a specification are made of: operations, each with a few plausible results.

use linpoint::spec::Spec;

/// An operation of a [`Vocabulary`] with the results it may plausibly be said to have returned.
#[derive(Clone, Debug)]
pub struct Word<O, R> {
    /// The operation.
    pub op: O,
    /// Right and wrong results. Which are right depends on the state; a few that never are (a value
    /// that nobody writes) belong here too.
    pub results: Vec<R>,
    /// True if fragments in which this operation happens at most once are of interest: it adds a
    /// value, and monitors want values that are added once.
    pub once: bool,
}

/// A finite part of a specification's language, small enough to collide often.
#[derive(Clone, Debug)]
pub struct Vocabulary<S: Spec> {
    /// The name of the model, for reports.
    pub name: &'static str,
    /// The specification.
    pub spec: S,
    /// What random histories are drawn from.
    pub words: Vec<Word<S::Op, S::Ret>>,
    /// How many of the words exhaustive tests use; the first ones.
    pub few: usize,
}

impl<S: Spec> Vocabulary<S> {
    /// No operations yet.
    pub fn new(name: &'static str, spec: S) -> Self {
        Vocabulary { name, spec, words: Vec::new(), few: usize::MAX }
    }

    /// Adds an operation with its plausible results.
    pub fn op(mut self, op: S::Op, results: impl IntoIterator<Item = S::Ret>) -> Self {
        self.words.push(Word { op, results: results.into_iter().collect(), once: false });
        self
    }

    /// Adds an operation that adds a value: some histories will contain it at most once.
    pub fn once(mut self, op: S::Op, results: impl IntoIterator<Item = S::Ret>) -> Self {
        self.words.push(Word { op, results: results.into_iter().collect(), once: true });
        self
    }

    /// Exhaustive tests use the words so far; words added later are for random histories only.
    pub fn exhaustive_so_far(mut self) -> Self {
        self.few = self.words.len();
        self
    }

    /// The plausible results of an operation. A word may be repeated with more results for random
    /// histories than exhaustive tests can afford: the last one counts.
    pub fn results(&self, op: &S::Op) -> &[S::Ret] {
        self.words.iter().rfind(|w| w.op == *op).map_or(&[], |w| &w.results)
    }

    /// The words of exhaustive tests.
    pub fn few_words(&self) -> &[Word<S::Op, S::Ret>] {
        &self.words[..self.few.min(self.words.len())]
    }
}
