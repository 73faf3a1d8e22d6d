//! `linpoint gen`, `convert`, `stats` and `shrink` as a user runs them.

mod convert;
mod r#gen;
mod stats;
mod support;
