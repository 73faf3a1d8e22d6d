//! Proofs of one to three operations that several models share.
//!
//! Both rules read only what the completed operations of a part returned and when. They stay valid
//! if every other operation is relaxed (moved anywhere, given any result, or left out), because the
//! operations that could save the history are either counted or do not exist.

use std::fmt::Debug;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::history::{OpId, Span};
use crate::spec::{PartView, Refutation};

/// More writers of one value than this, and a read from the future takes too many operations to
/// name; it is left to the search.
const MAX_WRITERS: usize = 2;

/// Everything that could have written one value: the first few, and how many in all.
struct Writers {
    count: usize,
    first: [(OpId, Span); MAX_WRITERS],
}

/// A read of a value that nobody ever wrote, or that was written only after the read had ended.
///
/// `written` gives the value that an operation may leave behind, `read` the value that a completed
/// operation proves to have been there, `show` the value in words.
pub(super) fn reads<'a, O, R, V>(
    part: &PartView<'a, O, R>,
    initial: Option<&V>,
    written: impl Fn(&'a O) -> Option<&'a V>,
    read: impl Fn(&'a O, Option<&'a R>) -> Option<&'a V>,
    show: impl Fn(&V) -> String,
) -> Option<Refutation>
where
    V: Eq + Hash + Debug + 'a,
{
    let mut writers: FxHashMap<&V, Writers> = FxHashMap::default();
    for view in part.iter() {
        let Some(value) = written(view.op) else { continue };
        let w = writers
            .entry(value)
            .or_insert(Writers { count: 0, first: [(view.id, view.span); MAX_WRITERS] });
        if w.count < MAX_WRITERS {
            w.first[w.count] = (view.id, view.span);
        }
        w.count += 1;
    }
    for view in part.iter() {
        if view.span.is_pending() {
            continue;
        }
        let Some(value) = read(view.op, view.ret) else { continue };
        if initial == Some(value) {
            continue;
        }
        let Some(w) = writers.get(value) else {
            let reason = format!("{} was seen, but nobody ever wrote it", show(value));
            return Some(Refutation { ops: vec![view.id], reason });
        };
        let known = &w.first[..w.count.min(MAX_WRITERS)];
        // An operation that writes what it reads (a compare-and-set of 1 to 1) cannot have
        // provided the value for itself, and is never "later" than itself: leave it to the search.
        if w.count <= MAX_WRITERS && known.iter().all(|(_, span)| view.span.precedes(*span)) {
            let mut ops = vec![view.id];
            ops.extend(known.iter().map(|(id, _)| *id));
            let reason = format!(
                "{} was seen by an operation that ended before anyone began to write it",
                show(value)
            );
            return Some(Refutation { ops, reason });
        }
    }
    None
}
