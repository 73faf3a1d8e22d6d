//! Arguments of `linpoint depth`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::raw::InputArgs;
use super::result::{JobArgs, ResultArgs};
use super::units;

pub const EXAMPLES: &str = "\
Examples:
  linpoint depth runs                            tables, one row per file or directory
  linpoint depth --as tsv run.jsonl              one line per history
  linpoint depth --svg depth.svg runs            how many histories have a witness, by d

A family of depth d delays any d operations as long as possible, in any order. Most linearizable histories have
a witness in a family of small depth; docs/depth.md says more. Histories of up to 128 operations are measured.";

/// Arguments of `depth`.
#[derive(Args, Debug)]
pub struct DepthArgs {
    /// Which inputs to read, and how.
    #[command(flatten)]
    pub inputs: InputArgs,

    /// How far to measure.
    #[command(flatten)]
    pub bounds: DepthBounds,

    /// How many cores to use.
    #[command(flatten)]
    pub jobs: JobArgs,

    /// The form of the results, and where they are written.
    #[command(flatten)]
    pub result: ResultArgs<DepthForm>,

    /// Write a plot: the share of linearizable histories with a witness, by d
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

/// How far to measure.
#[derive(Args, Clone, Copy, Debug)]
pub struct DepthBounds {
    /// Largest family depth to try
    #[arg(long, default_value_t = 5, value_name = "D", value_parser = clap::value_parser!(u8).range(1..=16))]
    pub max_d: u8,

    /// Compute the exact depth of a history up to this value; 0 disables it
    #[arg(long, default_value_t = 3, value_name = "D", value_parser = clap::value_parser!(u8).range(0..=16))]
    pub max_depth: u8,

    /// Time limit for each history: 10s, 500ms, 2m, or a number of seconds
    #[arg(long, value_name = "TIME", value_parser = units::duration, default_value = "10s")]
    pub timeout: Duration,

    /// Memory limit for all checks together: 1GiB, 512MB, or a number of bytes
    #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
    pub memory: Option<usize>,
}

/// Forms of the results of `depth`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum DepthForm {
    /// Tables, one row per set of histories; for few histories also one line each
    #[default]
    Human,
    /// JSON, one object per line and history
    Json,
    /// One line per history, with fields separated by tabs and a header
    Tsv,
}
