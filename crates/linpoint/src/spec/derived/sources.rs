//! Contradictions of one to three operations.
//!
//! The rule follows a *thing* from where it comes to where it was noticed: a value of a register, an element of a
//! container, a permit. It reads only what operations may do, and what the completed ones returned and when. What it finds
//! stays valid if every operation that is not named is relaxed (moved anywhere, given any result, or left out), because
//! that changes nothing about what operations may do: those that could save the history are either named or do not exist.

use std::borrow::Cow;
use std::hash::Hash;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::history::{OpId, Span};
use crate::spec::{PartView, Refutation, Spec};
use crate::verdict::{Form, OpMention, Reason, ReasonKind};

/// If there are more sources of one thing than this, a proof takes more than three operations. It is left to the search.
const MAX_SOURCES: usize = 2;

/// Everything that could have provided one thing: the first few, and how many in all.
#[derive(Default)]
struct Sources {
    count: usize,
    first: SmallVec<[usize; MAX_SOURCES]>,
}

/// Reports things, one after the other.
type Things<'t, N> = &'t mut dyn FnMut(N);

/// What the operations of a part do with things. Operations are known by their positions.
pub(crate) struct Rules<'a, N> {
    /// When each operation was open.
    pub(crate) spans: &'a [Span],
    /// How often the thing is there at the beginning.
    pub(crate) initial: &'a dyn Fn(&N) -> usize,
    /// What an operation may provide, at most once each, whatever its result.
    pub(crate) provides: &'a dyn Fn(usize, Things<'_, N>),
    /// What an operation proves to have been there. Asked about completed operations only.
    pub(crate) sees: &'a dyn Fn(usize, Things<'_, N>),
    /// What an operation proves to have used up: no two operations can take what was provided once. It must also be
    /// among what it sees.
    pub(crate) takes: &'a dyn Fn(usize, Things<'_, N>),
}

/// A contradiction.
pub(crate) struct Found<N> {
    pub(crate) thing: N,
    pub(crate) flaw: Flaw,
}

/// What is wrong with a thing. Operations are known by their positions.
pub(crate) enum Flaw {
    /// It was seen, and nothing provides it.
    NeverProvided { seen_by: usize },
    /// It was seen by an operation that ended before all of those that provide it.
    ProvidedLater { seen_by: usize, providers: SmallVec<[usize; MAX_SOURCES]> },
    /// It was taken more often than it was provided.
    TakenTooOften { takers: Vec<usize>, provided: usize },
}

impl<N: Eq + Hash + Copy> Rules<'_, N> {
    /// A thing seen that no operation provides, seen before any operation began to provide it, or taken more often than it
    /// was provided.
    pub(crate) fn find(&self) -> Option<Found<N>> {
        let known = self.sources();
        let mut takers: FxHashMap<N, Vec<usize>> = FxHashMap::default();
        for at in (0..self.spans.len()).filter(|at| !self.spans[*at].is_pending()) {
            let mut found = None;
            (self.sees)(at, &mut |thing| {
                found = found.take().or_else(|| self.seen(at, thing, &known));
            });
            if found.is_none() {
                (self.takes)(at, &mut |thing| {
                    found = found.take().or_else(|| self.taken(at, thing, &known, &mut takers));
                });
            }
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn sources(&self) -> FxHashMap<N, Sources> {
        let mut known: FxHashMap<N, Sources> = FxHashMap::default();
        for at in 0..self.spans.len() {
            (self.provides)(at, &mut |thing| {
                let sources = known.entry(thing).or_default();
                if sources.count < MAX_SOURCES {
                    sources.first.push(at);
                }
                sources.count += 1;
            });
        }
        known
    }

    fn seen(&self, at: usize, thing: N, known: &FxHashMap<N, Sources>) -> Option<Found<N>> {
        if (self.initial)(&thing) > 0 {
            return None;
        }
        let Some(sources) = known.get(&thing) else {
            return Some(Found { thing, flaw: Flaw::NeverProvided { seen_by: at } });
        };
        // An operation that provides what it sees (a swap of 1 for 1) cannot have provided it for itself, and is never
        // later than itself: leave it to the search.
        let are_later = sources.first.iter().all(|s| self.spans[at].precedes(self.spans[*s]));
        (sources.count <= MAX_SOURCES && are_later).then(|| {
            let providers = sources.first.clone();
            Found { thing, flaw: Flaw::ProvidedLater { seen_by: at, providers } }
        })
    }

    fn taken(
        &self,
        at: usize,
        thing: N,
        known: &FxHashMap<N, Sources>,
        takers: &mut FxHashMap<N, Vec<usize>>,
    ) -> Option<Found<N>> {
        let sources = known.get(&thing).map_or(0, |s| s.count);
        let provided = (self.initial)(&thing).saturating_add(sources);
        if provided > MAX_SOURCES {
            return None;
        }
        let by = takers.entry(thing).or_default();
        by.push(at);
        (by.len() > provided).then(|| {
            let flaw = Flaw::TakenTooOften { takers: by.clone(), provided };
            Found { thing, flaw }
        })
    }
}

/// How to speak about things.
#[derive(Clone, Debug)]
pub(crate) struct Words {
    /// What an operation did that saw one which no operation provides.
    pub(crate) never: Cow<'static, str>,
    /// What operations did that provide it.
    pub(crate) provided: &'static str,
    /// What operations did that took it; how often it was there follows.
    pub(crate) took: &'static str,
}

impl Words {
    /// For containers.
    pub(crate) const ELEMENTS: Words = Words {
        never: Cow::Borrowed("found what was never added"),
        provided: "added what it found",
        took: "removed what was there",
    };
    /// For registers.
    pub(crate) const VALUES: Words = Words {
        never: Cow::Borrowed("found what was never written"),
        provided: "wrote what it found",
        took: "replaced what was there",
    };
}

impl Flaw {
    /// The contradiction as a sentence.
    pub(crate) fn into_refutation(
        self,
        words: &Words,
        mention: &dyn Fn(usize) -> OpMention,
    ) -> Refutation {
        let reason = Reason::new(ReasonKind::Contradiction);
        let (ops, reason) = match self {
            Flaw::NeverProvided { seen_by } => {
                let reason = reason.op(mention(seen_by)).text(format!(" {}", words.never));
                (vec![seen_by], reason)
            }
            Flaw::ProvidedLater { seen_by, providers } => {
                let reason = reason.op(mention(seen_by)).text(" had ended before ");
                let reason = list(reason, &providers, mention)
                    .text(format!(" began, which {}", words.provided));
                ([&[seen_by], &providers[..]].concat(), reason)
            }
            Flaw::TakenTooOften { takers, provided } => {
                let times = ["never", "at most once", "at most twice"][provided.min(MAX_SOURCES)];
                let reason =
                    list(reason, &takers, mention).text(format!(" {} {times}", words.took));
                (takers, reason)
            }
        };
        Refutation { ops: ops.into_iter().map(|at| mention(at).op).collect(), reason }
    }
}

/// `a, b and c`.
fn list(mut reason: Reason, rows: &[usize], mention: &dyn Fn(usize) -> OpMention) -> Reason {
    for (i, row) in rows.iter().enumerate() {
        reason = match i {
            0 => reason,
            _ if i + 1 == rows.len() => reason.text(" and "),
            _ => reason.text(", "),
        };
        reason = reason.op(mention(*row));
    }
    reason
}

/// What an operation of a typed specification does with things. See [`Rules`].
pub(crate) struct TypedRules<'a, O, R, N> {
    pub(crate) initial: &'a dyn Fn(&N) -> usize,
    pub(crate) provides: &'a dyn Fn(&'a O, Things<'_, N>),
    pub(crate) sees: &'a dyn Fn(&'a O, &'a R, Things<'_, N>),
    pub(crate) takes: &'a dyn Fn(&'a O, &'a R, Things<'_, N>),
    pub(crate) words: Words,
}

impl<'a, O, R, N: Eq + Hash + Copy> TypedRules<'a, O, R, N> {
    /// A contradiction in `part`, for specifications whose shape says too little.
    pub(crate) fn refute<S: Spec<Op = O, Ret = R>>(
        &self,
        spec: &S,
        part: &PartView<'a, O, R>,
    ) -> Option<Refutation> {
        let views: Vec<_> = part.iter().collect();
        let spans: Vec<Span> = views.iter().map(|view| view.span).collect();
        let found = Rules {
            spans: &spans,
            initial: self.initial,
            provides: &|at, things| (self.provides)(views[at].op, things),
            sees: &|at, things| {
                if let Some(ret) = views[at].ret {
                    (self.sees)(views[at].op, ret, things);
                }
            },
            takes: &|at, things| {
                if let Some(ret) = views[at].ret {
                    (self.takes)(views[at].op, ret, things);
                }
            },
        }
        .find()?;
        let mention = |at: usize| {
            let view = views[at];
            let result = view.ret.map(|ret| spec.describe_ret(view.op, ret));
            typed_mention(view.id, spec.describe_op(view.op), result)
        };
        Some(found.flaw.into_refutation(&self.words, &mention))
    }
}

/// An operation of a sentence. Its process is filled in where the history is known.
pub(crate) fn typed_mention(op: OpId, call: String, result: Option<String>) -> OpMention {
    OpMention { op, form: Form::WithClient, call, process: None, result }
}
