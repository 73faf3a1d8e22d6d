//! One independent part of a stream: the set of configurations that explain it so far.
//!
//! A configuration is a state, and for each open operation whether it has taken effect and with
//! which result, since in a stream the result is not known before the return. Operations take
//! effect just in time: only at a return, and only in chains that end with the returning operation.
//! The offline rule that the first to return of several equal operations takes effect first does
//! not apply: which one returns first is not known yet.
//!
//! Complexity: with k open operations, each return takes time in the number of configurations
//! times the chains of open operations; both collapse whenever nothing is open.
//!
//! Paper: G. Lowe, *Testing for linearizability*, CCPE 2017, section 4 (the automaton of figure 2,
//! breadth first). Deviations: a returning read that is legal immediately ends the chain (moving it
//! earlier is always possible); crashed operations are counted by operation, not kept in slots.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use crate::history::OpId;
use crate::subject::{Call, Marks, RetId, StateId, StreamSubject};

use super::config::{Config, Lists, WORK_PER_STEP, has_room, keep_distinct};
use super::monitor::Allowed;
use super::open_ops::{OpenOp, OpenOps};
use super::stream_limits::StreamLimits;

/// Crashed operations that are equal.
struct Crashed {
    op: OpId,
    count: u32,
}

/// The effect of the end of an operation on a part.
pub(super) enum PartStep {
    Fine,
    Violation {
        /// The results the operation could have returned.
        allowed: Allowed,
        /// The first few possible states just before.
        states: Vec<StateId>,
    },
    Undecided,
}

/// The results of this operation cannot be enumerated.
pub(super) struct NoOutcomes(pub(super) OpId);

/// Show at most this many states.
const MAX_STATES_SHOWN: usize = 4;

/// The first few distinct states of a list.
pub(super) fn first_states(all: impl IntoIterator<Item = StateId>) -> Vec<StateId> {
    let mut states = Vec::new();
    for state in all {
        if states.len() == MAX_STATES_SHOWN {
            break;
        }
        if !states.contains(&state) {
            states.push(state);
        }
    }
    states
}

/// The operations that may take effect before the one that returns.
struct Others<'a> {
    open: &'a OpenOps,
    /// The slot of the one that returns.
    slot: u32,
    limits: &'a StreamLimits,
}

/// The configurations of a part.
pub(super) struct Configurations {
    crashed: Vec<Crashed>,
    /// INVARIANT: distinct. Empty only if the part has failed or was abandoned.
    configs: Vec<Config>,
    given_up: bool,
    /// For [`StreamSubject::outcomes`].
    outcomes: Vec<(RetId, StateId)>,
}

impl Configurations {
    /// Nothing is open, and the object is in this state.
    pub(super) fn new(state: StateId) -> Self {
        let start = Config { state, done: SmallVec::new(), used: SmallVec::new() };
        let (crashed, outcomes) = (Vec::new(), Vec::new());
        Configurations { crashed, configs: vec![start], given_up: false, outcomes }
    }

    /// Nothing is known.
    pub(super) fn given_up() -> Self {
        let (crashed, outcomes) = (Vec::new(), Vec::new());
        Configurations { crashed, configs: Vec::new(), given_up: true, outcomes }
    }

    /// Number of configurations.
    pub(super) fn len(&self) -> usize {
        self.configs.len()
    }

    /// Number of stored items.
    pub(super) fn stored(&self) -> usize {
        let in_configs: usize = self.configs.iter().map(|c| 1 + c.done.len() + c.used.len()).sum();
        self.crashed.len() + in_configs
    }

    /// The state in which the only open operation was called, or would be called, if known.
    pub(super) fn lone_state(&self, open: &OpenOps) -> Option<StateId> {
        match self.configs.as_slice() {
            [config] if config.done.is_empty() && open.count() <= 1 && self.crashed.is_empty() => {
                Some(config.state)
            }
            _ => None,
        }
    }

    pub(super) fn mark(&self, marks: &mut Marks) {
        self.crashed.iter().for_each(|crashed| marks.op(crashed.op));
        for config in &self.configs {
            marks.state(config.state);
            config.done.iter().for_each(|(_, ret)| marks.ret(*ret));
        }
    }

    /// The operation in `slot` did not happen: only configurations in which it has not taken effect remain.
    pub(super) fn fail(&mut self, slot: u32) -> PartStep {
        if self.given_up {
            return PartStep::Undecided;
        }
        let was_alive = !self.configs.is_empty();
        let states = first_states(self.configs.iter().map(|config| config.state));
        self.configs.retain(|c| c.result_of(slot).is_none());
        if was_alive && self.configs.is_empty() {
            return PartStep::Violation { allowed: Allowed::all(Vec::new()), states };
        }
        PartStep::Fine
    }

    /// The operation in `slot` may take effect at any time, or never.
    pub(super) fn crash(
        &mut self,
        subject: &dyn StreamSubject,
        slot: u32,
        op: OpId,
        limits: &StreamLimits,
    ) {
        if self.configs.is_empty() {
            return;
        }
        // A crashed read is optional and has no effect, so it is dropped.
        let kind = match subject.is_read(Call::unknown(op)) {
            true => None,
            false => Some(self.kind_of(subject, op)),
        };
        for config in &mut self.configs {
            let Some(at) = config.done.iter().position(|(s, _)| *s == slot) else { continue };
            config.done.remove(at);
            kind.into_iter().for_each(|kind| config.use_crashed(kind));
        }
        if let Some(kind) = kind {
            self.crashed[kind as usize].count += 1;
        }
        keep_distinct(&mut self.configs, limits);
    }

    fn kind_of(&mut self, subject: &dyn StreamSubject, op: OpId) -> u32 {
        let known = self.crashed.iter().position(|crashed| subject.same_op(crashed.op, op));
        known.unwrap_or_else(|| {
            self.crashed.push(Crashed { op, count: 0 });
            self.crashed.len() - 1
        }) as u32
    }

    /// The operation in `slot` returns. It stays open if its results cannot be enumerated.
    pub(super) fn ret(
        &mut self,
        subject: &mut dyn StreamSubject,
        open: &OpenOps,
        slot: u32,
        ret: RetId,
        limits: &StreamLimits,
    ) -> Result<PartStep, NoOutcomes> {
        if self.given_up {
            return Ok(PartStep::Undecided);
        }
        if self.configs.is_empty() {
            // The violation has been reported. Later events have no meaning.
            return Ok(PartStep::Fine);
        }
        if self.return_alone(subject, open, slot, ret)? {
            return Ok(PartStep::Fine);
        }
        let next = self.explore(subject, open, slot, ret, limits)?;
        // The next configurations are copied once to find those that are equal.
        let fits = |next: &Vec<_>| limits.allowance.fits(2 * size_of_val(next.as_slice())).is_ok();
        let Some(next) = next.filter(fits) else {
            self.given_up = true;
            self.configs = Vec::new();
            return Ok(PartStep::Undecided);
        };
        if next.is_empty() {
            return self.violated(subject, open, slot, limits);
        }
        self.configs = next.into_iter().map(|(config, _)| config).collect();
        keep_distinct(&mut self.configs, limits);
        Ok(PartStep::Fine)
    }

    /// PERF: fast path for operations that do not overlap: one configuration with one successor.
    /// Returns false if this does not apply; then nothing has changed.
    fn return_alone(
        &mut self,
        subject: &mut dyn StreamSubject,
        open: &OpenOps,
        slot: u32,
        ret: RetId,
    ) -> Result<bool, NoOutcomes> {
        let ([config], Some(OpenOp { op, .. }), 1, []) =
            (&mut *self.configs, open.get(slot), open.count(), &*self.crashed)
        else {
            return Ok(false);
        };
        // If it has taken effect, it did so while another operation was open.
        if config.result_of(slot).is_some() {
            return Ok(false);
        }
        self.outcomes.clear();
        if !subject.outcomes(config.state, Call { op, ret }, &mut self.outcomes) {
            return Err(NoOutcomes(op));
        }
        if let [(_, state)] = *self.outcomes {
            config.state = state;
        }
        Ok(self.outcomes.len() == 1)
    }

    fn violated(
        &mut self,
        subject: &mut dyn StreamSubject,
        open: &OpenOps,
        slot: u32,
        limits: &StreamLimits,
    ) -> Result<PartStep, NoOutcomes> {
        let found = self.explore(subject, open, slot, RetId::UNKNOWN, limits)?;
        let is_complete = found.is_some();
        let mut seen = FxHashSet::default();
        let rets = found.unwrap_or_default().into_iter().map(|(_, ret)| ret);
        let allowed = Allowed { rets: rets.filter(|ret| seen.insert(*ret)).collect(), is_complete };
        let configs = std::mem::take(&mut self.configs);
        let states = first_states(configs.iter().map(|config| config.state));
        Ok(PartStep::Violation { allowed, states })
    }

    /// All configurations in which the operation in `slot` has just returned a result that matches
    /// `wanted`, with that result; may contain duplicates. `None` if a limit was
    /// reached.
    #[allow(clippy::type_complexity)] // a list of pairs; a name would not say more
    fn explore(
        &mut self,
        subject: &mut dyn StreamSubject,
        open: &OpenOps,
        slot: u32,
        wanted: RetId,
        limits: &StreamLimits,
    ) -> Result<Option<Vec<(Config, RetId)>>, NoOutcomes> {
        let Some(OpenOp { op, .. }) = open.get(slot) else { return Ok(Some(Vec::new())) };
        let is_known = wanted != RetId::UNKNOWN;
        if limits.allowance.fits(2 * size_of_val(self.configs.as_slice())).is_err() {
            return Ok(None);
        }
        let mut lists = Lists::default();
        let mut outcomes = std::mem::take(&mut self.outcomes);
        // Nothing else is open or crashed, so nothing can take effect before it.
        let alone = open.count() == 1 && self.crashed.is_empty();
        let more = open.count() + self.crashed.len();
        for config in &self.configs {
            match config.result_of(slot) {
                None => lists.todo.push_back(config.clone()),
                Some(ret) if is_known && !subject.fits(op, ret, wanted) => {}
                Some(ret) => {
                    let mut after = config.clone();
                    after.done.retain(|(s, _)| *s != slot);
                    lists.found.push((after, ret));
                }
            }
        }
        while let Some(config) = lists.todo.pop_front() {
            if !has_room(limits, more, &lists) {
                return Ok(None);
            }
            outcomes.clear();
            if !subject.outcomes(config.state, Call { op, ret: wanted }, &mut outcomes) {
                return Err(NoOutcomes(op));
            }
            let is_read = |ret| subject.is_read(Call { op, ret });
            let is_read_here = !alone && is_known && outcomes.iter().any(|(ret, _)| is_read(*ret));
            let found = outcomes.drain(..).map(|(ret, state)| (config.in_state(state), ret));
            lists.found.extend(found);
            if alone || is_read_here {
                continue;
            }
            let mut push = |config: Config| {
                if !lists.met.contains(&config) {
                    lists.met.insert(config.clone());
                    lists.todo.push_back(config);
                }
            };
            let others = Others { open, slot, limits };
            self.others(subject, &others, &config, &mut outcomes, &mut push)?;
        }
        self.outcomes = outcomes;
        // If a limit was reached on the way, something may be missing.
        let is_complete = limits.allowance.exhausted().is_none();
        Ok(is_complete.then_some(lists.found))
    }

    /// Every other operation that can take effect next.
    fn others(
        &self,
        subject: &mut dyn StreamSubject,
        Others { open, slot, limits }: &Others<'_>,
        config: &Config,
        outcomes: &mut Vec<(RetId, StateId)>,
        push: &mut dyn FnMut(Config),
    ) -> Result<(), NoOutcomes> {
        for (other, OpenOp { op, .. }) in open.iter() {
            if other == *slot || config.result_of(other).is_some() {
                continue;
            }
            // The caller notices it, too.
            if limits.allowance.work(WORK_PER_STEP).is_err() {
                return Ok(());
            }
            outcomes.clear();
            if !subject.outcomes(config.state, Call::unknown(op), outcomes) {
                return Err(NoOutcomes(op));
            }
            for (ret, state) in outcomes.drain(..) {
                push(config.take_effect(other, ret, state));
            }
        }
        let mut states = Vec::new();
        for (kind, crashed) in self.crashed.iter().enumerate() {
            if config.used(kind as u32) < crashed.count {
                if limits.allowance.work(WORK_PER_STEP).is_err() {
                    return Ok(());
                }
                subject.successors(config.state, crashed.op, &mut states);
                for state in states.drain(..).filter(|state| *state != config.state) {
                    let mut after = config.in_state(state);
                    after.use_crashed(kind as u32);
                    push(after);
                }
            }
        }
        Ok(())
    }
}
