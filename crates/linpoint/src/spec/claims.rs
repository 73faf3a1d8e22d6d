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

use super::{EffectiveClaims, Footprint, Spec};
use crate::random::SplitMix64;

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
    try_to_break(spec, ops, seed, runs).map_err(FalseClaim)
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

/// See [`check_claims`].
fn try_to_break<S: Spec>(spec: &S, ops: &[S::Op], seed: u64, runs: usize) -> Result<(), String> {
    let parts = parts(spec, ops);
    let mut c = Tester {
        spec,
        claims: EffectiveClaims::of(spec),
        ops,
        parts,
        random: SplitMix64::new(seed),
        results: vec![Vec::new(); ops.len()],
        met: FxHashSet::default(),
    };
    if ops.is_empty() {
        return Ok(());
    }
    // All results first, so that states are tested with results from other states too.
    let mut states = vec![spec.initial()];
    for _ in 0..runs {
        c.walk(&mut states);
    }
    for state in &states {
        c.relation(state)?;
        c.reads(state)?;
        c.footprints(state)?;
    }
    // The shape first: if it is wrong, so is what follows from it.
    c.keys()?;
    c.completeness()?;
    for _ in 0..HISTORIES_PER_RUN * runs {
        c.sequences()?;
    }
    for state in &states {
        c.traces(state)?;
    }
    for _ in 0..HISTORIES_PER_RUN * runs {
        c.histories()?;
    }
    Ok(())
}

struct Tester<'a, S: Spec> {
    spec: &'a S,
    claims: EffectiveClaims<'a, S::Op, S::Ret>,
    ops: &'a [S::Op],
    /// Which independent part each operation belongs to.
    parts: Vec<usize>,
    random: SplitMix64,
    /// Results that each operation had in some state.
    results: Vec<Vec<S::Ret>>,
    met: FxHashSet<S::State>,
}

impl<S: Spec> Tester<'_, S> {
    fn next(&self, state: &S::State, op: &S::Op, ret: Option<&S::Ret>) -> Vec<S::State> {
        let mut next = Vec::new();
        self.spec.successors(state, op, ret, &mut next);
        next
    }

    /// Results with states, as far as the spec can tell.
    fn outcomes(&self, state: &S::State, op: &S::Op) -> Option<Vec<(S::Ret, S::State)>> {
        let mut out = Vec::new();
        self.spec.outcomes(state, op, &mut out).then_some(out)
    }

    /// One way in which the operation can go, at random.
    fn step(&mut self, state: &S::State, op: &S::Op) -> Option<(Option<S::Ret>, S::State)> {
        let mut ways: Vec<(Option<S::Ret>, S::State)> = match self.outcomes(state, op) {
            Some(out) => out.into_iter().map(|(r, s)| (Some(r), s)).collect(),
            None => self.next(state, op, None).into_iter().map(|s| (None, s)).collect(),
        };
        (!ways.is_empty()).then(|| ways.swap_remove(self.random.index(ways.len())))
    }

    fn walk(&mut self, states: &mut Vec<S::State>) {
        let mut state = self.spec.initial();
        self.met.insert(state.clone());
        for _ in 0..2 * MAX_OPS {
            let i = self.random.index(self.ops.len());
            let op = &self.ops[i];
            let Some((ret, after)) = self.step(&state, op) else { continue };
            if let Some(ret) = ret
                && self.results[i].len() < MAX_RESULTS
                && !self.results[i].contains(&ret)
            {
                self.results[i].push(ret);
            }
            state = after;
            if states.len() < MAX_STATES && self.met.insert(state.clone()) {
                states.push(state.clone());
            }
        }
    }

    /// The unknown result, and all that were met.
    fn rets(&self, op: usize) -> impl Iterator<Item = Option<&S::Ret>> {
        std::iter::once(None).chain(self.results[op].iter().map(Some))
    }

    fn name(&self, op: &S::Op, ret: Option<&S::Ret>) -> String {
        let ret = ret.map_or("?".into(), |r| self.spec.describe_ret(op, r));
        format!("{} -> {ret}", self.spec.describe_op(op))
    }

    fn relation(&self, state: &S::State) -> Result<(), String> {
        for (i, op) in self.ops.iter().enumerate() {
            let Some(out) = self.outcomes(state, op) else { continue };
            for ret in self.rets(i) {
                let fits = |exact: &S::Ret| ret.is_none_or(|r| self.spec.fits(op, exact, r));
                let by_outcomes: HashSet<&S::State> =
                    out.iter().filter(|(exact, _)| fits(exact)).map(|o| &o.1).collect();
                let next = self.next(state, op, ret);
                if by_outcomes != next.iter().collect() {
                    return Err(format!(
                        "outcomes and successors disagree on {} in state {}",
                        self.name(op, ret),
                        self.spec.describe_state(state),
                    ));
                }
            }
        }
        Ok(())
    }

    fn reads(&self, state: &S::State) -> Result<(), String> {
        for (i, op) in self.ops.iter().enumerate() {
            for ret in self.rets(i).filter(|ret| self.spec.is_read(op, *ret)) {
                if let Some(after) = self.next(state, op, ret).iter().find(|s| *s != state) {
                    return Err(format!(
                        "is_read: {} turns {} into {}",
                        self.name(op, ret),
                        self.spec.describe_state(state),
                        self.spec.describe_state(after),
                    ));
                }
            }
        }
        Ok(())
    }

    /// Every way in which `a` and then `b` can go: what they return, and the state after both.
    fn both(&self, state: &S::State, a: usize, b: usize) -> HashSet<(usize, usize, S::State)> {
        // Results as positions among those met; results that cannot be enumerated are all 0.
        let steps = |state: &S::State, op: usize| -> Vec<(usize, S::State)> {
            let out = self.outcomes(state, &self.ops[op]);
            let place = |r: &S::Ret| 1 + self.results[op].iter().take_while(|x| *x != r).count();
            match out {
                Some(out) => out.into_iter().map(|(r, s)| (place(&r), s)).collect(),
                None => self.next(state, &self.ops[op], None).into_iter().map(|s| (0, s)).collect(),
            }
        };
        let mut ways = HashSet::new();
        for (ra, middle) in steps(state, a) {
            ways.extend(steps(&middle, b).into_iter().map(|(rb, s)| (ra, rb, s)));
        }
        ways
    }

    fn footprints(&self, state: &S::State) -> Result<(), String> {
        for a in 0..self.ops.len() {
            for b in 0..a {
                let (x, y) = (&self.ops[a], &self.ops[b]);
                if !disjoint(&self.spec.footprint(x), &self.spec.footprint(y)) {
                    continue;
                }
                let ab = self.both(state, a, b);
                let swapped = self.both(state, b, a).into_iter().map(|(rb, ra, s)| (ra, rb, s));
                // Nobody is stopped by the other: what both can do here, they can do together.
                let able = |op| !self.next(state, op, None).is_empty();
                if ab != swapped.collect() || ab.is_empty() == (able(x) && able(y)) {
                    return Err(format!(
                        "footprint: {} and {} are not independent in state {}",
                        self.spec.describe_op(x),
                        self.spec.describe_op(y),
                        self.spec.describe_state(state),
                    ));
                }
            }
        }
        Ok(())
    }

    fn traces(&self, state: &S::State) -> Result<(), String> {
        for (j, p) in self.ops.iter().enumerate() {
            let left = self.claims.leaves(p);
            let middle = self.next(state, p, None);
            for (i, x) in
                self.ops.iter().enumerate().filter(|(i, _)| self.parts[*i] == self.parts[j])
            {
                for ret in self.rets(i).filter(|ret| !left.meets(&self.claims.senses(x, *ret))) {
                    let after = middle.iter().flat_map(|m| self.next(m, x, ret));
                    self.unnoticed("leaves/senses", state, p, (x, ret), after)?;
                }
                if !left.meets(&self.claims.senses_to_act(x)) {
                    // Pending operations that change nothing are left out anyway.
                    let acts = |m| self.next(m, x, None).into_iter().filter(move |s| s != m);
                    let after = middle.iter().flat_map(acts);
                    self.unnoticed("leaves/senses_to_act", state, p, (x, None), after)?;
                }
            }
        }
        Ok(())
    }

    /// Every state that `x` reaches from `state` after `p` must be one that it reaches alone.
    fn unnoticed(
        &self,
        claim: &str,
        state: &S::State,
        p: &S::Op,
        (x, ret): (&S::Op, Option<&S::Ret>),
        mut after: impl Iterator<Item = S::State>,
    ) -> Result<(), String> {
        let alone = self.next(state, x, ret);
        let Some(after) = after.find(|s| !alone.contains(s)) else { return Ok(()) };
        Err(format!(
            "{claim}: {} after {} leads from {} to {}, alone it cannot",
            self.name(x, ret),
            self.spec.describe_op(p),
            self.spec.describe_state(state),
            self.spec.describe_state(&after),
        ))
    }
}

fn disjoint(a: &Footprint, b: &Footprint) -> bool {
    match (a, b) {
        (Footprint::Keys(a), Footprint::Keys(b)) => a.iter().all(|k| !b.contains(k)),
        _ => false,
    }
}

/// The part of each operation, as a history of all of them would be split.
fn parts<S: Spec>(spec: &S, ops: &[S::Op]) -> Vec<usize> {
    let footprints: Vec<Footprint> = ops.iter().map(|op| spec.footprint(op)).collect();
    let mut parts: Vec<usize> = (0..ops.len()).collect();
    for a in 0..ops.len() {
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
