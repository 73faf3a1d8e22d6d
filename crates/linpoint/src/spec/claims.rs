//! Checks the optional claims of a spec against its relation, on random sequential runs.
//!
//! A claim that is too modest costs time; a false one costs right answers. [`check_claims`] tries to
//! break every claim of [`Spec`], [`Shaped`](super::Shaped) and [`Claims`](super::Claims) that the operations you give it can break. It is a test, not a
//! proof: give it few operations with few values, so that they meet often, and all the cases that you
//! thought about when you wrote the claim.

mod histories;
mod shapes;

use std::collections::HashSet;

use rustc_hash::FxHashSet;

use super::{Footprint, Spec};
use crate::budget::Budget;
use crate::history::OpId;
use crate::random::SplitMix64;
use crate::subject::{Call, RetId, Session, StateId, Stop, Subject, Typed};

/// States in which all pairs of operations are compared; later states are only walked through.
const MAX_STATES: usize = 400;
/// Operations in a random history; all of its orders are tried.
const MAX_OPS: usize = 6;
/// Histories are cheap, and those that break a claim are rare.
const HISTORIES_PER_RUN: usize = 4;
/// Results remembered for an operation.
const MAX_RESULTS: usize = 12;

/// Compares every claim of `spec` (its own, or those that follow from its shape) with its relation in `runs` random sequential runs and small
/// histories made of `ops`. The same `seed` gives the same runs.
///
/// Checked are:
///
/// * [`Spec::outcomes`] and [`Spec::successors`] agree;
/// * what [`Spec::is_read`] calls a read leaves every state as it is;
/// * operations with disjoint [`Spec::footprint`]s commute, and neither changes what the other can
///   return;
/// * if `p` leaves nothing that `x` senses ([`Claims::leaves`](super::Claims::leaves), [`Claims::senses`](super::Claims::senses)), `x` can do alone
///   what it can do after `p`; and if it leaves nothing that `x` senses to act
///   ([`Claims::senses_to_act`](super::Claims::senses_to_act)), `x` can lead alone to every state to which it leads after `p`, unless
///   it changes nothing there;
/// * pending operations of one [`Claims::anonymous_kind`](super::Claims::anonymous_kind) can replace each other, and pending
///   operations that are [`Claims::idle_unless_named`](super::Claims::idle_unless_named) can be left out, in small histories in which
///   no operation names their traces;
/// * [`Claims::refute`](super::Claims::refute) is silent about legal histories, also when some of their operations are
///   relaxed; and what it names in illegal ones is illegal with all other operations relaxed;
/// * [`Spec::shaped`]: sequences, legal or not, are legal for the shape exactly if they are for the
///   specification, going by roles and names; operations with different keys have disjoint
///   footprints; and if the shape [is complete](super::Shaped::is_complete), it has all operations and results;
/// * [`Spec::replay`] finds the first illegal operation of such sequences.
///
/// If [`Spec::outcomes`] cannot enumerate results, the claims are checked for unknown results only.
///
/// # Errors
///
/// The first claim that was broken, and the operations that break it.
///
/// ```
/// use linpoint::spec::Sequential;
/// use linpoint::spec::claims::check_claims;
///
/// #[derive(Clone, PartialEq, Eq, Hash, Debug)]
/// struct Cell(u8);
///
/// impl Sequential for Cell {
///     type Op = Option<u8>; // write this, or read
///     type Ret = u8;
///     fn apply(&mut self, op: &Option<u8>) -> u8 {
///         self.0 = op.unwrap_or(self.0);
///         self.0
///     }
///     fn is_read(&self, _op: &Option<u8>, _ret: Option<&u8>) -> bool {
///         true // a lie: writes change the cell
///     }
/// }
///
/// let error = check_claims(&Cell(0), &[None, Some(1), Some(2)], 42, 100).unwrap_err();
/// assert!(error.to_string().contains("is_read"), "{error}");
/// ```
pub fn check_claims<S: Spec>(
    spec: &S,
    ops: &[S::Op],
    seed: u64,
    runs: usize,
) -> Result<(), FalseClaim> {
    let rets: Vec<Option<S::Ret>> = ops.iter().map(|_| None).collect();
    check_claims_of(&Typed::of_columns(spec, ops, &rets), seed, runs)
}

/// As [`check_claims`], for the operations of a [`Subject`], which may be a dynamic model. Their recorded results are
/// not looked at.
///
/// # Errors
///
/// The first claim that was broken, and the operations that break it; or that the model failed.
pub fn check_claims_of(subject: &dyn Subject, seed: u64, runs: usize) -> Result<(), FalseClaim> {
    Tester::new(subject, seed).and_then(|mut tester| tester.try_to_break(runs)).map_err(FalseClaim)
}

/// A claim that the relation does not keep. It prints as the claim and the operations that break it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FalseClaim(String);

impl std::fmt::Display for FalseClaim {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for FalseClaim {}

struct Tester<'a> {
    subject: &'a dyn Subject,
    session: Box<dyn Session + 'a>,
    budget: Budget<'static>,
    initial: StateId,
    /// Which independent part each operation belongs to.
    parts: Vec<usize>,
    random: SplitMix64,
    /// Results that each operation had in some state.
    results: Vec<Vec<RetId>>,
    met: FxHashSet<StateId>,
}

impl<'a> Tester<'a> {
    fn new(subject: &'a dyn Subject, seed: u64) -> Result<Self, String> {
        let (mut session, mut budget) = (subject.session(), Budget::unlimited());
        let initial = session.initial(&mut budget).map_err(|stop| failed(subject, stop))?;
        Ok(Tester {
            subject,
            session,
            budget,
            initial,
            parts: parts(subject),
            random: SplitMix64::new(seed),
            results: vec![Vec::new(); subject.len()],
            met: FxHashSet::default(),
        })
    }

    /// See [`check_claims`].
    fn try_to_break(&mut self, runs: usize) -> Result<(), String> {
        if self.subject.is_empty() {
            return Ok(());
        }
        // All results first, so that states are tested with results from other states too.
        let mut states = vec![self.initial];
        for _ in 0..runs {
            self.walk(&mut states)?;
        }
        for &state in &states {
            self.relation(state)?;
            self.reads(state)?;
            self.footprints(state)?;
        }
        // The shape first: if it is wrong, so is what follows from it.
        self.keys()?;
        self.completeness()?;
        for _ in 0..HISTORIES_PER_RUN * runs {
            self.sequences()?;
        }
        for &state in &states {
            self.traces(state)?;
        }
        for _ in 0..HISTORIES_PER_RUN * runs {
            self.histories()?;
        }
        Ok(())
    }

    fn ops(&self) -> impl Iterator<Item = OpId> + use<> {
        (0..self.subject.len() as u32).map(OpId)
    }

    /// Any operation.
    fn any_op(&mut self) -> OpId {
        OpId(self.random.index(self.subject.len()) as u32)
    }

    fn next(&mut self, state: StateId, call: Call) -> Result<Vec<StateId>, String> {
        let mut next = Vec::new();
        let stepped = self.session.step(state, call, &mut next, &mut self.budget);
        stepped.map_err(|stop| failed(self.subject, stop))?;
        Ok(next)
    }

    /// Results with states, as far as the model can tell.
    fn outcomes(
        &mut self,
        state: StateId,
        op: OpId,
    ) -> Result<Option<Vec<(RetId, StateId)>>, String> {
        let mut out = Vec::new();
        let are_known = self.session.outcomes(state, op, &mut out, &mut self.budget);
        let are_known = are_known.map_err(|stop| failed(self.subject, stop))?;
        Ok(are_known.then_some(out))
    }

    /// Every way in which the operation can go. Results that cannot be enumerated are unknown.
    fn ways(&mut self, state: StateId, op: OpId) -> Result<Vec<(RetId, StateId)>, String> {
        if let Some(out) = self.outcomes(state, op)? {
            return Ok(out);
        }
        let next = self.next(state, Call::unknown(op))?;
        Ok(next.into_iter().map(|after| (RetId::UNKNOWN, after)).collect())
    }

    /// One of them, at random.
    fn step(&mut self, state: StateId, op: OpId) -> Result<Option<(RetId, StateId)>, String> {
        let ways = self.ways(state, op)?;
        Ok((!ways.is_empty()).then(|| ways[self.random.index(ways.len())]))
    }

    fn walk(&mut self, states: &mut Vec<StateId>) -> Result<(), String> {
        let mut state = self.initial;
        self.met.insert(state);
        for _ in 0..2 * MAX_OPS {
            let op = self.any_op();
            let Some((ret, after)) = self.step(state, op)? else { continue };
            let results = &mut self.results[op.index()];
            if ret != RetId::UNKNOWN && results.len() < MAX_RESULTS && !results.contains(&ret) {
                results.push(ret);
            }
            state = after;
            if states.len() < MAX_STATES && self.met.insert(state) {
                states.push(state);
            }
        }
        Ok(())
    }

    /// The operation with the unknown result, and with all that were met.
    fn calls(&self, op: OpId) -> Vec<Call> {
        let met = self.results[op.index()].iter().copied();
        std::iter::once(RetId::UNKNOWN).chain(met).map(|ret| Call { op, ret }).collect()
    }

    /// A result that the operation had in some state, if any is known.
    fn another_result(&mut self, op: OpId) -> Option<RetId> {
        let results = &self.results[op.index()];
        (!results.is_empty()).then(|| results[self.random.index(results.len())])
    }

    fn name(&self, call: Call) -> String {
        let ret = match call.ret {
            RetId::UNKNOWN => "?".to_owned(),
            _ => self.subject.describe_ret(call),
        };
        format!("{} -> {ret}", self.subject.describe_op(call.op))
    }

    fn relation(&mut self, state: StateId) -> Result<(), String> {
        for op in self.ops() {
            let Some(out) = self.outcomes(state, op)? else { continue };
            for call in self.calls(op) {
                let fits = |exact: RetId| {
                    call.ret == RetId::UNKNOWN || self.subject.fits(op, exact, call.ret)
                };
                let by_outcomes: HashSet<StateId> =
                    out.iter().filter(|(exact, _)| fits(*exact)).map(|o| o.1).collect();
                if by_outcomes != self.next(state, call)?.into_iter().collect() {
                    return Err(format!(
                        "outcomes and successors disagree on {} in state {}",
                        self.name(call),
                        self.session.describe(state),
                    ));
                }
            }
        }
        Ok(())
    }

    fn reads(&mut self, state: StateId) -> Result<(), String> {
        for call in self.ops().flat_map(|op| self.calls(op)).collect::<Vec<Call>>() {
            if !self.subject.is_read(call) {
                continue;
            }
            if let Some(after) = self.next(state, call)?.into_iter().find(|s| *s != state) {
                return Err(format!(
                    "is_read: {} turns {} into {}",
                    self.name(call),
                    self.session.describe(state),
                    self.session.describe(after),
                ));
            }
        }
        Ok(())
    }

    /// Every way in which `a` and then `b` can go: what they return, and the state after both.
    fn both(
        &mut self,
        state: StateId,
        a: OpId,
        b: OpId,
    ) -> Result<HashSet<(RetId, RetId, StateId)>, String> {
        let mut ways = HashSet::new();
        for (of_a, middle) in self.ways(state, a)? {
            let after = self.ways(middle, b)?;
            ways.extend(after.into_iter().map(|(of_b, end)| (of_a, of_b, end)));
        }
        Ok(ways)
    }

    fn footprints(&mut self, state: StateId) -> Result<(), String> {
        for x in self.ops() {
            for y in self.ops().take(x.index()) {
                if !disjoint(&self.subject.footprint(x), &self.subject.footprint(y)) {
                    continue;
                }
                let xy = self.both(state, x, y)?;
                let swapped =
                    self.both(state, y, x)?.into_iter().map(|(of_y, of_x, s)| (of_x, of_y, s));
                let is_same = xy == swapped.collect();
                // Neither disables the other: what both can do here, they can do together.
                let are_able = !self.next(state, Call::unknown(x))?.is_empty()
                    && !self.next(state, Call::unknown(y))?.is_empty();
                if !is_same || xy.is_empty() == are_able {
                    return Err(format!(
                        "footprint: {} and {} are not independent in state {}",
                        self.subject.describe_op(x),
                        self.subject.describe_op(y),
                        self.session.describe(state),
                    ));
                }
            }
        }
        Ok(())
    }

    fn traces(&mut self, state: StateId) -> Result<(), String> {
        for p in self.ops() {
            let left = self.subject.leaves(p);
            let middle = self.next(state, Call::unknown(p))?;
            let part = self.parts[p.index()];
            for x in self.ops().filter(|x| self.parts[x.index()] == part).collect::<Vec<OpId>>() {
                for call in self.calls(x) {
                    if !left.meets(&self.subject.senses(call)) {
                        let mut after = Vec::new();
                        for &m in &middle {
                            after.extend(self.next(m, call)?);
                        }
                        self.unnoticed("leaves/senses", state, p, call, &after)?;
                    }
                }
                if !left.meets(&self.subject.senses_to_act(x)) {
                    // Pending operations that change nothing are left out anyway.
                    let (call, mut after) = (Call::unknown(x), Vec::new());
                    for &m in &middle {
                        after.extend(self.next(m, call)?.into_iter().filter(|s| *s != m));
                    }
                    self.unnoticed("leaves/senses_to_act", state, p, call, &after)?;
                }
            }
        }
        Ok(())
    }

    /// Every state that `call` reaches from `state` after `p` must be one that it reaches alone.
    fn unnoticed(
        &mut self,
        claim: &str,
        state: StateId,
        p: OpId,
        call: Call,
        after: &[StateId],
    ) -> Result<(), String> {
        let alone = self.next(state, call)?;
        let Some(after) = after.iter().find(|s| !alone.contains(s)) else { return Ok(()) };
        Err(format!(
            "{claim}: {} after {} leads from {} to {}, alone it cannot",
            self.name(call),
            self.subject.describe_op(p),
            self.session.describe(state),
            self.session.describe(*after),
        ))
    }
}

/// What is said if the model cannot answer.
fn failed(subject: &dyn Subject, stop: Stop) -> String {
    match stop {
        Stop::Limit(limit) => format!("the model hit a limit: {limit}"),
        Stop::SpecPanicked { op: Some(op), message } => {
            format!("the model failed at {}: {message}", subject.describe_op(op))
        }
        Stop::SpecPanicked { op: None, message } => {
            format!("the model failed to give its initial state: {message}")
        }
    }
}

fn disjoint(a: &Footprint, b: &Footprint) -> bool {
    match (a, b) {
        (Footprint::Keys(a), Footprint::Keys(b)) => a.iter().all(|k| !b.contains(k)),
        _ => false,
    }
}

/// The part of each operation, as a history of all of them would be split.
fn parts(subject: &dyn Subject) -> Vec<usize> {
    let len = subject.len();
    let footprints: Vec<Footprint> =
        (0..len as u32).map(|op| subject.footprint(OpId(op))).collect();
    let mut parts: Vec<usize> = (0..len).collect();
    for a in 0..len {
        for b in 0..a {
            let (from, to) = (parts[a], parts[b]);
            if from != to && !disjoint(&footprints[a], &footprints[b]) {
                parts.iter_mut().filter(|p| **p == from).for_each(|p| *p = to);
            }
        }
    }
    parts
}

#[cfg(test)]
mod tests;
