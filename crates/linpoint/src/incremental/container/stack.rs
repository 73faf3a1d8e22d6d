//! Stacks.
//!
//! An element that is present was pushed while nothing that has been popped since was in the stack: otherwise
//! it would have lain above that. So each element that was popped makes a *hole*, from its push to its pop, in
//! which nothing was pushed that is still there. The rules keep an explanation in this form: a set of
//! holes that do not cross each other, and for each element that is present a time within its push
//! that is not inside a hole. Nothing more is needed: elements that were popped nest in their holes, and
//! where those that are present were pushed can be chosen for each on its own.
//!
//! * An element that is popped gets the shortest hole: from the last time at which it can have been pushed
//!   to the first at which it can have been popped, neither of them inside another hole. Elements that could
//!   only have been pushed in that hole lay above it, so open pops have taken them. They
//!   are promised, and the hole may then end as late as possible, so that more pops can have done it.
//! * An element that is peeked at was on top, so it has a hole too, and stays where that begins.
//! * An empty result is a hole that begins before everything else.
//!
//! This is a guess, so if it fails, the whole window is asked about.
//!
//! What can be forgotten is in [`forget`].
//!
//! Time: for each return O(log n), and the elements that were pushed since what is popped.

mod forget;

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::monitor::{Effort, Refusal};
use crate::spec::Shape;
use crate::subject::StreamSubject;

use super::Rules;
use super::exact::{Extra, Fit, History};
use super::window::{Id, NEVER, Stage, Times, Window};

/// Times at which nothing was pushed that is still there: from each key to its value, without the two.
#[derive(Clone, Default)]
struct Holes(BTreeMap<u64, u64>);

impl Holes {
    fn around(&self, time: u64) -> Option<(u64, u64)> {
        let (&from, &to) = self.0.range(..time).next_back()?;
        (time < to).then_some((from, to))
    }

    /// The first time from this one on that is not inside a hole.
    fn next(&self, time: u64) -> u64 {
        self.around(time).map_or(time, |(_, to)| to)
    }

    /// The last time up to this one that is not inside a hole.
    fn previous(&self, time: u64) -> u64 {
        self.around(time).map_or(time, |(from, _)| from)
    }

    /// Adds a hole that crosses no other.
    fn add(&mut self, from: u64, to: u64) {
        if from >= to {
            return;
        }
        let (from, to) = match self.around(from) {
            // It is inside of another.
            Some((_, end)) if to <= end => return,
            Some((start, _)) => (start, to),
            None => (from, to),
        };
        let to = self.around(to).map_or(to, |(_, end)| end);
        let inside: Vec<u64> = self.0.range(from..to).map(|(start, _)| *start).collect();
        for start in inside {
            self.0.remove(&start);
        }
        self.0.insert(from, to);
    }
}

/// The rules for a stack.
#[derive(Clone, Default)]
pub(super) struct StackRules {
    holes: Holes,
    /// The holes of elements that were popped or peeked at.
    spans: FxHashMap<Id, (u64, u64)>,
    /// Elements that are present and were peeked at, by the last end of a peek.
    peeked: BTreeSet<(u64, Id)>,
    /// The stack was empty at this time.
    empty_at: u64,
}

impl StackRules {
    /// The last time at which the element can have been pushed.
    fn pushed(&self, w: &Window, id: Id) -> u64 {
        match self.spans.get(&id) {
            Some((from, _)) => *from,
            None => self.holes.previous(w.get(id).end.min(w.now)),
        }
    }

    /// Makes a hole for something that was called at `call` and needs that nothing was pushed since `from`.
    /// Returns its end; `None` if the rules find none.
    fn make_hole(&mut self, w: &mut Window, own: Option<Id>, from: u64, call: u64) -> Option<u64> {
        let mut to = self.holes.next(call.max(from));
        let (mut above, mut latest) = (Vec::new(), w.now);
        for &(end, id) in w.present.range((from, 0)..) {
            if own == Some(id) {
                continue;
            }
            let (first, last) = match self.spans.get(&id) {
                // At the beginning of its own hole, whatever else is pushed then comes before it.
                Some(&(first, to)) => (first + u64::from(first < to), first),
                None => (w.get(id).call, end),
            };
            if first <= from && own.is_some() {
                continue;
            }
            if last >= to {
                latest = latest.min(self.holes.previous(last));
                continue;
            }
            above.push(id);
            if above.len() > w.takes.len() {
                return None;
            }
        }
        if !above.is_empty() {
            to = to.max(latest);
            for id in above {
                let pushed = self.pushed(w, id);
                self.unmark(w, id);
                self.spans.insert(id, (pushed, to));
                w.set_stage(id, Stage::Promised(to));
            }
        }
        self.holes.add(from, to);
        Some(to)
    }

    /// The element is no longer present.
    fn unmark(&mut self, w: &Window, id: Id) {
        if self.spans.remove(&id).is_some()
            && let Some([_, late]) = w.get(id).peeks
        {
            self.peeked.remove(&(late.end, id));
        }
    }

    /// The element was seen on top by an operation that was called at `call`.
    fn see(&mut self, w: &mut Window, id: Id, call: u64) -> Option<(u64, u64)> {
        let from = self.pushed(w, id);
        let to = self.make_hole(w, Some(id), from, call)?;
        Some((from, to))
    }

    /// The elements that matter: those that were seen recently, and all that may lie above one of them.
    fn relevant(&self, w: &Window, extra: &Extra) -> Vec<Id> {
        let mut known: FxHashSet<Id> = FxHashSet::default();
        let mut empties = w.empties.iter().map(|times| times.end).max().unwrap_or(0);
        if let Extra::Empty(times) = extra {
            empties = empties.max(times.end);
        }
        let promised = w.promised.iter().map(|(_, id)| *id);
        let recent = w.peeks.iter().map(|peek| peek.id);
        let seen = w.removed.iter().copied().chain(promised).chain(recent).chain(extra.id());
        let left_out = extra.id().filter(|_| self.leaves_out(w, extra));
        let matters = |id: &Id| match Some(*id) == extra.id() {
            true => left_out.is_none(),
            false => !w.get(*id).is_momentary(),
        };
        let mut ids: Vec<Id> = seen.filter(|id| matters(id) && known.insert(*id)).collect();
        known.extend(left_out);
        let call = |ids: &[Id]| ids.iter().map(|id| w.get(*id).call).min().unwrap_or(NEVER);
        let (mut seen_from, mut reached) = (call(&ids), NEVER);
        let before = w.present.range(..(empties, 0)).map(|(_, id)| *id);
        ids.extend(before.filter(|id| known.insert(*id)));
        loop {
            // What was pushed after the first that was seen was called may lie above it.
            if seen_from < reached {
                let above = w.present.range((seen_from, 0)..(reached, 0)).map(|(_, id)| *id);
                ids.extend(above.filter(|id| known.insert(*id)));
                reached = seen_from;
            }
            // Peeks that ended later than one of these was called have seen something, too.
            let peeked = self.peeked.range((call(&ids), 0)..).map(|(_, id)| *id);
            let peeked: Vec<Id> = peeked.filter(|id| known.insert(*id)).collect();
            if peeked.is_empty() {
                return ids;
            }
            seen_from = seen_from.min(call(&peeked));
            ids.extend(peeked);
        }
    }
}

impl Rules for StackRules {
    fn removed(&mut self, _subject: &dyn StreamSubject, w: &mut Window, id: Id, call: u64) -> bool {
        let until = match w.get(id).stage {
            Stage::Promised(deadline) if call < deadline => deadline,
            Stage::Promised(_) | Stage::Removed(_) => return false,
            Stage::Unseen | Stage::Present | Stage::Front => {
                let removal = Extra::Remove(id, Times { call, end: w.now });
                let is_momentary = self.leaves_out(w, &removal);
                let span = match is_momentary {
                    // It is pushed and popped in one moment, and makes no hole.
                    true => (w.get(id).first_end.min(w.now), w.get(id).first_end.min(w.now)),
                    false => match self.see(w, id, call) {
                        Some(span) => span,
                        None => return false,
                    },
                };
                self.unmark(w, id);
                self.spans.insert(id, span);
                span.1
            }
        };
        w.set_stage(id, Stage::Removed(until));
        w.can_keep_promises()
    }

    fn peeked(&mut self, _subject: &dyn StreamSubject, w: &mut Window, id: Id, call: u64) -> bool {
        match w.get(id).stage {
            Stage::Promised(deadline) | Stage::Removed(deadline) => return call < deadline,
            Stage::Unseen | Stage::Present | Stage::Front => {}
        }
        let Some(span) = self.see(w, id, call) else { return false };
        self.unmark(w, id);
        self.spans.insert(id, span);
        let element = w.get(id);
        // The window will record the peek.
        let times = Times { call, end: w.now };
        let late =
            element.peeks.map_or(times, |[_, late]| if call > late.call { times } else { late });
        self.peeked.insert((late.end, id));
        if element.stage == Stage::Unseen {
            w.get_mut(id).end = w.now;
            w.set_stage(id, Stage::Present);
        }
        w.can_keep_promises()
    }

    fn found_nothing(&mut self, _subject: &dyn StreamSubject, w: &mut Window, call: u64) -> bool {
        let is_hopeless = w.present.len() > w.takes.len()
            && w.present.iter().nth(w.takes.len()).is_some_and(|(end, _)| *end < call);
        if is_hopeless {
            return false;
        }
        let Some(to) = self.make_hole(w, None, 0, call) else { return false };
        self.empty_at = self.empty_at.max(to);
        w.can_keep_promises()
    }

    fn history(&self, _subject: &dyn StreamSubject, w: &Window, extra: &Extra) -> History {
        self.history_of(w, extra)
    }

    fn may_be_next(&self, _subject: &dyn StreamSubject, w: &Window, id: Id) -> bool {
        let (end, most) = (w.get(id).end, w.takes.len());
        let above = w.present.range((end.min(w.horizon()), 0)..(w.horizon(), 0));
        above.filter(|(_, other)| w.get(*other).call > end).take(most + 1).count() <= most
    }

    fn solve(&self, history: &History, effort: &mut Effort<'_>) -> Result<Option<Fit>, Refusal> {
        history.solve(Shape::Stack, effort)
    }

    fn refit(&mut self, _subject: &dyn StreamSubject, w: &mut Window, fit: &Fit) {
        self.fit(w, fit);
    }

    fn forget(&mut self, w: &mut Window, effort: &mut Effort<'_>) -> Option<Vec<Id>> {
        Some(self.forget_old(w, effort))
    }

    /// All operations of the element were open at the same time.
    fn leaves_out(&self, w: &Window, extra: &Extra) -> bool {
        match *extra {
            Extra::Remove(id, times) => {
                let mut element = *w.get(id);
                element.see(times);
                element.removal = Some(times);
                element.is_momentary()
            }
            Extra::Peek(id, times) => {
                let mut element = *w.get(id);
                element.see(times);
                element.is_momentary()
            }
            Extra::None | Extra::Empty(_) => false,
        }
    }

    fn is_upside_down(&self) -> bool {
        true
    }

    fn keeps_all_since_a_crash(&self) -> bool {
        true
    }
}

impl StackRules {
    /// The operations that matter.
    fn history_of(&self, w: &Window, extra: &Extra) -> History {
        let mut history = History::new(w);
        self.relevant(w, extra).into_iter().for_each(|id| history.element(w, id));
        w.peeks.iter().for_each(|peek| history.peek(peek.id, peek.times));
        history.extra(extra);
        history
    }

    /// The holes of the new explanation, and those of elements that are not in it.
    fn fit(&mut self, w: &mut Window, fit: &Fit) {
        let known: FxHashSet<Id> = fit.present.iter().copied().collect();
        self.spans.retain(|id, _| {
            matches!(w.get(*id).stage, Stage::Present | Stage::Front) && !known.contains(id)
        });
        self.peeked.retain(|(_, id)| self.spans.contains_key(id));
        for id in &fit.present {
            w.set_stage(*id, Stage::Present);
        }
        self.spans.extend(fit.spans.iter().map(|(id, span)| (*id, *span)));
        for (id, _) in &fit.spans {
            if let Some([_, late]) = w.get(*id).peeks.filter(|_| known.contains(id)) {
                self.peeked.insert((late.end, *id));
            }
        }
        self.empty_at = fit.empty_at;
        self.rebuild();
    }

    fn rebuild(&mut self) {
        self.holes = Holes::default();
        self.holes.add(0, self.empty_at);
        self.spans.values().for_each(|(from, to)| self.holes.add(*from, *to));
    }
}
