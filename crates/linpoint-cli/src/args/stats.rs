//! Arguments of `linpoint stats`.

use clap::Args;

use super::raw::{HumanOrJson, InputArgs};

pub const EXAMPLES: &str = "\
Examples:
  linpoint stats run.jsonl                       what the history can reveal
  linpoint stats --model queue --output json .   for programs, one JSON object per history

Nothing is checked. A result is informative if the object can have been in a state in which the
operation could not have returned it. Warnings name what makes a history unlikely to fail.";

/// Arguments of `stats`.
#[derive(Args, Debug)]
pub struct StatsArgs {
    /// Which inputs to read, and how.
    #[command(flatten)]
    pub inputs: InputArgs,

    /// Output format
    #[arg(long, short, value_enum, default_value = "human", value_name = "FORM")]
    pub output: HumanOrJson,
}
