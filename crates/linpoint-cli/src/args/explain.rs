//! Arguments of `linpoint explain`.

use clap::Args;

use super::raw::{HumanOrJson, RunArgs};
use super::result::ResultArgs;

pub const EXAMPLES: &str = "\
Examples:
  linpoint explain run.jsonl                      why it is not linearizable, at length
  linpoint explain --model queue runs -o why.txt  into a file
  linpoint check --html run.html run.jsonl        the same as a page, with a timeline

For each key or object that fails: the contradiction in a sentence, all operations that are needed for it, and
for each of the longest orders why no operation can come next. `linpoint check` says the same in brief, and
`linpoint plan` how a history is checked.

Exit codes:
  1  a history is not linearizable; otherwise
  2  bad usage or bad input; otherwise
  3  a limit was reached before an answer was found; otherwise
  0  every history is linearizable";

/// Arguments of `explain`.
#[derive(Args, Debug)]
pub struct ExplainArgs {
    /// Inputs to explain, and the options of the check.
    #[command(flatten)]
    pub run: RunArgs,

    /// The form of the explanations, and where they are written.
    #[command(flatten)]
    pub result: ResultArgs<HumanOrJson>,
}
