//! `linpoint gen`, `convert`, `stats` and `shrink` as a user runs them.

mod convert;
mod explore;
mod r#gen;
mod shrink;
mod stats;
mod support;
