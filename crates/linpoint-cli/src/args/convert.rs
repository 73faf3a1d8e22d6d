//! Arguments of `linpoint convert`.

use std::path::PathBuf;

use clap::Args;

use super::raw::{HistoryArgs, format_names};

pub const EXAMPLES: &str = "\
Examples:
  linpoint convert --to jsonl store/history.edn.gz -o run.jsonl      from a Jepsen run
  linpoint convert --to fastlin queue.jsonl                          for another tool
  linpoint convert --to edn --model queue queue.jsonl                a format that cannot name the model
  linpoint convert --to violat --id 12 histories.json                one of several histories

The result is read again and compared with the original before it is written. If the format cannot
express the history, that is an error (exit code 2) and nothing is written. Losses that cannot change
a verdict are warnings.";

/// Arguments of `convert`.
#[derive(Args, Debug)]
pub struct ConvertArgs {
    /// What to convert.
    #[command(flatten)]
    pub history: HistoryArgs,

    /// The format to write
    #[arg(long, value_name = "FORMAT", value_parser = format_names())]
    pub to: String,

    /// Output file [default: standard output]
    #[arg(short, long = "out", value_name = "FILE")]
    pub out: Option<PathBuf>,
}
