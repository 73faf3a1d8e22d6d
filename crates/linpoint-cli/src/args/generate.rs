//! Arguments of `linpoint gen`.

use std::path::PathBuf;

use clap::Args;
use linpoint_formats::{ModelName, registry};
use linpoint_generate::{Bug, Options, Values};

use super::raw::{ProgramArgs, format_names};
use super::resolved::{parse_model, program};
use super::result::WrittenArgs;
use crate::error::CommandError;
use crate::output::Output;

pub const EXAMPLES: &str = "\
Examples:
  linpoint gen --model queue --ops 1000000 -o queue.jsonl     a long history of a queue
  linpoint gen --model kv --keys 20 --ambiguous 0.05          a key-value store; 5 % of outcomes unknown
  linpoint gen --model stack --mutate | linpoint check -      one wrong result: a violation
  linpoint gen --model kv --bug stale-read | linpoint check - a bug as real services have it
  linpoint gen --model queue:capacity=20 --values few         few distinct values
  linpoint gen --model priority-queue --as fastlin            in the format of another tool

The output is deterministic: equal options produce equal histories.";

/// Arguments of `gen`.
#[derive(Args, Debug)]
pub struct GenArgs {
    /// The model, with options after a colon; `linpoint models` lists them
    #[arg(long, short, value_name = "MODEL", required_unless_present = "model_command")]
    pub model: Option<String>,

    /// A program as the model.
    #[command(flatten)]
    pub program: ProgramArgs,

    /// Number of operations
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub ops: u64,

    /// Number of clients, each with at most one open operation [default: 4]
    #[arg(long, value_name = "K")]
    pub clients: Option<u32>,

    /// The old spelling of `--clients`.
    #[arg(long, value_name = "K", hide = true, conflicts_with = "clients")]
    pub processes: Option<u32>,

    /// Mean number of other operations that are open when one is called [default: half of the others]
    ///
    /// 0 means sequential; at most the number of clients minus one.
    #[arg(long, value_name = "X")]
    pub overlap: Option<f64>,

    /// Random seed
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,

    /// Fraction of operations with an unknown outcome, from 0 to 1
    ///
    /// Most of them never return: some take effect, immediately or later, and some do not. The others return
    /// an unknown result.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    pub ambiguous: f64,

    /// Values to write, add or insert: all distinct, a few (5), or N of them
    #[arg(long, value_name = "distinct|few|N", default_value = "distinct", value_parser = values)]
    pub values: Values,

    /// Number of keys, segments or accounts, for models that have them [default: 4]
    #[arg(long, value_name = "N")]
    pub keys: Option<u32>,

    /// Change one result so that the history is NOT linearizable, and report which
    #[arg(long)]
    pub mutate: bool,

    /// Plant a bug as real services have it, so that the history is NOT linearizable, and report where
    ///
    /// stale-read: answered by a replica that lags behind. lost-update: answered, but the effect is lost. duplicate: takes
    /// effect again later. reorder: answered before it takes effect. split-brain: one client talks to a node that the
    /// others do not know.
    #[arg(long, value_name = "BUG", conflicts_with = "mutate")]
    pub bug: Option<Bug>,

    /// The format to write, and where.
    #[command(flatten)]
    pub written: WrittenArgs,

    /// The old spelling of `--as`.
    #[arg(long, value_name = "FORMAT", hide = true, value_parser = format_names())]
    pub format: Option<String>,
}

/// Clients, unless a number is given.
const CLIENTS: u32 = 4;

/// Parses `distinct`, `few`, or a number of values.
fn values(text: &str) -> Result<Values, String> {
    match text {
        "distinct" => Ok(Values::Distinct),
        "few" => Ok(Values::FEW),
        number => match number.parse() {
            Ok(n) if n > 0 => Ok(Values::Among(n)),
            _ => Err("expected distinct, few, or a number of at least 1".to_owned()),
        },
    }
}

impl GenArgs {
    /// The options of the generator, and the file to write; no file is standard output.
    pub fn settle(&self, out: &mut Output) -> Result<(Options, Option<PathBuf>), CommandError> {
        if self.processes.is_some() {
            out.deprecated("--processes", "--clients");
        }
        let (format, file) = self.written.settle(("--format", self.format.as_deref()), out);
        let options = Options {
            operations: self.ops,
            processes: self.clients.or(self.processes).unwrap_or(CLIENTS),
            overlap: self.overlap,
            seed: self.seed,
            ambiguous: self.ambiguous,
            values: self.values,
            keys: self.keys,
            mutate: self.mutate,
            bug: self.bug,
            format,
            ..Options::new(self.named_model()?)
        };
        Ok((options, file))
    }

    fn named_model(&self) -> Result<ModelName, CommandError> {
        if let Some(model) = program(&self.program)? {
            return Ok(model);
        }
        let model = parse_model(self.model.as_deref().unwrap_or_default())?;
        registry::custom::add_script(&model).map_err(CommandError::usage)?;
        Ok(model)
    }
}
