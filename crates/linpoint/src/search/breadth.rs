//! Breadth-first just-in-time search: all configurations at one return, then at the next.
//!
//! Idea. Between two returns, keep the set of all configurations that explain everything so far.
//! At a return, let open operations take effect in every way that ends with the returning one. If
//! the set becomes empty, the history is not linearizable, and that return is where no order of
//! the recorded results is left. Where nothing is open, only the set of states survives.
//!
//! Complexity. Time as for the worst case of the depth-first graph search: every reachable
//! configuration is visited. Space is one level, plus the paths to it, which are pruned as they die
//! out. Complete for every specification.
//!
//! Paper: G. Lowe, *Testing for linearizability*, CCPE 2017, section 4 (mentioned there as less
//! efficient than depth-first search; it is less lucky, but more robust). Deviations: the
//! reductions of [`super::frontier`]; of configurations that differ only in the pending operations
//! they have used, only the minimal ones are kept.

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::automaton::{Automaton, Transition};
use super::frontier::{Choice, Frontier};
use super::ledger::{Ledger, UsedId};
use super::mask::{Mask, Wide};
use super::problem::Problem;
use super::visited::{Config, Visited};
use super::{MoveOrder, Outcome, StateId, Stop, Stopped, Switches};
use crate::budget::{Budget, Limit};

/// A configuration with the path that led to it.
#[derive(Clone)]
struct Node<M> {
    config: Config<M>,
    path: PathId,
}

/// How many times a pending operation may take effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Supply {
    /// Once.
    Counted,
    /// Any number of times. This is a relaxation: its "no" is conclusive, its "yes" means nothing.
    /// It has far fewer configurations, since used operations need not be tracked.
    Unlimited,
}

/// What a breadth-first search found on its way.
#[derive(Default)]
pub(crate) struct Survey {
    /// Linearizations that end in different states. Empty if there are none.
    pub(crate) endings: Vec<(Vec<Choice>, StateId)>,
    /// States in which the tracked operation can take effect.
    pub(crate) tracked_in: Vec<StateId>,
    /// The number of returns that could be explained.
    reached: u32,
}

/// Runs the search.
pub(crate) fn search(
    problem: &Problem,
    automaton: &mut Automaton<'_>,
    switches: Switches,
    supply: Supply,
    budget: &mut Budget<'_>,
) -> Result<Outcome, Stopped> {
    let survey = survey(problem, automaton, switches, (supply, 1), budget)?;
    Ok(match survey.endings.into_iter().next() {
        Some((order, _)) => Outcome::Linearizable(order),
        None => Outcome::NotLinearizable { reached: survey.reached },
    })
}

/// Explores all linearizations. Reports up to `most` that end in different states.
pub(crate) fn survey(
    problem: &Problem,
    automaton: &mut Automaton<'_>,
    switches: Switches,
    (supply, most): (Supply, usize),
    budget: &mut Budget<'_>,
) -> Result<Survey, Stopped> {
    if problem.width <= 64 {
        BreadthFirst::<u64>::new(problem, automaton, switches, supply).survey(problem, most, budget)
    } else {
        BreadthFirst::<Wide>::new(problem, automaton, switches, supply)
            .survey(problem, most, budget)
    }
}

struct BreadthFirst<'r, 'a, M> {
    frontier: Frontier<'r, M>,
    automaton: &'r mut Automaton<'a>,
    ledger: Ledger,
    /// Configurations before the next return that have not been expanded yet.
    level: Vec<Node<M>>,
    /// Those in which the returning operation has taken effect.
    next: Vec<Node<M>>,
    met: Met<M>,
    paths: Paths,
    nodes_paid: usize,
    scratch: Vec<Choice>,
    successors: Vec<StateId>,
    /// States in which the tracked operation can take effect.
    tracked_in: FxHashSet<StateId>,
}

const NODE_CHUNK: usize = 256;
/// Comparing this many multisets takes as long as a step.
const COMPARED_PER_STEP: u64 = 16;

impl<'r, 'a, M: Mask> BreadthFirst<'r, 'a, M> {
    fn new(
        problem: &'r Problem,
        automaton: &'r mut Automaton<'a>,
        switches: Switches,
        supply: Supply,
    ) -> Self {
        let counted = supply == Supply::Counted;
        BreadthFirst {
            frontier: Frontier::new(problem, switches, MoveOrder::ReturnFirst),
            automaton,
            ledger: Ledger::new(counted),
            level: Vec::new(),
            next: Vec::new(),
            met: Met::new(switches.dominance && counted && !problem.pending.is_empty()),
            paths: Paths::default(),
            nodes_paid: 0,
            scratch: Vec::new(),
            successors: Vec::new(),
            tracked_in: FxHashSet::default(),
        }
    }

    fn survey(
        mut self,
        problem: &Problem,
        most: usize,
        budget: &mut Budget<'_>,
    ) -> Result<Survey, Stopped> {
        let found = self.run(problem, budget);
        let reached = self.frontier.returns();
        let mut survey = Survey { reached, ..Survey::default() };
        if found.map_err(|stop| Stopped { stop, reached })? {
            for node in &self.level {
                let state = node.config.state;
                let is_new = survey.endings.iter().all(|(_, known)| *known != state);
                if survey.endings.len() < most && is_new {
                    survey.endings.push((self.paths.order(node.path), state));
                }
            }
        }
        survey.tracked_in = self.tracked_in.into_iter().collect();
        Ok(survey)
    }

    /// True if everything can be explained. `level` then holds the final configurations.
    fn run(&mut self, problem: &Problem, budget: &mut Budget<'_>) -> Result<bool, Stop> {
        let state = self.automaton.initial(budget)?;
        let config = Config { returns: 0, state, used: 0, mask: M::empty(problem.width) };
        self.next.push(Node { config, path: ROOT });
        loop {
            // `next` holds the nodes that have passed every return so far.
            self.met.clear(budget);
            for node in std::mem::take(&mut self.next) {
                self.add(node, budget)?;
            }
            if self.frontier.is_at_end() {
                return Ok(true);
            }
            budget.explains(self.frontier.returns());
            while let Some(node) = self.level.pop() {
                budget.step()?;
                self.expand(&node, budget)?;
            }
            if self.next.is_empty() {
                return Ok(false);
            }
            for node in &mut self.next {
                self.frontier.leave_return(&mut node.config, &mut self.ledger, budget)?;
            }
            self.frontier.advance();
            self.paths.prune(self.next.iter_mut().map(|n| &mut n.path), budget)?;
        }
    }

    /// Absorbs reads, and adds the node to `level` or `next` unless it has been seen.
    fn add(&mut self, mut node: Node<M>, budget: &mut Budget<'_>) -> Result<(), Stop> {
        let (paths, path) = (&mut self.paths, &mut node.path);
        let config = &mut node.config;
        let took = |choice| *path = paths.push(*path, choice);
        self.frontier.absorb(config.state, &mut config.mask, self.automaton, budget, took)?;
        if !self.met.insert(&node.config, &self.ledger, budget)? {
            return Ok(());
        }
        if self.level.len() + self.next.len() >= self.nodes_paid {
            budget.reserve(NODE_CHUNK * size_of::<Node<M>>() * 2)?;
            self.nodes_paid += NODE_CHUNK;
        }
        self.paths.pay(budget)?;
        budget.fits_another(&self.next)?;
        budget.fits_another(&self.level)?;
        if !self.frontier.is_at_end() && self.frontier.is_returning_done(&node.config.mask) {
            self.next.push(node);
        } else {
            self.level.push(node);
        }
        Ok(())
    }

    fn expand(&mut self, node: &Node<M>, budget: &mut Budget<'_>) -> Result<(), Stop> {
        let mut choices = std::mem::take(&mut self.scratch);
        // Choices may be left over from an attempt that a limit ended.
        choices.clear();
        self.frontier.push_moves(&node.config, &self.ledger, &mut choices, budget)?;
        // Each choice copies a mask.
        budget.work((choices.len() + 1) * self.frontier.mask_words())?;
        for choice in choices.drain(..) {
            if self.frontier.is_tracked(choice) {
                self.tracked_in.insert(node.config.state);
            }
            let mut states = std::mem::take(&mut self.successors);
            states.clear();
            let class = self.frontier.class_of(choice);
            match self.automaton.step(node.config.state, class, budget)? {
                Transition::Illegal => {}
                Transition::To(state) => states.push(state),
                Transition::ToAny(at) => states.extend_from_slice(self.automaton.many(at)),
            }
            for &state in &states {
                let ledger = &mut self.ledger;
                if let Some(config) =
                    self.frontier.after(&node.config, choice, state, ledger, budget)?
                {
                    let path = self.paths.push(node.path, choice);
                    self.add(Node { config, path }, budget)?;
                }
            }
            self.successors = states;
        }
        self.scratch = choices;
        Ok(())
    }
}

/// The configurations seen at one level.
enum Met<M> {
    Exactly(Visited<M>),
    /// For each (mask, state), the minimal multisets of pending operations used.
    Least {
        used: FxHashMap<(M, StateId), SmallVec<[UsedId; 2]>>,
        bytes: usize,
    },
}

impl<M: Mask> Met<M> {
    fn new(dominance: bool) -> Self {
        match dominance {
            false => Met::Exactly(Visited::new()),
            true => Met::Least { used: FxHashMap::default(), bytes: 0 },
        }
    }

    fn clear(&mut self, budget: &mut Budget<'_>) {
        match self {
            Met::Exactly(visited) => visited.clear(budget),
            Met::Least { used, bytes } => {
                used.clear();
                budget.release(std::mem::take(bytes));
            }
        }
    }

    /// True if the configuration is worth expanding.
    ///
    /// Why a configuration that uses more is not: pending operations are optional, and the two
    /// differ only in what is left of them, so whatever explains the rest from there also explains
    /// it from the one that uses less. (A configuration that was added before a better one stays:
    /// that costs time, not correctness.)
    fn insert(
        &mut self,
        config: &Config<M>,
        ledger: &Ledger,
        budget: &mut Budget<'_>,
    ) -> Result<bool, Stop> {
        match self {
            Met::Exactly(visited) => {
                let new = visited.insert(config, budget);
                // Without memory a level might never end: pending operations in unlimited supply
                // lead round in circles.
                if visited.is_lossy() { Err(Limit::Memory.into()) } else { Ok(new) }
            }
            Met::Least { used, bytes } => {
                budget.fits_another_in(used)?;
                let least = used.entry((config.mask.clone(), config.state)).or_default();
                // Comparing with many incomparable multisets costs as much as several steps.
                budget.spend(least.len() as u64 / COMPARED_PER_STEP)?;
                budget.work(least.len() * ledger.classes(config.used).len())?;
                if least.iter().any(|u| ledger.uses_no_more(*u, config.used)) {
                    return Ok(false);
                }
                least.retain(|u| !ledger.uses_no_more(config.used, *u));
                least.push(config.used);
                let size = size_of::<(M, StateId)>() + 64;
                budget.reserve(size)?;
                *bytes += size;
                Ok(true)
            }
        }
    }
}

/// Identifies a path of choices; [`ROOT`] is the empty one.
type PathId = u32;
const ROOT: PathId = u32::MAX;

/// All paths to live configurations, as a tree of (parent, choice).
#[derive(Default)]
struct Paths {
    /// INVARIANT: a parent comes before its children.
    nodes: Vec<(PathId, Choice)>,
    /// Size after the last pruning.
    kept: usize,
    paid: usize,
}

const PATH_CHUNK: usize = 1024;

impl Paths {
    fn push(&mut self, parent: PathId, choice: Choice) -> PathId {
        self.nodes.push((parent, choice));
        self.nodes.len() as PathId - 1
    }

    fn pay(&mut self, budget: &mut Budget<'_>) -> Result<(), Stop> {
        budget.fits_another(&self.nodes)?;
        while self.nodes.len() > self.paid {
            budget.reserve(PATH_CHUNK * size_of::<(PathId, Choice)>() * 2)?;
            self.paid += PATH_CHUNK;
        }
        Ok(())
    }

    fn order(&self, mut path: PathId) -> Vec<Choice> {
        let mut order = Vec::new();
        while path != ROOT {
            let (parent, choice) = self.nodes[path as usize];
            order.push(choice);
            path = parent;
        }
        order.reverse();
        order
    }

    /// Drops the paths that lead to none of `living`, once there are enough to drop.
    fn prune<'n>(
        &mut self,
        living: impl Iterator<Item = &'n mut PathId>,
        budget: &mut Budget<'_>,
    ) -> Result<(), Stop> {
        const SMALL: usize = 1 << 14;
        if self.nodes.len() < SMALL || self.nodes.len() < 2 * self.kept {
            return Ok(());
        }
        budget.check_now()?;
        let mut new_id = vec![ROOT; self.nodes.len()];
        let living: Vec<&mut PathId> = living.collect();
        const WANTED: PathId = 0;
        for path in living.iter().filter(|p| ***p != ROOT) {
            new_id[**path as usize] = WANTED;
        }
        for i in (0..self.nodes.len()).rev() {
            let parent = self.nodes[i].0;
            if new_id[i] == WANTED && parent != ROOT {
                new_id[parent as usize] = WANTED;
            }
        }
        let mut kept = 0;
        for i in 0..self.nodes.len() {
            if new_id[i] == WANTED {
                let (parent, choice) = self.nodes[i];
                let parent = if parent == ROOT { ROOT } else { new_id[parent as usize] };
                self.nodes[kept] = (parent, choice);
                new_id[i] = kept as PathId;
                kept += 1;
            }
        }
        self.nodes.truncate(kept);
        self.kept = kept;
        for path in living {
            if *path != ROOT {
                *path = new_id[*path as usize];
            }
        }
        Ok(())
    }
}
