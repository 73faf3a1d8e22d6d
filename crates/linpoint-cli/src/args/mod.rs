//! The command line: as typed ([`raw`]), and as the commands use it ([`resolved`]).

pub mod check;
pub mod convert;
pub mod depth;
pub mod explain;
pub mod explore;
pub mod generate;
pub mod meaning;
pub mod model;
pub mod names;
pub mod plan;
pub mod raw;
pub mod resolved;
pub mod result;
pub mod shrink;
pub mod spin;
pub mod stats;
mod units;
pub mod watch;
