//! Arguments of `linpoint plan`.

use std::ffi::OsString;

use clap::{Args, ValueEnum};

use super::raw::How;

/// What the command was called before; kept as a hidden alias.
pub const DEPRECATED_NAME: &str = "explain";

pub const EXAMPLES: &str = "\
Examples:
  linpoint plan run.jsonl                         which engines would run, and why
  linpoint plan --timeout 10s --threads 1 run.jsonl
  linpoint plan --output json runs | jq .plan.ladder

Nothing is searched. If the model has a monitor, the monitor runs to see whether it decides the history;
that takes about as long as reading the file.

Exit codes:
  2  the usage or an input was bad; else
  0";

/// Arguments of `plan`.
#[derive(Args, Debug)]
pub struct Plan {
    /// What to plan for: the inputs and the options of `check`.
    #[command(flatten)]
    pub how: How,

    /// Output format
    #[arg(long, short, value_enum, default_value = "human", value_name = "FORM")]
    pub output: Form,
}

impl Plan {
    /// True if the user typed the deprecated name. Clap resolves aliases silently, so this looks at the
    /// command line itself: only `--color WHEN` can precede the command, and no WHEN is one of these words.
    pub fn has_deprecated_name(mut words: impl Iterator<Item = OsString>) -> bool {
        words
            .find(|word| word == "plan" || word == DEPRECATED_NAME)
            .is_some_and(|word| word == DEPRECATED_NAME)
    }
}

/// How to print plans.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Form {
    /// For people
    Human,
    /// One JSON object per line and history
    Json,
}
