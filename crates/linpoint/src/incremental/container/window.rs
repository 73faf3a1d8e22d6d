//! What the stream monitors of queues, stacks and priority queues remember.
//!
//! Time is the number of events so far, so all calls and returns are at different times, and `a`
//! precedes `b` exactly if `a` returned at a smaller time than `b` was called.
//!
//! An *element* is what one add added. It is *critical* between the first end of its operations
//! ([`Element::end`]) and the last beginning ([`Element::begin`]), where it is certainly present; an
//! element that was not removed is critical from the first end on.
//!
//! *Promises.* A removal that is open may have removed anything. An element that some open removal
//! must have removed by now, though it is not known which one, is *promised*, with a deadline: the
//! removal must have been called before it. Promises can be kept if there is a different open
//! removal for each ([`Window::can_keep_promises`]): with both sorted, the i-th removal must have
//! been called before the i-th deadline.
//!
//! INVARIANT of all rules: if each promised element is removed by an operation that was called at
//! its deadline, the stream so far is linearizable.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use crate::history::OpId;
use crate::spec::Name;

/// The time of what has not happened.
pub(super) const NEVER: u64 = u64::MAX;

/// Forget nothing before there is this much to forget. Tests forget often.
const FEW: usize = if cfg!(debug_assertions) { 4 } else { 128 };

/// The most operations that are kept in case they still matter.
const MOST_KEPT: usize = 1 << 13;

/// The number of an element.
pub(super) type Id = u32;

/// The times of an operation that has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Times {
    pub(super) call: u64,
    pub(super) end: u64,
}

/// Where an element is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stage {
    /// Its add is open and nothing has seen it.
    Unseen,
    /// It is present, as far as is known.
    Present,
    /// A queue's element that was peeked at: it is in front of all that are present.
    Front,
    /// An open removal that was called before this time has removed it.
    Promised(u64),
    /// A removal has returned it. A peek that was called before this time can still return it.
    Removed(u64),
}

/// What one add added.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    /// The operation that added it.
    pub(super) op: OpId,
    pub(super) name: Name,
    /// The call of its add.
    pub(super) call: u64,
    /// True until its add ends or crashes.
    pub(super) is_open: bool,
    /// The first end of its operations.
    pub(super) end: u64,
    /// The same before what was forgotten restricted it ([`Window::restrict`]).
    pub(super) first_end: u64,
    /// The last call of its operations.
    pub(super) begin: u64,
    /// The last end of its operations.
    pub(super) last: u64,
    /// The peek that ended first, and the one that was called last.
    pub(super) peeks: Option<[Times; 2]>,
    /// For a stack: a peek that stands for all that were forgotten.
    pub(super) old_peek: Option<Times>,
    pub(super) removal: Option<Times>,
    /// The end of the removal of an earlier element with the same name; 0 if there is none.
    pub(super) before: u64,
    pub(super) stage: Stage,
}

impl Element {
    /// The first time at which it need not be present any more.
    pub(super) fn gone(&self) -> u64 {
        match self.stage {
            Stage::Promised(deadline) => deadline,
            Stage::Removed(_) => self.begin,
            _ => NEVER,
        }
    }

    /// True if it was removed and all of its operations were open at the same time, so that they may have
    /// happened in one moment.
    pub(super) fn is_momentary(&self) -> bool {
        self.removal.is_some() && self.begin < self.first_end
    }

    /// Records an operation that saw it.
    pub(super) fn see(&mut self, times: Times) {
        self.end = self.end.min(times.end);
        self.first_end = self.first_end.min(times.end);
        self.begin = self.begin.max(times.call);
        self.last = self.last.max(times.end);
    }

    /// Records a peek.
    pub(super) fn peek(&mut self, times: Times) {
        self.see(times);
        let [first, late] = self.peeks.get_or_insert([times; 2]);
        if times.end < first.end {
            *first = times;
        }
        if times.call > late.call {
            *late = times;
        }
    }
}

/// A peek that ended recently.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peek {
    pub(super) id: Id,
    pub(super) times: Times,
}

/// Elements and operations that still matter.
#[derive(Clone, Default)]
pub(super) struct Window {
    /// The time of the last event.
    pub(super) now: u64,
    elements: Vec<Option<Element>>,
    free: Vec<Id>,
    /// Elements that are present, by the end of their add.
    pub(super) present: BTreeSet<(u64, Id)>,
    /// Promised elements, by deadline.
    pub(super) promised: BTreeSet<(u64, Id)>,
    /// Elements that were removed recently, in the order of removal.
    pub(super) removed: Vec<Id>,
    /// Peeks that ended recently, if the object wants them.
    pub(super) peeks: Vec<Peek>,
    /// Operations that found nothing recently.
    pub(super) empties: Vec<Times>,
    /// The calls of open and crashed removals.
    pub(super) takes: BTreeSet<u64>,
    /// The calls of open removals and peeks.
    open: BTreeSet<u64>,
    /// Forget when there is more than this to forget.
    most: usize,
}

impl Window {
    pub(super) fn new() -> Self {
        Window { most: FEW, ..Window::default() }
    }

    /// The time of the next event.
    pub(super) fn tick(&mut self) -> u64 {
        self.now += 1;
        self.now
    }

    pub(super) fn get(&self, id: Id) -> &Element {
        self.elements[id as usize].as_ref().expect("elements are kept while they are in use")
    }

    pub(super) fn get_mut(&mut self, id: Id) -> &mut Element {
        self.elements[id as usize].as_mut().expect("elements are kept while they are in use")
    }

    /// Number of stored items.
    pub(super) fn stored(&self) -> usize {
        self.count() + self.peeks.len() + self.empties.len() + self.takes.len() + self.open.len()
    }

    /// The number of elements.
    pub(super) fn count(&self) -> usize {
        self.elements.len() - self.free.len()
    }

    /// The numbers of all elements.
    pub(super) fn ids(&self) -> impl Iterator<Item = Id> {
        let slots = self.elements.iter().enumerate();
        slots.filter(|(_, element)| element.is_some()).map(|(id, _)| id as Id)
    }

    /// All elements.
    pub(super) fn elements(&self) -> impl Iterator<Item = &Element> {
        self.elements.iter().flatten()
    }

    /// An add is called.
    pub(super) fn begin(&mut self, op: OpId, name: Name, before: u64) -> Id {
        let call = self.tick();
        let element = Element {
            op,
            name,
            call,
            is_open: true,
            end: NEVER,
            first_end: NEVER,
            begin: call,
            last: 0,
            peeks: None,
            old_peek: None,
            removal: None,
            before,
            stage: Stage::Unseen,
        };
        match self.free.pop() {
            Some(id) => {
                self.elements[id as usize] = Some(element);
                id
            }
            None => {
                self.elements.push(Some(element));
                self.elements.len() as Id - 1
            }
        }
    }

    /// Forgets an element that is in none of the lists.
    pub(super) fn forget(&mut self, id: Id) {
        if self.elements[id as usize].take().is_some() {
            self.free.push(id);
        }
    }

    /// A removal or a peek is called.
    pub(super) fn open(&mut self, is_removal: bool) -> u64 {
        let call = self.tick();
        self.reopen(call, is_removal);
        call
    }

    /// A removal or a peek that was called at this time is open.
    pub(super) fn reopen(&mut self, call: u64, is_removal: bool) {
        self.open.insert(call);
        if is_removal {
            self.takes.insert(call);
        }
    }

    /// A removal or a peek has ended.
    pub(super) fn close(&mut self, call: u64) {
        self.open.remove(&call);
        self.takes.remove(&call);
    }

    /// A removal or a peek has crashed.
    pub(super) fn crash(&mut self, call: u64) {
        self.open.remove(&call);
    }

    /// True if nothing can change what is present.
    pub(super) fn is_at_rest(&self) -> bool {
        self.open.is_empty() && self.takes.is_empty()
    }

    /// Moves an element to another stage.
    pub(super) fn set_stage(&mut self, id: Id, stage: Stage) {
        let &Element { end, stage: old, .. } = self.get(id);
        match old {
            Stage::Present => drop(self.present.remove(&(end, id))),
            Stage::Promised(deadline) => drop(self.promised.remove(&(deadline, id))),
            _ => {}
        }
        match stage {
            Stage::Present => drop(self.present.insert((end, id))),
            Stage::Promised(deadline) => drop(self.promised.insert((deadline, id))),
            Stage::Removed(_) if !matches!(old, Stage::Removed(_)) => self.removed.push(id),
            _ => {}
        }
        self.get_mut(id).stage = stage;
    }

    /// True if there is an open removal for each promised element.
    pub(super) fn can_keep_promises(&self) -> bool {
        let mut takes = self.takes.iter();
        self.promised.iter().all(|(deadline, _)| takes.next().is_some_and(|call| call < deadline))
    }

    /// True if some recent operation may have found nothing between two times.
    pub(super) fn found_nothing(&self, from: u64, to: u64) -> bool {
        self.empties.iter().any(|times| times.end > from && times.call < to)
    }

    /// The latest time from `low` to `high` at which no element of those in `blocks` that were
    /// removed or promised has to be present.
    pub(super) fn free_time(
        &self,
        low: u64,
        high: u64,
        mut blocks: impl FnMut(Id) -> bool,
    ) -> Option<u64> {
        let mut spans: Vec<(u64, u64)> = Vec::new();
        let promised = self.promised.iter().map(|(_, id)| *id);
        for id in self.removed.iter().copied().chain(promised) {
            let element = self.get(id);
            let (end, gone) = (element.end, element.gone());
            if gone > low && end < high && end + 1 < gone && blocks(id) {
                spans.push((gone, end));
            }
        }
        // The last to be gone in front: whatever blocks the time is among those that come first.
        spans.sort_unstable_by(|a, b| b.cmp(a));
        let mut time = high;
        for (gone, end) in spans {
            if gone > time && end < time {
                time = end;
            } else if gone <= time {
                // It blocks nothing, and neither do those that follow.
                break;
            }
        }
        (time >= low).then_some(time)
    }

    /// The call of the oldest open removal or peek: everything that ended before precedes all that
    /// is open or still to come, except for adds.
    pub(super) fn horizon(&self) -> u64 {
        self.open.first().copied().unwrap_or(self.now + 1)
    }

    /// True if there may be much to forget.
    pub(super) fn is_crowded(&self) -> bool {
        self.removed.len() + self.peeks.len() + self.empties.len() > self.most
    }

    /// True if too much cannot be forgotten.
    pub(super) fn is_overcrowded(&self) -> bool {
        self.removed.len() + self.peeks.len() + self.empties.len() > MOST_KEPT
    }

    /// There is much to forget, but that has to wait.
    pub(super) fn remind_later(&mut self) {
        let rest = self.removed.len() + self.peeks.len() + self.empties.len();
        self.most = 2 * rest + FEW + self.count() / 4;
    }

    /// Some crashed removal must have removed the promised element. It gets the latest that fits.
    pub(super) fn assign(&mut self, id: Id, deadline: u64) {
        let Some(&call) = self.takes.range(..deadline).next_back() else { return };
        self.takes.remove(&call);
        let times = Times { call, end: deadline };
        self.set_stage(id, Stage::Removed(deadline));
        let element = self.get_mut(id);
        element.see(times);
        element.removal = Some(times);
    }

    /// The first call of the recent operations that ended at `end` or later, or `end`.
    fn first_call(&self, end: u64) -> u64 {
        let removals = self.removed.iter().filter_map(|id| self.get(*id).removal);
        let peeks = self.peeks.iter().map(|peek| peek.times);
        let recent = self.empties.iter().copied().chain(peeks).chain(removals);
        let calls = recent.filter(|times| times.end >= end).map(|times| times.call);
        calls.min().unwrap_or(end).min(end)
    }

    /// A time before which nothing can happen any more: elements that can still be seen are removed
    /// by operations that were called later, unless a crashed removal removes them.
    pub(super) fn past(&self) -> u64 {
        self.first_call(self.horizon())
    }

    /// Forgets operations that ended in the past, and elements all of whose operations did. Returns
    /// those. Every promise must have a deadline after the past.
    ///
    /// *Why that is exact*, given that the stream so far is linearizable. Let `h` be the horizon, and
    /// `p` the past. Elements are *closed* if they were removed by an operation that ended before `h`;
    /// no operation can see them any more. Let `D` be the elements to forget, which are closed. All
    /// other elements are removed by operations that were called at `p` or later, after everything
    /// that happened to D.
    ///
    /// * *Empty results, peeks and removals that ended before `p`* have found a time in the explanation
    ///   of the stream so far. At that time no element can become critical: one that is removed is
    ///   critical up to `p` at least, or closed.
    /// * *Those that ended later* must not need a time at which an element of D is critical. They were
    ///   called at `oldest` or later, and D's elements were critical only before that.
    /// * *The order of a queue.* Every element of D must be in front of every element that is not
    ///   closed: it was seen before the other one was removed. A cycle through D that arises later would
    ///   leave the closed elements for one that is not, and return to the closed ones from another.
    ///   Constraints of this second kind do not arise any more. So the elements in between would
    ///   contradict each other already.
    ///
    /// A crashed removal may have been called before `p`. If it must have removed an element before
    /// `p`, that was settled ([`Window::assign`]). If not, the explanation of the stream so far does
    /// without it, and it can as well remove something from `p` on.
    pub(super) fn forget_old(&mut self) -> Vec<Id> {
        let past = self.past();
        let oldest = self.first_call(past);
        self.empties.retain(|times| times.end >= past);
        self.peeks.retain(|peek| peek.times.end >= past);
        let mut removed = std::mem::take(&mut self.removed);
        let mut forgotten = Vec::new();
        removed.retain(|id| {
            let element = self.get(*id);
            let is_old = element.last < past && element.begin < oldest && !element.is_open;
            if is_old {
                forgotten.push(*id);
            }
            !is_old
        });
        self.removed = removed;
        forgotten
    }

    /// The call of the oldest removal or peek that is open, or removal that crashed.
    pub(super) fn oldest(&self) -> u64 {
        self.takes.first().copied().unwrap_or(NEVER).min(self.horizon())
    }

    /// Restricts adds, peeks and empty results, except for these elements: what began is moved forward, what
    /// ended back.
    pub(super) fn restrict(
        &mut self,
        except: &FxHashSet<Id>,
        forward: impl Fn(u64) -> u64,
        back: impl Fn(u64) -> u64,
    ) {
        let moved = |times: Times| Times { call: forward(times.call), end: back(times.end) };
        for (id, element) in (0..).zip(&mut self.elements) {
            let Some(element) = element.as_mut().filter(|_| !except.contains(&id)) else {
                continue;
            };
            let end = if element.end == NEVER { NEVER } else { back(element.end) };
            if element.stage == Stage::Present && end != element.end {
                self.present.remove(&(element.end, id));
                self.present.insert((end, id));
            }
            (element.call, element.end) = (forward(element.call), end);
            element.peeks = element.peeks.map(|peeks| peeks.map(moved));
            element.old_peek = element.old_peek.map(moved);
        }
        self.peeks.iter_mut().for_each(|peek| peek.times = moved(peek.times));
        self.empties.iter_mut().for_each(|times| *times = moved(*times));
    }
}
