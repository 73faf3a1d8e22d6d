//! All histories up to a size: every shape of intervals, filled with every choice of operations.
//!
//! A shape is a sequence of call and return events, with operations numbered in the order of their
//! calls, each with a return or without. Two sequences that differ only in the order of adjacent
//! calls or of adjacent returns mean the same real-time order; [`Shapes::Distinct`] keeps one of
//! them: as many shapes of n completed operations as there are interval orders (1, 2, 5, 15, 53).
//! [`Shapes::Sequences`] keeps all (1, 3, 15, 105), for engines that could trip over ranks.

use linpoint::history::{Extras, History};
use linpoint::spec::Spec;

use crate::draft::{Draft, Row};
use crate::vocabulary::Vocabulary;

/// Which shapes to list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shapes {
    /// Every sequence of events.
    Sequences,
    /// One sequence of events for each real-time order.
    Distinct,
}

/// When one operation is open: positions in the sequence of events.
pub type Slot = (u64, Option<u64>);

/// All shapes of exactly `ops` operations; with `pending`, any of them may lack a return.
pub fn shapes(ops: usize, pending: bool, which: Shapes) -> Vec<Vec<Slot>> {
    let mut out = Vec::new();
    extend(ops, pending, &mut Vec::new(), 0, &mut out);
    if which == Shapes::Distinct {
        out.retain(|shape| is_representative(shape));
    }
    out
}

/// Appends each possible next event to a partial shape, of which `now` events have happened.
fn extend(ops: usize, pending: bool, so_far: &mut Vec<Slot>, now: u64, out: &mut Vec<Vec<Slot>>) {
    let is_open = |&(_, end): &Slot| end.is_none();
    if so_far.len() == ops && (pending || !so_far.iter().any(is_open)) {
        out.push(so_far.clone());
    }
    if so_far.len() < ops {
        so_far.push((now, None));
        extend(ops, pending, so_far, now + 1, out);
        so_far.pop();
    }
    for i in 0..so_far.len() {
        if so_far[i].1.is_none() {
            so_far[i].1 = Some(now);
            extend(ops, pending, so_far, now + 1, out);
            so_far[i].1 = None;
        }
    }
}

/// True if this is the representative of all sequences with the same real-time order, up to the
/// numbering of the operations: adjacent calls are in the order of the returns, and adjacent
/// returns in the order of the calls.
fn is_representative(shape: &[Slot]) -> bool {
    // The block of an event: the number of turns from returns to calls before it.
    let block = |at: u64| {
        let returns = |t: u64| shape.iter().any(|&(_, end)| end == Some(t));
        (1..=at).filter(|&t| !returns(t) && returns(t - 1)).count()
    };
    let last = |end: Option<u64>| end.map_or(usize::MAX, block);
    shape.windows(2).all(|pair| {
        let [(a, a_end), (b, b_end)] = [pair[0], pair[1]];
        block(a) != block(b) || last(a_end) <= last(b_end)
    }) && shape.iter().enumerate().all(|(i, &(_, end))| {
        let Some(end) = end else { return true };
        shape[..i].iter().all(|&(_, earlier)| match earlier {
            Some(earlier) => earlier < end || block(earlier) > block(end),
            None => true,
        })
    })
}

type Choice<S> = (<S as Spec>::Op, Option<<S as Spec>::Ret>);

/// What to list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exhaustive {
    /// Histories of 0 to this many operations.
    pub max_ops: usize,
    /// Also histories with pending operations.
    pub pending: bool,
    /// Also completed operations whose result is unknown.
    pub unknown: bool,
    /// Which shapes.
    pub shapes: Shapes,
}

impl Exhaustive {
    /// The number of histories that [`Exhaustive::histories`] will yield.
    pub fn count<S: Spec>(&self, vocabulary: &Vocabulary<S>) -> u64 {
        let [ops, pairs] = self.choices(vocabulary);
        let (ops, pairs) = (ops.len() as u64, pairs.len() as u64);
        let fillings = |shape: &Vec<Slot>| -> u64 {
            shape.iter().map(|(_, end)| if end.is_some() { pairs } else { ops }).product()
        };
        self.all_shapes().iter().map(fillings).sum()
    }

    /// All histories, the small ones first.
    pub fn histories<S: Spec>(
        &self,
        vocabulary: &Vocabulary<S>,
    ) -> impl Iterator<Item = History<S::Op, S::Ret>> + use<S> {
        let [ops, pairs] = self.choices(vocabulary);
        // The filling is a number whose digits choose the operations; a pending operation has fewer
        // choices than a completed one, so each digit has its own base.
        let (mut shapes, mut filling) = (self.all_shapes().into_iter().peekable(), 0usize);
        std::iter::from_fn(move || {
            loop {
                let shape = shapes.peek()?;
                let mut rest = filling;
                let mut draft = Draft::new();
                for &(start, end) in shape {
                    let choices = if end.is_some() { &pairs } else { &ops };
                    if choices.is_empty() {
                        return None;
                    }
                    let (op, ret) = choices[rest % choices.len()].clone();
                    rest /= choices.len();
                    draft.rows.push(Row { op, ret, start, end, extras: Extras::default() });
                }
                if rest == 0 {
                    filling += 1;
                    return Some(draft.build());
                }
                (filling, _) = (0, shapes.next());
            }
        })
    }

    /// The choices for a pending operation, and for a completed one.
    fn choices<S: Spec>(&self, vocabulary: &Vocabulary<S>) -> [Vec<Choice<S>>; 2] {
        let words = vocabulary.few_words();
        let ops: Vec<Choice<S>> = words.iter().map(|w| (w.op.clone(), None)).collect();
        let mut pairs = if self.unknown { ops.clone() } else { Vec::new() };
        for word in words {
            pairs.extend(word.results.iter().map(|ret| (word.op.clone(), Some(ret.clone()))));
        }
        [ops, pairs]
    }

    fn all_shapes(&self) -> Vec<Vec<Slot>> {
        (0..=self.max_ops).flat_map(|n| shapes(n, self.pending, self.shapes)).collect()
    }
}
