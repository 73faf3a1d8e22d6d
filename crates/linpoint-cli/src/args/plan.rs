//! Arguments of `linpoint plan`.

use std::ffi::OsString;

use clap::Args;

use super::raw::{HumanOrJson, RunArgs};

/// The former name of the command, kept as a hidden alias.
pub const DEPRECATED_NAME: &str = "explain";

pub const EXAMPLES: &str = "\
Examples:
  linpoint plan run.jsonl                         which engines would run, and why
  linpoint plan --timeout 10s --threads 1 run.jsonl
  linpoint plan --output json runs | jq .plan.ladder

Nothing is searched. If the model has a monitor, the monitor runs to see whether it decides the history;
that takes about as long as reading the file.

Exit codes:
  2  bad usage or bad input; otherwise
  0";

/// Arguments of `plan`.
#[derive(Args, Debug)]
pub struct PlanArgs {
    /// Inputs to plan for, and the options of the check.
    #[command(flatten)]
    pub run: RunArgs,

    /// Output format
    #[arg(long, short, value_enum, default_value = "human", value_name = "FORM")]
    pub output: HumanOrJson,
}

/// True if the command line uses the deprecated name. Clap resolves aliases silently, so this looks at the words
/// themselves: only `--color WHEN` can precede the command, and no WHEN is one of the two names.
pub fn has_deprecated_name(mut words: impl Iterator<Item = OsString>) -> bool {
    words
        .find(|word| word == "plan" || word == DEPRECATED_NAME)
        .is_some_and(|word| word == DEPRECATED_NAME)
}
