//! Stacks that grow and shrink at the bottom.
//!
//! Every set on the way to the bottom changes. What is below was made before, so the sets are handled
//! in the order of their numbers.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::monitor::Refusal;
use crate::monitor::effort::Effort;
use crate::monitor::returns::words::{EMPTY_STACK, Set, Top, Words};

/// The set and all below it except the empty one, in the order of their numbers.
pub(super) fn below(words: &Words, set: Set, effort: &mut Effort<'_>) -> Result<Vec<Set>, Refusal> {
    let mut sets = Vec::new();
    if set == EMPTY_STACK {
        return Ok(sets);
    }
    sets.push(set);
    // Mostly each set has one set below it.
    let mut met = FxHashSet::default();
    let mut next = 0;
    while let Some(&set) = sets.get(next) {
        effort.work(8)?;
        for &(_, below) in words.tops(set) {
            if below != EMPTY_STACK && met.insert(below) {
                sets.push(below);
            }
        }
        next += 1;
    }
    sets.sort_unstable();
    Ok(sets)
}

/// Adds the values that may be at the bottom of a word of the set.
pub(super) fn values(
    words: &Words,
    set: Set,
    values: &mut SmallVec<[u32; 8]>,
    effort: &mut Effort<'_>,
) -> Result<(), Refusal> {
    for set in below(words, set, effort)? {
        let tops = words.tops(set).iter();
        values.extend(tops.filter(|(_, below)| *below == EMPTY_STACK).map(|(value, _)| *value));
    }
    Ok(())
}

/// Puts a value under all words of the set.
pub(super) fn append(
    words: &mut Words,
    set: Set,
    value: u32,
    effort: &mut Effort<'_>,
) -> Result<Set, Refusal> {
    let bottom = words.push(value, EMPTY_STACK, effort)?;
    on_top_of(words, set, bottom, effort)
}

/// The words of `upper`, each on top of each word of `lower`.
pub(super) fn on_top_of(
    words: &mut Words,
    upper: Set,
    lower: Set,
    effort: &mut Effort<'_>,
) -> Result<Set, Refusal> {
    if upper == EMPTY_STACK || lower == EMPTY_STACK {
        return Ok(upper.max(lower));
    }
    let mut after: FxHashMap<Set, Set> = FxHashMap::from_iter([(EMPTY_STACK, lower)]);
    for set in below(words, upper, effort)? {
        effort.work(16)?;
        let placed = |(value, below): &Top| (*value, after.get(below).copied().unwrap_or(lower));
        let tops: SmallVec<[Top; 8]> = words.tops(set).iter().map(placed).collect();
        after.insert(set, words.node(&tops, effort)?);
    }
    Ok(after.get(&upper).copied().unwrap_or(lower))
}

/// What is above this value in the words that have it at the bottom. `None` if no word has.
pub(super) fn chop(
    words: &mut Words,
    set: Set,
    value: u32,
    effort: &mut Effort<'_>,
) -> Result<Option<Set>, Refusal> {
    let sets = below(words, set, effort)?;
    let mut after: FxHashMap<Set, Option<Set>> = FxHashMap::default();
    let mut tops: SmallVec<[Top; 8]> = SmallVec::new();
    for &set in &sets {
        effort.work(16)?;
        let is_last = words.tops(set).iter().all(|(_, below)| *below == EMPTY_STACK);
        let rest = if is_last {
            words.below(set, value)
        } else {
            tops.clear();
            for &(value, below) in words.tops(set) {
                let rest = after.get(&below).copied().flatten();
                tops.extend(rest.map(|rest| (value, rest)));
            }
            if tops.is_empty() { None } else { Some(words.node(&tops, effort)?) }
        };
        after.insert(set, rest);
    }
    Ok(after.get(&set).copied().flatten())
}
