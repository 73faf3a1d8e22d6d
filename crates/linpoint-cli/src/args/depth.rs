//! Arguments of `linpoint depth`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::raw::Files;
use super::units;

pub const EXAMPLES: &str = "\
Examples:
  linpoint depth runs                            tables, a row for each file or directory
  linpoint depth --output tsv run.jsonl          a line for each history
  linpoint depth --svg depth.svg runs            how many histories have a witness, by d

A family of depth d delays any d operations as long as possible, in any order. Most linearizable histories have
a witness in a family of small depth; docs/depth.md says more. Histories of up to 128 operations are measured.";

/// Arguments of `depth`.
#[derive(Args, Debug)]
pub struct Depth {
    /// What to read, and how.
    #[command(flatten)]
    pub files: Files,

    /// What to measure.
    #[command(flatten)]
    pub what: What,

    /// How to print what was measured
    #[arg(long, short, value_enum, default_value = "human", value_name = "FORM")]
    pub output: DepthForm,

    /// Write a plot: the share of linearizable histories with a witness, by d
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

/// What to measure.
#[derive(Args, Clone, Copy, Debug)]
pub struct What {
    /// Look at families up to this depth
    #[arg(long, default_value_t = 5, value_name = "D", value_parser = clap::value_parser!(u8).range(1..=16))]
    pub max_d: u8,

    /// Compute the exact depth of a history if it is at most this; 0: do not
    #[arg(long, default_value_t = 3, value_name = "D", value_parser = clap::value_parser!(u8).range(0..=16))]
    pub max_depth: u8,

    /// Time limit for each history: 10s, 500ms, 2m, or a number of seconds
    #[arg(long, value_name = "TIME", value_parser = units::duration, default_value = "10s")]
    pub timeout: Duration,

    /// Number of threads [default: all cores]
    #[arg(long, short = 'j', value_name = "N")]
    pub threads: Option<std::num::NonZeroUsize>,
}

/// How to print depths.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum DepthForm {
    /// Tables of sets of histories, and of a few histories also a line each
    Human,
    /// One JSON object a line and history
    Json,
    /// One line a history, fields separated by tabs, with a header
    Tsv,
}
