//! The streaming monitor of queues, stacks and priority queues, based on the roles of operations.
//!
//! At each return, rules that know the object ([`queue`], [`stack`], [`priority`]) try to extend an
//! explanation of the stream so far, in which it is left open which of the open removals removed what
//! ([`window`]). They never say no. If they fail, the operations that still matter are given to the
//! monitor of whole histories ([`exact`]), which decides, and whose order is the explanation from then
//! on. So every answer is exact, and nearly all of them are found by the rules.
//!
//! Complete for streams in which an element is added again only after it was removed and both
//! operations have ended. Everything else is handed over ([`super::repeats`]).
//!
//! Memory: what is present, what is open, and the operations that overlap with an open removal or
//! peek. Crashed adds that nothing has seen, and crashed removals that need not have removed
//! anything, accumulate. A stack with a crashed removal also keeps everything that ended after its call, up to a number at
//! which the monitor refuses.
//!
//! Not from a paper; the decisions are those of Lee and Mathur on monitoring linearizability, as
//! corrected in [`crate::monitor`].

mod exact;
mod priority;
mod queue;
mod rules;
mod stack;
#[cfg(test)]
mod tests;
mod window;

use rustc_hash::FxHashMap;

use crate::allowance::Allowance;
use crate::history::OpId;
use crate::monitor::{Effort, Refusal};
use crate::spec::{Name, Role, Shape, Slot};
use crate::subject::{Call, Marks, Place, StateId, StreamSubject};

use super::filled::{result_after, state_after};
use super::monitor::{Allowed, Miss, Relevance, Returned, StreamMonitor, Token};
use super::open_ops::OpenOp;
use exact::{Extra, Fit, History};
use rules::Rules;
use window::{Id, Stage, Times, Window};

/// Stop listing allowed results after trying this many.
const MOST_TRIED: usize = 1 << 12;

/// Work of the monitor of whole histories for one operation, in units of a few nanoseconds.
const WORK_PER_ROW: usize = 64;

/// A queue, a stack or a priority queue.
pub(super) struct ContainerMonitor {
    window: Window,
    rules: Box<dyn Rules + Send + Sync>,
    names: FxHashMap<Name, Id>,
    /// Adds that are open.
    adding: usize,
    /// The empty container.
    initial: StateId,
    allowance: Allowance,
}

impl ContainerMonitor {
    /// An empty container. `None` if there are no rules for such objects.
    pub(super) fn new(shape: Shape, initial: StateId, allowance: Allowance) -> Option<Self> {
        let rules: Box<dyn Rules + Send + Sync> = match shape {
            Shape::Queue => Box::new(queue::QueueRules::default()),
            Shape::Stack => Box::new(stack::StackRules::default()),
            Shape::PriorityQueue => Box::new(priority::PriorityRules::default()),
            _ => return None,
        };
        let (window, names) = (Window::new(), FxHashMap::default());
        Some(ContainerMonitor { window, rules, names, adding: 0, initial, allowance })
    }

    /// The element that an operation names. `Unclear` if it may be another one.
    fn find(
        &self,
        subject: &dyn StreamSubject,
        call: Call,
        name: Name,
        token: Token,
    ) -> Result<Id, Miss> {
        // What was forgotten was removed before the operation was called.
        let id = *self.names.get(&name).ok_or(Miss::Impossible)?;
        let element = self.window.get(id);
        let places = [Call::unknown(element.op), call];
        let [a, b] = places.map(|call| Place { call, slot: Slot::Value });
        if !subject.same_name(a, b) {
            return Err(Miss::Unclear);
        }
        let is_removal = self.window.takes.contains(&token.call);
        match element.removal {
            Some(_) if is_removal => Err(Miss::Impossible),
            // It may have seen the element before this one.
            _ if !is_removal && token.call < element.before => Err(Miss::Unclear),
            _ => Ok(id),
        }
    }

    /// The operation in the words of the window, if it ended now with this result.
    fn extra(&self, subject: &dyn StreamSubject, call: Call, token: Token) -> Result<Extra, Miss> {
        let times = Times { call: token.call, end: self.window.now + 1 };
        let is_removal = self.window.takes.contains(&token.call);
        match subject.role(call, false) {
            Role::Remove(name) if is_removal => {
                Ok(Extra::Remove(self.find(subject, call, name, token)?, times))
            }
            Role::Peek(name) if !is_removal => {
                Ok(Extra::Peek(self.find(subject, call, name, token)?, times))
            }
            Role::Empty => Ok(Extra::Empty(times)),
            Role::Idle if !is_removal => Ok(Extra::None),
            _ => Err(Miss::Unclear),
        }
    }

    /// True if there is an explanation in which the operation ends like this. `None` if that is not known.
    fn is_possible(&self, subject: &dyn StreamSubject, extra: &Extra) -> Option<bool> {
        let history = self.rules.history(subject, &self.window, extra);
        self.solve(&history).ok().map(|fit| fit.is_some())
    }

    /// Decides a history, if there is time.
    fn solve(&self, history: &History) -> Result<Option<Fit>, Refusal> {
        let work = self.allowance.work(WORK_PER_ROW * history.len());
        work.map_err(|limit| Refusal::new(limit.to_string()))?;
        self.rules.solve(history, &mut Effort::of(&self.allowance))
    }

    /// A removal or a peek ends.
    fn observe(
        &mut self,
        subject: &dyn StreamSubject,
        extra: Extra,
        Token { call, .. }: Token,
    ) -> Result<(), Miss> {
        let (w, rules) = (&mut self.window, &mut self.rules);
        let was_removal = w.takes.contains(&call);
        w.tick();
        w.close(call);
        let is_explained = match extra {
            Extra::None => true,
            Extra::Remove(id, _) => rules.removed(subject, w, id, call),
            Extra::Peek(id, _) => rules.peeked(subject, w, id, call),
            Extra::Empty(_) => rules.found_nothing(subject, w, call),
        };
        let mut fit = None;
        if !is_explained {
            match self.ask(&self.rules.history(subject, &self.window, &extra)) {
                Ok(found) => fit = Some(found),
                Err(miss) => {
                    self.window.now -= 1;
                    self.window.reopen(call, was_removal);
                    return Err(miss);
                }
            }
        }
        let w = &mut self.window;
        match extra {
            Extra::None => {}
            Extra::Empty(times) => w.empties.push(times),
            Extra::Peek(id, times) => {
                w.get_mut(id).peek(times);
                w.peeks.push(window::Peek { id, times });
            }
            Extra::Remove(id, times) => {
                let is_left_out = self.rules.leaves_out(w, &extra);
                let element = w.get_mut(id);
                element.see(times);
                element.removal = Some(times);
                if is_left_out && fit.is_some() {
                    // The new explanation does not mention it. Peeks at it have to ask for another.
                    w.set_stage(id, Stage::Removed(0));
                }
            }
        }
        fit.into_iter().for_each(|fit| self.refit(subject, &fit));
        Ok(())
    }

    /// Asks the monitor of whole histories.
    fn ask(&self, history: &History) -> Result<Fit, Miss> {
        match self.solve(history) {
            Ok(Some(fit)) => Ok(fit),
            Ok(None) => Err(Miss::Impossible),
            Err(_) => Err(Miss::Unclear),
        }
    }

    /// Continues with another explanation.
    fn refit(&mut self, subject: &dyn StreamSubject, fit: &Fit) {
        let (w, rules) = (&mut self.window, &mut self.rules);
        for (id, deadline) in &fit.removed {
            rules.stage(subject, w, *id, Stage::Removed(*deadline));
        }
        for (id, deadline) in &fit.promised {
            rules.stage(subject, w, *id, Stage::Promised(*deadline));
        }
        rules.refit(subject, w, fit);
    }

    /// Forgets what no longer matters, if there may be much of that.
    fn tidy(&mut self, subject: &dyn StreamSubject) {
        if !self.window.is_crowded() {
            return;
        }
        let forgotten = match self.rules.forget(&mut self.window, &mut Effort::of(&self.allowance))
        {
            Some(forgotten) => forgotten,
            None if self.settle_crashed(subject) => self.window.forget_old(),
            None => Vec::new(),
        };
        self.window.remind_later();
        for id in forgotten {
            let name = self.window.get(id).name;
            if self.names.get(&name) == Some(&id) {
                self.names.remove(&name);
            }
            // The end of its add is still to come.
            if !self.window.get(id).is_open {
                self.window.forget(id);
            }
        }
    }

    /// Finds out which elements crashed removals must have removed in the past, and assigns them.
    /// Returns false if that is not clear yet.
    ///
    /// An element is assigned only if there is no explanation in which it is still there after the
    /// past; all removals that are open were called later. The removals that remain should be as
    /// old as possible, so each element gets the latest that fits, those with the first deadlines
    /// first.
    fn settle_crashed(&mut self, subject: &dyn StreamSubject) -> bool {
        let past = self.window.past();
        let mut forced: Vec<Id> = Vec::new();
        // Every explanation that replaces the last one keeps one element more, or gives up.
        for _ in 0..16 {
            let old = self.window.promised.range(..(past, 0));
            let Some(id) = old.map(|(_, id)| *id).find(|id| !forced.contains(id)) else {
                let mut old = Vec::new();
                old.extend(self.window.promised.range(..(past, 0)).copied());
                old.into_iter().for_each(|(deadline, id)| self.window.assign(id, deadline));
                return true;
            };
            let mut kept = [past, self.window.now + 1].into_iter().map(|until| {
                let mut history = self.rules.history(subject, &self.window, &Extra::None);
                history.keep(id, until);
                self.solve(&history)
            });
            match kept.next() {
                Some(Ok(None)) => forced.push(id),
                Some(Ok(Some(_))) => match kept.next() {
                    Some(Ok(Some(fit))) => {
                        drop(kept);
                        self.refit(subject, &fit);
                    }
                    _ => return false,
                },
                _ => return false,
            }
        }
        false
    }

    /// The elements that are present, in the order of some explanation.
    fn present(&self, subject: &dyn StreamSubject) -> Vec<Id> {
        let history = self.rules.history(subject, &self.window, &Extra::None);
        let Ok(Some(fit)) = self.solve(&history) else { return Vec::new() };
        let known: rustc_hash::FxHashSet<Id> = history.ids().iter().copied().collect();
        let others = self.window.present.iter().map(|(_, id)| *id);
        let others = others.filter(|id| !known.contains(id));
        match self.rules.is_upside_down() {
            true => others.collect::<Vec<Id>>().into_iter().chain(fit.present).collect(),
            false => fit.present.into_iter().chain(others).collect(),
        }
    }
}

impl StreamMonitor for ContainerMonitor {
    fn call(&mut self, subject: &mut dyn StreamSubject, op: OpId) -> Option<Token> {
        if self.window.is_overcrowded() && self.rules.keeps_all_since_a_crash() {
            return None;
        }
        match subject.role(Call::unknown(op), true) {
            Role::Add(name) => {
                let mut before = 0;
                if let Some(id) = self.names.get(&name) {
                    let element = self.window.get(*id);
                    let places = [element.op, op].map(Call::unknown);
                    let [a, b] = places.map(|call| Place { call, slot: Slot::Value });
                    before = element.removal?.end;
                    if element.is_open || !subject.same_name(a, b) {
                        return None;
                    }
                }
                let id = self.window.begin(op, name, before);
                self.names.insert(name, id);
                self.adding += 1;
                Some(Token { call: self.window.now, own: Some(id.into()) })
            }
            Role::Take => Some(Token { call: self.window.open(true), own: None }),
            Role::Idle => Some(Token { call: self.window.open(false), own: None }),
            _ => None,
        }
    }

    fn ret(&mut self, subject: &mut dyn StreamSubject, call: Call, token: Token) -> Returned {
        let Some(id) = token.own else {
            let extra = self.extra(subject, call, token)?;
            self.observe(subject, extra, token)?;
            self.tidy(subject);
            return Ok(Relevance::Always);
        };
        let id = id as Id;
        if !matches!(subject.role(call, false), Role::Add(name) if name == self.window.get(id).name)
        {
            return Err(Miss::Unclear);
        }
        self.adding -= 1;
        let now = self.window.tick();
        let element = self.window.get_mut(id);
        element.is_open = false;
        element.end = element.end.min(now);
        element.first_end = element.first_end.min(now);
        element.last = element.last.max(now);
        if element.stage == Stage::Unseen {
            self.rules.stage(subject, &mut self.window, id, Stage::Present);
        }
        Ok(Relevance::Always)
    }

    fn fail(&mut self, subject: &mut dyn StreamSubject, open: OpenOp) -> Result<(), Miss> {
        if let Some(id) = open.token.own {
            let id = id as Id;
            let element = self.window.get(id);
            if element.stage != Stage::Unseen {
                return Err(Miss::Impossible);
            }
            // A peek that is open may still return an earlier element with the same name.
            if element.before >= self.window.horizon() {
                return Err(Miss::Unclear);
            }
            self.adding -= 1;
            self.names.remove(&element.name);
            self.window.forget(id);
            return Ok(());
        }
        let was_removal = self.window.takes.contains(&open.token.call);
        self.window.close(open.token.call);
        if !self.window.can_keep_promises() {
            let history = self.rules.history(subject, &self.window, &Extra::None);
            match self.ask(&history) {
                Ok(fit) => self.refit(subject, &fit),
                Err(miss) => {
                    self.window.reopen(open.token.call, was_removal);
                    return Err(miss);
                }
            }
        }
        Ok(())
    }

    /// An add stays one that nothing has to have seen, a removal one that may have removed something.
    fn crash(&mut self, _subject: &mut dyn StreamSubject, open: OpenOp) -> Relevance {
        match open.token.own {
            Some(id) => {
                self.adding -= 1;
                self.window.get_mut(id as Id).is_open = false;
            }
            None => self.window.crash(open.token.call),
        }
        Relevance::Always
    }

    fn allowed(&mut self, subject: &mut dyn StreamSubject, open: OpenOp) -> Option<Allowed> {
        let mut allowed = Vec::new();
        if open.token.own.is_some() {
            let ret = result_after(subject, self.initial, open.op, None);
            return Some(Allowed::all(ret.into_iter().collect()));
        }
        let w = &self.window;
        let times = Times { call: open.token.call, end: w.now + 1 };
        let is_removal = w.takes.contains(&times.call);
        let is_candidate = |id: &Id| match w.get(*id).removal {
            Some(removal) => !is_removal && removal.end > times.call,
            None => self.rules.may_be_next(subject, w, *id),
        };
        let has_time = |work: usize| self.allowance.work(work).is_ok();
        let in_time = w.ids().take_while(|_| has_time(WORK_PER_ROW + w.takes.len()));
        let ids: Vec<Id> = in_time.filter(is_candidate).take(MOST_TRIED).collect();
        let mut is_complete = ids.len() < MOST_TRIED && has_time(0);
        for id in ids.into_iter().map(Some).chain([None]) {
            let add = id.map(|id| w.get(id).op);
            let Some(ret) = result_after(subject, self.initial, open.op, add) else { continue };
            let extra = match id {
                None => Extra::Empty(times),
                Some(id) if is_removal => Extra::Remove(id, times),
                Some(id) => Extra::Peek(id, times),
            };
            if allowed.contains(&ret) {
                continue;
            }
            // Making a history takes time, too.
            if !has_time(WORK_PER_ROW) {
                is_complete = false;
                break;
            }
            match self.is_possible(subject, &extra) {
                Some(true) => allowed.push(ret),
                Some(false) => {}
                None => is_complete = false,
            }
        }
        Some(Allowed { rets: allowed, is_complete })
    }

    fn states(&self, subject: &mut dyn StreamSubject) -> Vec<StateId> {
        let present = self.present(subject);
        let adds: Vec<OpId> = present.into_iter().map(|id| self.window.get(id).op).collect();
        state_after(subject, self.initial, &adds).into_iter().collect()
    }

    /// The container is empty, and nothing can change that.
    fn settled(&self, _subject: &mut dyn StreamSubject) -> Option<StateId> {
        let w = &self.window;
        let is_empty = w.removed.len() == w.count();
        (self.adding == 0 && w.is_at_rest() && is_empty).then_some(self.initial)
    }

    fn stored(&self) -> usize {
        self.window.stored()
    }

    fn mark(&self, marks: &mut Marks) {
        marks.state(self.initial);
        self.window.elements().for_each(|element| marks.op(element.op));
    }
}
