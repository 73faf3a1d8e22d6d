//! One return: from all states before it to all states after it.
//!
//! A state is a set of operations that have taken effect, and the contents that the deque can have
//! after them. When `x` returns it must have taken effect. In states where it has not, a sequence of
//! open operations takes effect that ends with `x`. Not all sequences are tried: given any order that
//! explains the history, those of its operations that come before `x` and are still open after `x`
//! returned may as well come later, unless `x` needs them. Let σ be what an order has before `x`
//! since the previous return, without peeks and empty results. Among all orders, take one whose first σ
//! is as short as possible, then the second, and so on. Peeks and empty results change nothing; they
//! take effect as soon as they can. Let `x` be about the front; the back is the same in a mirror.
//!
//! *Moving operations at the back behind those at the front.* They follow each other in the order; what
//! is at the front can come first except that (a) a push at the back of an empty deque must stay before
//! a pop or peek of its element, (b) a pop that leaves nothing must stay before an empty result, and (c) a
//! peek at the back must stay before a pop that leaves nothing.
//!
//! **1. The deque is never empty before `x`.** Then nothing at the back is in σ, with one exception: by
//! (c), if `x` pops the only element and a peek at the back sees that element before.
//!
//! * What remains is a stack. A push in σ that is popped in σ moves behind `x`, with its pop and all between
//!   them: nothing below it is seen, and the other end stays as it is. So σ is pops, then pushes.
//! * If `x` is a pop there are no pushes, except one whose element `x` pops: the two change nothing, so they
//!   come first and the rest later.
//! * The exception: all elements are popped, from both ends. What was pushed in σ and popped is pushed and
//!   popped later, on the empty deque. So σ is pops at both ends.
//!
//! **2. It is empty at some time before `x`.** Look at the last such time.
//!
//! * Before it, everything is popped. Pops of the elements that were there before σ can come first, as
//!   each is at its end even if nothing was pushed. Then each element that was pushed is pushed, seen and
//!   popped before the next one is. Call these two or more operations a *pass*.
//! * After it, some elements are pushed and popped before `x`: these are passes too, and come first.
//!   The others are pushed in the order in which they were; each is at an end when it was before.
//! * If `x` is an empty result or a pop (of the only element, then), the deque is empty after `x`, and
//!   passes come later; so do pushes whose elements remain. So σ is pops at both ends, and for a pop a push
//!   at either end of what it pops.
//! * If `x` is a push or peek, a pass at one end without a peek at the other comes later. By (a), of the
//!   elements that remain only the first can be pushed at the back, if a peek sees it at the front. So σ
//!   is pops at both ends, passes, at most one push at the back, and pushes at the front.
//! * If there are no passes, no peeks, no empty results and no such push, the pops at the back come later
//!   too: this is case 1.
//!
//! *Operations of one end and value* trade places so that the one that returns first is taken
//! ([`Choice::is_next`](crate::monitor::returns::Choice::is_next)). This makes no σ longer. One that never
//! returned comes last, and a pop whose result is known before one that never returned.
//!
//! *A push at the front that never returned* can come later, until just before the first operation that
//! sees its element, if that is at the front: what was pushed above it has been popped by then, and the
//! back did not get as far. If no operation at the back finds the value any more, it is pushed only where
//! a pop or peek follows at once. The same is so of a pop that never returned and something that sees
//! what was below at the same end; but who sees it from the other end is hard to tell. So there are two
//! runs ([`Stepper::is_lazy`]). In the first, operations that never returned wait for what sees them at the
//! same end. That finds most orders, but not all: if there is none, everything is tried.
//!
//! States with the same operations are merged. Each step adds operations, so states are handled in the
//! order of their number of operations, and each is complete when its turn comes.

use smallvec::SmallVec;

use super::contents::Contents;
use super::ends::End;
use super::moments::{Moment, Moments};
use super::moves::take_of;
use super::recut::recut;
use crate::monitor::Refusal;
use crate::monitor::columns::{Columns, Kind};
use crate::monitor::effort::Effort;
use crate::monitor::returns::graph::{self, Done, Graph, Origin};
use crate::monitor::returns::pending::Used;

pub(super) type State = graph::State<Contents>;

/// What σ consists of so far.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Phase {
    /// Nothing but peeks and empty results.
    Start,
    /// Pops at the end that `x` is about.
    Pops,
    /// Pops at that end, the last of which waited for something that sees what was below.
    Takes,
    /// Pops, then pushes at that end.
    Pushes,
    /// Pops at both ends.
    Both,
    /// Pops at both ends, and passes, peeks or empty results.
    Passes,
    /// The operation that returns has taken effect.
    After,
}

impl graph::Phase for Phase {
    const START: Phase = Phase::Start;
    const AFTER: Phase = Phase::After;

    fn group(self) -> usize {
        0
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
        end: End,
        value: u32,
    },
    /// A push, then peeks of what it pushed.
    Push {
        row: u32,
        end: End,
        reads: u64,
    },
    /// A push, peeks of what it pushed, and a pop of it.
    Pass {
        push: u32,
        reads: u64,
        pop: u32,
    },
}

impl graph::Move for Move {
    const STAY: Move = Move::Stay;
}

/// A push that may take effect, and what has taken effect with it.
#[derive(Clone, Copy)]
pub(super) struct Push {
    pub(super) row: u32,
    pub(super) end: End,
    pub(super) value: u32,
    pub(super) done: Done,
    /// True if it never returned, and a pop or peek has to follow at once.
    pub(super) waits: bool,
}

/// The pop of a pass.
#[derive(Clone, Copy)]
pub(super) struct Popped {
    pub(super) row: u32,
    /// Its slot, if it returns.
    pub(super) bit: u64,
    pub(super) end: End,
    /// Pending operations that have taken effect with it.
    pub(super) used: Used,
}

pub(super) struct Stepper<'a> {
    pub(super) c: &'a Columns,
    pub(super) moments: &'a Moments,
    pub(super) moment: Moment,
    /// True if operations that never returned wait for what sees them at the same end. Then not all
    /// states are found.
    pub(super) is_lazy: bool,
    pub(super) graph: Graph<Contents, Phase, Move>,
}

/// With pending operations, states may double with each of them. Then it is better to search soon.
const MOST_NODES: usize = 1 << 20;
const MOST_NODES_WITH_PENDING: usize = 1 << 14;

impl<'a> Stepper<'a> {
    pub(super) fn new(c: &'a Columns, moments: &'a Moments, is_lazy: bool) -> Stepper<'a> {
        let most_nodes = match moments.has_pending() {
            true => MOST_NODES_WITH_PENDING,
            false => MOST_NODES,
        };
        Stepper { c, moments, moment: Moment::new(), is_lazy, graph: Graph::new(most_nodes) }
    }

    /// The rows in these slots.
    pub(super) fn rows_of(&self, mut bits: u64) -> impl Iterator<Item = u32> {
        std::iter::from_fn(move || {
            let row = (bits != 0).then(|| self.moment.row_of(bits))?;
            bits &= bits - 1;
            Some(row)
        })
    }
}

impl graph::Stepper for Stepper<'_> {
    type Contents = Contents;
    type Phase = Phase;
    type Move = Move;

    fn graph(&self) -> &Graph<Contents, Phase, Move> {
        &self.graph
    }

    fn graph_mut(&mut self) -> &mut Graph<Contents, Phase, Move> {
        &mut self.graph
    }

    fn returns(&self) -> usize {
        self.moments.len()
    }

    fn look_at(&mut self, at: usize) -> u64 {
        self.moments.fill(self.c, at, &mut self.moment);
        self.moment.bit
    }

    /// Moves the cut.
    fn settle(&mut self, states: &mut [State], effort: &mut Effort<'_>) -> Result<(), Refusal> {
        let mut contents: Vec<&mut Contents> =
            states.iter_mut().map(|state| &mut state.contents).collect();
        recut(&mut contents, &mut self.graph.words, effort)
    }

    /// Adds what follows from a node.
    fn expand(&mut self, node: u32, effort: &mut Effort<'_>) -> Result<(), Refusal> {
        effort.work(16)?;
        let phase = self.graph.nodes[node as usize].phase;
        let Some(state) = self.absorb(node, effort)? else { return Ok(()) };
        let (kind, end) = (self.moment.kind, self.moment.end);
        if matches!(phase, Phase::Start | Phase::Pops | Phase::Takes) && kind != Kind::Empty {
            self.pop(node, &state, end, Phase::Pops, effort)?;
        }
        if kind == Kind::Remove && phase == Phase::Start {
            self.push_and_pop(node, &state, end, effort)?;
        }
        if matches!(kind, Kind::Add | Kind::Peek)
            && matches!(phase, Phase::Start | Phase::Pops | Phase::Pushes)
        {
            for push in self.pushes(&[end], state.done, effort)? {
                self.push_here(node, &state, push, effort)?;
            }
        }
        match phase {
            Phase::Start | Phase::Both | Phase::Passes if state.contents.len() == 0 => {
                self.start_anew(node, &state, phase, effort)
            }
            Phase::Start | Phase::Both | Phase::Passes if self.can_be_emptied(&state) => {
                let next = if phase == Phase::Start { Phase::Both } else { phase };
                self.pop(node, &state, End::Front, next, effort)?;
                self.pop(node, &state, End::Back, next, effort)
            }
            _ => Ok(()),
        }
    }

    fn write(&self, by: Move, order: &mut Vec<u32>) {
        match by {
            Move::Stay => {}
            Move::Reads(bits) => order.extend(self.rows_of(bits)),
            Move::Pop { row, .. } => order.push(row),
            Move::Push { row, reads, .. } => {
                order.extend(self.rows_of(reads));
                order.push(row);
            }
            Move::Pass { push, reads, pop } => {
                order.push(pop);
                order.extend(self.rows_of(reads));
                order.push(push);
            }
        }
    }
}

impl Stepper<'_> {
    /// True if enough pops are open. Whether they pop the right elements is seen later.
    fn can_be_emptied(&self, state: &State) -> bool {
        let open = (self.moment.removals & !state.done.open).count_ones();
        let takes = End::BOTH.map(|end| {
            let taken = self.graph.pending.count(state.done.pending, take_of(end));
            self.moment.takes[end.index()].saturating_sub(taken)
        });
        state.contents.len() <= (open + takes[0] + takes[1]) as usize
    }

    /// Lets peeks and empty results take effect. Returns the state with the contents for which there
    /// were none, if there are such contents.
    fn absorb(&mut self, node: u32, effort: &mut Effort<'_>) -> Result<Option<State>, Refusal> {
        let graph::Node { phase, state } = &self.graph.nodes[node as usize];
        let (phase, state) = (*phase, state.clone());
        if state.contents.len() == 0 {
            let reads = self.moment.empties & !state.done.open;
            if reads == 0 {
                return Ok(Some(state));
            }
            self.add_read(phase, &state, reads, node, effort)?;
            return Ok(None);
        }
        let mut unread = None;
        for (contents, reads) in self.divide(End::Front, &state, effort)? {
            let part = State { contents, ..state };
            for (contents, more) in self.divide(End::Back, &part, effort)? {
                let part = State { contents, ..state };
                match reads | more {
                    0 => unread = Some(part),
                    reads => self.add_read(phase, &part, reads, node, effort)?,
                }
            }
        }
        Ok(unread)
    }

    /// Divides contents by the peeks that see their ends.
    fn divide(
        &mut self,
        end: End,
        state: &State,
        effort: &mut Effort<'_>,
    ) -> Result<SmallVec<[(Contents, u64); 1]>, Refusal> {
        let mut parts = SmallVec::new();
        let mut seen: SmallVec<[u32; 8]> = SmallVec::new();
        for &(value, bits) in &self.moment.peeks[end.index()] {
            let reads = bits & !state.done.open;
            if reads == 0 {
                continue;
            }
            if let Some(part) = state.contents.with(end, value, &mut self.graph.words, effort)? {
                parts.push((part, reads));
                seen.push(value);
            }
        }
        let rest = match seen.is_empty() {
            true => Some(state.contents.clone()),
            false => state.contents.without(end, &seen, &mut self.graph.words, effort)?,
        };
        parts.extend(rest.map(|rest| (rest, 0)));
        Ok(parts)
    }

    fn add_read(
        &mut self,
        phase: Phase,
        state: &State,
        reads: u64,
        from: u32,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        let phase = match phase {
            Phase::Both => Phase::Passes,
            Phase::Takes => Phase::Pops,
            phase => phase,
        };
        let mut state = state.clone();
        state.done.open |= reads;
        self.graph.add(phase, state, Origin::Node(from), Move::Reads(reads), effort)
    }
}
