//! Writes histories: one [`Writer`] for each format, beside its reader.
//!
//! A writer receives calls and ends in the order in which they happened, and writes immediately, so
//! that a history of any length needs no memory. It refuses what its format cannot express. The
//! caller must verify that what was written means the same when it is read again, as converting
//! does.

mod text;

use std::fmt;
use std::io::{self, Write};

use linpoint::history::Ties;

use crate::model::ModelName;
use crate::raw::{Clock, Fault, Reading, Unit};
use crate::{Format, Value};
use crate::{etcd, fastlin, jepsen, jsonl, limo, snapshot, violat};

pub(crate) use text::{edn, json, json_text};

/// The header of a history.
#[derive(Clone, Debug)]
pub struct Header<'a> {
    /// The model, with its options.
    pub model: Option<&'a ModelName>,
    /// The author's note.
    pub note: Option<&'a str>,
    /// The id of the history, if there are several.
    pub id: Option<&'a str>,
    /// The kind of times that operations have.
    pub clock: Clock,
    /// The unit of the clock.
    pub unit: Option<Unit>,
    /// True if the clock counts since 1970-01-01T00:00:00Z.
    pub since_1970: bool,
    /// What equal times mean.
    pub ties: Ties,
    /// All process numbers are below this.
    pub processes: u32,
    /// True if every update of a snapshot is to the segment with the number of its process.
    pub own_segments: bool,
}

/// An operation that was called.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// A number that no other operation has.
    pub id: u64,
    /// The name of the operation.
    pub name: &'a str,
    /// Its arguments.
    pub args: &'a [Value],
    /// The process that called it.
    pub process: Option<u32>,
    /// The name of the process, if it is not its number.
    pub client: Option<&'a Value>,
    /// The object it was called on.
    pub object: Option<&'a Value>,
    /// Scope and position in the order of effects.
    pub hint: Option<(u32, u64)>,
    /// The time of the call.
    pub start: u64,
    /// The clock at the call and at the end, for formats in which it says nothing about the order of events.
    pub clock: (Option<Reading>, Option<Reading>),
}

/// A part of a [`Fault`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FaultPart {
    /// All of it, with its times.
    Whole,
    /// Its begin, or all of what is a single moment.
    Begin,
    /// Its end.
    End,
}

/// How an operation ended.
#[derive(Clone, Copy, Debug)]
pub enum Ending<'a> {
    /// It returned, with this result or an unknown one.
    Returned {
        /// The time of the return.
        at: u64,
        /// The result, if known.
        result: Option<&'a Value>,
    },
    /// It never returned.
    Lost,
    /// It did not happen.
    Failed,
}

/// Why a history was not written.
#[derive(Debug)]
pub enum WriteError {
    /// The output failed.
    Io(io::Error),
    /// The format cannot express this.
    Cannot(String),
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> WriteError {
        WriteError::Io(error)
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::Io(error) => write!(f, "cannot write: {error}"),
            WriteError::Cannot(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for WriteError {}

/// The result of a writer's methods.
pub type Written = Result<(), WriteError>;

pub(crate) fn cannot<T>(what: impl Into<String>) -> Result<T, WriteError> {
    Err(WriteError::Cannot(what.into()))
}

/// Writes one history.
pub trait Writer {
    /// Starts a history. Must be called first.
    fn begin(&mut self, header: &Header<'_>) -> Written;

    /// Writes a call. Its process, if it has one, has no open operation.
    fn call(&mut self, call: &Call<'_>) -> Written;

    /// Writes the end of an operation.
    fn end(&mut self, call: &Call<'_>, ending: Ending<'_>) -> Written;

    /// Writes a fault. Most formats have none.
    fn fault(&mut self, _fault: &Fault, _part: FaultPart) -> Written {
        Ok(())
    }

    /// Ends the history. Operations that have not ended never returned.
    fn finish(&mut self) -> Written;
}

impl Format {
    /// A writer of this format.
    pub fn writer<'w>(self, out: Box<dyn Write + 'w>) -> Box<dyn Writer + 'w> {
        match self {
            Format::Jsonl => Box::new(jsonl::write::Lines::new(out)),
            Format::Edn => Box::new(jepsen::write::Events::new(out, jepsen::write::Style::Edn)),
            Format::JepsenLog => {
                Box::new(jepsen::write::Events::new(out, jepsen::write::Style::Log))
            }
            Format::Porcupine => {
                Box::new(jepsen::write::Events::new(out, jepsen::write::Style::Porcupine))
            }
            Format::Fastlin | Format::Fptlin => Box::new(fastlin::write::Lines::new(self, out)),
            Format::Limo => Box::new(limo::write::Lines::new(out)),
            Format::Snapshot => Box::new(snapshot::write::Events::new(out)),
            Format::Violat => Box::new(violat::write::Document::new(out)),
            Format::JepsenJson | Format::Json | Format::Csv | Format::Tsv => {
                Box::new(ReadOnly(self))
            }
            Format::Etcd => Box::new(etcd::write::Rows::new(out)),
        }
    }

    /// True if an operation that never returned can be written.
    pub fn has_pending(self) -> bool {
        !matches!(self, Format::Fastlin | Format::Fptlin)
    }

    /// True if every operation needs a process that is a number.
    pub(crate) fn needs_processes(self) -> bool {
        !matches!(self, Format::Jsonl | Format::Fastlin)
    }

    /// True if it has faults, and the clock at events.
    pub(crate) fn has_faults(self) -> bool {
        matches!(self, Format::Jsonl | Format::Edn)
    }

    /// True if operations are written with times, so that they can be kept.
    pub(crate) fn has_times(self) -> bool {
        matches!(self, Format::Jsonl | Format::Fastlin | Format::Fptlin)
    }
}

/// Writes nothing: the format is only read.
struct ReadOnly(Format);

impl Writer for ReadOnly {
    fn begin(&mut self, _header: &Header<'_>) -> Written {
        cannot(format!("the format {} is only read", self.0.name()))
    }

    fn call(&mut self, _call: &Call<'_>) -> Written {
        Ok(())
    }

    fn end(&mut self, _call: &Call<'_>, _ending: Ending<'_>) -> Written {
        Ok(())
    }

    fn finish(&mut self) -> Written {
        Ok(())
    }
}

/// An operation as text, for messages: `put("a", 1)`.
pub fn shown(name: &str, args: &[Value]) -> String {
    let args: Vec<String> = args.iter().map(Value::to_string).collect();
    crate::words::shorter(&format!("{name}({})", args.join(", ")))
}

/// Process numbers for formats in which a process whose operation was lost never appears again: its
/// caller continues under another number.
#[derive(Debug, Default)]
pub(crate) struct Successors {
    next: u32,
    now: rustc_hash::FxHashMap<u32, u32>,
}

impl Successors {
    /// Fresh numbers start here.
    pub(crate) fn from(next: u32) -> Successors {
        Successors { next, ..Successors::default() }
    }

    pub(crate) fn of(&self, process: u32) -> u32 {
        self.now.get(&process).copied().unwrap_or(process)
    }

    /// The process will not appear again.
    pub(crate) fn retire(&mut self, process: u32) {
        self.now.insert(process, self.next);
        self.next = self.next.saturating_add(1);
    }
}
