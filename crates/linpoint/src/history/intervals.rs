//! A history from intervals with clock readings, and what equal readings mean.

use rustc_hash::FxHashMap;

use super::{Extras, History, HistoryError, HistoryErrorKind, OpId, Span, Timestamp};

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
    history: History<O, R>,
    /// Clock keys of each operation; the end of a pending one is `None`.
    times: Vec<(u64, Option<u64>)>,
}

/// Order of events that share a clock reading, from first to last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum AtOneInstant {
    ReturnOfEarlier,
    CallOfInstant,
    ReturnOfInstant,
    Call,
    Return,
}

impl<O, R> IntervalBuilder<O, R> {
    /// No operations yet.
    pub fn new(ties: Ties) -> Self {
        IntervalBuilder { ties, history: History::default(), times: Vec::new() }
    }

    /// Adds an operation.
    pub fn add<T: Timestamp>(&mut self, interval: Interval<O, R, T>) -> Result<OpId, HistoryError> {
        let id = OpId(self.times.len() as u32);
        let key = |t: T| t.key().map_err(|e| HistoryError::new(HistoryErrorKind::BadTime(e), id));
        if self.times.len() >= (u32::MAX / 2 - 1) as usize {
            return Err(HistoryError::new(HistoryErrorKind::TooLarge, id));
        }
        let start = key(interval.start)?;
        let end = interval.end.map(key).transpose()?;
        if end.is_some_and(|end| end < start) {
            return Err(HistoryError::new(HistoryErrorKind::ReturnBeforeCall, id));
        }
        self.times.push((start, end));
        self.history.ops.push(interval.op);
        self.history.rets.push(if end.is_some() { interval.ret } else { None });
        self.history.extras.push(interval.extras);
        Ok(id)
    }

    fn order_of_call(&self, start: u64, end: Option<u64>) -> AtOneInstant {
        match self.ties {
            Ties::Ordered if end == Some(start) => AtOneInstant::CallOfInstant,
            _ => AtOneInstant::Call,
        }
    }

    fn order_of_return(&self, start: u64, end: u64) -> AtOneInstant {
        match self.ties {
            Ties::Concurrent => AtOneInstant::Return,
            Ties::Ordered if end == start => AtOneInstant::ReturnOfInstant,
            Ties::Ordered => AtOneInstant::ReturnOfEarlier,
        }
    }

    /// Ranks all events and checks that no process does two things at once.
    pub fn finish(mut self) -> Result<History<O, R>, HistoryError> {
        let mut events = Vec::with_capacity(2 * self.times.len());
        for (i, &(start, end)) in self.times.iter().enumerate() {
            events.push((start, self.order_of_call(start, end), i as u32, false));
            if let Some(end) = end {
                events.push((end, self.order_of_return(start, end), i as u32, true));
            }
        }
        events.sort_unstable();
        let mut spans = vec![Span { call: 0, ret: Span::NEVER }; self.times.len()];
        for (rank, &(_, _, op, is_return)) in events.iter().enumerate() {
            let span = &mut spans[op as usize];
            *(if is_return { &mut span.ret } else { &mut span.call }) = rank as u32;
        }
        self.history.spans = spans;
        self.history.ranks = events.len() as u32;
        self.check_processes()?;
        Ok(self.history)
    }

    /// One operation at a time for each process. Touching operations of one process are fine under
    /// either policy: a process knows its own order. They stay concurrent as far as ranks tell.
    fn check_processes(&self) -> Result<(), HistoryError> {
        let mut by_start: Vec<u32> = (0..self.times.len() as u32).collect();
        by_start.sort_by_key(|&i| (self.times[i as usize], i));
        let mut last: FxHashMap<u32, (u32, u64)> = FxHashMap::default();
        for i in by_start {
            let Some(process) = self.history.extras[i as usize].process else { continue };
            let (start, end) = self.times[i as usize];
            if let Some(&(open, until)) = last.get(&process)
                && start < until
            {
                let kind = HistoryErrorKind::ProcessOverlap { process, open: OpId(open) };
                return Err(HistoryError::new(kind, OpId(i)));
            }
            // A pending operation ends its process's claim.
            last.insert(process, (i, end.unwrap_or(start)));
        }
        Ok(())
    }
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
}
