//! In which order the values of a register probably came and went, if each was written once.
//!
//! The *zone* of a value goes from the first return to the last call among its write and the
//! operations that saw it. If the first return comes first, the value was certainly there in
//! between, and such forward zones follow each other in time. Otherwise all its operations overlap,
//! and the value can come and go at one moment: at the last call, or right after a forward zone that
//! covers that moment. This is the order of Gibbons and Korach for registers (*Testing shared
//! memories*, SIAM J. Comput. 1997), used as a guess.

use rustc_hash::FxHashMap;

use super::Row;
use crate::history::Span;
use crate::sorting::sort_by_key;
use crate::spec::{Name, Role};

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

/// A value in the register of a key.
type Value = (Option<Name>, Name);

/// What a row leaves in its register.
fn written(row: &Row) -> Option<Value> {
    match row.effect() {
        Role::Write(to) | Role::Replace { to, .. } => Some((row.key, to)),
        _ => None,
    }
}

/// What a row proves to have been there.
fn seen(row: &Row) -> Option<Value> {
    match row.role {
        Role::Read(name) | Role::Replace { from: name, .. } if row.is_evidence() => {
            Some((row.key, name))
        }
        _ => None,
    }
}

/// Sort keys for [`crate::spec::Claims::guide`], or nothing if a value was written twice, or if it is not known what an
/// operation does.
pub(super) fn guide(rows: &[Row]) -> Option<Vec<u64>> {
    let mut zones: FxHashMap<Value, Zone> = FxHashMap::default();
    for row in rows {
        if matches!(row.effect(), Role::Foreign(_)) {
            return None;
        }
        if let Some(value) = written(row) {
            let zone = Zone { first_return: row.span.ret, last_call: row.span.call };
            if zones.insert(value, zone).is_some() {
                return None;
            }
        }
    }
    for row in rows {
        if let Some(zone) = seen(row).and_then(|value| zones.get_mut(&value)) {
            zone.include(row.span);
        }
    }
    let mut forward: Vec<Zone> = zones.values().copied().filter(|z| z.is_forward()).collect();
    sort_by_key(&mut forward, |z| z.first_return);
    let key = |zone: Zone| {
        if zone.is_forward() {
            return 2 * u64::from(zone.first_return) + 1;
        }
        let before = forward.partition_point(|f| f.first_return < zone.last_call);
        let covering = before.checked_sub(1).map(|i| forward[i]);
        let moment = covering.map_or(zone.last_call, |f| f.last_call.max(zone.last_call));
        2 * u64::from(moment)
    };
    let of_row =
        |row| written(row).and_then(|value| zones.get(&value)).map_or(u64::MAX, |zone| key(*zone));
    Some(rows.iter().map(of_row).collect())
}
