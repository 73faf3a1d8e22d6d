//! The command line as the commands use it: names looked up, defaults filled in.

use std::path::{Path, PathBuf};

use linpoint_formats::registry::custom::ProcessLimits;
use linpoint_formats::{Format, Mapping, ModelName, Settings, Source, WorkloadChoice, registry};

use super::check::{CheckArgs, CheckForm};
use super::raw::{HintUse, InputArgs, ProgramArgs, RunArgs};
use crate::config::Config;
use crate::error::CommandError;
use crate::inputs::Filter;
use crate::output::Output;
use crate::progress;

/// Width of the output if `COLUMNS` is not set and the output is no terminal.
const DEFAULT_WIDTH: usize = 100;

/// Which inputs to read, and how.
#[derive(Debug)]
pub struct InputOptions {
    /// Files and directories.
    pub paths: Vec<PathBuf>,
    /// Which files of directories are read.
    pub filter: Filter,
    /// The model, if given.
    pub model: Option<ModelName>,
    /// The models of files, if no model is given.
    pub config: Config,
    /// What the fields of logs mean, if given.
    pub map: Option<Mapping>,
    /// Which of Jepsen's workloads they are.
    pub workload: WorkloadChoice,
    /// The format, if given.
    pub format: Option<Format>,
    /// Limit on the unpacked size of a compressed input, in bytes.
    pub max_unpacked: usize,
}

impl InputOptions {
    pub fn new(args: InputArgs) -> Result<InputOptions, CommandError> {
        Ok(InputOptions {
            paths: args.paths,
            filter: Filter { include: args.include, exclude: args.exclude },
            model: model_or_program(args.model.as_deref(), &args.program)?,
            config: Config::load(args.config.as_deref())?,
            map: args.meaning.mapping()?,
            workload: args.meaning.workload(),
            format: args.format.as_deref().and_then(Format::from_name),
            max_unpacked: max_unpacked(args.max_unpacked),
        })
    }
}

/// The limit on the unpacked size of a compressed input, in bytes.
pub fn max_unpacked(given: Option<usize>) -> usize {
    given.unwrap_or_else(Source::usual_limit)
}

/// Parses a model with its options, without looking it up.
pub fn parse_model(text: &str) -> Result<ModelName, CommandError> {
    ModelName::parse(text).map_err(CommandError::usage)
}

/// The program that is the model, or else the model that is named.
pub fn model_or_program(
    text: Option<&str>,
    command: &ProgramArgs,
) -> Result<Option<ModelName>, CommandError> {
    Ok(program(command)?.or(model(text)?))
}

/// Parses a model with its options and looks it up. A script is loaded.
pub fn model(text: Option<&str>) -> Result<Option<ModelName>, CommandError> {
    let model = text.map(parse_model).transpose()?;
    if let Some(model) = &model {
        registry::custom::add_script(model).map_err(CommandError::usage)?;
        registry::validate(model).map_err(CommandError::usage)?;
    }
    Ok(model)
}

/// The program that is the model, if there is one.
pub fn program(args: &ProgramArgs) -> Result<Option<ModelName>, CommandError> {
    let mut limits = ProcessLimits::default();
    limits.answer = args.model_timeout.unwrap_or(limits.answer);
    let add = |command: &String| registry::custom::add_command(command, limits);
    args.model_command.as_ref().map(add).transpose().map_err(CommandError::usage)
}

/// Inputs to check, and how.
#[derive(Debug)]
pub struct RunOptions {
    /// Which inputs to read, and how.
    pub inputs: InputOptions,
    /// How to check them.
    pub settings: Settings,
}

impl RunOptions {
    pub fn new(args: RunArgs, out: &mut Output) -> Result<RunOptions, CommandError> {
        Ok(RunOptions {
            inputs: InputOptions::new(args.inputs)?,
            settings: Settings {
                limits: args.limits.into(),
                threads: args.jobs.settle(out),
                algorithm: args.algorithm,
                hints: match args.hints {
                    HintUse::Ignore => linpoint::Hints::Ignore,
                    HintUse::Order => linpoint::Hints::Order,
                    HintUse::Assert => linpoint::Hints::Assert,
                },
                all_failures: !args.first_failure,
                ..Settings::default()
            },
        })
    }
}

/// How much is printed for people.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Detail {
    /// What is not linearizable, undecided, or could not be checked.
    Failures,
    /// All results, and a summary.
    Results,
    /// The same, and how each history was checked.
    Everything,
}

/// The options of `check`.
#[derive(Debug)]
pub struct CheckOptions {
    /// Inputs to check, and how.
    pub run: RunOptions,
    /// The form of the results.
    pub form: CheckForm,
    /// The file that they are written to; `None` is standard output.
    pub output: Option<PathBuf>,
    /// File or directory for HTML pages.
    pub html: Option<PathBuf>,
    /// Whether to show the page in a browser.
    pub open: bool,
    /// File or directory for witnesses.
    pub witness: Option<PathBuf>,
    /// True if a bad input counts for more than a violation.
    pub strict: bool,
    /// True if the first history that is not linearizable ends the run.
    pub fail_fast: bool,
    /// Width of the output in columns.
    pub width: usize,
    /// Whether to show progress.
    pub progress: bool,
    /// How much is printed for people.
    pub detail: Detail,
}

impl CheckOptions {
    pub fn new(args: CheckArgs, out: &mut Output) -> Result<CheckOptions, CommandError> {
        let mut run = RunOptions::new(args.run, out)?;
        let (form, output) = args.result.settle(out);
        // TSV has no room for an explanation, so none is computed.
        run.settings.verdict_only = form == CheckForm::Tsv && args.html.is_none();
        run.settings.all_failures &= !run.settings.verdict_only && !args.fail_fast;
        Ok(CheckOptions {
            run,
            form,
            width: width_for(output.as_deref()),
            output,
            html: args.html,
            open: args.open,
            witness: args.witness,
            strict: args.strict,
            fail_fast: args.fail_fast,
            progress: progress::is_wanted(args.quiet),
            detail: match (args.quiet, args.verbose) {
                (true, _) => Detail::Failures,
                (_, true) => Detail::Everything,
                _ => Detail::Results,
            },
        })
    }
}

/// Width of the output in columns: that of the terminal, unless it goes to a file. `COLUMNS` overrides both.
pub fn width_for(file: Option<&Path>) -> usize {
    let terminal = || console::Term::stdout().size_checked().map(|(_, columns)| columns.into());
    width(std::env::var("COLUMNS").ok(), || terminal().filter(|_| file.is_none()))
}

fn width(columns: Option<String>, terminal: impl Fn() -> Option<usize>) -> usize {
    let columns = columns.and_then(|columns| columns.parse().ok()).filter(|columns| *columns > 0);
    columns.or_else(|| terminal().filter(|columns| *columns > 0)).unwrap_or(DEFAULT_WIDTH)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_width_is_that_of_columns_or_of_the_terminal() {
        let width = |text: &str, terminal| super::width(Some(text.to_owned()), || terminal);
        assert_eq!((width("80", None), width("0", None), width("wide", None)), (80, 100, 100));
        assert_eq!((width("80", Some(60)), width("", Some(60))), (80, 60));
        assert_eq!(super::width(None, || Some(132)), 132);
        assert_eq!((super::width(None, || None), super::width(None, || Some(0))), (100, 100));
    }
}
