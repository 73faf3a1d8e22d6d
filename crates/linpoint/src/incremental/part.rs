//! One independent part of a stream: the set of configurations that explain it so far.
//!
//! A configuration is a state, and for each open operation whether it has taken effect and with
//! which result, since in a stream the result is not known before the return. Effects happen just
//! in time: only at a return, and only in chains that end with the returning operation. Pruning by
//! equal operations that return first is not available here: who returns first is not known.
//!
//! Complexity: with k open operations, each return takes time in the number of configurations
//! times the chains of open operations; both collapse whenever nothing is open.
//!
//! Paper: G. Lowe, *Testing for linearizability*, CCPE 2017, section 4 (the automaton of figure 2,
//! breadth first). Deviations: a returning read that is legal at once ends the chain (moving it
//! earlier is always possible); crashed operations are counted by operation, not kept in slots.

mod handing_over;

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::spec::Spec;

/// An operation that has begun.
struct OpenOp<O> {
    op: O,
    number: u64,
}

/// Crashed operations that are alike.
struct Crashed<O> {
    op: O,
    count: u32,
}

/// A way to explain the part so far.
struct Config<S: Spec> {
    state: S::State,
    /// Open operations that have taken effect, with their results, by slot.
    done: SmallVec<[(u32, S::Ret); 2]>,
    /// How many of each kind of crashed operation have taken effect, by kind.
    used: SmallVec<[(u32, u32); 1]>,
}

impl<S: Spec> Clone for Config<S> {
    fn clone(&self) -> Self {
        Config { state: self.state.clone(), done: self.done.clone(), used: self.used.clone() }
    }
}

impl<S: Spec> PartialEq for Config<S> {
    fn eq(&self, other: &Self) -> bool {
        self.done == other.done && self.used == other.used && self.state == other.state
    }
}

impl<S: Spec> Eq for Config<S> {}

impl<S: Spec> std::hash::Hash for Config<S> {
    fn hash<H: std::hash::Hasher>(&self, hasher: &mut H) {
        self.state.hash(hasher);
        self.done.hash(hasher);
        self.used.hash(hasher);
    }
}

impl<S: Spec> Config<S> {
    fn result_of(&self, slot: u32) -> Option<&S::Ret> {
        self.done.iter().find(|(s, _)| *s == slot).map(|(_, ret)| ret)
    }

    fn take_effect(&self, slot: u32, ret: S::Ret, state: S::State) -> Self {
        let mut done = self.done.clone();
        let at = done.partition_point(|(s, _)| *s < slot);
        done.insert(at, (slot, ret));
        Config { state, done, used: self.used.clone() }
    }

    fn used(&self, kind: u32) -> u32 {
        self.used.iter().find(|(k, _)| *k == kind).map_or(0, |(_, n)| *n)
    }

    fn use_crashed(&mut self, kind: u32) {
        let at = self.used.partition_point(|(k, _)| *k < kind);
        match self.used.get_mut(at) {
            Some((k, n)) if *k == kind => *n += 1,
            _ => self.used.insert(at, (kind, 1)),
        }
    }
}

/// What a return says about the part.
pub(super) enum Verdict<S: Spec> {
    Fine,
    Violation { op: S::Op, allowed: Vec<S::Ret>, states: Vec<S::State> },
    Undecided,
}

/// The results of this operation cannot be enumerated.
pub(super) struct NoOutcomes<O>(pub(super) O);

/// At most this many states are shown.
pub(super) const MAX_STATES_SHOWN: usize = 4;

pub(super) struct Part<S: Spec> {
    open: Vec<Option<OpenOp<S::Op>>>,
    free: Vec<u32>,
    open_count: usize,
    crashed: Vec<Crashed<S::Op>>,
    crashed_kind: FxHashMap<S::Op, u32>,
    /// INVARIANT: without repetition. Empty only if the part has failed or was given up.
    configs: Vec<Config<S>>,
    given_up: bool,
    outcomes: Vec<(S::Ret, S::State)>,
}

impl<S: Spec> Part<S> {
    pub(super) fn new(initial: S::State) -> Self {
        let start = Config { state: initial, done: SmallVec::new(), used: SmallVec::new() };
        Part {
            open: Vec::new(),
            free: Vec::new(),
            open_count: 0,
            crashed: Vec::new(),
            crashed_kind: FxHashMap::default(),
            configs: vec![start],
            given_up: false,
            outcomes: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.configs.len()
    }

    pub(super) fn open_op(&self, slot: u32, number: u64) -> Option<&S::Op> {
        let open = self.open.get(slot as usize)?.as_ref()?;
        (open.number == number).then_some(&open.op)
    }

    pub(super) fn call(&mut self, op: S::Op, number: u64) -> u32 {
        self.open_count += 1;
        let open = Some(OpenOp { op, number });
        match self.free.pop() {
            Some(slot) => {
                self.open[slot as usize] = open;
                slot
            }
            None => {
                self.open.push(open);
                self.open.len() as u32 - 1
            }
        }
    }

    fn close(&mut self, slot: u32) -> Option<S::Op> {
        let open = self.open[slot as usize].take()?;
        self.open_count -= 1;
        self.free.push(slot);
        Some(open.op)
    }

    /// It did not happen: only configurations in which it has not taken effect remain.
    pub(super) fn fail(&mut self, slot: u32) -> Verdict<S> {
        let op = self.close(slot);
        let was_alive = !self.configs.is_empty();
        let states = self.some_states();
        self.configs.retain(|c| c.result_of(slot).is_none());
        match op {
            Some(op) if was_alive && self.configs.is_empty() => {
                Verdict::Violation { op, allowed: Vec::new(), states }
            }
            _ if self.given_up => Verdict::Undecided,
            _ => Verdict::Fine,
        }
    }

    pub(super) fn crash(&mut self, spec: &S, slot: u32) {
        let Some(op) = self.close(slot) else { return };
        let is_read = spec.is_read(&op, None);
        let mut kind = None;
        for config in &mut self.configs {
            let Some(at) = config.done.iter().position(|(s, _)| *s == slot) else { continue };
            config.done.remove(at);
            if !is_read {
                let kind = *kind
                    .get_or_insert_with(|| kind_of(&mut self.crashed, &mut self.crashed_kind, &op));
                config.use_crashed(kind);
            }
        }
        // Optional and without effect: a crashed read is as good as none.
        if !is_read {
            let kind =
                kind.unwrap_or_else(|| kind_of(&mut self.crashed, &mut self.crashed_kind, &op));
            self.crashed[kind as usize].count += 1;
        }
        self.distinct();
    }

    fn distinct(&mut self) {
        if self.configs.len() > 1 {
            let mut seen = FxHashSet::default();
            self.configs.retain(|c| seen.insert(c.clone()));
        }
    }

    pub(super) fn ret(
        &mut self,
        spec: &S,
        slot: u32,
        ret: Option<&S::Ret>,
        most: usize,
    ) -> Result<Verdict<S>, NoOutcomes<S::Op>> {
        if self.given_up {
            self.close(slot);
            return Ok(Verdict::Undecided);
        }
        if self.configs.is_empty() {
            // The violation has been reported; what follows it means nothing.
            self.close(slot);
            return Ok(Verdict::Fine);
        }
        let Some(next) = self.explore(spec, slot, ret, most)? else {
            self.given_up = true;
            self.configs = Vec::new();
            self.close(slot);
            return Ok(Verdict::Undecided);
        };
        if next.is_empty() {
            return self.violated(spec, slot, most);
        }
        self.configs = next.into_iter().map(|(config, _)| config).collect();
        if ret.is_none() {
            self.distinct();
        }
        self.close(slot);
        Ok(Verdict::Fine)
    }

    fn violated(
        &mut self,
        spec: &S,
        slot: u32,
        most: usize,
    ) -> Result<Verdict<S>, NoOutcomes<S::Op>> {
        let mut allowed: Vec<S::Ret> = Vec::new();
        for (_, ret) in self.explore(spec, slot, None, most)?.unwrap_or_default() {
            if !allowed.contains(&ret) {
                allowed.push(ret);
            }
        }
        let states = self.some_states();
        self.configs = Vec::new();
        match self.close(slot) {
            Some(op) => Ok(Verdict::Violation { op, allowed, states }),
            None => Ok(Verdict::Fine),
        }
    }

    fn some_states(&self) -> Vec<S::State> {
        let mut states: Vec<S::State> = Vec::new();
        for config in &self.configs {
            if states.len() < MAX_STATES_SHOWN && !states.contains(&config.state) {
                states.push(config.state.clone());
            }
        }
        states
    }

    /// All configurations in which the operation in `slot` has just returned `wanted` (or
    /// anything), with what it returned. `None` if there are more than `most`.
    #[allow(clippy::type_complexity)] // a list of pairs; a name would not say more
    fn explore(
        &mut self,
        spec: &S,
        slot: u32,
        wanted: Option<&S::Ret>,
        most: usize,
    ) -> Result<Option<Vec<(Config<S>, S::Ret)>>, NoOutcomes<S::Op>> {
        let Some(OpenOp { op, .. }) = &self.open[slot as usize] else {
            return Ok(Some(Vec::new()));
        };
        let is_wanted = |ret: &S::Ret| wanted.is_none_or(|w| spec.fits(op, ret, w));
        let mut found = Vec::new();
        let mut outcomes = std::mem::take(&mut self.outcomes);
        // Nobody else is open or crashed: nothing can happen before, and nothing need be compared.
        let alone = self.open_count == 1 && self.crashed.is_empty();
        let mut met: FxHashSet<Config<S>> = FxHashSet::default();
        let mut todo: VecDeque<Config<S>> = VecDeque::new();
        for config in &self.configs {
            if let Some(ret) = config.result_of(slot) {
                if is_wanted(ret) {
                    let ret = ret.clone();
                    let mut after = config.clone();
                    after.done.retain(|(s, _)| *s != slot);
                    found.push((after, ret));
                }
            } else {
                todo.push_back(config.clone());
            }
        }
        while let Some(config) = todo.pop_front() {
            outcomes.clear();
            if !spec.outcomes(&config.state, op, &mut outcomes) {
                return Err(NoOutcomes(op.clone()));
            }
            let mut is_read_here = false;
            for (ret, state) in outcomes.drain(..) {
                if is_wanted(&ret) {
                    is_read_here |= wanted.is_some() && spec.is_read(op, Some(&ret));
                    let after =
                        Config { state, done: config.done.clone(), used: config.used.clone() };
                    found.push((after, ret));
                }
            }
            if alone || is_read_here {
                continue;
            }
            let mut push = |config: Config<S>| {
                if !met.contains(&config) {
                    met.insert(config.clone());
                    todo.push_back(config);
                }
            };
            self.others(spec, slot, &config, &mut outcomes, &mut push)?;
            if met.len() + found.len() > most {
                return Ok(None);
            }
        }
        self.outcomes = outcomes;
        if found.len() > 1 && !(alone && self.configs.len() == 1) {
            let mut seen = FxHashSet::default();
            found.retain(|(config, ret)| seen.insert((config.clone(), ret.clone())));
        }
        Ok(Some(found))
    }

    /// Everything but the returning operation that can take effect next.
    fn others(
        &self,
        spec: &S,
        slot: u32,
        config: &Config<S>,
        outcomes: &mut Vec<(S::Ret, S::State)>,
        push: &mut impl FnMut(Config<S>),
    ) -> Result<(), NoOutcomes<S::Op>> {
        for (other, open) in self.open.iter().enumerate() {
            let other = other as u32;
            let Some(OpenOp { op, .. }) = open else { continue };
            if other == slot || config.result_of(other).is_some() {
                continue;
            }
            outcomes.clear();
            if !spec.outcomes(&config.state, op, outcomes) {
                return Err(NoOutcomes(op.clone()));
            }
            for (ret, state) in outcomes.drain(..) {
                push(config.take_effect(other, ret, state));
            }
        }
        let mut states = Vec::new();
        for (kind, crashed) in self.crashed.iter().enumerate() {
            if config.used(kind as u32) < crashed.count {
                spec.successors(&config.state, &crashed.op, None, &mut states);
                for state in states.drain(..).filter(|s| *s != config.state) {
                    let mut after = config.clone();
                    after.state = state;
                    after.use_crashed(kind as u32);
                    push(after);
                }
            }
        }
        Ok(())
    }
}

fn kind_of<O: Clone + Eq + std::hash::Hash>(
    crashed: &mut Vec<Crashed<O>>,
    kinds: &mut FxHashMap<O, u32>,
    op: &O,
) -> u32 {
    *kinds.entry(op.clone()).or_insert_with(|| {
        crashed.push(Crashed { op: op.clone(), count: 0 });
        crashed.len() as u32 - 1
    })
}
