//! The contents of a deque while an order is followed backwards.

use super::contents::Contents;
use super::ends::End;
use super::moments::end_of;
use super::step::{Move, Stepper};
use crate::monitor::Refusal;
use crate::monitor::columns::Kind;
use crate::monitor::effort::Effort;
use crate::monitor::returns::course::Known;
use crate::monitor::returns::graph::Stepper as _;
use crate::monitor::returns::word::Word;
use crate::monitor::returns::words::{Visit, Words};

/// Contents of a deque, cut like those of the states.
pub(super) struct Halves {
    reach: [i32; 2],
    words: [Word; 2],
}

impl Halves {
    fn len(&self) -> usize {
        self.words[0].values.len() + self.words[1].values.len()
    }

    /// The value at an end.
    fn end(&self, end: End) -> Option<u32> {
        let half = self.words[end.index()].values.last();
        half.or_else(|| self.words[end.other().index()].values.first()).copied()
    }

    /// Whether they are in the set.
    fn are_in(
        &mut self,
        contents: &Contents,
        words: &Words,
        effort: &mut Effort<'_>,
    ) -> Result<bool, Refusal> {
        if contents.len() != self.len() {
            return Ok(false);
        }
        self.cut_like(contents, effort)?;
        let [front, back] = &mut self.words;
        for pair in &contents.pairs {
            if front.is_in(words, pair[0], effort)? && back.is_in(words, pair[1], effort)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Moves the cut to where the contents of a state have it.
    fn cut_like(&mut self, contents: &Contents, effort: &mut Effort<'_>) -> Result<(), Refusal> {
        self.reach = contents.reach;
        let front = contents.half(End::Front);
        if front == self.words[0].values.len() {
            return Ok(());
        }
        effort.work(self.len())?;
        let [before, after] = &self.words;
        // From front to back.
        let mut all: Vec<u32> = before.values.iter().rev().chain(&after.values).copied().collect();
        let back = all.split_off(front);
        all.reverse();
        self.words = [Word::new(all), Word::new(back)];
        Ok(())
    }

    fn push(&mut self, end: End, value: u32) {
        let is_top = self.reach[end.index()] >= 0;
        self.reach[end.index()] += 1;
        if is_top {
            self.words[end.index()].values.push(value);
        } else {
            self.change_bottom(end.other(), |values| values.insert(0, value));
        }
    }

    fn pop(&mut self, end: End) {
        let is_top = self.reach[end.index()] > 0;
        self.reach[end.index()] -= 1;
        if is_top {
            let word = &mut self.words[end.index()];
            word.values.pop();
            word.known.truncate(word.values.len() + 1);
        } else {
            self.change_bottom(end.other(), |values| drop(values.drain(..1)));
        }
    }

    /// Nothing is known about a word whose bottom changed.
    fn change_bottom(&mut self, half: End, change: impl FnOnce(&mut Vec<u32>)) {
        let mut values = std::mem::take(&mut self.words[half.index()].values);
        change(&mut values);
        self.words[half.index()] = Word::new(values);
    }
}

impl Known<Stepper<'_>> for Halves {
    fn some(contents: &Contents, words: &Words) -> Halves {
        let [front, back] = contents.pairs.first().copied().unwrap_or_default();
        Halves { reach: contents.reach, words: [Word::some(words, front), Word::some(words, back)] }
    }

    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn align(&mut self, to: &Contents, effort: &mut Effort<'_>) -> Result<(), Refusal> {
        self.cut_like(to, effort)
    }

    fn undo(
        &mut self,
        by: Move,
        stepper: &Stepper<'_>,
        before: &Contents,
        effort: &mut Effort<'_>,
    ) -> Result<bool, Refusal> {
        let words = &stepper.graph().words;
        match by {
            Move::Stay | Move::Pass { .. } => self.are_in(before, words, effort),
            Move::Reads(bits) => {
                Ok(reads_fit(stepper, bits, self) && self.are_in(before, words, effort)?)
            }
            Move::Pop { end, value, .. } => {
                self.push(end, value);
                let fits = self.are_in(before, words, effort)?;
                if !fits {
                    self.pop(end);
                }
                Ok(fits)
            }
            Move::Push { row, end, .. } => {
                let value = stepper.c.values[row as usize];
                if self.end(end) != Some(value) {
                    return Ok(false);
                }
                self.pop(end);
                let fits = self.are_in(before, words, effort)?;
                if !fits {
                    self.push(end, value);
                }
                Ok(fits)
            }
        }
    }

    fn visit(&mut self, visit: Visit<'_>) {
        self.words.iter_mut().flat_map(|word| &mut word.known).for_each(visit);
    }
}

/// True if all of these operations find what they found.
fn reads_fit(stepper: &Stepper<'_>, bits: u64, contents: &Halves) -> bool {
    let c = stepper.c;
    stepper.rows_of(bits).all(|row| match c.kinds[row as usize] {
        Kind::Peek => contents.end(end_of(c, row)) == Some(c.values[row as usize]),
        _ => contents.len() == 0,
    })
}
