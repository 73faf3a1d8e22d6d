//! Arguments of `linpoint plan`.

use clap::Args;

use super::raw::{HumanOrJson, RunArgs};
use super::result::ResultArgs;

pub const EXAMPLES: &str = "\
Examples:
  linpoint plan run.jsonl                         which engines would run, and why
  linpoint plan --timeout 10s --jobs 1 run.jsonl
  linpoint plan --as json runs | jq .plan.ladder

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

    /// The form of the result, and where it is written.
    #[command(flatten)]
    pub result: ResultArgs<HumanOrJson>,
}
