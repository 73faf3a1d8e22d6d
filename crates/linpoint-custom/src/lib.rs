//! Models that users write: a script, or a program in any language.
//!
//! A [`CustomModel`] is a specification like the bundled ones ([`FromWire`](linpoint::wire::FromWire)), so everything that
//! works with those works with it. What its operations do is known to its *relation*, which is either a script
//! ([`CustomModel::script`]) or a program that answers questions ([`CustomModel::command`]).
//!
//! * `lang/` is the language of scripts, which knows nothing of models;
//! * `script.rs` makes a relation of a script, `process/` of a program;
//! * `declared.rs` is what both say about themselves beyond what their operations do: the shape, keys, what can be called;
//! * `model.rs` is the specification.

mod convert;
mod declared;
mod lang;
mod model;
mod op;
mod process;
mod relation;
mod script;
mod starts;
mod test_run;

pub use lang::ScriptError;
pub use model::{CustomModel, Failed};
pub use op::CustomOp;
pub use process::ProcessLimits;
pub use starts::STARTS;
pub use test_run::{TestReport, test};
