//! A history as read from a file: operations are names and values, without a specification.
//!
//! Every reader fills a [`RawBuilder`], which enforces the rules that all formats share: one open
//! operation for each process, one end for each operation. It returns a [`RawError`]; the reader
//! adds the position.

mod asides;
mod color;
mod lines;
mod live;
mod ops;

use std::collections::BTreeMap;

use linpoint::history::{OrderHint, Ties};
use rustc_hash::FxHashMap;

use crate::model::ModelName;
use crate::workload::JepsenAnswer;
use crate::{Format, RawError, Value};
pub(crate) use asides::functions;
pub use asides::{Aside, Fault, Lasting, Mark, Moment, Reading, Unit};
use asides::{OpenFaults, faults};
pub use color::Color;
pub(crate) use lines::Lines;
pub use live::Sink;
pub(crate) use live::{Change, LiveOps};
pub(crate) use ops::Destiny;
pub use ops::{Attempt, Fate, NameId, RawId, RawOp, RawOps};

/// A history whose operations are names and values.
#[derive(Clone, Debug)]
pub struct RawHistory {
    /// The format it was read from.
    pub format: Format,
    /// The id of the history, if a file has several.
    pub id: Option<String>,
    /// The model that the file names, with its options.
    pub model: Option<ModelName>,
    /// The author's note.
    pub note: Option<String>,
    /// What equal clock readings mean.
    pub ties: Ties,
    /// The kind of times that operations have.
    pub clock: Clock,
    /// The operations, in the order of the file, except those that did not happen.
    pub ops: RawOps,
    /// The processes, by [`linpoint::history::Extras::process`]. Processes that are numbers keep
    /// them.
    pub processes: BTreeMap<u32, Value>,
    /// The objects; [`linpoint::history::Extras::object`] is an index into this.
    pub objects: Vec<Value>,
    /// Injected faults, and other events that are not operations.
    pub faults: Vec<Fault>,
    /// The unit of its clock.
    pub unit: Option<Unit>,
    /// True if the clock counts since 1970-01-01T00:00:00Z.
    pub since_1970: bool,
    /// The clock at each event, by the number of the event (from 0), if operations have no times but their events have. They say
    /// nothing about the order of events.
    pub readings: Vec<Reading>,
    /// What the file says about operations, for people.
    pub remarks: Vec<(RawId, String)>,
    /// Number of operations whose results are partly unknown. Completely unknown results do not
    /// count.
    pub partly_unknown: usize,
    /// The names that a log of another program has for the parts of an operation.
    pub log: Option<Box<LogFields>>,
    /// What Jepsen's checker of the workload says.
    pub jepsen: Option<Box<JepsenAnswer>>,
    /// Guarantees beside linearizability that do not hold, see [`Broken`].
    pub broken: Vec<Broken>,
}

/// The fields of a log in which the parts of an operation are, for messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogFields {
    /// The name of the operation.
    pub op: String,
    /// Its result.
    pub value: String,
}

/// A guarantee beside linearizability that does not hold: one of etcd's watches.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Broken {
    /// Why, for people.
    pub sentence: String,
    /// The operations that show it, by their positions among all that happened.
    pub ops: Vec<u32>,
}

/// The kind of times that operations have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Clock {
    /// The numbers of events in the order in which they happened.
    #[default]
    Order,
    /// Clock readings that are whole numbers.
    Whole,
    /// The bits of clock readings that are floating-point numbers, which sort like the readings.
    Float,
}

/// How an operation ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// It returned this result, or an unknown one.
    Returned(Option<Value>),
    /// It did not happen.
    Failed,
    /// It will never return.
    Lost,
}

/// Numbers for names, in order of appearance.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    list: Vec<Value>,
    numbers: FxHashMap<Value, u32>,
}

impl Names {
    /// The number of a name.
    pub(crate) fn number(&mut self, name: Value) -> Result<u32, RawError> {
        if let Some(&number) = self.numbers.get(&name) {
            return Ok(number);
        }
        let number = u32::try_from(self.list.len()).map_err(|_| RawError::TooManyNames)?;
        self.list.push(name.clone());
        self.numbers.insert(name, number);
        Ok(number)
    }

    /// The number of a name that has one.
    pub(crate) fn known(&self, name: &Value) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// Remembers the number that a name has in another list.
    pub(crate) fn remember(&mut self, name: Value, number: u32) {
        self.numbers.insert(name, number);
    }

    /// All names by their numbers.
    pub(crate) fn into_list(self) -> Vec<Value> {
        self.list
    }
}

/// Collects the operations of a file. See the [module docs](self).
#[derive(Debug, Default)]
pub struct RawBuilder {
    ops: RawOps,
    op_names: FxHashMap<Box<str>, NameId>,
    processes: Names,
    objects: Names,
    scopes: Names,
    open: FxHashMap<u32, RawId>,
    events: u64,
    /// What is not an operation, with the number of events before it.
    asides: Vec<(u64, Aside)>,
    open_faults: OpenFaults,
    readings: Vec<Reading>,
    remarks: Vec<(RawId, String)>,
    partly_unknown: usize,
}

/// Other attributes of an operation.
#[derive(Debug, Default)]
pub struct Details {
    /// The process that performed it.
    pub process: Option<Value>,
    /// The object it was performed on.
    pub object: Option<Value>,
    /// Its position in the order of effects: scope and position.
    pub hint: Option<(Value, u64)>,
}

impl Details {
    /// Only the process.
    pub fn by(process: Value) -> Details {
        Details { process: Some(process), ..Details::default() }
    }
}

/// A process has one operation open at a time.
fn still_open(process: &Value, open: &RawOp<'_>) -> RawError {
    RawError::StillOpen { process: process.clone(), name: open.name.to_owned(), line: open.line }
}

impl RawBuilder {
    /// Creates a builder without operations.
    pub fn new() -> RawBuilder {
        RawBuilder::default()
    }

    /// The number of an operation's name.
    pub fn name(&mut self, name: &str) -> Result<NameId, RawError> {
        if let Some(&known) = self.op_names.get(name) {
            return Ok(known);
        }
        let number = u16::try_from(self.ops.names.len())
            .map(NameId)
            .map_err(|_| RawError::TooManyOperationNames)?;
        self.ops.names.push(name.into());
        self.op_names.insert(name.into(), number);
        Ok(number)
    }

    fn set_details(&mut self, op: RawId, details: Details) -> Result<(), RawError> {
        if let Some(process) = details.process {
            self.ops.extras_mut(op).process = Some(self.processes.number(process)?);
        }
        if let Some(object) = details.object {
            self.ops.extras_mut(op).object = Some(self.objects.number(object)?);
        }
        self.set_hint(op, details.hint)
    }

    fn set_hint(&mut self, op: RawId, hint: Option<(Value, u64)>) -> Result<(), RawError> {
        if let Some((scope, position)) = hint {
            let scope = self.scopes.number(scope)?;
            self.ops.extras_mut(op).hint = Some(OrderHint { scope, position });
        }
        Ok(())
    }

    fn tick(&mut self) -> u64 {
        self.events += 1;
        self.events
    }

    /// Adds a whole operation with its times.
    #[inline]
    pub fn interval(
        &mut self,
        line: u32,
        name: NameId,
        args: impl IntoIterator<Item = Value>,
        result: Option<Value>,
        times: (u64, Option<u64>),
        details: Details,
    ) -> Result<(), RawError> {
        self.ops.whole(name, args, result, line, times)?;
        if details.process.is_none() && details.object.is_none() && details.hint.is_none() {
            return Ok(());
        }
        self.set_details(self.ops.last(), details)
    }

    /// The operation that was added last.
    pub(crate) fn last(&self) -> RawId {
        self.ops.last()
    }

    /// Completes the history.
    pub fn finish(mut self, format: Format) -> RawHistory {
        let processes = self.own_numbers();
        RawHistory {
            format,
            id: None,
            model: None,
            note: None,
            ties: Ties::default(),
            clock: Clock::default(),
            ops: self.ops,
            processes,
            objects: self.objects.list,
            faults: faults(self.asides),
            unit: None,
            since_1970: false,
            readings: self.readings,
            remarks: self.remarks,
            partly_unknown: self.partly_unknown,
            log: None,
            jepsen: None,
            broken: Vec::new(),
        }
    }

    /// If all processes are numbers, each keeps its own instead of one in order of appearance: the
    /// library identifies processes by number, and mentions the numbers in its sentences.
    fn own_numbers(&mut self) -> BTreeMap<u32, Value> {
        let names = std::mem::take(&mut self.processes.list);
        let own = |name: &Value| u32::try_from(name.as_int()?).ok();
        let Some(numbers) = names.iter().map(own).collect::<Option<Vec<u32>>>() else {
            return (0..).zip(names).collect();
        };
        for extras in self.ops.all_extras() {
            extras.process = extras.process.and_then(|p| numbers.get(p as usize).copied());
        }
        numbers.into_iter().zip(names).collect()
    }
}

impl Sink for RawBuilder {
    const REMEMBERS: bool = true;

    fn call(
        &mut self,
        line: u32,
        name: &str,
        args: impl IntoIterator<Item = Value>,
        details: Details,
    ) -> Result<RawId, RawError> {
        if let Some(who) = &details.process
            && let Some(open) = self.open_of(who)
        {
            return Err(still_open(who, &self.ops.get(open)));
        }
        let (name, time) = (self.name(name)?, self.tick());
        let op = self.ops.begin(name, args, line, time)?;
        self.set_details(op, details)?;
        if let Some(process) = self.ops.get(op).extras.process {
            self.open.insert(process, op);
        }
        Ok(op)
    }

    fn open_of(&self, process: &Value) -> Option<RawId> {
        self.open.get(self.processes.numbers.get(process)?).copied()
    }

    fn op(&self, op: RawId) -> RawOp<'_> {
        self.ops.get(op)
    }

    fn end(&mut self, line: u32, op: RawId, end: End) -> Result<(), u32> {
        if self.ops.fate(op) != Fate::Open {
            return Err(self.ops.get(op).end_line);
        }
        let time = self.tick();
        self.ops.set_end_line(op, line);
        match end {
            End::Returned(value) => self.ops.returned(op, time, value),
            End::Failed => self.ops.ended(op, Fate::Dropped, time),
            End::Lost => self.ops.ended(op, Fate::Lost, time),
        }
        if let Some(process) = self.ops.get(op).extras.process {
            self.open.remove(&process);
        }
        Ok(())
    }

    fn hint(&mut self, op: RawId, hint: (Value, u64)) -> Result<(), RawError> {
        self.set_hint(op, Some(hint))
    }

    fn aside(&mut self, aside: Aside) -> Result<(), RawError> {
        self.open_faults.take(&aside)?;
        self.asides.push((self.events, aside));
        Ok(())
    }

    fn remark(&mut self, op: RawId, text: String) {
        self.remarks.push((op, text));
    }

    fn reading(&mut self, time: Reading) {
        let events = self.events as usize;
        // Events without a reading happened when the last one did, as far as it is known.
        let last = self.readings.last().copied().unwrap_or(time);
        self.readings.resize(events.saturating_sub(1), last);
        self.readings.push(time);
    }

    fn count_partly_unknown(&mut self) {
        self.partly_unknown += 1;
    }
}
