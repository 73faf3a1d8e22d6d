//! Builds a history from events in the order in which they happened: calls, returns, failures,
//! crashes.

use rustc_hash::FxHashMap;

use super::timeline::{ExtrasColumns, Timeline};
use super::{Extras, History, HistoryError, HistoryErrorKind, OpId, OrderHint, Span};

/// Collects call and return events in real-time order.
///
/// ```
/// use linpoint::History;
///
/// let mut events = History::from_events();
/// let a = events.call("push 1");
/// let b = events.call("pop");
/// events.ret(b, "1")?;
/// events.ret(a, "ok")?;
/// events.call("push 2"); // never returns: it may have happened, or not
/// let history = events.finish();
/// assert_eq!(history.len(), 3);
/// # Ok::<(), linpoint::history::HistoryError>(())
/// ```
#[derive(Clone, Debug)]
pub struct EventBuilder<O, R> {
    ops: Vec<O>,
    rets: Vec<Option<R>>,
    spans: Vec<Span>,
    extras: ExtrasColumns,
    ends: Vec<End>,
    open_of_process: FxHashMap<u32, OpId>,
    ids: FxHashMap<u64, OpId>,
    next_rank: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Open,
    Returned,
    Failed,
    Pending,
}

impl<O, R> Default for EventBuilder<O, R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<O, R> EventBuilder<O, R> {
    /// Creates a builder without events.
    pub fn new() -> Self {
        EventBuilder {
            ops: Vec::new(),
            rets: Vec::new(),
            spans: Vec::new(),
            extras: ExtrasColumns::default(),
            ends: Vec::new(),
            open_of_process: FxHashMap::default(),
            ids: FxHashMap::default(),
            next_rank: 0,
        }
    }

    /// The number of the next operation.
    fn next_id(&self) -> OpId {
        OpId(self.ops.len() as u32)
    }

    fn rank(&mut self) -> u32 {
        let rank = self.next_rank;
        // Saturates; `call_with` has already returned an error by then.
        self.next_rank = rank.saturating_add(1);
        rank
    }

    /// Records a call by an unspecified process.
    pub fn call(&mut self, op: O) -> OpId {
        let id = self.next_id();
        let call = self.rank();
        self.ops.push(op);
        self.rets.push(None);
        self.spans.push(Span { call, ret: Span::NEVER });
        self.ends.push(End::Open);
        id
    }

    /// Records a call with its process, object and hint.
    pub fn call_with(&mut self, op: O, extras: Extras) -> Result<OpId, HistoryError> {
        let id = self.next_id();
        if self.next_rank >= u32::MAX - 2 {
            return Err(HistoryError::new(HistoryErrorKind::TooLarge, id));
        }
        if let Some(process) = extras.process {
            if let Some(&open) = self.open_of_process.get(&process) {
                return Err(HistoryError::new(
                    HistoryErrorKind::ProcessOverlap { process, open },
                    id,
                ));
            }
            self.open_of_process.insert(process, id);
        }
        self.call(op);
        self.extras.set(id.index(), &extras);
        Ok(id)
    }

    /// Records a call by `process`.
    pub fn call_by(&mut self, process: u32, op: O) -> Result<OpId, HistoryError> {
        self.call_with(op, Extras { process: Some(process), ..Extras::default() })
    }

    /// Assigns the caller's own id to the operation, for [`EventBuilder::find`].
    pub fn name(&mut self, op: OpId, id: u64) -> Result<(), HistoryError> {
        match self.ids.insert(id, op) {
            None => Ok(()),
            Some(first) => Err(HistoryError::new(HistoryErrorKind::DuplicateId { id, first }, op)),
        }
    }

    /// The operation with this id.
    pub fn find(&self, id: u64) -> Result<OpId, HistoryError> {
        let unknown = || HistoryError::new(HistoryErrorKind::UnknownId { id }, self.next_id());
        self.ids.get(&id).copied().ok_or_else(unknown)
    }

    /// The open operation of a process.
    pub fn open_of(&self, process: u32) -> Result<OpId, HistoryError> {
        self.open_of_process.get(&process).copied().ok_or_else(|| {
            HistoryError::new(HistoryErrorKind::ReturnWithoutCall { process }, self.next_id())
        })
    }

    /// Adds a position in the order of effects. Often it is known only at the return.
    pub fn hint(&mut self, op: OpId, hint: OrderHint) {
        self.extras.hints.set(op.index(), Some(hint));
    }

    fn end(&mut self, op: OpId, end: End) -> Result<(), HistoryError> {
        if self.ends.get(op.index()) != Some(&End::Open) {
            return Err(HistoryError::new(HistoryErrorKind::EndedTwice, op));
        }
        self.ends[op.index()] = end;
        if let Some(process) = self.extras.processes.get(op.index()) {
            self.open_of_process.remove(&process);
        }
        Ok(())
    }

    /// Records that the operation returned `ret`.
    pub fn ret(&mut self, op: OpId, ret: R) -> Result<(), HistoryError> {
        self.returned(op, Some(ret))
    }

    /// Records that the operation returned an unknown result.
    pub fn ret_unknown(&mut self, op: OpId) -> Result<(), HistoryError> {
        self.returned(op, None)
    }

    fn returned(&mut self, op: OpId, ret: Option<R>) -> Result<(), HistoryError> {
        self.end(op, End::Returned)?;
        self.spans[op.index()].ret = self.rank();
        self.rets[op.index()] = ret;
        Ok(())
    }

    /// Records that the operation did not take effect, and removes it from the history.
    pub fn fail(&mut self, op: OpId) -> Result<(), HistoryError> {
        self.end(op, End::Failed)
    }

    /// Records that the operation will never return. It may have taken effect at any time after its
    /// call, or never. Its process may call further operations. Operations that are still open at
    /// the end of the history are pending too.
    pub fn crash(&mut self, op: OpId) -> Result<(), HistoryError> {
        self.end(op, End::Pending)
    }

    /// Builds the history. Failed operations are removed, so the ids of later ones shift down by
    /// the number of failed operations before them.
    pub fn finish(self) -> History<O, R> {
        let EventBuilder { ops, rets, spans, extras, ends, next_rank: ranks, .. } = self;
        if !ends.contains(&End::Failed) {
            let timeline = Timeline { spans, extras, ranks, calls: Vec::new() };
            return History { ops, rets, timeline };
        }
        let timeline = Timeline::with_ranks(ranks);
        let mut out = History { timeline, ..History::default() };
        let rows = ops.into_iter().zip(rets).zip(spans).zip(ends).enumerate();
        for (at, (((op, ret), span), end)) in rows {
            if end != End::Failed {
                out.timeline.push(span, &extras.get(at));
                out.ops.push(op);
                out.rets.push(ret);
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_follow_the_order_of_events() {
        let mut b = EventBuilder::new();
        let x = b.call("x");
        b.ret(x, ()).unwrap();
        let y = b.call("y");
        b.ret_unknown(y).unwrap();
        let h = b.finish();
        assert!(h.span(x).precedes(h.span(y)));
        assert_eq!(h.ret(y), None);
        assert!(!h.span(y).is_pending());
    }

    #[test]
    fn overlapping_operations_of_one_process_are_refused() {
        let mut b = EventBuilder::<_, ()>::new();
        let first = b.call_by(3, "x").unwrap();
        let e = b.call_by(3, "y").unwrap_err();
        assert_eq!(e.kind(), &HistoryErrorKind::ProcessOverlap { process: 3, open: first });
        assert_eq!(
            e.to_string(),
            "operation #1 of process 3 begins while its operation #0 is still open"
        );
    }

    #[test]
    fn a_crashed_operation_frees_its_process() {
        let mut b = EventBuilder::<_, ()>::new();
        let x = b.call_by(3, "x").unwrap();
        b.crash(x).unwrap();
        b.call_by(3, "y").unwrap();
        let h = b.finish();
        assert!(h.span(x).is_pending());
    }

    #[test]
    fn a_return_without_a_call_is_refused() {
        let b = EventBuilder::<&str, ()>::new();
        let e = b.open_of(7).unwrap_err();
        assert_eq!(e.kind(), &HistoryErrorKind::ReturnWithoutCall { process: 7 });
    }

    #[test]
    fn a_second_return_is_refused() {
        let mut b = EventBuilder::new();
        let x = b.call("x");
        b.ret(x, 1).unwrap();
        assert_eq!(b.ret(x, 1).unwrap_err().kind(), &HistoryErrorKind::EndedTwice);
    }

    #[test]
    fn two_operations_with_one_id_are_refused() {
        let mut b = EventBuilder::<_, ()>::new();
        let x = b.call("x");
        let y = b.call("y");
        b.name(x, 9).unwrap();
        let e = b.name(y, 9).unwrap_err();
        assert_eq!(e.kind(), &HistoryErrorKind::DuplicateId { id: 9, first: x });
        assert_eq!(b.find(8).unwrap_err().kind(), &HistoryErrorKind::UnknownId { id: 8 });
    }

    #[test]
    fn failed_operations_leave_the_history() {
        let mut b = EventBuilder::<_, ()>::new();
        let x = b.call("x");
        b.call("y");
        b.fail(x).unwrap();
        let h = b.finish();
        assert_eq!(h.len(), 1);
        assert_eq!(h.op(OpId(0)), &"y");
    }
}
