//! `linpoint convert`: the same history in another format.

use std::io;
use std::path::{Path, PathBuf};

use linpoint_formats::{Format, ModelName, RawHistory, Source, convert};

use crate::args::convert::Convert;
use crate::args::raw::OneHistory;
use crate::args::resolved::model;
use crate::exit::Exit;
use crate::inputs::Inputs;
use crate::output::{Output, sink};

/// Converts a history.
pub fn run(args: &Convert, out: &mut Output) -> io::Result<Exit> {
    let converted = read(&args.history).and_then(|(source, raw, model)| {
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

/// Reads a history, and the model of the command line.
pub fn read(chosen: &OneHistory) -> Result<(Source, RawHistory, Option<ModelName>), String> {
    let model = model(chosen.model.as_deref())?;
    let source = one_file(&chosen.file, chosen.max_unpacked)?;
    let format = match chosen.from.as_deref().and_then(Format::from_name) {
        Some(format) => format,
        None => Format::detect(&source).map_err(|error| error.to_string())?,
    };
    let mut histories = format.read(&source, model.as_ref());
    let fits = |raw: &RawHistory| chosen.id.is_none() || raw.id == chosen.id;
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

/// The contents of the one file, or of the standard input.
fn one_file(path: &Path, max_unpacked: Option<usize>) -> Result<Source, String> {
    let limit = max_unpacked.unwrap_or_else(Source::usual_limit);
    let mut inputs = Inputs::find(&[PathBuf::from(path)]);
    match (inputs.list.pop(), inputs.list.is_empty()) {
        (Some(input), true) if !path.is_dir() => input.read(limit),
        _ => Err(format!("{}: this is a directory; name a file", path.display())),
    }
}
