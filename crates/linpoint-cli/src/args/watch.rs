//! Arguments of `linpoint watch`.

use std::path::PathBuf;

use clap::Args;

use super::raw::{HumanOrJson, LimitArgs, ProgramArgs, format_names};
use super::result::ResultArgs;

pub const EXAMPLES: &str = "\
Examples:
  ssh db1 run-test | linpoint watch -             stops at the first violation
  linpoint watch --follow run.jsonl               a file that is still being written
  linpoint watch --model cas-register history.edn
  zcat run.jsonl.gz | linpoint watch -            little memory, however long the history
  linpoint watch --html page.html run.jsonl       a violation as a timeline

Formats that can be watched: jsonl with events, edn (one map per line; needs --model), jepsen-log,
porcupine. Order hints are ignored. The time that passes while waiting for input does not count.

Exit codes:
  2  bad usage, or a bad line
  1  the stream is not linearizable
  3  a limit was reached: watching stopped there (--timeout, --memory), or an object or key was
     given up and the rest of the stream is linearizable (--max-configurations)
  0  the stream ended, and is linearizable";

/// Arguments of `watch`.
#[derive(Args, Debug)]
pub struct WatchArgs {
    /// A file, or - for standard input
    #[arg(value_name = "FILE|-")]
    pub path: PathBuf,

    /// The model, with options after a colon [default: the one that the stream names]
    #[arg(long, short, value_name = "MODEL")]
    pub model: Option<String>,

    /// A program as the model.
    #[command(flatten)]
    pub program: ProgramArgs,

    /// The format [default: detected from the first line]
    #[arg(long, value_name = "FORMAT", value_parser = format_names())]
    pub format: Option<String>,

    /// At the end of the file, wait for more until Ctrl-C
    #[arg(long, short)]
    pub follow: bool,

    /// Give up an object or key that has more configurations than this
    ///
    /// A configuration is a state and the set of open operations that have taken effect. Their number can
    /// grow exponentially with the number of open operations.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub max_configurations: usize,

    /// Limits on the whole stream.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// The form of the outcome, and where it is written.
    #[command(flatten)]
    pub result: ResultArgs<HumanOrJson>,

    /// Write an HTML page with an interactive timeline of the violation
    ///
    /// The last lines of the stream are kept for it: up to 200,000, and 32 MiB. If these are all, it is the page
    /// that check writes, and a linearizable stream has one too. If not, its title says which lines it has. With -,
    /// the page is written to standard output, and nothing else.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Show the page in a browser: $BROWSER, or the one of the system
    #[arg(long, requires = "html")]
    pub open: bool,

    /// Do not show the status on the terminal
    #[arg(long, short)]
    pub quiet: bool,
}
