//! The differential test suite of linpoint. For tests only.
//!
//! * [`oracle`] is the slow, obviously correct reference checker. It shares no code with an engine.
//! * [`generate`] draws random histories, [`exhaustive`] lists all small ones, both from a
//!   [`Vocabulary`]; [`corpus`] has one vocabulary for each model, whose types [`erased`] hides.
//! * [`runner`] runs every [`Candidate`](runner::Candidate) on every history, compares the answers
//!   with the oracle, validates all evidence with its own code ([`replay`]), and shrinks the first
//!   disagreement to a few lines that can be pasted into a regression test.
//! * [`metamorphic`] changes histories in ways whose effect on the verdict is known without any
//!   oracle, so it also reaches histories that are too large for one.
//! * [`streams`] feeds events to two incremental checkers, with and without monitors.
//! * [`arguments`] confirms what explanations say, from the text of the operations alone.
//! * [`etcd`] draws histories of etcd, with requests that did not answer, and tries every order.
//! * [`small`] is brute force on objects that fit into a word, for the millions of histories on
//!   which the monitors are tested.

pub mod arguments;
pub mod bundled;
pub mod candidate;
pub mod corpus;
pub mod draft;
pub mod erased;
pub mod etcd;
pub mod exhaustive;
pub mod generate;
pub mod metamorphic;
pub mod oracle;
pub mod replay;
pub mod runner;
pub mod shrink;
pub mod small;
pub mod specs;
pub mod streams;
pub mod vocabulary;

pub use candidate::{CheckerCandidate, OracleCandidate};
pub use draft::{Draft, Row};
pub use fastrand::Rng;
pub use vocabulary::Vocabulary;

/// The random numbers of the `index`-th case of a seed. One case can be drawn without the others.
pub fn rng_of_case(seed: u64, index: u64) -> Rng {
    Rng::with_seed(Rng::with_seed(seed).u64(..) ^ Rng::with_seed(index).u64(..))
}
