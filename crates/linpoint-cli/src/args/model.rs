//! The arguments of `model`.

use clap::Subcommand;
use clap::builder::PossibleValuesParser;
use linpoint_custom::STARTS;

pub const EXAMPLES: &str = "\
Examples:
  linpoint model new kv > store.star             a commented start: a key-value store
  linpoint model test store.star                 test it: random runs, what it claims, how fast it is
  linpoint gen --model ./store.star | linpoint check --model ./store.star -
docs/models.md explains scripts, and programs in other languages.";

/// What to do with a model of your own.
#[derive(Subcommand, Debug)]
pub enum ModelCommand {
    /// Write a commented script to start with to standard output
    New {
        /// What it is a model of
        #[arg(value_parser = starts())]
        start: String,
    },
    /// Test a model: random runs, what it claims, whether it is deterministic, how fast it is
    Test {
        /// The script, with options after a colon: ./bank.star
        #[arg(required_unless_present = "model_command")]
        model: Option<String>,

        /// A program that is the model, instead of a script
        #[arg(long, value_name = "COMMAND", conflicts_with = "model")]
        model_command: Option<String>,

        /// Random seed
        #[arg(long, value_name = "N", default_value_t = 1)]
        seed: u64,
    },
}

/// The names of the scripts to start with.
fn starts() -> PossibleValuesParser {
    STARTS.map(|(name, _)| name).into()
}
