//! The contents of a stack while an order is followed backwards.

use super::step::{Move, Stepper};
use crate::monitor::Refusal;
use crate::monitor::effort::Effort;
use crate::monitor::names::NONE;
use crate::monitor::returns::course::Known;
use crate::monitor::returns::graph::Stepper as _;
use crate::monitor::returns::word::Word;
use crate::monitor::returns::words::{Set, Visit, Words};

impl Known<Stepper<'_>> for Word {
    fn some(contents: &Set, words: &Words) -> Word {
        Word::some(words, *contents)
    }

    fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    fn undo(
        &mut self,
        by: Move,
        stepper: &Stepper<'_>,
        before: &Set,
        effort: &mut Effort<'_>,
    ) -> Result<bool, Refusal> {
        if !fits_top(stepper, by, self) {
            return Ok(false);
        }
        let (words, set) = (&stepper.graph().words, *before);
        match by {
            Move::Stay | Move::Reads(_) | Move::PushAndPop { .. } => self.is_in(words, set, effort),
            Move::Pop { value, .. } => self.is_in_below(value, words, set, effort),
            Move::Push { .. } => self.is_in_without_top(words, set, effort),
        }
    }

    fn visit(&mut self, visit: Visit<'_>) {
        self.known.iter_mut().for_each(visit);
    }
}

/// False if the move pushed or saw something else than what is on top.
fn fits_top(stepper: &Stepper<'_>, by: Move, contents: &Word) -> bool {
    let top = contents.values.last().copied();
    match by {
        Move::Push { row, .. } => top == Some(stepper.c.values[row as usize]),
        // An empty result names no value.
        Move::Reads(bits) => {
            let row = stepper.moment.row_of(bits);
            top == Some(stepper.c.values[row as usize]).filter(|value| *value != NONE)
        }
        _ => true,
    }
}
