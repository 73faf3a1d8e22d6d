//! A snapshot object in a stream, with one writer at a time for each segment.
//!
//! The updates of a segment form a *lane*: one after the other, and the first is the initial value.
//! What a scan found is a *view*: the number of an update in each lane. With `U(k, r)` for update
//! `r` of lane `k`, a history is linearizable exactly if for each completed scan `S` with view `v`
//!
//! 1. `U(k, v[k])` has been called,
//! 2. no `U(k, v[k] + 1)` returned before `S` was called,
//! 3. no `U(k, v[k] + 1)` returned before some `U(j, v[j])` was called,
//! 4. views are comparable, and if a scan returned before `S` was called, its view is not greater.
//!
//! In a stream all of this can be decided when `S` returns: later calls and returns come after
//! every call so far, so what holds then holds permanently. Updates need no check.
//!
//! **What is forgotten.** Let `since` be the earliest call of an open scan, or now. Of the views of
//! scans that returned before `since`, the greatest is enough: the view of a scan that returns
//! later must not be less, and is then greater than the others too. An update is dropped if the
//! next one of its lane returned before `since`, or if it is less than that view: it can no longer
//! be found.
//!
//! **Memory** O(segments + updates and views since the oldest open scan was called): each of those
//! can still be found, or has to be compared with an open scan. Time O(segments + log) for each
//! scan.
//!
//! **Repeated values.** If a scan can have found a value in several updates, the update is
//! ambiguous ([`Miss::Unclear`]). Overlapping updates of one segment are not supported.
//!
//! The rules are those of [`crate::monitor`]'s snapshots, which has the proof.

use std::collections::{BTreeMap, VecDeque};

use rustc_hash::FxHashMap;

use super::monitor::Miss;
use super::open_calls::OpenCalls;

/// The number of an update for each lane.
pub(super) type View = Box<[u64]>;

/// A snapshot object. `E` is the caller's data about an update.
pub(super) struct Lanes<E> {
    now: u64,
    scans: OpenCalls,
    lanes: Vec<Lane<E>>,
    /// Views by the sum of their numbers. They are comparable, so no two of them have the same sum.
    views: BTreeMap<u64, View>,
    /// The times at which scans returned, and the greatest sum of a view up to then.
    returns: VecDeque<(u64, u64)>,
}

/// The updates of a segment that can still be found.
struct Lane<E> {
    /// The number of the first of them.
    first: u64,
    updates: VecDeque<Update<E>>,
    /// The numbers of the updates with each name, ascending.
    by_name: FxHashMap<u64, VecDeque<u64>>,
}

struct Update<E> {
    name: u64,
    call: u64,
    /// [`OPEN`] if it has not returned.
    ret: u64,
    what: E,
}

const OPEN: u64 = u64::MAX;

impl<E> Lane<E> {
    fn get(&self, number: u64) -> Option<&Update<E>> {
        self.updates.get(number.checked_sub(self.first)? as usize)
    }

    /// The time at which the next update returned.
    fn next_return(&self, number: u64) -> u64 {
        self.get(number + 1).map_or(OPEN, |next| next.ret)
    }

    fn push(&mut self, update: Update<E>) {
        let number = self.first + self.updates.len() as u64;
        self.by_name.entry(update.name).or_default().push_back(number);
        self.updates.push_back(update);
    }

    fn drop_first(&mut self) {
        if let Some(update) = self.updates.pop_front() {
            self.unname(update.name, VecDeque::pop_front);
            self.first += 1;
        }
    }

    fn drop_last(&mut self) {
        if let Some(update) = self.updates.pop_back() {
            self.unname(update.name, VecDeque::pop_back);
        }
    }

    fn unname(&mut self, name: u64, pop: impl Fn(&mut VecDeque<u64>) -> Option<u64>) {
        if let Some(numbers) = self.by_name.get_mut(&name) {
            pop(numbers);
            if numbers.is_empty() {
                self.by_name.remove(&name);
            }
        }
    }
}

impl<E> Lanes<E> {
    /// Segments with an initial value each.
    pub(super) fn new(initial: impl IntoIterator<Item = (u64, E)>) -> Self {
        let lane = |(name, what)| {
            let mut lane =
                Lane { first: 0, updates: VecDeque::new(), by_name: FxHashMap::default() };
            lane.push(Update { name, call: 0, ret: 0, what });
            lane
        };
        let lanes: Vec<Lane<E>> = initial.into_iter().map(lane).collect();
        let start: View = vec![0; lanes.len()].into();
        Lanes {
            now: 0,
            scans: OpenCalls::default(),
            lanes,
            views: BTreeMap::from([(0, start)]),
            returns: VecDeque::from([(0, 0)]),
        }
    }

    pub(super) fn segments(&self) -> usize {
        self.lanes.len()
    }

    pub(super) fn now(&self) -> u64 {
        self.now
    }

    /// Some update of this segment with this name.
    pub(super) fn any_named(&self, segment: usize, name: u64) -> Option<&E> {
        let lane = self.lanes.get(segment)?;
        let number = lane.by_name.get(&name)?.front()?;
        Some(&lane.get(*number)?.what)
    }

    /// An update.
    pub(super) fn update(&self, segment: usize, number: u64) -> Option<&E> {
        Some(&self.lanes.get(segment)?.get(number)?.what)
    }

    pub(super) fn call_scan(&mut self) -> u64 {
        self.now += 1;
        self.scans.open(self.now);
        self.now
    }

    /// Records a call and returns the number of the update; `None` if the segment has an open one.
    pub(super) fn call_update(&mut self, segment: usize, name: u64, what: E) -> Option<u64> {
        let lane = self.lanes.get_mut(segment)?;
        if lane.updates.back().is_none_or(|last| last.ret == OPEN) {
            return None;
        }
        self.now += 1;
        lane.push(Update { name, call: self.now, ret: OPEN, what });
        Some(lane.first + lane.updates.len() as u64 - 1)
    }

    pub(super) fn return_update(&mut self, segment: usize) {
        self.now += 1;
        if let Some(last) = self.lanes.get_mut(segment).and_then(|lane| lane.updates.back_mut()) {
            last.ret = self.now;
        }
        self.forget_updates(segment);
    }

    /// The open update of the segment did not happen.
    pub(super) fn fail_update(&mut self, segment: usize, number: u64) -> Result<(), Miss> {
        let greatest = self.views.values().next_back();
        if greatest.is_some_and(|view| view[segment] >= number) {
            return Err(Miss::Impossible);
        }
        self.now += 1;
        if let Some(lane) = self.lanes.get_mut(segment) {
            lane.drop_last();
        }
        Ok(())
    }

    /// A scan has ended, with this view if known.
    pub(super) fn end_scan(&mut self, call: u64, view: Option<View>) {
        self.now += 1;
        if let Some(view) = view {
            let sum = view.iter().sum();
            let greatest = self.returns.back().map_or(0, |(_, greatest)| *greatest);
            self.returns.push_back((self.now, greatest.max(sum)));
            self.views.insert(sum, view);
        }
        self.scans.close(call);
        self.forget();
    }

    fn forget(&mut self) {
        let since = self.scans.earliest().unwrap_or(self.now + 1);
        while self.returns.get(1).is_some_and(|(at, _)| *at < since) {
            self.returns.pop_front();
        }
        let least = self.least(since);
        while self.views.first_key_value().is_some_and(|(sum, _)| *sum < least) {
            self.views.pop_first();
        }
        for segment in 0..self.lanes.len() {
            self.forget_updates(segment);
        }
    }

    fn forget_updates(&mut self, segment: usize) {
        let since = self.scans.earliest().unwrap_or(self.now + 1);
        let least = self.views.values().next().map_or(0, |view| view[segment]);
        let Some(lane) = self.lanes.get_mut(segment) else { return };
        while lane.first < least || lane.next_return(lane.first) < since {
            lane.drop_first();
        }
    }

    /// The sum of the greatest view of a scan that returned before `call`.
    fn least(&self, call: u64) -> u64 {
        let before = self.returns.partition_point(|(at, _)| *at < call);
        before.checked_sub(1).and_then(|at| self.returns.get(at)).map_or(0, |(_, sum)| *sum)
    }

    /// The updates of a segment that a scan called at `call` can have found, judging by this
    /// segment alone.
    pub(super) fn candidates(&self, segment: usize, call: u64) -> impl Iterator<Item = u64> {
        let least = self.views.get(&self.least(call)).map_or(0, |view| view[segment]);
        let lane = self.lanes.get(segment);
        let numbers =
            lane.map(|lane| lane.first.max(least)..lane.first + lane.updates.len() as u64);
        let is_there = move |r: &u64| lane.is_some_and(|lane| lane.next_return(*r) >= call);
        numbers.into_iter().flatten().filter(is_there)
    }

    /// The update with this name that a scan called at `call` found in a segment.
    pub(super) fn find(&self, segment: usize, name: u64, call: u64) -> Result<u64, Miss> {
        let Some(lane) = self.lanes.get(segment) else { return Err(Miss::Impossible) };
        let least = self.views.get(&self.least(call)).map_or(0, |view| view[segment]);
        let Some(named) = lane.by_name.get(&name) else { return Err(Miss::Impossible) };
        // Later updates are followed by later returns.
        let gone = named.partition_point(|r| *r < least || lane.next_return(*r) < call);
        match (named.get(gone), named.get(gone + 1)) {
            (None, _) => Err(Miss::Impossible),
            (Some(found), None) => Ok(*found),
            (Some(_), Some(_)) => Err(Miss::Unclear),
        }
    }

    /// Whether a scan called at `call` can have this view, whose updates are
    /// [candidates](Self::candidates).
    pub(super) fn fits(&self, view: &[u64], call: u64) -> bool {
        let lanes = || self.lanes.iter().zip(view);
        let last_call = lanes().filter_map(|(lane, r)| Some(lane.get(*r)?.call)).max();
        let first_return = lanes().map(|(lane, r)| lane.next_return(*r)).min();
        if first_return < last_call {
            return false;
        }
        let sum: u64 = view.iter().sum();
        let at_most = |a: &[u64], b: &[u64]| a.iter().zip(b).all(|(a, b)| a <= b);
        let below = self.views.range(..=sum).next_back();
        let above = self.views.range(sum..).next();
        sum >= self.least(call)
            && below.is_none_or(|(_, below)| at_most(below, view))
            && above.is_none_or(|(_, above)| at_most(view, above))
    }

    /// The only view left, if nothing is open.
    pub(super) fn only(&self) -> Option<View> {
        let is_settled = |lane: &Lane<E>| lane.updates.len() == 1 && lane.updates[0].ret != OPEN;
        let settled = self.scans.is_empty() && self.lanes.iter().all(is_settled);
        settled.then(|| self.lanes.iter().map(|lane| lane.first).collect())
    }

    /// The caller's data about the stored updates.
    pub(super) fn updates(&self) -> impl Iterator<Item = &E> {
        self.lanes.iter().flat_map(|lane| lane.updates.iter().map(|update| &update.what))
    }

    /// Number of stored items: updates, views and calls.
    pub(super) fn stored(&self) -> usize {
        let updates: usize = self.lanes.iter().map(|lane| lane.updates.len()).sum();
        updates + self.views.len() * self.lanes.len() + self.returns.len() + self.scans.stored()
    }
}
