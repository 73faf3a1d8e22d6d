//! Joins the operations of a file to the bundled specifications, by the name of the model.

mod facts;
mod loaded;
mod loader;
pub(crate) mod models;
mod moments;
mod recent;
mod typed;
pub mod watch;
mod wrong;

pub use facts::Facts;
pub use loaded::LoadedHistory;
pub(crate) use moments::Events;
pub use moments::{FailedOp, PlacedFault, Times};
pub use typed::{Difference, Recorded};

use std::fs::File;
use std::io;
use std::path::Path;

use linpoint::subject::Subject;
use linpoint::wire::{BadOption, Fault, ModelInfo, Options};
use linpoint::{Algorithm, Cancel, Checker, Hints, Limits};
use rustc_hash::FxHashMap;

use crate::blocks::Input;
use crate::generate::{Draft, Object};
use crate::model::ModelName;
use crate::raw::{RawBuilder, RawHistory};
use crate::stream::Stream;
use crate::{Format, ReadError, Source, Value};
use loader::Loader;
use models::{Entry, Model};

/// How to check a [`LoadedHistory`].
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Time and memory.
    pub limits: Limits,
    /// Number of threads; all cores if not given.
    pub threads: Option<usize>,
    /// An engine, several in competition, or a monitor; the planner chooses if not given.
    pub algorithm: Option<Algorithm>,
    /// What to do with order hints.
    pub hints: Hints,
    /// Goes on after the first part that fails.
    pub all_failures: bool,
    /// Leaves violations unexplained, as far as explaining takes time.
    pub verdict_only: bool,
    /// Lets another thread end the check.
    pub cancel: Cancel,
}

impl Settings {
    fn checker<'a>(&self, subject: &'a dyn Subject) -> Checker<'a, dyn Subject + 'a> {
        let mut checker = Checker::of_subject(subject)
            .hints(self.hints)
            .all_failures(self.all_failures)
            .explains(!self.verdict_only)
            .cancel(&self.cancel);
        if let Some(time) = self.limits.time {
            checker = checker.timeout(time);
        }
        if let Some(bytes) = self.limits.memory {
            checker = checker.memory(bytes);
        }
        if let Some(threads) = self.threads {
            checker = checker.threads(threads);
        }
        if let Some(algorithm) = &self.algorithm {
            checker = checker.engine(algorithm.clone());
        }
        checker
    }
}

/// All models, in the order in which they are listed.
pub fn models() -> impl Iterator<Item = ModelInfo> {
    models::all().iter().map(|entry| entry.info)
}

/// One of the histories of an input.
pub struct Found {
    /// Which of several it is; `None` if it is the only one.
    pub id: Option<String>,
    /// The history, or why there is none.
    pub history: Result<LoadedHistory, ReadError>,
}

/// Reads the one history of an input, in whatever format it is. `model` overrides the model that
/// the file names.
pub fn read(source: &Source, model: Option<&ModelName>) -> Result<LoadedHistory, ReadError> {
    let mut histories = read_all(source, None, model);
    match (histories.pop(), histories.is_empty()) {
        (Some(found), true) => found.history,
        _ => Err(ReadError::new(source, "the file has several histories")),
    }
}

/// What reading may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadLimits {
    /// Number of threads for a long file; all cores if not given. What is read does not depend on it.
    pub threads: Option<usize>,
    /// A file that is compressed may have this many bytes when it is unpacked, see [`Source::open_within`].
    pub max_unpacked: usize,
    /// Whether to keep what only pages show, where the file has it: the clock at calls and returns
    /// ([`LoadedHistory::times`]), remarks ([`LoadedHistory::remark`]), and operations that did not happen
    /// ([`LoadedHistory::failed`]).
    pub details: bool,
}

impl Default for ReadLimits {
    /// All cores, and [the usual](Source::usual_limit) number of bytes. Details are not kept.
    fn default() -> Self {
        ReadLimits { threads: None, max_unpacked: Source::usual_limit(), details: false }
    }
}

/// Reads all histories of an input, in the format that is given or else in whatever format it is.
/// There is at least one, or an error.
pub fn read_all(source: &Source, format: Option<Format>, model: Option<&ModelName>) -> Vec<Found> {
    read_all_within(source, ReadLimits::default(), format, model)
}

/// The same, within limits.
pub fn read_all_within(
    source: &Source,
    limits: ReadLimits,
    format: Option<Format>,
    model: Option<&ModelName>,
) -> Vec<Found> {
    // A single line of a stream has another number.
    let is_whole = source.first_line() == 1;
    let plain = || read_plain(&mut source.bytes(), limits, format, model);
    match is_whole.then(plain).flatten() {
        Some(history) => vec![Found { id: None, history: Ok(history) }],
        None => read_any(source, limits, format, model),
    }
}

/// Reads all histories of a file, as [`read_all`] does. The text of a long one is not kept in memory, if its
/// lines are plain.
pub fn read_file(
    path: &Path,
    format: Option<Format>,
    model: Option<&ModelName>,
) -> io::Result<Vec<Found>> {
    read_file_within(path, ReadLimits::default(), format, model)
}

/// The same, within limits.
pub fn read_file_within(
    path: &Path,
    limits: ReadLimits,
    format: Option<Format>,
    model: Option<&ModelName>,
) -> io::Result<Vec<Found>> {
    // Other things than files can be read only once.
    if path.metadata().is_ok_and(|meta| meta.is_file())
        && let Some(history) = read_plain(&mut File::open(path)?, limits, format, model)
    {
        return Ok(vec![Found { id: None, history: Ok(history) }]);
    }
    Ok(read_any(&Source::open_within(path, limits.max_unpacked)?, limits, format, model))
}

/// Reads a history whose lines are plain, see [`crate::stream`].
fn read_plain(
    input: &mut Input<'_>,
    limits: ReadLimits,
    format: Option<Format>,
    model: Option<&ModelName>,
) -> Option<LoadedHistory> {
    let (raw, stream) = Stream::open(input, format, limits.threads)?;
    // Nobody will see the errors.
    let nowhere = Source::new("", Vec::new());
    join(&nowhere, raw, Some(stream), (model, limits.details)).ok()
}

/// Reads whatever there is.
fn read_any(
    source: &Source,
    limits: ReadLimits,
    format: Option<Format>,
    model: Option<&ModelName>,
) -> Vec<Found> {
    let format = match format.map_or_else(|| Format::detect(source), Ok) {
        Ok(format) => format,
        Err(error) => return vec![Found { id: None, history: Err(error) }],
    };
    let found = |raw: Result<RawHistory, ReadError>| match raw {
        Ok(mut raw) => {
            let id = raw.id.take();
            Found { id, history: join(source, raw, None, (model, limits.details)) }
        }
        Err(error) => Found { id: None, history: Err(error) },
    };
    format.read(source, model).into_iter().map(found).collect()
}

/// Joins a history to its model. `model` overrides the model that the file names.
pub fn load(
    source: &Source,
    raw: RawHistory,
    model: Option<&ModelName>,
) -> Result<LoadedHistory, ReadError> {
    join(source, raw, None, (model, false))
}

/// Joins a history to its model, whose operations are either in it or still in the stream, and keeps its details or not.
fn join(
    source: &Source,
    mut raw: RawHistory,
    stream: Option<Stream<'_>>,
    (model, keep_details): (Option<&ModelName>, bool),
) -> Result<LoadedHistory, ReadError> {
    let in_file = raw.model.take();
    let is_empty = raw.ops.is_empty() && stream.is_none();
    let model = model_of(source, raw.format, model, in_file.as_ref(), is_empty)?;
    let entry = entry_of(source, &model)?;
    let made = model_with_options(source, entry, &model).map_err(|(error, _)| error)?;
    made.load(Loader {
        source,
        raw,
        stream,
        info: &entry.info,
        model,
        keep_details,
        failed: Vec::new(),
        remarks: FxHashMap::default(),
    })
}

/// The model that is meant: the user overrides the file.
fn model_of(
    source: &Source,
    format: Format,
    model: Option<&ModelName>,
    in_file: Option<&ModelName>,
    is_empty: bool,
) -> Result<ModelName, ReadError> {
    match resolve(format, model, in_file) {
        Some(model) => Ok(model),
        // Without operations, every model says the same.
        None if is_empty => Ok(ModelName { name: "register".to_owned(), options: Vec::new() }),
        None => {
            let error = ReadError::new(source, "the file does not name a model");
            Err(error.help("give one with --model; `linpoint models` lists them"))
        }
    }
}

/// The model of a history with all its options, if it is known. `model` overrides the model that the
/// file names.
pub(crate) fn resolve(
    format: Format,
    model: Option<&ModelName>,
    in_file: Option<&ModelName>,
) -> Option<ModelName> {
    let mut resolved = match (model, in_file) {
        (Some(model), in_file) => model.clone().or_options_of(in_file),
        (None, in_file) => in_file.cloned()?,
    };
    if let Some((key, value)) = format.defaults(&resolved.name) {
        // What the user or the file says stays as it is.
        let _ = resolved.set(key, value);
    }
    Some(resolved)
}

/// True if there is a specification of this model: of Java's classes, there is for some.
pub(crate) fn has_specification(model: &ModelName) -> bool {
    model.name != "java"
        || model.option("class").and_then(Value::as_str).is_none_or(crate::java::Java::knows)
}

/// An object of a model that processes use, for generated histories.
pub(crate) fn simulate(draft: &Draft<'_>) -> Result<Box<dyn Object>, ReadError> {
    let nowhere = Source::new("--model", Vec::new());
    let entry = entry_of(&nowhere, draft.model)?;
    let made = model_with_options(&nowhere, entry, draft.model).map_err(|(error, _)| error)?;
    Ok(made.simulate(draft))
}

/// Makes sure that a model exists and has these options, before any file is read. Options that it
/// needs may still be missing: files can have them.
///
/// # Errors
///
/// The model is unknown, or an option is unknown or wrong.
pub fn validate(model: &ModelName) -> Result<(), ReadError> {
    let nowhere = Source::new("--model", Vec::new());
    let entry = entry_of(&nowhere, model)?;
    match model_with_options(&nowhere, entry, model) {
        Err((error, Fault::Wrong)) => Err(error),
        Ok(_) | Err((_, Fault::Missing)) => Ok(()),
    }
}

/// True if two models allow the same histories, as far as they have the same operations.
pub(crate) fn same_model(one: &ModelName, other: &ModelName) -> bool {
    let empty = |model: &ModelName| {
        let source = Source::new("", Vec::new());
        load(&source, RawBuilder::new().finish(Format::Jsonl), Some(model)).ok()
    };
    match (empty(one), empty(other)) {
        (Some(one), Some(other)) => one.difference(&other).is_none(),
        _ => false,
    }
}

fn entry_of(source: &Source, model: &ModelName) -> Result<&'static Entry, ReadError> {
    if let Some(entry) = models::find(&model.name) {
        return Ok(entry);
    }
    let names: Vec<&str> = models().map(|info| info.name).collect();
    let rest = format!("the models are: {}", names.join(", "));
    Err(ReadError::new(source, format!("unknown model {:?}", model.name))
        .help(wrong::did_you_mean(&model.name, &names, &rest)))
}

/// The model with the options that are given.
fn model_with_options(
    source: &Source,
    entry: &Entry,
    model: &ModelName,
) -> Result<Box<dyn Model>, (ReadError, Fault)> {
    let bad = |fault: BadOption| {
        let help = match entry.info.options {
            [] => "it has no options".to_owned(),
            options => format!("its options are: {}", options.join("; ")),
        };
        (ReadError::new(source, fault.message).help(help), fault.fault)
    };
    let mut options = Options::new(&model.options);
    let made = (entry.make)(&mut options).map_err(bad)?;
    match options.left_over() {
        None => Ok(made),
        Some(key) => {
            let message = format!("the model {:?} has no option {key:?}", model.name);
            Err(bad(BadOption::from(message)))
        }
    }
}
