//! Renders the verdicts of linpoint for people and programs.
//!
//! A [`Rendered`] is the outcome of a check as text: operations, results, states, client names. The
//! renderers depend on no specification and have no type parameters.
//!
//! | module | output |
//! | --- | --- |
//! | [`text`] | text for a terminal |
//! | [`html`] | a page with an interactive timeline |
//! | [`story`] | the same at length |
//! | [`details`] | how the history was checked |
//! | [`index_page`] | a page with a table of histories |
//! | [`run_page`] | a page with a run, step by step |
//! | [`json`] | the complete verdict for programs |
//! | [`junit`] | JUnit XML for test tools |
//! | [`github`] | annotations of a GitHub workflow, from [`Alert`]s |
//! | [`sarif`] | SARIF for code scanning, from [`Alert`]s |
//! | [`markdown`] | a summary for the page of a run |
//! | [`plan`] | how a history would be checked, and why |
//! | [`plot`] | latency, throughput and concurrency over time, as SVG |
//! | [`witness`] | the order of a linearizable history |

mod alert;
pub mod details;
mod difference;
mod failing_parts;
mod faults;
pub mod github;
pub mod html;
pub mod index_page;
mod jepsen;
pub mod json;
pub mod junit;
pub mod markdown;
mod page;
mod palette;
pub mod plan;
pub mod plot;
mod rendered;
pub mod run_page;
pub mod sarif;
mod sentence;
pub mod story;
pub mod text;
mod timeline;
pub mod witness;
mod xml;

pub use alert::{Alert, Place, Rule};
pub use failing_parts::{FailingParts, PartName};
pub use jepsen::Jepsen;
pub use rendered::{
    Annotation, Clock, Explanation, Failed, Heading, Operation, Operations, Outcome, Reading,
    Recorded, Rendered, Row, TypedOperations,
};
pub use sentence::SentencePiece;
