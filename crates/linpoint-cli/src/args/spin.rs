//! Arguments of `linpoint spin`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::units;

pub const EXAMPLES: &str = "\
Examples:
  linpoint spin --write-models promela           the include file and three models to begin with
  linpoint spin promela/treiber.pml --spec stack
  linpoint spin promela/snark.pml --spec deque -D REPAIR1 -D OPS=5 --timeout 1m

The model includes linpoint.pml, which says how it tells about calls and returns. It is explored by the
verifier that spin generates, and its histories are checked while that runs.

This finds bugs; it proves nothing. A state that the verifier has seen is not entered again, whatever
history led to it. `linpoint explore` has a method that is sound.

Exit codes:
  2  the usage or the model was bad, or spin or gcc is missing; else
  1  a history is not linearizable; else
  3  the verifier could not see all states within the limits; else
  0  nothing was found";

/// Arguments of `spin`.
#[derive(Args, Debug)]
pub struct Spin {
    /// The Promela model
    #[arg(value_name = "MODEL.pml", required_unless_present = "write_models")]
    pub model: Option<PathBuf>,

    /// What its histories should be: a model with its options, as in `check --model`
    #[arg(long, value_name = "MODEL", required_unless_present = "write_models")]
    pub spec: Option<String>,

    /// Define a name for the preprocessor: OPS=5, or REPAIRED
    #[arg(long, short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,

    /// Longest path that the verifier follows
    #[arg(long, value_name = "STEPS", default_value_t = 1_000_000)]
    pub depth: usize,

    /// Time limit: 10s, 500ms, 2m, or a number of seconds
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub timeout: Option<Duration>,

    /// Memory limit of the verifier: 1GiB, 512MB, or a number of bytes
    #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
    pub memory: Option<usize>,

    /// How to print what was found
    #[arg(long, short, value_enum, default_value = "human", value_name = "FORM")]
    pub output: Form,

    /// Write a page with an interactive timeline of the history that is wrong
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Write the include file and the models that come with linpoint into a directory
    #[arg(long, value_name = "DIR", conflicts_with = "model")]
    pub write_models: Option<PathBuf>,
}

/// How to print what was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Form {
    /// For people
    Human,
    /// One JSON object
    Json,
}
