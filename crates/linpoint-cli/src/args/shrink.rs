//! Arguments of `linpoint shrink`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::raw::{OneHistory, format_names};
use super::units;

pub const EXAMPLES: &str = "\
Examples:
  linpoint shrink run.jsonl -o small.jsonl        the operations that contradict each other
  linpoint shrink --format limo run.hist          in the format of another tool
  linpoint shrink --budget 5m run.edn | linpoint check -

Operations that are left over may become ones that never returned, called before everything else: they
may have happened at any time or not at all, and it is a contradiction all the same. What is written is
checked again before it is.

Exit codes:
  2  the usage or the input was bad; else
  1  the history is not linearizable, and the smaller one is written; else
  3  a limit was hit before an answer was found; else
  0  the history is linearizable: there is nothing to write";

/// Arguments of `shrink`.
#[derive(Args, Debug)]
pub struct Shrink {
    /// What to shrink.
    #[command(flatten)]
    pub history: OneHistory,

    /// The format to write
    #[arg(long, value_name = "FORMAT", default_value = "jsonl", value_parser = format_names())]
    pub format: String,

    /// Time limit for the check: 10s, 500ms, 2m, or a number of seconds
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub timeout: Option<Duration>,

    /// Memory limit for the check: 1GiB, 512MB, or a number of bytes
    #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
    pub memory: Option<usize>,

    /// Time for making it smaller
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = units::duration)]
    pub budget: Duration,

    /// Where to write it [default: the standard output]
    #[arg(short, long = "out", value_name = "FILE")]
    pub out: Option<PathBuf>,
}
