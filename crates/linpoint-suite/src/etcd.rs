//! Small histories of etcd: drawn at random, with requests that did not answer and planted errors, and decided by
//! trying every order.

use std::collections::HashSet;

use linpoint::history::{Extras, History, Interval, OpId, Ties};
use linpoint::spec::Spec;
use linpoint::spec::models::{
    Etcd, EtcdCondition, EtcdExpected, EtcdFound, EtcdOp, EtcdRange, EtcdRet, EtcdState, EtcdStep,
    EtcdTxn,
};
use linpoint::wire::Value;

use crate::Rng;

/// A history of etcd.
pub type EtcdHistory = History<EtcdOp, EtcdRet>;

/// Probabilities of events in a history.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Number of operations that take effect.
    pub ops: usize,
    /// Number of keys, at most 5.
    pub keys: u64,
    /// Different values; 0: every put has its own.
    pub values: i64,
    /// Probability that an operation that took effect did not answer.
    pub lost: f64,
    /// Requests without an answer that never took effect, at most.
    pub never: usize,
    /// Probability that a write has a condition.
    pub conditions: f64,
    /// Probability of each of: a read, a delete, a transaction of several operations, a lease, a compaction, an event.
    pub kinds: [f64; 6],
    /// Versions are recorded.
    pub versions: bool,
    /// Probability that an answer, or the time of an operation, is changed.
    pub wrong: f64,
    /// How far operations overlap.
    pub width: u64,
}

impl Style {
    /// Conditional writes and reads, a third of them without an answer.
    pub const KUBERNETES: Style = Style {
        ops: 7,
        keys: 2,
        values: 0,
        lost: 0.4,
        never: 3,
        conditions: 0.85,
        kinds: [0.35, 0.2, 0.05, 0.0, 0.0, 0.0],
        versions: false,
        wrong: 0.0,
        width: 20,
    };
    /// Whatever etcd has.
    pub const EVERYTHING: Style = Style {
        conditions: 0.5,
        values: 2,
        kinds: [0.3, 0.15, 0.15, 0.15, 0.1, 0.1],
        ..Style::KUBERNETES
    };
}

/// An operation that took effect, with its exact answer and its place in the order.
struct Effect {
    op: EtcdOp,
    ret: EtcdRet,
}

/// Draws a history. It is linearizable unless something is planted.
pub fn draw(style: &Style, rng: &mut Rng) -> EtcdHistory {
    let effects = effects(style, rng);
    let mut times: Vec<(u64, Option<u64>)> = Vec::new();
    for place in 1..=effects.len() as u64 {
        let at = 10 * place;
        let call = at.saturating_sub(rng.u64(..=style.width));
        let lost = rng.f64() < style.lost;
        times.push((call, (!lost).then(|| at + 1 + rng.u64(..=style.width))));
    }
    let last = 10 * effects.len() as u64;
    let mut rows: Vec<Recorded> = effects
        .into_iter()
        .zip(times)
        .map(|(Effect { op, ret }, times)| (op, times.1.map(|_| ret), times))
        .collect();
    for _ in 0..rng.usize(..=style.never) {
        let at = 100 + rng.u64(..5);
        let op = request(&Etcd.initial(), style, rng, at);
        rows.push((op, None, (rng.u64(..=last), None)));
    }
    if rng.f64() < style.wrong {
        plant(&mut rows, rng);
    }
    rng.shuffle(&mut rows);
    history(rows)
}

/// A request, its answer if there was one, and when it began and ended.
type Recorded = (EtcdOp, Option<EtcdRet>, (u64, Option<u64>));

fn history(rows: Vec<Recorded>) -> EtcdHistory {
    let mut intervals = History::from_intervals(Ties::Concurrent);
    for (op, ret, (start, end)) in rows {
        let extras = Extras::default();
        let ret = ret.filter(|_| end.is_some());
        let added = intervals.add(Interval { op, ret, start, end, extras });
        added.expect("the interval does not end before it starts");
    }
    intervals.finish().expect("no process overlaps with itself")
}

fn effects(style: &Style, rng: &mut Rng) -> Vec<Effect> {
    let mut state = Etcd.initial();
    let mut effects: Vec<Effect> = Vec::new();
    let mut happened: Vec<EtcdOp> = Vec::new();
    for at in 0..style.ops as u64 {
        let is_event = !happened.is_empty() && rng.f64() < style.kinds[5];
        let op = match is_event {
            true => happened[rng.usize(..happened.len())].clone(),
            false => request(&state, style, rng, at),
        };
        let mut out = Vec::new();
        Etcd.outcomes(&state, &op, &mut out);
        let Some((mut ret, after)) = out.pop() else { continue };
        if !style.versions {
            without_versions(&mut ret);
        }
        happened.extend(events(&op, &ret));
        state = after;
        effects.push(Effect { op, ret });
    }
    effects
}

/// The events of a transaction that wrote.
fn events(op: &EtcdOp, ret: &EtcdRet) -> Vec<EtcdOp> {
    let (EtcdOp::Txn(txn), EtcdRet::Txn { succeeded, results, revision }) = (op, ret) else {
        return Vec::new();
    };
    let revision = *revision;
    let steps = txn.branch(*succeeded).iter().zip(results);
    let event = |(step, result): (&EtcdStep, &EtcdFound)| match step {
        EtcdStep::Put { key, value, .. } => {
            Some(EtcdOp::Event { key: key.clone(), value: Some(value.clone()), revision })
        }
        EtcdStep::Delete(key) if result.deleted == 1 => {
            Some(EtcdOp::Event { key: key.clone(), value: None, revision })
        }
        _ => None,
    };
    // Of several changes of one key, the last one counts.
    let all: Vec<EtcdOp> = steps.filter_map(event).collect();
    if all.len() > 1 { Vec::new() } else { all }
}

fn without_versions(ret: &mut EtcdRet) {
    let founds = match ret {
        EtcdRet::Range { found, .. } => std::slice::from_mut(found),
        EtcdRet::Txn { results, .. } => &mut results[..],
        _ => return,
    };
    founds.iter_mut().flat_map(|found| &mut found.keys).for_each(|key| key.version = None);
}

fn key(style: &Style, rng: &mut Rng) -> Value {
    Value::str(["a", "b", "c", "d", "e"][rng.u64(..style.keys) as usize])
}

/// The revision of a key now, or another one.
fn expected(state: &EtcdState, key: &Value, style: &Style, rng: &mut Rng) -> EtcdExpected {
    let range = EtcdRange::key(key.clone());
    let mut out = Vec::new();
    Etcd.outcomes(state, &EtcdOp::Range { range, revision: 0 }, &mut out);
    let found = match out.pop() {
        Some((EtcdRet::Range { found, .. }, _)) => found.keys.into_iter().next(),
        _ => None,
    };
    match found {
        _ if rng.u64(..8) == 0 => EtcdExpected::Revision(rng.i64(0..6)),
        Some(found) if style.versions && rng.bool() => {
            EtcdExpected::Version(found.version.unwrap_or(1))
        }
        found => EtcdExpected::Revision(found.map_or(0, |found| found.revision)),
    }
}

fn request(state: &EtcdState, style: &Style, rng: &mut Rng, at: u64) -> EtcdOp {
    let [reads, deletes, several, leases, compactions, _] = style.kinds;
    let revision = |state: &EtcdState, rng: &mut Rng| {
        let mut out = Vec::new();
        Etcd.outcomes(state, &EtcdOp::Grant(9), &mut out);
        let now = match out.pop() {
            Some((EtcdRet::At(now), _)) => now,
            _ => 1,
        };
        1 + rng.i64(0..=now)
    };
    if rng.f64() < reads {
        let of = key(style, rng);
        let end = rng.bool().then(|| Value::str("\0"));
        let limit = if rng.u64(..3) == 0 { 1 } else { 0 };
        let range = EtcdRange { start: of, end, limit, keys_only: rng.u64(..6) == 0 };
        let is_old = rng.u64(..4) == 0;
        return EtcdOp::Range { range, revision: if is_old { revision(state, rng) } else { 0 } };
    }
    if rng.f64() < leases && rng.bool() {
        return if rng.u64(..3) == 0 {
            EtcdOp::Revoke(1 + rng.i64(0..2))
        } else {
            EtcdOp::Grant(1 + rng.i64(0..2))
        };
    }
    if rng.f64() < compactions {
        return EtcdOp::Compact(revision(state, rng) - rng.i64(0..2));
    }
    let step = |rng: &mut Rng| {
        let of = key(style, rng);
        let lease = if rng.f64() < leases { 1 + rng.i64(0..2) } else { 0 };
        let value = match style.values {
            0 => Value::Int(at as i64),
            values => Value::Int(rng.i64(0..values)),
        };
        match rng.f64() < deletes {
            true => EtcdStep::Delete(of),
            false => EtcdStep::Put { key: of, value, lease },
        }
    };
    let mut steps = vec![step(rng)];
    let of = match &steps[0] {
        EtcdStep::Put { key, .. } | EtcdStep::Delete(key) => key.clone(),
        EtcdStep::Range(range) => range.start.clone(),
    };
    if rng.f64() < several {
        steps.push(if rng.bool() {
            step(rng)
        } else {
            EtcdStep::Range(EtcdRange::key(of.clone()))
        });
    }
    let mut txn = EtcdTxn::unconditional(steps);
    if rng.f64() < style.conditions {
        let expected = expected(state, &of, style, rng);
        txn.conditions.push(EtcdCondition { key: of.clone(), expected });
        if rng.f64() < several {
            let other = key(style, rng);
            let expected = self::expected(state, &other, style, rng);
            txn.conditions.push(EtcdCondition { key: other, expected });
        }
        txn.failure = match rng.f64() < several {
            true => vec![step(rng)],
            false => vec![EtcdStep::Range(EtcdRange::key(of))],
        };
    }
    EtcdOp::Txn(txn)
}

/// Changes an answer, or when an operation was open.
fn plant(rows: &mut [Recorded], rng: &mut Rng) {
    if rows.is_empty() {
        return;
    }
    let at = rng.usize(..rows.len());
    let other = rng.usize(..rows.len());
    if rng.u64(..4) == 0 {
        let times = rows[at].2;
        let (call, end) = rows[other].2;
        if rows[at].1.is_some() && rows[other].1.is_some() {
            rows[at].2 = (call, end);
            rows[other].2 = times;
        } else {
            rows[at].2.0 = rows[at].2.1.unwrap_or(u64::MAX).min(call);
        }
        return;
    }
    let Some(ret) = &mut rows[at].1 else { return };
    let change = 1 - 2 * rng.i64(0..2);
    match ret {
        EtcdRet::Range { revision, .. } | EtcdRet::Txn { revision, .. } | EtcdRet::At(revision)
            if rng.u64(..3) == 0 =>
        {
            *revision += change;
        }
        EtcdRet::Range { found, .. } => plant_found(found, change, rng),
        EtcdRet::Txn { succeeded, .. } if rng.u64(..4) == 0 => *succeeded = !*succeeded,
        EtcdRet::Txn { results, .. } => {
            if let Some(found) = results.first_mut() {
                plant_found(found, change, rng);
            }
        }
        EtcdRet::At(_) => {}
        EtcdRet::Done => {
            let is_event = matches!(rows[at].0, EtcdOp::Event { .. });
            rows[at].1 = Some(if is_event { EtcdRet::Done } else { EtcdRet::Compacted });
        }
        EtcdRet::Compacted | EtcdRet::Future => *ret = EtcdRet::Done,
    }
}

fn plant_found(found: &mut EtcdFound, change: i64, rng: &mut Rng) {
    match (rng.u64(..5), found.keys.first_mut()) {
        (0, _) => found.count += change,
        (1, _) => found.deleted = 1 - found.deleted,
        (2, Some(key)) => key.revision += change,
        (3, Some(key)) => key.value = Value::Int(rng.i64(0..8)),
        (_, _) => {
            if found.keys.pop().is_some() && found.count == found.keys.len() as i64 + 1 {
                found.count -= 1;
            }
        }
    }
}

/// Whether there is a legal order. Operations for which `keep` is false are relaxed. Tries every order of at most 16
/// operations.
pub fn linearizable(history: &EtcdHistory, keep: impl Fn(OpId) -> bool) -> bool {
    assert!(history.len() <= 16, "too large for brute force");
    let mut search =
        Search { history, before: Vec::new(), completed: 0, relaxed: 0, failed: HashSet::new() };
    for id in history.ids() {
        let span = history.span(id);
        let mut before = 0;
        if keep(id) {
            search.completed |= u16::from(!span.is_pending()) << id.0;
            for other in history.ids().filter(|other| keep(*other)) {
                before |= u16::from(history.span(other).precedes(span)) << other.0;
            }
        } else {
            search.relaxed |= 1 << id.0;
        }
        search.before.push(before);
    }
    search.extend(0, &Etcd.initial())
}

struct Search<'a> {
    history: &'a EtcdHistory,
    before: Vec<u16>,
    completed: u16,
    relaxed: u16,
    failed: HashSet<(u16, EtcdState)>,
}

impl Search<'_> {
    fn extend(&mut self, done: u16, state: &EtcdState) -> bool {
        if self.completed & !done == 0 {
            return true;
        }
        let place = (done, state.clone());
        if self.failed.contains(&place) {
            return false;
        }
        for id in self.history.ids() {
            let bit = 1 << id.0;
            if done & bit != 0 || self.before[id.index()] & !done != 0 {
                continue;
            }
            let ret = self.history.ret(id).filter(|_| self.relaxed & bit == 0);
            let mut next = Vec::new();
            Etcd.successors(state, self.history.op(id), ret, &mut next);
            if next.iter().any(|after| self.extend(done | bit, after)) {
                return true;
            }
        }
        self.failed.insert(place);
        false
    }
}
