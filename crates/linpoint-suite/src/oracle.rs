//! The reference checker: the definition of linearizability, run as a program.
//!
//! Builds an order of operations from the front by plain recursion: any operation that no remaining
//! operation must precede may be next, into any state that the specification allows. No pruning, no
//! splitting, no claims of the specification, no code of any engine. It is exponential, and must
//! stay that way: its only virtue is that it is obviously correct.
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

/// The reference checker. By default it remembers nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Oracle {
    /// True if hints are asserted; otherwise they are ignored.
    pub assert_hints: bool,
    /// Remember which sets of operations with which states have already failed. Sound for the same
    /// reason as in Lowe's checker, and only a concession to time: the tests of the oracle compare
    /// it with the plain recursion.
    pub remember_failures: bool,
}

impl Oracle {
    /// Plain recursion; hints are ignored.
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

    /// Whether there is a legal order.
    pub fn linearizable<S: Spec>(self, spec: &S, history: &History<S::Op, S::Ret>) -> bool {
        self.order(spec, history).is_some()
    }

    /// A legal order, if there is one.
    pub fn order<S: Spec>(self, spec: &S, history: &History<S::Op, S::Ret>) -> Option<Vec<OpId>> {
        let mut search = self.search(spec, history);
        let initial = search.initial();
        search.extend(&initial).then_some(search.order)
    }

    fn search<'a, S: Spec>(
        self,
        spec: &'a S,
        history: &'a History<S::Op, S::Ret>,
    ) -> Search<'a, S> {
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
        Search {
            spec,
            history,
            assert_hints: self.assert_hints,
            objects: objects.len(),
            object_of,
            order: Vec::new(),
            failed: self.remember_failures.then(HashSet::new),
        }
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

    /// Everything that `op` could have returned, with all else unchanged, such that the history is
    /// legal; `None` if the specification cannot enumerate results. Each result appears once.
    pub fn allowed_results<S: Spec>(
        self,
        spec: &S,
        history: &History<S::Op, S::Ret>,
        op: OpId,
    ) -> Option<Vec<S::Ret>> {
        // Everything it could return if nothing came after it. For each result, the oracle then
        // decides whether the rest of the history can follow.
        let mut search = self.search(spec, history);
        let mut outcomes = Vec::new();
        let initial = search.initial();
        if !search.collect(&initial, op, &mut HashSet::new(), &mut outcomes) {
            return None;
        }
        let results = outcomes.into_iter().map(|(ret, _)| ret);
        let mut once = HashSet::new();
        let fits =
            |ret: &S::Ret| self.linearizable(spec, &with_result(history, op, Some(ret.clone())));
        Some(results.filter(|ret| once.insert(ret.clone()) && fits(ret)).collect())
    }
}

/// Whether there is a legal order. Plain recursion, nothing remembered.
pub fn linearizable<S: Spec>(
    spec: &S,
    history: &History<S::Op, S::Ret>,
    assert_hints: bool,
) -> bool {
    Oracle::new().assert_hints(assert_hints).linearizable(spec, history)
}

/// The history just after the event with rank `last`: operations that were open then are pending,
/// operations called later do not exist. Ids change; see [`called_by`].
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

/// Sets of operations that are not yet in the order (as sorted lists), with the objects' states.
type Configurations<S> = HashSet<(Vec<OpId>, Vec<<S as Spec>::State>)>;

struct Search<'a, S: Spec> {
    spec: &'a S,
    history: &'a History<S::Op, S::Ret>,
    assert_hints: bool,
    /// Number of objects.
    objects: usize,
    /// For each operation, the index of its object's state.
    object_of: Vec<usize>,
    order: Vec<OpId>,
    /// Configurations that cannot be completed, if remembered.
    failed: Option<Configurations<S>>,
}

impl<S: Spec> Search<'_, S> {
    fn initial(&self) -> Vec<S::State> {
        (0..self.objects).map(|_| self.spec.initial()).collect()
    }

    fn missing(&self) -> Vec<OpId> {
        self.history.ids().filter(|id| !self.order.contains(id)).collect()
    }

    /// Calls `visit` with `next` in the order and each possible state after it, until `visit`
    /// returns true.
    fn try_next(
        &mut self,
        states: &[S::State],
        next: OpId,
        visit: &mut dyn FnMut(&mut Self, &[S::State]) -> bool,
    ) -> bool {
        // A pending operation has no result, whatever the column contains.
        let pending = self.history.span(next).is_pending();
        let ret = if pending { None } else { self.history.ret(next) };
        let object = self.object_of[next.index()];
        let mut after = Vec::new();
        self.spec.successors(&states[object], self.history.op(next), ret, &mut after);
        for state in after {
            let mut states = states.to_vec();
            states[object] = state;
            self.order.push(next);
            if visit(self, &states) {
                return true;
            }
            self.order.pop();
        }
        false
    }

    /// Collects the outcomes of `op` after every legal order of operations that can come before it.
    /// False if the specification cannot enumerate them.
    fn collect(
        &mut self,
        states: &[S::State],
        op: OpId,
        seen: &mut Configurations<S>,
        out: &mut Vec<(S::Ret, S::State)>,
    ) -> bool {
        let missing = self.missing();
        if !seen.insert((missing.clone(), states.to_vec())) {
            return true;
        }
        let state = &states[self.object_of[op.index()]];
        if self.may_be_next(op, &missing) && !self.spec.outcomes(state, self.history.op(op), out) {
            return false;
        }
        let mut enumerable = true;
        for &next in missing.iter().filter(|&&next| next != op) {
            if self.may_be_next(next, &missing) {
                self.try_next(states, next, &mut |search, states| {
                    enumerable &= search.collect(states, op, seen, out);
                    false
                });
            }
        }
        enumerable
    }

    /// Completes the order from these states, or leaves it unchanged.
    fn extend(&mut self, states: &[S::State]) -> bool {
        let missing = self.missing();
        if missing.iter().all(|&id| self.history.span(id).is_pending()) {
            return true;
        }
        let key = || (missing.clone(), states.to_vec());
        if self.failed.as_ref().is_some_and(|failed| failed.contains(&key())) {
            return false;
        }
        for &next in &missing {
            if self.may_be_next(next, &missing)
                && self.try_next(states, next, &mut |search, states| search.extend(states))
            {
                return true;
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
        // Only operations already in the order count: a pending operation with a smaller position
        // may be left out, and a completed one will be unable to follow.
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
