//! `linpoint gen`, `convert`, `depth`, `explore`, `stats` and `shrink` as a user runs them.

mod convert;
mod depth;
mod explore;
mod r#gen;
mod java;
mod shrink;
mod stats;
mod support;
