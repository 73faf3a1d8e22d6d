//! Queues.
//!
//! As for whole histories (`monitor/queue`), v must be in front of w if v's enqueue had ended before
//! w's began, or if v had been seen at the front before an operation of w began. The rules keep an
//! order of the elements in which all of these point forward: elements that were removed or promised
//! in the order in which that was found out, then the one that was peeked at ([`Stage::Front`]), then
//! all that are present, by the end of their enqueues.
//!
//! * An element that is seen for the first time, at time t, comes next in that order. Whatever must
//!   be in front of it has been removed by t: what was peeked at, and elements whose enqueue had ended
//!   before its own began. These are promised for t. All others can stay behind it: an element that
//!   had to be in front of an earlier one was promised then.
//! * An element that was removed or promised can be seen by operations that were called before
//!   anything behind it was seen: before its deadline.
//! * An empty result needs a time at which nothing is critical. Later events only shorten the times
//!   at which elements that are there now are critical, so this is looked at once.
//!
//! Without peeks and empty results this is exact: every promise is forced. With them it is a guess, so
//! if it fails, the whole window is asked about.
//!
//! Time: for each return O(log n), and for an empty result that was not the last word also the
//! elements that were removed recently.

use crate::monitor::{Effort, Refusal};
use crate::spec::Shape;
use crate::subject::StreamSubject;

use super::Rules;
use super::exact::{Extra, Fit, History};
use super::window::{Id, Stage, Times, Window};

/// The rules for a queue.
#[derive(Default)]
pub(super) struct QueueRules {
    /// The element that was peeked at and is in front of all that are present.
    front: Option<Id>,
}

impl QueueRules {
    /// The element is seen for the first time.
    fn bring_to_front(&mut self, w: &mut Window, id: Id) {
        let (now, call) = (w.now, w.get(id).call);
        if let Some(front) = self.front.take_if(|front| *front != id) {
            w.set_stage(front, Stage::Promised(now));
        }
        while let Some(&(end, other)) = w.present.first()
            && end < call
        {
            w.set_stage(other, Stage::Promised(now));
        }
    }
}

impl Rules for QueueRules {
    fn removed(&mut self, _subject: &dyn StreamSubject, w: &mut Window, id: Id, call: u64) -> bool {
        let until = match w.get(id).stage {
            Stage::Promised(deadline) if call < deadline => deadline,
            Stage::Promised(_) | Stage::Removed(_) => return false,
            Stage::Unseen | Stage::Present | Stage::Front => {
                self.bring_to_front(w, id);
                w.now
            }
        };
        self.front.take_if(|front| *front == id);
        w.set_stage(id, Stage::Removed(until));
        w.can_keep_promises()
    }

    fn peeked(&mut self, _subject: &dyn StreamSubject, w: &mut Window, id: Id, call: u64) -> bool {
        let element = w.get(id);
        match element.stage {
            Stage::Promised(deadline) => call < deadline,
            // It was there for longer than had been known.
            Stage::Removed(deadline) => call < deadline && !w.found_nothing(element.begin, call),
            Stage::Front => true,
            Stage::Unseen | Stage::Present => {
                self.bring_to_front(w, id);
                self.front = Some(id);
                w.set_stage(id, Stage::Front);
                w.can_keep_promises()
            }
        }
    }

    fn found_nothing(&mut self, _subject: &dyn StreamSubject, w: &mut Window, call: u64) -> bool {
        let first = w.present.first().map(|(end, _)| *end);
        let front = self.front.map(|front| w.get(front).end);
        let Some(first) = first.into_iter().chain(front).min() else {
            return w.can_keep_promises();
        };
        if w.free_time(call, first, |_| true).is_some() {
            return w.can_keep_promises();
        }
        let now = w.now;
        if w.present.len() > w.takes.len() {
            return false;
        }
        let all: Vec<Id> = w.present.iter().map(|(_, id)| *id).chain(self.front.take()).collect();
        all.into_iter().for_each(|id| w.set_stage(id, Stage::Promised(now)));
        w.can_keep_promises()
    }

    /// Elements that are present and were not seen matter if they have to be in front of one that
    /// was, or may have been there when an operation found nothing. The others can come last.
    fn history(&self, _subject: &dyn StreamSubject, w: &Window, extra: &Extra) -> History {
        let mut history = History::new(w);
        let mut until = w.empties.iter().map(|times: &Times| times.end).max().unwrap_or(0);
        if let Extra::Empty(times) = extra {
            until = until.max(times.end);
        }
        let promised = w.promised.iter().map(|(_, id)| *id);
        let seen = w.removed.iter().copied().chain(promised).chain(self.front);
        for id in seen.chain(extra.unlisted(w)) {
            until = until.max(w.get(id).call);
            history.element(w, id);
        }
        for (_, id) in w.present.range(..(until, 0)).filter(|(_, id)| extra.id() != Some(*id)) {
            history.element(w, *id);
        }
        history.extra(extra);
        history
    }

    fn may_be_next(&self, _subject: &dyn StreamSubject, w: &Window, id: Id) -> bool {
        let before = w.present.range(..(w.get(id).call, 0));
        before.take(w.takes.len() + 1).count() <= w.takes.len()
    }

    fn refit(&mut self, _subject: &dyn StreamSubject, w: &mut Window, fit: &Fit) {
        self.front = fit.present.iter().copied().find(|id| w.get(*id).peeks.is_some());
        for id in &fit.present {
            let stage = if self.front == Some(*id) { Stage::Front } else { Stage::Present };
            w.set_stage(*id, stage);
        }
    }

    fn solve(&self, history: &History, effort: &mut Effort<'_>) -> Result<Option<Fit>, Refusal> {
        history.solve(Shape::Queue, effort)
    }
}
