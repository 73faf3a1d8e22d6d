//! The command line as it is typed.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};

use linpoint_formats::Format;

use super::{convert, depth, explore, generate, plan, shrink, spin, stats, units, watch};

/// Checks whether concurrent histories are linearizable.
#[derive(Parser, Debug)]
#[command(name = "linpoint", version, max_term_width = 100, arg_required_else_help = true)]
pub struct Cli {
    /// When to use colours
    #[arg(long, global = true, value_enum, default_value = "auto", value_name = "WHEN")]
    pub color: clap::ColorChoice,

    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Check histories and explain what is wrong with them
    #[command(after_help = CHECK_EXAMPLES, after_long_help = CHECK_LONG)]
    Check(Check),
    /// Check a stream while it is being written, and stop at the first return that is wrong
    #[command(after_help = watch::EXAMPLES)]
    Watch(watch::Watch),
    /// Print how histories would be checked: which engines, in which order, and why
    // A hidden alias appears in no help, completion or manual page.
    #[command(after_help = plan::EXAMPLES, alias = plan::DEPRECATED_NAME)]
    Plan(plan::Plan),
    /// Write a history in another format
    #[command(after_help = convert::EXAMPLES)]
    Convert(convert::Convert),
    /// Reduce a history that is not linearizable to the operations that contradict each other
    #[command(after_help = shrink::EXAMPLES)]
    Shrink(shrink::Shrink),
    /// Tell what histories can reveal, and warn about those that could hardly fail
    #[command(after_help = stats::EXAMPLES)]
    Stats(stats::Stats),
    /// Tell how few operations have to be delayed to see that histories are linearizable
    #[command(after_help = depth::EXAMPLES)]
    Depth(depth::Depth),
    /// Write a linearizable history of a model, or one with a wrong result
    #[command(after_help = generate::EXAMPLES)]
    Gen(generate::Gen),
    /// Explore every interleaving of a model of a concurrent algorithm
    #[command(after_help = explore::EXAMPLES)]
    Explore(explore::Explore),
    /// Explore a Promela model with SPIN, and check its histories while it runs
    #[command(after_help = spin::EXAMPLES)]
    Spin(spin::Spin),
    /// List the models, with their operations and options
    Models,
    /// List the formats that can be read and written
    Formats,
    /// Write a script that lets a shell complete command lines
    #[command(after_help = COMPLETIONS_EXAMPLES)]
    Completions {
        /// Which shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Write the manual: the page of linpoint, or the pages of all commands into a directory
    #[command(after_help = MAN_EXAMPLES)]
    Man {
        /// Where to write the pages of all commands [default: one page to the standard output]
        #[arg(value_name = "DIR")]
        dir: Option<PathBuf>,
    },
}

const CHECK_EXAMPLES: &str = "\
Examples:
  linpoint check run.jsonl                       the model is named in the file
  linpoint check --model queue:capacity=20 runs  every history in a directory
  linpoint check store/history.edn.gz            a Jepsen run, compressed
  ssh db1 cat run.jsonl | linpoint check -       a stream
  linpoint check --timeout 10s --memory 2GiB .   give up rather than take for ever";

const CHECK_LONG: &str = "\
Examples:
  linpoint check run.jsonl                       the model is named in the file
  linpoint check --model queue:capacity=20 runs  every history in a directory
  linpoint check store/history.edn.gz            a Jepsen run, compressed
  ssh db1 cat run.jsonl | linpoint check -       a stream
  linpoint check --timeout 10s --memory 2GiB .   give up rather than take for ever

Exit codes:
  2  the usage or an input was bad; else
  1  a history is not linearizable; else
  3  a limit was hit before an answer was found; else
  0  every history is linearizable

TSV output is one line a history, without a header:
  file  ok|bad|undecided|error  engine  operations  seconds";

const COMPLETIONS_EXAMPLES: &str = "\
Examples:
  linpoint completions bash > ~/.local/share/bash-completion/completions/linpoint
  linpoint completions zsh > ~/.zfunc/_linpoint
  linpoint completions fish > ~/.config/fish/completions/linpoint.fish";

const MAN_EXAMPLES: &str = "\
Examples:
  linpoint man | man -l -
  linpoint man ~/.local/share/man/man1            linpoint.1, linpoint-check.1, ...";

/// The names that `--format` takes.
pub(super) fn format_names() -> clap::builder::PossibleValuesParser {
    Format::ALL.iter().map(|format| format.name()).collect::<Vec<_>>().into()
}

/// What to read, and how.
#[derive(Args, Debug)]
pub struct Files {
    /// Files, directories, or - for the standard input
    ///
    /// Directories are walked in the order of names; *.tsv, README* and hidden files are passed over.
    #[arg(required = true, value_name = "FILE|DIR|-")]
    pub paths: Vec<PathBuf>,

    /// The model, with options after a colon [default: as the file says]
    ///
    /// For example: register, cas-register:initial=0, queue:capacity=20, mutex:owner. `linpoint models`
    /// lists them.
    #[arg(long, short, value_name = "MODEL")]
    pub model: Option<String>,

    /// The format [default: as the contents say]
    ///
    /// `linpoint formats` describes them. Files that are compressed with gzip or zstd are unpacked.
    #[arg(long, value_name = "FORMAT", value_parser = format_names())]
    pub format: Option<String>,

    /// Refuse a compressed input that is larger than this when unpacked [default: 3/16 of the
    /// free memory]
    #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
    pub max_unpacked: Option<usize>,
}

/// One history, and how to read it.
#[derive(Args, Debug)]
pub struct OneHistory {
    /// The file, or - for the standard input
    #[arg(value_name = "FILE|-")]
    pub file: PathBuf,

    /// The format of the file [default: as the contents say]
    #[arg(long, value_name = "FORMAT", value_parser = format_names())]
    pub from: Option<String>,

    /// The model, with options after a colon [default: as the file says]
    ///
    /// With it, a format that has no way to name the model is written without it.
    #[arg(long, short, value_name = "MODEL")]
    pub model: Option<String>,

    /// Which of several histories in the file
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,

    /// Refuse a compressed input that is larger than this when unpacked [default: 3/16 of the
    /// free memory]
    #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
    pub max_unpacked: Option<usize>,
}

/// What to check, and how.
#[derive(Args, Debug)]
pub struct How {
    /// What to read, and how.
    #[command(flatten)]
    pub files: Files,

    /// Use this engine, or several in competition: a+b [default: the planner chooses]
    #[arg(long, value_name = "NAME")]
    pub algorithm: Option<String>,

    /// Time limit for each history: 10s, 500ms, 2m, or a number of seconds
    #[arg(long, value_name = "TIME", value_parser = units::duration)]
    pub timeout: Option<Duration>,

    /// Memory limit of all checks together: 1GiB, 512MB, or a number of bytes
    #[arg(long, value_name = "SIZE", value_parser = units::bytes)]
    pub memory: Option<usize>,

    /// Number of threads, for files and within them [default: all cores]
    #[arg(long, short = 'j', value_name = "N")]
    pub threads: Option<std::num::NonZeroUsize>,

    /// Look for violations in every independent part, not only the first
    #[arg(long)]
    pub all_failures: bool,

    /// What to do with known positions in the order of effects
    #[arg(long, value_enum, default_value = "order", value_name = "USE")]
    pub hints: Hints,
}

/// Arguments of `check`.
#[derive(Args, Debug)]
pub struct Check {
    /// What to check, and how.
    #[command(flatten)]
    pub how: How,

    /// How to print the results
    #[arg(long, short, value_enum, default_value = "human", value_name = "FORM")]
    pub output: OutputForm,

    /// Write a page with an interactive timeline
    ///
    /// Of several histories, each gets a page in a directory: one that exists, or a name that ends in /.
    #[arg(long, value_name = "FILE|DIR/")]
    pub html: Option<PathBuf>,

    /// Write the order in which the operations took effect, a line each
    ///
    /// The file has a section for each history, in the order of the inputs; a directory has a file for each history
    /// that is linearizable. docs/output.md describes the lines.
    #[arg(long, value_name = "FILE|DIR/")]
    pub witness: Option<PathBuf>,

    /// Show no progress on the terminal
    #[arg(long, short)]
    pub quiet: bool,
}

/// What to do with order hints.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Hints {
    /// Nothing
    Ignore,
    /// Try this order first; the verdict does not depend on it
    Order,
    /// Require this order: breaking it is a violation
    Assert,
}

/// How to print the results.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum OutputForm {
    /// For people
    Human,
    /// One JSON object a line and history
    Json,
    /// One line a history, fields separated by tabs
    Tsv,
    /// JUnit XML, a test case a history
    Junit,
}
