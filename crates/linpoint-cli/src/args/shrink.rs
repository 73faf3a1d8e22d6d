//! Arguments of `linpoint shrink`.

use std::time::Duration;

use clap::Args;

use super::raw::HistoryArgs;
use super::result::WrittenArgs;
use super::units;

pub const EXAMPLES: &str = "\
Examples:
  linpoint shrink run.jsonl -o small.jsonl        the operations that contradict each other
  linpoint shrink --as limo run.hist              in the format of another tool
  linpoint shrink --budget 5m run.edn | linpoint check -

Some of the remaining operations may be relaxed: called before everything else, and never returned. They
may have happened at any time or not at all, and the history is still a contradiction. The result is
checked again before it is written.

Exit codes:
  2  bad usage or bad input; otherwise
  1  the history is not linearizable, and the smaller one is written; otherwise
  3  a limit was reached before an answer was found; otherwise
  0  the history is linearizable, and nothing is written";

/// Arguments of `shrink`.
#[derive(Args, Debug)]
pub struct ShrinkArgs {
    /// What to shrink.
    #[command(flatten)]
    pub history: HistoryArgs,

    /// Time limit for the first check: 10s, 500ms, 2m, or a number of seconds [default: half of the budget]
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub timeout: Option<Duration>,

    /// Memory limit: 1GiB, 512MB, or a number of bytes
    #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
    pub memory: Option<usize>,

    /// Time limit for everything; with --timeout, for everything but the first check
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = units::duration)]
    pub budget: Duration,

    /// The format to write, and where.
    #[command(flatten)]
    pub written: WrittenArgs,
}
