//! Joins the operations of a file to the bundled specifications, by the name of the model.

pub mod custom;
mod facts;
mod kept;
mod loaded;
mod loader;
pub(crate) mod models;
mod moments;
mod parts;
mod recent;
mod typed;
pub mod watch;
mod wrong;

pub use facts::Facts;
pub use loaded::LoadedHistory;
pub(crate) use loaded::client;
pub use models::for_each_model;
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
use crate::mapping::{self, Mapping};
use crate::model::ModelName;
use crate::raw::RawHistory;
use crate::stream::Stream;
use crate::suggest::did_you_mean;
use crate::workload::WorkloadChoice;
use crate::{Format, ReadError, Source, Value};
use loader::Loader;
use models::{Entry, Make, Model};

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

/// What the user says about an input.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given<'a> {
    /// The format; recognised by the contents if not given.
    pub format: Option<Format>,
    /// The model. It overrides the one that the file names.
    pub model: Option<&'a ModelName>,
    /// What the fields of a log mean.
    pub map: Option<&'a Mapping>,
    /// Which of Jepsen's workloads it is.
    pub workload: WorkloadChoice,
}

/// A history before it is joined to its model.
#[derive(Debug)]
pub struct Unjoined {
    /// The history.
    pub raw: RawHistory,
    /// The model that overrides the one of the file: that of the user, or that of one of several components.
    pub model: Option<ModelName>,
}

/// Reads all histories of an input without joining them to their models.
pub fn read_raw(source: &Source, given: Given<'_>) -> Vec<Result<Unjoined, ReadError>> {
    read_raw_with(source, given, false)
}

/// The same, with or without what only pages show.
fn read_raw_with(
    source: &Source,
    given: Given<'_>,
    keep_details: bool,
) -> Vec<Result<Unjoined, ReadError>> {
    let read = match given {
        Given { map: Some(map), format, .. } => vec![mapping::read(source, format, map)],
        Given { format, model, workload, .. } => {
            match format.map_or_else(|| Format::detect(source), Ok) {
                Ok(format) => format.read_as(source, model, workload, keep_details),
                Err(error) => vec![Err(error)],
            }
        }
    };
    let mut all = Vec::new();
    for raw in read {
        match raw.and_then(|raw| parts::split(source, raw, given.model)) {
            Ok(pieces) => all.extend(pieces.into_iter().map(|(raw, component)| {
                Ok(Unjoined { raw, model: component.or_else(|| given.model.cloned()) })
            })),
            Err(error) => all.push(Err(error)),
        }
    }
    all
}

/// Reads all histories of a source.
pub fn read_source(source: &Source, limits: ReadLimits, given: Given<'_>) -> Vec<Found> {
    // A single line of a stream has another number.
    let is_whole = source.first_line() == 1;
    let plain = || read_plain(&mut source.bytes(), limits, given);
    match is_whole.then(plain).flatten() {
        Some(history) => vec![Found { id: None, history: Ok(history) }],
        None => read_any(source, limits, given),
    }
}

/// Reads all histories of a file. The text of a long one is not kept in memory, if its lines are plain.
pub fn read_path(path: &Path, limits: ReadLimits, given: Given<'_>) -> io::Result<Vec<Found>> {
    // Other things than files can be read only once.
    if path.metadata().is_ok_and(|meta| meta.is_file())
        && let Some(history) = read_plain(&mut File::open(path)?, limits, given)
    {
        return Ok(vec![Found { id: None, history: Ok(history) }]);
    }
    Ok(read_any(&Source::open_within(path, limits.max_unpacked)?, limits, given))
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
    read_source(source, limits, Given { format, model, ..Given::default() })
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
    read_path(path, limits, Given { format, model, ..Given::default() })
}

/// Reads a history whose lines are plain, see [`crate::stream`].
fn read_plain(
    input: &mut Input<'_>,
    limits: ReadLimits,
    given: Given<'_>,
) -> Option<LoadedHistory> {
    let has_components = |model: &ModelName| model.components().is_some();
    let is_unusual = given.map.is_some()
        || matches!(given.workload, WorkloadChoice::Is(_))
        || given.model.is_some_and(has_components);
    if is_unusual {
        return None;
    }
    let (raw, stream) = Stream::open(input, given.format, limits.threads)?;
    // The errors are not shown.
    let nowhere = Source::new("", Vec::new());
    join(&nowhere, raw, Some(stream), (given.model, limits.details)).ok()
}

/// Reads whatever there is.
fn read_any(source: &Source, limits: ReadLimits, given: Given<'_>) -> Vec<Found> {
    let found = |unjoined: Result<Unjoined, ReadError>| match unjoined {
        Ok(Unjoined { mut raw, model }) => {
            let id = raw.id.take();
            Found { id, history: join(source, raw, None, (model.as_ref(), limits.details)) }
        }
        Err(error) => Found { id: None, history: Err(error) },
    };
    read_raw_with(source, given, limits.details).into_iter().map(found).collect()
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
pub fn resolve(
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

/// Makes sure that a model exists and has these options, before any file is read. Options that it
/// needs may still be missing: files can have them.
///
/// # Errors
///
/// The model is unknown, or an option is unknown or wrong.
pub fn validate(model: &ModelName) -> Result<(), ReadError> {
    if let Some(components) = model.components() {
        return components.iter().try_for_each(|component| validate(&component.model));
    }
    let nowhere = Source::new("--model", Vec::new());
    let entry = entry_of(&nowhere, model)?;
    match model_with_options(&nowhere, entry, model) {
        Err((error, Fault::Wrong)) => Err(error),
        Ok(_) | Err((_, Fault::Missing)) => Ok(()),
    }
}

fn entry_of(source: &Source, model: &ModelName) -> Result<&'static Entry, ReadError> {
    if let Some(entry) = models::find(&model.name) {
        return Ok(entry);
    }
    if custom::is_script(&model.name) {
        let error = ReadError::new(source, format!("the model is the script {:?}", model.name));
        return Err(error.help("a history cannot load a script: give it with --model"));
    }
    if model.components().is_some() {
        let message = format!("the models {} are not one model", model.name);
        return Err(ReadError::new(source, message).help("only the commands that read files take several models: check, plan, stats, depth, convert, shrink"));
    }
    let names: Vec<&str> = models().map(|info| info.name).collect();
    let rest = format!("the models are: {}", names.join(", "));
    Err(ReadError::new(source, format!("unknown model {:?}", model.name)).help(did_you_mean(
        &model.name,
        &names,
        &rest,
    )))
}

/// The model with the options that are given.
fn model_with_options(
    source: &Source,
    entry: &Entry,
    model: &ModelName,
) -> Result<Box<dyn Model>, (ReadError, Fault)> {
    let options = entry.info.options;
    let listed = match options {
        [] => "it has no options".to_owned(),
        options => format!("the options are: {}", options.join("; ")),
    };
    let error = |message: String| ReadError::new(source, message);
    let bad = |fault: BadOption| (error(fault.message).help(listed.clone()), fault.fault);
    let make = match entry.make {
        Make::Bundled(make) => make,
        Make::Custom => return custom::make(source, model).map_err(|error| (error, Fault::Wrong)),
    };
    let mut given = Options::new(&model.options);
    let made = make(&mut given).map_err(bad)?;
    match given.left_over() {
        None => Ok(made),
        Some(key) => {
            let message = format!("the model {:?} has no option {key:?}", model.name);
            let name = |option: &&'static str| option.split(['=', ':']).next();
            let names: Vec<&str> = options.iter().filter_map(name).collect();
            Err((error(message).help(did_you_mean(key, &names, &listed)), Fault::Wrong))
        }
    }
}
