//! From operations as the file has them to a history of a model.

use std::sync::{Mutex, MutexGuard, PoisonError};

use linpoint::OpId;
use linpoint::history::{HistoryError, IntervalBuilder, Ties};
use linpoint::wire::{FromWire, Mismatch, ModelInfo, Part};
use rustc_hash::FxHashMap;

use super::LoadedHistory;
use super::moments::{Events, FailedOp};
use super::recent::Recent;
use super::typed::{AnyHistory, Owned};
use super::wrong::{error_at, mismatch_at};
use crate::model::ModelName;
use crate::raw::{Lines, RawHistory, RawId, RawOp};
use crate::stream::{Parts, Receiver, Stream};
use crate::{ReadError, Source, Value};

/// A history that is being loaded.
pub(crate) struct Loader<'a, 'r> {
    pub(super) source: &'a Source,
    pub(super) raw: RawHistory,
    /// Where the operations are, if they are not in `raw`.
    pub(super) stream: Option<Stream<'r>>,
    pub(super) info: &'a ModelInfo,
    pub(super) model: ModelName,
    /// Whether to keep what only pages show.
    pub(super) keep_details: bool,
    /// Operations that did not happen, if details are kept.
    pub(super) failed: Vec<FailedOp>,
    /// Remarks by operation, if details are kept.
    pub(super) remarks: FxHashMap<u32, String>,
}

/// Reads a history of a model.
pub(super) fn load<M: FromWire>(
    model: &M,
    mut loader: Loader<'_, '_>,
) -> Result<LoadedHistory, ReadError> {
    let (ties, with_events) = (loader.raw.ties, loader.wants_events());
    let mut joined = Joined::new(model, ties, with_events);
    if let Some(stream) = loader.stream.take() {
        let mut parts = JoinedParts(Vec::new());
        while parts.0.len() < stream.parts() {
            parts.0.push(Apart(Mutex::new(Joined::new(model, ties, with_events))));
        }
        let read = stream.read(&mut loader.raw, &parts);
        read.map_err(|_| ReadError::new(loader.source, "the lines are not plain"))?;
        std::mem::swap(&mut joined, &mut parts.part(0));
    } else {
        loader.set_details_aside();
        let ops = std::mem::take(&mut loader.raw.ops);
        joined.builder.reserve(ops.len());
        ops.consume(&mut |raw| {
            joined.add(raw).map_err(|wrong| match wrong {
                Wrong::Joined(mismatch) => loader.mismatch(raw, &mismatch),
                Wrong::History(error) => loader.invalid(&joined.lines, &error),
            })
        })?;
    }
    let Joined { builder, lines, unknown_results, events, .. } = joined;
    let history = builder.finish().map_err(|e| loader.invalid(&lines, &e))?;
    model.foresee(&history);
    let any = Box::new(Owned { spec: model.clone(), history });
    Ok(loader.loaded(any, lines, unknown_results, events.unwrap_or_default()))
}

/// The operations of a model, as far as they have been read.
struct Joined<'a, M: FromWire> {
    model: &'a M,
    builder: IntervalBuilder<M::Op, M::Ret>,
    recent: Recent<M::Ret>,
    lines: Lines,
    unknown_results: usize,
    /// When operations were called and returned, if it is to be kept.
    events: Option<Events>,
}

/// What is wrong with an operation.
enum Wrong {
    Joined(Mismatch),
    History(HistoryError),
}

/// A history in parts, see [`Parts`].
struct JoinedParts<'a, M: FromWire>(Vec<Apart<Mutex<Joined<'a, M>>>>);

/// PERF: no cache line belongs to two parts, which different threads change.
#[repr(align(128))]
struct Apart<T>(T);

impl<'a, M: FromWire> JoinedParts<'a, M> {
    fn part(&self, part: usize) -> MutexGuard<'_, Joined<'a, M>> {
        self.0[part].0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<M: FromWire> Parts for JoinedParts<'_, M> {
    fn fill(&self, part: usize, fill: &mut dyn FnMut(&mut dyn Receiver)) {
        fill(&mut *self.part(part));
    }

    fn join(&self, part: usize, line: u32, later: u64) -> bool {
        self.part(0).append(&mut self.part(part), line, later).is_ok()
    }
}

impl<'a, M: FromWire> Joined<'a, M> {
    fn new(model: &'a M, ties: Ties, with_events: bool) -> Self {
        Joined {
            model,
            builder: IntervalBuilder::new(ties),
            recent: Recent::default(),
            lines: Lines::default(),
            unknown_results: 0,
            events: with_events.then(Events::default),
        }
    }

    /// Moves all operations of another part behind those of this one.
    fn append(
        &mut self,
        other: &mut Joined<'a, M>,
        line: u32,
        later: u64,
    ) -> Result<(), HistoryError> {
        self.builder.append(&mut other.builder, later)?;
        self.lines.append(&mut other.lines, line);
        if let (Some(events), Some(others)) = (&mut self.events, &mut other.events) {
            events.append(others, later);
        }
        self.unknown_results += std::mem::take(&mut other.unknown_results);
        Ok(())
    }

    #[inline]
    fn add(&mut self, raw: &RawOp<'_>) -> Result<(), Wrong> {
        self.lines.push(raw.line);
        if let Some(events) = &mut self.events {
            events.push(raw.start, raw.end);
        }
        let Joined { model, recent, unknown_results, .. } = self;
        let op = || model.read_op(&raw.call()).map_err(Wrong::Joined);
        let ret = |op: &M::Op| match raw.end {
            None => Ok(None),
            Some(_) => read_result(*model, op, raw.result, recent, unknown_results),
        };
        self.builder.add_with((raw.start, raw.end), &raw.extras, op, ret)?;
        Ok(())
    }
}

/// The result of an operation that returned, if it is known.
#[inline]
fn read_result<M: FromWire>(
    model: &M,
    op: &M::Op,
    result: Option<&Value>,
    recent: &mut Recent<M::Ret>,
    unknown_results: &mut usize,
) -> Result<Option<M::Ret>, Wrong> {
    match result {
        Some(value) if model.shares_result(op) => {
            let read = recent.read(value, |value| model.read_ret(op, value));
            read.map(Some).map_err(Wrong::Joined)
        }
        Some(value) => model.read_ret(op, value).map(Some).map_err(Wrong::Joined),
        None => {
            let only = model.only_ret(op);
            *unknown_results += usize::from(only.is_none());
            Ok(only)
        }
    }
}

impl<M: FromWire> Receiver for Joined<'_, M> {
    fn add(&mut self, op: &RawOp<'_>) -> bool {
        Joined::add(self, op).is_ok()
    }

    fn end(&mut self, at: usize, time: u64, result: Option<&Value>) -> bool {
        if let Some(events) = &mut self.events {
            events.end(at, time);
        }
        let Joined { model, recent, unknown_results, .. } = self;
        let ret = |op: &M::Op| read_result(*model, op, result, recent, unknown_results);
        self.builder.end_with(OpId(at as u32), time, ret).is_ok()
    }
}

impl From<HistoryError> for Wrong {
    fn from(error: HistoryError) -> Wrong {
        Wrong::History(error)
    }
}

impl Loader<'_, '_> {
    /// Remembers remarks and failed operations, before the operations are consumed.
    fn set_details_aside(&mut self) {
        let remarks = std::mem::take(&mut self.raw.remarks);
        if !self.keep_details {
            return;
        }
        let RawHistory { ops, .. } = &self.raw;
        self.failed = ops.failed().map(|op| FailedOp::new(&op, &self.raw)).collect();
        if remarks.is_empty() {
            return;
        }
        let happened: FxHashMap<RawId, u32> = ops.ids().zip(0..).collect();
        let failed: FxHashMap<RawId, u32> = ops.failed_ids().zip(0..).collect();
        for (op, text) in remarks {
            let all = match (happened.get(&op), failed.get(&op)) {
                (Some(at), _) => self.remarks.entry(*at).or_default(),
                (None, Some(at)) => &mut self.failed[*at as usize].remark,
                (None, None) => continue,
            };
            // The call and the return of an operation may say the same.
            if !all.split("; ").any(|known| known == text) {
                let comma = if all.is_empty() { "" } else { "; " };
                all.push_str(comma);
                all.push_str(&text);
            }
        }
    }

    /// Whether it matters when calls and returns happened, beyond their order.
    fn wants_events(&self) -> bool {
        self.keep_details || !self.raw.faults.is_empty()
    }

    fn loaded(
        self,
        any: Box<dyn AnyHistory>,
        lines: Lines,
        unknown_results: usize,
        events: Events,
    ) -> LoadedHistory {
        let Loader { mut raw, model, keep_details, failed, remarks, .. } = self;
        let times = keep_details.then(|| events.times(&raw)).flatten();
        let (faults, failed) = events.place_all(std::mem::take(&mut raw.faults), failed, &raw);
        LoadedHistory {
            any,
            model,
            note: raw.note,
            format: raw.format,
            processes: raw.processes,
            objects: raw.objects,
            lines,
            faults,
            times,
            failed,
            remarks,
            unknown_results: raw.partly_unknown + unknown_results,
            jepsen: raw.jepsen,
            broken: raw.broken,
        }
    }

    fn at(&self, line: u32, part: Part, message: String) -> ReadError {
        self.located(error_at(self.source, self.raw.format, line, part, message), part)
    }

    fn mismatch(&self, raw: &RawOp<'_>, mismatch: &Mismatch) -> ReadError {
        let error = mismatch_at(self.source, self.raw.format, self.info, raw, mismatch);
        self.located(error, mismatch.part())
    }

    /// The error at the field of a log that holds the part.
    fn located(&self, error: ReadError, part: Part) -> ReadError {
        let (Some(log), Some(line)) = (&self.raw.log, error.line()) else { return error };
        let field = match part {
            Part::Name => &log.op,
            Part::Result => &log.value,
            Part::Args => return error,
        };
        match crate::mapping::locate(self.source, self.raw.format, line, field) {
            Some(column) => error.at(self.source, line, column),
            None => error,
        }
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
