//! The reference for small objects: tries every order.
//!
//! The definition is that of [`crate::oracle`], for at most 16 operations: bits record which
//! operations are already in the order, and which must come before which. Failed combinations of
//! operations and state are not tried again; nothing else is pruned.

use std::collections::HashSet;

use linpoint::history::{History, OpId};

use super::SmallObject;

/// Tries every order. Reuses its memory from one history to the next.
#[derive(Debug, Default)]
pub struct Brute {
    failed: HashSet<(u16, u64)>,
    before: Vec<u16>,
}

/// One operation of the search: what was called, and the result that it must have.
type Row<'a, B> = (&'a <B as SmallObject>::Op, Option<&'a <B as SmallObject>::Ret>);

impl Brute {
    /// Whether there is a legal order. Operations for which `keep` is false are relaxed: they may
    /// happen at any time, with any result, or not at all.
    ///
    /// # Panics
    ///
    /// If the history has more than 16 operations.
    pub fn linearizable<B: SmallObject>(
        &mut self,
        object: &B,
        history: &History<B::Op, B::Ret>,
        keep: impl Fn(OpId) -> bool,
    ) -> bool {
        assert!(history.len() <= 16, "too large for brute force");
        let mut rows: Vec<Row<'_, B>> = Vec::new();
        let mut completed = 0u16;
        self.before.clear();
        for id in history.ids() {
            let span = history.span(id);
            let mut before = 0;
            if keep(id) {
                completed |= u16::from(!span.is_pending()) << id.0;
                for other in history.ids().filter(|o| keep(*o)) {
                    before |= u16::from(history.span(other).precedes(span)) << other.0;
                }
            }
            self.before.push(before);
            rows.push((history.op(id), if keep(id) { history.ret(id) } else { None }));
        }
        self.failed.clear();
        self.extend(object, &rows, completed, 0, object.start())
    }

    fn extend<B: SmallObject>(
        &mut self,
        object: &B,
        rows: &[Row<'_, B>],
        completed: u16,
        done: u16,
        state: u64,
    ) -> bool {
        if completed & !done == 0 {
            return true;
        }
        if !self.failed.is_empty() && self.failed.contains(&(done, state)) {
            return false;
        }
        for (i, (op, ret)) in rows.iter().enumerate() {
            let bit = 1 << i;
            if done & bit != 0 || self.before[i] & !done != 0 {
                continue;
            }
            let mut extend = |got: B::Ret, next| {
                ret.is_none_or(|ret| object.fits(&got, ret))
                    && self.extend(object, rows, completed, done | bit, next)
            };
            if object.any_step(state, op, &mut extend) {
                return true;
            }
        }
        self.failed.insert((done, state));
        false
    }
}

/// The reason why an order does not explain a history, if it does not.
pub fn wrong_order<B: SmallObject>(
    object: &B,
    history: &History<B::Op, B::Ret>,
    order: &[OpId],
) -> Option<String> {
    for (at, id) in order.iter().enumerate() {
        if id.index() >= history.len() || order[..at].contains(id) {
            return Some(format!("{id} is unknown or there twice"));
        }
        let span = history.span(*id);
        if let Some(late) = order[at..].iter().find(|o| history.span(**o).precedes(span)) {
            return Some(format!("{late} is behind {id}, but precedes it"));
        }
    }
    let missing = |id: &OpId| !history.span(*id).is_pending() && !order.contains(id);
    if let Some(id) = history.ids().find(missing) {
        return Some(format!("{id} is missing"));
    }
    let mut states = vec![object.start()];
    for id in order {
        let mut next = Vec::new();
        for state in states {
            object.any_step(state, history.op(*id), &mut |got, after| {
                if history.ret(*id).is_none_or(|ret| object.fits(&got, ret)) {
                    next.push(after);
                }
                false
            });
        }
        if next.is_empty() {
            return Some(format!("{id} is not legal"));
        }
        next.sort_unstable();
        next.dedup();
        states = next;
    }
    None
}
