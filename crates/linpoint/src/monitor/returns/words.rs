//! Sets of stack contents.
//!
//! All contents that can be reached with the same operations have the same length, because these
//! operations determine how much was pushed and popped. A set of words of one length is a decision
//! diagram: a node has an edge for each value that may be on top, to the node of what may lie below
//! it. Nodes with the same edges are the same node, so equal sets have equal numbers, and what two
//! sets have in common is stored once. Pushing makes one node, popping follows an edge.
//!
//! A union takes at most the product of the two sizes. In practice the sets differ near the top only,
//! and unions end where they meet.

#[cfg(test)]
pub(in crate::monitor) mod tests;

use crate::monitor::Refusal;
use crate::monitor::effort::Effort;

/// A set of words: the number of a node.
pub(crate) type Set = u32;

/// The set whose only word is empty: the contents of an empty stack.
pub(crate) const EMPTY_STACK: Set = 0;

/// No node.
const NO_NODE: u32 = u32::MAX;

/// A value on top, and the set of what may lie below it.
pub(crate) type Top = (u32, Set);

/// Visits a set, and may renumber it.
pub(crate) type Visit<'a> = &'a mut dyn FnMut(&mut Set);

pub(crate) struct Words {
    /// The edges of node `i`, sorted by value: `edges[starts[i]..starts[i + 1]]`.
    edges: Vec<Top>,
    starts: Vec<u32>,
    /// Nodes by the hash of their edges, with open addressing.
    table: Vec<u32>,
    /// Recent unions, each at the place that its operands hash to.
    unions: Vec<[u32; 3]>,
    /// Unfinished unions, and the edges that they have found so far.
    frames: Vec<Frame>,
    found: Vec<Top>,
    /// Bytes that are accounted for.
    reserved: usize,
    /// With more nodes than this, it is time to sweep.
    most: usize,
}

/// A union that is being computed.
struct Frame {
    a: Set,
    b: Set,
    /// Edges of `a` and `b` that are done.
    i: u32,
    j: u32,
    /// The first of its edges in `found`.
    first: u32,
}

/// Bytes that are accounted for together.
const PORTION: usize = 1 << 20;
/// Nodes are not swept before there are this many. They and their table fit into the cache. Tests sweep often.
const LEAST_TO_SWEEP: usize = if cfg!(debug_assertions) { 1 << 4 } else { 1 << 16 };
/// Unions are remembered for as many nodes as there are places in the table, up to this number.
const MOST_REMEMBERED: usize = 1 << 16;

impl Words {
    pub(crate) fn new() -> Words {
        let mut words = Words {
            edges: Vec::new(),
            starts: vec![0, 0],
            table: Vec::new(),
            unions: Vec::new(),
            frames: Vec::new(),
            found: Vec::new(),
            reserved: 0,
            most: LEAST_TO_SWEEP,
        };
        words.fill_table(1 << 8);
        words
    }

    /// Number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// What may be on top, sorted by value.
    #[inline]
    pub(crate) fn tops(&self, set: Set) -> &[Top] {
        let (from, to) = (self.starts[set as usize], self.starts[set as usize + 1]);
        &self.edges[from as usize..to as usize]
    }

    /// What may lie below this value where it is on top.
    #[inline]
    pub(crate) fn below(&self, set: Set, value: u32) -> Option<Set> {
        self.tops(set).iter().find(|(top, _)| *top == value).map(|(_, below)| *below)
    }

    /// The words with this value pushed.
    pub(crate) fn push(
        &mut self,
        value: u32,
        below: Set,
        effort: &mut Effort<'_>,
    ) -> Result<Set, Refusal> {
        self.node(&[(value, below)], effort)
    }

    /// The node with these edges, of which there is at least one.
    pub(crate) fn node(&mut self, tops: &[Top], effort: &mut Effort<'_>) -> Result<Set, Refusal> {
        effort.work(4)?;
        let mask = self.table.len() - 1;
        let mut slot = hash_of(tops) as usize & mask;
        while self.table[slot] != NO_NODE {
            let node = self.table[slot];
            if self.tops(node) == tops {
                return Ok(node);
            }
            slot = (slot + 1) & mask;
        }
        let node = self.len() as u32;
        if node == NO_NODE - 1 || self.edges.len() + tops.len() > u32::MAX as usize {
            return Err(Refusal::new("too many orders are possible"));
        }
        self.table[slot] = node;
        self.edges.extend_from_slice(tops);
        self.starts.push(self.edges.len() as u32);
        self.account(effort)?;
        if 2 * self.len() > self.table.len() {
            self.grow(effort)?;
        }
        Ok(node)
    }

    /// Visits the values of all nodes.
    pub(crate) fn each_value(&self, visit: &mut dyn FnMut(u32)) {
        self.edges.iter().for_each(|(value, _)| visit(*value));
    }

    /// True if there are many more nodes than after the last sweep.
    pub(crate) fn is_large(&self) -> bool {
        self.len() > self.most
    }

    /// Drops all nodes that cannot be reached from some sets, and renumbers the sets. `each` visits each
    /// of them.
    pub(crate) fn sweep(
        &mut self,
        each: &mut dyn FnMut(Visit<'_>),
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        effort.work(8 * self.len())?;
        let mut numbers = vec![NO_NODE; self.len()];
        numbers[EMPTY_STACK as usize] = EMPTY_STACK;
        each(&mut |set| numbers[*set as usize] = 0);
        // What is below was made before.
        for node in (0..self.len()).rev().filter(|node| *node != EMPTY_STACK as usize) {
            if numbers[node] != NO_NODE {
                for &(_, below) in self.tops(node as u32) {
                    numbers[below as usize] = 0;
                }
            }
        }
        let (mut edges, mut starts) = (Vec::new(), vec![0]);
        for node in 0..self.len() {
            if numbers[node] != NO_NODE {
                numbers[node] = starts.len() as u32 - 1;
                let renumbered = |&(value, below): &Top| (value, numbers[below as usize]);
                edges.extend(self.tops(node as u32).iter().map(renumbered));
                starts.push(edges.len() as u32);
            }
        }
        each(&mut |set| *set = numbers[*set as usize]);
        (self.edges, self.starts) = (edges, starts);
        self.most = 2 * self.len() + LEAST_TO_SWEEP;
        self.fill_table((4 * self.len()).next_power_of_two().max(1 << 8));
        let bytes = self.bytes();
        if self.reserved > bytes + PORTION {
            effort.release(self.reserved - bytes - PORTION);
            self.reserved = bytes + PORTION;
        }
        Ok(())
    }

    /// Bytes in use. Vectors double, so up to half of a vector is unused.
    fn bytes(&self) -> usize {
        2 * (8 * self.edges.len() + 4 * self.starts.len())
            + 4 * self.table.len()
            + 12 * self.unions.len()
    }

    fn account(&mut self, effort: &mut Effort<'_>) -> Result<(), Refusal> {
        if self.bytes() > self.reserved {
            effort.reserve(PORTION)?;
            self.reserved += PORTION;
        }
        Ok(())
    }

    #[cold]
    fn grow(&mut self, effort: &mut Effort<'_>) -> Result<(), Refusal> {
        let size = 4 * self.table.len();
        // Both tables are there for a moment.
        effort.reserve(4 * size)?;
        self.reserved += 4 * size;
        effort.work(4 * self.len())?;
        self.fill_table(size);
        Ok(())
    }

    /// Makes a table of this size, a power of two. Forgets unions.
    fn fill_table(&mut self, size: usize) {
        self.table = vec![NO_NODE; size];
        self.unions = vec![[NO_NODE; 3]; size.min(MOST_REMEMBERED)];
        for node in 0..self.len() as u32 {
            let mut slot = hash_of(self.tops(node)) as usize & (size - 1);
            while self.table[slot] != NO_NODE {
                slot = (slot + 1) & (size - 1);
            }
            self.table[slot] = node;
        }
    }

    /// The words of both sets, which have the same length.
    pub(crate) fn union(
        &mut self,
        a: Set,
        b: Set,
        effort: &mut Effort<'_>,
    ) -> Result<Set, Refusal> {
        if let Some(union) = self.known_union(a, b) {
            return Ok(union);
        }
        let base = self.frames.len();
        self.begin_union(a, b);
        while let Some(mut frame) = self.frames.pop() {
            effort.work(4)?;
            if let Some((a, b)) = self.merge(&mut frame) {
                self.frames.push(frame);
                self.begin_union(a, b);
                continue;
            }
            let tops: smallvec::SmallVec<[Top; 8]> =
                self.found.drain(frame.first as usize..).collect();
            let union = self.node(&tops, effort)?;
            let place = self.place(frame.a, frame.b);
            self.unions[place] = [frame.a, frame.b, union];
            if self.frames.len() == base {
                return Ok(union);
            }
            // The frame below was waiting for this one.
            if let Some(last) = self.found.last_mut() {
                last.1 = union;
            }
        }
        // Never reached: the first frame returns above.
        Err(Refusal::new("too many orders are possible"))
    }

    fn begin_union(&mut self, a: Set, b: Set) {
        let first = self.found.len() as u32;
        self.frames.push(Frame { a: a.min(b), b: a.max(b), i: 0, j: 0, first });
    }

    fn place(&self, a: Set, b: Set) -> usize {
        let mixed = (u64::from(a) << 32 | u64::from(b)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed >> 32) as usize & (self.unions.len() - 1)
    }

    fn known_union(&self, a: Set, b: Set) -> Option<Set> {
        if a == b {
            return Some(a);
        }
        let (a, b) = (a.min(b), a.max(b));
        let [x, y, union] = self.unions[self.place(a, b)];
        (x == a && y == b).then_some(union)
    }

    /// Merges the edges of the two sets. Returns at a pair of sets whose union is not known; the
    /// last edge that was found waits for it.
    fn merge(&mut self, frame: &mut Frame) -> Option<(Set, Set)> {
        loop {
            let first = self.tops(frame.a).get(frame.i as usize).copied();
            let second = self.tops(frame.b).get(frame.j as usize).copied();
            match (first, second) {
                (None, None) => return None,
                (Some((v, below)), Some((w, other))) if v == w => {
                    (frame.i, frame.j) = (frame.i + 1, frame.j + 1);
                    let union = self.known_union(below, other);
                    self.found.push((v, union.unwrap_or(NO_NODE)));
                    if union.is_none() {
                        return Some((below, other));
                    }
                }
                (Some(top), None) => {
                    frame.i += 1;
                    self.found.push(top);
                }
                (Some(top), Some((w, _))) if top.0 < w => {
                    frame.i += 1;
                    self.found.push(top);
                }
                (_, Some(top)) => {
                    frame.j += 1;
                    self.found.push(top);
                }
            }
        }
    }
}

#[inline]
fn hash_of(tops: &[Top]) -> u64 {
    const K: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = tops.len() as u64;
    for &(value, below) in tops {
        hash = (hash.rotate_left(23) ^ (u64::from(value) << 32 | u64::from(below))).wrapping_mul(K);
    }
    hash ^ hash >> 29
}
