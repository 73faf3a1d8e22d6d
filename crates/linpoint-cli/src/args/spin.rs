//! Arguments of `linpoint spin`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::raw::HumanOrJson;
use super::result::ResultArgs;
use super::units;

pub const EXAMPLES: &str = "\
Examples:
  linpoint spin --write-models promela           the include file and three example models
  linpoint spin promela/treiber.pml --spec stack
  linpoint spin promela/snark.pml --spec deque -D REPAIR1 -D OPS=5 --timeout 1m

The model includes linpoint.pml, which defines how to record calls and returns. The verifier that spin
generates explores it, and its histories are checked as the verifier runs.

This finds bugs; it proves nothing. The verifier does not enter a state again, even if a different
history leads to it. `linpoint explore` has a sound method.

Exit codes:
  2  bad usage, a bad model, or spin or gcc is missing; otherwise
  1  a history is not linearizable; otherwise
  3  the verifier did not see all states within the limits; otherwise
  0  found no violation";

/// Arguments of `spin`.
#[derive(Args, Debug)]
pub struct SpinArgs {
    /// The Promela model
    #[arg(value_name = "MODEL.pml", required_unless_present = "write_models")]
    pub model: Option<PathBuf>,

    /// The specification of its histories: a model with its options, as in `check --model`
    #[arg(long, value_name = "MODEL", required_unless_present = "write_models")]
    pub spec: Option<String>,

    /// Define a preprocessor name: OPS=5, or REPAIRED
    #[arg(long, short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,

    /// Length limit of the paths that the verifier follows
    #[arg(long, value_name = "STEPS", default_value_t = 1_000_000)]
    pub depth: usize,

    /// Time limit: 10s, 500ms, 2m, or a number of seconds
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub timeout: Option<Duration>,

    /// Memory limit of the verifier: 1GiB, 512MB, or a number of bytes
    #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
    pub memory: Option<usize>,

    /// The form of the result, and where it is written.
    #[command(flatten)]
    pub result: ResultArgs<HumanOrJson>,

    /// Write an HTML page with an interactive timeline of the violation
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Show the page in a browser: $BROWSER, or the one of the system
    #[arg(long, requires = "html")]
    pub open: bool,

    /// Write the include file and the bundled models into a directory
    #[arg(long, value_name = "DIR", conflicts_with = "model")]
    pub write_models: Option<PathBuf>,
}
