//! What the operations of a history can reveal about the object, whatever the verdict is.

use linpoint::history::Timeline;
use linpoint::spec::{Footprint, Traces};
use linpoint::subject::{Budget, Call, ClassId, RetId, Session, StateId, Subject};
use linpoint::{Allowance, OpId};
use rustc_hash::FxHashMap;

/// What is known about a history beyond its operations.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Facts {
    /// For each operation: its result is impossible in some state that the object may have been in.
    pub informative: Vec<bool>,
    /// Operations that can change the object.
    pub changing: usize,
    /// Sizes of the parts that are independent of each other.
    pub parts: Vec<usize>,
}

/// Operations that are performed one after the other to see what states there are.
const RUN: usize = 256;
/// States that are kept, and how many bytes of them.
const STATES: usize = 24;
const STATE_BYTES: usize = 1 << 26;
/// Operations that are tried, and states to which they are applied, to see what they leave.
const FEW: usize = 4;
/// If this many operations of a kind reveal nothing, the others of that kind are not looked at.
const ENOUGH: usize = 1000;
/// States that are met while looking; beyond that the session is started anew.
const MANY: usize = 1 << 12;
/// Work for a step of the specification, in units of a few nanoseconds.
const WORK_PER_STEP: usize = 1 << 10;

/// For each operation, whether its result reveals something. `kinds` are numbers for the names of operations.
pub(super) fn informative_ops(
    subject: &dyn Subject,
    timeline: &Timeline,
    kinds: &[u16],
    allowance: &Allowance,
) -> Vec<bool> {
    let mut possible = Possible::new(subject, timeline, allowance);
    // By kind: how many were looked at, and whether one revealed something.
    let mut seen: FxHashMap<u16, (usize, bool)> = FxHashMap::default();
    let mut reveals = |id: OpId| {
        if !subject.is_known(RetId::of(id)) || allowance.exhausted().is_some() {
            return false;
        }
        let kind = kinds.get(id.index()).copied().unwrap_or_default();
        let (looked, revealed) = seen.entry(kind).or_default();
        if *looked >= ENOUGH && !*revealed {
            return false;
        }
        *looked += 1;
        let reveals = possible.excludes(Call::recorded(id));
        *revealed |= reveals;
        reveals
    };
    timeline.ids().map(&mut reveals).collect()
}

/// States that the object may have been in, as far as a quick look shows.
struct Possible<'a> {
    subject: &'a dyn Subject,
    session: Box<dyn Session + 'a>,
    budget: Budget<'static>,
    allowance: &'a Allowance,
    /// The first ones are always kept.
    states: Vec<StateId>,
    /// Steps since the session was tidied.
    steps: usize,
    /// A few operations that leave a trace of this name, or touch this key.
    leavers: FxHashMap<u64, Vec<OpId>>,
}

impl<'a> Possible<'a> {
    fn new(subject: &'a dyn Subject, timeline: &Timeline, allowance: &'a Allowance) -> Self {
        let leavers = leavers(subject, timeline);
        let (session, budget) = (subject.session(), Budget::of(allowance));
        let states = Vec::new();
        let mut possible =
            Possible { subject, session, budget, allowance, states, steps: 0, leavers };
        let Ok(mut state) = possible.session.initial(&mut possible.budget) else { return possible };
        possible.states.push(state);
        let mut bytes = 0;
        for id in timeline.ids().take(RUN) {
            if possible.states.len() >= STATES || bytes > STATE_BYTES {
                break;
            }
            let next = possible.next(state, Call::unknown(id));
            let Some(after) = next.last().copied().filter(|after| *after != state) else {
                continue;
            };
            bytes += possible.session.bytes(after);
            state = after;
            if !possible.states.contains(&state) {
                possible.states.push(state);
            }
        }
        possible
    }

    fn next(&mut self, state: StateId, call: Call) -> Vec<StateId> {
        self.steps += 1;
        let mut next = Vec::new();
        if self.allowance.work(WORK_PER_STEP).is_err() {
            return next;
        }
        // A specification that fails is reported by the check.
        let _ = self.session.step(state, call, &mut next, &mut self.budget);
        next
    }

    /// True if there is a state in which the operation cannot have had this result.
    fn excludes(&mut self, call: Call) -> bool {
        if self.steps > MANY {
            self.steps = 0;
            let Possible { session, states, budget, .. } = self;
            session.keep_only(states, budget);
        }
        for state in self.states.clone() {
            if self.next(state, call).is_empty() {
                return true;
            }
        }
        // What others do to what it depends on need not have been among the first.
        let names = names(self.subject.senses(call), self.subject.footprint(call.op));
        let leavers: Vec<OpId> =
            names.filter_map(|name| self.leavers.get(&name)).flatten().copied().collect();
        for leaver in leavers {
            for state in self.states.clone().into_iter().take(FEW) {
                for after in self.next(state, Call::unknown(leaver)).into_iter().take(FEW) {
                    if self.next(after, call).is_empty() {
                        return true;
                    }
                }
            }
        }
        false
    }
}

/// A few different operations that leave each trace, or touch each key.
fn leavers(subject: &dyn Subject, timeline: &Timeline) -> FxHashMap<u64, Vec<OpId>> {
    let calls: Vec<Call> = timeline.ids().map(Call::unknown).collect();
    let mut classes = Vec::with_capacity(calls.len());
    subject.classes().classify(&calls, &mut classes);
    let mut leavers: FxHashMap<u64, Vec<(ClassId, OpId)>> = FxHashMap::default();
    for (call, class) in calls.into_iter().zip(classes).filter(|(call, _)| !subject.is_read(*call))
    {
        for name in names(subject.leaves(call.op), subject.footprint(call.op)) {
            let known = leavers.entry(name).or_default();
            if known.len() < FEW && known.iter().all(|(other, _)| *other != class) {
                known.push((class, call.op));
            }
        }
    }
    let ops = |known: Vec<(ClassId, OpId)>| known.into_iter().map(|(_, op)| op).collect();
    leavers.into_iter().map(|(name, known)| (name, ops(known))).collect()
}

/// By what operations that have to do with each other are found: traces and keys.
fn names(traces: Traces, footprint: Footprint) -> impl Iterator<Item = u64> {
    let keys = match footprint {
        Footprint::Keys(keys) => keys.into_vec(),
        Footprint::Whole => Vec::new(),
    };
    traces.names().to_vec().into_iter().chain(keys)
}

/// Operations that can change the object.
pub(super) fn changing(subject: &dyn Subject, timeline: &Timeline) -> usize {
    timeline.ids().filter(|id| !subject.is_read(Call::recorded(*id))).count()
}
