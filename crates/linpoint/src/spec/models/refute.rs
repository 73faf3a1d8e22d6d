//! Proofs of one to three operations that several models share.
//!
//! The rules follow a *thing* from where it comes to where it was noticed: a value of a register,
//! an element of a container, a permit. They read only the arguments of all operations and what the
//! completed ones returned and when. They stay valid if every operation that is not named is relaxed
//! (moved anywhere, given any result, or left out), because relaxing changes no arguments: the
//! operations that could save the history are either named or do not exist.

use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::history::{OpId, Span};
use crate::spec::{PartView, Refutation};

/// More sources of one thing than this, and a proof takes more than three operations; it is left
/// to the search.
const MAX_SOURCES: usize = 2;

/// Everything that could have provided one thing: the first few, and how many in all.
struct Sources {
    count: usize,
    first: [(OpId, Span); MAX_SOURCES],
}

/// How a model speaks about its things.
pub(super) struct Words<F> {
    /// What providing is called: `("wrote", "write")`, `("added", "add")`.
    pub verb: (&'static str, &'static str),
    /// A thing in words.
    pub show: F,
}

/// Something seen that nobody ever provided, seen before anyone began to provide it, or taken more
/// often than it was provided.
///
/// * `initial`: how often the thing is there at the beginning.
/// * `sources`: what an operation may provide, at most once each, whatever its result.
/// * `seen`: what a completed operation proves to have been there.
/// * `taken`: what a completed operation proves to have used up: no two operations can take what was
///   provided once. It must also be among `seen`.
pub(super) fn sources<'a, O, R, N, A, B, C, F>(
    part: &PartView<'a, O, R>,
    initial: impl Fn(&N) -> usize,
    sources: impl Fn(&'a O) -> A,
    seen: impl Fn(&'a O, &'a R) -> B,
    taken: impl Fn(&'a O, &'a R) -> C,
    words: Words<F>,
) -> Option<Refutation>
where
    N: Eq + Hash + Copy,
    A: IntoIterator<Item = N>,
    B: IntoIterator<Item = N>,
    C: IntoIterator<Item = N>,
    F: Fn(&N) -> String,
{
    let Words { verb: (past, base), show } = words;
    let mut known: FxHashMap<N, Sources> = FxHashMap::default();
    for view in part.iter() {
        for thing in sources(view.op) {
            let s = known
                .entry(thing)
                .or_insert(Sources { count: 0, first: [(view.id, view.span); MAX_SOURCES] });
            if s.count < MAX_SOURCES {
                s.first[s.count] = (view.id, view.span);
            }
            s.count += 1;
        }
    }
    let mut takers: FxHashMap<N, Vec<OpId>> = FxHashMap::default();
    for view in part.iter() {
        // A pending operation proves nothing: it may not have happened.
        let (Some(ret), false) = (view.ret, view.span.is_pending()) else { continue };
        for thing in seen(view.op, ret) {
            if initial(&thing) > 0 {
                continue;
            }
            let Some(s) = known.get(&thing) else {
                let reason = format!("{} was seen, but nobody ever {past} it", show(&thing));
                return Some(Refutation { ops: vec![view.id], reason: reason.into() });
            };
            // An operation that provides what it sees (a compare-and-set of 1 to 1) cannot have
            // provided it for itself, and is never "later" than itself: leave it to the search.
            let first = &s.first[..s.count.min(MAX_SOURCES)];
            if s.count <= MAX_SOURCES && first.iter().all(|(_, span)| view.span.precedes(*span)) {
                let mut ops = vec![view.id];
                ops.extend(first.iter().map(|(id, _)| *id));
                let reason = format!(
                    "{} was seen by an operation that ended before anyone began to {base} it",
                    show(&thing)
                );
                return Some(Refutation { ops, reason: reason.into() });
            }
        }
        for thing in taken(view.op, ret) {
            let provided = initial(&thing) + known.get(&thing).map_or(0, |s| s.count);
            if provided > MAX_SOURCES {
                continue;
            }
            let by = takers.entry(thing).or_default();
            by.push(view.id);
            if by.len() > provided {
                let times = ["never", "only once", "only twice"][provided];
                let reason = format!(
                    "{} was taken by {} operations, but can have been there {times}",
                    show(&thing),
                    by.len(),
                );
                return Some(Refutation { ops: by.clone(), reason: reason.into() });
            }
        }
    }
    None
}

/// [`sources`] for an object that begins empty and from which elements are taken.
pub(super) fn elements<'a, O, R, N, B, C>(
    part: &PartView<'a, O, R>,
    added: impl Fn(&'a O) -> Option<N>,
    seen: impl Fn(&'a O, &'a R) -> B,
    taken: impl Fn(&'a O, &'a R) -> C,
) -> Option<Refutation>
where
    N: Eq + Hash + Copy + std::fmt::Debug,
    B: IntoIterator<Item = N>,
    C: IntoIterator<Item = N>,
{
    let words = Words { verb: ("added", "add"), show: |v: &N| format!("{v:?}") };
    sources(part, |_| 0, added, seen, taken, words)
}
