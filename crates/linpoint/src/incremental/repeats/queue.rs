//! Queues: which enqueues have been taken from.
//!
//! The order of overlapping enqueues is left open until their elements come out. An enqueue can be next
//! if no other that is left had ended before it was called. A state is a ledger, the enqueues that
//! have ended and whose elements are left, and the element in front if a peek has found it. Let `x` return,
//! which has not taken effect.
//!
//! * *If `x` finds a value* and an enqueue of it can be next, that one may be: of several, the one that ended
//!   first, and an open one last (see `monitor/queue/heads.rs`). Take an order in which `x` finds its
//!   element, and others come out before. It can come before them: it can be next now, and what takes
//!   them is still open.
//! * *Or the element comes from another enqueue* of the value. It cannot be next, so it was called after the
//!   first of those that are left had ended. That one's element has been taken by an open dequeue. Continue with
//!   what is left. Only an enqueue that ended earlier than the one that can be next is worth that:
//!   otherwise the two can trade places.
//! * *If `x` finds nothing*, all elements of enqueues that have ended were taken by open dequeues.
//! * *If `x` is a peek*, the element stays in front. So each sequence of others may have been taken before by
//!   open dequeues.
//! * *If `x` is an enqueue*, the queue is not empty from now on. So there are two cases: it was empty just
//!   before, and what was in it was taken by open dequeues; or not.
//!
//! The last two are where states multiply.

use std::collections::VecDeque;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use crate::monitor::{Effort, Refusal};

use super::Object;
use super::ledger::{End, Ledger, NOTHING, Open};

/// The maximum number of states.
const MOST: usize = 1 << 13;

/// An enqueue that has ended.
#[derive(Clone, Copy, Debug)]
struct Enqueue {
    value: u32,
    call: u64,
    end: u64,
    /// The last enqueue that was called before this one ended, and has ended.
    reach: u64,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    ledger: Ledger,
    /// The first enqueue whose element is left.
    at: u64,
    /// Later ones whose elements are not left.
    ahead: SmallVec<[u64; 4]>,
    /// The value in front that is left of an enqueue that is not, or [`NOTHING`].
    front: u32,
}

impl State {
    /// Takes the element of an enqueue.
    fn remove(&mut self, number: u64) {
        let at = self.ahead.partition_point(|other| *other < number);
        self.ahead.insert(at, number);
        while self.ahead.first() == Some(&self.at) {
            self.ahead.remove(0);
            self.at += 1;
        }
    }
}

/// Where the element in front comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Source {
    /// The enqueue with this number.
    Ended(u64),
    /// An open enqueue that was called by then.
    Open(u64),
}

/// Everything that may have happened to a queue.
pub(super) struct Queue {
    /// Enqueues that have ended, in that order.
    ended: VecDeque<Enqueue>,
    /// The number of those that were forgotten.
    forgotten: u64,
    /// How many of each value are in `ended`.
    counts: FxHashMap<u32, usize>,
    states: Vec<State>,
    /// The states after the return that was handled last.
    after: Vec<State>,
}

impl Queue {
    pub(super) fn new() -> Queue {
        let start =
            State { ledger: Ledger::default(), at: 0, ahead: SmallVec::new(), front: NOTHING };
        Queue {
            ended: VecDeque::new(),
            forgotten: 0,
            counts: FxHashMap::default(),
            states: vec![start],
            after: Vec::new(),
        }
    }

    fn enqueue(&self, number: u64) -> Option<&Enqueue> {
        self.ended.get(number.checked_sub(self.forgotten)? as usize)
    }

    fn is_empty(&self, state: &State) -> bool {
        state.front == NOTHING && self.enqueue(state.at).is_none()
    }

    /// The numbers of the enqueues whose elements are left, from the first up to this one.
    fn left<'a>(&self, state: &'a State, last: u64) -> impl Iterator<Item = u64> + use<'a> {
        let end = (last + 1).min(self.forgotten + self.ended.len() as u64);
        (state.at..end).filter(|number| state.ahead.binary_search(number).is_err())
    }

    /// Brings an element of this value to the front. `None` if none can be next.
    fn bring(&self, state: &mut State, value: u32, open: &Open) -> Option<Source> {
        if state.front != NOTHING {
            return None;
        }
        if self.is_empty(state) {
            state.ledger.find(NOTHING, open);
        }
        let mut until = u64::MAX;
        if let Some(first) = self.enqueue(state.at) {
            until = first.end;
            let is_next = |number: &u64| {
                self.enqueue(*number).is_some_and(|e| e.value == value && e.call < until)
            };
            let next = self.left(state, first.reach).find(is_next);
            if let Some(number) = next {
                state.remove(number);
                state.front = value;
                return Some(Source::Ended(number));
            }
        }
        if !state.ledger.add_until(value, until, open) {
            return None;
        }
        state.front = value;
        Some(Source::Open(open.adds.get(&value)?.last_until(until)?))
    }

    /// An open dequeue takes the element in front. False if there is no open dequeue or no element.
    fn take(&self, state: &mut State, open: &Open) -> bool {
        if state.front == NOTHING {
            let Some(first) = self.enqueue(state.at) else { return false };
            state.front = first.value;
            state.remove(state.at);
        }
        let value = std::mem::replace(&mut state.front, NOTHING);
        state.ledger.find(value, open);
        state.ledger.take(value, open)
    }

    /// Everything that is left is taken. False if there are not enough open dequeues.
    fn drain(&self, state: &mut State, open: &Open) -> bool {
        while !self.is_empty(state) {
            if !self.take(state, open) {
                return false;
            }
        }
        true
    }

    /// Lets an element of this value be in front, in all ways that matter.
    fn show(&self, mut state: State, value: u32, open: &Open, shown: &mut Vec<State>) {
        let mut source = None;
        loop {
            if state.front == value {
                shown.push(state);
                return;
            }
            let mut found = state.clone();
            if let Some(next) = self.bring(&mut found, value, open) {
                let is_better = match (source, next) {
                    (Some(Source::Ended(last)), Source::Ended(number)) => number < last,
                    (Some(Source::Ended(_)), Source::Open(_)) => false,
                    (last, next) => last != Some(next),
                };
                if is_better {
                    shown.push(found);
                    source = Some(next);
                }
                if !self.has_others(value, next, open) {
                    return;
                }
            }
            if !self.take(&mut state, open) {
                return;
            }
        }
    }

    /// True if there may be an enqueue of the value that is better than this one.
    fn has_others(&self, value: u32, source: Source, open: &Open) -> bool {
        let ended = self.counts.get(&value).copied().unwrap_or(0);
        match source {
            Source::Ended(_) => ended > 1,
            Source::Open(_) => {
                ended > 0 || open.adds.get(&value).is_some_and(|adds| adds.len() > 1)
            }
        }
    }

    /// Lets an element of this value be in front and stay there, after open dequeues have taken others.
    fn show_after_others(
        &self,
        state: State,
        value: u32,
        open: &Open,
        shown: &mut Vec<State>,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        let mut known: FxHashSet<State> = FxHashSet::default();
        let mut todo = vec![state];
        while let Some(mut state) = todo.pop() {
            effort.work(64)?;
            if state.front == value {
                shown.push(state);
                continue;
            }
            let mut others: SmallVec<[u32; 8]> = SmallVec::new();
            if state.front == NOTHING {
                let mut found = state.clone();
                if self.bring(&mut found, value, open).is_some() {
                    shown.push(found);
                }
                others.extend(self.next(&state, open).filter(|other| *other != value));
                others.sort_unstable();
                others.dedup();
            } else if self.take(&mut state, open) && known.insert(state.clone()) {
                todo.push(state);
                continue;
            }
            for other in others {
                let mut after = state.clone();
                let is_next = self.bring(&mut after, other, open).is_some();
                if is_next && self.take(&mut after, open) && known.insert(after.clone()) {
                    todo.push(after);
                }
            }
            if known.len() > MOST {
                return Err(Refusal::new("too many orders are possible"));
            }
        }
        Ok(())
    }

    /// The values that may be next, with repetitions and some that may not.
    fn next(&self, state: &State, open: &Open) -> impl Iterator<Item = u32> {
        let reach = self.enqueue(state.at).map_or(0, |first| first.reach);
        let left = self.left(state, reach).filter_map(|number| self.enqueue(number));
        left.map(|enqueue| enqueue.value).chain(open.adds.keys().copied())
    }

    /// If the queue may be empty now, that need not be remembered.
    fn forget_empty(&self, state: &mut State) {
        if self.is_empty(state) {
            state.ledger.forget(NOTHING);
        }
    }

    /// The state in which the queue has been empty just now, if that may be and may be noticed.
    fn drained(&self, state: &State, open: &Open) -> Option<State> {
        if open.finders.len() == 0 || self.is_empty(state) {
            return None;
        }
        let mut drained = state.clone();
        if !self.drain(&mut drained, open) {
            return None;
        }
        drained.ledger.find(NOTHING, open);
        Some(drained)
    }

    fn step(
        &mut self,
        end: End,
        call: u64,
        open: &Open,
        effort: &mut Effort<'_>,
    ) -> Result<(), Refusal> {
        let mut after = std::mem::take(&mut self.after);
        after.clear();
        for before in &self.states {
            effort.work(64 + before.ahead.len())?;
            let Some((ledger, has_happened)) = before.ledger.after(end, call, open) else {
                continue;
            };
            let mut state = State { ledger, ..before.clone() };
            match end {
                End::Added(_) if has_happened => {
                    state.remove(self.forgotten + self.ended.len() as u64);
                }
                _ if has_happened => {}
                End::Added(_) => {
                    after.extend(self.drained(&state, open));
                    if self.is_empty(&state) {
                        state.ledger.find(NOTHING, open);
                    }
                }
                End::Took(NOTHING) | End::Found(NOTHING) => {
                    if !self.drain(&mut state, open) {
                        continue;
                    }
                    self.forget_empty(&mut state);
                }
                End::Took(value) => {
                    let first = after.len();
                    self.show(state, value, open, &mut after);
                    for state in &mut after[first..] {
                        state.ledger.find(value, open);
                        state.front = NOTHING;
                        self.forget_empty(state);
                    }
                    continue;
                }
                End::Found(value) if open.takes.live() > 0 => {
                    self.show_after_others(state, value, open, &mut after, effort)?;
                    continue;
                }
                End::Found(value) => {
                    self.show(state, value, open, &mut after);
                    continue;
                }
            }
            after.push(state);
        }
        distinct(&mut after);
        self.after = after;
        match self.after.len() > MOST {
            true => Err(Refusal::new("too many orders are possible")),
            false => Ok(()),
        }
    }
}

fn distinct(states: &mut Vec<State>) {
    if states.len() > 1 {
        let mut known = FxHashSet::default();
        states.retain(|state| known.insert(state.clone()));
    }
}

impl Object for Queue {
    fn can_end(
        &mut self,
        end: End,
        call: u64,
        open: &Open,
        _ranks: &[u64],
        effort: &mut Effort<'_>,
    ) -> Result<bool, Refusal> {
        self.step(end, call, open, effort)?;
        Ok(!self.after.is_empty())
    }

    fn end(&mut self, end: End, call: u64, now: u64, _ranks: &[u64]) {
        std::mem::swap(&mut self.states, &mut self.after);
        if let End::Added(value) = end {
            let number = self.forgotten + self.ended.len() as u64;
            let overlapping = self.ended.iter_mut().rev().take_while(|other| other.end > call);
            overlapping.for_each(|other| other.reach = number);
            self.ended.push_back(Enqueue { value, call, end: now, reach: number });
            *self.counts.entry(value).or_insert(0) += 1;
        }
        let first = self.states.iter().map(|state| state.at).min().unwrap_or(0);
        while self.forgotten < first
            && let Some(enqueue) = self.ended.pop_front()
        {
            self.forgotten += 1;
            if let Some(count) = self.counts.get_mut(&enqueue.value) {
                *count -= 1;
                if *count == 0 {
                    self.counts.remove(&enqueue.value);
                }
            }
        }
    }

    fn settle(&mut self, open: &Open) -> bool {
        let mut states = self.states.clone();
        states.retain_mut(|state| state.ledger.settle(open));
        distinct(&mut states);
        if states.is_empty() {
            return false;
        }
        self.states = states;
        true
    }

    fn likely(&mut self, open: &Open, _ranks: &[u64], effort: &mut Effort<'_>) -> (Vec<u32>, bool) {
        let (mut likely, mut is_complete) = (Vec::new(), true);
        for state in &self.states {
            let before = likely.len();
            likely.extend(state.ledger.values().chain([state.front]));
            // With all removals at work, the last that can be passed.
            let passed = self.left(state, u64::MAX - 1).nth(open.takes.len());
            let last =
                passed.and_then(|number| self.enqueue(number)).map_or(u64::MAX - 1, |e| e.reach);
            let numbers = self.left(state, last);
            likely.extend(numbers.filter_map(|number| self.enqueue(number)).map(|e| e.value));
            if effort.work(8 * (likely.len() - before)).is_err() {
                is_complete = false;
                break;
            }
        }
        likely.retain(|value| *value != NOTHING);
        (likely, is_complete)
    }

    fn contents(&self, _ranks: &[u64]) -> Vec<u32> {
        let Some(state) = self.states.first() else { return Vec::new() };
        let front = Some(state.front).filter(|front| *front != NOTHING);
        let left = self.left(state, u64::MAX - 1);
        let left = left.filter_map(|number| self.enqueue(number)).map(|e| e.value);
        front.into_iter().chain(left).collect()
    }

    fn is_clear(&self) -> bool {
        matches!(self.states.as_slice(), [state] if state.ledger.is_empty() && self.is_empty(state))
    }

    fn stored(&self) -> usize {
        let of_state = |state: &State| 1 + state.ledger.stored() + state.ahead.len();
        self.ended.len() + self.states.iter().map(of_state).sum::<usize>()
    }

    fn is_large(&self) -> bool {
        false
    }

    fn sweep(&mut self, used: &mut dyn FnMut(u32), _: &mut Effort<'_>) -> Result<(), Refusal> {
        self.ended.iter().for_each(|enqueue| used(enqueue.value));
        for state in &self.states {
            let front = Some(state.front).filter(|front| *front != NOTHING);
            state.ledger.values().chain(front).for_each(&mut *used);
        }
        Ok(())
    }
}
