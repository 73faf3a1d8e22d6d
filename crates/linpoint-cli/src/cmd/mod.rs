//! The commands, one file each.

pub mod check;
pub mod convert;
pub mod depth;
pub mod explore;
pub mod formats;
pub mod generate;
pub mod models;
mod places;
pub mod plan;
mod results;
pub mod shell;
pub mod shrink;
pub mod spin;
pub mod stats;
pub mod watch;
mod words;
