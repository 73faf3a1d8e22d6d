//! Strong hitting families: a few schedules such that, for every choice and order of `d` elements,
//! one of the schedules delays them as long as possible in that order.
//!
//! A schedule *strongly hits* the elements `x0, …` if everything that comes after `xi` in the
//! schedule comes after some `xj`, `j ≥ i`, in the poset as well (or is one). A strong d-hitting
//! family has a schedule for every `d` elements in every order.
//!
//! **The construction.** For a chain of the poset and elements `x1, …`, let the *level* of an element be the
//! largest `i` such that it is at or after `xi`, or else 0. Elements are sorted by level; those of level 0 by
//! the number of elements of the chain at or before them; and all else by their numbers. All three keys grow
//! along the poset, so this is a schedule. It strongly hits `x0, x1, …` for each `x0` of the chain: what comes
//! after an `xi` has at least its level, which is at least `i`, hence a level above 0 names the `xj`; and
//! among those of level 0, what comes after `x0` has at least as many of the chain before it, `x0` included.
//! If `xi` is at or after a later `xj`, no element has the level `i`. Leaving `xi` out gives the
//! same schedule, so such tuples are skipped.
//!
//! Paper: B. Kulahcioglu Ozkan, R. Majumdar, F. Niksic, *Checking linearizability using hitting
//! families*, PPoPP 2019. Deviations: Algorithm 1 inserts elements one by one and, as printed, does
//! not always hit (it must insert before the earliest placed of several elements). Sorting always
//! does. Above level 0 the chain does not matter, so more indices give the same schedule.

use crate::sorting::sort_by_key;
use rustc_hash::FxHashSet;

use super::poset::{Poset, Set, elements};

/// A schedule: all elements, in an order that respects the poset.
pub type Schedule = Box<[u8]>;

/// The strong hitting families of a poset, for increasing `d`.
pub struct Family<'p> {
    poset: &'p Poset,
    /// For each chain, the order of level 0.
    orders: Vec<Vec<u8>>,
    d: usize,
    seen: FxHashSet<Schedule>,
    /// Maximum number of schedules.
    most: usize,
    /// Number of schedules made so far, including duplicates.
    made: usize,
}

/// Make at most this many schedules for each that may be kept, since very many indices may give a
/// small family.
const MADE_FOR_EACH: usize = 8;

/// The family would have too many schedules, or take too long to make.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooMany;

impl<'p> Family<'p> {
    /// An empty family. `chains` partition the elements into chains. `most` limits the number of
    /// schedules.
    pub fn new(poset: &'p Poset, chains: &[Vec<usize>], most: usize) -> Family<'p> {
        let orders = orders(poset, chains);
        Family { poset, orders, d: 0, seen: FxHashSet::default(), most, made: 0 }
    }

    /// The largest `d` for which this is a strong d-hitting family.
    pub fn d(&self) -> usize {
        self.d
    }

    /// Number of different schedules.
    pub fn len(&self) -> usize {
        self.seen.len()
    }

    /// True before the first step.
    pub fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }

    /// The schedules.
    pub fn schedules(&self) -> impl Iterator<Item = &[u8]> {
        self.seen.iter().map(|schedule| &**schedule)
    }

    /// Adds the schedules for the next `d`.
    pub fn grow(&mut self) -> Result<(), TooMany> {
        let mut tail = Vec::with_capacity(self.poset.len());
        self.choose(self.poset.all(), self.d, &mut tail)?;
        self.d += 1;
        Ok(())
    }

    /// Chooses `more` further elements, the last first. `left` has the elements that are not in
    /// `tail`, which is a schedule stored back to front.
    fn choose(&mut self, left: Set, more: usize, tail: &mut Vec<u8>) -> Result<(), TooMany> {
        if more == 0 {
            for order in &self.orders {
                let head = order.iter().copied().filter(|x| left >> x & 1 == 1);
                let schedule: Schedule = head.chain(tail.iter().rev().copied()).collect();
                self.seen.insert(schedule);
            }
            self.made += self.orders.len();
            let too_many =
                self.seen.len() > self.most || self.made > self.most.saturating_mul(MADE_FOR_EACH);
            return if too_many { Err(TooMany) } else { Ok(()) };
        }
        for x in elements(left) {
            let level = self.poset.up(x) & left;
            let before = tail.len();
            tail.extend(elements(level).map(|x| x as u8));
            tail[before..].reverse();
            self.choose(left & !level, more - 1, tail)?;
            tail.truncate(before);
        }
        Ok(())
    }
}

/// For each chain, all elements sorted by the number of elements of the chain at or before them.
pub(crate) fn orders(poset: &Poset, chains: &[Vec<usize>]) -> Vec<Vec<u8>> {
    let order = |chain: &Vec<usize>| {
        let members = chain.iter().fold(0, |all: Set, x| all | 1 << x);
        let mut order: Vec<u8> = (0..poset.len()).map(|x| x as u8).collect();
        sort_by_key(&mut order, |x| (poset.down(usize::from(*x)) & members).count_ones());
        order
    };
    chains.iter().map(order).collect()
}

/// The schedule for a chain and the elements `x1, …`, straight from the construction. For tests.
#[cfg(test)]
pub(crate) fn eager(poset: &Poset, chain: &[usize], tuple: &[usize]) -> Schedule {
    let level = |y: usize| {
        (0..tuple.len()).rev().find(|i| poset.at_most(tuple[*i], y)).map_or(0, |i| i + 1)
    };
    let of_chain = |y: usize| match level(y) {
        0 => chain.iter().filter(|x| poset.at_most(**x, y)).count(),
        _ => 0,
    };
    let mut all: Vec<usize> = (0..poset.len()).collect();
    all.sort_by_key(|y| (level(*y), of_chain(*y), *y));
    all.into_iter().map(|x| x as u8).collect()
}
