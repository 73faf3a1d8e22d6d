//! The orders that lead to each of several states, as a tree.

use super::names::NONE;

/// Compact only trees with more nodes than this.
const LEAST: usize = 1 << 16;

/// A step, usually a row that took effect, and what comes before it.
#[derive(Clone, Copy, Debug)]
struct Node {
    before: u32,
    step: u32,
}

#[derive(Debug)]
pub(crate) struct Trace {
    nodes: Vec<Node>,
    /// False if no order will be asked for.
    is_kept: bool,
    /// Number of nodes at which to compact.
    most: usize,
}

impl Trace {
    /// The place before everything.
    pub(crate) const START: u32 = 0;

    pub(crate) fn new(is_kept: bool) -> Trace {
        Trace { nodes: vec![Node { before: NONE, step: NONE }], is_kept, most: LEAST }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node>()
    }

    /// The place after a step at this place.
    pub(crate) fn after(&mut self, before: u32, step: u32) -> u32 {
        if !self.is_kept {
            return Trace::START;
        }
        self.nodes.push(Node { before, step });
        self.nodes.len() as u32 - 1
    }

    /// The steps before a place, in order.
    pub(crate) fn order(&self, mut place: u32) -> Vec<u32> {
        let mut order = Vec::new();
        while place != Trace::START {
            let node = self.nodes[place as usize];
            order.push(node.step);
            place = node.before;
        }
        order.reverse();
        order
    }

    /// Forgets nodes that lead to none of these places, which change. Does so rarely enough to cost
    /// nothing.
    pub(crate) fn compact<'p>(&mut self, places: impl Iterator<Item = &'p mut u32>) {
        if self.nodes.len() < self.most {
            return;
        }
        let places: Vec<&mut u32> = places.collect();
        let mut renamed = vec![NONE; self.nodes.len()];
        renamed[Trace::START as usize] = Trace::START;
        places.iter().for_each(|place| renamed[**place as usize] = Trace::START);
        for i in (1..self.nodes.len()).rev() {
            if renamed[i] != NONE {
                renamed[self.nodes[i].before as usize] = Trace::START;
            }
        }
        let mut kept = 0;
        for i in 0..self.nodes.len() {
            if renamed[i] == NONE {
                continue;
            }
            let Node { before, step } = self.nodes[i];
            let before = if i == 0 { NONE } else { renamed[before as usize] };
            self.nodes[kept] = Node { before, step };
            renamed[i] = kept as u32;
            kept += 1;
        }
        self.nodes.truncate(kept);
        self.most = (2 * kept).max(LEAST);
        places.into_iter().for_each(|place| *place = renamed[*place as usize]);
    }
}
