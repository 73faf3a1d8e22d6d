//! Operations of a model that a user wrote.

use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, PoisonError};

use linpoint::wire::Value;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;

/// An operation: a name with arguments.
#[derive(Clone, Debug)]
pub struct CustomOp {
    /// Its name.
    pub name: &'static str,
    /// Its arguments.
    pub args: SmallVec<[Value; 2]>,
    /// Who calls, if the model wants to know.
    pub process: Option<u32>,
    /// What it is about. It follows from the rest.
    pub(crate) key: Key,
    /// True if it changes nothing. It follows from the rest.
    pub(crate) is_read: bool,
}

/// The independent part of the object that an operation is about.
#[derive(Clone, Debug, Default)]
pub(crate) enum Key {
    #[default]
    Whole,
    One(Value),
    Several(Box<[Value]>),
}

impl PartialEq for CustomOp {
    fn eq(&self, other: &CustomOp) -> bool {
        self.name == other.name && self.args == other.args && self.process == other.process
    }
}

impl Eq for CustomOp {}

impl Hash for CustomOp {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.name.len(), self.name.as_bytes().first()).hash(state);
        self.args.hash(state);
        self.process.hash(state);
    }
}

/// The names of operations. Names on the wire live as long as the program, so there must not be too many.
#[derive(Debug, Default)]
pub(crate) struct Names {
    known: FxHashSet<&'static str>,
    others: Mutex<HashSet<&'static str>>,
}

/// A model with more names of operations than this is refused.
const MOST_NAMES: usize = 1000;

impl Names {
    /// Names that are likely to be met.
    pub(crate) fn new<'a>(likely: impl Iterator<Item = &'a str>) -> Names {
        let likely = likely.filter(|name| name.len() < 64).take(MOST_NAMES);
        let known = likely.map(|name| &*Box::leak(name.into())).collect();
        Names { known, others: Mutex::default() }
    }

    /// The name; `None` if there are too many.
    pub(crate) fn get(&self, name: &str) -> Option<&'static str> {
        if let Some(known) = self.known.get(name) {
            return Some(known);
        }
        let mut others = self.others.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = others.get(name) {
            return Some(known);
        }
        if others.len() >= MOST_NAMES {
            return None;
        }
        let leaked: &'static str = Box::leak(name.into());
        others.insert(leaked);
        Some(leaked)
    }
}
