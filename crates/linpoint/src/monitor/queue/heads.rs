//! Queues with repeated values: one head reads the enqueues, another the dequeues.
//!
//! Idea. The order of a queue's enqueues and the order of its dequeues and peeks are two sequences;
//! the specification only requires that their values agree. So they are built side by side, one
//! element at a time: the first head takes an enqueue, then the second head takes peeks of that
//! value and a dequeue of it. Each head has taken a set that real time allows. The set is
//! determined by the first operation in the order of returns that is missing, and the few open ones
//! that are not. So each head has O(n 2^k) states, with k operations open at the same time, and few
//! pairs of them belong together; pairs that failed are not tried again.
//!
//! What ties the heads together: when an enqueue is taken, no dequeue, peek or empty result that is still to
//! come may have returned before it was called; and when the queue is found empty, no enqueue that is still
//! to come may have returned before anything that the second head has taken was called. *Then the two
//! sequences can be merged:* two constraints from real time never make a circle with two sequences that
//! respect it; one from real time with one from the specification are the two rules; two from the
//! specification go with the number of elements.
//!
//! *Twins.* Of enqueues of one value that can be taken now, the one that returns first is. Let an order
//! take another one, and this one later: if the two change places, what comes in between has not been
//! called after either of them returned, and at each point the enqueues that are still to come return
//! later than before. The same for dequeues of one value and for peeks, unless the one that returns
//! first was called later, and later than everything that its head has taken, and something finds the queue
//! empty: that depends on the last call. A peek of the front that does not change the last call happens
//! now.
//!
//! The search is depth-first, because most linearizable histories need few steps. Once it has visited
//! too many states, it starts over, layer by layer (`layers.rs`).
//!
//! Operations that never returned may be taken, but need not be. Exponential in k: more than 64
//! open operations of a side are refused, and the caller's limits are respected.
//!
//! The idea of two heads is from the FPT algorithm for queues by FPTLin's authors. Deviations:
//! twins, depth-first search, pending operations, an order.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::monitor::columns::{Columns, Kind};
use crate::monitor::names::NONE;
use crate::monitor::peaks::Peaks;
use crate::monitor::{Clock, Contradiction, Effort, Found, Refusal};

use merge::merged;
use side::{Head, Side};

mod layers;
mod merge;
mod side;

/// Maximum number of states to visit depth-first: a constant, plus an amount for each operation.
const STATES: usize = 200_000;
const STATES_PER_OP: usize = 4;
/// A state, its place on the path and its successors need a few hundred bytes, so longer histories
/// are left to searches that count their memory.
const MOST_OPS: usize = 1 << 20;

/// The positions of the two heads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct State {
    enqueues: Head,
    fronts: Head,
    /// The value at the front that the second head still has to remove, or [`NONE`].
    front: u32,
}

impl State {
    const START: State = State { enqueues: Head::START, fronts: Head::START, front: NONE };
}

/// What was taken, by its position in its side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Move {
    Enqueue(u32),
    Front(u32),
}

struct Search<'a> {
    c: &'a Columns,
    enqueues: Side,
    fronts: Side,
    has_empties: bool,
}

/// Decides the rows.
pub(crate) fn decide(
    c: &Columns,
    clock: &mut Clock,
    effort: &mut Effort<'_>,
) -> Result<Found, Refusal> {
    if c.len() > MOST_OPS {
        return Err(Refusal::new("values repeat, and the history is too long"));
    }
    let enqueues = Side::of(c, |kind| kind == Kind::Add)?;
    let fronts =
        Side::of(c, |kind| matches!(kind, Kind::Remove | Kind::Take | Kind::Peek | Kind::Empty))?;
    let has_empties = c.kinds.contains(&Kind::Empty);
    let search = Search { c, enqueues, fronts, has_empties };
    let moves = match search.depth_first() {
        Some(moves) => moves,
        None => layers::run(&search, effort)?,
    };
    clock.decided();
    Ok(match moves {
        Some(moves) => Found::Order(merged(c, &search.enqueues, &search.fronts, &moves)),
        None => Found::Contradiction(contradiction(c)),
    })
}

/// The contradicting rows: all.
fn contradiction(c: &Columns) -> Contradiction {
    let takes_part = |row: &u32| c.kinds[*row as usize] != Kind::Idle;
    let rows: Vec<u32> = (0..c.len() as u32).filter(takes_part).collect();
    Contradiction::of_all(
        &rows,
        " have no order that is first in, first out, whichever equal values belong together",
    )
}

impl Search<'_> {
    /// The moves that explain everything, the inner `None` if none do. `None` if there are too many
    /// states.
    fn depth_first(&self) -> Option<Option<Vec<Move>>> {
        let most = STATES + STATES_PER_OP * self.c.len();
        let mut visited = FxHashSet::default();
        let mut path: Vec<Move> = Vec::new();
        let mut stack = vec![(State::START, self.moves(&State::START))];
        while let Some((state, moves)) = stack.last_mut() {
            if self.fronts.is_done(state.fronts) {
                return Some(Some(path));
            }
            let Some(next) = moves.pop() else {
                stack.pop();
                path.pop();
                continue;
            };
            let after = self.after(state, next);
            if visited.insert(after) {
                if visited.len() > most {
                    return None;
                }
                path.push(next);
                stack.push((after, self.moves(&after)));
            }
        }
        Some(None)
    }

    fn kind(&self, front: u32) -> Kind {
        self.c.kinds[self.fronts.rows[front as usize] as usize]
    }

    fn value(&self, side: &Side, op: u32) -> u32 {
        self.c.values[side.rows[op as usize] as usize]
    }

    fn after(&self, state: &State, next: Move) -> State {
        match next {
            Move::Enqueue(op) => State {
                enqueues: self.enqueues.take(state.enqueues, op),
                front: self.value(&self.enqueues, op),
                ..*state
            },
            Move::Front(op) => State {
                fronts: self.fronts.take(state.fronts, op),
                front: if self.kind(op) == Kind::Peek { state.front } else { NONE },
                ..*state
            },
        }
    }

    /// What can be taken next, the best last.
    fn moves(&self, state: &State) -> SmallVec<[Move; 4]> {
        let mut moves = SmallVec::new();
        if state.front == NONE {
            self.push_enqueues(state, &mut moves);
            self.push_empties(state, &mut moves);
        } else {
            let fits = |op: &u32| match self.kind(*op) {
                Kind::Remove | Kind::Peek => self.value(&self.fronts, *op) == state.front,
                kind => kind == Kind::Take,
            };
            self.push_fronts(state, fits, &mut moves);
            moves.reverse();
        }
        moves
    }

    /// Those that fit, without those that have a twin.
    fn push_fronts(
        &self,
        state: &State,
        fits: impl Fn(&u32) -> bool,
        moves: &mut SmallVec<[Move; 4]>,
    ) {
        // The call of what was taken matters for empty results only.
        let called = match self.has_empties {
            true => self.fronts.last_call(state.fronts),
            false => Peaks::NEVER,
        };
        let left = |op: u32| self.fronts.left[op as usize];
        for op in self.fronts.open(state.fronts).filter(fits) {
            let is_twin = |other: &Move| match *other {
                Move::Front(other) => {
                    self.kind(other) == self.kind(op) && left(other) <= called.max(left(op))
                }
                Move::Enqueue(_) => false,
            };
            if moves.iter().any(is_twin) {
                continue;
            }
            // A peek that costs nothing happens, and nothing else before it.
            if self.kind(op) == Kind::Peek && left(op) <= called {
                moves.clear();
                moves.push(Move::Front(op));
                return;
            }
            moves.push(Move::Front(op));
        }
    }

    fn push_enqueues(&self, state: &State, moves: &mut SmallVec<[Move; 4]>) {
        // No operation that is still to come may have returned before it was called.
        let until = self.fronts.first_return(state.fronts);
        let is_wanted = |op: &u32| {
            let value = self.value(&self.enqueues, *op);
            self.fronts.open(state.fronts).any(|front| match self.kind(front) {
                Kind::Remove | Kind::Peek => self.value(&self.fronts, front) == value,
                kind => kind == Kind::Take,
            })
        };
        let fits = |op: &u32| self.enqueues.left[*op as usize] <= until && is_wanted(op);
        for op in self.enqueues.open(state.enqueues).filter(fits) {
            let value = self.value(&self.enqueues, op);
            let is_twin = |other: &Move| match *other {
                Move::Enqueue(other) => self.value(&self.enqueues, other) == value,
                Move::Front(_) => false,
            };
            if !moves.iter().any(is_twin) {
                moves.push(Move::Enqueue(op));
            }
        }
        moves.reverse();
    }

    fn push_empties(&self, state: &State, moves: &mut SmallVec<[Move; 4]>) {
        let until = self.enqueues.first_return(state.enqueues);
        if until < self.fronts.last_call(state.fronts) {
            return;
        }
        let fits =
            |op: &u32| self.kind(*op) == Kind::Empty && self.fronts.left[*op as usize] <= until;
        let first = moves.len();
        moves.extend(self.fronts.open(state.fronts).filter(fits).map(Move::Front));
        moves[first..].reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Enqueues and dequeues of few values, with peeks, empty results and pending operations.
    fn draw(random: &mut fastrand::Rng) -> Columns {
        let n = random.usize(2..12);
        let mut c = Columns { value_count: 3, peaks: 3 * n as u32, ..Columns::default() };
        for _ in 0..n {
            let left = random.u32(0..2 * n as u32);
            let pending = random.u8(0..8) == 0;
            let (kind, value) = match random.u8(0..20) {
                0..9 => (Kind::Add, random.u32(0..3)),
                9..17 if pending => (Kind::Take, NONE),
                9..17 => (Kind::Remove, random.u32(0..3)),
                _ if pending => (Kind::Idle, NONE),
                17..19 => (Kind::Peek, random.u32(0..3)),
                _ => (Kind::Empty, NONE),
            };
            c.kinds.push(kind);
            c.values.push(value);
            c.left.push(left);
            c.right.push(if pending { Peaks::NEVER } else { left + random.u32(0..n as u32) });
        }
        c
    }

    fn search(c: &Columns) -> Search<'_> {
        let is_front = |kind| !matches!(kind, Kind::Add | Kind::Idle);
        let enqueues = Side::of(c, |kind| kind == Kind::Add).unwrap();
        let has_empties = c.kinds.contains(&Kind::Empty);
        Search { c, enqueues, fronts: Side::of(c, is_front).unwrap(), has_empties }
    }

    #[test]
    fn layers_find_what_depth_first_search_finds() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut answers = [0, 0];
        for _ in 0..40_000 {
            let c = draw(&mut random);
            let search = search(&c);
            let deep = search.depth_first().unwrap();
            let wide = layers::run(&search, &mut Effort::constant()).unwrap();
            assert_eq!(deep.is_some(), wide.is_some(), "{c:?}");
            answers[usize::from(deep.is_some())] += 1;
            // The moves are possible ones.
            let mut state = State::START;
            for step in wide.into_iter().flatten() {
                assert!(search.moves(&state).contains(&step));
                state = search.after(&state, step);
            }
        }
        assert!(answers.iter().all(|count| *count > 1_000), "{answers:?}");
    }
}
