//! What a stack's monitor can forget.
//!
//! An element is *critical* between the first end of its operations and the last call, if the end comes first: there it
//! is certainly in the stack. One that was not popped is critical for ever. An element that was popped and is never
//! critical is *momentary*: all of its operations may have happened in one moment, whatever the others do, so it never
//! matters.
//!
//! *When elements can be explained.* Take a set of elements whose critical times, joined, are one interval, its *hull*. In
//! an explanation every time inside the hull is inside some element's stay, stays do not cross, and so one stay covers
//! the hull. The element must have been called to be pushed before the hull begins, and its pop must end after the hull
//! ends; and no peek at it may lie inside the hull of some of the others, where it cannot be on top. Conversely, if
//! every such set has such a *cover*, there is an explanation: the cover stays all the time, and the others are
//! explained within their own hulls, without it. An empty result is a peek at the bottom, which covers everything. So
//! a stream is not linearizable exactly if some set has no cover.
//!
//! *Forgetting.* Let `h` be the first call of all pops and peeks that are open (or pops that crashed), and D a set of
//! elements whose pops ended before `h`. Nothing can see them any more. Every set that loses its cover later has a hull
//! that ends at `h` or later, since it contains an element that is still there, or whose pop was called at `h` or later.
//! No element of D can cover it. So D matters in two ways only: it joins critical times, and extends the hull
//! to the left. Let a *run* be a joined critical time of D. It has the same effect if
//!
//! * a push of another element that ends inside a run ends at the beginning of the run,
//! * a push that is called inside a run is called at its end,
//! * and peeks and empty results are restricted in the same way.
//!
//! Whatever is critical from the inside of a run to its end and beyond is then critical from its beginning. No end of a
//! hull is inside of a run, and a peek is inside a hull exactly if it was before.
//!
//! *Hulls that end before `h`* must not lose their covers by this. They consist of elements in S: popped, their
//! operations called before `h`, but the pop ended at `h` or later. The first of them covers all,
//! unless it has a peek inside the hull of others.
//!
//! * If all of a push, or of a peek, is inside a run, the element was above one of D, and popped before that. So its
//!   pop ended before `h`, too, and it belongs to D.
//! * If a peek at an element of S is inside a hull of other elements of S and D, nothing that is joined with it is
//!   forgotten now.
//!
//! *Peeks.* Let `s` be the last call of the operations of an element that was popped and is kept; the first such call,
//! and at most `h`. All hulls end at `s` or later. Of the peeks at one element that ended before `s`, only the one that
//! was called last matters: a hull that contains another one contains it as well.
//!
//! The explanation that the rules had may use what was forgotten. So what is left gets another one.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::monitor::Effort;
use crate::spec::Shape;

use super::super::exact::Extra;
use super::super::window;
use super::super::window::{Element, Id, NEVER, Stage, Times, Window};
use super::{Holes, StackRules};

/// Work for one element, in units of a few nanoseconds.
const WORK_PER_ELEMENT: usize = 64;

/// Elements that were popped and are not momentary.
struct Popped {
    /// Those whose pops ended before the horizon.
    over: Vec<Id>,
    /// Those whose pops ended later, although all of their operations were called before.
    late: Vec<Id>,
}

/// The critical time of an element that was popped.
fn critical(element: &Element) -> (u64, u64) {
    (element.end, element.begin)
}

/// The joined critical times of these elements.
fn runs<'a>(w: &Window, ids: impl IntoIterator<Item = &'a Id>) -> Holes {
    let mut runs = Holes::default();
    for id in ids {
        let (from, to) = critical(w.get(*id));
        runs.add(from, to);
    }
    runs
}

impl Holes {
    /// True if all of these times are inside one hole.
    fn contains(&self, times: Times) -> bool {
        self.around(times.call).is_some_and(|(_, to)| times.end < to)
    }
}

impl StackRules {
    /// Forgets what no longer matters, and returns elements to forget. Changes nothing if what is left cannot be
    /// explained within the limits.
    pub(super) fn forget_old(&mut self, w: &mut Window, effort: &mut Effort<'_>) -> Vec<Id> {
        if effort.work(WORK_PER_ELEMENT * w.count()).is_err() {
            return Vec::new();
        }
        let (mut rules, mut left) = (self.clone(), w.clone());
        let forgotten = rules.reduce(&mut left);
        let history = rules.history_of(&left, &Extra::None);
        let Ok(fit) = history.solve(Shape::Stack, effort) else { return Vec::new() };
        debug_assert!(fit.is_some(), "forgetting makes no violation");
        let Some(fit) = fit else { return Vec::new() };
        for (id, deadline) in &fit.removed {
            left.set_stage(*id, Stage::Removed(*deadline));
        }
        for (id, deadline) in &fit.promised {
            left.set_stage(*id, Stage::Promised(*deadline));
        }
        rules.fit(&mut left, &fit);
        (*self, *w) = (rules, left);
        forgotten
    }

    /// Forgets what no longer matters in a window.
    fn reduce(&mut self, w: &mut Window) -> Vec<Id> {
        let horizon = w.oldest();
        let recent = recent_peeks(w);
        let is_over = |id: &Id| w.get(*id).removal.is_some_and(|times| times.end < horizon);
        let (momentary, popped): (Vec<Id>, Vec<Id>) =
            w.removed.iter().copied().partition(|id| w.get(*id).is_momentary());
        let mut gone: Vec<Id> = momentary.into_iter().filter(is_over).collect();
        let (over, late) = popped.into_iter().partition(is_over);
        let mut popped = Popped { over, late };
        popped.late.retain(|id| w.get(*id).begin < horizon);
        popped.settle(w, &recent);
        let old = popped.forgettable(w, &recent);
        let runs = runs(w, &old);
        gone.extend(old);
        let gone: FxHashSet<Id> = gone.into_iter().collect();
        w.restrict(&gone, |time| runs.next(time), |time| runs.previous(time));
        drop_elements(w, &gone);
        self.spans.retain(|id, _| !gone.contains(id));
        forget_peeks(w, horizon);
        let peeked = self.spans.keys().filter(|id| w.get(**id).stage == Stage::Present);
        let late = |id: &Id| Some((w.get(*id).peeks?[1].end, *id));
        self.peeked = peeked.filter_map(late).collect();
        gone.into_iter().collect()
    }
}

impl Popped {
    /// Adds those that were popped before one that is over.
    fn settle(&mut self, w: &Window, recent: &FxHashMap<Id, Vec<Times>>) {
        loop {
            let runs = runs(w, &self.over);
            let is_inside = |id: &Id| {
                let element = w.get(*id);
                runs.contains(Times { call: element.call, end: element.end })
                    || peeks_at(element, *id, recent).any(|times| runs.contains(times))
            };
            let (inside, late): (Vec<Id>, Vec<Id>) = self.late.iter().copied().partition(is_inside);
            self.late = late;
            if inside.is_empty() {
                return;
            }
            self.over.extend(inside);
        }
    }

    /// Those that are over, except where a peek at one that is late is inside the hull of others.
    fn forgettable(&self, w: &Window, recent: &FxHashMap<Id, Vec<Times>>) -> Vec<Id> {
        let mut kept = Holes::default();
        let hulls = runs(w, self.over.iter().chain(&self.late));
        for id in &self.late {
            let element = w.get(*id);
            let mut peeks = peeks_at(element, *id, recent).peekable();
            if peeks.peek().is_none() {
                continue;
            }
            let others = self.over.iter().chain(&self.late).filter(|other| *other != id);
            let others = runs(w, others);
            if peeks.any(|times| others.contains(times)) {
                let (from, to) = hulls.at(critical(element));
                kept.add(from, to);
            }
        }
        let is_kept = |id: &&Id| kept.holds(critical(w.get(**id)));
        self.over.iter().filter(|id| !is_kept(id)).copied().collect()
    }
}

impl Holes {
    /// The hole that all of an interval is in, or the interval.
    fn at(&self, (from, to): (u64, u64)) -> (u64, u64) {
        let hole = self.0.range(..=from).next_back();
        hole.map_or((from, to), |(start, end)| (*start, *end))
    }

    /// True if all of an interval is in one hole.
    fn holds(&self, (from, to): (u64, u64)) -> bool {
        self.0.range(..=from).next_back().is_some_and(|(_, end)| to <= *end)
    }
}

/// The peeks that ended recently, by element.
fn recent_peeks(w: &Window) -> FxHashMap<Id, Vec<Times>> {
    let mut recent: FxHashMap<Id, Vec<Times>> = FxHashMap::default();
    for window::Peek { id, times } in &w.peeks {
        recent.entry(*id).or_default().push(*times);
    }
    recent
}

/// All peeks at an element that are remembered.
fn peeks_at<'a>(
    element: &Element,
    id: Id,
    recent: &'a FxHashMap<Id, Vec<Times>>,
) -> impl Iterator<Item = Times> + 'a {
    let own = element.peeks.into_iter().flatten().chain(element.old_peek);
    own.chain(recent.get(&id).into_iter().flatten().copied())
}

/// Drops elements from the lists. An element whose add is open stays, as one that never matters.
fn drop_elements(w: &mut Window, gone: &FxHashSet<Id>) {
    w.peeks.retain(|peek| !gone.contains(&peek.id));
    let mut removed = std::mem::take(&mut w.removed);
    removed.retain(|id| {
        let element = w.get_mut(*id);
        if element.is_open && gone.contains(id) {
            element.first_end = NEVER;
            (element.peeks, element.old_peek) = (None, None);
        }
        element.is_open || !gone.contains(id)
    });
    w.removed = removed;
}

/// Forgets peeks and empty results that do not matter.
fn forget_peeks(w: &mut Window, horizon: u64) {
    let popped = w.removed.iter().map(|id| w.get(*id)).filter(|element| !element.is_momentary());
    let first = popped.map(|element| element.begin).min().unwrap_or(NEVER).min(horizon);
    let peeks = std::mem::take(&mut w.peeks);
    let (old, peeks): (Vec<_>, Vec<_>) = peeks.into_iter().partition(|peek| peek.times.end < first);
    w.peeks = peeks;
    for window::Peek { id, times } in old {
        let known = &mut w.get_mut(id).old_peek;
        if known.is_none_or(|known| known.call < times.call) {
            *known = Some(times);
        }
    }
    let old = w.empties.iter().filter(|times| times.end < first).copied();
    let last = old.max_by_key(|times| times.call);
    w.empties.retain(|times| times.end >= first);
    w.empties.extend(last);
}
