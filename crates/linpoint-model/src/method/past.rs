//! Histories of explored runs, and whether they are linearizable, by the library itself.

use std::sync::Arc;

use linpoint::{Checker, History, OpId, Verdict};

use crate::model::{Model, Op, Ret};
use crate::system::{Event, Interner};

/// An event of the thread in this position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Taken {
    pub(crate) thread: u8,
    pub(crate) event: Event,
}

/// Turns events into the library's histories.
pub(crate) struct Past<'m, M: Model> {
    pub(crate) model: &'m M,
    pub(crate) ops: Arc<Interner<Op<M>>>,
    pub(crate) rets: Arc<Interner<Ret<M>>>,
}

impl<M: Model> Past<'_, M> {
    /// The history of these events.
    pub(crate) fn history(&self, events: &[Taken]) -> History<Op<M>, Ret<M>> {
        let mut history = History::from_events();
        let mut open: Vec<Option<OpId>> = Vec::new();
        for taken in events {
            let thread = usize::from(taken.thread);
            if open.len() <= thread {
                open.resize(thread + 1, None);
            }
            if let Some(op) = taken.event.call() {
                // A thread has one operation at a time, so nothing is refused.
                open[thread] = history.call_by(u32::from(taken.thread), self.ops.get(op)).ok();
            }
            if let Some(ret) = taken.event.ret() {
                let op = open[thread].take();
                let _ = op.map(|op| history.ret(op, self.rets.get(ret)));
            }
        }
        history.finish()
    }

    /// Is the history of these events linearizable?
    pub(crate) fn judge(&self, events: &[Taken]) -> bool {
        let checker = Checker::new(self.model.spec()).threads(1).explains(false);
        let report = checker.check(&self.history(events));
        // Histories of models are short: there is no limit that could be hit.
        matches!(report.map(|report| report.verdict), Ok(Verdict::Linearizable(_)))
    }
}
