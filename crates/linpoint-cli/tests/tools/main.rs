//! `linpoint gen`, `convert`, `depth`, `stats` and `shrink` as a user runs them.

mod convert;
mod depth;
mod r#gen;
mod java;
mod shrink;
mod stats;
mod support;
