//! The command line of `watch`.

use std::path::PathBuf;

use clap::Args;

use super::raw::format_names;

/// What `--help` says at the end.
pub const EXAMPLES: &str = "\
Examples:
  ssh db1 run-test | linpoint watch -             stops at the first return that is wrong
  linpoint watch --follow run.jsonl               a file that is still being written
  linpoint watch --model cas-register history.edn
  zcat run.jsonl.gz | linpoint watch -            little memory, however long the history

Formats that say what happens as it happens: jsonl with events, edn (a map a line; give --model),
jepsen-log, porcupine. Order hints are not used.

Exit codes:
  2  the usage or a line was bad
  1  the stream is not linearizable
  3  it ended, but an object or key had been given up (--max-configurations)
  0  it ended, and is linearizable";

/// Arguments of `watch`.
#[derive(Args, Debug)]
pub struct Watch {
    /// A file, or - for the standard input
    #[arg(value_name = "FILE|-")]
    pub path: PathBuf,

    /// The model, with options after a colon [default: as the stream says]
    #[arg(long, short, value_name = "MODEL")]
    pub model: Option<String>,

    /// The format [default: as the first line says]
    #[arg(long, value_name = "FORMAT", value_parser = format_names())]
    pub format: Option<String>,

    /// Wait for more at the end of the file, until Ctrl-C
    #[arg(long, short)]
    pub follow: bool,

    /// Give an object or key up if more configurations than this explain it
    ///
    /// A configuration is a state, and which of the open operations have taken effect. With many open operations
    /// there can be exponentially many.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub max_configurations: usize,

    /// Show no status on the terminal
    #[arg(long, short)]
    pub quiet: bool,
}
