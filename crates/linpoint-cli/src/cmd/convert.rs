//! `linpoint convert`: writes a history in another format.

use std::path::{Path, PathBuf};

use linpoint_formats::{Format, ModelName, RawHistory, Source, convert, etcd};

use crate::args::convert::ConvertArgs;
use crate::args::raw::HistoryArgs;
use crate::args::resolved::{max_unpacked, model};
use crate::error::{CommandError, CommandResult};
use crate::exit::Exit;
use crate::inputs::{Filter, Inputs};
use crate::output::{self, Output};

/// Converts a history.
pub fn run(args: &ConvertArgs, out: &mut Output) -> CommandResult {
    let OneHistory { source, raw, model } = read(&args.history)?;
    let to = Format::from_name(&args.to).unwrap_or(Format::Jsonl);
    let converted = convert(&source, &raw, model.as_ref(), to).map_err(CommandError::input)?;
    let mut file = output::create(args.out.as_deref())?;
    file.write_all(&converted.text)?;
    file.flush()?;
    for lost in &converted.lost {
        out.warning(lost);
    }
    Ok(Exit::Success)
}

/// A history with its source, before it is joined to a model.
pub struct OneHistory {
    /// The file.
    pub source: Source,
    /// The history.
    pub raw: RawHistory,
    /// The model of the command line, if given.
    pub model: Option<ModelName>,
}

/// Reads the one history that the arguments name.
pub fn read(args: &HistoryArgs) -> Result<OneHistory, CommandError> {
    let model = model(args.model.as_deref())?;
    let source = one_file(&args.file, args.max_unpacked)?;
    let format = match args.from.as_deref().and_then(Format::from_name) {
        Some(format) => format,
        None => Format::detect(&source).map_err(CommandError::input)?,
    };
    let mut histories = format.read(&source, model.as_ref());
    let matches = |raw: &RawHistory| args.id.is_none() || raw.id == args.id;
    histories.retain(|history| history.as_ref().is_ok_and(matches) || history.is_err());
    match (histories.pop(), histories.len()) {
        (Some(Ok(raw)), 0) => Ok(OneHistory { source, raw, model }),
        (Some(Err(error)), _) => Err(CommandError::input(error)),
        (None, _) => {
            Err(CommandError::Usage(format!("{}: no history has this --id", source.name())))
        }
        (Some(Ok(_)), others) => Err(CommandError::Usage(format!(
            "{}: the file has {} histories; choose one with --id",
            source.name(),
            others + 1
        ))),
    }
}

/// The contents of a single file, or of standard input.
fn one_file(path: &Path, limit: Option<usize>) -> Result<Source, CommandError> {
    let mut inputs = Inputs::find(&[PathBuf::from(path)], &Filter::default());
    match (inputs.list.pop(), inputs.list.is_empty()) {
        (Some(input), true) if !path.is_dir() || etcd::is_report(path) => {
            input.read(max_unpacked(limit))
        }
        _ => Err(CommandError::Usage(format!("{}: is a directory; name a file", path.display()))),
    }
}
