//! The command line of `explain`.

use clap::{Args, ValueEnum};

use super::raw::How;

/// What `--help` says at the end.
pub const EXAMPLES: &str = "\
Examples:
  linpoint explain run.jsonl                      which engines would be used, and why
  linpoint explain --timeout 10s --threads 1 run.jsonl
  linpoint explain --output json runs | jq .plan.ladder

Nothing is searched. A monitor, if there is one, is asked whether it decides the history, which takes
about as long as reading it. Exit code 2: the usage or an input was bad; else 0.";

/// Arguments of `explain`.
#[derive(Args, Debug)]
pub struct Explain {
    /// How it would be checked.
    #[command(flatten)]
    pub how: How,

    /// How to print the plans
    #[arg(long, short, value_enum, default_value = "human", value_name = "FORM")]
    pub output: Form,
}

/// How to print plans.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Form {
    /// For people
    Human,
    /// One JSON object a line and history
    Json,
}
