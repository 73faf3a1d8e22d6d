//! Arguments of `linpoint gen`.

use std::path::PathBuf;

use clap::Args;
use linpoint_formats::generate::{Options, Values};
use linpoint_formats::{Format, ModelName};

use super::raw::format_names;

pub const EXAMPLES: &str = "\
Examples:
  linpoint gen --model queue --ops 1000000 -o queue.jsonl     a long history of a queue
  linpoint gen --model kv --keys 20 --ambiguous 0.05          a store, and 5 % of outcomes unknown
  linpoint gen --model stack --mutate | linpoint check -      one wrong result: must be found
  linpoint gen --model queue:capacity=20 --values few         values that cannot be told apart
  linpoint gen --model priority-queue --format fastlin        in the format of another tool

The same options give the same history.";

/// Arguments of `gen`.
#[derive(Args, Debug)]
pub struct Gen {
    /// The model, with options after a colon; `linpoint models` lists them
    #[arg(long, short, value_name = "MODEL")]
    pub model: String,

    /// Number of operations
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub ops: u64,

    /// Number of processes, each with at most one open operation
    #[arg(long, value_name = "K", default_value_t = 4)]
    pub processes: u32,

    /// Mean number of other operations that are open when one is called [default: half of the others]
    ///
    /// 0 is one after the other; at most the number of processes less one.
    #[arg(long, value_name = "X")]
    pub overlap: Option<f64>,

    /// Where chance begins
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,

    /// Share of the operations of which nobody knows what became of them, from 0 to 1
    ///
    /// Most never return: some took effect, at once or later, some did not. Some return a result that is
    /// not known.
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    pub ambiguous: f64,

    /// What is written, added, inserted: distinct values, a few (5), or N
    #[arg(long, value_name = "distinct|few|N", default_value = "distinct", value_parser = values)]
    pub values: Values,

    /// Number of keys, segments or accounts, for models that have them [default: 4]
    #[arg(long, value_name = "N")]
    pub keys: Option<u32>,

    /// Change one result, so that the history is NOT linearizable, and say which
    #[arg(long)]
    pub mutate: bool,

    /// The format
    #[arg(long, value_name = "FORMAT", default_value = "jsonl", value_parser = format_names())]
    pub format: String,

    /// Where to write it [default: the standard output]
    #[arg(short, long = "out", value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// `distinct`, `few`, or how many.
fn values(text: &str) -> Result<Values, String> {
    match text {
        "distinct" => Ok(Values::Distinct),
        "few" => Ok(Values::FEW),
        number => match number.parse() {
            Ok(n) if n > 0 => Ok(Values::Among(n)),
            _ => Err("expected distinct, few, or a number from 1 on".to_owned()),
        },
    }
}

impl Gen {
    /// What the generator is asked for.
    pub fn options(&self) -> Result<Options, String> {
        Ok(Options {
            operations: self.ops,
            processes: self.processes,
            overlap: self.overlap,
            seed: self.seed,
            ambiguous: self.ambiguous,
            values: self.values,
            keys: self.keys,
            mutate: self.mutate,
            format: Format::from_name(&self.format).unwrap_or(Format::Jsonl),
            ..Options::new(ModelName::parse(&self.model)?)
        })
    }
}
