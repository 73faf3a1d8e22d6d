//! `linpoint convert`: the same history in another format.

use std::io;
use std::path::{Path, PathBuf};

use linpoint_formats::{Format, ModelName, RawHistory, Source, convert, registry};

use crate::args::convert::Convert;
use crate::exit::Exit;
use crate::inputs::{Input, Inputs};
use crate::output::{Output, sink};

/// Converts a history.
pub fn run(args: &Convert, out: &mut Output) -> io::Result<Exit> {
    let chosen = Chosen {
        file: &args.file,
        from: args.from.as_deref(),
        model: args.model.as_deref(),
        id: args.id.as_deref(),
    };
    let converted = read(&chosen).and_then(|(source, raw, model)| {
        let to = Format::from_name(&args.to).unwrap_or(Format::Jsonl);
        let converted = convert(&source, &raw, model.as_ref(), to);
        converted.map_err(|error| error.to_string())
    });
    let converted = match converted {
        Ok(converted) => converted,
        Err(message) => {
            out.error(&message);
            return Ok(Exit::Bad);
        }
    };
    let mut sink = sink(args.out.as_deref())?;
    sink.write_all(&converted.text)?;
    sink.flush()?;
    for lost in &converted.lost {
        out.warning(lost);
    }
    Ok(Exit::Fine)
}

/// One history of the command line.
pub struct Chosen<'a> {
    /// The file, or - for the standard input.
    pub file: &'a Path,
    /// Its format, if it was given.
    pub from: Option<&'a str>,
    /// The model, if it was given.
    pub model: Option<&'a str>,
    /// Which of several histories in the file.
    pub id: Option<&'a str>,
}

/// Reads a history, and the model of the command line.
pub fn read(chosen: &Chosen<'_>) -> Result<(Source, RawHistory, Option<ModelName>), String> {
    let model = named(chosen.model)?;
    let source = one_file(chosen.file)?;
    let format = match chosen.from.and_then(Format::from_name) {
        Some(format) => format,
        None => Format::detect(&source).map_err(|error| error.to_string())?,
    };
    let mut histories = format.read(&source, model.as_ref());
    let fits = |raw: &RawHistory| chosen.id.is_none() || raw.id.as_deref() == chosen.id;
    histories.retain(|history| history.as_ref().is_ok_and(fits) || history.is_err());
    match (histories.pop(), histories.len()) {
        (Some(Ok(raw)), 0) => Ok((source, raw, model)),
        (Some(Err(error)), _) => Err(error.to_string()),
        (None, _) => Err(format!("{}: no history has this --id", source.name())),
        (Some(Ok(_)), more) => {
            let histories = more + 1;
            Err(format!("{}: the file has {histories} histories; --id names one", source.name()))
        }
    }
}

/// The model of the command line.
pub fn named(model: Option<&str>) -> Result<Option<ModelName>, String> {
    let model = model.map(ModelName::parse).transpose()?;
    if let Some(model) = &model {
        registry::validate(model)?;
    }
    Ok(model)
}

/// The contents of the one file, or of the standard input.
fn one_file(path: &Path) -> Result<Source, String> {
    let mut inputs = Inputs::find(&[PathBuf::from(path)]);
    match (inputs.list.pop(), inputs.list.is_empty()) {
        (Some(input @ (Input::File(_) | Input::Stdin)), true) if !path.is_dir() => {
            input.read(Source::usual_limit())
        }
        (Some(input @ Input::Bad(..)), true) if !path.is_dir() => input.read(Source::usual_limit()),
        _ => Err(format!("{}: this is a directory; name a file", path.display())),
    }
}
