//! The command line as typed: commands, and the arguments that several commands share.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

use linpoint::Limits;
use linpoint_formats::Format;

use crate::glob::Glob;

use super::meaning::MeaningArgs;
use super::result::JobArgs;
use super::{
    check, convert, depth, explain, explore, generate, model, names, plan, shrink, spin, stats,
    units, watch,
};

/// Check concurrent histories for linearizability
#[derive(Parser, Debug)]
#[command(name = "linpoint", version, max_term_width = 100, arg_required_else_help = true)]
pub struct Cli {
    /// When to use colours
    #[arg(long, global = true, value_enum, default_value = "auto", value_name = "WHEN")]
    pub color: clap::ColorChoice,

    /// The command to run
    #[command(subcommand)]
    pub command: Command,
}

/// The command to run.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Check histories and explain violations
    #[command(after_help = check::EXAMPLES, after_long_help = check::LONG_HELP)]
    Check(check::CheckArgs),
    /// Explain at length why histories are not linearizable
    #[command(after_help = explain::EXAMPLES)]
    Explain(explain::ExplainArgs),
    /// Check a stream while it is being written, and stop at the first violation
    #[command(after_help = watch::EXAMPLES)]
    Watch(watch::WatchArgs),
    /// Print how histories would be checked: which engines, in which order, and why
    #[command(after_help = plan::EXAMPLES)]
    Plan(plan::PlanArgs),
    /// Convert a history to another format
    #[command(after_help = convert::EXAMPLES)]
    Convert(convert::ConvertArgs),
    /// Reduce a violation to the operations that contradict each other
    #[command(after_help = shrink::EXAMPLES)]
    Shrink(shrink::ShrinkArgs),
    /// Print what histories can reveal, and warn about those that can hardly fail
    #[command(after_help = stats::EXAMPLES)]
    Stats(stats::StatsArgs),
    /// Measure how few operations must be delayed to show that histories are linearizable
    #[command(after_help = depth::EXAMPLES)]
    Depth(depth::DepthArgs),
    /// Generate a linearizable history of a model, or one with a wrong result
    #[command(after_help = generate::EXAMPLES)]
    Gen(generate::GenArgs),
    /// Explore every interleaving of a model of a concurrent algorithm
    #[command(after_help = explore::EXAMPLES)]
    Explore(explore::ExploreArgs),
    /// Explore a Promela model with SPIN, and check its histories as it runs
    #[command(after_help = spin::EXAMPLES)]
    Spin(spin::SpinArgs),
    /// List the models, with their operations and options
    Models {
        /// Only this model
        name: Option<String>,
    },
    /// Write a model of your own, as a script, and test it
    #[command(after_help = model::EXAMPLES)]
    Model {
        /// What to do
        #[command(subcommand)]
        command: model::ModelCommand,
    },
    /// List the formats that can be read and written
    Formats,
    /// Generate a completion script for a shell
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Generate the manual page of linpoint, or the pages of all commands
    #[command(after_help = MAN_EXAMPLES)]
    Man {
        /// Directory for the pages of all commands [default: one page to standard output]
        #[arg(value_name = "DIR")]
        dir: Option<PathBuf>,
    },
}

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  linpoint completions bash > ~/.local/share/bash-completion/completions/linpoint
  linpoint completions zsh > ~/.zfunc/_linpoint
  linpoint completions fish > ~/.config/fish/completions/linpoint.fish";

const MAN_EXAMPLES: &str = "\
Examples:
  linpoint man | man -l -
  linpoint man ~/.local/share/man/man1            linpoint.1, linpoint-check.1, ...";

/// The names of formats.
pub(super) fn format_names() -> clap::builder::PossibleValuesParser {
    Format::ALL.iter().map(|format| format.name()).collect::<Vec<_>>().into()
}

/// Which inputs to read, and how.
#[derive(Args, Debug)]
pub struct InputArgs {
    /// Files, directories, or - for standard input
    ///
    /// Directories are walked in name order; *.tsv, README* and hidden files are skipped.
    #[arg(required = true, value_name = "FILE|DIR|-")]
    pub paths: Vec<PathBuf>,

    /// In directories, read exactly the files that match: *.edn, or runs/**/*.{edn,jsonl}
    ///
    /// A pattern without / is about the name, others about the path below the directory. May be given several
    /// times. Files that are named on the command line are always read.
    #[arg(long, value_name = "GLOB", value_parser = Glob::new)]
    pub include: Vec<Glob>,

    /// In directories, skip the files and directories that match
    #[arg(long, value_name = "GLOB", value_parser = Glob::new)]
    pub exclude: Vec<Glob>,

    /// The model, with options after a colon [default: the one that the file names]
    ///
    /// Overrides the model that the file names. Examples: register, cas-register:initial=0,
    /// queue:capacity=20, mutex:owner, kv+counter (two objects). `linpoint models` lists them. A name that contains / or ends in .star is a
    /// script: ./bank.star. docs/models.md says how to write one.
    #[arg(long, short, value_name = "MODEL")]
    pub model: Option<String>,

    /// A program as the model.
    #[command(flatten)]
    pub program: ProgramArgs,

    /// What the inputs mean.
    #[command(flatten)]
    pub meaning: MeaningArgs,

    /// The models of files, by patterns [default: linpoint.toml here or in a directory above]
    ///
    /// docs/inputs.md describes the file. --model overrides it.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// The format [default: detected from the contents]
    ///
    /// `linpoint formats` describes them. Files compressed with gzip, zstd, xz or bzip2 are unpacked.
    #[arg(long, value_name = "FORMAT", value_parser = format_names())]
    pub format: Option<String>,

    /// Reject a compressed input that unpacks to more than this [default: 3/16 of the free memory]
    #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
    pub max_unpacked: Option<usize>,
}

/// A program as the model.
#[derive(Args, Clone, Debug, Default)]
pub struct ProgramArgs {
    /// A program that is the model: it answers questions on standard input and output
    ///
    /// For example --model-command 'python3 bank.py'. The command is split at spaces, and is not run by a shell.
    /// docs/models.md describes the questions, and has libraries for several languages.
    #[arg(long, value_name = "COMMAND", conflicts_with = "model")]
    pub model_command: Option<String>,

    /// How long to wait for each answer of the program [default: 10s]
    #[arg(long, value_name = "TIME", value_parser = units::duration, requires = "model_command")]
    pub model_timeout: Option<Duration>,
}

/// One history, and how to read it.
#[derive(Args, Debug)]
pub struct HistoryArgs {
    /// The file, or - for standard input
    #[arg(value_name = "FILE|-")]
    pub file: PathBuf,

    /// The format of the file [default: detected from the contents]
    #[arg(long, value_name = "FORMAT", value_parser = format_names())]
    pub format: Option<String>,

    /// The old spelling of `--format`.
    #[arg(long, value_name = "FORMAT", hide = true, value_parser = format_names())]
    pub from: Option<String>,

    /// The model, with options after a colon [default: the one that the file names]
    ///
    /// Overrides the model that the file names. A format that cannot name the model is written only if
    /// this option is given.
    #[arg(long, short, value_name = "MODEL")]
    pub model: Option<String>,

    /// A program as the model.
    #[command(flatten)]
    pub program: ProgramArgs,

    /// What the file means.
    #[command(flatten)]
    pub meaning: MeaningArgs,

    /// Which of several histories in the file
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,

    /// Reject a compressed input that unpacks to more than this [default: 3/16 of the free memory]
    #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
    pub max_unpacked: Option<usize>,
}

/// Inputs to check, and how: the arguments that `check` and `plan` share.
#[derive(Args, Debug)]
pub struct RunArgs {
    /// Which inputs to read, and how.
    #[command(flatten)]
    pub inputs: InputArgs,

    /// Use this engine, or race several: a+b [default: the planner chooses]
    #[arg(long, value_name = "NAME", value_parser = names::algorithm)]
    pub algorithm: Option<linpoint::Algorithm>,

    /// Limits on each check.
    #[command(flatten)]
    pub limits: LimitArgs,

    /// How many cores to use, across and within files.
    #[command(flatten)]
    pub jobs: JobArgs,

    /// Stop at the first key or object of a history that fails; by default, every one is checked
    #[arg(long)]
    pub first_failure: bool,

    /// The default
    #[arg(long, hide = true, conflicts_with = "first_failure")]
    pub all_failures: bool,

    /// How to use order hints: known positions in the order of effects
    #[arg(long, value_enum, default_value = "order", value_name = "USE")]
    pub hints: HintUse,
}

/// Limits on time and memory.
#[derive(Args, Clone, Copy, Debug)]
pub struct LimitArgs {
    /// Time limit for each history: 10s, 500ms, 2m, or a number of seconds
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub timeout: Option<Duration>,

    /// Memory limit for all checks together: 1GiB, 512MB, or a number of bytes
    #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
    pub memory: Option<usize>,
}

impl From<LimitArgs> for Limits {
    fn from(args: LimitArgs) -> Limits {
        Limits { time: args.timeout, memory: args.memory }
    }
}

/// How to use order hints.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum HintUse {
    /// Ignore them
    Ignore,
    /// Try the hinted order first; the verdict does not depend on it
    Order,
    /// Require the hinted order: breaking it is a violation
    Assert,
}

/// Forms of output of the commands that print either text or JSON.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub enum HumanOrJson {
    /// Text for people
    #[default]
    Human,
    /// JSON, one object per line
    Json,
}
