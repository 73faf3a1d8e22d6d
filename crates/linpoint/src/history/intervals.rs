//! A history from intervals with clock readings, and what equal readings mean.

use rustc_hash::FxHashMap;

use super::{
    Extras, History, HistoryError, HistoryErrorKind, OpId, Span, Timestamp, counting, radix,
};

/// What it means when one operation returns at the very instant at which another is called.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Ties {
    /// They are concurrent. A coarse clock then never causes a false alarm.
    #[default]
    Concurrent,
    /// The one that returns precedes the one that is called: for formats that say so.
    /// Operations that begin and end at one instant are concurrent with each other.
    Ordered,
}

/// One operation with its clock readings; `end` is `None` for a pending one.
#[derive(Clone, Debug)]
pub struct Interval<O, R, T> {
    /// What was called.
    pub op: O,
    /// What was returned, if known.
    pub ret: Option<R>,
    /// When it was called.
    pub start: T,
    /// When it returned; `None`: it did not.
    pub end: Option<T>,
    /// Process, object, hint.
    pub extras: Extras,
}

impl<O, R, T> Interval<O, R, T> {
    /// An operation that returned `ret`.
    pub fn new(op: O, ret: R, start: T, end: T) -> Self {
        Interval { op, ret: Some(ret), start, end: Some(end), extras: Extras::default() }
    }

    /// An operation that never returned.
    pub fn pending(op: O, start: T) -> Self {
        Interval { op, ret: None, start, end: None, extras: Extras::default() }
    }
}

/// Collects operations with clock readings, in any order.
///
/// ```
/// use linpoint::history::{History, Interval, Ties};
///
/// let mut b = History::from_intervals(Ties::Concurrent);
/// b.add(Interval::new("write 1", "ok", 0.0, 1.5))?;
/// b.add(Interval::new("read", "1", 1.5, 2.0))?; // touches the write: concurrent with it
/// let history = b.finish()?;
/// # assert!(!history.span(linpoint::OpId(0)).precedes(history.span(linpoint::OpId(1))));
/// # Ok::<(), linpoint::history::HistoryError>(())
/// ```
#[derive(Clone, Debug)]
pub struct IntervalBuilder<O, R> {
    ties: Ties,
    /// Until ranks are known, spans are made of clock keys, as long as those are small numbers.
    history: History<O, R>,
    /// All clock keys, once one is too large for a span.
    large: Option<Keys>,
}

/// Clock keys by operation.
#[derive(Clone, Debug, Default)]
struct Keys {
    starts: Vec<u64>,
    /// Those of pending operations are their starts, and mean nothing.
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

impl<O, R> IntervalBuilder<O, R> {
    /// No operations yet.
    pub fn new(ties: Ties) -> Self {
        IntervalBuilder { ties, history: History::default(), large: None }
    }

    /// Makes room for so many more operations at once.
    pub fn reserve(&mut self, operations: usize) {
        self.history.ops.reserve(operations);
        self.history.rets.reserve(operations);
        self.history.spans.reserve(operations);
    }

    /// Adds an operation.
    #[inline]
    pub fn add<T: Timestamp>(&mut self, interval: Interval<O, R, T>) -> Result<OpId, HistoryError> {
        let Interval { op, ret, start, end, extras } = interval;
        let id = self.place(start, end, &extras)?;
        self.history.ops.push(op);
        self.history.rets.push(if end.is_some() { ret } else { None });
        Ok(id)
    }

    /// Adds an operation that `op` makes, whose result `ret` makes. For those who read millions of them: each is
    /// made where it stays.
    #[doc(hidden)]
    #[inline(always)]
    pub fn add_with<T: Timestamp, E: From<HistoryError>>(
        &mut self,
        (start, end): (T, Option<T>),
        extras: &Extras,
        op: impl FnOnce() -> Result<O, E>,
        ret: impl FnOnce(&O) -> Result<Option<R>, E>,
    ) -> Result<OpId, E> {
        let at = self.history.spans.len();
        self.history.ops.push(op()?);
        let added = match ret(&self.history.ops[at]) {
            Ok(ret) => {
                self.history.rets.push(if end.is_some() { ret } else { None });
                self.place(start, end, extras).map_err(E::from)
            }
            Err(error) => Err(error),
        };
        if added.is_err() {
            self.history.ops.truncate(at);
            self.history.rets.truncate(at);
        }
        added
    }

    /// Adds when an operation was open, and its extras.
    #[inline]
    fn place<T: Timestamp>(
        &mut self,
        start: T,
        end: Option<T>,
        extras: &Extras,
    ) -> Result<OpId, HistoryError> {
        let id = OpId(self.history.spans.len() as u32);
        let key = |t: T| t.key().map_err(|e| HistoryError::new(HistoryErrorKind::BadTime(e), id));
        if self.history.spans.len() >= (u32::MAX / 2 - 1) as usize {
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
            self.history.spans.push(Span { call: start as u32, ret });
        } else {
            let keys = self.large.get_or_insert_with(|| Keys::of(&self.history.spans));
            keys.starts.push(start);
            keys.ends.push(last);
            // This only tells pending operations from others.
            self.history.spans.push(Span { call: 0, ret: end.map_or(Span::NEVER, |_| 0) });
        }
        self.history.extras.set(id.index(), extras);
        Ok(id)
    }

    /// Ranks all events and checks that no process does two things at once.
    pub fn finish(mut self) -> Result<History<O, R>, HistoryError> {
        if self.large.is_none() && self.is_in_order_by_process() {
            let spans = &mut self.history.spans;
            if let Some((ranks, calls)) = counting::rank(spans) {
                (self.history.ranks, self.history.calls) = (ranks, calls);
                return Ok(self.history);
            }
        }
        let keys = self.large.take().unwrap_or_else(|| Keys::of(&self.history.spans));
        let mut ranking = Ranking { ties: self.ties, keys, history: &mut self.history };
        let calls = radix::order(&ranking.keys.starts);
        ranking.check_processes(&calls)?;
        let returns = ranking.returns();
        ranking.rank(&calls, &returns);
        Ok(self.history)
    }

    /// True if each process does one thing after the other, in the order in which operations were given.
    /// That is so in most histories, and then [`Ranking::check_processes`] finds nothing.
    fn is_in_order_by_process(&self) -> bool {
        let processes = self.history.extras.processes.values();
        let mut ends: FxHashMap<u32, u32> = FxHashMap::default();
        processes.iter().zip(&self.history.spans).all(|(process, span)| {
            let Some(process) = process else { return true };
            let end = if span.is_pending() { span.call } else { span.ret };
            ends.insert(*process, end).is_none_or(|before| before <= span.call)
        })
    }
}

/// Ranks events by sorting them.
struct Ranking<'a, O, R> {
    ties: Ties,
    keys: Keys,
    history: &'a mut History<O, R>,
}

impl<O, R> Ranking<'_, O, R> {
    /// The operations that returned, in the order of their returns.
    fn returns(&self) -> Vec<u32> {
        let mut returns = radix::order(&self.keys.ends);
        returns.retain(|&op| !self.history.spans[op as usize].is_pending());
        returns
    }

    /// Gives every event its rank: calls and returns are merged. At one instant, calls come first;
    /// if ties are ordered, [`Ranking::rank_instant`] decides.
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
                    self.history.spans[calls[0] as usize].call = rank;
                    calls = &calls[1..];
                }
                _ => {
                    self.history.spans[returns[0] as usize].ret = rank;
                    returns = &returns[1..];
                }
            }
            rank += 1;
        }
        self.history.ranks = rank;
    }

    /// Ranks what is called and what returns at one instant: first the returns of what began
    /// earlier, then what begins and ends here, and then the other calls. The next rank.
    fn rank_instant(&mut self, mut rank: u32, called: &[u32], returned: &[u32]) -> u32 {
        let (starts, ends) = (&self.keys.starts, &self.keys.ends);
        let spans = &mut self.history.spans;
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

    /// One operation at a time for each process. Touching operations of one process are fine under
    /// either policy: a process knows its own order. They stay concurrent as far as ranks tell.
    fn check_processes(&self, calls: &[u32]) -> Result<(), HistoryError> {
        let processes = &self.history.extras.processes;
        if processes.values().is_empty() {
            return Ok(());
        }
        let mut last: FxHashMap<u32, u32> = FxHashMap::default();
        for &op in calls {
            let Some(process) = processes.get(op as usize) else { continue };
            // A pending operation ends its process's claim where it begins: its end is its start.
            let (start, end) = (self.keys.starts[op as usize], self.keys.ends[op as usize]);
            if let Some(&open) = last.get(&process)
                && start < self.keys.ends[open as usize]
            {
                // Both begin now, and this one ends now: it came first.
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

/// Takes the operations off the front that are meant.
fn take_while<'a>(ops: &mut &'a [u32], meant: impl Fn(usize) -> bool) -> &'a [u32] {
    let count = ops.iter().take_while(|op| meant(**op as usize)).count();
    let (taken, rest) = ops.split_at(count);
    *ops = rest;
    taken
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::TimeError;

    fn history(ties: Ties, times: &[(u64, u64)]) -> History<usize, ()> {
        let mut b = IntervalBuilder::new(ties);
        for (i, &(s, e)) in times.iter().enumerate() {
            b.add(Interval::new(i, (), s, e)).unwrap();
        }
        b.finish().unwrap()
    }

    fn precedes(h: &History<usize, ()>, a: u32, b: u32) -> bool {
        h.span(OpId(a)).precedes(h.span(OpId(b)))
    }

    #[test]
    fn touching_intervals_are_concurrent_unless_ordered() {
        let times = [(0, 5), (5, 9)];
        assert!(!precedes(&history(Ties::Concurrent, &times), 0, 1));
        assert!(precedes(&history(Ties::Ordered, &times), 0, 1));
    }

    #[test]
    fn instants_under_the_ordered_policy() {
        // 0 ends at 5, 1 and 2 are the instant 5, 3 begins at 5.
        let h = history(Ties::Ordered, &[(0, 5), (5, 5), (5, 5), (5, 9)]);
        assert!(precedes(&h, 0, 1) && precedes(&h, 0, 2));
        assert!(!precedes(&h, 1, 2) && !precedes(&h, 2, 1));
        assert!(precedes(&h, 1, 3) && precedes(&h, 2, 3));
    }

    #[test]
    fn bad_times_name_the_operation() {
        for (start, kind) in [(f64::NAN, TimeError::NaN), (-1.0, TimeError::Negative)] {
            let mut b = IntervalBuilder::<_, ()>::new(Ties::Concurrent);
            b.add(Interval::new(0, (), 0.0, 1.0)).unwrap();
            let e = b.add(Interval::new(1, (), start, 2.0)).unwrap_err();
            assert_eq!((e.kind(), e.op()), (&HistoryErrorKind::BadTime(kind), OpId(1)));
        }
    }

    #[test]
    fn a_return_before_its_call_is_refused() {
        let mut b = IntervalBuilder::new(Ties::Ordered);
        let e = b.add(Interval::new(0, (), 5, 4)).unwrap_err();
        assert_eq!(e.kind(), &HistoryErrorKind::ReturnBeforeCall);
    }

    #[test]
    fn a_process_does_one_thing_at_a_time() {
        let mut b = IntervalBuilder::new(Ties::Concurrent);
        for (start, end) in [(0, 5), (5, 8), (7, 9)] {
            let extras = Extras { process: Some(1), ..Extras::default() };
            b.add(Interval { extras, ..Interval::new((), (), start, end) }).unwrap();
        }
        let e = b.finish().unwrap_err();
        assert_eq!(e.kind(), &HistoryErrorKind::ProcessOverlap { process: 1, open: OpId(1) });
        assert_eq!(e.op(), OpId(2));
    }

    /// The rule in one line: events by time, then by kind, then by operation.
    fn ranks_by_sorting(ties: Ties, times: &[(u64, Option<u64>)]) -> Vec<Span> {
        let mut events = Vec::new();
        for (op, &(start, end)) in times.iter().enumerate() {
            let instant = end == Some(start) && ties == Ties::Ordered;
            events.push((start, if instant { 1 } else { 3 }, op, false));
            if let Some(end) = end {
                let kind = if instant { 2 } else { 0 };
                events.push((end, if ties == Ties::Ordered { kind } else { 4 }, op, true));
            }
        }
        events.sort_unstable();
        let mut spans = vec![Span { call: 0, ret: Span::NEVER }; times.len()];
        for (rank, (_, _, op, is_return)) in (0..).zip(events) {
            *(if is_return { &mut spans[op].ret } else { &mut spans[op].call }) = rank;
        }
        spans
    }

    #[test]
    fn ranks_are_those_of_a_plain_sort() {
        let one: Vec<(u64, Option<u64>)> =
            (0..3).flat_map(|s| (s..3).map(Some).chain([None]).map(move |e| (s, e))).collect();
        for ties in [Ties::Concurrent, Ties::Ordered] {
            for code in 0..one.len().pow(4) {
                let digit = |i: u32| one[code / one.len().pow(i) % one.len()];
                let times = [digit(0), digit(1), digit(2), digit(3)];
                let mut b = IntervalBuilder::<_, ()>::new(ties);
                for (start, end) in times {
                    let extras = Extras::default();
                    b.add(Interval { op: (), ret: None, start, end, extras }).unwrap();
                }
                assert_eq!(b.finish().unwrap().spans, ranks_by_sorting(ties, &times), "{times:?}");
            }
        }
    }

    #[test]
    fn large_times_are_ranked_like_small_ones() {
        let mut random = fastrand::Rng::with_seed(7);
        for round in 0..2000_u64 {
            let range = [5, 40, 5000][(round % 3) as usize];
            let time = |random: &mut fastrand::Rng| random.u64(0..range);
            let times: Vec<(u64, Option<u64>)> = (0..random.usize(0..12))
                .map(|_| {
                    let (a, b) = (time(&mut random), time(&mut random));
                    (a.min(b), (random.u8(0..5) > 0).then_some(a.max(b)))
                })
                .collect();
            let ties = if round % 2 == 0 { Ties::Concurrent } else { Ties::Ordered };
            // At the border, some are large and some are not.
            for more in [0, u64::from(u32::MAX) - range / 2, 1 << 40] {
                let mut b = IntervalBuilder::<_, ()>::new(ties);
                for (start, end) in &times {
                    let (start, end) = (start + more, end.map(|end| end + more));
                    let extras = Extras::default();
                    b.add(Interval { op: (), ret: None, start, end, extras }).unwrap();
                }
                assert_eq!(b.finish().unwrap().spans, ranks_by_sorting(ties, &times), "{times:?}");
            }
        }
    }

    #[test]
    fn a_process_may_do_an_instant_before_something_longer() {
        for times in [[(5, 8), (5, 5)], [(5, 5), (5, 8)]] {
            let mut b = IntervalBuilder::new(Ties::Concurrent);
            for (start, end) in times {
                let extras = Extras { process: Some(1), ..Extras::default() };
                b.add(Interval { extras, ..Interval::new((), (), start, end) }).unwrap();
            }
            assert!(b.finish().is_ok());
        }
    }
}
