//! One word, and which sets it is in.

use super::words::{EMPTY_STACK, Set, Words};
use crate::monitor::Refusal;
use crate::monitor::effort::Effort;

/// A word: the contents of a stack.
pub(in crate::monitor) struct Word {
    /// The values, from bottom to top.
    pub(in crate::monitor) values: Vec<u32>,
    /// For each height, a set that is known to have the values below it as a word. Sets share what
    /// is deep down, so most questions are answered near the top.
    pub(in crate::monitor) known: Vec<Set>,
    /// The sets on the way to the answer.
    path: Vec<Set>,
}

impl Word {
    /// These values, from bottom to top. No set is known to have them.
    pub(in crate::monitor) fn new(values: Vec<u32>) -> Word {
        Word { values, known: vec![EMPTY_STACK], path: Vec::new() }
    }

    /// Some word of the set.
    pub(in crate::monitor) fn some(words: &Words, mut set: Set) -> Word {
        let (mut values, mut known) = (Vec::new(), vec![set]);
        while let Some(&(value, below)) = words.tops(set).first() {
            values.push(value);
            known.push(below);
            set = below;
        }
        values.reverse();
        known.reverse();
        Word { values, known, path: Vec::new() }
    }

    /// Whether it is a word of the set.
    pub(in crate::monitor) fn is_in(
        &mut self,
        words: &Words,
        set: Set,
        effort: &mut Effort<'_>,
    ) -> Result<bool, Refusal> {
        self.path.clear();
        let (mut set, mut height) = (set, self.values.len());
        while self.known.get(height) != Some(&set) {
            effort.work(2)?;
            self.path.push(set);
            let top = height.checked_sub(1);
            match top.and_then(|top| words.below(set, self.values[top])) {
                Some(below) => (set, height) = (below, height - 1),
                None => return Ok(false),
            }
        }
        self.known.truncate(height + 1);
        self.known.extend(self.path.iter().rev());
        Ok(true)
    }

    /// Whether the word with this value on top is in the set. If so, it becomes that word.
    pub(in crate::monitor) fn is_in_below(
        &mut self,
        value: u32,
        words: &Words,
        set: Set,
        effort: &mut Effort<'_>,
    ) -> Result<bool, Refusal> {
        self.values.push(value);
        let fits = self.is_in(words, set, effort)?;
        if !fits {
            self.values.pop();
        }
        Ok(fits)
    }

    /// Whether the word without its top is in the set. If so, it becomes that word.
    pub(in crate::monitor) fn is_in_without_top(
        &mut self,
        words: &Words,
        set: Set,
        effort: &mut Effort<'_>,
    ) -> Result<bool, Refusal> {
        let Some(value) = self.values.pop() else { return Ok(false) };
        let above = (self.known.len() > self.values.len() + 1).then(|| self.known.pop());
        let fits = self.is_in(words, set, effort)?;
        if !fits {
            self.values.push(value);
            self.known.extend(above.flatten());
        }
        Ok(fits)
    }
}
