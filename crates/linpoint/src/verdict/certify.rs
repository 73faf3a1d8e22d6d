//! Independent validation of witnesses: a few lines that share nothing with the engines.
//!
//! An order is a witness if (1) it contains every completed operation once and every pending one
//! at most once, (2) it respects real time, (3) it is legal for the specification, and (4) it
//! respects asserted order hints. (2) needs one pass: an order respects real time exactly if no
//! operation stands behind one that was called after its return.

use rustc_hash::FxHashMap;

use crate::history::{History, OpId, Span};
use crate::spec::Spec;

/// Checks (1), (2) and (4) for an order of the whole history.
pub(crate) fn order_is_valid<O, R>(
    history: &History<O, R>,
    order: &[OpId],
    hints_asserted: bool,
) -> Result<(), String> {
    let mut seen = vec![false; history.len()];
    let mut latest_call = 0;
    let mut latest_position: FxHashMap<(Option<u32>, u32), u64> = FxHashMap::default();
    for &id in order {
        match seen.get_mut(id.index()) {
            Some(seen) if !*seen => *seen = true,
            _ => return Err(format!("operation {id} is unknown or takes effect twice")),
        }
        let span = history.span(id);
        latest_call = latest_call.max(span.call);
        if span.ret < latest_call {
            return Err(format!("operation {id} takes effect after its return"));
        }
        if !hints_asserted {
            continue;
        }
        let extras = history.extras(id);
        if let Some(hint) = extras.hint {
            let latest = latest_position.entry((extras.object, hint.scope)).or_insert(0);
            if hint.position < *latest {
                return Err(format!("operation {id} takes effect after a later position"));
            }
            *latest = hint.position;
        }
    }
    let missing = |id: &OpId| !seen[id.index()] && history.span(*id).ret != Span::NEVER;
    match history.ids().find(missing) {
        Some(id) => Err(format!("operation {id} is missing")),
        None => Ok(()),
    }
}

/// Checks (3) for the order of one part, on an object that is changed in place if the specification
/// has one. Otherwise nondeterministic specifications are followed in all states at once.
pub(crate) fn replay_is_legal<S: Spec>(
    spec: &S,
    history: &History<S::Op, S::Ret>,
    order: &[OpId],
) -> Result<(), String> {
    let illegal = |id: OpId| {
        let op = spec.describe_op(history.op(id));
        Err(format!("operation {id}, {op}, is not legal at its place"))
    };
    let mut run = order.iter().map(|id| (history.op(*id), history.ret(*id)));
    if let Some(replayed) = spec.replay(&mut run) {
        return replayed.or_else(|at| illegal(order[at]));
    }
    let mut states = vec![spec.initial()];
    let mut next = Vec::new();
    for &id in order {
        for state in &states {
            spec.successors(state, history.op(id), history.ret(id), &mut next);
        }
        if next.len() > 1 {
            let mut distinct: Vec<S::State> = Vec::new();
            for state in next.drain(..) {
                if !distinct.contains(&state) {
                    distinct.push(state);
                }
            }
            next = distinct;
        }
        if next.is_empty() {
            return illegal(id);
        }
        std::mem::swap(&mut states, &mut next);
        next.clear();
    }
    Ok(())
}

/// Merges legal orders of independent parts into one order of the history.
///
/// Each operation is placed at the latest call among those before it in its part, which lies
/// between its own call and its return; sorting by that place respects real time across parts.
pub(crate) fn merge<O, R>(history: &History<O, R>, parts: &[&Vec<OpId>]) -> Vec<OpId> {
    if let [one] = parts {
        return (*one).clone();
    }
    let mut start_at = vec![0u32; history.ranks() as usize + 1];
    let places = |part: &[OpId]| {
        let mut place = 0;
        part.iter()
            .map(|id| {
                place = history.span(*id).call.max(place);
                (place, *id)
            })
            .collect::<Vec<_>>()
    };
    let placed: Vec<Vec<(u32, OpId)>> = parts.iter().map(|p| places(p)).collect();
    for (place, _) in placed.iter().flatten() {
        start_at[*place as usize + 1] += 1;
    }
    for i in 1..start_at.len() {
        start_at[i] += start_at[i - 1];
    }
    let mut order = vec![OpId(0); parts.iter().map(|p| p.len()).sum()];
    for (place, id) in placed.iter().flatten() {
        let at = &mut start_at[*place as usize];
        order[*at as usize] = *id;
        *at += 1;
    }
    order
}
