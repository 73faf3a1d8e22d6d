//! Arguments of `linpoint convert`.

use clap::Args;

use super::raw::{HistoryArgs, format_names};
use super::result::WrittenArgs;

pub const EXAMPLES: &str = "\
Examples:
  linpoint convert store/history.edn.gz -o run.jsonl                 from a Jepsen run
  linpoint convert --as fastlin queue.jsonl                          for another tool
  linpoint convert --as edn --model queue queue.jsonl                a format that cannot name the model
  linpoint convert --as violat --id 12 histories.json                one of several histories

The result is read again and compared with the original before it is written. If the format cannot
express the history, that is an error (exit code 2) and nothing is written. Losses that cannot change
a verdict are warnings.";

/// Arguments of `convert`.
#[derive(Args, Debug)]
pub struct ConvertArgs {
    /// What to convert.
    #[command(flatten)]
    pub history: HistoryArgs,

    /// The format to write, and where.
    #[command(flatten)]
    pub written: WrittenArgs,

    /// The old spelling of `--as`.
    #[arg(long, value_name = "FORMAT", hide = true, value_parser = format_names())]
    pub to: Option<String>,
}
