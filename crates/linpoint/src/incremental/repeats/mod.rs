//! The streaming monitor of bags, and of queues, stacks and priority queues whose values repeat.
//!
//! All explanations of the stream so far are kept, as a set of *states*. A state says what open operations have
//! done ([`ledger`]) and what the object may contain. At a return, only few sequences of open
//! operations need to be tried, by arguments that are specific to the object ([`stack`], [`queue`],
//! [`counted`]). The verdict at each return is exact: open operations may have done anything that their
//! specification allows.
//!
//! Time and memory: the number of states, which is small if few operations are open, and exponential in
//! their number at worst. Where it gets too large, the monitor refuses. With ten different values and 20,000 operations of
//! `linpoint gen`, it decides stacks of 10 clients, priority queues of 16, queues of 24 and bags of 50, and refuses with 11, 18, 27
//! and 75. Memory
//! does not depend on the length of the stream: what no state needs is dropped. Crashed additions
//! and removals accumulate.
//!
//! Not from a paper. The arguments are those of the monitors of whole histories, without knowledge of
//! the results of open operations.

mod counted;
mod ledger;
mod queue;
mod stack;
mod values;

use crate::allowance::Allowance;
use crate::history::OpId;
use crate::monitor::{Effort, Refusal};
use crate::spec::{Role, Shape};
use crate::subject::{Call, Marks, StateId, StreamSubject};

use super::filled::{result_after, state_after};
use super::monitor::{Allowed, Miss, Relevance, Returned, StreamMonitor, Token};
use super::open_ops::OpenOp;
use counted::Counted;
use ledger::{End, NOTHING, Open};
use queue::Queue;
use stack::Stack;
use values::Values;

/// Units of work for one return, of a few nanoseconds each.
const WORK: u64 = 50_000_000;

/// Stop listing allowed results after trying this many.
const MOST_TRIED: usize = 1 << 12;

/// All states of one kind of object.
trait Object {
    /// True if an operation that was called at `call`, and is no longer open, may end like this.
    fn can_end(
        &mut self,
        end: End,
        call: u64,
        open: &Open,
        ranks: &[u64],
        effort: &mut Effort<'_>,
    ) -> Result<bool, Refusal>;

    /// It does end like this. [`Object::can_end`] has just said that it can.
    fn end(&mut self, end: End, call: u64, now: u64, ranks: &[u64]);

    /// An operation is no longer open, and has done nothing that is not in the states. Returns false,
    /// having changed nothing, if that cannot be.
    fn settle(&mut self, open: &Open) -> bool;

    /// All values that an open removal or peek may return, perhaps with others, except those of open additions. False if
    /// a limit was reached first.
    fn likely(&mut self, open: &Open, ranks: &[u64], effort: &mut Effort<'_>) -> (Vec<u32>, bool);

    /// What the object may contain, in the order in which it may have been added.
    fn contents(&self, ranks: &[u64]) -> Vec<u32>;

    /// True if the object is empty for sure.
    fn is_clear(&self) -> bool;

    /// Number of stored items.
    fn stored(&self) -> usize;

    /// True if there may be much to forget.
    fn is_large(&self) -> bool;

    /// Forgets what is not needed, and visits the values that are.
    fn sweep(&mut self, used: &mut dyn FnMut(u32), effort: &mut Effort<'_>) -> Result<(), Refusal>;
}

/// A queue, a stack, a priority queue or a bag.
pub(super) struct RepeatsMonitor {
    object: Box<dyn Object + Send + Sync>,
    values: Values,
    open: Open,
    /// The number of events so far.
    now: u64,
    /// The empty container.
    initial: StateId,
    effort: Effort<'static>,
    allowance: Allowance,
}

impl RepeatsMonitor {
    /// An empty container. `None` if it is another object.
    pub(super) fn new(
        shape: Shape,
        initial: StateId,
        allowance: Allowance,
    ) -> Option<RepeatsMonitor> {
        let object: Box<dyn Object + Send + Sync> = match shape {
            Shape::Queue => Box::new(Queue::new()),
            Shape::Stack => Box::new(Stack::new()),
            Shape::PriorityQueue | Shape::Bag => Box::new(Counted::new()),
            _ => return None,
        };
        Some(RepeatsMonitor {
            object,
            values: Values::new(matches!(shape, Shape::PriorityQueue)),
            open: Open::default(),
            now: 0,
            initial,
            effort: Effort::of(&allowance).most_work(WORK),
            allowance,
        })
    }

    fn tick(&mut self) -> u64 {
        self.now += 1;
        self.now
    }

    fn close(&mut self, token: Token) {
        match token.own {
            Some(value) => self.open.close_add(value as u32, token.call),
            None if self.open.takes.has(token.call) => self.open.close_take(token.call),
            None => self.open.close_peek(token.call),
        }
    }

    fn reopen(&mut self, token: Token, is_take: bool) {
        match token.own {
            Some(value) => self.open.call_add(value as u32, token.call),
            None if is_take => self.open.call_take(token.call),
            None => self.open.call_peek(token.call),
        }
    }

    /// How the operation ends. `None` if it does not say.
    fn end(
        &self,
        subject: &dyn StreamSubject,
        call: Call,
        token: Token,
    ) -> Result<Option<End>, Miss> {
        let is_take = self.open.takes.has(token.call);
        let role = subject.role(call, false);
        if let Some(value) = token.own {
            let Role::Add(name) = role else { return Err(Miss::Unclear) };
            let found = self.values.find(subject, call, name).flatten();
            return match found {
                Some(found) if u64::from(found) == value => Ok(Some(End::Added(found))),
                _ => Err(Miss::Unclear),
            };
        }
        let of_name = |name| match self.values.find(subject, call, name) {
            None => Err(Miss::Unclear),
            Some(None) => Err(Miss::Impossible),
            Some(Some(value)) => Ok(value),
        };
        match role {
            Role::Remove(name) if is_take => Ok(Some(End::Took(of_name(name)?))),
            Role::Peek(name) if !is_take => Ok(Some(End::Found(of_name(name)?))),
            Role::Empty if is_take => Ok(Some(End::Took(NOTHING))),
            Role::Empty => Ok(Some(End::Found(NOTHING))),
            Role::Idle if !is_take => Ok(None),
            _ => Err(Miss::Unclear),
        }
    }

    /// True if the operation, which is no longer open, may end like this.
    fn can_end(&mut self, end: End, call: u64) -> Result<bool, Refusal> {
        self.effort.renew();
        self.object.can_end(end, call, &self.open, self.values.ranks(), &mut self.effort)
    }

    /// Forgets what is not needed, if there may be much of it.
    fn tidy(&mut self) {
        if !self.object.is_large() && !self.values.is_large() {
            return;
        }
        let mut is_used = vec![false; self.values.len()];
        self.open.adds.keys().for_each(|value| is_used[*value as usize] = true);
        self.effort.renew();
        let swept =
            self.object.sweep(&mut |value| is_used[value as usize] = true, &mut self.effort);
        if swept.is_ok() {
            self.values.keep(&is_used);
        }
    }
}

impl StreamMonitor for RepeatsMonitor {
    fn call(&mut self, subject: &mut dyn StreamSubject, op: OpId) -> Option<Token> {
        let role = subject.role(Call::unknown(op), true);
        let own = match role {
            Role::Add(name) => Some(u64::from(self.values.number(subject, op, name)?)),
            Role::Take | Role::Idle => None,
            _ => return None,
        };
        let token = Token { call: self.tick(), own };
        self.reopen(token, role == Role::Take);
        Some(token)
    }

    fn ret(&mut self, subject: &mut dyn StreamSubject, call: Call, token: Token) -> Returned {
        let end = self.end(subject, call, token)?;
        let is_take = self.open.takes.has(token.call);
        self.close(token);
        let Some(end) = end else {
            self.object.settle(&self.open);
            return Ok(Relevance::Always);
        };
        let miss = match self.can_end(end, token.call) {
            Ok(true) => {
                let now = self.tick();
                self.object.end(end, token.call, now, self.values.ranks());
                self.tidy();
                return Ok(Relevance::Always);
            }
            Ok(false) => Miss::Impossible,
            Err(_) => Miss::Unclear,
        };
        self.reopen(token, is_take);
        Err(miss)
    }

    fn fail(&mut self, _subject: &mut dyn StreamSubject, open: OpenOp) -> Result<(), Miss> {
        let is_take = self.open.takes.has(open.token.call);
        self.close(open.token);
        if self.object.settle(&self.open) {
            return Ok(());
        }
        self.reopen(open.token, is_take);
        Err(Miss::Impossible)
    }

    fn crash(&mut self, _subject: &mut dyn StreamSubject, open: OpenOp) -> Relevance {
        let Token { call, own } = open.token;
        match own {
            Some(value) => self.open.crash_add(value as u32),
            None if self.open.takes.has(call) => self.open.crash_take(call),
            None => self.open.close_peek(call),
        }
        self.object.settle(&self.open);
        Relevance::Always
    }

    fn allowed(&mut self, subject: &mut dyn StreamSubject, open: OpenOp) -> Option<Allowed> {
        let OpenOp { op, token, .. } = open;
        if token.own.is_some() {
            let ret = result_after(subject, self.initial, op, None);
            return Some(Allowed::all(ret.into_iter().collect()));
        }
        let is_take = self.open.takes.has(token.call);
        self.effort.renew();
        let (likely, mut is_complete) =
            self.object.likely(&self.open, self.values.ranks(), &mut self.effort);
        let mut likely = likely;
        likely.extend(self.open.adds.keys());
        likely.sort_unstable();
        likely.dedup();
        is_complete &= likely.len() <= MOST_TRIED;
        likely.truncate(MOST_TRIED);
        self.close(token);
        let mut allowed = Vec::new();
        for value in likely.into_iter().chain([NOTHING]) {
            if self.allowance.exhausted().is_some() {
                is_complete = false;
                break;
            }
            let end = if is_take { End::Took(value) } else { End::Found(value) };
            match self.can_end(end, token.call) {
                Ok(true) => {
                    let add = self.values.add_of(value);
                    allowed.extend(result_after(subject, self.initial, op, add));
                }
                Ok(false) => {}
                Err(_) => is_complete = false,
            }
        }
        self.reopen(token, is_take);
        Some(Allowed { rets: allowed, is_complete })
    }

    fn states(&self, subject: &mut dyn StreamSubject) -> Vec<StateId> {
        let contents = self.object.contents(self.values.ranks());
        let adds: Vec<OpId> = contents.iter().filter_map(|v| self.values.add_of(*v)).collect();
        state_after(subject, self.initial, &adds).into_iter().collect()
    }

    fn settled(&self, _subject: &mut dyn StreamSubject) -> Option<StateId> {
        (self.open.is_empty() && self.object.is_clear()).then_some(self.initial)
    }

    fn stored(&self) -> usize {
        self.object.stored() + self.values.count() + self.open.stored()
    }

    fn mark(&self, marks: &mut Marks) {
        marks.state(self.initial);
        self.values.mark(marks);
    }
}
