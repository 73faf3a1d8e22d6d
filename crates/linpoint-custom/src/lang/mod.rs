//! The language of scripts: a deterministic subset of Python, much like Starlark.
//!
//! A script cannot read files, clocks or random numbers, cannot call out, and cannot run forever: each call has a number of
//! ticks. So a step always has the same outcome.
//!
//! `lex` and `parse` make a tree, `eval` walks it. `value` is what variables hold, `state` is values as bytes.

// Keys of dicts and sets are values that cannot change, see `Val::is_key`.
#![allow(clippy::mutable_key_type)]

mod ast;
mod builtins;
mod eval;
mod fault;
mod lex;
mod methods;
mod ops;
mod parse;
pub(crate) mod state;
#[cfg(test)]
mod tests;
mod value;

pub(crate) use ast::Program;
pub(crate) use eval::Machine;
pub use fault::ScriptError;
pub(crate) use fault::{Fault, Outcome, Pos, fault};
pub(crate) use parse::parse;
pub(crate) use value::Val;
