//! Searches for a witness in the strong hitting families of a history, for increasing `d`.
//!
//! A schedule of the family (see [`super::family`]) is a head, which depends on a chain, and then one block for
//! each of `x1, …`. What is left after the head is everything at or after one of them. Read from the front, the
//! next block goes with some `x` that is minimal in what is left, and it takes the elements at or after `x`
//! which are not at or after one of the later ones: those are the other minimal elements, and any further ones
//! that are chosen among what comes after `x`. So the possible continuations of a schedule depend
//! only on what is left, on the number of blocks and on the state. A head that contradicts a result
//! is abandoned, heads share their common prefixes, and dead ends are remembered with their number
//! of blocks.
//!
//! Complexity: at most `O(m·nᵈ)` steps for `m` chains and `n` operations, and fewer if schedules
//! have much in common. This can only confirm: to refute, `d` would have to go up to `n`.

use rustc_hash::{FxHashMap, FxHashSet};

use super::family::orders;
use super::poset::{Poset, Set, elements};
use super::replay::{Replay, States};
use crate::budget::{Budget, Limit};
use crate::search::Stop;

/// Approximate memory for a remembered dead end or a step of a head.
const ENTRY_BYTES: usize = 64;

/// A witness, and the least `d` whose family has one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Hit {
    pub(crate) order: Vec<u8>,
    pub(crate) d: usize,
}

/// Searches for a witness up to `d = most`.
pub(crate) fn search(
    poset: &Poset,
    chains: &[Vec<usize>],
    replay: &mut Replay<'_, '_>,
    most: usize,
    budget: &mut Budget<'_>,
) -> Result<Option<Hit>, Stop> {
    let initial = replay.initial(budget)?;
    let mut search = Search {
        poset,
        orders: orders(poset, chains),
        replay,
        heads: vec![initial],
        steps: FxHashMap::default(),
        starts: Vec::new(),
        known: FxHashSet::default(),
        hopeless: FxHashMap::default(),
        order: Vec::new(),
    };
    for d in 1..=most.min(poset.len()) {
        if search.with(d - 1, budget)? {
            return Ok(Some(Hit { order: search.order, d }));
        }
    }
    Ok(None)
}

/// A head, the elements it leaves, and its final states.
#[derive(Clone, Copy)]
struct Start {
    chain: usize,
    left: Set,
    states: States,
}

/// A step of a head that contradicts a result.
const DEAD: u32 = u32::MAX;

struct Search<'s, 'r, 'a> {
    poset: &'s Poset,
    orders: Vec<Vec<u8>>,
    replay: &'s mut Replay<'r, 'a>,
    /// The nodes of a tree: where the steps of heads lead.
    heads: Vec<States>,
    steps: FxHashMap<(u32, u8), u32>,
    starts: Vec<Start>,
    /// What starts leave and where they end, so that another chain does not repeat them.
    known: FxHashSet<(Set, States)>,
    /// Dead ends, with the number of blocks that do not suffice.
    hopeless: FxHashMap<(Set, States), usize>,
    /// The schedule that is being tried, from its first block to its end.
    order: Vec<u8>,
}

impl Search<'_, '_, '_> {
    /// Tries all schedules with `blocks` blocks.
    fn with(&mut self, blocks: usize, budget: &mut Budget<'_>) -> Result<bool, Stop> {
        self.choose(self.poset.all(), 0, blocks, 0, budget)?;
        for at in 0..self.starts.len() {
            let Start { chain, left, states } = self.starts[at];
            self.order.clear();
            let head = self.orders[chain].iter().copied().filter(|x| left >> x & 1 == 0);
            self.order.extend(head);
            if self.finish(left, blocks, states, budget)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Makes the starts that leave the elements at or after `more` further elements, none of which
    /// is at or after another. `candidates` are those that may be chosen; they are larger than
    /// those chosen before.
    fn choose(
        &mut self,
        candidates: Set,
        left: Set,
        more: usize,
        from: usize,
        budget: &mut Budget<'_>,
    ) -> Result<(), Stop> {
        if more == 0 {
            for chain in 0..self.orders.len() {
                budget.step()?;
                if let Some(states) = self.head(chain, left, budget)?
                    && self.known.insert((left, states))
                {
                    budget.reserve(2 * ENTRY_BYTES)?;
                    self.starts.push(Start { chain, left, states });
                }
            }
            return Ok(());
        }
        for x in elements(candidates).filter(|x| *x >= from) {
            // A larger number never comes before a smaller one.
            let free = candidates & !self.poset.up(x);
            self.choose(free, left | self.poset.up(x), more - 1, x + 1, budget)?;
        }
        Ok(())
    }

    /// Performs a head.
    fn head(
        &mut self,
        chain: usize,
        left: Set,
        budget: &mut Budget<'_>,
    ) -> Result<Option<States>, Stop> {
        let mut node = 0;
        for at in 0..self.poset.len() {
            let x = self.orders[chain][at];
            if left >> x & 1 == 1 {
                continue;
            }
            let next = match self.steps.get(&(node, x)) {
                Some(next) => *next,
                None => {
                    budget.step()?;
                    budget.reserve(ENTRY_BYTES)?;
                    let from = self.heads[node as usize];
                    let next = match self.replay.step(from, usize::from(x), budget)? {
                        None => DEAD,
                        Some(states) => {
                            self.heads.push(states);
                            self.heads.len() as u32 - 1
                        }
                    };
                    self.steps.insert((node, x), next);
                    next
                }
            };
            if next == DEAD {
                return Ok(None);
            }
            node = next;
        }
        Ok(Some(self.heads[node as usize]))
    }

    /// True if the elements left can be performed with `blocks` blocks; `order` then ends with
    /// them.
    fn finish(
        &mut self,
        left: Set,
        blocks: usize,
        states: States,
        budget: &mut Budget<'_>,
    ) -> Result<bool, Stop> {
        if left == 0 {
            return Ok(true);
        }
        let minimal = self.poset.minimal(left);
        if minimal.count_ones() as usize > blocks {
            return Ok(false);
        }
        if self.hopeless.get(&(left, states)).is_some_and(|known| *known >= blocks) {
            return Ok(false);
        }
        for x in elements(minimal) {
            let others = minimal & !(1 << x);
            let later = self.poset.closure(others);
            let more = blocks - minimal.count_ones() as usize;
            let choices = left & self.poset.up(x) & !later & !(1 << x);
            let block = Block { left, blocks, states };
            if self.block(block, later, choices, more, budget)? {
                return Ok(true);
            }
        }
        if self.hopeless.insert((left, states), blocks).is_none() {
            budget.reserve(ENTRY_BYTES)?;
        }
        Ok(false)
    }

    /// Tries a block that defers `later`, and then blocks that also defer up to `more` of the
    /// `choices` and what comes after them.
    fn block(
        &mut self,
        block: Block,
        later: Set,
        choices: Set,
        more: usize,
        budget: &mut Budget<'_>,
    ) -> Result<bool, Stop> {
        let before = self.order.len();
        if let Some(states) = self.perform(block.left & !later, block.states, budget)?
            && self.finish(block.left & later, block.blocks - 1, states, budget)?
        {
            return Ok(true);
        }
        self.order.truncate(before);
        if more == 0 {
            return Ok(false);
        }
        let mut rest = choices;
        for x in elements(choices) {
            // Each combination is tried once, smallest element first.
            rest &= !(1 << x);
            let kept = self.poset.up(x);
            if self.block(block, later | kept, rest & !kept, more - 1, budget)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Performs operations in the order of their numbers.
    fn perform(
        &mut self,
        ops: Set,
        mut states: States,
        budget: &mut Budget<'_>,
    ) -> Result<Option<States>, Stop> {
        for x in elements(ops) {
            budget.step()?;
            match self.replay.step(states, x, budget)? {
                None => return Ok(None),
                Some(next) => states = next,
            }
            self.order.push(x as u8);
        }
        Ok(Some(states))
    }
}

/// The context of a block.
#[derive(Clone, Copy)]
struct Block {
    left: Set,
    blocks: usize,
    states: States,
}

/// The depth bound was reached.
pub(crate) fn gave_up() -> Stop {
    Stop::Limit(Limit::Depth)
}
