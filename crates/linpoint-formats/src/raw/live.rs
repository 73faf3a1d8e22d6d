//! The operations of a stream, of which only the open ones are kept.
//!
//! Readers report events to a [`Sink`]. A [`super::RawBuilder`] keeps everything; [`LiveOps`] keeps
//! the open operations, and hands out each call and each end.

use std::collections::VecDeque;

use linpoint::history::Extras;
use rustc_hash::FxHashMap;

use super::{Aside, Details, End, Names, RawId, RawOp, Reading};
use crate::{RawError, Value};

/// Receives the events of a reader.
pub trait Sink: Default {
    /// An operation begins.
    fn call(
        &mut self,
        line: u32,
        name: &str,
        args: impl IntoIterator<Item = Value>,
        details: Details,
    ) -> Result<RawId, RawError>;

    /// The open operation of a process.
    fn open_of(&self, process: &Value) -> Option<RawId>;

    /// An operation as far as it is known.
    fn op(&self, op: RawId) -> RawOp<'_>;

    /// An operation ends. The error is the line on which it has already ended.
    fn end(&mut self, line: u32, op: RawId, end: End) -> Result<(), u32>;

    /// A position in the order of effects.
    fn hint(&mut self, op: RawId, hint: (Value, u64)) -> Result<(), RawError>;

    /// Something that happened and is not an operation.
    fn aside(&mut self, aside: Aside) -> Result<(), RawError>;

    /// What the file says about an operation, for people.
    fn remark(&mut self, op: RawId, text: String);

    /// The clock at the call or the end that was reported last.
    fn reading(&mut self, time: Reading);

    /// Counts an operation whose result is partly unknown.
    fn count_partly_unknown(&mut self);

    /// True if the ids of ended operations are remembered permanently.
    const REMEMBERS: bool;
}

/// A change of an operation of a stream.
#[derive(Debug)]
pub(crate) enum Change {
    /// It began.
    Called(RawId),
    /// It ended, and is forgotten after this.
    Ended(RawId, End),
}

/// The open operations of a stream. Their numbers are reused.
#[derive(Debug, Default)]
pub(crate) struct LiveOps {
    slots: Vec<Option<LiveOp>>,
    free: Vec<RawId>,
    by_process: FxHashMap<Value, RawId>,
    changes: VecDeque<Change>,
    names: Names,
    objects: Names,
    partly_unknown: usize,
    open: usize,
    /// True if there was something that is not an operation.
    has_aside: bool,
}

/// An operation that is open.
#[derive(Debug)]
struct LiveOp {
    name: Box<str>,
    args: Vec<Value>,
    line: u32,
    /// The line on which it ended, if it has.
    end_line: Option<u32>,
    process: Option<Value>,
    extras: Extras,
}

impl LiveOps {
    /// The next change. An operation that has ended must be passed to [`LiveOps::forget`].
    pub(crate) fn change(&mut self) -> Option<Change> {
        self.changes.pop_front()
    }

    /// Forgets an ended operation.
    pub(crate) fn forget(&mut self, op: RawId) {
        if let Some(slot) = self.slots.get_mut(op.0 as usize)
            && slot.take().is_some()
        {
            self.free.push(op);
        }
    }

    /// Number of open operations.
    pub(crate) fn open(&self) -> usize {
        self.open
    }

    /// The open operations, most recent calls first.
    pub(crate) fn all_open(&self) -> Vec<RawOp<'_>> {
        let is_open = |op: &&LiveOp| op.end_line.is_none();
        let mut open: Vec<RawOp<'_>> =
            self.slots.iter().flatten().filter(is_open).map(LiveOp::raw).collect();
        open.sort_by_key(|op| std::cmp::Reverse(op.line));
        open
    }

    /// True if there was something that is not an operation since this was asked last.
    pub(crate) fn takes_aside(&mut self) -> bool {
        std::mem::take(&mut self.has_aside)
    }

    /// Number of partly unknown results.
    pub(crate) fn partly_unknown(&self) -> usize {
        self.partly_unknown
    }

    /// The process of an operation.
    pub(crate) fn process(&self, op: RawId) -> Option<&Value> {
        self.slots.get(op.0 as usize)?.as_ref()?.process.as_ref()
    }

    /// The name of an object.
    pub(crate) fn object(&self, number: u32) -> Option<&Value> {
        self.objects.list.get(number as usize)
    }

    /// A number for a process: its own, or one beyond those that processes usually have.
    fn number(&mut self, process: &Value) -> Result<u32, RawError> {
        const NAMED: u32 = 1 << 31;
        let own = process.as_int().and_then(|n| u32::try_from(n).ok()).filter(|n| *n < NAMED);
        match own {
            Some(own) => Ok(own),
            None => self.names.number(process.clone()).map(|number| NAMED.saturating_add(number)),
        }
    }
}

impl LiveOp {
    fn raw(&self) -> RawOp<'_> {
        RawOp {
            name: &self.name,
            args: &self.args,
            result: None,
            start: 0,
            end: None,
            extras: self.extras,
            line: self.line,
            end_line: self.end_line.unwrap_or(self.line),
        }
    }
}

/// A placeholder for forgotten operations, which are never queried.
const NOTHING: RawOp<'static> = RawOp {
    name: "",
    args: &[],
    result: None,
    start: 0,
    end: None,
    extras: Extras { process: None, object: None, hint: None },
    line: 0,
    end_line: 0,
};

impl Sink for LiveOps {
    const REMEMBERS: bool = false;

    fn call(
        &mut self,
        line: u32,
        name: &str,
        args: impl IntoIterator<Item = Value>,
        details: Details,
    ) -> Result<RawId, RawError> {
        if let Some(process) = &details.process
            && let Some(&open) = self.by_process.get(process)
        {
            return Err(super::still_open(process, &self.op(open)));
        }
        let process = details.process.as_ref().map(|process| self.number(process)).transpose()?;
        let object = details.object.map(|object| self.objects.number(object)).transpose()?;
        let op = match self.free.pop() {
            Some(op) => op,
            None => {
                let next = u32::try_from(self.slots.len());
                self.slots.push(None);
                RawId(next.map_err(|_| RawError::TooManyOpenOperations)?)
            }
        };
        if let Some(process) = &details.process {
            self.by_process.insert(process.clone(), op);
        }
        self.slots[op.0 as usize] = Some(LiveOp {
            name: name.into(),
            args: args.into_iter().collect(),
            line,
            end_line: None,
            process: details.process,
            extras: Extras { process, object, hint: None },
        });
        self.open += 1;
        self.changes.push_back(Change::Called(op));
        Ok(op)
    }

    fn open_of(&self, process: &Value) -> Option<RawId> {
        self.by_process.get(process).copied()
    }

    fn op(&self, op: RawId) -> RawOp<'_> {
        let known = self.slots.get(op.0 as usize).and_then(Option::as_ref);
        known.map_or(NOTHING, LiveOp::raw)
    }

    fn end(&mut self, line: u32, op: RawId, end: End) -> Result<(), u32> {
        let known = self.slots.get_mut(op.0 as usize).and_then(Option::as_mut);
        let Some(known) = known else { return Err(0) };
        if let Some(before) = known.end_line {
            return Err(before);
        }
        known.end_line = Some(line);
        if let Some(process) = &known.process {
            self.by_process.remove(process);
        }
        self.open -= 1;
        self.changes.push_back(Change::Ended(op, end));
        Ok(())
    }

    /// Streams are checked without hints.
    fn hint(&mut self, _op: RawId, _hint: (Value, u64)) -> Result<(), RawError> {
        Ok(())
    }

    /// Nothing is drawn for a stream.
    fn aside(&mut self, _aside: Aside) -> Result<(), RawError> {
        self.has_aside = true;
        Ok(())
    }

    fn remark(&mut self, _op: RawId, _text: String) {}

    fn reading(&mut self, _time: Reading) {}

    fn count_partly_unknown(&mut self) {
        self.partly_unknown += 1;
    }
}
