//! Arguments of `linpoint convert`.

use std::path::PathBuf;

use clap::Args;

use super::raw::{OneHistory, format_names};

pub const EXAMPLES: &str = "\
Examples:
  linpoint convert --to jsonl store/history.edn.gz -o run.jsonl      from a Jepsen run
  linpoint convert --to fastlin queue.jsonl                          for another tool
  linpoint convert --to edn --model queue queue.jsonl                the model is not in the file then
  linpoint convert --to violat --id 12 histories.json                one of several histories

What is written is read again and compared with the original. What the format cannot express is an
error (exit code 2), and nothing is written. What is lost and cannot change a verdict is a warning.";

/// Arguments of `convert`.
#[derive(Args, Debug)]
pub struct Convert {
    /// What to convert.
    #[command(flatten)]
    pub history: OneHistory,

    /// The format to write
    #[arg(long, value_name = "FORMAT", value_parser = format_names())]
    pub to: String,

    /// Where to write it [default: the standard output]
    #[arg(short, long = "out", value_name = "FILE")]
    pub out: Option<PathBuf>,
}
