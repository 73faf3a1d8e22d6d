//! From operations as the file has them to a history of a model.

use linpoint::history::{HistoryError, IntervalBuilder};
use linpoint::wire::{FromWire, Mismatch, ModelInfo, Part};

use super::LoadedHistory;
use super::recent::Recent;
use super::typed::{AnyHistory, Owned};
use super::wrong::{error_at, mismatch_at};
use crate::model::ModelName;
use crate::raw::{Lines, RawHistory, RawOp};
use crate::stream::Stream;
use crate::{ReadError, Source};

/// A history that is being loaded.
pub(crate) struct Loader<'a, 'r> {
    pub(super) source: &'a Source,
    pub(super) raw: RawHistory,
    /// Where the operations are, if they are not in `raw`.
    pub(super) stream: Option<Stream<'r>>,
    pub(super) info: &'a ModelInfo,
    pub(super) model: ModelName,
}

/// Reads a history of a model.
pub(super) fn load<M: FromWire>(
    model: &M,
    mut loader: Loader<'_, '_>,
) -> Result<LoadedHistory, ReadError> {
    let mut joined = Joined {
        model,
        builder: IntervalBuilder::new(loader.raw.ties),
        recent: Recent::default(),
        lines: Lines::default(),
        unknown_results: 0,
    };
    if let Some(stream) = loader.stream.take() {
        let read = stream.read(&mut loader.raw, &mut |raw| joined.add(raw).is_ok());
        read.map_err(|_| ReadError::new(loader.source, "the lines are not plain"))?;
    } else {
        let ops = std::mem::take(&mut loader.raw.ops);
        joined.builder.reserve(ops.len());
        ops.consume(&mut |raw| {
            joined.add(raw).map_err(|wrong| match wrong {
                Wrong::Joined(mismatch) => loader.mismatch(raw, &mismatch),
                Wrong::History(error) => loader.invalid(&joined.lines, &error),
            })
        })?;
    }
    let Joined { builder, lines, unknown_results, .. } = joined;
    let history = builder.finish().map_err(|e| loader.invalid(&lines, &e))?;
    Ok(loader.loaded(Box::new(Owned { spec: model.clone(), history }), lines, unknown_results))
}

/// The operations of a model, as far as they have been read.
struct Joined<'a, M: FromWire> {
    model: &'a M,
    builder: IntervalBuilder<M::Op, M::Ret>,
    recent: Recent<M::Ret>,
    lines: Lines,
    unknown_results: usize,
}

/// What is wrong with an operation.
enum Wrong {
    Joined(Mismatch),
    History(HistoryError),
}

impl<M: FromWire> Joined<'_, M> {
    #[inline]
    fn add(&mut self, raw: &RawOp<'_>) -> Result<(), Wrong> {
        self.lines.push(raw.line);
        let Joined { model, recent, unknown_results, .. } = self;
        let op = || model.read_op(&raw.call()).map_err(Wrong::Joined);
        let ret = |op: &M::Op| match raw.result {
            Some(value) if model.shares_result(op) => {
                let read = recent.read(value, |value| model.read_ret(op, value));
                read.map(Some).map_err(Wrong::Joined)
            }
            Some(value) => model.read_ret(op, value).map(Some).map_err(Wrong::Joined),
            None if raw.end.is_none() => Ok(None),
            None => {
                let only = model.only_ret(op);
                *unknown_results += usize::from(only.is_none());
                Ok(only)
            }
        };
        self.builder.add_with((raw.start, raw.end), &raw.extras, op, ret)?;
        Ok(())
    }
}

impl From<HistoryError> for Wrong {
    fn from(error: HistoryError) -> Wrong {
        Wrong::History(error)
    }
}

impl Loader<'_, '_> {
    fn loaded(
        self,
        any: Box<dyn AnyHistory>,
        lines: Lines,
        unknown_results: usize,
    ) -> LoadedHistory {
        let Loader { raw, model, .. } = self;
        LoadedHistory {
            any,
            model,
            note: raw.note,
            format: raw.format,
            processes: raw.processes,
            objects: raw.objects,
            lines,
            annotations: raw.annotations,
            unknown_results: raw.partly_unknown + unknown_results,
        }
    }

    fn at(&self, line: u32, part: Part, message: String) -> ReadError {
        error_at(self.source, self.raw.format, line, part, message)
    }

    fn mismatch(&self, raw: &RawOp<'_>, mismatch: &Mismatch) -> ReadError {
        mismatch_at(self.source, self.raw.format, self.info, raw, mismatch)
    }

    fn invalid(&self, lines: &Lines, error: &HistoryError) -> ReadError {
        // Processes are numbers in the library; here they have the names of the file.
        let message = match error.kind() {
            linpoint::history::HistoryErrorKind::ProcessOverlap { process, open } => {
                let who = self.raw.processes.get(process).cloned().unwrap_or_default();
                let line = lines.get(open.index()).unwrap_or_default();
                format!("process {who} calls while its operation from line {line} is still open")
            }
            _ => error.to_string(),
        };
        match lines.get(error.op().index()) {
            Some(line) => self.at(line, Part::Name, message),
            None => ReadError::new(self.source, message),
        }
    }
}
