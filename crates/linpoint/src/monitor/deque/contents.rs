//! Sets of contents of a deque.
//!
//! All contents that can be reached with the same operations have the same length, because these
//! operations determine how often each end grew and shrank. Let the first element be pushed at place
//! 0 of a line, or the place before it; then they determine the places of both ends. A *cut* at one
//! place of the line, the same for all sets, divides contents into two stacks whose bottoms are at the
//! cut. A set of contents is a list of pairs: a set of words for the front half and one for the back
//! half, all of whose combinations are contents. Ends far from each other have little to do with each
//! other, so mostly there is one pair.
//!
//! If the whole deque lies on one side of the cut, it is divided at the end that is closer to the cut:
//! one half is empty, and the other grows and shrinks at its bottom too ([`super::bottom`]). The cut
//! is moved to the middle before that becomes expensive ([`super::recut`]).

use smallvec::SmallVec;

use super::bottom;
use super::ends::End;
use crate::monitor::Refusal;
use crate::monitor::effort::Effort;
use crate::monitor::returns::graph::{self, Contents as _};
use crate::monitor::returns::words::{EMPTY_STACK, Set, Visit, Words};

/// Words of the front half and words of the back half, each with its top at the end of the deque.
pub(super) type Pair = [Set; 2];

/// The pairs of a set of contents.
pub(super) type Pairs = SmallVec<[Pair; 1]>;

/// A set of contents, all of one length. There is at least one pair, and no half is without words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Contents {
    /// How far each end is from the cut. Negative if the end is on the other side of it.
    pub(super) reach: [i32; 2],
    pub(super) pairs: Pairs,
}

impl graph::Contents for Contents {
    const WORK: usize = 16;

    /// Of an empty deque.
    fn empty() -> Contents {
        Contents { reach: [0; 2], pairs: Pairs::from_elem([EMPTY_STACK; 2], 1) }
    }

    /// Adds all contents of another set, whose ends are at the same places.
    fn join(
        &mut self,
        other: &Contents,
        words: &mut Words,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        debug_assert_eq!(self.reach, other.reach);
        if self.pairs == other.pairs {
            return Ok(());
        }
        self.pairs.extend_from_slice(&other.pairs);
        self.merge(words, effort)
    }

    fn visit(&mut self, visit: Visit<'_>) {
        self.pairs.iter_mut().flatten().for_each(visit);
    }

    fn bytes(&self) -> usize {
        if self.pairs.spilled() { 16 * self.pairs.len() } else { 0 }
    }
}

impl Contents {
    /// Number of elements.
    pub(super) fn len(&self) -> usize {
        let [front, back] = self.reach;
        (front + back) as usize
    }

    /// Number of elements in the half of this end.
    pub(super) fn half(&self, end: End) -> usize {
        match (self.reach[end.index()], self.reach[end.other().index()]) {
            (..=0, _) => 0,
            (_, ..0) => self.len(),
            (reach, _) => reach as usize,
        }
    }

    /// The values that may be at this end, sorted.
    pub(super) fn ends(
        &self,
        end: End,
        words: &Words,
        effort: &mut Effort<'_>,
    ) -> Result<SmallVec<[u32; 8]>, Refusal> {
        let mut values = SmallVec::new();
        if self.len() == 0 {
            return Ok(values);
        }
        let is_top = self.half(end) > 0;
        for pair in &self.pairs {
            if is_top {
                let tops = words.tops(pair[end.index()]);
                effort.work(tops.len())?;
                values.extend(tops.iter().map(|(value, _)| *value));
            } else {
                bottom::values(words, pair[end.other().index()], &mut values, effort)?;
            }
        }
        values.sort_unstable();
        values.dedup();
        Ok(values)
    }

    /// What remains if this value is removed from this end of those that have it there.
    pub(super) fn pop(
        &self,
        end: End,
        value: u32,
        words: &mut Words,
        effort: &mut Effort<'_>,
    ) -> Result<Option<Contents>, Refusal> {
        if self.len() == 0 {
            return Ok(None);
        }
        let mut pairs = Pairs::new();
        let is_top = self.half(end) > 0;
        for &(mut pair) in &self.pairs {
            effort.work(4)?;
            let half = &mut pair[if is_top { end } else { end.other() }.index()];
            let rest = match is_top {
                true => words.below(*half, value),
                false => bottom::chop(words, *half, value, effort)?,
            };
            if let Some(rest) = rest {
                *half = rest;
                pairs.push(pair);
            }
        }
        if pairs.is_empty() {
            return Ok(None);
        }
        let mut after = Contents { reach: self.reach, pairs };
        after.reach[end.index()] -= 1;
        after.merge(words, effort)?;
        Ok(Some(after))
    }

    /// Adds this value at this end.
    pub(super) fn push(
        &self,
        end: End,
        value: u32,
        words: &mut Words,
        effort: &mut Effort<'_>,
    ) -> Result<Contents, Refusal> {
        let mut after = self.clone();
        let is_top = self.reach[end.index()] >= 0;
        for pair in &mut after.pairs {
            let half = &mut pair[if is_top { end } else { end.other() }.index()];
            *half = match is_top {
                true => words.push(value, *half, effort)?,
                false => bottom::append(words, *half, value, effort)?,
            };
        }
        after.reach[end.index()] += 1;
        Ok(after)
    }

    /// Those with this value at this end.
    pub(super) fn with(
        &self,
        end: End,
        value: u32,
        words: &mut Words,
        effort: &mut Effort<'_>,
    ) -> Result<Option<Contents>, Refusal> {
        match self.pop(end, value, words, effort)? {
            Some(rest) => Ok(Some(rest.push(end, value, words, effort)?)),
            None => Ok(None),
        }
    }

    /// Those with none of these values at this end.
    pub(super) fn without(
        &self,
        end: End,
        values: &[u32],
        words: &mut Words,
        effort: &mut Effort<'_>,
    ) -> Result<Option<Contents>, Refusal> {
        let mut rest: Option<Contents> = None;
        for value in self.ends(end, words, effort)? {
            if values.contains(&value) {
                continue;
            }
            let Some(more) = self.with(end, value, words, effort)? else { continue };
            match &mut rest {
                Some(rest) => rest.join(&more, words, effort)?,
                None => rest = Some(more),
            }
        }
        Ok(rest)
    }

    /// Makes one pair of those that have a half in common, and brings them into an order.
    pub(super) fn merge(
        &mut self,
        words: &mut Words,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        for common in [0, 1] {
            if self.pairs.len() == 1 {
                return Ok(());
            }
            effort.work(8 * self.pairs.len())?;
            self.pairs.sort_unstable_by_key(|pair| (pair[common], pair[1 - common]));
            let mut kept = 0;
            for i in 1..self.pairs.len() {
                let pair = self.pairs[i];
                let last = self.pairs[kept];
                if last[common] == pair[common] {
                    let union = words.union(last[1 - common], pair[1 - common], effort)?;
                    self.pairs[kept][1 - common] = union;
                } else {
                    kept += 1;
                    self.pairs[kept] = pair;
                }
            }
            self.pairs.truncate(kept + 1);
        }
        Ok(())
    }
}
