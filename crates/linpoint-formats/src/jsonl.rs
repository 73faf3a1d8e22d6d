//! linpoint's own format: JSON lines, version 1. Documented in `docs/format.md`.
//!
//! A header line, then one object per line: events in the order in which they happened, or whole
//! operations with their times in any order. Misplaced keys are errors: a misspelt `"value"` would
//! otherwise become an unknown result and hide a violation.

pub(crate) mod live;
pub(crate) mod stream;
pub(crate) mod write;

use std::fmt;

use linpoint::history::Ties;
use linpoint::history::Timestamp;
use rustc_hash::FxHashMap;
use serde::de::{Deserialize, Deserializer, Error, Visitor};

use crate::model::ModelName;
use crate::raw::{
    Aside, Clock, Color, Details, End, Mark, RawBuilder, RawHistory, RawId, Reading, Sink, Unit,
};
use crate::registry::client;
use crate::{Format, ReadError, Source, Value};

/// The version of the format that is read and written.
pub const VERSION: i64 = 1;

/// The keys of a line that is not the header. Which of them go together depends on the kind.
#[derive(serde::Deserialize, Default)]
#[serde(deny_unknown_fields, expecting = "an object")]
struct Line {
    call: Option<Value>,
    #[serde(rename = "return")]
    ret: Option<Value>,
    fail: Option<Value>,
    info: Option<Value>,
    op: Option<String>,
    args: Option<Vec<Value>>,
    #[serde(default, deserialize_with = "even_null")]
    value: Option<Value>,
    start: Option<Time>,
    end: Option<Time>,
    #[serde(alias = "client")]
    process: Option<Value>,
    object: Option<Value>,
    hint: Option<Hint>,
    fault: Option<String>,
    heal: Option<String>,
    event: Option<String>,
    lane: Option<String>,
    detail: Option<String>,
    color: Option<String>,
    time: Option<Time>,
    note: Option<String>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object with \"position\" and perhaps \"scope\"")]
struct Hint {
    #[serde(default)]
    scope: Value,
    position: u64,
}

/// `null` is a value; a missing key is not.
fn even_null<'de, D: Deserializer<'de>>(d: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(d).map(Some)
}

/// A clock reading. If all times of a file are whole numbers, they are compared as such; otherwise
/// as floating-point numbers.
#[derive(Clone, Copy, Debug)]
struct Time(Reading);

impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Time, D::Error> {
        struct TimeVisitor;
        impl Visitor<'_> for TimeVisitor {
            type Value = Time;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a time: a number that is not negative")
            }
            fn visit_u64<E>(self, n: u64) -> Result<Time, E> {
                Ok(Time(Reading::Whole(n)))
            }
            fn visit_i64<E: Error>(self, n: i64) -> Result<Time, E> {
                let n = u64::try_from(n).map_err(|_| E::custom("the time is negative"))?;
                Ok(Time(Reading::Whole(n)))
            }
            fn visit_f64<E: Error>(self, n: f64) -> Result<Time, E> {
                n.key().map_err(|e| E::custom(format!("the time is {e}")))?;
                Ok(Time(Reading::Float(n)))
            }
        }
        d.deserialize_any(TimeVisitor)
    }
}

/// True if the input looks like this format: it begins with a JSON object that is not empty.
pub(crate) fn recognises(start: &[u8]) -> bool {
    let after_brace = start.trim_ascii_start().strip_prefix(b"{");
    after_brace.is_some_and(|rest| rest.trim_ascii_start().starts_with(b"\""))
}

/// The column (from 1) of the value of `key` in an object on one line.
pub(crate) fn key_at(line: &[u8], key: &str) -> Option<usize> {
    let quoted = format!("\"{key}\"");
    let mut from = 0;
    while let Some(found) = line[from..].windows(quoted.len()).position(|w| w == quoted.as_bytes())
    {
        let after = from + found + quoted.len();
        let skipped = |at: usize| line[at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
        let colon = after + skipped(after);
        if line.get(colon) == Some(&b':') {
            return Some(colon + 1 + skipped(colon + 1) + 1);
        }
        from = after;
    }
    None
}

/// Reads a history.
pub fn read(source: &Source) -> Result<RawHistory, ReadError> {
    let mut reader = Reader::new(source);
    let mut lines = source.lines().filter(|(_, line)| !line.trim_ascii().is_empty());
    let header = match lines.next() {
        Some((number, line)) => reader.header(number, line)?,
        None => Header::default(),
    };
    for (number, line) in lines {
        reader.line(number, line)?;
    }
    let mut history = reader.finish()?;
    history.model = header.model;
    history.note = header.note;
    history.ties = header.ties;
    history.unit = header.unit;
    history.since_1970 = header.since_1970;
    Ok(history)
}

#[derive(Default)]
struct Header {
    model: Option<ModelName>,
    note: Option<String>,
    ties: Ties,
    unit: Option<Unit>,
    /// True if times count since 1970.
    since_1970: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Events,
    Intervals,
}

struct Reader<'a, B = RawBuilder> {
    source: &'a Source,
    builder: B,
    /// The operations by the ids of their calls.
    ids: FxHashMap<Value, RawId>,
    /// The kind of the first line, with its number.
    kind: Option<(Kind, u32)>,
    intervals: Vec<(u32, Line)>,
}

impl<'a> Reader<'a> {
    fn new(source: &'a Source) -> Reader<'a> {
        Reader {
            source,
            builder: RawBuilder::new(),
            ids: FxHashMap::default(),
            kind: None,
            intervals: Vec::new(),
        }
    }
}

impl<B: Sink> Reader<'_, B> {
    fn parse<'l, T: Deserialize<'l>>(&self, number: u32, line: &'l [u8]) -> Result<T, ReadError> {
        let text = match std::str::from_utf8(line) {
            Ok(text) => text,
            Err(e) => {
                return Err(ReadError::new(self.source, "these bytes are not UTF-8").at(
                    self.source,
                    number,
                    e.valid_up_to() + 1,
                ));
            }
        };
        serde_json::from_str(text).map_err(|e| {
            // The position is added by `ReadError`.
            let place = format!(" at line {} column {}", e.line(), e.column());
            let message = e.to_string();
            let message = message.strip_suffix(&place).unwrap_or(&message);
            let message = if e.is_eof() { "the line ends too early" } else { message };
            ReadError::new(self.source, message).at(self.source, number, e.column())
        })
    }

    /// An error at the value of `key`, or for the whole line.
    fn wrong(&self, number: u32, key: &str, message: impl Into<String>) -> ReadError {
        let error = ReadError::new(self.source, message);
        match self.source.line(number).and_then(|line| key_at(line, key)) {
            Some(column) => error.at(self.source, number, column),
            None => error.at_line(self.source, number),
        }
    }

    fn header(&self, number: u32, line: &[u8]) -> Result<Header, ReadError> {
        const HELP: &str = "the first line is a header: {\"linpoint\":1,\"model\":\"register\"}";
        let value: Value = self.parse(number, line).map_err(|e| e.help(HELP))?;
        let Value::Map(entries) = value else {
            let message = format!("the header must be an object, not {}", value.kind());
            return Err(ReadError::new(self.source, message).at(self.source, number, 1).help(HELP));
        };
        let get = |key: &str| entries.iter().find(|(k, _)| &**k == key).map(|(_, v)| v);
        match get("linpoint") {
            Some(Value::Int(VERSION)) => {}
            Some(other) => {
                let message = format!("format version {other} is unknown");
                return Err(self
                    .wrong(number, "linpoint", message)
                    .help(format!("this linpoint reads version {VERSION}")));
            }
            None => {
                let error = ReadError::new(self.source, "the header is missing");
                let help = format!(
                    "{HELP}; for the log of another program, --map says what its fields mean (docs/mapping.md)"
                );
                return Err(error.at_line(self.source, number).help(help));
            }
        }
        let text = |key: &'static str| match get(key) {
            None => Ok(None),
            Some(Value::Str(s)) => Ok(Some(s.to_string())),
            Some(v) => {
                let message = format!("{key:?} must be a string, not {}", v.kind());
                Err(self.wrong(number, key, message))
            }
        };
        let ties = match text("ties")?.as_deref() {
            None | Some("concurrent") => Ties::Concurrent,
            Some("ordered") => Ties::Ordered,
            Some(other) => {
                let message = format!("\"ties\" must be concurrent or ordered, not {other:?}");
                return Err(self.wrong(number, "ties", message));
            }
        };
        let unit = text("unit")?.map(|name| {
            let message = || format!("\"unit\" must be ns, us, ms or s, not {name:?}");
            Unit::parse(&name).ok_or_else(|| self.wrong(number, "unit", message()))
        });
        let unit = unit.transpose()?;
        let since_1970 = match text("epoch")?.as_deref() {
            None => false,
            Some("unix") if unit.is_none() => {
                let message = "with \"epoch\", a \"unit\" is needed";
                return Err(self.wrong(number, "epoch", message));
            }
            Some("unix") => true,
            Some(other) => {
                let message = format!("\"epoch\" must be unix, not {other:?}");
                return Err(self.wrong(number, "epoch", message));
            }
        };
        let mut header = Header { model: None, note: text("note")?, ties, unit, since_1970 };
        let model = text("model")?.map(|m| ModelName::parse(&m)).transpose();
        let mut model = model.map_err(|e| self.wrong(number, "model", e.to_string()))?;
        for (key, value) in entries.iter() {
            if matches!(&**key, "linpoint" | "model" | "note" | "ties" | "unit" | "epoch") {
                continue;
            }
            let Some(model) = &mut model else {
                let message = format!("the option {key:?} belongs to a model, but none is named");
                return Err(self.wrong(number, key, message));
            };
            model.set(key, value.clone()).map_err(|e| self.wrong(number, key, e.to_string()))?;
        }
        header.model = model;
        Ok(header)
    }

    fn line(&mut self, number: u32, line: &[u8]) -> Result<(), ReadError> {
        // The derived reader would accept a list as an object without names.
        if line.trim_ascii_start().first() != Some(&b'{') {
            let error = ReadError::new(self.source, "a line must be an object: {...}");
            return Err(error.at(self.source, number, 1));
        }
        let line: Line = self.parse(number, line)?;
        if line.fault.is_some() || line.heal.is_some() || line.event.is_some() {
            return self.aside(number, line);
        }
        let marks = [
            ("call", line.call.is_some()),
            ("return", line.ret.is_some()),
            ("fail", line.fail.is_some()),
            ("info", line.info.is_some()),
            ("start", line.start.is_some()),
        ];
        let mut marks = marks.into_iter().filter(|(_, present)| *present).map(|(mark, _)| mark);
        let (mark, second) = (marks.next(), marks.next());
        if let (Some(mark), Some(second)) = (mark, second) {
            let message = format!("{mark:?} and {second:?} cannot be on one line");
            return Err(self.wrong(number, second, message));
        }
        let Some(mark) = mark else {
            return Err(ReadError::new(self.source, "this is neither an event nor an operation")
                .at_line(self.source, number)
                .help("a line has one of \"call\", \"return\", \"fail\", \"info\" (an event), \"start\" (an operation with its times), or \"fault\", \"heal\", \"event\""));
        };
        let kind = if mark == "start" { Kind::Intervals } else { Kind::Events };
        self.is_of_kind(number, mark, kind)?;
        self.only_keys_of(number, mark, &line)?;
        match mark {
            "start" => self.intervals.push((number, line)),
            "call" => self.call(number, line)?,
            mark => self.end(number, mark, line)?,
        }
        Ok(())
    }

    /// All lines of a file have times, or none has.
    fn is_of_kind(&mut self, number: u32, mark: &str, kind: Kind) -> Result<(), ReadError> {
        let (first, since) = *self.kind.get_or_insert((kind, number));
        if first != kind {
            let name = |kind| match kind {
                Kind::Events => "an event",
                Kind::Intervals => "an operation with times",
            };
            let message = format!(
                "{} here, but {} on line {since}: a file has one or the other",
                name(kind),
                name(first)
            );
            return Err(self.wrong(number, mark, message));
        }
        Ok(())
    }

    /// A fault, its end, or another event that is not an operation.
    fn aside(&mut self, number: u32, line: Line) -> Result<(), ReadError> {
        let marks = [("fault", &line.fault), ("heal", &line.heal), ("event", &line.event)];
        let mut marks = marks.into_iter().filter_map(|(mark, name)| Some((mark, name.as_ref()?)));
        let Some((mark, name)) = marks.next() else { return Ok(()) };
        if name.is_empty() {
            return Err(self.wrong(number, mark, format!("{mark:?} needs a name")));
        }
        let strays = [
            ("call", line.call.is_some()),
            ("return", line.ret.is_some()),
            ("fail", line.fail.is_some()),
            ("info", line.info.is_some()),
            ("op", line.op.is_some()),
            ("args", line.args.is_some()),
            ("value", line.value.is_some()),
            ("object", line.object.is_some()),
            ("hint", line.hint.is_some()),
            ("start", mark == "heal" && line.start.is_some()),
            ("end", line.start.is_none() && line.end.is_some()),
            ("time", line.start.is_some() && line.time.is_some()),
            ("detail", mark == "heal" && line.detail.is_some()),
            ("color", mark == "heal" && line.color.is_some()),
        ];
        let stray = strays.into_iter().find(|(_, stray)| *stray).map(|(key, _)| key);
        if let Some(key) = marks.next().map(|(second, _)| second).or(stray) {
            let message = format!("{key:?} does not belong on a line with {mark:?}");
            return Err(self.wrong(number, key, message));
        }
        if line.process.is_some() && line.lane.is_some() {
            let message = "\"lane\" does not belong on a line with \"process\": it is drawn in the lane of that client";
            return Err(self.wrong(number, "lane", message));
        }
        let kind = if line.start.is_some() { Kind::Intervals } else { Kind::Events };
        self.is_of_kind(number, mark, kind)?;
        if let (Some(start), Some(end)) = (line.start, line.end)
            && end.0.as_float() < start.0.as_float()
        {
            return Err(self.wrong(number, "end", format!("the {mark} ends before it starts")));
        }
        let color = line.color.as_deref().map(|color| self.color(number, color)).transpose()?;
        let usual = if mark == "event" { "events" } else { "faults" };
        let of_client = line.process.as_ref().map(client);
        let aside = Aside {
            line: number,
            lane: line.lane.or(of_client).unwrap_or_else(|| usual.to_owned()),
            process: line.process,
            color,
            name: name.clone(),
            detail: line.detail,
            mark: match (mark, kind) {
                ("event", Kind::Intervals) if line.end.is_some() => {
                    Mark::Lasts(line.end.map(|end| end.0))
                }
                ("fault", Kind::Intervals) => Mark::Lasts(line.end.map(|end| end.0)),
                ("fault", Kind::Events) => Mark::Begins,
                ("heal", _) => Mark::Ends,
                _ => Mark::Moment,
            },
            time: line.start.or(line.time).map(|time| time.0),
        };
        let taken = self.builder.aside(aside);
        taken.map_err(|error| self.wrong(number, mark, error.to_string()))
    }

    fn color(&self, number: u32, text: &str) -> Result<Color, ReadError> {
        let message = || format!("a color is {}, not {text:?}", Color::all());
        Color::parse(text).ok_or_else(|| self.wrong(number, "color", message()))
    }

    fn only_keys_of(&self, number: u32, mark: &str, line: &Line) -> Result<(), ReadError> {
        let is_end = !matches!(mark, "start" | "call");
        let strays = [
            ("op", is_end && line.op.is_some()),
            ("args", is_end && line.args.is_some()),
            ("process", is_end && line.process.is_some()),
            ("object", is_end && line.object.is_some()),
            ("value", !matches!(mark, "start" | "return") && line.value.is_some()),
            ("end", mark != "start" && line.end.is_some()),
            ("time", mark == "start" && line.time.is_some()),
            ("lane", line.lane.is_some()),
            ("detail", line.detail.is_some()),
            ("color", line.color.is_some()),
        ];
        match strays.into_iter().find(|(_, stray)| *stray) {
            None => Ok(()),
            Some((key, _)) => {
                let message = format!("{key:?} does not belong on a line with {mark:?}");
                Err(self.wrong(number, key, message))
            }
        }
    }

    fn op_of(
        &self,
        number: u32,
        line: &mut Line,
    ) -> Result<(String, Vec<Value>, Details), ReadError> {
        let Some(op) = line.op.take() else {
            let error = ReadError::new(self.source, "which operation? \"op\" is missing");
            return Err(error.at_line(self.source, number));
        };
        let details = Details {
            process: line.process.take(),
            object: line.object.take(),
            hint: line.hint.take().map(|hint| (hint.scope, hint.position)),
        };
        Ok((op, line.args.take().unwrap_or_default(), details))
    }

    fn call(&mut self, number: u32, mut line: Line) -> Result<(), ReadError> {
        let (op, args, details) = self.op_of(number, &mut line)?;
        let id = line.call.unwrap_or_default();
        if let Some(&first) = self.ids.get(&id) {
            let first = self.builder.op(first).line;
            let message = format!("a second call with id {id}; the first is on line {first}");
            return Err(self.wrong(number, "call", message));
        }
        let op = self.builder.call(number, &op, args, details);
        let op = op.map_err(|message| self.wrong(number, "call", message))?;
        self.ids.insert(id, op);
        line.note.into_iter().for_each(|note| self.builder.remark(op, note));
        line.time.into_iter().for_each(|Time(time)| self.builder.reading(time));
        Ok(())
    }

    fn end(&mut self, number: u32, mark: &str, line: Line) -> Result<(), ReadError> {
        let (id, end) = match mark {
            "return" => (line.ret, End::Returned(known(line.value))),
            "fail" => (line.fail, End::Failed),
            _ => (line.info, End::Lost),
        };
        let id = id.unwrap_or_default();
        let Some(&op) = self.ids.get(&id) else {
            return Err(self.wrong(number, mark, format!("no call has the id {id}")));
        };
        self.builder.end(number, op, end).map_err(|before| {
            let message = format!("the operation with id {id} has already ended on line {before}");
            self.wrong(number, mark, message)
        })?;
        line.time.into_iter().for_each(|Time(time)| self.builder.reading(time));
        line.note.into_iter().for_each(|note| self.builder.remark(op, note));
        if !B::REMEMBERS {
            self.ids.remove(&id);
        }
        if let Some(hint) = line.hint {
            let hint = self.builder.hint(op, (hint.scope, hint.position));
            hint.map_err(|message| self.wrong(number, "hint", message))?;
        }
        Ok(())
    }
}

impl Reader<'_> {
    fn finish(mut self) -> Result<RawHistory, ReadError> {
        let times = |line: &Line| [line.start, line.end];
        let floats = self.intervals.iter().any(|(_, line)| {
            times(line).iter().flatten().any(|t| matches!(t.0, Reading::Float(_)))
        });
        for (number, mut line) in std::mem::take(&mut self.intervals) {
            let (op, args, details) = self.op_of(number, &mut line)?;
            let key = |name: &str, time: Option<Time>| {
                time.map(|t| order_key(t, floats))
                    .transpose()
                    .map_err(|m| self.wrong(number, name, m))
            };
            let start = key("start", line.start)?.unwrap_or_default();
            let end = key("end", line.end)?;
            if end.is_some_and(|end| end < start) {
                return Err(self.wrong(number, "end", "the operation ends before it starts"));
            }
            if end.is_none() && line.value.is_some() {
                let message = "an operation without an \"end\" has no \"value\"";
                return Err(self.wrong(number, "value", message));
            }
            self.builder
                .name(&op)
                .and_then(|op| {
                    let result = known(line.value);
                    self.builder.interval(number, op, args, result, (start, end), details)
                })
                .map_err(|message| self.wrong(number, "op", message))?;
            if let Some(note) = line.note {
                let op = self.builder.last();
                self.builder.remark(op, note);
            }
        }
        let mut history = self.builder.finish(Format::Jsonl);
        history.clock = match self.kind {
            Some((Kind::Intervals, _)) if floats => Clock::Float,
            Some((Kind::Intervals, _)) => Clock::Whole,
            _ => Clock::Order,
        };
        Ok(history)
    }
}

/// The result that a `"value"` stands for: `{"unknown":true}` and a missing one are unknown.
fn known(value: Option<Value>) -> Option<Value> {
    value.filter(|value| !value.is_unknown())
}

fn order_key(Time(time): Time, floats: bool) -> Result<u64, String> {
    const EXACT: u64 = 1 << 53;
    match time {
        Reading::Whole(n) if !floats => Ok(n),
        Reading::Whole(n) if n > EXACT => {
            Err(format!("{n} is too large beside times with a decimal point"))
        }
        Reading::Whole(n) => (n as f64).key().map_err(|e| format!("the time is {e}")),
        Reading::Float(x) => x.key().map_err(|e| format!("the time is {e}")),
    }
}
