//! Shows the verdicts of linpoint to people, and to other programs.
//!
//! A [`Rendered`] is the outcome of a check with everything turned into text: operations, results,
//! states, names of clients. What draws it knows no specification and no type parameter.
//!
//! | module | for |
//! | --- | --- |
//! | [`text`] | people at a terminal |
//! | [`html`] | people at a browser: a page with an interactive timeline |
//! | [`json`] | programs: everything about the verdict |
//! | [`junit`] | programs that run tests |
//! | [`plan`] | whoever wants to know how a history would be checked, and why |
//! | [`witness`] | whoever wants to follow the order of a linearizable history |

pub mod html;
pub mod json;
pub mod junit;
pub mod plan;
mod rendered;
pub mod text;
mod timeline;
pub mod witness;

pub use rendered::{
    Annotation, Explanation, Heading, Operation, Operations, Outcome, Rendered, Row, Typed,
};
