//! The commands, one module each, and what they share.

pub mod check;
pub mod convert;
pub mod depth;
pub mod explain;
pub mod explore;
pub mod formats;
pub mod generate;
mod loaded;
pub mod model;
pub mod models;
pub mod plan;
mod plotted;
mod results;
pub mod shell;
pub mod shrink;
mod side_files;
pub mod spin;
pub mod stats;
pub mod watch;
