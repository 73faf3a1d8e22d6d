//! The operations of a raw history, in columns.
//!
//! Histories have up to tens of millions of operations, so an operation costs about fifty bytes
//! here: names are numbers, arguments and results are stored one after the other, and what most
//! formats do not have (processes, objects, hints) takes no memory if absent. Columns are cut into
//! chunks, so that memory is released while the operations are turned into those of a model.

use linpoint::history::Extras;
use linpoint::wire::NamedCall;

use crate::{RawError, Value};

/// One operation of a [`crate::RawHistory`].
#[derive(Clone, Copy, Debug)]
pub struct RawOp<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its arguments.
    pub args: &'a [Value],
    /// Its result; `None` if it is unknown.
    pub result: Option<&'a Value>,
    /// When it was called: any number that orders the events of this history.
    pub start: u64,
    /// When it returned; `None` if it did not.
    pub end: Option<u64>,
    /// Process, object, hint.
    pub extras: Extras,
    /// The line of the call, or of the whole operation.
    pub line: u32,
    /// The line with the result.
    pub end_line: u32,
}

impl<'a> RawOp<'a> {
    /// What was called.
    #[inline]
    pub(crate) fn call(&self) -> NamedCall<'a> {
        NamedCall { name: self.name, args: self.args, process: self.extras.process }
    }
}

/// The operations of a [`crate::RawHistory`], in the order of the file.
#[derive(Clone, Debug, Default)]
pub struct RawOps {
    pub(super) names: Vec<Box<str>>,
    chunks: Vec<Chunk>,
    dropped: usize,
}

/// Identifies an operation while a history is built.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RawId(pub(super) u32);

/// The name of an operation, as a number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NameId(pub(super) u16);

/// The fate of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// It has not ended.
    Open,
    /// It returned.
    Returned,
    /// It will never return.
    Lost,
    /// It did not happen, and is skipped.
    Dropped,
}

/// An operation that was called, whether it happened or not.
#[derive(Clone, Copy, Debug)]
pub struct Attempt<'a> {
    /// Its name.
    pub name: &'a str,
    /// The number of its name among all names of the history.
    pub name_number: usize,
    /// Its result; `None` if it is unknown.
    pub result: Option<&'a Value>,
    /// When it was called, see [`RawOp::start`].
    pub start: u64,
    /// When it ended, in whatever way; `None` if it did not.
    pub end: Option<u64>,
    /// How it ended.
    pub fate: Fate,
}

/// Number of operations per chunk.
const CHUNK: usize = 1 << 16;
const NO_RESULT: u32 = u32::MAX;

#[derive(Clone, Debug, Default)]
struct Chunk {
    rows: Vec<Row>,
    /// Arguments and results of all operations.
    values: Vec<Value>,
    starts: Vec<u64>,
    ends: Vec<u64>,
    lines: Vec<u32>,
    /// Empty if every operation ends on the line on which it begins.
    end_lines: Vec<u32>,
    /// Only as long as the last operation that has extras.
    extras: Vec<Extras>,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    /// Position of the first argument in `values`.
    args: u32,
    /// Position of the result in `values`, or [`NO_RESULT`].
    result: u32,
    name: NameId,
    arg_count: u8,
    fate: Fate,
}

impl Chunk {
    /// Reserves memory for a whole chunk. The first one of a history grows instead: most are small.
    fn full_size() -> Chunk {
        Chunk {
            rows: Vec::with_capacity(CHUNK),
            values: Vec::with_capacity(CHUNK),
            starts: Vec::with_capacity(CHUNK),
            ends: Vec::with_capacity(CHUNK),
            lines: Vec::with_capacity(CHUNK),
            ..Chunk::default()
        }
    }

    #[inline]
    fn push(
        &mut self,
        name: NameId,
        args: impl IntoIterator<Item = Value>,
        line: u32,
        start: u64,
    ) -> Result<(), RawError> {
        let first = self.values.len();
        self.values.extend(args);
        let count = self.values.len() - first;
        let Ok(arg_count) = u8::try_from(count) else {
            return Err(RawError::TooManyArguments(count));
        };
        let (args, result, fate) = (first as u32, NO_RESULT, Fate::Open);
        self.rows.push(Row { args, result, name, arg_count, fate });
        self.starts.push(start);
        self.ends.push(start);
        self.lines.push(line);
        Ok(())
    }

    #[inline]
    fn returned(&mut self, at: usize, end: u64, result: Option<Value>) {
        let row = &mut self.rows[at];
        row.fate = Fate::Returned;
        self.ends[at] = end;
        if let Some(result) = result {
            row.result = self.values.len() as u32;
            self.values.push(result);
        }
    }

    fn extras_mut(&mut self, at: usize) -> &mut Extras {
        if self.extras.len() <= at {
            self.extras.resize(at + 1, Extras::default());
        }
        &mut self.extras[at]
    }

    fn op<'a>(&'a self, at: usize, names: &'a [Box<str>]) -> RawOp<'a> {
        let row = &self.rows[at];
        let (args, line) = (row.args as usize, self.lines[at]);
        RawOp {
            name: &names[usize::from(row.name.0)],
            args: &self.values[args..args + usize::from(row.arg_count)],
            result: self.values.get(row.result as usize),
            start: self.starts[at],
            end: (row.fate == Fate::Returned).then_some(self.ends[at]),
            extras: self.extras.get(at).copied().unwrap_or_default(),
            line,
            end_line: self.end_lines.get(at).copied().unwrap_or(line),
        }
    }

    fn attempt<'a>(&'a self, at: usize, names: &'a [Box<str>]) -> Attempt<'a> {
        let (row, op) = (&self.rows[at], self.op(at, names));
        // Without an event at which it ended, the end is that of the call.
        let ended = self.ends[at] > op.start || row.fate == Fate::Returned;
        Attempt {
            name: op.name,
            name_number: usize::from(row.name.0),
            result: op.result,
            start: op.start,
            end: ended.then_some(self.ends[at]),
            fate: row.fate,
        }
    }

    fn happened<'a>(&'a self, names: &'a [Box<str>]) -> impl Iterator<Item = RawOp<'a>> {
        let happened = |at: &usize| self.rows[*at].fate != Fate::Dropped;
        (0..self.rows.len()).filter(happened).map(|at| self.op(at, names))
    }

    fn failed<'a>(&'a self, names: &'a [Box<str>]) -> impl Iterator<Item = RawOp<'a>> {
        let failed = |at: &usize| self.rows[*at].fate == Fate::Dropped;
        let ended = |at: usize| RawOp { end: Some(self.ends[at]), ..self.op(at, names) };
        (0..self.rows.len()).filter(failed).map(ended)
    }
}

impl RawOps {
    /// Number of operations.
    pub fn len(&self) -> usize {
        self.rows() - self.dropped
    }

    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All operations, in the order of the file.
    pub fn iter(&self) -> impl Iterator<Item = RawOp<'_>> {
        self.chunks.iter().flat_map(|chunk| chunk.happened(&self.names))
    }

    /// All operations that were called, also those that did not happen, in the order of the file.
    pub fn attempts(&self) -> impl Iterator<Item = Attempt<'_>> {
        let all = |chunk: &Chunk| 0..chunk.rows.len();
        self.chunks
            .iter()
            .flat_map(move |chunk| all(chunk).map(move |at| chunk.attempt(at, &self.names)))
    }

    /// The names of operations, by their numbers.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|name| &**name)
    }

    /// The operations that did not happen, with the times of their ends.
    pub fn failed(&self) -> impl Iterator<Item = RawOp<'_>> {
        self.chunks.iter().flat_map(|chunk| chunk.failed(&self.names))
    }

    /// The ids of all operations, in the order of the file.
    pub fn ids(&self) -> impl Iterator<Item = RawId> {
        let ids = (0..self.rows() as u32).map(RawId);
        ids.filter(|id| self.fate(*id) != Fate::Dropped)
    }

    /// The ids of those that did not happen, in the same order.
    pub fn failed_ids(&self) -> impl Iterator<Item = RawId> {
        let ids = (0..self.rows() as u32).map(RawId);
        ids.filter(|id| self.fate(*id) == Fate::Dropped)
    }

    /// Passes all operations to `each` in the order of the file, and releases their memory on the
    /// way.
    pub fn consume<E>(self, each: &mut dyn FnMut(&RawOp<'_>) -> Result<(), E>) -> Result<(), E> {
        for chunk in self.chunks {
            chunk.happened(&self.names).try_for_each(|op| each(&op))?;
        }
        Ok(())
    }

    /// The number of rows, including operations that did not happen.
    fn rows(&self) -> usize {
        match self.chunks.split_last() {
            Some((last, full)) => full.len() * CHUNK + last.rows.len(),
            None => 0,
        }
    }

    /// The last chunk, with room for one more operation.
    #[inline]
    fn with_room(&mut self) -> Result<&mut Chunk, RawError> {
        if self.chunks.last().is_none_or(|chunk| chunk.rows.len() == CHUNK) {
            self.next_chunk()?;
        }
        self.chunks.last_mut().ok_or(RawError::TooManyOperations)
    }

    #[cold]
    fn next_chunk(&mut self) -> Result<(), RawError> {
        if self.rows() >= u32::MAX as usize / 2 {
            return Err(RawError::TooManyOperations);
        }
        let first = self.chunks.is_empty();
        self.chunks.push(if first { Chunk::default() } else { Chunk::full_size() });
        Ok(())
    }

    /// Adds an operation that has begun.
    pub(super) fn begin(
        &mut self,
        name: NameId,
        args: impl IntoIterator<Item = Value>,
        line: u32,
        start: u64,
    ) -> Result<RawId, RawError> {
        self.with_room()?.push(name, args, line, start)?;
        Ok(self.last())
    }

    /// Adds a whole operation. Without an end, it never returned.
    #[inline]
    pub(super) fn whole(
        &mut self,
        name: NameId,
        args: impl IntoIterator<Item = Value>,
        result: Option<Value>,
        line: u32,
        times: (u64, Option<u64>),
    ) -> Result<(), RawError> {
        let chunk = self.with_room()?;
        chunk.push(name, args, line, times.0)?;
        let at = chunk.rows.len() - 1;
        match times.1 {
            Some(end) => chunk.returned(at, end, result),
            None => chunk.rows[at].fate = Fate::Lost,
        }
        Ok(())
    }

    /// The operation that was added last.
    pub(super) fn last(&self) -> RawId {
        RawId(self.rows().saturating_sub(1) as u32)
    }

    fn place(&mut self, op: RawId) -> (&mut Chunk, usize) {
        let at = op.0 as usize;
        (&mut self.chunks[at / CHUNK], at % CHUNK)
    }

    /// The operation returned.
    pub(super) fn returned(&mut self, op: RawId, end: u64, result: Option<Value>) {
        let (chunk, at) = self.place(op);
        chunk.returned(at, end, result);
    }

    /// The operation did not return.
    pub(super) fn ended(&mut self, op: RawId, fate: Fate, time: u64) {
        self.dropped += usize::from(fate == Fate::Dropped);
        let (chunk, at) = self.place(op);
        chunk.rows[at].fate = fate;
        chunk.ends[at] = time;
    }

    /// The operation ends on another line than that of its call.
    pub(super) fn set_end_line(&mut self, op: RawId, line: u32) {
        let (chunk, at) = self.place(op);
        let known = chunk.end_lines.len();
        chunk.end_lines.extend_from_slice(&chunk.lines[known..]);
        chunk.end_lines[at] = line;
    }

    pub(super) fn extras_mut(&mut self, op: RawId) -> &mut Extras {
        let (chunk, at) = self.place(op);
        chunk.extras_mut(at)
    }

    pub(super) fn fate(&self, op: RawId) -> Fate {
        let at = op.0 as usize;
        self.chunks[at / CHUNK].rows[at % CHUNK].fate
    }

    /// The operation as far as it is known.
    pub fn get(&self, op: RawId) -> RawOp<'_> {
        let at = op.0 as usize;
        self.chunks[at / CHUNK].op(at % CHUNK, &self.names)
    }

    pub(super) fn all_extras(&mut self) -> impl Iterator<Item = &mut Extras> {
        self.chunks.iter_mut().flat_map(|chunk| chunk.extras.iter_mut())
    }
}

/// What becomes of an operation when some are selected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Destiny {
    Kept { without_object: bool },
    Dropped,
}

impl RawOps {
    /// Keeps some operations.
    pub(crate) fn select(&mut self, of: &mut dyn FnMut(&RawOp<'_>) -> Destiny) {
        for chunk in &mut self.chunks {
            for at in 0..chunk.rows.len() {
                if chunk.rows[at].fate == Fate::Dropped {
                    continue;
                }
                match of(&chunk.op(at, &self.names)) {
                    Destiny::Dropped => {
                        chunk.rows[at].fate = Fate::Dropped;
                        self.dropped += 1;
                    }
                    Destiny::Kept { without_object: true } => chunk.extras_mut(at).object = None,
                    Destiny::Kept { without_object: false } => {}
                }
            }
        }
    }

    /// Gives operations other names.
    pub(crate) fn rename(&mut self, to: &mut dyn FnMut(&str) -> Option<String>) {
        for name in &mut self.names {
            if let Some(other) = to(name) {
                *name = other.into();
            }
        }
    }
}
