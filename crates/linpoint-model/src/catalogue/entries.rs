//! The catalogue by name, for the command line and for tables.

use std::fmt;

use linpoint::Spec;

use super::*;
use crate::bounds::{Bounds, MAX_THREADS, parse_program};
use crate::error::ModelError;
use crate::explore::{Exploration, Settings, explore};
use crate::model::Model;

/// Bounds as a user states them, without the types of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Asked {
    /// All programs with this many operations in total.
    Total {
        /// Number of threads.
        threads: usize,
        /// Operations of all threads together.
        ops: u8,
    },
    /// All programs with this many operations per thread.
    PerThread {
        /// Number of threads.
        threads: usize,
        /// Operations of each thread.
        ops: u8,
    },
    /// All programs of any length.
    Unbounded {
        /// Number of threads.
        threads: usize,
    },
    /// A program: `push 1; pop | pop`.
    Program(String),
}

impl Asked {
    /// Number of threads.
    pub fn threads(&self) -> usize {
        match self {
            Asked::Total { threads, .. }
            | Asked::PerThread { threads, .. }
            | Asked::Unbounded { threads } => *threads,
            Asked::Program(text) => text.split('|').count(),
        }
    }
}

impl fmt::Display for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Asked::Total { threads, ops } => write!(f, "any-{ops}×{threads}"),
            Asked::PerThread { threads, ops } => write!(f, "n={threads} b={ops}"),
            Asked::Unbounded { threads } => write!(f, "n={threads} unbounded"),
            Asked::Program(text) => f.write_str(text),
        }
    }
}

/// A model behind a trait object.
pub trait Explorable: Send + Sync {
    /// Explores the model. Bounds that do not fit it are [`ModelError::Unsupported`], programs that do not are
    /// [`ModelError::Program`].
    fn explore(&self, asked: &Asked, settings: &Settings<'_>) -> Result<Exploration, ModelError>;

    /// The operations that threads may call, as text.
    fn operations(&self) -> Vec<String>;

    /// True if the model says when operations take effect.
    fn has_points(&self) -> bool;

    /// True if the model is a snapshot object, whose simple executions can be explored.
    fn is_snapshot(&self) -> bool;
}

impl<M: Model> Explorable for M {
    fn explore(&self, asked: &Asked, settings: &Settings<'_>) -> Result<Exploration, ModelError> {
        let bounds = match asked {
            Asked::Total { threads, ops } => Bounds::Total { threads: *threads, ops: *ops },
            Asked::PerThread { threads, ops } => Bounds::PerThread { threads: *threads, ops: *ops },
            Asked::Unbounded { threads } => Bounds::Unbounded { threads: *threads },
            Asked::Program(text) => Bounds::Programs(parse_program(self, text)?),
        };
        explore(self, &bounds, settings)
    }

    fn operations(&self) -> Vec<String> {
        (M::INTERFACE.calls)(0, 1).iter().map(|op| self.spec().describe_op(op)).collect()
    }

    fn has_points(&self) -> bool {
        Model::has_points(self)
    }

    fn is_snapshot(&self) -> bool {
        self.snapshot().is_some()
    }
}

/// A model of the catalogue.
pub struct Entry {
    /// The name.
    pub name: &'static str,
    /// One-line description.
    pub about: &'static str,
    /// True if the algorithm is correct, as far as is known.
    pub is_right: bool,
    /// The meaning and the default of the number after the colon, if the model takes one.
    pub parameter: Option<(&'static str, u8)>,
    make: fn(usize, u8) -> Box<dyn Explorable>,
}

impl Entry {
    /// Creates the model for this many threads.
    pub fn model(&self, threads: usize, parameter: Option<u8>) -> Box<dyn Explorable> {
        let default = self.parameter.map_or(0, |(_, default)| default);
        (self.make)(threads.clamp(1, MAX_THREADS), parameter.unwrap_or(default))
    }
}

macro_rules! entries {
    ($($name:literal $about:literal $verdict:ident $make:expr;)*) => {
        &[$(Entry {
            name: $name,
            about: $about,
            is_right: stringify!($verdict).as_bytes()[0] == b'r',
            parameter: None,
            make: |threads, _| Box::new($make(threads)),
        }),*]
    };
}

// PERF: a static behind a function that is not inlined. A constant would be copied into every crate that calls
// `entries`, and all models would be compiled again there.
static PLAIN: &[Entry] = entries! {
    "treiber" "Treiber's stack with garbage collection" right |_| Treiber::collected();
    "treiber-tagged" "Treiber's stack, nodes used again, with tags" right |_| Treiber::tagged();
    "treiber-reuse-before" "Treiber's stack, nodes used again, value read before the CAS" wrong |_| Treiber::reuse_value_before();
    "treiber-reuse-after" "Treiber's stack, nodes used again, value read after the CAS" wrong |_| Treiber::reuse_value_after();
    "elimination" "elimination stack with one slot" right |_| Elimination::correct();
    "elimination-kind-unchecked" "elimination stack that does not ask whom it has met" wrong |_| Elimination::kind_unchecked();
    "time-stamped" "time-stamped stack" right TimeStamped::correct;
    "time-stamped-stamps-first" "time-stamped stack that takes the time before it inserts" wrong TimeStamped::stamps_first;
    "michael-scott" "queue of Michael and Scott with garbage collection" right |_| MichaelScott::collected();
    "michael-scott-counted" "queue of Michael and Scott, nodes used again, with counters" right |_| MichaelScott::counted();
    "michael-scott-uncounted" "queue of Michael and Scott, nodes used again, without counters" wrong |_| MichaelScott::uncounted();
    "michael-scott-value-after" "queue of Michael and Scott with counters, value read after the CAS" wrong |_| MichaelScott::value_after();
    "michael-scott-without-test" "queue of Michael and Scott without the test Head = Tail: not a bug" right |_| MichaelScott::without_test();
    "herlihy-wing" "queue of Herlihy and Wing" right |_| HerlihyWing::correct();
    "herlihy-wing-split" "queue of Herlihy and Wing, slots taken by read and write" wrong |_| HerlihyWing::split();
    "herlihy-wing-downwards" "queue of Herlihy and Wing, searched from the end" wrong |_| HerlihyWing::downwards();
    "snark" "Snark deque as published" wrong |_| Snark::published();
    "snark-first-repaired" "Snark deque, first error repaired" wrong |_| Snark::first_repaired();
    "snark-claim" "Snark deque, repaired with a claim on the value" right |_| Snark::claim();
    "snark-3cas" "Snark deque, repaired with a three-word CAS" right |_| Snark::triple_cas();
    "harris-michael" "lock-free list of Harris and Michael" right |_| HarrisMichael::correct();
    "harris-michael-unmarked" "lock-free list without marks" wrong |_| HarrisMichael::unmarked();
    "harris-michael-contains-blind" "lock-free list whose contains ignores marks" wrong |_| HarrisMichael::contains_blind();
    "lazy-list" "lazy list" right |_| LockedList::lazy();
    "lazy-list-validation-blind" "lazy list whose validation ignores marks" wrong |_| LockedList::lazy_validation_blind();
    "lazy-list-unmarked" "lazy list whose remove does not mark" wrong |_| LockedList::lazy_unmarked();
    "lazy-list-contains-blind" "lazy list whose contains ignores marks: not a bug" right |_| LockedList::lazy_contains_blind();
    "optimistic-list" "optimistic list" right |_| LockedList::optimistic();
    "optimistic-list-unvalidated" "optimistic list without the second walk" wrong |_| LockedList::optimistic_unvalidated();
    "optimistic-list-contains-walks" "optimistic list whose contains just walks: not a bug" right |_| LockedList::optimistic_contains_walks();
    "skip-list" "lock-free skip list with two levels" right |_| SkipList::correct();
    "skip-list-plain-mark" "lock-free skip list, mark by a plain write" wrong |_| SkipList::plain_mark();
    "skip-list-contains-blind" "lock-free skip list whose contains ignores marks" wrong |_| SkipList::contains_blind();
    "skip-list-equal-hashes" "lock-free skip list ordered by hashes, all of them equal" right |_| SkipList::equal_hashes();
    "skip-list-equal-hashes-skipped" "the same, its searches skip nodes with an equal hash" wrong |_| SkipList::equal_hashes_skipped();
    "laarman" "slot of Laarman's hash map, delete by CAS" right |_| Laarman::correct();
    "laarman-delete-writes" "slot of Laarman's hash map, delete by a plain write" wrong |_| Laarman::delete_writes();
    "laarman-delete-waits-and-writes" "slot of Laarman's hash map, delete waits, then writes" wrong |_| Laarman::delete_waits_and_writes();
    "laarman-status-first" "slot of Laarman's hash map, status before value" wrong |_| Laarman::status_first();
    "bowman" "Bowman's snapshot" right Bowman::correct;
    "bowman-wrong" "Bowman's snapshot, any other scan will do" wrong Bowman::wrong;
    "afek-unbounded" "snapshot of Afek et al. with sequence numbers" right Afek::unbounded;
    "afek-unbounded-wrong" "the same, numbers not increased" wrong Afek::unbounded_wrong;
    "afek-bounded" "snapshot of Afek et al. with handshakes" right Afek::bounded;
    "afek-bounded-wrong" "the same, bits not negated" wrong Afek::bounded_wrong;
    "attiya-welch" "snapshot of Attiya and Welch" right AttiyaWelch::correct;
    "attiya-welch-wrong" "the same, bits not negated" wrong AttiyaWelch::wrong;
    "attiya-welch-last-only" "the same, only the last segment counts" wrong AttiyaWelch::last_only;
    "attiya-welch-old-view" "the same, view not read afresh" wrong AttiyaWelch::old_view;
    "jayanti" "Jayanti's snapshot" right Jayanti::correct;
    "jayanti-wrong" "Jayanti's snapshot, result in an ordinary register" wrong Jayanti::wrong;
    "riany" "snapshot of Riany, Shavit and Touitou" right Riany::correct;
    "riany-wrong" "the same, result not copied" wrong Riany::wrong;
};

const SLOTS: Option<(&str, u8)> = Some(("slots, at most 4", 2));

static WITH_SLOTS: &[Entry] = &[
    Entry {
        name: "array-queue",
        about: "array queue of Shann, Huang and Chen",
        is_right: false,
        parameter: SLOTS,
        make: |_, slots| Box::new(ArrayQueue::published(slots)),
    },
    Entry {
        name: "array-queue-test-first",
        about: "array queue, tests before it reads",
        is_right: true,
        parameter: SLOTS,
        make: |_, slots| Box::new(ArrayQueue::test_first(slots)),
    },
    Entry {
        name: "array-queue-read-again",
        about: "array queue, reads slots again",
        is_right: true,
        parameter: SLOTS,
        make: |_, slots| Box::new(ArrayQueue::read_again(slots)),
    },
];

/// All models.
#[inline(never)]
pub fn entries() -> impl Iterator<Item = &'static Entry> {
    PLAIN.iter().chain(WITH_SLOTS)
}

/// A name that does not identify a model of the catalogue.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FindError {
    /// There is no model of this name.
    UnknownModel(String),
    /// This model takes no number after its name.
    NoParameter(&'static str),
    /// The model does not take this number.
    BadParameter {
        /// The text after the colon.
        given: String,
        /// What the number means.
        expected: &'static str,
    },
}

impl fmt::Display for FindError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FindError::UnknownModel(name) => write!(f, "there is no model {name:?}"),
            FindError::NoParameter(name) => write!(f, "{name} takes no number"),
            FindError::BadParameter { given, expected } => {
                write!(f, "{given:?} is not a number of {expected}")
            }
        }
    }
}

impl std::error::Error for FindError {}

/// Finds a model by name. A number after a colon is its parameter: `array-queue:3`.
pub fn find(name: &str) -> Result<(&'static Entry, Option<u8>), FindError> {
    let (base, parameter) = match name.split_once(':') {
        None => (name, None),
        Some((base, number)) => (base, Some(number)),
    };
    let Some(entry) = entries().find(|entry| entry.name == base) else {
        return Err(FindError::UnknownModel(base.to_owned()));
    };
    match (parameter, entry.parameter) {
        (None, _) => Ok((entry, None)),
        (Some(_), None) => Err(FindError::NoParameter(entry.name)),
        (Some(number), Some((what, _))) => match number.parse::<u8>() {
            Ok(number @ 1..=4) => Ok((entry, Some(number))),
            _ => Err(FindError::BadParameter { given: number.to_owned(), expected: what }),
        },
    }
}
