//! Turns clock readings into ranks: every call and every return gets a distinct number.

use rustc_hash::FxHashMap;

use super::timeline::Timeline;
use super::{Extras, HistoryError, HistoryErrorKind, OpId, Span, Ties, Timestamp, counting, radix};

/// Each operation has two ranks.
const MOST_OPERATIONS: usize = (u32::MAX / 2 - 1) as usize;

/// The spans of operations as clock readings.
#[derive(Clone, Debug, Default)]
pub(super) struct Times {
    /// Until ranks are known, spans hold clock keys, as long as these are small.
    timeline: Timeline,
    /// All clock keys, once one of them is too large for a span.
    large: Option<Keys>,
}

/// Clock keys by operation.
#[derive(Clone, Debug, Default)]
struct Keys {
    starts: Vec<u64>,
    /// For a pending operation this is its start, and has no meaning.
    ends: Vec<u64>,
}

impl Keys {
    fn of(spans: &[Span]) -> Keys {
        let end = |span: &Span| if span.is_pending() { span.call } else { span.ret };
        Keys {
            starts: spans.iter().map(|span| span.call.into()).collect(),
            ends: spans.iter().map(|span| end(span).into()).collect(),
        }
    }
}

impl Times {
    pub(super) fn reserve(&mut self, operations: usize) {
        self.timeline.spans.reserve(operations);
    }

    pub(super) fn len(&self) -> usize {
        self.timeline.spans.len()
    }

    /// Adds the span of an operation and its extras.
    #[inline]
    pub(super) fn place<T: Timestamp>(
        &mut self,
        start: T,
        end: Option<T>,
        extras: &Extras,
    ) -> Result<OpId, HistoryError> {
        let id = OpId(self.timeline.spans.len() as u32);
        let key = |t: T| t.key().map_err(|e| HistoryError::new(HistoryErrorKind::BadTime(e), id));
        if self.timeline.spans.len() >= MOST_OPERATIONS {
            return Err(HistoryError::new(HistoryErrorKind::TooLarge, id));
        }
        let start = key(start)?;
        let end = end.map(key).transpose()?;
        if end.is_some_and(|end| end < start) {
            return Err(HistoryError::new(HistoryErrorKind::ReturnBeforeCall, id));
        }
        let last = end.unwrap_or(start);
        if self.large.is_none() && last < u64::from(Span::NEVER) {
            let ret = end.map_or(Span::NEVER, |end| end as u32);
            self.timeline.spans.push(Span { call: start as u32, ret });
        } else {
            let keys = self.large.get_or_insert_with(|| Keys::of(&self.timeline.spans));
            keys.starts.push(start);
            keys.ends.push(last);
            // Only distinguishes pending operations from completed ones.
            self.timeline.spans.push(Span { call: 0, ret: end.map_or(Span::NEVER, |_| 0) });
        }
        self.timeline.extras.set(id.index(), extras);
        Ok(id)
    }

    /// The end of an operation that had none. Times of events are small.
    pub(super) fn end(&mut self, op: OpId, end: u64) -> Result<(), HistoryError> {
        match (self.timeline.spans.get_mut(op.index()), u32::try_from(end)) {
            (Some(span), Ok(end)) if end != Span::NEVER && self.large.is_none() => span.ret = end,
            _ => return Err(HistoryError::new(HistoryErrorKind::TooLarge, op)),
        }
        Ok(())
    }

    /// Moves the spans and extras of other operations behind those of this one. Their times are `later` than they say.
    pub(super) fn append(&mut self, other: &mut Times, later: u64) -> Result<(), HistoryError> {
        let before = self.len();
        if before + other.len() > MOST_OPERATIONS || !other.delay(later) {
            let id = OpId(before as u32);
            return Err(HistoryError::new(HistoryErrorKind::TooLarge, id));
        }
        if self.large.is_some() || other.large.is_some() {
            let keys = self.large.get_or_insert_with(|| Keys::of(&self.timeline.spans));
            let mut more = other.large.take().unwrap_or_else(|| Keys::of(&other.timeline.spans));
            keys.starts.append(&mut more.starts);
            keys.ends.append(&mut more.ends);
        }
        self.timeline.spans.append(&mut other.timeline.spans);
        self.timeline.extras.append(before, &mut other.timeline.extras);
        Ok(())
    }

    /// Makes all times later. False if they become too large.
    fn delay(&mut self, later: u64) -> bool {
        if later == 0 {
            return true;
        }
        let delayed = |time: u32| {
            let time = u64::from(time) + later;
            u32::try_from(time).ok().filter(|time| *time != Span::NEVER)
        };
        self.large.is_none()
            && self.timeline.spans.iter_mut().all(|span| {
                let ret = if span.is_pending() { Some(Span::NEVER) } else { delayed(span.ret) };
                let (Some(call), Some(ret)) = (delayed(span.call), ret) else { return false };
                *span = Span { call, ret };
                true
            })
    }

    /// Ranks all events and checks that no process has two operations open at the same time.
    pub(super) fn ranked(mut self, ties: Ties) -> Result<Timeline, HistoryError> {
        if self.large.is_none() && self.is_in_order_by_process() {
            let spans = &mut self.timeline.spans;
            if let Some((ranks, calls)) = counting::rank(spans) {
                (self.timeline.ranks, self.timeline.calls) = (ranks, calls);
                return Ok(self.timeline);
            }
        }
        let keys = self.large.take().unwrap_or_else(|| Keys::of(&self.timeline.spans));
        let mut ranking = Ranking { ties, keys, timeline: &mut self.timeline };
        let calls = radix::order(&ranking.keys.starts);
        ranking.check_processes(&calls)?;
        let returns = ranking.returns();
        ranking.rank(&calls, &returns);
        Ok(self.timeline)
    }

    /// True if the operations of each process follow one another in the order in which they were
    /// added. This holds for most histories, and then [`Ranking::check_processes`] finds nothing.
    fn is_in_order_by_process(&self) -> bool {
        let processes = self.timeline.extras.processes.values();
        let mut ends: FxHashMap<u32, u32> = FxHashMap::default();
        processes.iter().zip(&self.timeline.spans).all(|(process, span)| {
            let Some(process) = process else { return true };
            let end = if span.is_pending() { span.call } else { span.ret };
            ends.insert(*process, end).is_none_or(|before| before <= span.call)
        })
    }
}

/// What an operation does at an instant.
#[derive(Clone, Copy, PartialEq, Eq)]
enum AtInstant {
    /// It began earlier, and ends here.
    Ends,
    /// It begins here, and never ends.
    Stays,
    /// It begins and ends here.
    Passes,
    /// It begins here, and ends later.
    Begins,
}

/// Ranks events by sorting them.
struct Ranking<'a> {
    ties: Ties,
    keys: Keys,
    timeline: &'a mut Timeline,
}

impl Ranking<'_> {
    /// The operations that returned, in the order of their returns.
    fn returns(&self) -> Vec<u32> {
        let mut returns = radix::order(&self.keys.ends);
        returns.retain(|&op| !self.timeline.spans[op as usize].is_pending());
        returns
    }

    /// Gives every event its rank by merging calls and returns. At one instant, calls come first, except where a
    /// process begins an operation when its last one ends: there [`Ranking::rank_handover`] decides. If ties are
    /// ordered, [`Ranking::rank_instant`] does.
    fn rank(&mut self, mut calls: &[u32], mut returns: &[u32]) {
        let ordered = self.ties == Ties::Ordered;
        let has_processes = !self.timeline.extras.processes.values().is_empty();
        let mut rank = 0;
        loop {
            match (first(calls, &self.keys.starts), first(returns, &self.keys.ends)) {
                (None, None) => break,
                (Some(start), Some(end)) if start == end && (ordered || has_processes) => {
                    let called = take_while(&mut calls, |op| self.keys.starts[op] == start);
                    let returned = take_while(&mut returns, |op| self.keys.ends[op] == end);
                    rank = match self.handover(called, returned).filter(|_| !ordered) {
                        Some(process) => self.rank_handover(rank, called, returned, process),
                        None if ordered => self.rank_instant(rank, called, returned),
                        None => self.rank_calls_first(rank, called, returned),
                    };
                    continue;
                }
                (Some(start), end) if end.is_none_or(|end| start <= end) => {
                    self.timeline.spans[calls[0] as usize].call = rank;
                    calls = &calls[1..];
                }
                _ => {
                    self.timeline.spans[returns[0] as usize].ret = rank;
                    returns = &returns[1..];
                }
            }
            rank += 1;
        }
        self.timeline.ranks = rank;
    }

    /// Ranks the events of one instant: first the returns of operations that began earlier, then
    /// the operations that begin and end here, then the other calls. Returns the next rank.
    fn rank_instant(&mut self, mut rank: u32, called: &[u32], returned: &[u32]) -> u32 {
        let (starts, ends) = (&self.keys.starts, &self.keys.ends);
        let spans = &mut self.timeline.spans;
        let begins_and_ends =
            |op: usize, spans: &[Span]| starts[op] == ends[op] && !spans[op].is_pending();
        for here in [false, true] {
            for op in called.iter().map(|op| *op as usize).filter(|_| here) {
                if begins_and_ends(op, spans) {
                    spans[op].call = rank;
                    rank += 1;
                }
            }
            for op in returned.iter().map(|op| *op as usize) {
                if (starts[op] == ends[op]) == here {
                    spans[op].ret = rank;
                    rank += 1;
                }
            }
        }
        for op in called.iter().map(|op| *op as usize) {
            if !begins_and_ends(op, spans) {
                spans[op].call = rank;
                rank += 1;
            }
        }
        rank
    }

    /// Ranks the events of one instant, calls first. Returns the next rank.
    fn rank_calls_first(&mut self, mut rank: u32, called: &[u32], returned: &[u32]) -> u32 {
        for op in called {
            self.timeline.spans[*op as usize].call = rank;
            rank += 1;
        }
        for op in returned {
            self.timeline.spans[*op as usize].ret = rank;
            rank += 1;
        }
        rank
    }

    /// What the events of an operation at one instant say about the order of its process there.
    fn part_at(&self, op: u32, instant: u64) -> AtInstant {
        let op = op as usize;
        match (self.keys.starts[op] == instant, self.timeline.spans[op].is_pending()) {
            (false, _) => AtInstant::Ends,
            (true, true) => AtInstant::Stays,
            (true, false) if self.keys.ends[op] == instant => AtInstant::Passes,
            (true, false) => AtInstant::Begins,
        }
    }

    /// The process that ends an operation and begins another at this instant; `None` if there is none, or several. Then
    /// all events are concurrent: with `a` before `b` in one process and `c` before `d` in the other, and
    /// nothing known between them, intervals would order `a` and `d`, or `c` and `b`.
    fn handover(&self, called: &[u32], returned: &[u32]) -> Option<u32> {
        let instant = self.keys.starts[*called.first()? as usize];
        let processes = &self.timeline.extras.processes;
        let mut seen: FxHashMap<u32, [bool; 4]> = FxHashMap::default();
        for &op in called.iter().chain(returned) {
            if let Some(process) = processes.get(op as usize) {
                seen.entry(process).or_default()[self.part_at(op, instant) as usize] = true;
            }
        }
        let mut handing_over =
            seen.into_iter().filter_map(|(process, [ends, stays, passes, begins])| {
                let is_known = (ends && (stays || passes || begins)) || (passes && begins);
                is_known.then_some(process)
            });
        handing_over.next().filter(|_| handing_over.next().is_none())
    }

    /// Ranks the events of one instant at which one process hands over: calls of others, what the process ends,
    /// what it does without taking time, what it begins, returns of others. An operation of the process that
    /// never returned may have begun before or after those that take no time. Returns the next rank.
    fn rank_handover(
        &mut self,
        mut rank: u32,
        called: &[u32],
        returned: &[u32],
        process: u32,
    ) -> u32 {
        let instant = self.keys.starts[called[0] as usize];
        let is_its =
            |this: &Self, op: u32| this.timeline.extras.processes.get(op as usize) == Some(process);
        let mut next = || {
            rank += 1;
            rank - 1
        };
        use AtInstant::{Begins, Ends, Passes, Stays};
        let order = [
            (false, true, None),
            (true, false, Some(Ends)),
            (true, true, Some(Stays)),
            (true, true, Some(Passes)),
            (true, false, Some(Passes)),
            (true, true, Some(Begins)),
            (false, false, None),
        ];
        for (its, calls, part) in order {
            for &op in if calls { called } else { returned } {
                if is_its(self, op) != its
                    || part.is_some_and(|part| self.part_at(op, instant) != part)
                {
                    continue;
                }
                let span = &mut self.timeline.spans[op as usize];
                *(if calls { &mut span.call } else { &mut span.ret }) = next();
            }
        }
        rank
    }

    /// Checks that each process has one operation open at a time. Touching operations of one process are valid
    /// under either policy, since a process knows its own order.
    fn check_processes(&self, calls: &[u32]) -> Result<(), HistoryError> {
        let processes = &self.timeline.extras.processes;
        if processes.values().is_empty() {
            return Ok(());
        }
        let mut last: FxHashMap<u32, u32> = FxHashMap::default();
        for &op in calls {
            let Some(process) = processes.get(op as usize) else { continue };
            // A pending operation occupies its process only at its start, so its end is its start.
            let (start, end) = (self.keys.starts[op as usize], self.keys.ends[op as usize]);
            if let Some(&open) = last.get(&process)
                && start < self.keys.ends[open as usize]
            {
                // Both begin at this instant, and this one ends at it: it came first.
                if end == start && self.keys.starts[open as usize] == start {
                    continue;
                }
                let kind = HistoryErrorKind::ProcessOverlap { process, open: OpId(open) };
                return Err(HistoryError::new(kind, OpId(op)));
            }
            last.insert(process, op);
        }
        Ok(())
    }
}

/// The clock key of the first of these operations.
#[inline]
fn first(ops: &[u32], keys: &[u64]) -> Option<u64> {
    ops.first().map(|&op| keys[op as usize])
}

/// Takes operations off the front while `meant` holds.
fn take_while<'a>(ops: &mut &'a [u32], meant: impl Fn(usize) -> bool) -> &'a [u32] {
    let count = ops.iter().take_while(|op| meant(**op as usize)).count();
    let (taken, rest) = ops.split_at(count);
    *ops = rest;
    taken
}
