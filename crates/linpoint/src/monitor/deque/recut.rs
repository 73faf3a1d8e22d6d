//! Moving the cut to the middle.
//!
//! Elements go from the bottom of one half to the bottom of the other. The words of the half that gives
//! are divided at a height; for each set of lower parts, all upper parts that go with it are one set.
//! The lower parts are read backwards and put under the other half.
//!
//! Time: O(sets in the half that gives), while few sets have the same height. The cut moves once for
//! about as many operations as there are elements, or less often.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::bottom;
use super::contents::{Contents, Pairs};
use super::ends::End;
use crate::monitor::Refusal;
use crate::monitor::effort::Effort;
use crate::monitor::returns::words::{EMPTY_STACK, Set, Top, Words};

/// The cut is moved when one half has fewer elements than this.
const LEAST_HALF: usize = 4;
/// Shorter deques are not worth it: their bottoms are near.
const LEAST_LENGTH: usize = 32;
/// How far from the middle a good place is looked for.
const MARGIN: usize = 4;

/// Moves the cut of all contents to about the middle, if some of them have a short half.
pub(super) fn recut(
    all: &mut [&mut Contents],
    words: &mut Words,
    effort: &mut Effort<'_>,
) -> Result<(), Refusal> {
    let is_long = all.iter().all(|contents| contents.len() >= LEAST_LENGTH);
    let is_short = |contents: &&mut Contents, end| contents.half(end) < LEAST_HALF;
    let Some(to) = End::BOTH.into_iter().find(|end| all.iter().any(|c| is_short(c, *end))) else {
        return Ok(());
    };
    let Some(first) = all.first().filter(|_| is_long) else { return Ok(()) };
    let from = to.other();
    let given = good_height(first, from, words, effort)?;
    // Places are relative to the cut. An end may be on the other side of it.
    let shift = given as i32 - first.reach[to.index()].min(0);
    let mut mover = Mover { divided: FxHashMap::default(), reversed: FxHashMap::default() };
    for contents in all {
        let reach = contents.reach[to.index()].min(0) + shift;
        // Its end may be a few places from that of the first.
        let given = reach.clamp(0, contents.half(from) as i32) as usize;
        mover.give(contents, given, from, words, effort)?;
        contents.reach[to.index()] += shift;
        contents.reach[from.index()] -= shift;
    }
    Ok(())
}

/// How many elements one half gives so that the cut is about in the middle, at a height with as few
/// sets as possible.
fn good_height(
    contents: &Contents,
    from: End,
    words: &Words,
    effort: &mut Effort<'_>,
) -> Result<usize, Refusal> {
    let middle = (contents.len() / 2).saturating_sub(contents.half(from.other()));
    let mut counts = [0u32; 2 * MARGIN + 1];
    for pair in &contents.pairs {
        let sets = bottom::below(words, pair[from.index()], effort)?;
        for height in heights(words, &sets, effort)?.into_values() {
            if let Some(count) =
                (height + MARGIN).checked_sub(middle).and_then(|i| counts.get_mut(i))
            {
                *count += 1;
            }
        }
    }
    let distance = |i: usize| i.abs_diff(MARGIN);
    let best =
        (0..counts.len()).filter(|i| counts[*i] > 0).min_by_key(|i| (counts[*i], distance(*i)));
    Ok((middle + best.unwrap_or(MARGIN)).saturating_sub(MARGIN))
}

/// The length of the words of each set, which are in the order of their numbers.
fn heights(
    words: &Words,
    sets: &[Set],
    effort: &mut Effort<'_>,
) -> Result<FxHashMap<Set, usize>, Refusal> {
    let mut heights: FxHashMap<Set, usize> = FxHashMap::default();
    for &set in sets {
        effort.work(8)?;
        let below = words.tops(set).first().and_then(|(_, below)| heights.get(below));
        heights.insert(set, below.map_or(1, |height| height + 1));
    }
    Ok(heights)
}

/// Sets of lower parts, each with the set of upper parts that go with it.
type Divided = SmallVec<[(Set, Set); 1]>;

/// Moves elements. Contents have much in common, so it remembers what it did.
struct Mover {
    divided: FxHashMap<(Set, usize), Divided>,
    reversed: FxHashMap<Set, Set>,
}

impl Mover {
    /// Moves this many elements from one half to the other.
    fn give(
        &mut self,
        contents: &mut Contents,
        given: usize,
        from: End,
        words: &mut Words,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        let mut pairs = Pairs::new();
        for pair in &contents.pairs {
            let other = pair[from.other().index()];
            for (lower, upper) in self.divide(words, pair[from.index()], given, effort)? {
                let reversed = self.reverse(words, lower, effort)?;
                let mut after = [upper; 2];
                after[from.other().index()] = bottom::on_top_of(words, other, reversed, effort)?;
                pairs.push(after);
            }
        }
        contents.pairs = pairs;
        contents.merge(words, effort)
    }

    /// Divides the words of a set: lower parts of this length, and upper parts.
    fn divide(
        &mut self,
        words: &mut Words,
        whole: Set,
        lower: usize,
        effort: &mut Effort<'_>,
    ) -> Result<Divided, Refusal> {
        if lower == 0 {
            return Ok(Divided::from_elem((EMPTY_STACK, whole), 1));
        }
        if let Some(known) = self.divided.get(&(whole, lower)) {
            return Ok(known.clone());
        }
        let sets = bottom::below(words, whole, effort)?;
        let heights = heights(words, &sets, effort)?;
        for &set in sets.iter().filter(|set| heights.get(set).is_some_and(|h| *h >= lower)) {
            let mut divided = Divided::new();
            if heights.get(&set) == Some(&lower) {
                divided.push((set, EMPTY_STACK));
            } else {
                divided = self.divide_above(words, set, lower, effort)?;
            }
            effort.work(16 * divided.len())?;
            effort.reserve(64 + 8 * divided.len())?;
            self.divided.insert((set, lower), divided);
        }
        Ok(self.divided.get(&(whole, lower)).cloned().unwrap_or_default())
    }

    /// Divides the words of a set if those below it are divided.
    fn divide_above(
        &mut self,
        words: &mut Words,
        set: Set,
        lower: usize,
        effort: &mut Effort<'_>,
    ) -> Result<Divided, Refusal> {
        let mut parts: SmallVec<[(Set, SmallVec<[Top; 4]>); 4]> = SmallVec::new();
        for &(value, below) in words.tops(set) {
            for &(lower, upper) in self.divided.get(&(below, lower)).into_iter().flatten() {
                effort.work(4 + parts.len())?;
                match parts.iter_mut().find(|(set, _)| *set == lower) {
                    Some((_, tops)) => tops.push((value, upper)),
                    None => parts.push((lower, SmallVec::from_elem((value, upper), 1))),
                }
            }
        }
        let mut divided = Divided::new();
        for (lower, tops) in parts {
            divided.push((lower, words.node(&tops, effort)?));
        }
        Ok(divided)
    }

    /// The words of a set, read backwards.
    ///
    /// From the bottom up: after reading some values, the words may be in some of the sets of that
    /// height. Those with the same future are one set of the result.
    fn reverse(
        &mut self,
        words: &mut Words,
        set: Set,
        effort: &mut Effort<'_>,
    ) -> Result<Set, Refusal> {
        if let Some(known) = self.reversed.get(&set) {
            return Ok(*known);
        }
        let sets = bottom::below(words, set, effort)?;
        let heights = heights(words, &sets, effort)?;
        let mut levels: Vec<Vec<Set>> = vec![Vec::new(); heights.get(&set).copied().unwrap_or(0)];
        for &set in &sets {
            let level = heights.get(&set).and_then(|height| height.checked_sub(1));
            if let Some(level) = level.and_then(|level| levels.get_mut(level)) {
                level.push(set);
            }
        }
        let mut ways = Vec::new();
        let mut here = vec![vec![EMPTY_STACK]];
        for level in &levels {
            let (next, edges) = read_level(words, level, &here, effort)?;
            here = next;
            ways.push(edges);
        }
        // After the last value there is one place, and nothing left to read.
        let mut after = vec![EMPTY_STACK; here.len()];
        for edges in ways.iter().rev() {
            let mut before = Vec::with_capacity(edges.len());
            for tops in edges {
                let placed = |(value, to): &(u32, u32)| (*value, after[*to as usize]);
                let tops: SmallVec<[Top; 8]> = tops.iter().map(placed).collect();
                before.push(words.node(&tops, effort)?);
            }
            after = before;
        }
        let reversed = after.first().copied().unwrap_or(EMPTY_STACK);
        effort.reserve(32)?;
        self.reversed.insert(set, reversed);
        Ok(reversed)
    }
}

/// For each place: which value leads to which place of the next level, sorted by value.
type Edges = Vec<SmallVec<[(u32, u32); 4]>>;

/// Reads one value. Places are sets of sets, sorted.
fn read_level(
    words: &Words,
    level: &[Set],
    here: &[Vec<Set>],
    effort: &mut Effort<'_>,
) -> Result<(Vec<Vec<Set>>, Edges), Refusal> {
    let mut next: Vec<Vec<Set>> = Vec::new();
    let mut numbers: FxHashMap<Vec<Set>, u32> = FxHashMap::default();
    let mut edges = Edges::with_capacity(here.len());
    for place in here {
        let mut reached: SmallVec<[(u32, Set); 8]> = SmallVec::new();
        for &set in level {
            let tops = words.tops(set);
            effort.work(4 * tops.len())?;
            let fits = |(_, below): &&Top| place.binary_search(below).is_ok();
            reached.extend(tops.iter().filter(fits).map(|(value, _)| (*value, set)));
        }
        reached.sort_unstable();
        let mut out = SmallVec::new();
        for group in reached.chunk_by(|a, b| a.0 == b.0) {
            let sets: Vec<Set> = group.iter().map(|(_, set)| *set).collect();
            effort.work(16 + sets.len())?;
            let number = *numbers.entry(sets).or_insert_with_key(|sets| {
                next.push(sets.clone());
                next.len() as u32 - 1
            });
            out.push((group[0].0, number));
        }
        edges.push(out);
    }
    Ok((next, edges))
}
