//! The exact linearizability depth of a history: the least `d` for which there are `d` operations such that
//! *every* schedule that strongly hits them is a witness.
//!
//! The schedules that strongly hit `x0, …` are the schedules of a larger order, in which every
//! element that is neither at nor after any of `xi, …` comes before `xi`. To decide whether all of
//! them are witnesses, the code visits the sets of operations that can come first, once for each
//! state. Tuples are enumerated, and a tuple is abandoned as soon as some schedule fails. If `xi`
//! is at or after a later `xj`, it adds nothing to the order, so such tuples are skipped.

use rustc_hash::FxHashSet;

use super::poset::{Poset, Set, elements};
use super::replay::{Replay, States};
use crate::budget::Budget;
use crate::search::Stop;

/// Memory for each visited set of operations, in the hash set and on the stack.
const SEEN_BYTES: usize = 128;

/// The depth, if it is at most `most`.
pub(super) fn exact(
    poset: &Poset,
    replay: &mut Replay<'_, '_>,
    most: usize,
    budget: &mut Budget<'_>,
) -> Result<Option<usize>, Stop> {
    for d in 1..=most.min(poset.len()) {
        let mut tuple = Vec::with_capacity(d);
        if chosen(poset, replay, poset.all(), d, &mut tuple, budget)? {
            return Ok(Some(d));
        }
    }
    Ok(None)
}

/// Tries all tuples that end in `tuple`, which is stored back to front. `left` has the elements
/// that are at or after none of them.
fn chosen(
    poset: &Poset,
    replay: &mut Replay<'_, '_>,
    left: Set,
    more: usize,
    tuple: &mut Vec<usize>,
    budget: &mut Budget<'_>,
) -> Result<bool, Stop> {
    if more == 0 {
        return all_are_witnesses(poset, replay, tuple, budget);
    }
    for x in elements(left) {
        tuple.push(x);
        if chosen(poset, replay, left & !poset.up(x), more - 1, tuple, budget)? {
            return Ok(true);
        }
        tuple.pop();
    }
    Ok(false)
}

/// True if every schedule that strongly hits the tuple is a witness.
fn all_are_witnesses(
    poset: &Poset,
    replay: &mut Replay<'_, '_>,
    last_first: &[usize],
    budget: &mut Budget<'_>,
) -> Result<bool, Stop> {
    let mut seen: FxHashSet<(Set, States)> = FxHashSet::default();
    let all = walk(poset, replay, &before_each(poset, last_first), &mut seen, budget);
    budget.release(seen.len() * SEEN_BYTES);
    all
}

/// Visits all schedules of an order, as long as they are legal.
fn walk(
    poset: &Poset,
    replay: &mut Replay<'_, '_>,
    before: &[Set],
    seen: &mut FxHashSet<(Set, States)>,
    budget: &mut Budget<'_>,
) -> Result<bool, Stop> {
    let mut open = vec![(0, replay.initial(budget)?)];
    while let Some((done, states)) = open.pop() {
        for x in elements(poset.all() & !done) {
            if before[x] & !done != 0 {
                continue;
            }
            budget.step()?;
            let Some(after) = replay.step(states, x, budget)? else { return Ok(false) };
            let next = (done | 1 << x, after);
            if next.0 != poset.all() && !seen.contains(&next) {
                budget.reserve(SEEN_BYTES)?;
                seen.insert(next);
                open.push(next);
            }
        }
    }
    Ok(true)
}

/// The elements that must come before each element in a schedule that strongly hits the tuple.
pub(super) fn before_each(poset: &Poset, last_first: &[usize]) -> Vec<Set> {
    let mut before: Vec<Set> = (0..poset.len()).map(|x| poset.down(x) & !(1 << x)).collect();
    let mut covered = 0;
    for &x in last_first {
        covered |= poset.up(x);
        before[x] |= poset.all() & !covered;
    }
    before
}
