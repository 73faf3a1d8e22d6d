//! The search of figure 3, with lists that are relinked.

use crate::sorting::sort_by_key;
use std::collections::HashSet;

use rustc_hash::FxBuildHasher;

use super::super::columns::{Columns, Kind};
use super::super::names::NONE;
use super::links::Links;

/// The operations, by the peak at which they begin.
pub(super) struct Problem {
    /// Their rows.
    pub(super) rows: Vec<u32>,
    pub(super) left: Vec<u32>,
    pub(super) right: Vec<u32>,
    /// The value of each, as a small number; [`NONE`] for an empty result.
    pub(super) values: Vec<u32>,
    /// Number of values.
    pub(super) value_count: usize,
    kinds: Vec<Kind>,
}

impl Problem {
    pub(super) fn of(c: &Columns, mut rows: Vec<u32>) -> Problem {
        sort_by_key(&mut rows, |row| c.left[*row as usize]);
        let mut renamed = vec![NONE; c.value_count];
        let mut value_count = 0;
        let values = rows.iter().map(|row| {
            let number = renamed.get_mut(c.values[*row as usize] as usize)?;
            if *number == NONE {
                *number = value_count;
                value_count += 1;
            }
            Some(*number)
        });
        let values = values.map(|value| value.unwrap_or(NONE)).collect();
        let column = |of: &[u32]| rows.iter().map(|row| of[*row as usize]).collect();
        Problem {
            left: column(&c.left),
            right: column(&c.right),
            kinds: rows.iter().map(|row| c.kinds[*row as usize]).collect(),
            values,
            value_count: value_count as usize,
            rows,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn is_add(&self, i: u32) -> bool {
        self.kinds[i as usize] == Kind::Add
    }

    pub(super) fn is_empty(&self, i: u32) -> bool {
        self.kinds[i as usize] == Kind::Empty
    }
}

/// Operations that are consumed together.
#[derive(Clone, Copy, Debug)]
pub(super) enum Move {
    /// An empty result.
    Empty(u32),
    /// An enqueue and a dequeue of its value.
    Pair { add: u32, remove: u32 },
}

/// Lists of operations by their beginning.
const ADDS: usize = 0;
const REMOVES: usize = 1;
const EMPTIES: usize = 2;
/// The second list by end: dequeues with and without a result.
const ALL_REMOVES: usize = 1;

/// This many words of a remembered set count as a step.
const WORDS_A_STEP: u64 = 4;

/// The possible next moves.
enum Next {
    /// Only enqueues are left.
    Done,
    /// This one is as good as any other.
    Only(Move),
    /// One of these, if any.
    OneOf(Vec<Move>),
}

/// A move, and what to restore when it is undone.
struct Taken {
    step: Move,
    floor: u32,
    highest: usize,
}

pub(super) struct Search<'a> {
    problem: &'a Problem,
    /// [`ADDS`], [`REMOVES`] and [`EMPTIES`].
    by_left: Links,
    /// [`ADDS`] and [`ALL_REMOVES`].
    by_right: Links,
    /// Enqueues and dequeues of each value, by right end and then by left end.
    by_value: Links,
    /// Remaining dequeues begin at this peak at the earliest: the last beginning of a consumed
    /// dequeue. What had ended before that dequeue began precedes all remaining ones, and nothing
    /// else is known about it. No remaining dequeue has ended before, because none preceded that
    /// one.
    floor: u32,
    /// A bit for each consumed operation.
    gone: Vec<u64>,
    /// No word after this one has a bit.
    highest: usize,
    taken: Vec<Taken>,
    /// Number of steps that may still be taken.
    pub(super) steps_left: u64,
    /// Sets of consumed operations from which it has branched: the first word that is not full, and
    /// the words from there to the last one with a bit. They determine the floor, too.
    seen: HashSet<(usize, Box<[u64]>), FxBuildHasher>,
}

impl<'a> Search<'a> {
    pub(super) fn new(problem: &'a Problem, max_steps: u64) -> Search<'a> {
        let n = problem.len();
        let by_left = (0..n as u32).map(|i| match problem.kinds[i as usize] {
            Kind::Add => (i, ADDS),
            Kind::Remove => (i, REMOVES),
            _ => (i, EMPTIES),
        });
        let mut sorted: Vec<u32> = (0..n as u32).collect();
        sort_by_key(&mut sorted, |i| problem.right[*i as usize]);
        let list = |i: u32| if problem.is_add(i) { ADDS } else { ALL_REMOVES };
        let by_right = sorted.iter().map(|i| (*i, list(*i)));
        let named = sorted.iter().filter(|i| !problem.is_empty(**i));
        let by_value = named.map(|i| (*i, 2 * problem.values[*i as usize] as usize + list(*i)));
        Search {
            by_left: Links::new(n, 3, by_left),
            by_right: Links::new(n, 2, by_right),
            by_value: Links::new(n, 2 * problem.value_count, by_value),
            floor: 0,
            gone: vec![0; n / 64 + 1],
            highest: 0,
            taken: Vec::new(),
            steps_left: max_steps,
            seen: HashSet::default(),
            problem,
        }
    }

    /// The moves of a linearization; `Some(None)` if there is none, `None` if it took too many
    /// steps.
    pub(super) fn run(&mut self) -> Option<Option<Vec<Move>>> {
        // Moves that have not been tried, and how many had been made before each.
        let mut choices: Vec<(usize, Move)> = Vec::new();
        loop {
            match self.next() {
                Next::Done => return Some(Some(self.taken.iter().map(|t| t.step).collect())),
                Next::Only(step) => self.take(step)?,
                Next::OneOf(steps) => {
                    if steps.len() < 2 || self.is_new() {
                        let depth = self.taken.len();
                        choices.extend(steps.into_iter().rev().map(|step| (depth, step)));
                    }
                    let Some((depth, step)) = choices.pop() else { return Some(None) };
                    while self.taken.len() > depth {
                        self.take_back();
                    }
                    self.take(step)?;
                }
            }
        }
    }

    fn left(&self, i: u32) -> u32 {
        self.problem.left[i as usize]
    }

    fn right(&self, i: u32) -> u32 {
        self.problem.right[i as usize]
    }

    /// The first peak at which a remaining dequeue can take effect.
    fn dequeue_left(&self, i: u32) -> u32 {
        self.left(i).max(self.floor)
    }

    fn next(&self) -> Next {
        let Some(first_removed) = self.by_right.first(ALL_REMOVES) else { return Next::Done };
        // No dequeue precedes one that begins by then, and nothing precedes what begins by `first`.
        let removed = self.right(first_removed);
        let first = self.by_right.first(ADDS).map_or(removed, |add| self.right(add).min(removed));
        let empty = self.by_left.first(EMPTIES);
        if let Some(empty) = empty.filter(|i| self.dequeue_left(*i) <= first) {
            return Next::Only(Move::Empty(empty));
        }
        let adds = || self.by_left.iter(ADDS).take_while(|add| self.left(*add) <= first);
        for add in adds() {
            let list = 2 * self.problem.values[add as usize] as usize;
            let Some(remove) = self.by_value.first(list + ALL_REMOVES) else { continue };
            let ends_first = self.by_value.first(list + ADDS) == Some(add);
            if ends_first && self.left(remove) <= removed && !self.has_conflict(remove) {
                return Next::Only(Move::Pair { add, remove });
            }
        }
        let value = |i: u32| self.problem.values[i as usize];
        let removes = || self.by_left.iter(REMOVES).take_while(|r| self.left(*r) <= removed);
        let pairs = adds().flat_map(|add| {
            let matching = removes().filter(move |remove| value(*remove) == value(add));
            matching.map(move |remove| Move::Pair { add, remove })
        });
        Next::OneOf(pairs.collect())
    }

    /// True if an empty result may have to come before something that this dequeue would make it
    /// wait for: an enqueue precedes the dequeue, but precedes neither some other dequeue nor some
    /// empty result.
    fn has_conflict(&self, remove: u32) -> bool {
        let (Some(empty), Some(other)) = (self.by_left.first(EMPTIES), self.by_left.first(REMOVES))
        else {
            return false;
        };
        let begin = self.dequeue_left(remove);
        let both_open = self.dequeue_left(empty).max(self.dequeue_left(other));
        let ends = self.by_right.iter(ADDS).map(|add| self.right(add));
        both_open < begin && ends.take_while(|end| *end < begin).any(|end| end >= both_open)
    }

    /// Consumes operations; `None` if the step limit is exceeded.
    fn take(&mut self, step: Move) -> Option<()> {
        self.steps_left = self.steps_left.checked_sub(1)?;
        self.taken.push(Taken { step, floor: self.floor, highest: self.highest });
        match step {
            Move::Empty(i) => self.unlink(i),
            Move::Pair { add, remove } => {
                self.floor = self.dequeue_left(remove);
                self.unlink(add);
                self.unlink(remove);
            }
        }
        Some(())
    }

    fn take_back(&mut self) {
        let Some(Taken { step, floor, highest }) = self.taken.pop() else { return };
        match step {
            Move::Empty(i) => self.relink(i),
            Move::Pair { add, remove } => {
                self.relink(remove);
                self.relink(add);
            }
        }
        self.floor = floor;
        self.highest = highest;
    }

    fn unlink(&mut self, i: u32) {
        self.by_left.remove(i);
        self.by_right.remove(i);
        self.by_value.remove(i);
        self.gone[i as usize / 64] |= 1 << (i % 64);
        self.highest = self.highest.max(i as usize / 64);
    }

    fn relink(&mut self, i: u32) {
        self.by_value.restore(i);
        self.by_right.restore(i);
        self.by_left.restore(i);
        self.gone[i as usize / 64] &= !(1 << (i % 64));
    }

    /// True if it has not branched here before, and records it. Large sets cost steps, so that the
    /// step limit also limits memory.
    fn is_new(&mut self) -> bool {
        let key = self.key();
        self.steps_left = self.steps_left.saturating_sub(key.1.len() as u64 / WORDS_A_STEP);
        self.seen.insert(key)
    }

    /// The set of consumed operations.
    fn key(&self) -> (usize, Box<[u64]>) {
        let remaining = [ADDS, REMOVES, EMPTIES].into_iter().filter_map(|l| self.by_left.first(l));
        let lowest = remaining.min().unwrap_or(0) as usize / 64;
        (lowest, self.gone.get(lowest..=self.highest).unwrap_or_default().into())
    }
}
