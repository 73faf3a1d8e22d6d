//! In which order the values of a register probably came and went, if each was written once.
//!
//! The *zone* of a value goes from the first return to the last call among its write and the
//! operations that saw it. If the first return comes first, the value was certainly there in
//! between, and such forward zones follow each other in time. Otherwise all its operations overlap,
//! and the value can come and go at one moment: at the last call, or right after a forward zone that
//! covers that moment. This is the order of Gibbons and Korach for registers (*Testing shared
//! memories*, SIAM J. Comput. 1997), used as a guess.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::history::Span;
use crate::spec::PartView;

#[derive(Clone, Copy)]
struct Zone {
    first_return: u32,
    last_call: u32,
}

impl Zone {
    fn is_forward(self) -> bool {
        self.first_return < self.last_call
    }

    fn include(&mut self, span: Span) {
        self.first_return = self.first_return.min(span.ret);
        self.last_call = self.last_call.max(span.call);
    }
}

/// Sort keys for [`crate::spec::Claims::guide`], or nothing if a value was written twice.
///
/// * `written`: what an operation with this result leaves in the register.
/// * `seen`: what a completed operation proves to have been there.
pub(super) fn guide<'a, O, R, N: Eq + Hash>(
    part: &PartView<'a, O, R>,
    written: impl Fn(&'a O, Option<&'a R>) -> Option<N>,
    seen: impl Fn(&'a O, &'a R) -> Option<N>,
) -> Option<Vec<u64>> {
    let mut zones: FxHashMap<N, Zone> = FxHashMap::default();
    for view in part.iter() {
        if let Some(value) = written(view.op, view.ret) {
            let zone = Zone { first_return: view.span.ret, last_call: view.span.call };
            if zones.insert(value, zone).is_some() {
                return None;
            }
        }
    }
    for view in part.iter() {
        if let Some(zone) =
            view.ret.and_then(|ret| seen(view.op, ret)).and_then(|v| zones.get_mut(&v))
        {
            zone.include(view.span);
        }
    }
    let mut forward: Vec<Zone> = zones.values().copied().filter(|z| z.is_forward()).collect();
    forward.sort_unstable_by_key(|z| z.first_return);
    let key = |zone: Zone| {
        if zone.is_forward() {
            return 2 * u64::from(zone.first_return) + 1;
        }
        let before = forward.partition_point(|f| f.first_return < zone.last_call);
        let covering = before.checked_sub(1).map(|i| forward[i]);
        let moment = covering.map_or(zone.last_call, |f| f.last_call.max(zone.last_call));
        2 * u64::from(moment)
    };
    let of_op =
        |op, ret| written(op, ret).and_then(|v| zones.get(&v)).map_or(u64::MAX, |z| key(*z));
    Some(part.iter().map(|view| of_op(view.op, view.ret)).collect())
}
