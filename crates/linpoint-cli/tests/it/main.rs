//! Runs the `linpoint` command as a user does: one module per command, plus those about bad input,
//! many files, and the shell.

mod bad_input;
mod check;
mod ci;
mod config;
mod convert;
mod depth;
mod docs;
mod explain;
mod explore;
mod faults;
mod r#gen;
mod java;
mod limits;
mod mapping;
mod model;
mod pages;
mod parallel;
mod plan;
mod recorders;
mod schema;
mod selection;
mod shell;
mod shrink;
mod spin;
mod stats;
mod support;
mod watch;
mod watch_page;
mod words;
mod workloads;
