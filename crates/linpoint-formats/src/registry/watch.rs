//! Watching a stream: the incremental checker on events as they come in.
//!
//! Objects are watched apart from each other, and so are keys where no operation is about several. See
//! [`linpoint::incremental`] for what it takes.

use linpoint::incremental::{Incremental, Open, Step, StreamError, StreamViolation};
use linpoint::{Limit, Spec};
use rustc_hash::FxHashMap;

use super::join::{Join, OpOf, RetOf};
use super::loaded::client;
use super::wrong::mismatch_at;
use super::{ModelInfo, entry_of, join_of, model_of};
use crate::live::{Lines, LiveReader, Opened, WatchError};
use crate::model::ModelName;
use crate::raw::{Change, End, RawId, RawOp, Sink};
use crate::{Format, ReadError};

/// So many open operations are named beside a violation.
const MAX_OPEN: usize = 8;

/// How to watch a stream.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The model; goes before the one that the stream names.
    pub model: Option<ModelName>,
    /// The format; by its first line if not given.
    pub format: Option<Format>,
    /// An object or key with more configurations than this is given up.
    pub max_configurations: usize,
}

/// Is told how the watching goes.
pub trait Watcher {
    /// Whether [`Watcher::progress`] is to be called. Asked after each line.
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

/// What was watched, and what came of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// The model, with its options.
    pub model: ModelName,
    /// Operations that have begun.
    pub operations: u64,
    /// Operations that returned something that is not known, in whole or in part.
    pub unknown_results: u64,
    /// What came of it.
    pub outcome: Ended,
}

/// What came of a stream.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ended {
    /// It ended, and has a linearization.
    Fine,
    /// It ended, but at least one object or key was given up; the first of them.
    Undecided(GivenUp),
    /// It has no linearization.
    Violation(Box<LiveViolation>),
}

/// Where an object or key was given up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GivenUp {
    /// The line of the return.
    pub line: u32,
    /// The operation that returned, in words.
    pub op: String,
    /// What was hit.
    pub limit: Limit,
}

/// The return at which a stream stopped being linearizable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LiveViolation {
    /// The line of the return.
    pub line: u32,
    /// The line of the call.
    pub call_line: u32,
    /// The operation in words.
    pub op: String,
    /// Who performed it.
    pub client: Option<String>,
    /// What it was performed on.
    pub object: Option<String>,
    /// How it ended, in words: what it returned; `None` if that is unknown.
    pub returned: Option<String>,
    /// True if it is said not to have happened at all.
    pub failed: bool,
    /// Everything it could have returned.
    pub allowed: Vec<String>,
    /// States the object could have been in just before; the first few.
    pub states: Vec<String>,
    /// Operations of this object that are open too, as the stream names them, the last first, with the lines
    /// of their calls; the first few.
    pub open: Vec<(u32, String)>,
}

/// Watches a stream to its end, or to the first violation.
pub fn watch(
    name: &str,
    lines: Lines<'_>,
    settings: &Settings,
    watcher: &mut dyn Watcher,
) -> Result<Summary, WatchError> {
    let Opened { reader, model, has_lines } = LiveReader::open(name, lines, settings.format)?;
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
    let join = join_of(source, entry, &model).map_err(|(error, _)| error)?;
    let most = settings.max_configurations;
    let outcome = join.watch(Watched { reader, info: &entry.info, most, watcher })?;
    let Outcome { operations, unknown_results, ended } = outcome;
    Ok(Summary { model, operations, unknown_results, outcome: ended })
}

/// A stream, and how to watch it.
pub(super) struct Watched<'a, 'w> {
    reader: LiveReader<'a>,
    info: &'static ModelInfo,
    most: usize,
    watcher: &'w mut dyn Watcher,
}

/// What came of a stream, before it has a model's name.
pub(super) struct Outcome {
    operations: u64,
    unknown_results: u64,
    ended: Ended,
}

/// Watches a stream of one model.
pub(super) fn watch_with<J: Join>(
    join: &J,
    watched: Watched<'_, '_>,
) -> Result<Outcome, WatchError> {
    let spec = join.spec();
    let Watched { reader, info, most, watcher } = watched;
    let mut stream = Stream {
        join,
        spec: &spec,
        info,
        most,
        reader,
        objects: FxHashMap::default(),
        open: FxHashMap::default(),
        events: 0,
        operations: 0,
        unknown_results: 0,
    };
    let mut given_up = None;
    let ended = loop {
        match stream.take_changes()? {
            Some(Ended::Fine) | None => {}
            Some(Ended::Undecided(here)) => {
                if given_up.is_none() {
                    watcher.given_up(&here);
                    given_up = Some(here);
                }
                // There may be more on this line.
                continue;
            }
            Some(violation) => break violation,
        }
        if watcher.wants_progress() {
            watcher.progress(stream.progress());
        }
        if !stream.reader.more()? {
            break given_up.map_or(Ended::Fine, Ended::Undecided);
        }
    };
    let partly = stream.reader.ops().partly_unknown() as u64;
    let Stream { operations, unknown_results, .. } = stream;
    Ok(Outcome { operations, unknown_results: unknown_results + partly, ended })
}

/// Everything about a stream of one model.
struct Stream<'s, 'a, J: Join> {
    join: &'s J,
    spec: &'s J::Spec,
    info: &'static ModelInfo,
    most: usize,
    reader: LiveReader<'a>,
    objects: FxHashMap<Option<u32>, Incremental<'s, J::Spec>>,
    /// The open operations, by their numbers in the reader.
    open: FxHashMap<RawId, (OpOf<J>, Open)>,
    events: u64,
    operations: u64,
    unknown_results: u64,
}

impl<'s, J: Join> Stream<'s, '_, J> {
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
            configurations: self.objects.values().map(Incremental::configurations).sum(),
        }
    }

    fn object(&mut self, object: Option<u32>) -> &mut Incremental<'s, J::Spec> {
        let (spec, most) = (self.spec, self.most);
        self.objects.entry(object).or_insert_with(|| {
            let stream = if J::ONE_KEY { Incremental::new(spec) } else { Incremental::whole(spec) };
            stream.max_configurations(most)
        })
    }

    fn call(&mut self, id: RawId) -> Result<(), WatchError> {
        let raw = self.reader.ops().op(id);
        let object = raw.extras.object;
        let op = self.join.op(&raw).map_err(|mismatch| self.mismatch(raw, &mismatch))?;
        self.operations += 1;
        let open = self.object(object).call(op.clone()).map_err(|error| self.refused(&error))?;
        self.open.insert(id, (op, open));
        Ok(())
    }

    fn end(&mut self, id: RawId, end: &End) -> Result<Option<Ended>, WatchError> {
        let Some((op, open)) = self.open.remove(&id) else { return Ok(None) };
        let ret = match end {
            End::Returned(value) => self.ret(id, &op, value.as_ref())?,
            End::Failed | End::Lost => None,
        };
        let object = self.reader.ops().op(id).extras.object;
        let stream = self.object(object);
        let step = match (end, ret) {
            (End::Lost, _) => stream.crash(open).map(|()| Step::Fine),
            (End::Failed, _) => stream.fail(open),
            (End::Returned(_), Some(ret)) => stream.ret(open, ret),
            (End::Returned(_), None) => stream.ret_unknown(open),
        };
        match step.map_err(|error| self.refused(&error))? {
            Step::Fine => Ok(None),
            Step::Undecided(limit) => {
                let (line, op) = (self.reader.number(), self.spec.describe_op(&op));
                Ok(Some(Ended::Undecided(GivenUp { line, op, limit })))
            }
            Step::Violation(violation) => {
                let failed = matches!(end, End::Failed);
                Ok(Some(Ended::Violation(Box::new(self.violation(id, &op, failed, violation)))))
            }
        }
    }

    /// The result that a value stands for.
    fn ret(
        &mut self,
        id: RawId,
        op: &OpOf<J>,
        value: Option<&crate::Value>,
    ) -> Result<Option<RetOf<J>>, WatchError> {
        let Some(value) = value else {
            let only = self.join.only_ret(op);
            self.unknown_results += u64::from(only.is_none());
            return Ok(only);
        };
        let raw = self.reader.ops().op(id);
        self.join.ret(op, value).map(Some).map_err(|mismatch| self.mismatch(raw, &mismatch))
    }

    fn violation(
        &self,
        id: RawId,
        op: &OpOf<J>,
        failed: bool,
        violation: StreamViolation<RetOf<J>>,
    ) -> LiveViolation {
        let (spec, line) = (self.spec, self.reader.number());
        let ops = self.reader.ops();
        let raw = ops.op(id);
        let in_words = |op: &RawOp<'_>| {
            let args: Vec<String> = op.args.iter().map(ToString::to_string).collect();
            (op.line, format!("{}({})", op.name, args.join(", ")))
        };
        let same_object = |other: &RawOp<'_>| other.extras.object == raw.extras.object;
        let open = ops.all_open().into_iter().filter(same_object).take(MAX_OPEN);
        LiveViolation {
            line,
            call_line: raw.line,
            op: violation.description,
            client: ops.process(id).map(client),
            object: raw.extras.object.and_then(|object| ops.object(object)).map(crate::Value::bare),
            returned: violation.returned.map(|ret| spec.describe_ret(op, &ret)),
            failed,
            allowed: violation.allowed.iter().map(|ret| spec.describe_ret(op, ret)).collect(),
            states: violation.states,
            open: open.map(|op| in_words(&op)).collect(),
        }
    }

    fn mismatch(&self, raw: RawOp<'_>, mismatch: &super::join::Mismatch) -> WatchError {
        let (source, format) = (self.reader.source(), self.reader.format());
        // Only this line is still there.
        let line = self.reader.number();
        let raw = RawOp { line, end_line: line, ..raw };
        mismatch_at(source, format, self.info, &raw, mismatch).into()
    }

    /// The incremental checker cannot go on.
    fn refused(&self, error: &StreamError) -> WatchError {
        let source = self.reader.source();
        ReadError::new(source, error.to_string()).at_line(source, self.reader.number()).into()
    }
}
