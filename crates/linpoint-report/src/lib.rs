//! Shows the verdicts of linpoint to people.
//!
//! A [`Rendered`] is the outcome of a check with everything turned into text: operations, results,
//! states, names of clients. What draws it ([`text`]) knows no specification and no type parameter.

mod rendered;
pub mod text;
mod timeline;

pub use rendered::{Explanation, Heading, Operation, Operations, Outcome, Rendered, Row, Typed};
