//! One return: from all states before it to all states after it.
//!
//! A state is a set of operations that have taken effect, and all contents that the container can have after them.
//! States with the same operations are merged. Each step adds operations, so states are handled in the order of
//! their number of operations, and each is complete when its turn comes. Which steps there are is up to the
//! container ([`Stepper::expand`]).

use std::hash::Hash;

use rustc_hash::FxHashMap;

use super::pending::{NONE_USED, Pending, Used};
use super::words::{Visit, Words};
use crate::monitor::Refusal;
use crate::monitor::effort::Effort;

/// Which operations have taken effect, among those that are open or never returned.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(in crate::monitor) struct Done {
    /// The slots of open operations.
    pub(in crate::monitor) open: u64,
    pub(in crate::monitor) pending: Used,
}

/// All contents that a container can have.
pub(in crate::monitor) trait Contents: Clone {
    /// The work of merging or storing them, at least.
    const WORK: usize;

    /// Nothing is in the container.
    fn empty() -> Self;

    /// Adds other contents, which are reached with the same operations.
    fn join(
        &mut self,
        other: &Self,
        words: &mut Words,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal>;

    /// Visits the sets of words.
    fn visit(&mut self, visit: Visit<'_>);

    /// Bytes on the heap.
    fn bytes(&self) -> usize;
}

/// What has taken effect so far, of the operations that are tried.
pub(in crate::monitor) trait Phase: Copy + Eq + Hash {
    /// Nothing has.
    const START: Self;
    /// The operation that returns has.
    const AFTER: Self;

    /// Phases of group 1 come after all of group 0.
    fn group(self) -> usize;
}

/// How a state follows from another.
pub(in crate::monitor) trait Move: Copy {
    /// Nothing happens.
    const STAY: Self;
}

/// A state between two returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::monitor) struct State<C> {
    pub(in crate::monitor) done: Done,
    pub(in crate::monitor) contents: C,
}

impl<C: Contents> State<C> {
    /// Before the first return.
    pub(super) fn start() -> Self {
        State { done: Done { open: 0, pending: NONE_USED }, contents: C::empty() }
    }

    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>() + self.contents.bytes()
    }
}

/// A state on the way.
#[derive(Clone, Copy)]
pub(in crate::monitor) struct Node<C, P> {
    pub(in crate::monitor) phase: P,
    pub(in crate::monitor) state: State<C>,
}

/// Where a state comes from.
#[derive(Clone, Copy)]
pub(in crate::monitor) enum Origin {
    /// A state before the return.
    Before(u32),
    /// A node of this return.
    Node(u32),
}

/// How a node follows from another.
#[derive(Clone, Copy)]
pub(in crate::monitor) struct Link<M> {
    pub(super) to: u32,
    pub(super) from: Origin,
    pub(super) by: M,
}

/// All states on the way through one return.
pub(in crate::monitor) struct Graph<C, P, M> {
    pub(in crate::monitor) words: Words,
    pub(in crate::monitor) pending: Pending,
    pub(in crate::monitor) nodes: Vec<Node<C, P>>,
    index: FxHashMap<(P, Done), u32>,
    /// Nodes by group and number of operations, without pending ones that all states have.
    levels: [Vec<Vec<u32>>; 2],
    /// Number of pending operations that all states have.
    base: u32,
    /// The slot of the operation that returns.
    bit: u64,
    /// How nodes follow from each other, if that is to be recorded.
    pub(super) links: Vec<Link<M>>,
    is_recording: bool,
    /// More nodes for one return are refused.
    most_nodes: usize,
}

impl<C: Contents, P: Phase, M: Move> Graph<C, P, M> {
    pub(in crate::monitor) fn new(most_nodes: usize) -> Self {
        Graph {
            words: Words::new(),
            pending: Pending::new(),
            nodes: Vec::new(),
            index: FxHashMap::default(),
            levels: [Vec::new(), Vec::new()],
            base: 0,
            bit: 0,
            links: Vec::new(),
            is_recording: false,
            most_nodes,
        }
    }

    fn begin(
        &mut self,
        bit: u64,
        before: &[State<C>],
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        self.bit = bit;
        self.nodes.clear();
        self.index.clear();
        self.links.clear();
        let totals = before.iter().map(|state| self.pending.total(state.done.pending));
        self.base = totals.min().unwrap_or(0);
        for (i, state) in before.iter().enumerate() {
            self.add(P::START, state.clone(), Origin::Before(i as u32), M::STAY, effort)?;
        }
        Ok(())
    }

    /// Adds a state, or what its container may contain to a state that is there.
    pub(in crate::monitor) fn add(
        &mut self,
        phase: P,
        mut state: State<C>,
        from: Origin,
        by: M,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        effort.work(C::WORK)?;
        effort.fits_another(&self.nodes)?;
        effort.fits_another(&self.links)?;
        effort.fits_another_in(&self.index)?;
        let has_happened = state.done.open & self.bit != 0;
        let phase = if has_happened { P::AFTER } else { phase };
        state.done.open &= !self.bit;
        let done = state.done;
        let new = self.nodes.len() as u32;
        let node = *self.index.entry((phase, done)).or_insert(new);
        if node == new {
            if self.nodes.len() >= self.most_nodes {
                return Err(Refusal::new("too many orders are possible"));
            }
            self.nodes.push(Node { phase, state });
            self.schedule(node, phase, done);
        } else {
            let known = &mut self.nodes[node as usize].state.contents;
            known.join(&state.contents, &mut self.words, effort)?;
        }
        if self.is_recording {
            self.links.push(Link { to: node, from, by });
        }
        Ok(())
    }

    fn schedule(&mut self, node: u32, phase: P, done: Done) {
        if phase == P::AFTER {
            return;
        }
        let pending = self.pending.total(done.pending) - self.base;
        let level = (done.open.count_ones() + pending) as usize;
        let levels = &mut self.levels[phase.group()];
        if levels.len() <= level {
            levels.resize_with(level + 1, Vec::new);
        }
        levels[level].push(node);
    }

    /// The states after the return.
    pub(super) fn after(&self) -> impl Iterator<Item = State<C>> {
        self.nodes.iter().filter(|node| node.phase == P::AFTER).map(|node| node.state.clone())
    }
}

/// What is specific to a container.
pub(in crate::monitor) trait Stepper {
    type Contents: Contents;
    type Phase: Phase;
    type Move: Move;

    fn graph(&self) -> &Graph<Self::Contents, Self::Phase, Self::Move>;

    fn graph_mut(&mut self) -> &mut Graph<Self::Contents, Self::Phase, Self::Move>;

    /// Number of returns.
    fn returns(&self) -> usize;

    /// Looks at a return. Its number is the number of those before it. Gives the slot of what returns.
    fn look_at(&mut self, at: usize) -> u64;

    /// Adds what follows from a node.
    fn expand(&mut self, node: u32, effort: &mut Effort<'_>) -> Result<(), Refusal>;

    /// Changes how the states after a return are represented, if that is useful. What it does must depend on the
    /// states only.
    fn settle(
        &mut self,
        _states: &mut [State<Self::Contents>],
        _effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        Ok(())
    }

    /// Writes the rows of a move, the last one first.
    fn write(&self, by: Self::Move, order: &mut Vec<u32>);
}

/// Handles a return. The states after it are the nodes of [`Phase::AFTER`].
pub(super) fn step<S: Stepper>(
    stepper: &mut S,
    at: usize,
    before: &[State<S::Contents>],
    is_recording: bool,
    effort: &mut Effort<'_>,
) -> Result<(), Refusal> {
    let bit = stepper.look_at(at);
    stepper.graph_mut().is_recording = is_recording;
    stepper.graph_mut().begin(bit, before, effort)?;
    for group in 0..stepper.graph().levels.len() {
        let mut level = 0;
        while level < stepper.graph().levels[group].len() {
            let mut nodes = std::mem::take(&mut stepper.graph_mut().levels[group][level]);
            for &node in &nodes {
                stepper.expand(node, effort)?;
            }
            // Keeps the allocation.
            nodes.clear();
            stepper.graph_mut().levels[group][level] = nodes;
            level += 1;
        }
    }
    Ok(())
}
