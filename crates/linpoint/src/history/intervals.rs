//! Builds a history from intervals with clock readings, and defines the meaning of equal readings.

use super::ranking::Times;
use super::{Extras, History, HistoryError, OpId, Timestamp};

/// What it means if one operation returns at the very instant at which another is called.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Ties {
    /// They are concurrent, so a coarse clock never causes a false alarm. Operations of one process keep their order,
    /// unless several processes end one operation and begin the next at the same instant: no intervals have
    /// exactly that order, so such operations are concurrent too.
    #[default]
    Concurrent,
    /// The one that returns precedes the one that is called. For formats that define it so.
    /// Operations that begin and end at the same instant are concurrent with each other.
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
    /// When it returned; `None` if it did not.
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
    ops: Vec<O>,
    rets: Vec<Option<R>>,
    times: Times,
}

impl<O, R> IntervalBuilder<O, R> {
    /// Creates a builder without operations.
    pub fn new(ties: Ties) -> Self {
        IntervalBuilder { ties, ops: Vec::new(), rets: Vec::new(), times: Times::default() }
    }

    /// Reserves room for this many more operations.
    pub fn reserve(&mut self, operations: usize) {
        self.ops.reserve(operations);
        self.rets.reserve(operations);
        self.times.reserve(operations);
    }

    /// Adds an operation.
    #[inline]
    pub fn add<T: Timestamp>(&mut self, interval: Interval<O, R, T>) -> Result<OpId, HistoryError> {
        let Interval { op, ret, start, end, extras } = interval;
        let id = self.times.place(start, end, &extras)?;
        self.ops.push(op);
        self.rets.push(if end.is_some() { ret } else { None });
        Ok(id)
    }

    /// Adds an operation that `op` creates, whose result `ret` creates. For reading millions of
    /// operations: each is created in place.
    #[doc(hidden)]
    #[inline(always)]
    pub fn add_with<T: Timestamp, E: From<HistoryError>>(
        &mut self,
        (start, end): (T, Option<T>),
        extras: &Extras,
        op: impl FnOnce() -> Result<O, E>,
        ret: impl FnOnce(&O) -> Result<Option<R>, E>,
    ) -> Result<OpId, E> {
        let at = self.times.len();
        self.ops.push(op()?);
        let added = match ret(&self.ops[at]) {
            Ok(ret) => {
                self.rets.push(if end.is_some() { ret } else { None });
                self.times.place(start, end, extras).map_err(E::from)
            }
            Err(error) => Err(error),
        };
        if added.is_err() {
            self.ops.truncate(at);
            self.rets.truncate(at);
        }
        added
    }

    /// Adds the end of an operation that was added without one, and its result, which `ret` creates. For reading millions of
    /// events, whose times are their numbers: it refuses times beyond 2³² − 2.
    #[doc(hidden)]
    #[inline(always)]
    pub fn end_with<E: From<HistoryError>>(
        &mut self,
        op: OpId,
        end: u64,
        ret: impl FnOnce(&O) -> Result<Option<R>, E>,
    ) -> Result<(), E> {
        self.times.end(op, end)?;
        self.rets[op.index()] = ret(&self.ops[op.index()])?;
        Ok(())
    }

    /// Moves all operations of another builder behind those of this one, in their order; they happened `later` than they
    /// say. For reading on several threads: the memory of the other one can be filled again.
    #[doc(hidden)]
    pub fn append(
        &mut self,
        other: &mut IntervalBuilder<O, R>,
        later: u64,
    ) -> Result<(), HistoryError> {
        self.times.append(&mut other.times, later)?;
        self.ops.append(&mut other.ops);
        self.rets.append(&mut other.rets);
        Ok(())
    }

    /// Ranks all events and checks that no process has two operations open at the same time.
    pub fn finish(self) -> Result<History<O, R>, HistoryError> {
        let IntervalBuilder { ties, ops, rets, times } = self;
        Ok(History { ops, rets, timeline: times.ranked(ties)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{HistoryErrorKind, Span, TimeError};

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

    /// Operations of processes, as `(process, start, end)`; the end of a pending one is 0.
    fn of_processes(times: &[(u32, u64, u64)]) -> History<usize, ()> {
        let mut b = IntervalBuilder::new(Ties::Concurrent);
        for (i, &(process, start, end)) in times.iter().enumerate() {
            let extras = Extras { process: Some(process), ..Extras::default() };
            let end = (end > 0).then_some(end);
            b.add(Interval { op: i, ret: Some(()), start, end, extras }).unwrap();
        }
        b.finish().unwrap()
    }

    #[test]
    fn one_process_keeps_its_order_where_its_operations_touch() {
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 0, 3, 2]] {
            // Process 1 touches itself at 5. There, process 2 ends an operation and process 3 begins one.
            let times = [(1, 0, 5), (1, 5, 9), (2, 2, 5), (3, 5, 7)];
            let h = of_processes(&order.map(|i| times[i]));
            let at = |i: usize| order.iter().position(|o| *o == i).unwrap() as u32;
            for (a, b) in (0..4).flat_map(|a| (0..4).map(move |b| (a, b))) {
                assert_eq!(precedes(&h, at(a), at(b)), (a, b) == (0, 1), "{order:?}: {a} {b}");
            }
        }
    }

    #[test]
    fn operations_that_take_no_time_keep_the_order_of_their_process() {
        let h = of_processes(&[(1, 0, 5), (1, 5, 5), (1, 5, 9), (2, 5, 6), (2, 1, 3)]);
        assert!(precedes(&h, 0, 1) && precedes(&h, 1, 2) && precedes(&h, 0, 2));
        for a in 0..3 {
            assert!(!precedes(&h, a, 3) && !precedes(&h, 3, a), "{a}");
        }
        // An operation that never returned comes after the one before it, and before none.
        let h = of_processes(&[(1, 0, 5), (1, 5, 0)]);
        assert!(precedes(&h, 0, 1));
    }

    /// Each process knows its own order only, and no intervals say that.
    #[test]
    fn several_processes_that_touch_at_one_instant_stay_concurrent() {
        let h = of_processes(&[(1, 0, 5), (1, 5, 9), (2, 0, 5), (2, 5, 9)]);
        assert!((0..4).all(|a| (0..4).all(|b| !precedes(&h, a, b))));
    }

    #[test]
    fn ordered_ties_with_operations_that_take_no_time() {
        // Operation 0 ends at 5, operations 1 and 2 take no time at 5, operation 3 begins at 5.
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
    fn overlapping_operations_of_one_process_are_refused() {
        let mut b = IntervalBuilder::new(Ties::Concurrent);
        for (start, end) in [(0, 5), (5, 8), (7, 9)] {
            let extras = Extras { process: Some(1), ..Extras::default() };
            b.add(Interval { extras, ..Interval::new((), (), start, end) }).unwrap();
        }
        let e = b.finish().unwrap_err();
        assert_eq!(e.kind(), &HistoryErrorKind::ProcessOverlap { process: 1, open: OpId(1) });
        assert_eq!(e.op(), OpId(2));
    }

    /// The definition: sort events by time, then by kind, then by operation.
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

    /// With `more` added to them, the times have the ranks that sorting gives them.
    fn assert_ranked(ties: Ties, times: &[(u64, Option<u64>)], more: u64) {
        let mut b = IntervalBuilder::<_, ()>::new(ties);
        for (start, end) in times {
            let (start, end) = (start + more, end.map(|end| end + more));
            b.add(Interval { op: (), ret: None, start, end, extras: Extras::default() }).unwrap();
        }
        let history = b.finish().unwrap();
        assert_eq!(history.timeline().spans(), ranks_by_sorting(ties, times), "{times:?}");
    }

    #[test]
    fn ranks_agree_with_a_plain_sort() {
        let one: Vec<(u64, Option<u64>)> =
            (0..3).flat_map(|s| (s..3).map(Some).chain([None]).map(move |e| (s, e))).collect();
        for ties in [Ties::Concurrent, Ties::Ordered] {
            for code in 0..one.len().pow(4) {
                let digit = |i: u32| one[code / one.len().pow(i) % one.len()];
                let times = [digit(0), digit(1), digit(2), digit(3)];
                assert_ranked(ties, &times, 0);
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
                assert_ranked(ties, &times, more);
            }
        }
    }

    #[test]
    fn a_history_may_be_built_in_pieces() {
        let mut random = fastrand::Rng::with_seed(3);
        for round in 0..500 {
            // Some times are large, some operations have processes or objects.
            let more = [0, u64::from(u32::MAX) - 20, 1 << 40][round % 3];
            let mut whole = IntervalBuilder::<usize, usize>::new(Ties::Concurrent);
            let mut joined = whole.clone();
            let mut piece = whole.clone();
            let with_extras = random.usize(0..4);
            for op in 0..random.usize(0..20) {
                let start = more + 10 * op as u64 + random.u64(0..30);
                let end = (random.u8(0..5) > 0).then_some(start + random.u64(0..30));
                let process = (op % 4 < with_extras).then_some(op as u32);
                let object = (op % 9 < with_extras).then_some(random.u32(0..3));
                let extras = Extras { process, object, hint: None };
                let interval = Interval { op, ret: Some(op), start, end, extras };
                whole.add(interval.clone()).unwrap();
                piece.add(interval).unwrap();
                if random.u8(0..4) == 0 {
                    joined.append(&mut piece, 0).unwrap();
                }
            }
            joined.append(&mut piece, 0).unwrap();
            assert!(piece.finish().unwrap().is_empty());
            let (whole, joined) = (whole.finish().unwrap(), joined.finish().unwrap());
            assert_eq!(format!("{whole:?}"), format!("{joined:?}"));
        }
    }

    #[test]
    fn events_may_be_added_in_pieces() {
        let mut events = History::from_events();
        let [a, b] = [0, 1].map(|op| events.call(op));
        events.ret(a, 5).unwrap();
        events.call(2);
        events.ret(b, 6).unwrap();
        let mut whole = IntervalBuilder::<u32, u32>::new(Ties::Concurrent);
        let mut piece = whole.clone();
        let call =
            |op| Interval { op, ret: None, start: 0_u64, end: None, extras: Extras::default() };
        whole.add(Interval { start: 1, ..call(0) }).unwrap();
        whole.add(Interval { start: 2, ..call(1) }).unwrap();
        let ret = |whole: &mut IntervalBuilder<u32, u32>, op, end, ret| {
            whole.end_with(OpId(op), end, |_| Ok::<_, HistoryError>(Some(ret)))
        };
        ret(&mut whole, 0, 3, 5).unwrap();
        piece.add(Interval { start: 1, ..call(2) }).unwrap();
        whole.append(&mut piece, 3).unwrap();
        ret(&mut whole, 1, 5, 6).unwrap();
        for (op, end) in [(3, 6), (2, u64::from(u32::MAX)), (2, 1 << 40)] {
            let error = ret(&mut whole, op, end, 7).unwrap_err();
            assert_eq!(error.kind(), &HistoryErrorKind::TooLarge);
        }
        piece.add(Interval { start: 1, ..call(3) }).unwrap();
        assert!(whole.append(&mut piece, u64::from(u32::MAX)).is_err());
        let (whole, events) = (whole.finish().unwrap(), events.finish());
        assert_eq!(whole.timeline().spans(), events.timeline().spans());
        assert_eq!(whole.columns(), events.columns());
    }

    #[test]
    fn a_process_may_start_an_operation_when_another_that_took_no_time_ends() {
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
