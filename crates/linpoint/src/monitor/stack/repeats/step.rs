//! One return: from all states before it to all states after it.
//!
//! A state is a set of operations that have taken effect, and the contents that the stack can have
//! after them. When `x` returns it must have taken effect. In states where it has not, a sequence of
//! open operations takes effect that ends with `x`. Not all sequences are tried: given any order that
//! explains the history, those of its operations that come before `x` and are still open after `x`
//! returned may as well come later, unless `x` needs them. Let σ be what an order has before `x`
//! since the previous return.
//!
//! * *A push in σ that is popped in σ* can move behind `x`, together with its pop and all between
//!   them: such a section changes nothing, and what is below it does not matter. It does not precede
//!   anything in σ, since its operations return after `x`.
//! * So σ is a sequence of pops followed by a sequence of pushes. *If `x` is a pop or an empty result*,
//!   the pushes would have to be popped before it, so there are none, with one exception: `x` pops
//!   what the last of them pushed. Then this push and `x` change nothing, can come first, and the rest
//!   of σ later.
//! * *Peeks and empty results* change nothing. They take effect as soon as they can.
//! * *Of two pushes (or pops) of one value*, the one that returns first is taken
//!   ([`Choice::is_next`](crate::monitor::returns::Choice::is_next)). One that never returned comes last.
//! * *A push that never returned* can come later, until just before the first operation that sees its
//!   element: a pop or a peek of its value. If nothing sees it, it need not take effect.
//! * *A pop that never returned* can come later, until just before the first operation that sees what
//!   was below: a pop, a peek or an empty result. What was pushed in between lies above the element
//!   instead, and has been popped by then.
//!
//! Each of these moves shortens σ, or moves pending operations towards the end, or brings twins into
//! the order of their returns, or reads towards the front, in this order of importance. So some order
//! admits none of them, and it is found.
//!
//! States with the same operations are merged. Each sequence adds operations, so states are handled in
//! the order of their number of operations, and each is complete when its turn comes.

use rustc_hash::FxHashMap;

use super::moments::{Moment, Moments};
use crate::monitor::Refusal;
use crate::monitor::columns::{Columns, Kind};
use crate::monitor::effort::Effort;
use crate::monitor::returns::pending::{NONE_USED, Pending, TAKE, Used};
use crate::monitor::returns::words::{EMPTY_STACK, Set, Words};

/// Which operations have taken effect, among those that are open or never returned.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Done {
    /// The slots of open operations.
    pub(super) open: u64,
    pub(super) pending: Used,
}

/// A state between two returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct State {
    pub(super) done: Done,
    pub(super) words: Set,
}

impl State {
    /// Before the first return.
    pub(super) const START: State =
        State { done: Done { open: 0, pending: NONE_USED }, words: EMPTY_STACK };
}

/// What σ consists of so far.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Phase {
    /// Nothing but peeks and empty results.
    Start,
    /// Pops.
    Pops,
    /// Pops, the last of which never returned. Something has to see what was below.
    Takes,
    /// Pops, then pushes.
    Pushes,
    /// The operation that returns has taken effect.
    After,
}

/// A state on the way.
#[derive(Clone, Copy)]
pub(super) struct Node {
    pub(super) phase: Phase,
    pub(super) state: State,
}

/// How a state follows from another.
#[derive(Clone, Copy, Debug)]
pub(super) enum Move {
    /// Nothing happens.
    Stay,
    /// Peeks and empty results.
    Reads(u64),
    Pop {
        row: u32,
        value: u32,
    },
    /// A push, then peeks of what it pushed.
    Push {
        row: u32,
        reads: u64,
    },
    /// A push, peeks of what it pushed, and the pop that returns.
    PushAndPop {
        row: u32,
        reads: u64,
    },
}

/// Where a state comes from.
#[derive(Clone, Copy)]
pub(super) enum Origin {
    /// A state before the return.
    Before(u32),
    /// A node of this return.
    Node(u32),
}

pub(super) struct Link {
    pub(super) to: u32,
    pub(super) from: Origin,
    pub(super) by: Move,
}

pub(super) struct Stepper<'a> {
    pub(super) c: &'a Columns,
    pub(super) moments: &'a Moments,
    pub(super) moment: Moment,
    pub(super) words: Words,
    pub(super) pending: Pending,
    pub(super) nodes: Vec<Node>,
    index: FxHashMap<(Phase, Done), u32>,
    /// Nodes by their number of operations, without pending ones that all states have: those without
    /// pushes, and those with.
    levels: [Vec<Vec<u32>>; 2],
    /// Number of pending operations that all states have.
    base: u32,
    /// How nodes follow from each other, if that is to be recorded.
    pub(super) links: Vec<Link>,
    is_recording: bool,
}

impl<'a> Stepper<'a> {
    pub(super) fn new(c: &'a Columns, moments: &'a Moments) -> Stepper<'a> {
        Stepper {
            c,
            moments,
            moment: Moment::new(),
            words: Words::new(),
            pending: Pending::new(),
            nodes: Vec::new(),
            index: FxHashMap::default(),
            levels: [Vec::new(), Vec::new()],
            base: 0,
            links: Vec::new(),
            is_recording: false,
        }
    }

    /// Handles a return. The states after it are the nodes of [`Phase::After`].
    pub(super) fn step(
        &mut self,
        at: usize,
        before: &[State],
        is_recording: bool,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        self.moments.fill(self.c, at, &mut self.moment);
        self.is_recording = is_recording;
        self.nodes.clear();
        self.index.clear();
        self.links.clear();
        let totals = before.iter().map(|state| self.pending.total(state.done.pending));
        self.base = totals.min().unwrap_or(0);
        for (i, &state) in before.iter().enumerate() {
            let has_happened = state.done.open & self.moment.bit != 0;
            let phase = if has_happened { Phase::After } else { Phase::Start };
            self.add(phase, state, Origin::Before(i as u32), Move::Stay, effort)?;
        }
        for group in 0..self.levels.len() {
            let mut level = 0;
            while level < self.levels[group].len() {
                let nodes = std::mem::take(&mut self.levels[group][level]);
                for &node in &nodes {
                    self.expand(node, effort)?;
                }
                // Keeps the allocation.
                self.levels[group][level] = nodes;
                self.levels[group][level].clear();
                level += 1;
            }
        }
        Ok(())
    }

    /// Adds a state, or what its stack may contain to a state that is there.
    fn add(
        &mut self,
        phase: Phase,
        mut state: State,
        from: Origin,
        by: Move,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        effort.work(8)?;
        effort.fits_another(&self.nodes)?;
        effort.fits_another(&self.links)?;
        effort.fits_another_in(&self.index)?;
        let has_happened = phase == Phase::After || state.done.open & self.moment.bit != 0;
        let phase = if has_happened { Phase::After } else { phase };
        state.done.open &= !self.moment.bit;
        let new = self.nodes.len() as u32;
        let node = *self.index.entry((phase, state.done)).or_insert(new);
        if node == new {
            self.nodes.push(Node { phase, state });
            self.schedule(node, phase, state.done);
        } else {
            let known = self.nodes[node as usize].state.words;
            let union = self.words.union(known, state.words, effort)?;
            self.nodes[node as usize].state.words = union;
        }
        if self.is_recording {
            self.links.push(Link { to: node, from, by });
        }
        Ok(())
    }

    fn schedule(&mut self, node: u32, phase: Phase, done: Done) {
        let group = match phase {
            Phase::Start | Phase::Pops | Phase::Takes => 0,
            Phase::Pushes => 1,
            Phase::After => return,
        };
        let pending = self.pending.total(done.pending) - self.base;
        let level = (done.open.count_ones() + pending) as usize;
        if self.levels[group].len() <= level {
            self.levels[group].resize_with(level + 1, Vec::new);
        }
        self.levels[group][level].push(node);
    }

    /// Adds what follows from a node.
    fn expand(&mut self, node: u32, effort: &mut Effort<'_>) -> Result<(), Refusal> {
        effort.work(self.moment.pushes.len() + self.moment.pops.len())?;
        let phase = self.nodes[node as usize].phase;
        let Some(state) = self.absorb(node, effort)? else { return Ok(()) };
        if phase == Phase::Pushes {
            return self.push(node, state, effort);
        }
        self.pop(node, state, effort)?;
        match self.moment.kind {
            Kind::Remove if phase == Phase::Start => self.push_and_pop(node, state, effort),
            Kind::Add | Kind::Peek if phase != Phase::Takes => {
                self.add(Phase::Pushes, state, Origin::Node(node), Move::Stay, effort)
            }
            _ => Ok(()),
        }
    }

    /// Lets peeks and empty results take effect. Returns the state with the contents for which there
    /// were none, if there are such contents.
    fn absorb(&mut self, node: u32, effort: &mut Effort<'_>) -> Result<Option<State>, Refusal> {
        let Node { phase, state } = self.nodes[node as usize];
        let done = state.done.open;
        let next = if phase == Phase::Takes { Phase::Pops } else { phase };
        if state.words == EMPTY_STACK {
            let reads = self.moment.empties & !done;
            if reads == 0 {
                return Ok(Some(state));
            }
            self.add_read(next, state, reads, node, effort)?;
            return Ok(None);
        }
        let mut rest: Option<Vec<(u32, Set)>> = None;
        for i in 0..self.moment.peeks.len() {
            let (value, bits) = self.moment.peeks[i];
            let reads = bits & !done;
            if reads == 0 {
                continue;
            }
            let Some(below) = self.words.below(state.words, value) else { continue };
            let words = self.words.push(value, below, effort)?;
            self.add_read(next, State { words, ..state }, reads, node, effort)?;
            rest.get_or_insert_with(|| self.words.tops(state.words).to_vec())
                .retain(|(top, _)| *top != value);
        }
        Ok(match rest {
            None => Some(state),
            Some(tops) if tops.is_empty() => None,
            Some(tops) => Some(State { words: self.words.node(&tops, effort)?, ..state }),
        })
    }

    fn add_read(
        &mut self,
        phase: Phase,
        mut state: State,
        reads: u64,
        from: u32,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        state.done.open |= reads;
        self.add(phase, state, Origin::Node(from), Move::Reads(reads), effort)
    }

    fn pop(&mut self, node: u32, state: State, effort: &mut Effort<'_>) -> Result<(), Refusal> {
        let Done { open, pending } = state.done;
        for i in 0..self.moment.pops.len() {
            let pop = self.moment.pops[i];
            if !pop.is_next(open) {
                continue;
            }
            let Some(words) = self.words.below(state.words, pop.value) else { continue };
            let after = State { done: Done { open: open | pop.bit, pending }, words };
            let by = Move::Pop { row: self.moment.row_of(pop.bit), value: pop.value };
            self.add(Phase::Pops, after, Origin::Node(node), by, effort)?;
        }
        let taken = self.pending.count(pending, TAKE);
        let Some(row) = self.moments.take(taken).filter(|_| taken < self.moment.takes) else {
            return Ok(());
        };
        let pending = self.pending.add(pending, TAKE, effort)?;
        for i in 0..self.words.tops(state.words).len() {
            let (value, words) = self.words.tops(state.words)[i];
            // A pop that returns comes first.
            if !self.moment.has_pop(value, open) {
                let after = State { done: Done { open, pending }, words };
                let by = Move::Pop { row, value };
                self.add(Phase::Takes, after, Origin::Node(node), by, effort)?;
            }
        }
        Ok(())
    }

    /// The operation that returns pops what an open push has just pushed.
    fn push_and_pop(
        &mut self,
        node: u32,
        mut state: State,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        let value = self.moment.value;
        let Some((row, done)) = self.push_of(value, state.done, effort)? else { return Ok(()) };
        let reads = self.moment.peeks_of(value) & !state.done.open;
        state.done = Done { open: done.open | reads | self.moment.bit, ..done };
        let by = Move::PushAndPop { row, reads };
        self.add(Phase::After, state, Origin::Node(node), by, effort)
    }

    /// A push of the value that may take effect, and what has taken effect with it.
    fn push_of(
        &mut self,
        value: u32,
        done: Done,
        effort: &mut Effort<'_>,
    ) -> Result<Option<(u32, Done)>, Refusal> {
        let of_value =
            |choice: &&super::moments::Choice| choice.value == value && choice.is_next(done.open);
        if let Some(push) = self.moment.pushes.iter().find(of_value) {
            let open = done.open | push.bit;
            return Ok(Some((self.moment.row_of(push.bit), Done { open, ..done })));
        }
        let used = self.pending.count(done.pending, value);
        let called = self.moments.unfinished(self.c, &self.moment, value);
        let Some(row) = self.moments.unfinished_push(value, used).filter(|_| used < called) else {
            return Ok(None);
        };
        let pending = self.pending.add(done.pending, value, effort)?;
        Ok(Some((row, Done { pending, ..done })))
    }

    fn push(&mut self, node: u32, state: State, effort: &mut Effort<'_>) -> Result<(), Refusal> {
        let open = state.done.open;
        for i in 0..self.moment.pushes.len() {
            let push = self.moment.pushes[i];
            if !push.is_next(open) {
                continue;
            }
            let words = self.words.push(push.value, state.words, effort)?;
            let done = Done { open: open | push.bit, ..state.done };
            let by = Move::Push { row: self.moment.row_of(push.bit), reads: 0 };
            self.add(Phase::Pushes, State { done, words }, Origin::Node(node), by, effort)?;
        }
        if self.moments.has_unfinished() {
            self.push_unfinished(node, state, effort)?;
        }
        Ok(())
    }

    /// A push that never returned takes effect if a peek sees its element.
    fn push_unfinished(
        &mut self,
        node: u32,
        state: State,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        let open = state.done.open;
        for i in 0..self.moment.peeks.len() {
            let (value, bits) = self.moment.peeks[i];
            let reads = bits & !open;
            if reads == 0 {
                continue;
            }
            let Some((row, done)) = self.push_of(value, state.done, effort)? else { continue };
            if done.open != open {
                // A push that returns comes first.
                continue;
            }
            let words = self.words.push(value, state.words, effort)?;
            let done = Done { open: open | reads, ..done };
            let by = Move::Push { row, reads };
            self.add(Phase::Pushes, State { done, words }, Origin::Node(node), by, effort)?;
        }
        Ok(())
    }
}
