//! Arguments of `linpoint stats`.

use std::path::PathBuf;

use clap::Args;

use super::raw::{HumanOrJson, InputArgs, LimitArgs};
use super::result::ResultArgs;

pub const EXAMPLES: &str = "\
Examples:
  linpoint stats run.jsonl                       what the history can reveal
  linpoint stats --model queue --as json .       for programs, one JSON object per history
  linpoint stats --plot run.svg history.edn      latency, throughput and concurrency as a picture

Nothing is checked. A result is informative if the object can have been in a state in which the
operation could not have returned it. Warnings name what makes a history unlikely to fail.

Exit codes: 2 bad usage or bad input; otherwise 3 a limit was reached and some facts are missing;
otherwise 0.";

/// Arguments of `stats`.
#[derive(Args, Debug)]
pub struct StatsArgs {
    /// Which inputs to read, and how.
    #[command(flatten)]
    pub inputs: InputArgs,

    /// Limits on each history. Reading does not count.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// Write a picture of latency, throughput and concurrency over time, with faults, as SVG
    ///
    /// For several histories, name a directory: an existing one, or a name that ends in /.
    #[arg(long, value_name = "FILE|DIR/")]
    pub plot: Option<PathBuf>,

    /// The form of the result, and where it is written.
    #[command(flatten)]
    pub result: ResultArgs<HumanOrJson>,
}
