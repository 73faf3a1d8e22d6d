//! What can happen next: the part of a search that depth-first and breadth-first engines share.
//!
//! A [`Frontier`] is positioned before one return event and knows which operation is in which slot.
//! It depends only on that position, never on the path of the search, so it can move back and
//! forth.

#[cfg(test)]
mod tests;

use rustc_hash::FxHashMap;

use super::automaton::{Automaton, Transition};
use super::hints::NO_POSITION;
use super::ledger::Ledger;
use super::mask::Mask;
use super::pending::Matter;
use super::problem::Problem;
use super::visited::Config;
use super::{MoveOrder, StateId, Stop, Switches};
use crate::budget::Budget;
use crate::subject::ClassId;

/// Something that takes effect: a completed operation, or one of a pending class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Choice(u32);

const PENDING_BIT: u32 = 1 << 31;
/// Up to this many choices are compared pair by pair, which is faster than a table.
const FEW_MOVES: usize = 32;

impl Choice {
    pub(crate) fn op(op: u32) -> Self {
        Choice(op)
    }

    pub(crate) fn pending(class: u32) -> Self {
        Choice(class | PENDING_BIT)
    }

    /// The completed operation, or the pending class.
    pub(crate) fn split(self) -> Result<u32, u32> {
        if self.0 & PENDING_BIT == 0 { Ok(self.0) } else { Err(self.0 & !PENDING_BIT) }
    }
}

pub(crate) struct Frontier<'p, M> {
    problem: &'p Problem,
    switches: Switches,
    order: MoveOrder,
    /// The next return event to explain.
    returns: u32,
    /// The operation in each slot; arbitrary for a free slot.
    in_slot: Vec<u32>,
    open: M,
    /// The open operations that never change the state and may be absorbed.
    open_reads: M,
    /// Marks pending classes that are already candidates.
    stamp: Vec<u32>,
    stamp_now: u32,
    /// Scratch: the first return among open operations of each class.
    first_of_class: FxHashMap<ClassId, u32>,
}

impl<'p, M: Mask> Frontier<'p, M> {
    /// Positioned before the first return.
    pub(crate) fn new(problem: &'p Problem, switches: Switches, order: MoveOrder) -> Self {
        let width = problem.width;
        let mut frontier = Frontier {
            problem,
            switches,
            order,
            returns: 0,
            in_slot: vec![0; width],
            open: M::empty(width),
            open_reads: M::empty(width),
            stamp: vec![0; problem.pending.len()],
            stamp_now: 0,
            first_of_class: FxHashMap::default(),
        };
        for op in 0..problem.calls_before.first().copied().unwrap_or(0) {
            frontier.open(op);
        }
        frontier
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.returns as usize == self.problem.returns.len()
    }

    pub(crate) fn returns(&self) -> u32 {
        self.returns
    }

    /// The operation whose return is next.
    fn returning(&self) -> u32 {
        self.problem.returns[self.returns as usize]
    }

    fn is_absorbable(&self, op: u32) -> bool {
        self.problem.is_read[self.problem.class[op as usize].index()]
            && self.problem.order.as_ref().is_none_or(|o| !o.binds(op))
            && self.problem.tracked != Some(op)
    }

    fn open(&mut self, op: u32) {
        let slot = self.problem.slot[op as usize];
        self.in_slot[slot as usize] = op;
        self.open.insert(slot);
        if self.is_absorbable(op) {
            self.open_reads.insert(slot);
        }
    }

    fn close(&mut self, op: u32) {
        let slot = self.problem.slot[op as usize];
        self.open.remove(slot);
        self.open_reads.remove(slot);
    }

    fn calls(&self, returns: u32) -> std::ops::Range<u32> {
        let p = self.problem;
        let upto = |r: u32| p.calls_before.get(r as usize).copied();
        let all = p.ids.len() as u32;
        upto(returns).unwrap_or(all)..upto(returns + 1).unwrap_or(all)
    }

    /// Moves past the next return.
    pub(crate) fn advance(&mut self) {
        self.close(self.returning());
        for op in self.calls(self.returns) {
            self.open(op);
        }
        self.returns += 1;
    }

    fn retreat(&mut self) {
        self.returns -= 1;
        for op in self.calls(self.returns) {
            self.close(op);
        }
        // Slots that were free before keep stale operations, which are never read.
        self.open(self.returning());
    }

    /// Moves to another return event.
    pub(crate) fn go_to(&mut self, returns: u32) {
        while self.returns < returns {
            self.advance();
        }
        while self.returns > returns {
            self.retreat();
        }
    }

    /// True if `op` has taken effect in a configuration with this mask.
    fn is_done(&self, op: u32, mask: &M) -> bool {
        let p = self.problem;
        let slot = p.slot[op as usize];
        p.return_of[op as usize] < self.returns
            || (self.in_slot[slot as usize] == op && self.open.has(slot) && mask.has(slot))
    }

    /// Lets all open reads that are legal in this state take effect.
    ///
    /// Why this loses nothing: such an operation leaves the state unchanged *wherever* it is legal,
    /// so in any continuation it can be moved from its later position to this one.
    pub(crate) fn absorb(
        &self,
        state: StateId,
        mask: &mut M,
        automaton: &mut Automaton<'_>,
        budget: &mut Budget<'_>,
        mut took: impl FnMut(Choice),
    ) -> Result<(), Stop> {
        if self.open_reads.is_covered_by(mask) {
            return Ok(());
        }
        let before = mask.clone();
        let mut failed = None;
        self.open_reads.for_each_without(&before, |slot| {
            let op = self.in_slot[slot as usize];
            match automaton.step(state, self.problem.class[op as usize], budget) {
                Ok(Transition::Illegal) => {}
                Ok(_) => {
                    mask.insert(slot);
                    took(Choice::op(op));
                }
                Err(stop) => failed = Some(stop),
            }
        });
        failed.map_or(Ok(()), Err)
    }

    /// True if the next return is already explained.
    pub(crate) fn is_returning_done(&self, mask: &M) -> bool {
        mask.has(self.problem.slot[self.returning() as usize])
    }

    /// Moves a configuration past the next return, which must already be explained. The frontier
    /// itself does not move.
    pub(crate) fn leave_return(
        &self,
        config: &mut Config<M>,
        ledger: &mut Ledger,
        budget: &mut Budget<'_>,
    ) -> Result<(), Stop> {
        config.mask.remove(self.problem.slot[self.returning() as usize]);
        config.returns = self.returns + 1;
        if config.used != 0 {
            config.used = ledger.retire(config.used, config.returns, self.problem, budget)?;
        }
        Ok(())
    }

    /// Moves a configuration past every return that is already explained, absorbing reads on the
    /// way. Afterwards the next return needs something to happen, or all are explained.
    pub(crate) fn settle(
        &mut self,
        config: &mut Config<M>,
        automaton: &mut Automaton<'_>,
        ledger: &mut Ledger,
        budget: &mut Budget<'_>,
        mut took: impl FnMut(Choice),
    ) -> Result<(), Stop> {
        loop {
            self.absorb(config.state, &mut config.mask, automaton, budget, &mut took)?;
            if self.is_at_end() || !self.is_returning_done(&config.mask) {
                return Ok(());
            }
            while !self.is_at_end() && self.is_returning_done(&config.mask) {
                self.leave_return(config, ledger, budget)?;
                self.advance();
            }
        }
    }

    /// Words of a mask.
    pub(crate) fn mask_words(&self) -> usize {
        self.problem.width / 64 + 1
    }

    /// Pushes the choices that may take effect next, the most promising last. Legality is not
    /// checked. What is looked at, which may be much more, counts as work.
    pub(crate) fn push_moves(
        &mut self,
        config: &Config<M>,
        ledger: &Ledger,
        out: &mut Vec<Choice>,
        budget: &mut Budget<'_>,
    ) -> Result<(), Stop> {
        let begin = out.len();
        if !self.problem.pending.is_empty() {
            self.push_pending(config, ledger, out, budget)?;
        }
        let order = self.problem.order.as_ref();
        self.open.for_each_without(&config.mask, |slot| {
            // A read that could not be absorbed is illegal here.
            if self.open_reads.has(slot) {
                return;
            }
            let op = self.in_slot[slot as usize];
            let used = ledger.classes(config.used);
            if order.is_none_or(|o| o.allows(op, |o| self.is_done(o, &config.mask), used)) {
                out.push(Choice::op(op));
            }
        });
        self.sort_moves(&mut out[begin..]);
        let looked_at = out.len() - begin;
        budget.work(looked_at)?;
        if self.switches.first_of_class && looked_at <= FEW_MOVES {
            self.drop_twins(begin, out);
        } else if self.switches.first_of_class {
            self.drop_many_twins(begin, out);
        }
        Ok(())
    }

    /// Sorts by descending preference key, so that the best is popped first.
    fn sort_moves(&self, moves: &mut [Choice]) {
        let p = self.problem;
        let returning = self.returning();
        let return_of = |op: u32| p.return_of[op as usize];
        let key = |choice: &Choice| {
            let op = match choice.split() {
                Ok(op) => op,
                Err(class) => return (p.pending[class as usize].preference, u32::MAX),
            };
            match (self.order, p.preference.get(op as usize)) {
                (MoveOrder::CallFirst, _) => (u64::from(op), 0),
                (MoveOrder::ReturnFirst, None) => (u64::from(return_of(op)), 0),
                (MoveOrder::ReturnFirst, Some(&NO_POSITION)) if op == returning => (0, 0),
                (MoveOrder::ReturnFirst, Some(position)) => (*position, return_of(op)),
            }
        };
        if moves.len() > 1 {
            moves.sort_unstable_by_key(|m| std::cmp::Reverse(key(m)));
        }
    }

    /// Of indistinguishable open operations, only the one that returns first is tried.
    ///
    /// Why this loses nothing: let `a` and `b` be of one class, both open, `a` returning first. In
    /// a continuation in which `b` takes effect before `a`, swap the two: `a` then takes effect
    /// now, and `b` later but before `a`'s return, which is before its own.
    fn drop_twins(&self, begin: usize, out: &mut Vec<Choice>) {
        let p = self.problem;
        let order = p.order.as_ref();
        let mut kept = begin;
        for i in begin..out.len() {
            let Ok(op) = out[i].split() else {
                out[kept] = out[i];
                kept += 1;
                continue;
            };
            let class = p.class[op as usize];
            let has_earlier_twin = out[begin..].iter().any(|other| {
                other.split().is_ok_and(|o| {
                    p.class[o as usize] == class
                        && p.return_of[o as usize] < p.return_of[op as usize]
                        && order.is_none_or(|order| !order.binds(o) && !order.binds(op))
                })
            });
            if !has_earlier_twin || p.tracked == Some(op) {
                out[kept] = out[i];
                kept += 1;
            }
        }
        out.truncate(kept);
    }

    /// The same in linear time, for wide histories.
    fn drop_many_twins(&mut self, begin: usize, out: &mut Vec<Choice>) {
        let p = self.problem;
        let is_bound = |op: u32| p.order.as_ref().is_some_and(|order| order.binds(op));
        let first = &mut self.first_of_class;
        first.clear();
        for op in out[begin..].iter().filter_map(|choice| choice.split().ok()) {
            if !is_bound(op) {
                let returns = p.return_of[op as usize];
                first
                    .entry(p.class[op as usize])
                    .and_modify(|first| *first = returns.min(*first))
                    .or_insert(returns);
            }
        }
        let has_earlier_twin = |op: u32| {
            let earliest = first.get(&p.class[op as usize]);
            !is_bound(op) && earliest.is_some_and(|earliest| *earliest < p.return_of[op as usize])
        };
        let mut at = 0;
        out.retain(|choice| {
            at += 1;
            at <= begin
                || choice.split().is_ok_and(|op| !has_earlier_twin(op) || p.tracked == Some(op))
                || choice.split().is_err()
        });
    }

    /// Pending classes that an open operation could notice, directly or through another pending
    /// operation, and that have an operation left.
    fn push_pending(
        &mut self,
        config: &Config<M>,
        ledger: &Ledger,
        out: &mut Vec<Choice>,
        budget: &mut Budget<'_>,
    ) -> Result<(), Stop> {
        let p = self.problem;
        self.stamp_now += 1;
        let begin = out.len();
        let (mut all, mut looked_at) = (false, 0);
        let mut stamp = std::mem::take(&mut self.stamp);
        let now = self.stamp_now;
        let mut consider = |matter: &Matter, out: &mut Vec<Choice>| match matter {
            Matter::All => all = true,
            Matter::Some(list) => {
                looked_at += list.len();
                for class in list {
                    if stamp[*class as usize] != now {
                        stamp[*class as usize] = now;
                        out.push(Choice::pending(*class));
                    }
                }
            }
        };
        self.open.for_each_without(&config.mask, |slot| {
            let op = self.in_slot[slot as usize];
            consider(&p.matter_to_class[p.class[op as usize].index()], out);
        });
        let mut i = begin;
        while i < out.len() {
            if let Err(class) = out[i].split() {
                consider(&p.matter_to_pending[class as usize], out);
            }
            i += 1;
        }
        self.stamp = stamp;
        budget.work(looked_at)?;
        if all {
            out.truncate(begin);
            out.extend((0..p.pending.len() as u32).map(Choice::pending));
        }
        let available = |class: u32| {
            let pending = &p.pending[class as usize];
            pending.last_use >= self.returns
                && ledger.count(config.used, class) < pending.called_by(self.returns)
                && p.order.as_ref().is_none_or(|o| {
                    let used = ledger.classes(config.used);
                    o.allows_pending(class, |op| self.is_done(op, &config.mask), used)
                })
        };
        let mut kept = begin;
        for i in begin..out.len() {
            if out[i].split().is_err_and(available) {
                out[kept] = out[i];
                kept += 1;
            }
        }
        out.truncate(kept);
        Ok(())
    }

    /// The configuration after `choice` took effect and led to `state`; `None` if that is useless:
    /// a pending operation that changes nothing is better left out.
    pub(crate) fn after(
        &self,
        config: &Config<M>,
        choice: Choice,
        state: StateId,
        ledger: &mut Ledger,
        budget: &mut Budget<'_>,
    ) -> Result<Option<Config<M>>, Stop> {
        let mut next = Config { state, ..config.clone() };
        match choice.split() {
            Ok(op) => next.mask.insert(self.problem.slot[op as usize]),
            Err(_) if state == config.state => return Ok(None),
            Err(class) => next.used = ledger.add(config.used, class, self.problem, budget)?,
        }
        Ok(Some(next))
    }

    /// True if this is the tracked operation.
    pub(crate) fn is_tracked(&self, choice: Choice) -> bool {
        self.problem.tracked.is_some_and(|op| choice == Choice::op(op))
    }

    /// The class of a choice.
    pub(crate) fn class_of(&self, choice: Choice) -> super::ClassId {
        match choice.split() {
            Ok(op) => self.problem.class[op as usize],
            Err(class) => self.problem.pending[class as usize].class,
        }
    }
}
