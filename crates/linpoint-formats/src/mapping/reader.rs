//! From rows to operations.

use std::borrow::Cow;

use rustc_hash::FxHashMap;

use super::rows::{Cell, Place, Row};
use super::syntax::{Arg, Template};
use super::{Args, Ended, Happened, Mapping, Unit, ended, happened, times};
use crate::raw::{Clock, Details, End, LogFields, RawBuilder, RawHistory, RawId, Sink};
use crate::suggest::did_you_mean;
use crate::{Format, RawError, ReadError, Source, Value};

/// Calls a function with each row of a file.
type Rows<'s, 'f> = &'f mut dyn FnMut(Row<'s>) -> Result<(), ReadError>;

/// Reads the history of a log whose rows `rows` passes on.
pub(super) fn read<'s>(
    source: &'s Source,
    map: &Mapping,
    format: Format,
    rows: impl FnOnce(Rows<'s, '_>) -> Result<(), ReadError>,
) -> Result<RawHistory, ReadError> {
    let mut reader = Reader {
        source,
        map,
        builder: RawBuilder::new(),
        intervals: Vec::new(),
        ids: FxHashMap::default(),
        known: FxHashMap::default(),
    };
    let is_events = map.fields.contains_key("event");
    rows(&mut |row| if is_events { reader.event(&row) } else { reader.operation(&row) })?;
    let mut history = reader.finish(format)?;
    history.ties = map.ties.unwrap_or_default();
    history.clock = if is_events { Clock::Order } else { Clock::Whole };
    let (op, value) = (map.field("op").to_owned(), map.field("value").to_owned());
    history.log = Some(Box::new(LogFields { op, value }));
    Ok(history)
}

struct Reader<'s, 'm> {
    source: &'s Source,
    map: &'m Mapping,
    builder: RawBuilder,
    intervals: Vec<Interval>,
    /// The open operations of a log of events, by id.
    ids: FxHashMap<Value, RawId>,
    /// Whether the map mentions a field of this name.
    known: FxHashMap<String, bool>,
}

/// A whole operation, with times in billionths.
struct Interval {
    place: Place,
    name: String,
    args: Vec<Value>,
    result: Option<Value>,
    start: i128,
    end: Option<i128>,
    details: Details,
}

impl<'s, 'm> Reader<'s, 'm> {
    /// A line that is a whole operation.
    fn operation(&mut self, row: &Row<'s>) -> Result<(), ReadError> {
        self.has_known_fields(row)?;
        let (op, place) = self.op(row)?;
        let Some(template) = self.template(&op) else { return Ok(()) };
        let args = self.args(row, &op, &template)?;
        let details = self.details(row)?;
        let outcome = self.outcome(row)?;
        let (start, end) = self.times(row, outcome)?;
        let result = match (outcome, end) {
            (Ended::Failed, _) => return Ok(()),
            (Ended::Unknown, _) => None,
            (Ended::Returned, Some(_)) => self.result(row)?,
            (Ended::Returned, None) => match self.result(row)? {
                None | Some(Value::Nil) => None,
                Some(_) => return Err(self.result_without_end(row)),
            },
        };
        let name = template.name.into_owned();
        self.intervals.push(Interval { place, name, args, result, start, end, details });
        Ok(())
    }

    fn result_without_end(&self, row: &Row<'s>) -> ReadError {
        let message = "an operation without an end has no result";
        match row.get(self.map.field("value")) {
            Some(cell) => cell.place.wrong(self.source, message),
            None => ReadError::new(self.source, message).at_line(self.source, row.line),
        }
    }

    /// A line that is the call or the end of an operation.
    fn event(&mut self, row: &Row<'s>) -> Result<(), ReadError> {
        self.has_known_fields(row)?;
        let cell = self.wanted(row, "event")?;
        let word = cell.word();
        let event = self.map.events.get(&*word).copied().or_else(|| happened(&word));
        let event = event.ok_or_else(|| {
            let error = cell.place.wrong(self.source, format!("the event {word:?} is not mapped"));
            error.help(format!(
                "as in --map event.{word}=call; an event is call, return, fail or info"
            ))
        })?;
        let place = cell.place;
        match event {
            Happened::Called => self.call(row, place),
            Happened::Ended(ended) => self.end(row, ended, place),
        }
    }

    fn call(&mut self, row: &Row<'s>, place: Place) -> Result<(), ReadError> {
        let (op, op_place) = self.op(row)?;
        let Some(template) = self.template(&op) else { return Ok(()) };
        let args = self.args(row, &op, &template)?;
        if let Some(cell) = self.cell("value", row)
            && !cell.is_empty()
            && !self.is_argument(&cell.name)
        {
            return Err(cell.place.wrong(self.source, "the line of a call has a result"));
        }
        let details = self.details(row)?;
        let id = self.id(row, place)?;
        if let Some(id) = &id
            && let Some(open) = self.ids.get(id)
        {
            let line = self.builder.op(*open).line;
            let message = format!("a second call with id {id}; the first is on line {line}");
            return Err(place.wrong(self.source, message));
        }
        let called = self.builder.call(row.line, &template.name, args, details);
        let called = called.map_err(|error| op_place.wrong(self.source, error))?;
        if let Some(id) = id {
            self.ids.insert(id, called);
        }
        Ok(())
    }

    fn end(&mut self, row: &Row<'s>, ended: Ended, place: Place) -> Result<(), ReadError> {
        // Lines of operations that are skipped may be of any process.
        let op = self.cell("op", row).filter(|cell| !cell.is_empty());
        let template = match op {
            Some(cell) => match self.template(&cell.word()) {
                Some(template) => Some(template),
                None => return Ok(()),
            },
            None => None,
        };
        let (open, whose) = match self.id(row, place)? {
            Some(id) => (self.ids.remove(&id), format!("the id {id}")),
            None => {
                let process = self.details(row)?.process.unwrap_or_default();
                (self.builder.open_of(&process), format!("process {process}"))
            }
        };
        let Some(open) = open else {
            return Err(place.wrong(self.source, format!("no operation with {whose} is open")));
        };
        let called = self.builder.op(open);
        if let (Some(template), Some(cell)) = (&template, op)
            && template.name != called.name
        {
            let message = format!(
                "{whose} ends {:?}, but has called {:?} on line {}",
                template.name, called.name, called.line
            );
            return Err(cell.place.wrong(self.source, message));
        }
        let end = match ended {
            Ended::Returned => End::Returned(self.result(row)?),
            Ended::Failed => End::Failed,
            Ended::Unknown => End::Lost,
        };
        self.builder.end(row.line, open, end).map_err(|before| {
            place.wrong(self.source, format!("{whose} has already ended on line {before}"))
        })
    }

    /// What identifies an operation of a log of events. Without an id, its process does.
    fn id(&self, row: &Row<'s>, place: Place) -> Result<Option<Value>, ReadError> {
        if self.map.fields.contains_key("id") {
            return self.value(self.wanted(row, "id")?).map(Some);
        }
        match self.cell("process", row).filter(|cell| !cell.is_empty()) {
            Some(_) => Ok(None),
            None => {
                let message = "neither an id nor a process says which operation this is";
                Err(place
                    .wrong(self.source, message)
                    .help("map one of them: id=FIELD or process=FIELD"))
            }
        }
    }

    /// The name of the operation, and where it is.
    fn op(&self, row: &Row<'s>) -> Result<(String, Place), ReadError> {
        let cell = self.wanted(row, "op")?;
        Ok((cell.word().into_owned(), cell.place))
    }

    /// What the operation is for the model; `None` if such lines are skipped.
    fn template(&self, op: &str) -> Option<Called<'m>> {
        match self.map.ops.get(op) {
            Some(Some(Template { name, args })) => {
                Some(Called { name: Cow::Borrowed(name), args: args.as_deref() })
            }
            Some(None) => None,
            None => Some(Called { name: Cow::Owned(op.to_owned()), args: None }),
        }
    }

    fn args(
        &self,
        row: &Row<'s>,
        op: &str,
        template: &Called<'m>,
    ) -> Result<Vec<Value>, ReadError> {
        let args = match template.args {
            Some(args) => {
                args.iter().map(|arg| self.arg(row, op, arg)).collect::<Result<_, _>>()?
            }
            None => self.common_args(row)?,
        };
        self.uses_all(row, op, template)?;
        Ok(args)
    }

    fn arg(&self, row: &Row<'s>, op: &str, arg: &Arg) -> Result<Value, ReadError> {
        match arg {
            Arg::Constant(value) => Ok(value.clone()),
            Arg::Field(name) => match row.get(name) {
                Some(cell) if !(cell.is_empty() && self.is_absent(cell)) => self.value(cell),
                Some(cell) => Err(cell.place.wrong(
                    self.source,
                    format!("{op} needs {name:?} as an argument, and it is empty"),
                )),
                None => Err(self.missing(row, name, &format!("an argument of {op}"))),
            },
        }
    }

    /// True if an empty cell says nothing. A null of JSON is a value, and so is an empty cell that stands for nil.
    fn is_absent(&self, cell: &Cell<'_>) -> bool {
        !matches!(cell.syntax, super::rows::Syntax::Json) && self.map.nil.as_deref() != Some("")
    }

    /// The arguments of an operation whose template has none.
    fn common_args(&self, row: &Row<'s>) -> Result<Vec<Value>, ReadError> {
        let list = |cell: &Cell<'_>| match self.value(cell)? {
            Value::List(items) => Ok(items.to_vec()),
            Value::Nil => Ok(Vec::new()),
            other => {
                let message =
                    format!("{:?} must be a list of arguments, not {}", cell.name, other.kind());
                let help = format!("if it is the argument itself, map args={}", cell.name);
                Err(cell.place.wrong(self.source, message).help(help))
            }
        };
        match &self.map.args {
            None => row.get("args").filter(|cell| !cell.is_empty()).map_or(Ok(Vec::new()), list),
            Some(Args::List(field)) => row.get(field).map_or(Ok(Vec::new()), list),
            Some(Args::Fields(fields)) => {
                let present = fields.iter().filter_map(|field| row.get(field));
                present.filter(|cell| !cell.is_empty()).map(|cell| self.value(cell)).collect()
            }
        }
    }

    /// A value in a field that belongs to another operation would be lost.
    fn uses_all(&self, row: &Row<'s>, op: &str, template: &Called<'m>) -> Result<(), ReadError> {
        let uses = |name: &str| match template.args {
            Some(args) => args.iter().any(|arg| matches!(arg, Arg::Field(field) if field == name)),
            None => self.in_common_args(name),
        };
        let is_target = |name: &str| self.map.fields.values().any(|field| field.name == name);
        for cell in &row.fields {
            let name = &*cell.name;
            let is_lost = self.is_argument(name) && !cell.is_empty() && !uses(name);
            if !is_lost || is_target(name) || self.map.ignores(name) {
                continue;
            }
            let message = format!("{name:?} has a value, but {op} does not use it");
            let help = format!(
                "say op.{op}={}(..., {name}) if it is an argument, or ignore={name}",
                template.name
            );
            return Err(cell.place.wrong(self.source, message).help(help));
        }
        Ok(())
    }

    /// True if some operation has its arguments in this field.
    fn is_argument(&self, name: &str) -> bool {
        self.map.in_template(name) || self.in_common_args(name)
    }

    fn in_common_args(&self, name: &str) -> bool {
        match &self.map.args {
            None => name == "args",
            Some(Args::List(field)) => field == name,
            Some(Args::Fields(fields)) => fields.iter().any(|field| field == name),
        }
    }

    fn details(&self, row: &Row<'s>) -> Result<Details, ReadError> {
        let value = |target| {
            let cell = self.cell(target, row).filter(|cell| !cell.is_empty());
            cell.map(|cell| self.value(cell)).transpose()
        };
        Ok(Details { process: value("process")?, object: value("object")?, hint: None })
    }

    fn outcome(&self, row: &Row<'s>) -> Result<Ended, ReadError> {
        if !self.map.fields.contains_key("outcome") {
            return Ok(Ended::Returned);
        }
        let cell = self.cell("outcome", row);
        let is_empty = cell.is_none_or(Cell::is_empty);
        let word = match cell {
            Some(cell) if !is_empty => cell.word(),
            _ => Cow::Borrowed("null"),
        };
        let outcomes = &self.map.outcomes;
        let mapped = outcomes.get(&*word).copied().or_else(|| ended(&word));
        // Whatever else an outcome is: a star stands for texts, not for none.
        let rest = || outcomes.get("*").copied().filter(|_| !is_empty);
        mapped.or_else(rest).ok_or_else(|| {
            let field = self.map.field("outcome");
            let message = match is_empty {
                true => format!("{field:?} is missing, and the map does not say which outcome that is"),
                false => format!("the outcome {word:?} is not mapped"),
            };
            let error = match cell {
                Some(cell) => cell.place.wrong(self.source, message),
                None => ReadError::new(self.source, message).at_line(self.source, row.line),
            };
            error.help(format!(
                "as in --map outcome.{word}=return; an outcome is return, fail (it certainly did not happen) or info (unknown)"
            ))
        })
    }

    /// When the operation began, and when it ended, if it did.
    fn times(&self, row: &Row<'s>, outcome: Ended) -> Result<(i128, Option<i128>), ReadError> {
        let map = self.map;
        let has = |target| map.fields.contains_key(target);
        let end = || match self.cell("end", row).filter(|cell| !cell.is_empty()) {
            Some(cell) if outcome == Ended::Returned => self.time(cell, map.unit("end")).map(Some),
            _ => Ok(None),
        };
        if !has("duration") {
            let start = self.wanted(row, "start")?;
            return Ok((self.time(start, map.unit("start"))?, end()?));
        }
        let unit = match map.unit("duration") {
            Some(Unit::Rfc3339) => None,
            unit => unit,
        };
        let took = self.cell("duration", row).filter(|cell| !cell.is_empty());
        let took = took.map(|cell| self.time(cell, unit).map(|took| (cell, took))).transpose()?;
        if let Some((cell, took)) = took
            && took < 0
        {
            return Err(cell.place.wrong(self.source, "the duration is negative"));
        }
        if has("end") {
            // Every operation has an end then, and begins before it.
            let at = self.wanted(row, "end")?;
            let (_, took) =
                took.ok_or_else(|| self.missing(row, map.field("duration"), "duration"))?;
            let at = self.time(at, map.unit("end"))?;
            return Ok((at - took, Some(at).filter(|_| outcome == Ended::Returned)));
        }
        let start = self.time(self.wanted(row, "start")?, map.unit("start"))?;
        let end = took.map(|(_, took)| start + took);
        Ok((start, end.filter(|_| outcome == Ended::Returned)))
    }

    fn time(&self, cell: &Cell<'_>, unit: Option<Unit>) -> Result<i128, ReadError> {
        times::parse(&cell.word(), unit).map_err(|message| cell.place.wrong(self.source, message))
    }

    /// The result, if the line has one.
    fn result(&self, row: &Row<'s>) -> Result<Option<Value>, ReadError> {
        let Some(cell) = self.cell("value", row) else { return Ok(None) };
        if cell.is_empty() && self.is_absent(cell) {
            return Ok(None);
        }
        Ok(Some(self.value(cell)?).filter(|value| !value.is_unknown()))
    }

    fn value(&self, cell: &Cell<'_>) -> Result<Value, ReadError> {
        cell.value(self.map.nil.as_deref())
            .map_err(|message| cell.place.wrong(self.source, message))
    }

    /// The field of a target, if the line has it.
    fn cell<'r>(&self, target: &'static str, row: &'r Row<'s>) -> Option<&'r Cell<'s>> {
        row.get(self.map.field(target))
    }

    /// The field of a target, which every line must have.
    fn wanted<'r>(
        &self,
        row: &'r Row<'s>,
        target: &'static str,
    ) -> Result<&'r Cell<'s>, ReadError> {
        match self.cell(target, row) {
            Some(cell) if !cell.is_empty() => Ok(cell),
            Some(cell) => Err(cell
                .place
                .wrong(self.source, format!("{:?} is empty; it is the {target}", cell.name))),
            None => Err(self.missing(row, self.map.field(target), target)),
        }
    }

    fn missing(&self, row: &Row<'s>, field: &str, what: &str) -> ReadError {
        let message = match field == what {
            true => format!(
                "the line has no field {field:?}, and the map does not say where the {what} is"
            ),
            false => format!("the line has no field {field:?}, which the map takes as {what}"),
        };
        let names = row.names();
        let rest = format!("the fields of the line are {}", names.join(", "));
        let help = did_you_mean(field, &names, &rest);
        ReadError::new(self.source, message).at_line(self.source, row.line).help(help)
    }

    /// A field that means nothing is one whose meaning was forgotten.
    fn has_known_fields(&mut self, row: &Row<'s>) -> Result<(), ReadError> {
        for cell in &row.fields {
            let name = &*cell.name;
            let is_known = match self.known.get(name) {
                Some(known) => *known,
                None => {
                    let known = self.map.mentions(name);
                    self.known.insert(name.to_owned(), known);
                    known
                }
            };
            if !is_known {
                let message = format!("the map does not say what {name:?} is");
                let wanted: Vec<&str> =
                    self.map.fields.values().map(|field| &*field.name).collect();
                let rest = format!(
                    "the map says it with TARGET={name}, where TARGET is args, value, process, object, start, end, ...; ignore={name} ignores the field"
                );
                let help = did_you_mean(name, &wanted, &rest);
                return Err(cell.place.wrong(self.source, message).help(help));
            }
        }
        Ok(())
    }

    fn finish(mut self, format: Format) -> Result<RawHistory, ReadError> {
        let has_unit = self.map.time.is_some() || self.has_units();
        let has_times = !self.intervals.is_empty();
        let scale = Scale::of(&self.intervals, has_unit);
        for interval in std::mem::take(&mut self.intervals) {
            let Interval { place, name, args, result, start, end, details } = interval;
            let too_far = || place.wrong(self.source, "the times of the file are too far apart");
            if end.is_some_and(|end| end < start) {
                let error = place.wrong(self.source, "the operation ends before it starts");
                return Err(error.help(
                    "if it never returned, its end must be missing, or its outcome must be info",
                ));
            }
            let start = scale.of_time(start).ok_or_else(too_far)?;
            let end = end.map(|end| scale.of_time(end).ok_or_else(too_far)).transpose()?;
            let added = self.builder.name(&name).and_then(|name| {
                self.builder.interval(place.line, name, args, result, (start, end), details)
            });
            added.map_err(|error: RawError| place.wrong(self.source, error))?;
        }
        let mut history = self.builder.finish(format);
        // With units, times are nanoseconds; dates are counted since 1970.
        let is_date = |target| self.map.unit(target) == Some(Unit::Rfc3339);
        history.unit = (has_unit && has_times).then_some(crate::raw::Unit::Nanoseconds);
        history.since_1970 =
            history.unit.is_some() && scale.zero == 0 && (is_date("start") || is_date("end"));
        Ok(history)
    }

    fn has_units(&self) -> bool {
        ["start", "end", "duration"].iter().any(|target| self.map.unit(target).is_some())
    }
}

/// What an operation of the file is for the model.
struct Called<'m> {
    name: Cow<'m, str>,
    args: Option<&'m [Arg]>,
}

/// How the times of a file become whole numbers that are not negative.
struct Scale {
    divisor: i128,
    zero: i128,
}

impl Scale {
    /// Numbers without a unit are kept as they are, if they are whole. Times before zero are counted from the first.
    fn of(intervals: &[Interval], has_unit: bool) -> Scale {
        const BILLION: i128 = 1_000_000_000;
        let times = || intervals.iter().flat_map(|each| [Some(each.start), each.end]).flatten();
        let is_whole = !has_unit && times().all(|time| time % BILLION == 0);
        let divisor = if is_whole { BILLION } else { 1 };
        let (first, last) = (times().min().unwrap_or(0), times().max().unwrap_or(0));
        let fits = first >= 0 && u64::try_from(last / divisor).is_ok();
        Scale { divisor, zero: if fits { 0 } else { first } }
    }

    fn of_time(&self, time: i128) -> Option<u64> {
        u64::try_from(time.checked_sub(self.zero)? / self.divisor).ok()
    }
}
