//! A history as a format gives it: operations are names and values, no specification is involved.
//!
//! Every reader fills a [`RawBuilder`], which knows the rules that all formats share: one open
//! operation for each process, one end for each operation. It answers with sentences; the reader adds
//! the place.

mod lines;
mod live;
mod ops;

use std::collections::BTreeMap;

use linpoint::history::{OrderHint, Ties};
use rustc_hash::FxHashMap;

use crate::model::ModelName;
use crate::{Format, Value};
pub(crate) use lines::Lines;
pub use live::Sink;
pub(crate) use live::{Change, LiveOps};
use ops::Fate;
pub use ops::{NameId, RawId, RawOp, RawOps};

/// A history whose operations are names and values.
#[derive(Clone, Debug)]
pub struct RawHistory {
    /// The format it was read from.
    pub format: Format,
    /// Which of several histories in one file it is.
    pub id: Option<String>,
    /// The model that the file names, with its options.
    pub model: Option<ModelName>,
    /// What the author of the file has to say about it.
    pub note: Option<String>,
    /// What equal clock readings mean.
    pub ties: Ties,
    /// What the times of operations are.
    pub clock: Clock,
    /// The operations, in the order of the file, without those that certainly did not happen.
    pub ops: RawOps,
    /// Who performed them, by [`linpoint::history::Extras::process`]. Processes that are numbers
    /// keep them.
    pub processes: BTreeMap<u32, Value>,
    /// What they were performed on; [`linpoint::history::Extras::object`] is a position in here.
    pub objects: Vec<Value>,
    /// What the file tells besides: faults that were injected, messages.
    pub annotations: Vec<Annotation>,
    /// Operations of whose results a part is not known. Those with an unknown result do not count.
    pub partly_unknown: usize,
}

/// Something that happened and is not an operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Annotation {
    /// Where it is written.
    pub line: u32,
    /// It happened after so many calls and ends of operations.
    pub after: u64,
    /// What it is, as the file says it.
    pub text: String,
}

/// What the times of operations are.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Clock {
    /// Numbers of events in the order in which they happened.
    #[default]
    Order,
    /// Readings that are whole numbers.
    Whole,
    /// The bits of readings that are floating-point numbers, which sort as these do.
    Float,
}

/// How an operation ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// It returned this, or something that is not known.
    Returned(Option<Value>),
    /// It certainly did not happen.
    Failed,
    /// Nothing more will be heard of it.
    Lost,
}

/// Numbers for names, in the order in which they are met.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    list: Vec<Value>,
    numbers: FxHashMap<Value, u32>,
}

impl Names {
    /// The number of a name.
    pub(crate) fn number(&mut self, name: Value) -> Result<u32, String> {
        if let Some(&number) = self.numbers.get(&name) {
            return Ok(number);
        }
        let number = u32::try_from(self.list.len()).map_err(|_| "too many names".to_owned())?;
        self.list.push(name.clone());
        self.numbers.insert(name, number);
        Ok(number)
    }

    /// True if none was met.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
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
    annotations: Vec<Annotation>,
    partly_unknown: usize,
}

/// What else a line says about an operation.
#[derive(Debug, Default)]
pub struct Details {
    /// Who performed it.
    pub process: Option<Value>,
    /// What it was performed on.
    pub object: Option<Value>,
    /// Its position in the order of effects: scope and position.
    pub hint: Option<(Value, u64)>,
}

impl Details {
    /// Only who performed it.
    pub fn by(process: Value) -> Details {
        Details { process: Some(process), ..Details::default() }
    }
}

/// A process does one thing at a time.
fn still_open(process: &Value, open: &RawOp<'_>) -> String {
    let RawOp { name, line, .. } = open;
    format!("process {process} calls while its {name:?} from line {line} is still open")
}

impl RawBuilder {
    /// No operations yet.
    pub fn new() -> RawBuilder {
        RawBuilder::default()
    }

    /// The number of an operation's name.
    pub fn name(&mut self, name: &str) -> Result<NameId, String> {
        if let Some(&known) = self.op_names.get(name) {
            return Ok(known);
        }
        let number = u16::try_from(self.ops.names.len())
            .map(NameId)
            .map_err(|_| "too many different operations".to_owned())?;
        self.ops.names.push(name.into());
        self.op_names.insert(name.into(), number);
        Ok(number)
    }

    fn set_details(&mut self, op: RawId, details: Details) -> Result<(), String> {
        if let Some(process) = details.process {
            self.ops.extras_mut(op).process = Some(self.processes.number(process)?);
        }
        if let Some(object) = details.object {
            self.ops.extras_mut(op).object = Some(self.objects.number(object)?);
        }
        self.set_hint(op, details.hint)
    }

    fn set_hint(&mut self, op: RawId, hint: Option<(Value, u64)>) -> Result<(), String> {
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

    /// A whole operation with its times.
    #[inline]
    pub fn interval(
        &mut self,
        line: u32,
        name: NameId,
        args: impl IntoIterator<Item = Value>,
        result: Option<Value>,
        times: (u64, Option<u64>),
        details: Details,
    ) -> Result<(), String> {
        self.ops.whole(name, args, result, line, times)?;
        if details.process.is_none() && details.object.is_none() && details.hint.is_none() {
            return Ok(());
        }
        self.set_details(self.ops.last(), details)
    }

    /// Everything that was collected.
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
            annotations: self.annotations,
            partly_unknown: self.partly_unknown,
        }
    }

    /// If all processes are numbers, each gets its own instead of the one in order of appearance:
    /// the library knows processes by number only, and says so in its sentences.
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
    ) -> Result<RawId, String> {
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
            End::Failed => self.ops.ended(op, Fate::Dropped),
            End::Lost => self.ops.ended(op, Fate::Lost),
        }
        if let Some(process) = self.ops.get(op).extras.process {
            self.open.remove(&process);
        }
        Ok(())
    }

    fn hint(&mut self, op: RawId, hint: (Value, u64)) -> Result<(), String> {
        self.set_hint(op, Some(hint))
    }

    fn annotate(&mut self, line: u32, text: impl Into<String>) {
        self.annotations.push(Annotation { line, after: self.events, text: text.into() });
    }

    fn count_partly_unknown(&mut self) {
        self.partly_unknown += 1;
    }
}
