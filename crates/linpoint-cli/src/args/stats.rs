//! Arguments of `linpoint stats`.

use clap::{Args, ValueEnum};

use super::raw::Files;

pub const EXAMPLES: &str = "\
Examples:
  linpoint stats run.jsonl                       what the history can reveal
  linpoint stats --model queue --output json .   for a program, one JSON object a history

Nothing is checked. A result tells something if there is a state, among those that the object can have been
in, in which the operation could not have had it. Warnings name what makes a history unlikely to fail.";

/// Arguments of `stats`.
#[derive(Args, Debug)]
pub struct Stats {
    /// What to read, and how.
    #[command(flatten)]
    pub files: Files,

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
