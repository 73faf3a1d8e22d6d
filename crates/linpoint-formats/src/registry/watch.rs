//! Watching a stream: the incremental checker on events as they come in.
//!
//! Objects are watched apart from each other, and so are keys where no operation is about several. See
//! [`linpoint::incremental`] for what it takes.

use linpoint::incremental::{Open, Step, StreamChecker, StreamError, StreamViolation};
use linpoint::subject::{Call, RetId, StreamSubject, TypedStream};
use linpoint::wire::{FromWire, Mismatch, ModelInfo};
use linpoint::{Allowance, Limit, OpId};
use rustc_hash::FxHashMap;

use super::loaded::client;
use super::models::Model;
use super::recent::Recent;
use super::wrong::mismatch_at;
use super::{entry_of, model_of, model_with_options};
use crate::live::{KeptLines, Lines, LiveReader, Opened, WatchError};
use crate::model::ModelName;
use crate::raw::{Change, End, RawId, RawOp, Sink};
use crate::{Format, ReadError, Value};

/// Name at most this many open operations beside a violation.
const MAX_OPEN: usize = 8;

/// Work for reading a line, in units of a few nanoseconds.
const WORK_PER_LINE: usize = 128;

/// How to watch a stream.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The model; overrides the one that the stream names.
    pub model: Option<ModelName>,
    /// The format. By default, it is recognised by the first line.
    pub format: Option<Format>,
    /// Give up an object or key that needs more configurations than this.
    pub max_configurations: usize,
    /// Time and memory. If a limit is reached, watching stops. The caller, who supplies the lines,
    /// [pauses](Allowance::pause) it while waiting for them.
    pub allowance: Allowance,
    /// Whether to keep the last lines, for a page: up to 200,000 of them, and 32 MiB.
    pub keep_lines: bool,
}

/// Progress callback.
pub trait Watcher {
    /// True if [`Watcher::progress`] should be called. Asked after each line.
    fn wants_progress(&mut self) -> bool {
        false
    }

    /// What has been read so far.
    fn progress(&mut self, _progress: StreamProgress) {}

    /// Nothing is known about an object or key from here on.
    fn given_up(&mut self, _given_up: &GivenUp) {}
}

/// What has been read so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StreamProgress {
    /// Calls and ends of operations.
    pub events: u64,
    /// Operations that are open.
    pub open: usize,
    /// Configurations that explain the stream.
    pub configurations: usize,
}

/// What was watched, and how it ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// The model, with its options.
    pub model: ModelName,
    /// Operations that have begun.
    pub operations: u64,
    /// Operations whose results are unknown, in whole or in part.
    pub unknown_results: u64,
    /// How it ended.
    pub outcome: Ended,
    /// The last lines, if they were to be kept.
    pub kept: Option<KeptLines>,
}

/// How a stream ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// It ended, and has a linearization.
    Fine,
    /// It ended, but at least one object or key was given up; the first of them.
    Undecided(GivenUp),
    /// A limit on time or memory was reached on this line, and watching stopped.
    Stopped {
        /// The line.
        line: u32,
        /// The limit.
        limit: Limit,
    },
    /// It has no linearization.
    Violation(Box<LiveViolation>),
}

/// Where an object or key was given up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GivenUp {
    /// The line of the return.
    pub line: u32,
    /// The operation that returned, for people.
    pub op: String,
    /// The limit that was hit.
    pub limit: Limit,
}

/// The return at which a stream stopped being linearizable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LiveViolation {
    /// The line of the return.
    pub line: u32,
    /// The line of the call.
    pub call_line: u32,
    /// The operation, for people.
    pub op: String,
    /// Who performed it.
    pub client: Option<String>,
    /// What it was performed on.
    pub object: Option<String>,
    /// Its result, for people; `None` if it is unknown.
    pub returned: Option<String>,
    /// True if the stream says that it did not happen.
    pub failed: bool,
    /// Everything it could have returned.
    pub allowed: Vec<String>,
    /// True if `allowed` is complete; false if a limit cut it short.
    pub allowed_is_complete: bool,
    /// States the object could have been in just before; the first few.
    pub states: Vec<String>,
    /// Operations of this object that are open too, as the stream names them, the last first, with the lines
    /// of their calls; the first few.
    pub open: Vec<(u32, String)>,
}

/// Watches a stream to its end, to the first violation, or to a limit on time or memory.
pub fn watch(
    name: &str,
    lines: Lines<'_>,
    settings: &Settings,
    watcher: &mut dyn Watcher,
) -> Result<Summary, WatchError> {
    let Opened { reader, model, has_lines } =
        LiveReader::open(name, lines, settings.format, settings.keep_lines)?;
    let source = reader.source();
    let model =
        model_of(source, reader.format(), settings.model.as_ref(), model.as_ref(), !has_lines)
            .map_err(|error| match reader.format() {
                Format::Edn => {
                    error.help("a stream in EDN does not say what it is a history of: give --model")
                }
                _ => error,
            })?;
    let entry = entry_of(source, &model)?;
    let made = model_with_options(source, entry, &model).map_err(|(error, _)| error)?;
    let most = settings.max_configurations;
    let mut stream = Stream {
        model: &*made,
        info: &entry.info,
        most,
        allowance: settings.allowance.clone(),
        reader,
        objects: FxHashMap::default(),
        open: FxHashMap::default(),
        events: 0,
        operations: 0,
        unknown_results: 0,
    };
    let outcome = stream.watch(watcher)?;
    let partly = stream.reader.ops().partly_unknown() as u64;
    let kept = stream.reader.take_kept();
    let Stream { operations, unknown_results, .. } = stream;
    Ok(Summary { model, operations, unknown_results: unknown_results + partly, outcome, kept })
}

/// The operations of one object, as they come in.
pub(crate) trait AnyStream {
    /// Gives a number to the operation that a name and arguments stand for.
    fn op(&mut self, raw: &RawOp<'_>) -> Result<OpId, Mismatch>;

    /// Gives a number to the result that a value stands for. Without a value it is the only possible one, if there is
    /// only one, or else unknown.
    fn ret(&mut self, op: OpId, value: Option<&Value>) -> Result<RetId, Mismatch>;

    fn subject(&mut self) -> &mut dyn StreamSubject;
}

/// The operations of one object of a model, as they come in.
pub(super) struct ModelStream<'a, M: FromWire> {
    model: &'a M,
    stream: TypedStream<'a, M>,
    recent: Recent<M::Ret>,
}

impl<'a, M: FromWire> ModelStream<'a, M> {
    pub(super) fn new(model: &'a M) -> Self {
        ModelStream { model, stream: TypedStream::new(model), recent: Recent::default() }
    }
}

impl<M: FromWire> AnyStream for ModelStream<'_, M> {
    fn op(&mut self, raw: &RawOp<'_>) -> Result<OpId, Mismatch> {
        Ok(self.stream.push_op(self.model.read_op(&raw.call())?))
    }

    fn ret(&mut self, op: OpId, value: Option<&Value>) -> Result<RetId, Mismatch> {
        let (model, op) = (self.model, self.stream.op(op));
        let ret = match value {
            Some(value) if model.shares_result(op) => {
                Some(self.recent.read(value, |value| model.read_ret(op, value))?)
            }
            Some(value) => Some(model.read_ret(op, value)?),
            None => model.only_ret(op),
        };
        Ok(ret.map_or(RetId::UNKNOWN, |ret| self.stream.push_ret(ret)))
    }

    fn subject(&mut self) -> &mut dyn StreamSubject {
        &mut self.stream
    }
}

/// Everything about a stream of one model.
struct Stream<'s, 'a> {
    model: &'s dyn Model,
    info: &'static ModelInfo,
    most: usize,
    allowance: Allowance,
    reader: LiveReader<'a>,
    objects: FxHashMap<Option<u32>, Object<'s>>,
    /// The open operations, by their numbers in the reader.
    open: FxHashMap<RawId, (OpId, Open)>,
    events: u64,
    operations: u64,
    unknown_results: u64,
}

/// One of the objects of a stream.
struct Object<'s> {
    stream: Box<dyn AnyStream + 's>,
    checker: StreamChecker,
}

impl<'s> Stream<'s, '_> {
    /// Watches the stream to its end, to the first violation, or to a limit on time or memory.
    fn watch(&mut self, watcher: &mut dyn Watcher) -> Result<Ended, WatchError> {
        let mut given_up = None;
        loop {
            let changes = self.take_changes()?;
            // A violation is one, however late.
            if !matches!(changes, Some(Ended::Violation(_)))
                && let Err(limit) = self.allowance.work(WORK_PER_LINE)
            {
                return Ok(Ended::Stopped { line: self.reader.number(), limit });
            }
            match changes {
                Some(Ended::Fine) | None => {}
                Some(Ended::Undecided(here)) => {
                    if given_up.is_none() {
                        watcher.given_up(&here);
                        given_up = Some(here);
                    }
                    // There may be more on this line.
                    continue;
                }
                Some(violation) => return Ok(violation),
            }
            if watcher.wants_progress() {
                watcher.progress(self.progress());
            }
            if !self.reader.more()? {
                return Ok(given_up.map_or(Ended::Fine, Ended::Undecided));
            }
        }
    }

    /// Takes what has happened on the last line; stops at what is not fine.
    fn take_changes(&mut self) -> Result<Option<Ended>, WatchError> {
        while let Some(change) = self.reader.ops_mut().change() {
            self.events += 1;
            match change {
                Change::Called(op) => self.call(op)?,
                Change::Ended(op, end) => {
                    let ended = self.end(op, &end)?;
                    self.reader.ops_mut().forget(op);
                    if ended.is_some() {
                        return Ok(ended);
                    }
                }
            }
        }
        Ok(None)
    }

    fn progress(&self) -> StreamProgress {
        StreamProgress {
            events: self.events,
            open: self.reader.ops().open(),
            configurations: self
                .objects
                .values()
                .map(|object| object.checker.configurations())
                .sum(),
        }
    }

    fn object(&mut self, object: Option<u32>) -> &mut Object<'s> {
        let Stream { model, most, allowance, .. } = &*self;
        let (model, most, allowance) = (*model, *most, allowance.clone());
        self.objects.entry(object).or_insert_with(|| {
            let by_key = model.one_key();
            let checker = if by_key { StreamChecker::new() } else { StreamChecker::whole() };
            Object {
                stream: model.stream(),
                checker: checker.max_configurations(most).allowance(allowance),
            }
        })
    }

    fn call(&mut self, id: RawId) -> Result<(), WatchError> {
        let object = self.reader.ops().op(id).extras.object;
        self.object(object);
        let raw = self.reader.ops().op(id);
        let Some(Object { stream, checker }) = self.objects.get_mut(&object) else { return Ok(()) };
        let called = stream.op(&raw).map(|op| (op, checker.call(stream.subject(), op)));
        let (op, open) = called.map_err(|mismatch| self.mismatch(raw, &mismatch))?;
        self.sound()?;
        self.operations += 1;
        self.open.insert(id, (op, open.map_err(|error| self.refused(&error))?));
        Ok(())
    }

    fn end(&mut self, id: RawId, end: &End) -> Result<Option<Ended>, WatchError> {
        let Some((op, open)) = self.open.remove(&id) else { return Ok(None) };
        let raw = self.reader.ops().op(id);
        let object = raw.extras.object;
        let Some(Object { stream, checker }) = self.objects.get_mut(&object) else {
            return Ok(None);
        };
        let ret = match end {
            End::Returned(value) => stream.ret(op, value.as_ref()),
            End::Failed | End::Lost => Ok(RetId::UNKNOWN),
        };
        let ret = match ret {
            Ok(ret) => ret,
            Err(mismatch) => return Err(self.mismatch(raw, &mismatch)),
        };
        let step = match end {
            End::Lost => checker.crash(stream.subject(), open).map(|()| Step::Fine),
            End::Failed => checker.fail(stream.subject(), open),
            End::Returned(_) => {
                self.unknown_results += u64::from(ret == RetId::UNKNOWN);
                checker.ret(stream.subject(), open, ret)
            }
        };
        self.sound()?;
        match step.map_err(|error| self.refused(&error))? {
            Step::Fine => Ok(None),
            Step::Undecided(limit) => {
                let op = self.object(object).stream.subject().describe_op(op);
                let line = self.reader.number();
                Ok(Some(Ended::Undecided(GivenUp { line, op, limit })))
            }
            Step::Violation(violation) => {
                let failed = matches!(end, End::Failed);
                let found = self.violation(id, op, failed, violation);
                Ok(Some(Ended::Violation(Box::new(found))))
            }
        }
    }

    fn violation(
        &mut self,
        id: RawId,
        op: OpId,
        failed: bool,
        violation: StreamViolation<RetId>,
    ) -> LiveViolation {
        let object = self.reader.ops().op(id).extras.object;
        let subject = self.object(object).stream.subject();
        let describe = |ret: &RetId| subject.describe_ret(Call { op, ret: *ret });
        let returned = violation.returned.as_ref().map(describe);
        let allowed = violation.allowed.iter().map(describe).collect();
        let ops = self.reader.ops();
        let raw = ops.op(id);
        let as_text = |op: &RawOp<'_>| {
            let args: Vec<String> = op.args.iter().map(ToString::to_string).collect();
            (op.line, format!("{}({})", op.name, args.join(", ")))
        };
        let same_object = |other: &RawOp<'_>| other.extras.object == raw.extras.object;
        let open = ops.all_open().into_iter().filter(same_object).take(MAX_OPEN);
        LiveViolation {
            line: self.reader.number(),
            call_line: raw.line,
            op: violation.description,
            client: ops.process(id).map(client),
            object: raw.extras.object.and_then(|object| ops.object(object)).map(Value::bare),
            returned,
            failed,
            allowed,
            allowed_is_complete: violation.allowed_is_complete,
            states: violation.states,
            open: open.map(|op| as_text(&op)).collect(),
        }
    }

    fn mismatch(&self, raw: RawOp<'_>, mismatch: &Mismatch) -> WatchError {
        let (source, format) = (self.reader.source(), self.reader.format());
        // Only this line is still there.
        let line = self.reader.number();
        let raw = RawOp { line, end_line: line, ..raw };
        mismatch_at(source, format, self.info, &raw, mismatch).into()
    }

    /// Makes sure that the model has not failed.
    fn sound(&self) -> Result<(), WatchError> {
        let Some(message) = self.model.failure() else { return Ok(()) };
        let source = self.reader.source();
        Err(ReadError::new(source, message).at_line(source, self.reader.number()).into())
    }

    /// The incremental checker cannot go on.
    fn refused(&self, error: &StreamError) -> WatchError {
        let source = self.reader.source();
        ReadError::new(source, error.to_string()).at_line(source, self.reader.number()).into()
    }
}
