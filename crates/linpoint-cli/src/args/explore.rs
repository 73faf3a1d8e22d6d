//! Arguments of `linpoint explore`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};

use linpoint_model::{Method, Order};

use super::raw::HumanOrJson;
use super::result::ResultArgs;
use super::units;
use crate::output::Output;

pub const EXAMPLES: &str = "\
Examples:
  linpoint explore --list                                   list the models
  linpoint explore treiber --threads 2 --ops 6              all programs of 6 operations on 2 threads
  linpoint explore bowman --threads 3 --per-thread 2        2 operations for each of 3 threads
  linpoint explore snark --program 'pushR 1; popR | pushR 2; popL'
  linpoint explore snark-first-repaired --threads 3 --ops 7 --order preemptions --memory 8GiB
  linpoint explore snark-first-repaired --threads 3 --unbounded --order few

Exit codes:
  2  bad usage, or a model that cannot be explored
  1  found a run that is not linearizable
  3  a limit was reached before everything within the bounds was explored
  0  found no violation within the bounds";

/// Arguments of `explore`.
#[derive(Args, Debug)]
pub struct ExploreArgs {
    /// The model; `--list` lists them
    #[arg(value_name = "MODEL", required_unless_present = "list")]
    pub model: Option<String>,

    /// List the models of the catalogue
    #[arg(long)]
    pub list: bool,

    /// Number of threads of the algorithm [default: 2]
    #[arg(long, short = 't', value_name = "N", conflicts_with = "program")]
    pub threads: Option<usize>,

    /// Number of operations of all threads together [default: 4]
    #[arg(long, value_name = "K", conflicts_with_all = ["program", "per_thread"])]
    pub ops: Option<u8>,

    /// Number of operations of each thread
    #[arg(long, value_name = "B", conflicts_with = "program")]
    pub per_thread: Option<u8>,

    /// Any number of operations; terminates only if the algorithm has finitely many states
    #[arg(long, conflicts_with_all = ["program", "per_thread", "ops"])]
    pub unbounded: bool,

    /// The calls of each thread: `push 1; pop | pop`
    #[arg(long, value_name = "PROGRAM")]
    pub program: Option<String>,

    /// How to check runs; external and common are not sound
    #[arg(long, value_name = "METHOD", default_value = "sound", value_parser = methods())]
    pub method: String,

    /// Order in which to explore states
    ///
    /// breadth: fewest steps first; preemptions: fewest preemptions first; few: fewest preemptions and calls first; random: random
    /// runs with restarts, on one core; depth: depth-first, on one core, counts cycles. All of them visit every state in the end.
    #[arg(long, value_name = "ORDER", default_value = "breadth", value_parser = orders())]
    pub order: String,

    /// Random seed of `--order random`
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub seed: u64,

    /// Disable a reduction, or all of them
    #[arg(long, value_name = "REDUCTION", value_enum)]
    pub without: Vec<Reduction>,

    /// Time limit: 10s, 500ms, 2m, or a number of seconds
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub timeout: Option<Duration>,

    /// Memory limit: 1GiB, 512MB, or a number of bytes [default: three quarters of the free memory]
    #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
    pub memory: Option<usize>,

    /// Number of cores to use [default: all]
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,

    /// The old spelling of `--jobs`.
    #[arg(long, value_name = "N", hide = true, conflicts_with = "jobs")]
    pub cores: Option<NonZeroUsize>,

    /// The form of the result, and where it is written.
    #[command(flatten)]
    pub result: ResultArgs<HumanOrJson>,

    /// Write an HTML page that steps through the run of a violation
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Show the page in a browser: $BROWSER, or the one of the system
    #[arg(long, requires = "html")]
    pub open: bool,

    /// Do not show progress on the terminal
    #[arg(long, short)]
    pub quiet: bool,
}

impl ExploreArgs {
    /// The number of cores, if it is given.
    pub fn jobs(&self, out: &mut Output) -> Option<usize> {
        if self.cores.is_some() {
            out.deprecated("--cores", "--jobs");
        }
        self.jobs.or(self.cores).map(usize::from)
    }
}

fn methods() -> PossibleValuesParser {
    Method::ALL.map(Method::name).into()
}

fn orders() -> PossibleValuesParser {
    Order::ALL.map(Order::name).into()
}

/// A reduction that can be disabled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Reduction {
    /// Merge steps that no other thread can observe
    Merge,
    /// Thread symmetry: the order of threads does not matter
    Threads,
    /// Value symmetry: the names of values do not matter
    Values,
    /// Node symmetry: the names of nodes do not matter
    Nodes,
    /// All of them
    All,
}
