//! The building blocks of histories of a specification: operations, each with a few plausible
//! results.

use linpoint::spec::Spec;

/// An operation of a [`Vocabulary`] with its plausible results.
#[derive(Clone, Debug)]
pub struct Word<O, R> {
    /// The operation.
    pub op: O,
    /// Correct and wrong results. Which are correct depends on the state; a few that never are (a
    /// value that is never written) belong here too.
    pub results: Vec<R>,
    /// True if histories in which this operation happens at most once are of interest: it adds a
    /// value, and monitors need values that are added once.
    pub once: bool,
}

/// A finite part of a specification's language, small enough that values often collide.
#[derive(Clone, Debug)]
pub struct Vocabulary<S: Spec> {
    /// The name of the model, for reports.
    pub name: &'static str,
    /// The specification.
    pub spec: S,
    /// The words of random histories.
    pub words: Vec<Word<S::Op, S::Ret>>,
    /// The number of words that exhaustive tests use; the first ones.
    pub few: usize,
}

impl<S: Spec> Vocabulary<S> {
    /// A vocabulary without operations.
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

    /// Exhaustive tests use the words so far. Words added later are for random histories only.
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
