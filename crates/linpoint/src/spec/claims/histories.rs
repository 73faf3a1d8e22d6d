//! The claims that are about histories: small random ones, of which all orders are tried.

use std::fmt::Write as _;

use rustc_hash::FxHashMap;

use super::{MAX_OPS, Tester};
use crate::history::{Extras, History, Interval, OpId, Ties};
use crate::spec::{PartView, Spec, Traces};

/// An operation of a small history. Times may be equal: then they are concurrent.
struct Item<S: Spec> {
    op: S::Op,
    ret: Option<S::Ret>,
    start: u64,
    /// `None`: pending.
    end: Option<u64>,
}

impl<S: Spec> Clone for Item<S> {
    fn clone(&self) -> Self {
        Item { op: self.op.clone(), ret: self.ret.clone(), ..*self }
    }
}

impl<S: Spec> Item<S> {
    /// The same operation with nothing known about it: optional, any result, from the very start.
    fn relaxed(&self) -> Self {
        Item { op: self.op.clone(), ret: None, start: 0, end: None }
    }
}

impl<S: Spec> Tester<'_, S> {
    /// One random history of operations of one part, and the claims about histories.
    pub(super) fn histories(&mut self) -> Result<(), String> {
        let part = self.parts[self.random.index(self.ops.len())];
        let ops: Vec<usize> = (0..self.ops.len()).filter(|i| self.parts[*i] == part).collect();
        let pending_one_in = 2 + self.random.index(2);
        let mut state = self.spec.initial();
        let mut items: Vec<Item<S>> = Vec::new();
        // A legal order, with intervals that are widened at random around each operation's place.
        for place in 1..=MAX_OPS as u64 {
            let op = &self.ops[ops[self.random.index(ops.len())]];
            let Some((ret, after)) = self.step(&state, op) else { continue };
            state = after;
            let pending = self.random.index(pending_one_in) == 0;
            items.push(Item {
                op: op.clone(),
                ret: if pending { None } else { ret },
                start: (8 * place).saturating_sub(self.random.index(16) as u64),
                end: (!pending).then(|| 8 * place + 1 + self.random.index(16) as u64),
            });
        }
        let done = items.iter().all(|x| x.end.is_none() || x.ret.is_some());
        for i in 0..items.len() {
            if items[i].end.is_none() && done {
                self.idle(&items, i)?;
                self.anonymous(&items, i, &ops)?;
            }
        }
        self.refute(&items, "a legal history")?;
        for x in &mut items {
            if self.random.index(3) == 0 {
                *x = x.relaxed();
            }
        }
        self.refute(&items, "a relaxed legal history")?;
        // Wrong results: whatever is said about them must stay true with the others relaxed.
        for x in items.iter_mut().filter(|x| x.end.is_some()) {
            let i = self.ops.iter().position(|op| *op == x.op).unwrap_or(0);
            if !self.results[i].is_empty() && self.random.index(2) == 0 {
                let other = self.random.index(self.results[i].len());
                x.ret = Some(self.results[i][other].clone());
            }
        }
        self.refute(&items, "an illegal history")
    }

    /// True if an operation other than `except` senses one of these traces by name.
    fn named(
        &self,
        left: &Traces,
        items: &[Item<S>],
        except: usize,
        senses: impl Fn(&Item<S>) -> Traces,
    ) -> bool {
        let others = items.iter().enumerate().filter(|(i, _)| *i != except);
        others
            .into_iter()
            .any(|(_, x)| senses(x).names().iter().any(|name| left.names().contains(name)))
    }

    fn idle(&self, items: &[Item<S>], p: usize) -> Result<(), String> {
        let op = &items[p].op;
        let completed = |x: &&Item<S>| x.end.is_some();
        let is_needed = |x: &Item<S>| self.claims.needs_unnamed(&x.op, x.ret.as_ref());
        let senses = |x: &Item<S>| match x.end {
            Some(_) => self.claims.senses(&x.op, x.ret.as_ref()),
            None => self.claims.senses_to_act(&x.op),
        };
        if !self.claims.idle_unless_named(op)
            || items.iter().filter(completed).any(is_needed)
            || self.named(&self.claims.leaves(op), items, p, senses)
        {
            return Ok(());
        }
        let mut without = items.to_vec();
        without.remove(p);
        if self.linearizable(&without) {
            return Ok(());
        }
        let op = self.spec.describe_op(op);
        Err(format!("idle_unless_named: pending {op} is needed in {}", self.show(items)))
    }

    fn anonymous(&self, items: &[Item<S>], p: usize, ops: &[usize]) -> Result<(), String> {
        let op = &items[p].op;
        let Some(kind) = self.claims.anonymous_kind(op) else { return Ok(()) };
        let senses = |x: &Item<S>| self.claims.senses(&x.op, x.ret.as_ref());
        if self.named(&self.claims.leaves(op), items, p, senses) {
            return Ok(());
        }
        for &q in ops {
            let q = &self.ops[q];
            let alike = self.claims.anonymous_kind(q) == Some(kind)
                && self.claims.same_kind(op, q)
                && q != op;
            if !alike || self.named(&self.claims.leaves(q), items, p, senses) {
                continue;
            }
            let mut other = items.to_vec();
            other[p].op = q.clone();
            if !self.linearizable(&other) {
                return Err(format!(
                    "anonymous_kind: pending {} cannot be replaced by {} in {}",
                    self.spec.describe_op(op),
                    self.spec.describe_op(q),
                    self.show(items),
                ));
            }
        }
        Ok(())
    }

    fn refute(&self, items: &[Item<S>], what: &str) -> Result<(), String> {
        let mut history = History::from_intervals(Ties::Concurrent);
        for x in items {
            let extras = Extras::default();
            let (op, ret) = (x.op.clone(), x.ret.clone());
            let interval = Interval { op, ret, start: x.start, end: x.end, extras };
            history.add(interval).map_err(|e| e.to_string())?;
        }
        let history = history.finish().map_err(|e| e.to_string())?;
        let ids: Vec<OpId> = history.ids().collect();
        let Some(found) = self.claims.refute(&PartView::new(&history, &ids)) else { return Ok(()) };
        let named = |i: usize| found.ops.iter().any(|id| id.index() == i);
        let relaxed: Vec<Item<S>> = items
            .iter()
            .enumerate()
            .map(|(i, x)| if named(i) { x.clone() } else { x.relaxed() })
            .collect();
        if !self.linearizable(&relaxed) {
            return Ok(());
        }
        let (reason, ops) = (&found.reason, &found.ops);
        let all = self.show(items);
        Err(format!("refute: \"{reason}\" by {ops:?} is no contradiction in {what}: {all}"))
    }

    /// Tries all orders.
    fn linearizable(&self, items: &[Item<S>]) -> bool {
        let precedes = |a: &Item<S>, b: &Item<S>| a.end.is_some_and(|end| end < b.start);
        let must: u32 = (0..items.len()).filter(|i| items[*i].end.is_some()).map(|i| 1 << i).sum();
        let mut met: FxHashMap<u32, Vec<S::State>> = FxHashMap::default();
        let mut open = vec![(0u32, self.spec.initial())];
        while let Some((done, state)) = open.pop() {
            if done & must == must {
                return true;
            }
            let seen = met.entry(done).or_default();
            if seen.contains(&state) {
                continue;
            }
            seen.push(state.clone());
            for (i, x) in items.iter().enumerate().filter(|(i, _)| done & (1 << i) == 0) {
                let rest = items.iter().enumerate().filter(|(j, _)| done & (1 << j) == 0);
                if rest.into_iter().all(|(_, y)| !precedes(y, x)) {
                    let next = self.next(&state, &x.op, x.ret.as_ref());
                    open.extend(next.into_iter().map(|s| (done | 1 << i, s)));
                }
            }
        }
        false
    }

    fn show(&self, items: &[Item<S>]) -> String {
        let mut text = String::new();
        for x in items {
            let end = x.end.map_or("...".into(), |e| e.to_string());
            let name = self.name(&x.op, x.ret.as_ref());
            // Writing to a string cannot fail.
            let _ = write!(text, "[{}, {end}] {name}; ", x.start);
        }
        text
    }
}
