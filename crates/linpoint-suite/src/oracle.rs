//! The reference checker: the definition of linearizability, run as a program.
//!
//! An order of operations is built from the front by plain recursion: whichever operation has
//! nothing left that must come before it may be next, into whichever state the specification allows.
//! No pruning, no splitting, no claims of the specification, no code of any engine. Exponential, and
//! to be kept that way: its only virtue is that it can be seen to be right.
//!
//! The definition:
//! * every completed operation is in the order, with its result or, if that is unknown, with any;
//! * every pending operation is in the order with any result, or is not in the order;
//! * if one operation precedes another in real time, it does so in the order;
//! * if hints are asserted: within a scope of an object, smaller positions come before larger ones;
//! * for each object, its operations in this order are a run of the specification.

use std::collections::HashSet;

use linpoint::history::{History, OpId, Span};
use linpoint::spec::Spec;

/// The reference checker. The default remembers nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Oracle {
    /// True if hints are asserted; otherwise they mean nothing.
    pub assert_hints: bool,
    /// Remember which sets of operations with which states have already failed. Sound for the same
    /// reason as in Lowe's checker, and only a concession to time: the tests of the oracle compare
    /// it with the plain recursion.
    pub remember_failures: bool,
}

impl Oracle {
    /// Plain recursion; hints mean nothing.
    pub fn new() -> Self {
        Oracle::default()
    }

    /// Whether hints are asserted.
    pub fn assert_hints(self, assert_hints: bool) -> Self {
        Oracle { assert_hints, ..self }
    }

    /// Whether to remember failures.
    pub fn remember_failures(self, remember_failures: bool) -> Self {
        Oracle { remember_failures, ..self }
    }

    /// Is there a legal order?
    pub fn linearizable<S: Spec>(self, spec: &S, history: &History<S::Op, S::Ret>) -> bool {
        self.order(spec, history).is_some()
    }

    /// A legal order, if there is one.
    pub fn order<S: Spec>(self, spec: &S, history: &History<S::Op, S::Ret>) -> Option<Vec<OpId>> {
        let mut objects = Vec::new();
        let mut object_of = Vec::new();
        for id in history.ids() {
            let object = history.extras(id).object;
            let known = objects.iter().position(|&o| o == object).unwrap_or_else(|| {
                objects.push(object);
                objects.len() - 1
            });
            object_of.push(known);
        }
        let mut search = Search {
            spec,
            history,
            assert_hints: self.assert_hints,
            object_of,
            order: Vec::new(),
            failed: self.remember_failures.then(HashSet::new),
        };
        let initial: Vec<S::State> = objects.iter().map(|_| spec.initial()).collect();
        search.extend(&initial).then_some(search.order)
    }

    /// The operation at whose return the history first had no legal order; `None` if it has one.
    pub fn earliest_failure<S: Spec>(
        self,
        spec: &S,
        history: &History<S::Op, S::Ret>,
    ) -> Option<OpId> {
        let mut returns: Vec<OpId> =
            history.ids().filter(|&id| !history.span(id).is_pending()).collect();
        returns.sort_by_key(|&id| history.span(id).ret);
        returns
            .into_iter()
            .find(|&id| !self.linearizable(spec, &prefix(history, history.span(id).ret)))
    }

    /// Everything that `op`, with all else as it is, could have returned so that the history were
    /// legal; `None` if the specification cannot enumerate results. Each result appears once.
    pub fn allowed_results<S: Spec>(
        self,
        spec: &S,
        history: &History<S::Op, S::Ret>,
        op: OpId,
    ) -> Option<Vec<S::Ret>> {
        let free = with_result(history, op, None);
        // Every state in which `op` could ever run, found by running everything in any order: too
        // many, which does no harm, because each result is then put to the oracle.
        let mut states = vec![spec.initial()];
        let mut seen: HashSet<S::State> = states.iter().cloned().collect();
        let others: Vec<OpId> = free.ids().filter(|&id| id != op).collect();
        for _ in 0..others.len() {
            let mut next = Vec::new();
            for state in &states {
                for &id in &others {
                    spec.successors(state, free.op(id), free.ret(id), &mut next);
                }
            }
            states = next.into_iter().filter(|s| seen.insert(s.clone())).collect();
        }
        let mut outcomes = Vec::new();
        for state in &seen {
            if !spec.outcomes(state, free.op(op), &mut outcomes) {
                return None;
            }
        }
        let results: HashSet<S::Ret> = outcomes.into_iter().map(|(ret, _)| ret).collect();
        let fits =
            |ret: &S::Ret| self.linearizable(spec, &with_result(history, op, Some(ret.clone())));
        Some(results.into_iter().filter(fits).collect())
    }
}

/// Is there a legal order? Plain recursion, nothing remembered.
pub fn linearizable<S: Spec>(
    spec: &S,
    history: &History<S::Op, S::Ret>,
    assert_hints: bool,
) -> bool {
    Oracle::new().assert_hints(assert_hints).linearizable(spec, history)
}

/// The history as it was just after the event with rank `last`: operations that were open then are
/// pending, operations called later do not exist. Ids change; see [`called_by`].
pub fn prefix<O: Clone, R: Clone>(history: &History<O, R>, last: u32) -> History<O, R> {
    history.derive(&called_by(history, last), |_, row| {
        if row.span.ret > last {
            row.span.ret = Span::NEVER;
            row.ret = None;
        }
    })
}

/// The operations of [`prefix`], in its order.
pub fn called_by<O, R>(history: &History<O, R>, last: u32) -> Vec<OpId> {
    history.ids().filter(|&id| history.span(id).call <= last).collect()
}

/// The history in which everything outside `core` is relaxed: it may have happened at any time,
/// with any result, or not at all. (The object stays.)
pub fn relax_outside<O: Clone, R: Clone>(history: &History<O, R>, core: &[OpId]) -> History<O, R> {
    let all: Vec<OpId> = history.ids().collect();
    history.derive(&all, |id, row| {
        if !core.contains(&id) {
            row.relax();
        }
    })
}

fn with_result<O: Clone, R: Clone>(
    history: &History<O, R>,
    op: OpId,
    result: Option<R>,
) -> History<O, R> {
    let all: Vec<OpId> = history.ids().collect();
    history.derive(&all, |id, row| {
        if id == op {
            row.ret = result.clone();
        }
    })
}

struct Search<'a, S: Spec> {
    spec: &'a S,
    history: &'a History<S::Op, S::Ret>,
    assert_hints: bool,
    /// For each operation, the index of its object's state.
    object_of: Vec<usize>,
    order: Vec<OpId>,
    /// Sets of operations (as sorted lists) and states that cannot be completed.
    failed: Option<HashSet<(Vec<OpId>, Vec<S::State>)>>,
}

impl<S: Spec> Search<'_, S> {
    /// Completes the order from these states, or leaves it as it was.
    fn extend(&mut self, states: &[S::State]) -> bool {
        let is_missing = |id: &OpId| !self.order.contains(id);
        let missing: Vec<OpId> = self.history.ids().filter(is_missing).collect();
        if missing.iter().all(|&id| self.history.span(id).is_pending()) {
            return true;
        }
        let key = || (missing.clone(), states.to_vec());
        if self.failed.as_ref().is_some_and(|failed| failed.contains(&key())) {
            return false;
        }
        for &next in &missing {
            if !self.may_be_next(next, &missing) {
                continue;
            }
            // A pending operation has no result, whatever the column says.
            let pending = self.history.span(next).is_pending();
            let ret = if pending { None } else { self.history.ret(next) };
            let object = self.object_of[next.index()];
            let mut after = Vec::new();
            self.spec.successors(&states[object], self.history.op(next), ret, &mut after);
            for state in after {
                let mut states = states.to_vec();
                states[object] = state;
                self.order.push(next);
                if self.extend(&states) {
                    return true;
                }
                self.order.pop();
            }
        }
        if let Some(failed) = &mut self.failed {
            failed.insert((missing, states.to_vec()));
        }
        false
    }

    fn may_be_next(&self, next: OpId, missing: &[OpId]) -> bool {
        let span = self.history.span(next);
        if missing.iter().any(|&other| self.history.span(other).precedes(span)) {
            return false;
        }
        // Only what is already in the order counts: a pending operation with a smaller position
        // may be left out, and a completed one will find itself unable to follow.
        !(self.assert_hints && self.order.iter().any(|&before| self.hint_orders(next, before)))
    }

    /// True if the hints say that `a` takes effect before `b`.
    fn hint_orders(&self, a: OpId, b: OpId) -> bool {
        let (a, b) = (self.history.extras(a), self.history.extras(b));
        match (a.hint, b.hint) {
            (Some(x), Some(y)) => {
                (a.object, x.scope) == (b.object, y.scope) && x.position < y.position
            }
            _ => false,
        }
    }
}
