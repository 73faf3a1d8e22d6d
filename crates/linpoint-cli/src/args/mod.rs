//! The command line: as typed ([`raw`]), and as the commands use it ([`resolved`]).

pub mod convert;
pub mod depth;
pub mod explain;
pub mod generate;
pub mod raw;
pub mod resolved;
pub mod shrink;
pub mod stats;
mod units;
pub mod watch;
