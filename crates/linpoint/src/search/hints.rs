//! Known positions of operations, either as a preference among candidates or as an order to
//! respect.

use super::problem::Problem;
use crate::history::{OpId, OrderHint};
use crate::subject::Case;

/// Sort keys of the operations: their positions. Those without one come last.
pub(crate) fn preference(case: &Case<'_>, problem: &Problem) -> Vec<u64> {
    let position = |id: &OpId| case.extras(*id).hint.map_or(NO_POSITION, |h| h.position);
    problem.ids.iter().map(position).collect()
}

/// The sort key of an operation without a position.
pub(crate) const NO_POSITION: u64 = u64::MAX;

/// Asserted positions: within a scope, smaller before larger.
///
/// A completed operation may take effect once all completed operations of its scope with smaller
/// positions have; by induction it is enough to look at the next smaller position. Pending
/// operations may be left out, but must not take effect after a larger position.
#[derive(Clone, Debug)]
pub(crate) struct AssertedOrder {
    /// Completed operations with a position, by (scope, position).
    chain: Vec<u32>,
    /// The place of each completed operation.
    ops: Vec<Option<Place>>,
    /// The place of each pending class (which has a single operation, if it has a position).
    pending: Vec<Option<Place>>,
}

#[derive(Clone, Debug)]
struct Place {
    hint: OrderHint,
    /// The operations at the next smaller position: a range of `chain`.
    before: std::ops::Range<usize>,
    /// The operations at the next larger position.
    after: std::ops::Range<usize>,
}

impl AssertedOrder {
    pub(crate) fn new(case: &Case<'_>, problem: &Problem) -> Self {
        let hint_of = |op: u32| case.extras(problem.ids[op as usize]).hint;
        let mut chain: Vec<u32> =
            (0..problem.ids.len() as u32).filter(|op| hint_of(*op).is_some()).collect();
        let key = |h: OrderHint| (h.scope, h.position);
        chain.sort_by_key(|op| hint_of(*op).map(key));
        let place = |hint: OrderHint| {
            let keys = |op: &u32| hint_of(*op).map(key);
            let here = Some(key(hint));
            let start = chain.partition_point(|op| keys(op) < here);
            let end = chain.partition_point(|op| keys(op) <= here);
            let same_scope = |at: usize| hint_of(chain[at]).is_some_and(|h| h.scope == hint.scope);
            let before = match start.checked_sub(1).filter(|at| same_scope(*at)) {
                Some(last) => {
                    let smaller = keys(&chain[last]);
                    chain.partition_point(|op| keys(op) < smaller)..start
                }
                None => start..start,
            };
            let after = match Some(end).filter(|at| *at < chain.len() && same_scope(*at)) {
                Some(first) => {
                    let larger = keys(&chain[first]);
                    end..chain.partition_point(|op| keys(op) <= larger)
                }
                None => end..end,
            };
            Place { hint, before, after }
        };
        let ops = (0..problem.ids.len() as u32).map(|op| hint_of(op).map(place)).collect();
        let pending =
            problem.pending.iter().map(|p| case.extras(p.ops[0]).hint.map(place)).collect();
        AssertedOrder { chain, ops, pending }
    }

    /// True if this completed operation carries a position.
    pub(crate) fn binds(&self, op: u32) -> bool {
        self.ops[op as usize].is_some()
    }

    /// Whether this completed operation may take effect now. `used` are the pending classes in
    /// effect.
    pub(crate) fn allows(
        &self,
        op: u32,
        is_done: impl Fn(u32) -> bool,
        used: &[(u32, u32)],
    ) -> bool {
        let Some(place) = &self.ops[op as usize] else { return true };
        self.chain[place.before.clone()].iter().all(|o| is_done(*o))
            && !self.a_later_one_is_used(place, used)
    }

    /// Whether an operation of this pending class may take effect now.
    pub(crate) fn allows_pending(
        &self,
        class: u32,
        is_done: impl Fn(u32) -> bool,
        used: &[(u32, u32)],
    ) -> bool {
        let Some(place) = &self.pending[class as usize] else { return true };
        self.chain[place.before.clone()].iter().all(|o| is_done(*o))
            && !self.chain[place.after.clone()].iter().any(|o| is_done(*o))
            && !self.a_later_one_is_used(place, used)
    }

    fn a_later_one_is_used(&self, place: &Place, used: &[(u32, u32)]) -> bool {
        used.iter().any(|(class, _)| {
            self.pending[*class as usize].as_ref().is_some_and(|other| {
                other.hint.scope == place.hint.scope && other.hint.position > place.hint.position
            })
        })
    }

    /// Pending classes with a position must stay in the ledger to the end, since they rule out
    /// smaller positions permanently.
    pub(crate) fn binds_pending(&self, class: u32) -> bool {
        self.pending[class as usize].is_some()
    }
}
