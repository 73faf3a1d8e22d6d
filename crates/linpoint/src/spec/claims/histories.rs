//! The claims that are about histories: small random ones, of which all orders are tried.

use std::fmt::Write as _;

use rustc_hash::FxHashSet;

use super::{MAX_OPS, Tester};
use crate::history::{Extras, History, Interval, OpId, Ties};
use crate::spec::Traces;
use crate::subject::{Call, RetId, Row, StateId};

/// An operation of a small history. Times may be equal: then they are concurrent.
#[derive(Clone, Copy)]
struct Item {
    call: Call,
    start: u64,
    /// `None`: pending.
    end: Option<u64>,
}

impl Item {
    /// The same operation with nothing known about it: optional, any result, from the very start.
    fn relaxed(self) -> Self {
        Item { call: self.call.without_result(), start: 0, end: None }
    }
}

impl Tester<'_> {
    /// One random history of operations of one part, and the claims about histories.
    pub(super) fn histories(&mut self) -> Result<(), String> {
        let op = self.any_op();
        let part = self.parts[op.index()];
        let ops: Vec<OpId> = self.ops().filter(|op| self.parts[op.index()] == part).collect();
        let mut items = self.legal_history(&ops)?;
        let done = items.iter().all(|x| x.end.is_none() || x.call.ret != RetId::UNKNOWN);
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
            if self.random.index(2) == 0 {
                x.call.ret = self.another_result(x.call.op).unwrap_or(x.call.ret);
            }
        }
        self.refute(&items, "an illegal history")
    }

    /// A legal order, with intervals that are widened at random around each operation's place.
    fn legal_history(&mut self, ops: &[OpId]) -> Result<Vec<Item>, String> {
        let pending_one_in = 2 + self.random.index(2);
        let mut state = self.initial;
        let mut items: Vec<Item> = Vec::new();
        for place in 1..=MAX_OPS as u64 {
            let op = ops[self.random.index(ops.len())];
            let Some((ret, after)) = self.step(state, op)? else { continue };
            state = after;
            let pending = self.random.index(pending_one_in) == 0;
            items.push(Item {
                call: Call { op, ret: if pending { RetId::UNKNOWN } else { ret } },
                start: (8 * place).saturating_sub(self.random.index(16) as u64),
                end: (!pending).then(|| 8 * place + 1 + self.random.index(16) as u64),
            });
        }
        Ok(items)
    }

    /// True if an operation other than `except` senses one of the traces that `op` leaves by name.
    fn named(
        &self,
        op: OpId,
        items: &[Item],
        except: usize,
        senses: impl Fn(&Item) -> Traces,
    ) -> bool {
        let left = self.subject.leaves(op);
        let mut others = items.iter().enumerate().filter(|(i, _)| *i != except);
        others.any(|(_, x)| senses(x).names().iter().any(|name| left.names().contains(name)))
    }

    fn idle(&mut self, items: &[Item], p: usize) -> Result<(), String> {
        let (op, subject) = (items[p].call.op, self.subject);
        let completed = |x: &&Item| x.end.is_some();
        let is_needed = |x: &Item| subject.needs_unnamed(x.call);
        let senses = |x: &Item| match x.end {
            Some(_) => subject.senses(x.call),
            None => subject.senses_to_act(x.call.op),
        };
        if !subject.idle_unless_named(op)
            || items.iter().filter(completed).any(is_needed)
            || self.named(op, items, p, senses)
        {
            return Ok(());
        }
        let mut without = items.to_vec();
        without.remove(p);
        if self.linearizable(&without)? {
            return Ok(());
        }
        let op = subject.describe_op(op);
        Err(format!("idle_unless_named: pending {op} is needed in {}", self.show(items)))
    }

    fn anonymous(&mut self, items: &[Item], p: usize, ops: &[OpId]) -> Result<(), String> {
        let (op, subject) = (items[p].call.op, self.subject);
        let Some(kind) = subject.anonymous_kind(op) else { return Ok(()) };
        let senses = |x: &Item| subject.senses(x.call);
        if self.named(op, items, p, senses) {
            return Ok(());
        }
        for &q in ops {
            let alike =
                subject.anonymous_kind(q) == Some(kind) && subject.same_kind(op, q) && q != op;
            if !alike || self.named(q, items, p, senses) {
                continue;
            }
            let mut other = items.to_vec();
            other[p].call.op = q;
            if !self.linearizable(&other)? {
                return Err(format!(
                    "anonymous_kind: pending {} cannot be replaced by {} in {}",
                    subject.describe_op(op),
                    subject.describe_op(q),
                    self.show(items),
                ));
            }
        }
        Ok(())
    }

    fn refute(&mut self, items: &[Item], what: &str) -> Result<(), String> {
        let Some(found) = self.subject.refute(&rows(items)?) else { return Ok(()) };
        let named = |i: usize| found.ops.iter().any(|id| id.index() == i);
        let relax = |(i, x): (usize, &Item)| if named(i) { *x } else { x.relaxed() };
        let relaxed: Vec<Item> = items.iter().enumerate().map(relax).collect();
        if !self.linearizable(&relaxed)? {
            return Ok(());
        }
        let (reason, ops) = (&found.reason, &found.ops);
        let all = self.show(items);
        Err(format!("refute: \"{reason}\" by {ops:?} is no contradiction in {what}: {all}"))
    }

    /// Tries all orders.
    fn linearizable(&mut self, items: &[Item]) -> Result<bool, String> {
        let precedes = |a: &Item, b: &Item| a.end.is_some_and(|end| end < b.start);
        let must: u32 = (0..items.len()).filter(|i| items[*i].end.is_some()).map(|i| 1 << i).sum();
        let mut met: FxHashSet<(u32, StateId)> = FxHashSet::default();
        let mut open = vec![(0u32, self.initial)];
        while let Some((done, state)) = open.pop() {
            if done & must == must {
                return Ok(true);
            }
            if !met.insert((done, state)) {
                continue;
            }
            for (i, x) in items.iter().enumerate().filter(|(i, _)| done & (1 << i) == 0) {
                let mut rest = items.iter().enumerate().filter(|(j, _)| done & (1 << j) == 0);
                if rest.all(|(_, y)| !precedes(y, x)) {
                    let next = self.next(state, x.call)?;
                    open.extend(next.into_iter().map(|s| (done | 1 << i, s)));
                }
            }
        }
        Ok(false)
    }

    fn show(&self, items: &[Item]) -> String {
        let mut text = String::new();
        for x in items {
            let end = x.end.map_or("...".into(), |e| e.to_string());
            // Writing to a string cannot fail.
            let _ = write!(text, "[{}, {end}] {}; ", x.start, self.name(x.call));
        }
        text
    }
}

/// The history as a part that specifications look at.
fn rows(items: &[Item]) -> Result<Vec<Row>, String> {
    let mut times = History::<(), ()>::from_intervals(Ties::Concurrent);
    for x in items {
        let (op, ret, extras) = ((), None, Extras::default());
        let interval = Interval { op, ret, start: x.start, end: x.end, extras };
        times.add(interval).map_err(|e| e.to_string())?;
    }
    let times = times.finish().map_err(|e| e.to_string())?;
    let row = |(id, x): (OpId, &Item)| Row { id, call: x.call, span: times.span(id) };
    Ok(times.ids().zip(items).map(row).collect())
}
