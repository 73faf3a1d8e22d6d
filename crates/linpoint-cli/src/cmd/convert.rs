//! `linpoint convert`: writes a history in another format.

use linpoint_formats::registry::{self, Given, Unjoined};
use linpoint_formats::{Format, ModelName, RawHistory, Source, convert, etcd};

use crate::args::convert::ConvertArgs;
use crate::args::raw::HistoryArgs;
use crate::args::resolved::{max_unpacked, model_or_program};
use crate::error::{CommandError, CommandResult};
use crate::exit::Exit;
use crate::inputs::{Filter, Inputs};
use crate::output::{self, Output};

/// Converts a history.
pub fn run(args: &ConvertArgs, out: &mut Output) -> CommandResult {
    let (to, path) = args.written.settle(("--to", args.to.as_deref()), out);
    let format = args.history.format.as_deref().or(former_format(&args.history, out));
    let source = one_file(&args.history)?;
    let format = format.and_then(Format::from_name);
    let OneHistory { source, raw, model } = read(&args.history, source, format)?;
    let converted = convert(&source, &raw, model.as_ref(), to).map_err(CommandError::input)?;
    let mut file = output::create(path.as_deref())?;
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

/// The format to read, if it is given in the old spelling.
pub fn former_format<'a>(args: &'a HistoryArgs, out: &mut Output) -> Option<&'a str> {
    let format = args.from.as_deref()?;
    out.deprecated(&format!("--from {format}"), &format!("--format {format}"));
    Some(format)
}

/// Reads the one history that the arguments name, in this format if it is known.
pub fn read(
    args: &HistoryArgs,
    source: Source,
    format: Option<Format>,
) -> Result<OneHistory, CommandError> {
    let model = model_or_program(args.model.as_deref(), &args.program)?;
    let map = args.meaning.mapping()?;
    let given = Given {
        format,
        model: model.as_ref(),
        map: map.as_ref(),
        workload: args.meaning.workload(),
    };
    let mut histories = registry::read_raw(&source, given);
    let matches = |history: &Unjoined| args.id.is_none() || history.raw.id == args.id;
    histories.retain(|history| history.as_ref().is_ok_and(matches) || history.is_err());
    match (histories.pop(), histories.len()) {
        (Some(Ok(Unjoined { raw, model })), 0) => Ok(OneHistory { source, raw, model }),
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
pub fn one_file(args: &HistoryArgs) -> Result<Source, CommandError> {
    let path = &args.file;
    let mut inputs = Inputs::find(std::slice::from_ref(path), &Filter::default());
    match (inputs.list.pop(), inputs.list.is_empty()) {
        (Some(input), true) if !path.is_dir() || etcd::is_report(path) => {
            input.read(max_unpacked(args.max_unpacked))
        }
        _ => Err(CommandError::Usage(format!("{}: is a directory; name a file", path.display()))),
    }
}
