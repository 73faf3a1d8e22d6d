//! Arguments of `linpoint explore`.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};

use linpoint_model::{Method, Order};

use super::units;

pub const EXAMPLES: &str = "\
Examples:
  linpoint explore --list                                   the models
  linpoint explore treiber --threads 2 --ops 6              all programs of 6 operations on 2 threads
  linpoint explore bowman --threads 3 --per-thread 2        2 operations for each of 3 threads
  linpoint explore snark --program 'pushR 1; popR | pushR 2; popL'
  linpoint explore snark-first-repaired --threads 3 --ops 7 --order preemptions --memory 8GiB
  linpoint explore snark-first-repaired --threads 3 --unbounded --order few

Exit codes:
  2  the usage was bad, or the model cannot be explored
  1  a run that is not linearizable was found
  3  a limit was hit before everything within the bounds was explored
  0  nothing was found within the bounds";

/// Arguments of `explore`.
#[derive(Args, Debug)]
pub struct Explore {
    /// The model; `--list` lists them
    #[arg(value_name = "MODEL", required_unless_present = "list")]
    pub model: Option<String>,

    /// List the models of the catalogue
    #[arg(long)]
    pub list: bool,

    /// Number of threads [default: 2]
    #[arg(long, short = 't', value_name = "N", conflicts_with = "program")]
    pub threads: Option<usize>,

    /// Operations of all threads together [default: 4]
    #[arg(long, value_name = "K", conflicts_with_all = ["program", "per_thread"])]
    pub ops: Option<u8>,

    /// Operations of each thread
    #[arg(long, value_name = "B", conflicts_with = "program")]
    pub per_thread: Option<u8>,

    /// Any number of operations; ends only if the algorithm has finitely many states
    #[arg(long, conflicts_with_all = ["program", "per_thread", "ops"])]
    pub unbounded: bool,

    /// What each thread calls: `push 1; pop | pop`
    #[arg(long, value_name = "PROGRAM")]
    pub program: Option<String>,

    /// How runs are checked; external and common are not sound
    #[arg(long, value_name = "METHOD", default_value = "sound", value_parser = methods())]
    pub method: String,

    /// In which order states are explored
    ///
    /// breadth: fewest steps first; preemptions: fewest preemptions first; few: fewest preemptions and calls first; random: random
    /// runs with restarts, on one core; depth: deep first, on one core, counts cycles. All of them see everything in the end.
    #[arg(long, value_name = "ORDER", default_value = "breadth", value_parser = orders())]
    pub order: String,

    /// What `--order random` begins with
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    pub seed: u64,

    /// Switch a reduction off, or all
    #[arg(long, value_name = "REDUCTION", value_enum)]
    pub without: Vec<Reduction>,

    /// Time limit: 10s, 500ms, 2m, or a number of seconds
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub timeout: Option<Duration>,

    /// Memory limit: 1GiB, 512MB, or a number of bytes [default: three quarters of what is free]
    #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
    pub memory: Option<usize>,

    /// Number of cores [default: all]
    #[arg(long, short = 'j', value_name = "N")]
    pub cores: Option<NonZeroUsize>,

    /// How to print the result
    #[arg(long, short, value_enum, default_value = "human", value_name = "FORM")]
    pub output: ExploreForm,

    /// Write a page with the timeline of a violation
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,

    /// Show no progress on the terminal
    #[arg(long, short)]
    pub quiet: bool,
}

fn methods() -> PossibleValuesParser {
    Method::ALL.map(Method::name).into()
}

fn orders() -> PossibleValuesParser {
    Order::ALL.map(Order::name).into()
}

/// A reduction that can be switched off.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Reduction {
    /// Steps that nobody can notice are joined
    Merge,
    /// The order of threads does not matter
    Threads,
    /// The names of values do not matter
    Values,
    /// The names of nodes do not matter
    Nodes,
    /// All of them
    All,
}

/// How to print what came out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ExploreForm {
    /// For people
    Human,
    /// One JSON object
    Json,
}
