//! Depth-first search: Wing and Gong's algorithm and just-in-time linearization, each as a tree
//! search (backtracking only) and as a graph search (with memory).
//!
//! Idea. To explain a history, repeatedly choose an operation that may take effect next: one that
//! was called before the first return that is not explained yet. *Wing–Gong* tries them in call
//! order. *Just-in-time* tries the operation whose return is next first, so that nothing takes
//! effect before some return forces it; on real histories it is right more often. Both explore the
//! same graph of configurations (returns explained, open operations in effect, state). The tree
//! searches keep only the path, and undo a step by going back to an earlier state number. The graph
//! searches remember which configurations failed and never expand one twice.
//!
//! Complexity. With at most k operations open at the same time and s states reachable for each set
//! of effects, a graph search visits at most n·2ᵏ·s configurations, each with up to k moves. Tree
//! searches are exponential in n. Complete for every specification.
//!
//! Papers: J. Wing, C. Gong, *Testing and verifying concurrent objects*, JPDC 1993; G. Lowe,
//! *Testing for linearizability*, CCPE 2017, sections 3 and 4. Deviations: (1) configurations are
//! `(return, slot mask, state number)` instead of sets of all linearized operations; with
//! [`Switches::slot_masks`] off, graph searches hash the full set as in the paper. (2) Reads are
//! absorbed, twins dropped and pending operations counted, see [`super::frontier`]. (3) Memory is
//! bounded: see [`DepthFirst::make_room`].

use rustc_hash::FxHashSet;

use super::automaton::{Automaton, Transition};
use super::frontier::{Choice, Frontier};
use super::ledger::Ledger;
use super::mask::{Mask, Wide};
use super::problem::Problem;
use super::visited::{Config, Visited};
use super::{MoveOrder, Outcome, StateId, Stop, Stopped, Switches};
use crate::budget::{Budget, Limit};

/// Selects one of the four searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Style {
    pub(crate) order: MoveOrder,
    /// Graph search rather than tree search.
    pub(crate) remember: bool,
}

/// A configuration on the path. The moves not tried yet are on top of the move stack.
struct Frame<M> {
    config: Config<M>,
    /// The moves of this frame are `moves[moves_from..]`.
    moves_from: usize,
    /// The length of `order` that led here.
    order_len: usize,
}

/// A choice, and the state it leads to, if already known.
#[derive(Clone, Copy)]
struct Move {
    choice: Choice,
    to: StateId,
}

const NOT_ASKED: StateId = StateId(u32::MAX);
/// Reserve memory for frames in chunks of this many.
const FRAME_CHUNK: usize = 256;
/// If memory runs out again after fewer steps than this, clearing it is no longer useful.
const MIN_STEPS_PER_CLEARING: u64 = 5_000;

struct DepthFirst<'r, 'a, M> {
    frontier: Frontier<'r, M>,
    automaton: &'r mut Automaton<'a>,
    ledger: Ledger,
    seen: Seen<M>,
    frames: Vec<Frame<M>>,
    moves: Vec<Move>,
    /// The choices on the path, in order.
    order: Vec<Choice>,
    frames_paid: usize,
    last_clearing: Option<u64>,
    scratch: Vec<Choice>,
}

/// Runs the search. (Not generic, so that it is compiled once instead of for every specification.)
pub(crate) fn search(
    problem: &Problem,
    automaton: &mut Automaton<'_>,
    style: Style,
    switches: Switches,
    budget: &mut Budget<'_>,
) -> Result<Outcome, Stopped> {
    if problem.width <= 64 {
        search_with::<u64>(problem, automaton, style, switches, budget)
    } else {
        search_with::<Wide>(problem, automaton, style, switches, budget)
    }
}

fn search_with<M: Mask>(
    problem: &Problem,
    automaton: &mut Automaton<'_>,
    style: Style,
    switches: Switches,
    budget: &mut Budget<'_>,
) -> Result<Outcome, Stopped> {
    let mut search = DepthFirst {
        frontier: Frontier::<M>::new(problem, switches, style.order),
        automaton,
        ledger: Ledger::new(true),
        seen: Seen::new(style.remember, switches.slot_masks, problem.ids.len()),
        frames: Vec::new(),
        moves: Vec::new(),
        order: Vec::new(),
        frames_paid: 0,
        last_clearing: None,
        scratch: Vec::new(),
    };
    let mut reached = 0;
    search.run(problem, &mut reached, budget).map_err(|stop| Stopped { stop, reached })
}

impl<M: Mask> DepthFirst<'_, '_, M> {
    fn run(
        &mut self,
        problem: &Problem,
        reached: &mut u32,
        budget: &mut Budget<'_>,
    ) -> Result<Outcome, Stop> {
        let state = self.automaton.initial(budget)?;
        let start = Config { returns: 0, state, used: 0, mask: M::empty(problem.width) };
        if self.enter(start, reached, budget)? {
            return Ok(Outcome::Linearizable(std::mem::take(&mut self.order)));
        }
        while let Some(frame) = self.frames.last() {
            let (order_len, moves_from, returns) =
                (frame.order_len, frame.moves_from, frame.config.returns);
            self.seen.truncate(&self.order[order_len..]);
            self.order.truncate(order_len);
            if self.moves.len() == moves_from {
                if let Some(frame) = self.frames.pop() {
                    self.seen.failed(&frame.config, budget);
                }
                continue;
            }
            self.frontier.go_to(returns);
            budget.step()?;
            match self.try_next(reached, budget) {
                Ok(true) => return Ok(Outcome::Linearizable(std::mem::take(&mut self.order))),
                Ok(false) => {}
                Err(Stop::Limit(Limit::Memory)) => self.make_room(budget)?,
                Err(stop) => return Err(stop),
            }
        }
        Ok(Outcome::NotLinearizable { reached: *reached })
    }

    /// Tries the best move of the top frame. The move is removed from the stack only after it has
    /// been tried, so that it can be tried again after [`DepthFirst::make_room`].
    fn try_next(&mut self, reached: &mut u32, budget: &mut Budget<'_>) -> Result<bool, Stop> {
        let (Some(frame), Some(&mv)) = (self.frames.last(), self.moves.last()) else {
            return Ok(false);
        };
        let state = if mv.to != NOT_ASKED {
            mv.to
        } else {
            let class = self.frontier.class_of(mv.choice);
            match self.automaton.step(frame.config.state, class, budget)? {
                Transition::Illegal => {
                    self.moves.pop();
                    return Ok(false);
                }
                Transition::To(state) => state,
                Transition::ToAny(at) => {
                    let states = self.automaton.many(at);
                    self.moves.pop();
                    self.moves.extend(states.iter().map(|&to| Move { choice: mv.choice, to }));
                    return Ok(false);
                }
            }
        };
        let next =
            self.frontier.after(&frame.config, mv.choice, state, &mut self.ledger, budget)?;
        let Some(next) = next else {
            self.moves.pop();
            return Ok(false);
        };
        self.order.push(mv.choice);
        self.seen.push(mv.choice);
        // The move is popped by `enter`, below the moves of the new frame.
        self.moves.pop();
        let entered = self.enter(next, reached, budget);
        if matches!(entered, Err(Stop::Limit(Limit::Memory))) {
            self.moves.push(Move { choice: mv.choice, to: state });
        }
        entered
    }

    /// Enters a configuration. True if everything is explained there.
    fn enter(
        &mut self,
        mut config: Config<M>,
        reached: &mut u32,
        budget: &mut Budget<'_>,
    ) -> Result<bool, Stop> {
        let (order, seen) = (&mut self.order, &mut self.seen);
        let took = |choice| {
            order.push(choice);
            seen.push(choice);
        };
        self.frontier.settle(&mut config, self.automaton, &mut self.ledger, budget, took)?;
        *reached = (*reached).max(config.returns);
        budget.explains(*reached);
        if self.frontier.is_at_end() {
            return Ok(true);
        }
        if self.seen.has_failed(&config) {
            return Ok(false);
        }
        if self.frames.len() >= self.frames_paid {
            budget.reserve(FRAME_CHUNK * (size_of::<Frame<M>>() + 4 * size_of::<Move>()))?;
            self.frames_paid += FRAME_CHUNK;
        }
        budget.fits_another(&self.frames)?;
        budget.fits_another(&self.order)?;
        let moves_from = self.moves.len();
        // Moves may be left over from an attempt that a limit ended.
        self.scratch.clear();
        self.frontier.push_moves(&config, &self.ledger, &mut self.scratch, budget)?;
        budget.work(self.frontier.mask_words())?;
        if self.moves.len() + self.scratch.len() > self.moves.capacity() {
            // A growing vector doubles.
            budget.fits(2 * self.moves.capacity() * size_of::<Move>())?;
        }
        let unasked = |choice| Move { choice, to: NOT_ASKED };
        self.moves.extend(self.scratch.drain(..).map(unasked));
        self.frames.push(Frame { config, moves_from, order_len: self.order.len() });
        Ok(false)
    }

    /// Memory is short: forgets all configurations, and all states that are not on the path. The
    /// search continues, and may visit the same configurations again. Gives up if clearing helped
    /// too little the last time.
    fn make_room(&mut self, budget: &mut Budget<'_>) -> Result<(), Stop> {
        let now = budget.steps();
        if self.last_clearing.is_some_and(|last| now < last + MIN_STEPS_PER_CLEARING) {
            return Err(Stop::Limit(Limit::Memory));
        }
        self.last_clearing = Some(now);
        self.seen.forget(budget);
        let asked = self.moves.iter().filter(|m| m.to != NOT_ASKED).map(|m| m.to);
        let mut live: Vec<StateId> =
            self.frames.iter().map(|f| f.config.state).chain(asked).collect();
        self.automaton.keep_only(&mut live, budget);
        let mut live = live.into_iter();
        let states = self.frames.iter_mut().map(|f| &mut f.config.state);
        let asked = self.moves.iter_mut().filter(|m| m.to != NOT_ASKED).map(|m| &mut m.to);
        for (state, id) in states.chain(asked).zip(&mut live) {
            *state = id;
        }
        Ok(())
    }
}

/// What a graph search remembers, and how: the configurations that are dead ends.
///
/// Remembering them when they have failed, rather than when they are entered, is enough: a search
/// cannot meet a configuration below itself, since every step makes something take effect. So a
/// search that never has to backtrack remembers nothing.
enum Seen<M> {
    /// A tree search remembers nothing.
    Nothing,
    Slots(Visited<M>),
    /// As in the paper: the set of all operations in effect, with one bit for each.
    FullSets {
        now: Vec<u64>,
        failed: FxHashSet<FullSet>,
        bytes: usize,
    },
}

/// All operations in effect, the state, and the pending operations used.
type FullSet = (Box<[u64]>, StateId, u32);

impl<M: Mask> Seen<M> {
    fn new(remember: bool, slot_masks: bool, ops: usize) -> Self {
        match (remember, slot_masks) {
            (false, _) => Seen::Nothing,
            (true, true) => Seen::Slots(Visited::new()),
            (true, false) => Seen::FullSets {
                now: vec![0; ops.div_ceil(64)],
                failed: FxHashSet::default(),
                bytes: 0,
            },
        }
    }

    fn flip(&mut self, choice: Choice) {
        if let (Seen::FullSets { now, .. }, Ok(op)) = (self, choice.split()) {
            now[op as usize / 64] ^= 1 << (op % 64);
        }
    }

    fn push(&mut self, choice: Choice) {
        self.flip(choice);
    }

    /// Undoes the choices at the end of the order.
    fn truncate(&mut self, undone: &[Choice]) {
        if matches!(self, Seen::FullSets { .. }) {
            undone.iter().for_each(|choice| self.flip(*choice));
        }
    }

    fn has_failed(&self, config: &Config<M>) -> bool {
        match self {
            Seen::Nothing => false,
            Seen::Slots(visited) => visited.contains(config),
            Seen::FullSets { now, failed, .. } => {
                failed.contains(&(now.clone().into(), config.state, config.used))
            }
        }
    }

    /// Records a dead end. If there is no memory for it, it is not recorded. The choices that led
    /// to `config` must still be in effect.
    fn failed(&mut self, config: &Config<M>, budget: &mut Budget<'_>) {
        match self {
            Seen::Nothing => {}
            Seen::Slots(visited) => {
                visited.insert(config, budget);
            }
            Seen::FullSets { now, failed, bytes } => {
                let size = now.len() * 8 + 64;
                if budget.reserve(size).is_ok() {
                    *bytes += size;
                    failed.insert((now.clone().into(), config.state, config.used));
                }
            }
        }
    }

    fn forget(&mut self, budget: &mut Budget<'_>) {
        match self {
            Seen::Nothing => {}
            Seen::Slots(visited) => visited.forget(budget),
            Seen::FullSets { failed, bytes, .. } => {
                *failed = FxHashSet::default();
                budget.release(std::mem::take(bytes));
            }
        }
    }
}
