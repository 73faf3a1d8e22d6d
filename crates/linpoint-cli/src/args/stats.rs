//! Arguments of `linpoint stats`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::raw::format_names;

pub const EXAMPLES: &str = "\
Examples:
  linpoint stats run.jsonl                       what the history can reveal
  linpoint stats --model queue --output json .   for a program, one JSON object a history

Nothing is checked. A result tells something if there is a state, among those that the object can have been
in, in which the operation could not have had it. Warnings name what makes a history unlikely to fail.";

/// Arguments of `stats`.
#[derive(Args, Debug)]
pub struct Stats {
    /// Files, directories, or - for the standard input
    #[arg(required = true, value_name = "FILE|DIR|-")]
    pub paths: Vec<PathBuf>,

    /// The model, with options after a colon [default: as the file says]
    #[arg(long, short, value_name = "MODEL")]
    pub model: Option<String>,

    /// The format [default: as the contents say]
    #[arg(long, value_name = "FORMAT", value_parser = format_names())]
    pub format: Option<String>,

    /// How to print them
    #[arg(long, short, value_enum, default_value = "human", value_name = "FORM")]
    pub output: StatsForm,
}

/// How to print statistics.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum StatsForm {
    /// For people
    Human,
    /// One JSON object a line and history
    Json,
}
