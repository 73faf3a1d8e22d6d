//! `linpoint gen`, `convert`, `stats` and `shrink` as a user runs them.

mod r#gen;
mod support;
