//! A history as a format gives it: operations are names and values, no specification is involved.
//!
//! Every reader fills a [`RawBuilder`], which knows the rules that all formats share: one open
//! operation for each process, one end for each operation, ids used once. It answers with sentences;
//! the reader adds the place.

use std::collections::BTreeMap;
use std::sync::Arc;

use linpoint::history::{Extras, OrderHint, Ties};
use rustc_hash::FxHashMap;

use crate::model::ModelName;
use crate::{Format, Value};

/// A history whose operations are names and values.
#[derive(Clone, Debug)]
pub struct RawHistory {
    /// The format it was read from.
    pub format: Format,
    /// The model that the file names, with its options.
    pub model: Option<ModelName>,
    /// What the author of the file has to say about it.
    pub note: Option<String>,
    /// What equal clock readings mean.
    pub ties: Ties,
    /// The operations, in the order of the file, without those that certainly did not happen.
    pub ops: Vec<RawOp>,
    /// Who performed them, by [`Extras::process`]. Processes that are numbers keep them.
    pub processes: BTreeMap<u32, Value>,
    /// What they were performed on; [`Extras::object`] is a position in here.
    pub objects: Vec<Value>,
}

/// One operation of a [`RawHistory`].
#[derive(Clone, Debug)]
pub struct RawOp {
    /// Its name.
    pub name: Arc<str>,
    /// Its arguments.
    pub args: Vec<Value>,
    /// Its result; `None` if it is unknown.
    pub result: Option<Value>,
    /// When it was called: any number that orders the events of this history.
    pub start: u64,
    /// When it returned; `None`: it did not.
    pub end: Option<u64>,
    /// Process, object, hint.
    pub extras: Extras,
    /// The line of the call, or of the whole operation.
    pub line: u32,
    /// The line with the result.
    pub end_line: u32,
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
struct Names {
    list: Vec<Value>,
    numbers: FxHashMap<Value, u32>,
}

impl Names {
    fn number(&mut self, name: Value) -> Result<u32, String> {
        if let Some(&number) = self.numbers.get(&name) {
            return Ok(number);
        }
        let number = u32::try_from(self.list.len()).map_err(|_| "too many names".to_owned())?;
        self.list.push(name.clone());
        self.numbers.insert(name, number);
        Ok(number)
    }
}

/// Collects the operations of a file. See the [module docs](self).
#[derive(Debug, Default)]
pub struct RawBuilder {
    ops: Vec<RawOp>,
    /// Parallel to `ops`: the line on which the operation ended, and whether it is to be dropped.
    ended: Vec<Option<(u32, bool)>>,
    op_names: FxHashMap<Arc<str>, ()>,
    processes: Names,
    objects: Names,
    scopes: Names,
    ids: FxHashMap<Value, usize>,
    open: FxHashMap<u32, usize>,
    events: u64,
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

impl RawBuilder {
    /// No operations yet.
    pub fn new() -> RawBuilder {
        RawBuilder::default()
    }

    fn extras(&mut self, details: Details) -> Result<Extras, String> {
        Ok(Extras {
            process: details.process.map(|p| self.processes.number(p)).transpose()?,
            object: details.object.map(|o| self.objects.number(o)).transpose()?,
            hint: details.hint.map(|h| self.order_hint(h)).transpose()?,
        })
    }

    fn order_hint(&mut self, (scope, position): (Value, u64)) -> Result<OrderHint, String> {
        Ok(OrderHint { scope: self.scopes.number(scope)?, position })
    }

    fn op_name(&mut self, name: &str) -> Arc<str> {
        if let Some((known, ())) = self.op_names.get_key_value(name) {
            return known.clone();
        }
        let name: Arc<str> = name.into();
        self.op_names.insert(name.clone(), ());
        name
    }

    fn tick(&mut self) -> u64 {
        self.events += 1;
        self.events
    }

    /// An operation begins.
    pub fn call(
        &mut self,
        line: u32,
        id: Value,
        name: &str,
        args: Vec<Value>,
        details: Details,
    ) -> Result<(), String> {
        let index = self.ops.len();
        if let Some(&first) = self.ids.get(&id) {
            let first = self.ops[first].line;
            return Err(format!("a second call with id {id}; the first is on line {first}"));
        }
        let who = details.process.clone();
        let extras = self.extras(details)?;
        if let (Some(process), Some(who)) = (extras.process, who) {
            if let Some(&open) = self.open.get(&process) {
                let RawOp { name, line, .. } = &self.ops[open];
                return Err(format!(
                    "process {who} calls while its {name:?} from line {line} is still open"
                ));
            }
            self.open.insert(process, index);
        }
        self.ids.insert(id, index);
        let (name, start) = (self.op_name(name), self.tick());
        self.ops.push(RawOp {
            name,
            args,
            result: None,
            start,
            end: None,
            extras,
            line,
            end_line: line,
        });
        self.ended.push(None);
        Ok(())
    }

    /// An operation ends.
    pub fn end(
        &mut self,
        line: u32,
        id: &Value,
        end: End,
        hint: Option<(Value, u64)>,
    ) -> Result<(), String> {
        let Some(&index) = self.ids.get(id) else {
            return Err(format!("no call has the id {id}"));
        };
        if let Some((before, _)) = self.ended[index] {
            return Err(format!("the operation with id {id} has already ended on line {before}"));
        }
        self.ended[index] = Some((line, end == End::Failed));
        let hint = hint.map(|h| self.order_hint(h)).transpose()?;
        let time = self.tick();
        let op = &mut self.ops[index];
        op.end_line = line;
        op.extras.hint = hint.or(op.extras.hint);
        if let End::Returned(value) = end {
            op.end = Some(time);
            op.result = value;
        }
        if let Some(process) = op.extras.process {
            self.open.remove(&process);
        }
        Ok(())
    }

    /// A whole operation with its times.
    pub fn interval(
        &mut self,
        line: u32,
        name: &str,
        args: Vec<Value>,
        result: Option<Value>,
        times: (u64, Option<u64>),
        details: Details,
    ) -> Result<(), String> {
        let extras = self.extras(details)?;
        let name = self.op_name(name);
        let (start, end) = times;
        let result = if end.is_some() { result } else { None };
        self.ops.push(RawOp { name, args, result, start, end, extras, line, end_line: line });
        self.ended.push(None);
        Ok(())
    }

    /// Everything that was collected.
    pub fn finish(mut self, format: Format) -> RawHistory {
        let processes = self.own_numbers();
        let happened = |ended: &Option<(u32, bool)>| !matches!(ended, Some((_, true)));
        let rows = self.ops.into_iter().zip(&self.ended);
        RawHistory {
            format,
            model: None,
            note: None,
            ties: Ties::default(),
            ops: rows.filter(|(_, ended)| happened(ended)).map(|(op, _)| op).collect(),
            processes,
            objects: self.objects.list,
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
        for op in &mut self.ops {
            let process = &mut op.extras.process;
            *process = process.and_then(|p| numbers.get(p as usize).copied());
        }
        numbers.into_iter().zip(names).collect()
    }
}
