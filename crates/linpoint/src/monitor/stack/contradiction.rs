//! Turns a peeling that got stuck into a few operations that contradict each other.
//!
//! When peeling is stuck, every element that is left has an operation without a peak: at each peak
//! of its window, another of those elements is certainly there. So wherever the operation takes
//! effect, its element lies above another of them. In a set of elements each of which lies above
//! another one, none is the lowest: a contradiction, whatever all other operations did.
//!
//! To find a small set, an arrow is drawn from each element to those that cover one of its
//! operations (as few as possible, by greedy choice of the one that reaches furthest). Any set that
//! no arrow leaves is a contradiction; depth-first search finds the first strongly connected one.
//! It is then shrunk as long as a part of it is such a set on its own.
//!
//! A statement about an element that nothing removed needs all removals as evidence, because any of
//! them could be the one that removed it. So the search first does without: as if each such element
//! had been removed right after it was last seen.
//!
//! Time O(n log n), and a limited number of steps for shrinking.

use super::super::columns::{Columns, Kind};
use super::super::container::Elements;
use super::super::contradiction::{Contradiction, Piece};
use super::super::names::NONE;
use super::peel::{Peeled, Question};
use super::{Cause, Stuck, solve};
use crate::sorting::{pair, sort_by_key};

/// Cover at most this many windows while a set is shrunk.
const WORK: usize = 200_000;

/// Spell out at most this many links of the chain in the sentence.
const MAX_LINKS: usize = 4;

/// The critical elements that were not peeled.
pub(super) fn survivors(question: Question<'_>, peeled: &Peeled) -> Vec<u32> {
    let mut gone = vec![false; question.ends.len()];
    peeled.order.iter().for_each(|element| gone[*element as usize] = true);
    question.critical().filter(|element| !gone[*element as usize]).collect()
}

/// Why no order explains the history.
pub(super) fn contradiction(c: &Columns, e: &Elements, stuck: Stuck) -> Contradiction {
    let Stuck { mut ends, mut cause } = stuck;
    if e.unremoved > 0 {
        let seen: Vec<u32> = e
            .list
            .iter()
            .map(|element| if element.is_used() { element.last_left } else { 0 })
            .collect();
        if let Err(without) = solve(c, e, &seen) {
            (ends, cause) = (seen, without);
        }
    }
    let question = Question { c, e, ends: &ends };
    match cause {
        Cause::NeverEmpty(row) => never_empty(question, row),
        Cause::Left(peeled) => nothing_lowest(question, &peeled),
    }
}

/// An empty result during which the stack was never empty.
fn never_empty(q: Question<'_>, row: u32) -> Contradiction {
    let reach = Reach::new(q, q.critical());
    let cover = reach.cover((q.c.left[row as usize], q.c.right[row as usize]), NONE);
    let cover = cover.unwrap_or_default();
    let mut sentence = vec![row.into(), " ran while ".into()];
    name(q, &cover, &mut sentence);
    Contradiction::new(sentence).and(evidence(q, &cover))
}

/// Elements that would each have to lie above another one.
fn nothing_lowest(q: Question<'_>, peeled: &Peeled) -> Contradiction {
    let left = survivors(q, peeled);
    let ops = Ops::new(q, &left);
    let set = Arrows::new(q, &ops, &left).closed_set(left.first().copied().unwrap_or(0));
    let set = shrink(q, &ops, set);
    let links = links(q, &ops, &set);
    let mut sentence = Vec::new();
    for (i, (row, cover)) in links.iter().take(MAX_LINKS).enumerate() {
        sentence.push(if i == 0 { "".into() } else { "; ".into() });
        sentence.push((*row).into());
        sentence.push(" ran while ".into());
        name(q, cover, &mut sentence);
    }
    sentence.push(match set.len().checked_sub(MAX_LINKS) {
        None | Some(0) => "; so each of these elements was above another, and none lowest".into(),
        Some(more) => {
            format!("; and so on for {more} more, so each was above another, and none lowest")
                .into()
        }
    });
    let rows: Vec<u32> = links.iter().map(|(row, _)| *row).collect();
    Contradiction::new(sentence).and(rows).and(evidence(q, &set))
}

/// "what push(1) pushed was there".
fn name(q: Question<'_>, elements: &[u32], sentence: &mut Vec<Piece>) {
    for (i, &element) in elements.iter().take(MAX_LINKS).enumerate() {
        sentence.push(if i == 0 { "what ".into() } else { ", then what ".into() });
        sentence.push(q.e.list[element as usize].add.into());
        sentence.push(match q.ends[element as usize] == q.c.peaks {
            true => " added was there, never removed".into(),
            false => " added was there".into(),
        });
    }
    if elements.len() > MAX_LINKS {
        sentence.push(format!(", then {} others", elements.len() - MAX_LINKS).into());
    }
}

/// The rows that prove when the elements were there.
fn evidence(q: Question<'_>, elements: &[u32]) -> Vec<u32> {
    let mut wanted = elements.to_vec();
    wanted.sort_unstable();
    let mut rows = Vec::new();
    let mut found = vec![(false, false); wanted.len()];
    for row in 0..q.c.len() as u32 {
        let i = row as usize;
        if !matches!(q.c.kinds[i], Kind::Add | Kind::Remove | Kind::Peek) {
            continue;
        }
        let Ok(at) = wanted.binary_search(&q.c.values[i]) else { continue };
        let element = &q.e.list[q.c.values[i] as usize];
        // One row that proves the beginning, one that proves the end.
        if q.c.right[i] == element.add_right && !found[at].0 {
            found[at].0 = true;
            rows.push(row);
        }
        if q.c.left[i] == element.last_left && !found[at].1 {
            found[at].1 = true;
            rows.push(row);
        }
    }
    let unseen = |n: &&u32| q.ends[**n as usize] > q.e.list[**n as usize].last_left;
    if elements.iter().any(|n| unseen(&n)) {
        let removes =
            |row: &u32| matches!(q.c.kinds[*row as usize], Kind::Remove | Kind::Take | Kind::Empty);
        rows.extend((0..q.c.len() as u32).filter(removes));
    }
    rows
}

/// Which elements are there at a peak and reach furthest.
struct Reach {
    /// By the first peak: that peak, and of all elements up to here the two that end last.
    list: Vec<(u32, [(u32, u32); 2])>,
}

impl Reach {
    fn new(q: Question<'_>, elements: impl Iterator<Item = u32>) -> Reach {
        let mut spans: Vec<(u32, u32, u32)> = elements
            .map(|element| {
                let (first, end) = q.span(element);
                (first, end, element)
            })
            .collect();
        sort_by_key(&mut spans, |(_, _, element)| *element);
        sort_by_key(&mut spans, |(first, end, _)| pair(*first, *end));
        let mut best = [(0, NONE); 2];
        let mut list = Vec::with_capacity(spans.len());
        for (first, end, element) in spans {
            if end > best[0].0 {
                best = [(end, element), best[0]];
            } else if end > best[1].0 {
                best[1] = (end, element);
            }
            list.push((first, best));
        }
        Reach { list }
    }

    /// The element that is there at the peak and reaches furthest, other than `except`.
    fn at(&self, peak: u32, except: u32) -> Option<(u32, u32)> {
        let begun = self.list.partition_point(|(first, _)| *first <= peak);
        let (_, best) = self.list.get(begun.checked_sub(1)?)?;
        let best = if best[0].1 == except { best[1] } else { best[0] };
        (best.0 > peak).then_some(best)
    }

    /// Elements other than `except` of which one is there at each peak of the window.
    fn cover(&self, window: (u32, u32), except: u32) -> Option<Vec<u32>> {
        let (mut peak, last) = window;
        let mut cover = Vec::new();
        while peak <= last {
            let (end, element) = self.at(peak, except)?;
            cover.push(element);
            peak = end;
        }
        Some(cover)
    }
}

/// The operations of the elements that are left.
struct Ops {
    /// Element and row, sorted.
    list: Vec<(u32, u32)>,
}

impl Ops {
    fn new(q: Question<'_>, elements: &[u32]) -> Ops {
        let mut wanted = vec![false; q.ends.len()];
        elements.iter().for_each(|element| wanted[*element as usize] = true);
        let mut list: Vec<(u32, u32)> = q
            .rows()
            .map(|row| (q.c.values[row as usize], row))
            .filter(|(element, _)| wanted[*element as usize])
            .collect();
        sort_by_key(&mut list, |(element, row)| pair(*element, *row));
        Ops { list }
    }

    fn of(&self, element: u32) -> impl Iterator<Item = u32> + '_ {
        let from = self.list.partition_point(|(n, _)| *n < element);
        self.list[from..].iter().take_while(move |(n, _)| *n == element).map(|(_, row)| *row)
    }

    /// The operation of an element that is covered by the fewest others, and by which.
    fn blocked(&self, q: Question<'_>, reach: &Reach, element: u32) -> Option<(u32, Vec<u32>)> {
        let covered = |row| Some((row, reach.cover(q.window(row), element)?));
        self.of(element).filter_map(covered).min_by_key(|(_, cover)| cover.len())
    }
}

/// The largest part of the set of which each element has an operation covered by the others.
fn kernel(q: Question<'_>, ops: &Ops, mut set: Vec<u32>, work: &mut usize) -> Vec<u32> {
    loop {
        let reach = Reach::new(q, set.iter().copied());
        let before = set.len();
        *work = work.saturating_sub(before);
        set.retain(|element| ops.blocked(q, &reach, *element).is_some());
        if set.len() == before || *work == 0 {
            return set;
        }
    }
}

/// Leaves out elements in chunks of decreasing size, as long as something is left.
fn shrink(q: Question<'_>, ops: &Ops, mut set: Vec<u32>) -> Vec<u32> {
    let mut work = WORK;
    let mut piece = set.len() / 2;
    while piece > 0 {
        let mut at = 0;
        while at < set.len() {
            let mut rest = set.clone();
            rest.drain(at..(at + piece).min(set.len()));
            let smaller = kernel(q, ops, rest, &mut work);
            if work == 0 {
                return set;
            }
            match smaller.is_empty() {
                true => at += piece,
                false => set = smaller,
            }
        }
        piece /= 2;
    }
    set
}

/// For each element of the set its blocked operation and the elements that cover it, as a chain.
fn links(q: Question<'_>, ops: &Ops, set: &[u32]) -> Vec<(u32, Vec<u32>)> {
    let reach = Reach::new(q, set.iter().copied());
    set.iter().filter_map(|element| ops.blocked(q, &reach, *element)).collect()
}

/// Depth-first search along the arrows, for the first strongly connected set (after Tarjan).
struct Arrows<'a> {
    q: Question<'a>,
    ops: &'a Ops,
    reach: Reach,
    /// For each element when it was visited, counted from 1; 0 if it was not.
    met: Vec<u32>,
    /// The elements on the path and behind it, in the order of visits.
    open: Vec<u32>,
}

/// An element on the path.
struct Visit {
    element: u32,
    /// The first visited element that it leads back to.
    lowest: u32,
    /// Arrows that have not been followed yet.
    arrows: Vec<u32>,
}

impl<'a> Arrows<'a> {
    fn new(q: Question<'a>, ops: &'a Ops, elements: &[u32]) -> Arrows<'a> {
        let reach = Reach::new(q, elements.iter().copied());
        Arrows { q, ops, reach, met: vec![0; q.ends.len()], open: Vec::new() }
    }

    fn visit(&mut self, element: u32) -> Visit {
        self.open.push(element);
        let number = self.open.len() as u32;
        self.met[element as usize] = number;
        let blocked = self.ops.blocked(self.q, &self.reach, element);
        Visit { element, lowest: number, arrows: blocked.map_or(Vec::new(), |(_, cover)| cover) }
    }

    /// A set that no arrow leaves, reached from an element that is left.
    fn closed_set(&mut self, start: u32) -> Vec<u32> {
        let mut path = vec![self.visit(start)];
        while let Some(here) = path.last_mut() {
            if let Some(next) = here.arrows.pop() {
                match self.met[next as usize] {
                    0 => {
                        let visit = self.visit(next);
                        path.push(visit);
                    }
                    met => here.lowest = here.lowest.min(met),
                }
                continue;
            }
            // Nothing is closed before the first set is found, so everything visited is open.
            let (lowest, met) = (here.lowest, self.met[here.element as usize]);
            if lowest == met {
                return self.open.split_off(met as usize - 1);
            }
            path.pop();
            if let Some(parent) = path.last_mut() {
                parent.lowest = parent.lowest.min(lowest);
            }
        }
        Vec::new()
    }
}
