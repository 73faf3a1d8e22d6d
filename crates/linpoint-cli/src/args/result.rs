//! Arguments that mean the same in every command: `--as` is the form of what is written, `--output` the file that it is
//! written to, `--jobs` the number of cores.
//!
//! Former spellings work for one more version. Each prints a warning that names the new one.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use linpoint_formats::Format;

use super::raw::format_names;
use crate::output::Output;

/// A form of output.
pub trait Form: ValueEnum + Default + Send + Sync + 'static {}

impl<F: ValueEnum + Default + Send + Sync + 'static> Form for F {}

/// The form of a result, and where it is written.
#[derive(Args, Debug)]
pub struct ResultArgs<F: Form> {
    /// Form of the output [default: human]
    #[arg(long = "as", value_enum, value_name = "FORM")]
    form: Option<F>,

    /// Where it is written.
    #[command(flatten)]
    file: FileArgs,
}

impl<F: Form> ResultArgs<F> {
    /// The form and the file; no file is standard output. `--output json` without a form is the old spelling of
    /// `--as json`.
    pub fn settle(&self, out: &mut Output) -> (F, Option<PathBuf>) {
        let name = self.file.output.as_deref().and_then(|path| path.to_str());
        let old =
            name.filter(|_| self.form.is_none()).and_then(|name| F::from_str(name, false).ok());
        match (old, name) {
            (Some(form), Some(name)) => {
                out.deprecated(&format!("--output {name}"), &format!("--as {name}"));
                (form, None)
            }
            _ => (self.form.clone().unwrap_or_default(), self.file.settle()),
        }
    }
}

/// Where a result is written.
#[derive(Args, Debug)]
pub struct FileArgs {
    /// Output file, or - for standard output [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
}

impl FileArgs {
    /// The file; `None` is standard output.
    pub fn settle(&self) -> Option<PathBuf> {
        file(self.output.as_ref())
    }
}

/// The file, if it is one: `-` is standard output.
fn file(path: Option<&PathBuf>) -> Option<PathBuf> {
    path.filter(|path| path.as_os_str() != "-").cloned()
}

/// The format of a history that is written, and where it is written.
#[derive(Args, Debug)]
pub struct WrittenArgs {
    /// The format to write [default: jsonl]
    #[arg(long = "as", value_name = "FORMAT", value_parser = format_names())]
    pub form: Option<String>,

    /// Where it is written.
    #[command(flatten)]
    pub file: FileArgs,

    /// The old spelling of `--output`.
    #[arg(long, value_name = "FILE", hide = true, conflicts_with = "output")]
    pub out: Option<PathBuf>,
}

impl WrittenArgs {
    /// The format and the file; no file is standard output. `old` is the old spelling of `--as`, with its value if it was
    /// used.
    pub fn settle(
        &self,
        (old, value): (&str, Option<&str>),
        out: &mut Output,
    ) -> (Format, Option<PathBuf>) {
        if let Some(format) = value {
            out.deprecated(&format!("{old} {format}"), &format!("--as {format}"));
        }
        if self.out.is_some() {
            out.deprecated("--out", "--output");
        }
        let format = self.form.as_deref().or(value).and_then(Format::from_name);
        (format.unwrap_or(Format::Jsonl), file(self.out.as_ref().or(self.file.output.as_ref())))
    }
}

/// How many cores to use.
#[derive(Args, Clone, Copy, Debug)]
pub struct JobArgs {
    /// Number of cores to use [default: all]
    #[arg(long, short, value_name = "N")]
    pub jobs: Option<NonZeroUsize>,

    /// The old spelling.
    #[arg(long, value_name = "N", hide = true, conflicts_with = "jobs")]
    pub threads: Option<NonZeroUsize>,
}

impl JobArgs {
    /// The number of cores, if it is given.
    pub fn settle(self, out: &mut Output) -> Option<usize> {
        if self.threads.is_some() {
            out.deprecated("--threads", "--jobs");
        }
        self.jobs.or(self.threads).map(usize::from)
    }
}
