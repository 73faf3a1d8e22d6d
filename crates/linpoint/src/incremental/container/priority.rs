//! Priority queues.
//!
//! As for whole histories (`monitor/priority_queue`), a peek or a removal needs a time at which no
//! element that comes out earlier is critical, and an empty result one at which none is; that is
//! all. When an operation ends, such a time is looked for once. Later events only shorten the times
//! at which elements are critical, with one exception: a peek may find an element that was removed,
//! and show that it was there for longer. Then the whole window is asked about.
//!
//! If there is no such time, the elements in the way may have been removed by open removals. They are
//! promised for now, and the operation takes effect now. That is a guess, since an earlier time may
//! need fewer of them. If it fails, the whole window is asked about.
//!
//! Time: for each return O(log n) comparisons, the elements that come out earlier and are present
//! (there are not many more than open operations), and for some the elements that were removed recently.

use std::cmp::Ordering;

use rustc_hash::FxHashSet;

use crate::monitor::{Effort, Refusal};
use crate::spec::{Shape, Slot};
use crate::subject::{Call, Place, StreamSubject};

use super::Rules;
use super::exact::{Extra, Fit, History};
use super::window::{Id, NEVER, Stage, Window};

/// Elements in a chunk.
const MOST: usize = 512;

/// The rules for a priority queue.
#[derive(Default)]
pub(super) struct PriorityRules {
    /// The elements that are present, those that come out last in front. No chunk is empty.
    present: Vec<Vec<Id>>,
}

/// Which of two elements comes out first: the greater one.
fn compare(subject: &dyn StreamSubject, w: &Window, a: Id, b: Id) -> Ordering {
    let place = |id| Place { call: Call::unknown(w.get(id).op), slot: Slot::Value };
    subject.compare(place(a), place(b))
}

impl PriorityRules {
    /// The place of the first element that does not come out after this one.
    fn place(&self, subject: &dyn StreamSubject, w: &Window, id: Id) -> (usize, usize) {
        let is_after = |other: &Id| compare(subject, w, *other, id).is_lt();
        let chunk = self.present.partition_point(|chunk| chunk.last().is_some_and(is_after));
        let at = self.present.get(chunk).map_or(0, |chunk| chunk.partition_point(is_after));
        (chunk, at)
    }

    fn insert(&mut self, subject: &dyn StreamSubject, w: &Window, id: Id) {
        let (mut chunk, mut at) = self.place(subject, w, id);
        if chunk == self.present.len() {
            match self.present.last() {
                None => self.present.push(Vec::new()),
                Some(last) => (chunk, at) = (chunk - 1, last.len()),
            }
        }
        let ids = &mut self.present[chunk];
        ids.insert(at, id);
        if ids.len() > MOST {
            let upper = ids.split_off(MOST / 2);
            self.present.insert(chunk + 1, upper);
        }
    }

    fn remove(&mut self, subject: &dyn StreamSubject, w: &Window, id: Id) {
        let (first, mut at) = self.place(subject, w, id);
        for chunk in first..self.present.len() {
            let ids = &mut self.present[chunk];
            if let Some(found) = ids[at..].iter().position(|other| *other == id) {
                ids.remove(at + found);
                if ids.is_empty() {
                    self.present.remove(chunk);
                }
                return;
            }
            at = 0;
        }
    }

    /// The elements that are present, those that come out first in front.
    fn first(&self) -> impl Iterator<Item = Id> {
        self.present.iter().rev().flat_map(|chunk| chunk.iter().rev().copied())
    }

    /// The elements that are present and come out before this one.
    fn before(&self, subject: &dyn StreamSubject, w: &Window, id: Id) -> impl Iterator<Item = Id> {
        self.first().take_while(move |other| compare(subject, w, *other, id).is_gt())
    }

    /// Finds a time for an operation that was called at `low` and sees the element, or nothing.
    fn explain(
        &mut self,
        subject: &dyn StreamSubject,
        w: &mut Window,
        id: Option<Id>,
        low: u64,
    ) -> bool {
        let before: Vec<Id> = match id {
            Some(id) => self.before(subject, w, id).collect(),
            None => self.first().collect(),
        };
        let high = before.iter().map(|other| w.get(*other).end).min().unwrap_or(NEVER).min(w.now);
        let blocks = |other| id.is_none_or(|id| compare(subject, w, other, id).is_gt());
        if low <= high && (high == w.now || w.free_time(low, high, blocks).is_some()) {
            return true;
        }
        let is_enough = before.len() <= w.takes.len();
        if is_enough {
            let now = w.now;
            before.into_iter().for_each(|id| self.stage(subject, w, id, Stage::Promised(now)));
        }
        is_enough
    }
}

impl Rules for PriorityRules {
    fn stage(&mut self, subject: &dyn StreamSubject, w: &mut Window, id: Id, stage: Stage) {
        let (was, is) = (w.get(id).stage == Stage::Present, stage == Stage::Present);
        w.set_stage(id, stage);
        match (was, is) {
            (true, false) => self.remove(subject, w, id),
            (false, true) => self.insert(subject, w, id),
            _ => {}
        }
    }

    fn removed(&mut self, subject: &dyn StreamSubject, w: &mut Window, id: Id, call: u64) -> bool {
        let element = w.get(id);
        match element.stage {
            Stage::Promised(deadline) if call < deadline => {}
            Stage::Promised(_) | Stage::Removed(_) => return false,
            Stage::Unseen | Stage::Present | Stage::Front => {
                let low = call.max(element.begin);
                if !self.explain(subject, w, Some(id), low) {
                    return false;
                }
            }
        }
        let now = w.now;
        self.stage(subject, w, id, Stage::Removed(now));
        w.can_keep_promises()
    }

    fn peeked(&mut self, subject: &dyn StreamSubject, w: &mut Window, id: Id, call: u64) -> bool {
        let element = w.get(id);
        let (stage, low) = (element.stage, call.max(element.call));
        match stage {
            // The removal has found a time that is late enough.
            Stage::Removed(_) => return call <= element.begin,
            Stage::Promised(deadline) if call >= deadline => return false,
            _ => {}
        }
        if !self.explain(subject, w, Some(id), low) || !w.can_keep_promises() {
            return false;
        }
        if stage == Stage::Unseen {
            w.get_mut(id).end = w.now;
            self.stage(subject, w, id, Stage::Present);
        }
        true
    }

    fn found_nothing(&mut self, subject: &dyn StreamSubject, w: &mut Window, call: u64) -> bool {
        // The end of the oldest, without looking at all.
        let is_hopeless = w.present.len() > w.takes.len()
            && w.present.first().is_some_and(|(end, _)| *end < call);
        !is_hopeless && self.explain(subject, w, None, call) && w.can_keep_promises()
    }

    /// Elements that are present matter if they come out before one that was seen, or may have been
    /// there when an operation found nothing.
    fn history(&self, subject: &dyn StreamSubject, w: &Window, extra: &Extra) -> History {
        let mut history = History::new(w);
        let mut until = w.empties.iter().map(|times| times.end).max().unwrap_or(0);
        if let Extra::Empty(times) = extra {
            until = until.max(times.end);
        }
        let promised = w.promised.iter().map(|(_, id)| *id);
        let mut known: FxHashSet<Id> = FxHashSet::default();
        for id in w.removed.iter().copied().chain(promised).chain(extra.unlisted(w)) {
            history.element_without_peeks(w, id);
            known.insert(id);
        }
        let peeked = w.peeks.iter().map(|peek| peek.id);
        let seen = w.removed.iter().copied().chain(peeked).chain(extra.id());
        if let Some(lowest) = seen.min_by(|a, b| compare(subject, w, *a, *b)) {
            let matters = |id: &Id| compare(subject, w, *id, lowest).is_ge();
            for id in self.first().take_while(matters).filter(|id| known.insert(*id)) {
                history.element_without_peeks(w, id);
            }
        }
        for (_, id) in w.present.range(..(until, 0)).filter(|(_, id)| known.insert(*id)) {
            history.element_without_peeks(w, *id);
        }
        w.peeks.iter().for_each(|peek| history.peek(peek.id, peek.times));
        history.extra(extra);
        history.rank(|a, b| compare(subject, w, a, b));
        history
    }

    /// Elements that were there before everything that is open was called, and come out earlier, have
    /// to be removed by open removals.
    fn may_be_next(&self, subject: &dyn StreamSubject, w: &Window, id: Id) -> bool {
        let horizon = w.horizon();
        let before = self.before(subject, w, id).filter(|other| w.get(*other).end < horizon);
        before.take(w.takes.len() + 1).count() <= w.takes.len()
    }

    fn solve(&self, history: &History, effort: &mut Effort<'_>) -> Result<Option<Fit>, Refusal> {
        history.solve(Shape::PriorityQueue, effort)
    }
}
