//! The linearizations of a short history, all of them, for the method `common`.

use std::collections::BTreeSet;
use std::sync::Arc;

use linpoint::Spec;

use super::Taken;
use crate::model::{Model, Op, Ret, State};
use crate::system::Interner;

/// Operations with their results, in an order in which they could have taken effect.
pub(crate) type Linearization = Vec<(u32, u32)>;

/// Enumerates linearizations.
pub(crate) struct Linearizations<'m, M: Model> {
    pub(crate) model: &'m M,
    pub(crate) ops: Arc<Interner<Op<M>>>,
    pub(crate) rets: Arc<Interner<Ret<M>>>,
}

/// An operation of the history.
struct Known {
    op: u32,
    ret: Option<u32>,
    call: usize,
    end: usize,
}

impl<M: Model> Linearizations<'_, M> {
    /// All linearizations of these events. Open operations may take part in them or not.
    pub(crate) fn of(&self, events: &[Taken]) -> BTreeSet<Linearization> {
        let mut known: Vec<Known> = Vec::new();
        let mut open: Vec<Option<usize>> = vec![None; crate::bounds::MAX_THREADS];
        for (time, taken) in events.iter().enumerate() {
            let mine = &mut open[usize::from(taken.thread)];
            if let Some(op) = taken.event.call() {
                *mine = Some(known.len());
                known.push(Known { op, ret: None, call: 2 * time, end: usize::MAX });
            }
            let ended = taken.event.ret().and_then(|ret| Some((ret, mine.take()?)));
            if let Some((ret, at)) = ended {
                known[at].ret = Some(ret);
                known[at].end = 2 * time + 1;
            }
        }
        let mut found = BTreeSet::new();
        let state = self.model.spec().initial();
        self.extend(&known, &mut vec![false; known.len()], &state, &mut Vec::new(), &mut found);
        found
    }

    fn extend(
        &self,
        known: &[Known],
        used: &mut Vec<bool>,
        state: &State<M>,
        order: &mut Linearization,
        found: &mut BTreeSet<Linearization>,
    ) {
        let left = |used: &[bool]| (0..known.len()).filter(|at| !used[*at]).collect::<Vec<_>>();
        let left = left(used);
        if left.iter().all(|at| known[*at].ret.is_none()) {
            found.insert(order.clone());
        }
        let first_end = left.iter().map(|at| known[*at].end).min().unwrap_or(usize::MAX);
        for at in left {
            if known[at].call > first_end {
                continue;
            }
            let mut outcomes = Vec::new();
            self.model.spec().outcomes(state, &self.ops.get(known[at].op), &mut outcomes);
            for (ret, next) in outcomes {
                let ret = self.rets.number(&ret);
                if known[at].ret.is_none_or(|expected| expected == ret) {
                    used[at] = true;
                    order.push((known[at].op, ret));
                    self.extend(known, used, &next, order, found);
                    order.pop();
                    used[at] = false;
                }
            }
        }
    }
}
