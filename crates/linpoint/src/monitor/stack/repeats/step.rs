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

use super::moments::{Moment, Moments};
use crate::monitor::Refusal;
use crate::monitor::columns::{Columns, Kind};
use crate::monitor::effort::Effort;
use crate::monitor::returns::graph::{self, Done, Graph, Origin};
use crate::monitor::returns::pending::TAKE;
use crate::monitor::returns::words::{EMPTY_STACK, Set, Visit, Words};

pub(super) type State = graph::State<Set>;

impl graph::Contents for Set {
    const WORK: usize = 8;

    fn empty() -> Set {
        EMPTY_STACK
    }

    fn join(
        &mut self,
        other: &Set,
        words: &mut Words,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        *self = words.union(*self, *other, effort)?;
        Ok(())
    }

    fn visit(&mut self, visit: Visit<'_>) {
        visit(self);
    }

    fn bytes(&self) -> usize {
        0
    }
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

impl graph::Phase for Phase {
    const START: Phase = Phase::Start;
    const AFTER: Phase = Phase::After;

    fn group(self) -> usize {
        usize::from(self == Phase::Pushes)
    }
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

impl graph::Move for Move {
    const STAY: Move = Move::Stay;
}

pub(super) struct Stepper<'a> {
    pub(super) c: &'a Columns,
    pub(super) moments: &'a Moments,
    pub(super) moment: Moment,
    pub(super) graph: Graph<Set, Phase, Move>,
}

impl<'a> Stepper<'a> {
    pub(super) fn new(c: &'a Columns, moments: &'a Moments) -> Stepper<'a> {
        Stepper { c, moments, moment: Moment::new(), graph: Graph::new(usize::MAX) }
    }
}

impl graph::Stepper for Stepper<'_> {
    type Contents = Set;
    type Phase = Phase;
    type Move = Move;

    fn graph(&self) -> &Graph<Set, Phase, Move> {
        &self.graph
    }

    fn graph_mut(&mut self) -> &mut Graph<Set, Phase, Move> {
        &mut self.graph
    }

    fn returns(&self) -> usize {
        self.moments.len()
    }

    fn look_at(&mut self, at: usize) -> u64 {
        self.moments.fill(self.c, at, &mut self.moment);
        self.moment.bit
    }

    /// Adds what follows from a node.
    fn expand(&mut self, node: u32, effort: &mut Effort<'_>) -> Result<(), Refusal> {
        effort.work(self.moment.pushes.len() + self.moment.pops.len())?;
        let phase = self.graph.nodes[node as usize].phase;
        let Some(state) = self.absorb(node, effort)? else { return Ok(()) };
        if phase == Phase::Pushes {
            return self.push(node, state, effort);
        }
        self.pop(node, state, effort)?;
        match self.moment.kind {
            Kind::Remove if phase == Phase::Start => self.push_and_pop(node, state, effort),
            Kind::Add | Kind::Peek if phase != Phase::Takes => {
                self.graph.add(Phase::Pushes, state, Origin::Node(node), Move::Stay, effort)
            }
            _ => Ok(()),
        }
    }

    fn write(&self, by: Move, order: &mut Vec<u32>) {
        let write_reads = |order: &mut Vec<u32>, mut bits: u64| {
            while bits != 0 {
                order.push(self.moment.row_of(bits));
                bits &= bits - 1;
            }
        };
        match by {
            Move::Stay => {}
            Move::Reads(bits) => write_reads(order, bits),
            Move::Pop { row, .. } => order.push(row),
            Move::Push { row, reads } => {
                write_reads(order, reads);
                order.push(row);
            }
            Move::PushAndPop { row, reads } => {
                order.push(self.moment.row);
                write_reads(order, reads);
                order.push(row);
            }
        }
    }
}

impl Stepper<'_> {
    /// Lets peeks and empty results take effect. Returns the state with the contents for which there
    /// were none, if there are such contents.
    fn absorb(&mut self, node: u32, effort: &mut Effort<'_>) -> Result<Option<State>, Refusal> {
        let graph::Node { phase, state } = self.graph.nodes[node as usize];
        let done = state.done.open;
        let next = if phase == Phase::Takes { Phase::Pops } else { phase };
        if state.contents == EMPTY_STACK {
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
            let Some(below) = self.graph.words.below(state.contents, value) else { continue };
            let words = self.graph.words.push(value, below, effort)?;
            self.add_read(next, State { contents: words, ..state }, reads, node, effort)?;
            rest.get_or_insert_with(|| self.graph.words.tops(state.contents).to_vec())
                .retain(|(top, _)| *top != value);
        }
        Ok(match rest {
            None => Some(state),
            Some(tops) if tops.is_empty() => None,
            Some(tops) => Some(State { contents: self.graph.words.node(&tops, effort)?, ..state }),
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
        self.graph.add(phase, state, Origin::Node(from), Move::Reads(reads), effort)
    }

    fn pop(&mut self, node: u32, state: State, effort: &mut Effort<'_>) -> Result<(), Refusal> {
        let Done { open, pending } = state.done;
        for i in 0..self.moment.pops.len() {
            let pop = self.moment.pops[i];
            if !pop.is_next(open) {
                continue;
            }
            let Some(words) = self.graph.words.below(state.contents, pop.value) else { continue };
            let after = State { done: Done { open: open | pop.bit, pending }, contents: words };
            let by = Move::Pop { row: self.moment.row_of(pop.bit), value: pop.value };
            self.graph.add(Phase::Pops, after, Origin::Node(node), by, effort)?;
        }
        let taken = self.graph.pending.count(pending, TAKE);
        let Some(row) = self.moments.take(taken).filter(|_| taken < self.moment.takes) else {
            return Ok(());
        };
        let pending = self.graph.pending.add(pending, TAKE, effort)?;
        for i in 0..self.graph.words.tops(state.contents).len() {
            let (value, words) = self.graph.words.tops(state.contents)[i];
            // A pop that returns comes first.
            if !self.moment.has_pop(value, open) {
                let after = State { done: Done { open, pending }, contents: words };
                let by = Move::Pop { row, value };
                self.graph.add(Phase::Takes, after, Origin::Node(node), by, effort)?;
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
        self.graph.add(Phase::After, state, Origin::Node(node), by, effort)
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
        let used = self.graph.pending.count(done.pending, value);
        let called = self.moments.unfinished(self.c, &self.moment, value);
        let Some(row) = self.moments.unfinished_push(value, used).filter(|_| used < called) else {
            return Ok(None);
        };
        let pending = self.graph.pending.add(done.pending, value, effort)?;
        Ok(Some((row, Done { pending, ..done })))
    }

    fn push(&mut self, node: u32, state: State, effort: &mut Effort<'_>) -> Result<(), Refusal> {
        let open = state.done.open;
        for i in 0..self.moment.pushes.len() {
            let push = self.moment.pushes[i];
            if !push.is_next(open) {
                continue;
            }
            let contents = self.graph.words.push(push.value, state.contents, effort)?;
            let done = Done { open: open | push.bit, ..state.done };
            let by = Move::Push { row: self.moment.row_of(push.bit), reads: 0 };
            let state = State { done, contents };
            self.graph.add(Phase::Pushes, state, Origin::Node(node), by, effort)?;
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
            let contents = self.graph.words.push(value, state.contents, effort)?;
            let state = State { done: Done { open: open | reads, ..done }, contents };
            let by = Move::Push { row, reads };
            self.graph.add(Phase::Pushes, state, Origin::Node(node), by, effort)?;
        }
        Ok(())
    }
}
