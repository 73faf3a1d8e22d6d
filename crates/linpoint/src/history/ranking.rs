//! Turns clock readings into ranks: every call and every return gets a distinct number.

use rustc_hash::FxHashMap;

use super::timeline::Timeline;
use super::{Extras, HistoryError, HistoryErrorKind, OpId, Span, Ties, Timestamp, counting, radix};

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
        if self.timeline.spans.len() >= (u32::MAX / 2 - 1) as usize {
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

    /// Gives every event its rank by merging calls and returns. At one instant, calls come first.
    /// If ties are ordered, [`Ranking::rank_instant`] decides.
    fn rank(&mut self, mut calls: &[u32], mut returns: &[u32]) {
        let ordered = self.ties == Ties::Ordered;
        let mut rank = 0;
        loop {
            match (first(calls, &self.keys.starts), first(returns, &self.keys.ends)) {
                (None, None) => break,
                (Some(start), Some(end)) if start == end && ordered => {
                    let called = take_while(&mut calls, |op| self.keys.starts[op] == start);
                    let returned = take_while(&mut returns, |op| self.keys.ends[op] == end);
                    rank = self.rank_instant(rank, called, returned);
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

    /// Checks that each process has one operation open at a time. Touching operations of one
    /// process are valid under either policy, since a process knows its own order. By rank they
    /// remain concurrent.
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
