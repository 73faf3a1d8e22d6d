//! Traces: how a spec says which operations can notice which, without looking at all pairs.

use std::hash::Hash;

use smallvec::SmallVec;

use super::stable_hash;

/// What an operation leaves behind or depends on, as a set of named traces.
///
/// Names are hashes; two names with one hash only make a pending operation a candidate in vain.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Traces {
    /// Possibly everything: the answer that is always right.
    Any,
    /// These traces, and nothing else. Empty: nothing.
    Named(SmallVec<[u64; 2]>),
    /// Possibly everything, but these traces by name. An operation that only needs the state to be
    /// *different* from 5 senses anything, and 5 by name.
    AnyAnd(SmallVec<[u64; 2]>),
}

impl Traces {
    /// No trace at all.
    pub fn none() -> Traces {
        Traces::Named(SmallVec::new())
    }

    /// One trace.
    pub fn one<K: Hash + ?Sized>(name: &K) -> Traces {
        Traces::Named(SmallVec::from_slice(&[stable_hash(name)]))
    }

    /// Anything, and one trace by name.
    pub fn any_and<K: Hash + ?Sized>(name: &K) -> Traces {
        Traces::AnyAnd(SmallVec::from_slice(&[stable_hash(name)]))
    }

    /// These traces.
    pub fn all<K: Hash>(names: impl IntoIterator<Item = K>) -> Traces {
        Traces::Named(names.into_iter().map(|k| stable_hash(&k)).collect())
    }

    /// Anything, and these traces by name.
    pub fn any_and_all<K: Hash>(names: impl IntoIterator<Item = K>) -> Traces {
        Traces::AnyAnd(names.into_iter().map(|k| stable_hash(&k)).collect())
    }

    /// These traces, and those of `other`.
    pub fn and(mut self, other: &Traces) -> Traces {
        if let Traces::Named(names) | Traces::AnyAnd(names) = &mut self {
            names.extend_from_slice(other.names());
        }
        match (self, other) {
            (Traces::Any, _) => Traces::AnyAnd(other.names().into()),
            (Traces::Named(names), other) if other.is_any() => Traces::AnyAnd(names),
            (traces, _) => traces,
        }
    }

    /// The traces that are named.
    pub fn names(&self) -> &[u64] {
        match self {
            Traces::Any => &[],
            Traces::Named(names) | Traces::AnyAnd(names) => names,
        }
    }

    /// True if anything at all may be left or noticed.
    pub fn is_any(&self) -> bool {
        !matches!(self, Traces::Named(_))
    }

    /// True if something that leaves `self` could be noticed by something that senses `sensed`.
    pub fn meets(&self, sensed: &Traces) -> bool {
        let nothing = |t: &Traces| matches!(t, Traces::Named(n) if n.is_empty());
        if nothing(self) || nothing(sensed) {
            return false;
        }
        self.is_any() || sensed.is_any() || self.names().iter().any(|n| sensed.names().contains(n))
    }
}
