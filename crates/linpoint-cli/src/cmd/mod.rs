//! The commands, one file each.

pub mod check;
pub mod explain;
pub mod formats;
pub mod models;
mod places;
mod results;
pub mod shell;
pub mod watch;
mod words;
