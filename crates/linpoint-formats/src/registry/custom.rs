//! Models that users write: scripts, and programs that answer questions.
//!
//! They are added by name, a path or a command, before histories are read. A history can name one, but cannot make one be
//! loaded: what runs is what the user has asked for.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use linpoint::wire::ModelInfo;
use linpoint_custom::CustomModel;
pub use linpoint_custom::ProcessLimits;

use super::models::{Entry, Make, Model};
use crate::model::ModelName;
use crate::{ReadError, Source, Value};

/// How files with scripts end.
pub const EXTENSION: &str = ".star";

/// A model that was added.
struct Added {
    entry: &'static Entry,
    /// How long to wait for answers, if it is a program.
    program: Option<ProcessLimits>,
    /// The model with the options with which it was needed.
    made: Vec<(Vec<(String, Value)>, CustomModel)>,
}

static ADDED: Mutex<Vec<Added>> = Mutex::new(Vec::new());

fn added() -> MutexGuard<'static, Vec<Added>> {
    ADDED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// True if a model of this name is a script.
pub fn is_script(name: &str) -> bool {
    name.ends_with(EXTENSION) || name.contains('/')
}

/// Adds the script that a model names, if it names one.
///
/// # Errors
///
/// What is wrong with the script, and where.
pub fn add_script(model: &ModelName) -> Result<(), ReadError> {
    if !is_script(&model.name) || find(&model.name).is_some() {
        return Ok(());
    }
    let made = script(&model.name, &model.options)?;
    add(&made, None, model);
    Ok(())
}

/// Adds the model that a program answers for, and gives its name.
///
/// # Errors
///
/// The program cannot be started, or does not introduce itself.
pub fn add_command(command: &str, limits: ProcessLimits) -> Result<ModelName, ReadError> {
    let model = ModelName { name: command.to_owned(), options: Vec::new() };
    if find(command).is_none() {
        let made = program(command, &model.options, limits)?;
        add(&made, Some(limits), &model);
    }
    Ok(model)
}

fn add(made: &CustomModel, program: Option<ProcessLimits>, model: &ModelName) {
    let entry = Entry {
        info: ModelInfo { name: Box::leak(model.name.as_str().into()), ..made.info() },
        make: Make::Custom,
    };
    // There are as many as the user names.
    let entry = Box::leak(Box::new(entry));
    let made = vec![(model.options.clone(), made.clone())];
    added().push(Added { entry, program, made });
}

fn script(name: &str, options: &[(String, Value)]) -> Result<CustomModel, ReadError> {
    let made = CustomModel::script(Path::new(name), options);
    made.map_err(|error| ReadError::new(&nowhere(), error.to_string()))
}

fn program(
    command: &str,
    options: &[(String, Value)],
    limits: ProcessLimits,
) -> Result<CustomModel, ReadError> {
    let made = CustomModel::command(command, options, limits);
    made.map_err(|error| ReadError::new(&nowhere(), error.to_string()))
}

fn nowhere() -> Source {
    Source::new("--model", Vec::new())
}

/// The entry of a model that was added.
pub(crate) fn find(name: &str) -> Option<&'static Entry> {
    added().iter().find(|added| added.entry.info.name == name).map(|added| added.entry)
}

/// How a model that was added is listed.
pub fn info(name: &str) -> Option<ModelInfo> {
    find(name).map(|entry| entry.info)
}

/// A model that was added, with these options.
pub fn model(model: &ModelName) -> Result<Option<CustomModel>, ReadError> {
    let mut added = added();
    let Some(known) = added.iter_mut().find(|added| added.entry.info.name == model.name) else {
        return Ok(None);
    };
    if let Some((_, made)) = known.made.iter().find(|(options, _)| *options == model.options) {
        return Ok(Some(made.clone()));
    }
    let made = match known.program {
        None => script(&model.name, &model.options)?,
        Some(limits) => program(&model.name, &model.options, limits)?,
    };
    known.made.push((model.options.clone(), made.clone()));
    Ok(Some(made))
}

/// The same, for the registry.
pub(super) fn make(source: &Source, name: &ModelName) -> Result<Box<dyn Model>, ReadError> {
    match model(name)? {
        Some(made) => Ok(Box::new(made)),
        None => Err(ReadError::new(source, format!("the model {:?} is gone", name.name))),
    }
}
