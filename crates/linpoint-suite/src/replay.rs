//! Replays a witness by the definition, with its own code, so that a bug in linpoint's certifier is
//! not repeated here.

use std::collections::{HashMap, HashSet};

use linpoint::Hints;
use linpoint::history::{History, OpId};
use linpoint::spec::Spec;

/// Validates a witness. The error describes what is wrong.
pub fn replay<S: Spec>(
    spec: &S,
    history: &History<S::Op, S::Ret>,
    hints: Hints,
    order: &[OpId],
) -> Result<(), String> {
    let mut seen = HashSet::new();
    for &id in order {
        if id.index() >= history.len() {
            return Err(format!("{id} is not an operation of the history"));
        }
        if !seen.insert(id) {
            return Err(format!("{id} is in the order twice"));
        }
    }
    if let Some(id) = history.ids().find(|id| !history.span(*id).is_pending() && !seen.contains(id))
    {
        return Err(format!("{id} completed, but is not in the order"));
    }
    for (i, &later) in order.iter().enumerate().rev() {
        for &earlier in &order[..i] {
            if history.span(later).precedes(history.span(earlier)) {
                return Err(format!(
                    "{earlier} is before {later}, which had ended before it began"
                ));
            }
            let (before, after) = (history.extras(earlier), history.extras(later));
            if hints == Hints::Assert
                && let (Some(a), Some(b)) = (before.hint, after.hint)
                && (before.object, a.scope) == (after.object, b.scope)
                && b.position < a.position
            {
                return Err(format!("{earlier} is before {later}, against the asserted hints"));
            }
        }
    }
    // A witness does not say which way a nondeterministic operation went: follow all ways.
    let mut states: HashMap<Option<u32>, Vec<S::State>> = HashMap::new();
    for &id in order {
        let pending = history.span(id).is_pending();
        let ret = if pending { None } else { history.ret(id) };
        let now = states.entry(history.extras(id).object).or_insert_with(|| vec![spec.initial()]);
        let mut next = Vec::new();
        for state in now.iter() {
            spec.successors(state, history.op(id), ret, &mut next);
        }
        let mut once = HashSet::new();
        next.retain(|state| once.insert(state.clone()));
        if next.is_empty() {
            let op = spec.describe_op(history.op(id));
            return Err(format!("{id} {op} -> {ret:?} is not possible in {now:?}"));
        }
        *now = next;
    }
    Ok(())
}
