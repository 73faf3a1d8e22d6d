//! Arguments of `linpoint check`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::raw::RunArgs;
use super::result::ResultArgs;

macro_rules! examples {
    () => {
        "\
Examples:
  linpoint check run.jsonl                       the file names the model
  linpoint check --model queue:capacity=20 runs  every history in a directory
  linpoint check store/history.edn.gz            a Jepsen run, compressed
  linpoint check --fail-fast --exclude old runs  until the first violation
  ssh db1 cat run.jsonl | linpoint check -       from standard input
  linpoint check --timeout 10s --memory 2GiB .   stop at a limit instead of running forever"
    };
}

pub const EXAMPLES: &str = examples!();

pub const LONG_HELP: &str = concat!(
    examples!(),
    "

Exit codes:
  1  a history is not linearizable; otherwise
  2  bad usage or bad input (with --strict, this comes first); otherwise
  3  a limit was reached before an answer was found; otherwise
  0  every history is linearizable

TSV output has one line per history and no header:
  file  ok|bad|undecided|error  engine  operations  seconds"
);

/// Arguments of `check`.
#[derive(Args, Debug)]
pub struct CheckArgs {
    /// Inputs to check, and how.
    #[command(flatten)]
    pub run: RunArgs,

    /// The form of the results, and where they are written.
    #[command(flatten)]
    pub result: ResultArgs<CheckForm>,

    /// Write an HTML page with an interactive timeline
    ///
    /// For several histories, name a directory: an existing one, or a name that ends in /. Each history gets
    /// a page of its own, and index.html is a table of them. With -, the page is written to standard output, and
    /// nothing else.
    #[arg(long, value_name = "FILE|DIR/")]
    pub html: Option<PathBuf>,

    /// Show the page in a browser: $BROWSER, or the one of the system
    #[arg(long, requires = "html")]
    pub open: bool,

    /// Write the order in which the operations took effect, one line each
    ///
    /// A file gets one section per history, in the order of the inputs; a directory gets one file per
    /// linearizable history. docs/output.md describes the lines.
    #[arg(long, value_name = "FILE|DIR/")]
    pub witness: Option<PathBuf>,

    /// Exit with 2 if an input is bad, even if another one is not linearizable
    #[arg(long)]
    pub strict: bool,

    /// Stop at the first history that is not linearizable, and at the first key that fails
    #[arg(long)]
    pub fail_fast: bool,

    /// Print failures only, without a summary and without progress
    ///
    /// This is about --as human and github; the other forms always have a result for each history.
    #[arg(long, short)]
    pub quiet: bool,

    /// Print how each history was checked: engines, tactics, length of the witness, time
    #[arg(long, short, conflicts_with = "quiet")]
    pub verbose: bool,
}

/// Forms of the results of `check`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum CheckForm {
    /// Text for people
    #[default]
    Human,
    /// JSON, one object per line and history
    Json,
    /// One line per history, with fields separated by tabs
    Tsv,
    /// JUnit XML, one test case per history
    Junit,
    /// Annotations of a GitHub workflow, at the lines of failing operations
    Github,
    /// SARIF for code scanning, one result per failing key or history
    Sarif,
    /// A summary in Markdown: a table of the histories that fail, a list of the others
    Markdown,
}
