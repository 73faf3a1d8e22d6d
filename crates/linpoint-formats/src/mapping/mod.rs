//! Histories in the logs of other programs: JSON lines or tables (CSV, TSV), with a map that says what their fields mean.
//!
//! ```text
//! op.incr=add_fetch(1),object=key,process=client,start=t0_ns,end=t1_ns,value=result
//! ```
//!
//! Each entry says where a *target* is found: the process is in the field `client`. Nothing is guessed: a field that
//! the map does not mention is an error, unless the map says that it is to be ignored. `docs/mapping.md` describes
//! the targets.
//!
//! [`Mapping`] is the map. `json.rs` and `table.rs` turn a file into rows of fields, and `reader.rs` turns rows into
//! operations.

mod json;
mod reader;
mod rows;
mod syntax;
mod table;
mod times;

use std::collections::BTreeMap;
use std::fmt;

use linpoint::history::Ties;

use crate::suggest::did_you_mean;
use crate::{Format, RawHistory, ReadError, Source, Value};
pub(crate) use syntax::split_outside;
use syntax::{Arg, Template};
pub use times::Unit;

/// What a map can say, in the order in which it is documented.
const TARGETS: &[&str] = &[
    "op", "args", "value", "process", "object", "start", "end", "duration", "outcome", "event",
    "id", "time", "ties", "nil", "ignore",
];

/// What the fields of a log mean. See the [module docs](self).
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Mapping {
    /// The fields of targets that are one field.
    fields: BTreeMap<&'static str, Field>,
    /// Fields that hold one argument each, or one that holds all.
    args: Option<Args>,
    /// What the names of operations in the file mean; `None` for lines that are skipped.
    ops: BTreeMap<String, Option<Template>>,
    outcomes: BTreeMap<String, Ended>,
    events: BTreeMap<String, Happened>,
    time: Option<Unit>,
    ties: Option<Ties>,
    nil: Option<String>,
    ignored: Vec<String>,
}

/// A field of a log.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Field {
    name: String,
    /// The unit of the time that it holds.
    unit: Option<Unit>,
}

/// Where the arguments are, if a template does not say it.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Args {
    /// Each in a field of its own. Fields that a line lacks are left out.
    Fields(Vec<String>),
    /// All in one field, as a list.
    List(String),
}

/// How an operation ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Ended {
    Returned,
    Failed,
    Unknown,
}

/// What a line of a log of events says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Happened {
    Called,
    Ended(Ended),
}

/// Why a map is not one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MapError(String);

impl fmt::Display for MapError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for MapError {}

fn wrong<T>(message: impl Into<String>) -> Result<T, MapError> {
    Err(MapError(message.into()))
}

impl Mapping {
    /// Entries with commas between them: `op.incr=add_fetch(1),process=client`.
    pub fn parse(text: &str) -> Result<Mapping, MapError> {
        let mut map = Mapping::default();
        map.extend(text)?;
        Ok(map)
    }

    /// Adds the entries of a text.
    pub fn extend(&mut self, text: &str) -> Result<(), MapError> {
        if text.trim().is_empty() {
            return Ok(());
        }
        for entry in split_outside(text, ',') {
            let entry = entry.trim();
            let Some((target, source)) = entry.split_once('=') else {
                return wrong(format!("{entry:?} is not TARGET=FIELD, as in process=client"));
            };
            self.set(target.trim(), source.trim())?;
        }
        Ok(())
    }

    /// Adds one entry.
    pub fn set(&mut self, target: &str, source: &str) -> Result<(), MapError> {
        if source.is_empty() && target != "nil" {
            return wrong(format!("{target}= needs the name of a field or a word"));
        }
        let (target, name) = match target.split_once('.') {
            Some((target, name)) => (target, Some(name)),
            None => (target, None),
        };
        if let Some(name) = name {
            return self.set_named(target, name, source);
        }
        match target {
            "args" => self.set_args(source),
            "time" => match Unit::from_name(source) {
                Some(unit) => once(target, &mut self.time, unit),
                None => wrong(format!("time={source} is not a unit: {}", Unit::NAMES)),
            },
            "ties" => match source {
                "concurrent" => once(target, &mut self.ties, Ties::Concurrent),
                "ordered" => once(target, &mut self.ties, Ties::Ordered),
                _ => wrong(format!("ties={source} is neither concurrent nor ordered")),
            },
            "nil" => once(target, &mut self.nil, syntax::unquoted(source)?),
            "ignore" => {
                for field in split_outside(source, '+') {
                    self.ignored.push(syntax::unquoted(field)?);
                }
                Ok(())
            }
            _ => self.set_field(target, source),
        }
    }

    fn set_field(&mut self, target: &str, source: &str) -> Result<(), MapError> {
        let Some(known) = TARGETS.iter().find(|known| **known == target) else {
            let rest = format!("the targets are {}", TARGETS.join(", "));
            let help = did_you_mean(target, TARGETS, &rest);
            return wrong(format!("a map has no target {target:?}; {help}"));
        };
        let is_time = matches!(target, "start" | "end" | "duration");
        let (name, unit) = match source.rsplit_once(':') {
            Some((name, unit)) if is_time && !source.starts_with('"') => {
                match Unit::from_name(unit) {
                    Some(unit) => (name, Some(unit)),
                    None => (source, None),
                }
            }
            _ => (source, None),
        };
        let field = Field { name: syntax::unquoted(name)?, unit };
        match self.fields.insert(known, field) {
            None => Ok(()),
            Some(before) => wrong(format!("{target} is mapped twice: {} and {name}", before.name)),
        }
    }

    /// `op.NAME`, `outcome.NAME`, `event.NAME`.
    fn set_named(&mut self, target: &str, name: &str, source: &str) -> Result<(), MapError> {
        let name = syntax::unquoted(name)?;
        let twice = match target {
            "op" if source == "skip" => self.ops.insert(name.clone(), None).is_some(),
            "op" => self.ops.insert(name.clone(), Some(Template::parse(source)?)).is_some(),
            "outcome" => match ended(source) {
                Some(outcome) => self.outcomes.insert(name.clone(), outcome).is_some(),
                None => {
                    return wrong(format!(
                        "outcome.{name}={source}: an outcome is return, fail or info"
                    ));
                }
            },
            "event" => match happened(source) {
                Some(event) => self.events.insert(name.clone(), event).is_some(),
                None => {
                    return wrong(format!(
                        "event.{name}={source}: an event is call, return, fail or info"
                    ));
                }
            },
            _ => {
                return wrong(format!(
                    "{target}.{name}: only op, outcome and event have names, as in op.incr=add"
                ));
            }
        };
        if twice { wrong(format!("{target}.{name} is mapped twice")) } else { Ok(()) }
    }

    fn set_args(&mut self, source: &str) -> Result<(), MapError> {
        let args = match source.strip_suffix("...") {
            Some(list) => Args::List(syntax::unquoted(list)?),
            None => {
                let names = split_outside(source, '+').into_iter().map(syntax::unquoted);
                Args::Fields(names.collect::<Result<_, _>>()?)
            }
        };
        once("args", &mut self.args, args)
    }

    /// True if the map gives the object of operations.
    pub fn has_object(&self) -> bool {
        self.fields.contains_key("object")
    }

    /// The field of a target: the one that the map says, or else the one with linpoint's own name.
    fn field<'a>(&'a self, target: &'a str) -> &'a str {
        self.fields.get(target).map_or(target, |field| &field.name)
    }

    /// True if the map mentions the field.
    fn mentions(&self, name: &str) -> bool {
        const OWN: [&str; 6] = ["op", "value", "process", "object", "start", "end"];
        let is_own = OWN.iter().any(|target| *target == name && !self.fields.contains_key(target));
        let in_args = match &self.args {
            None => name == "args",
            Some(Args::List(field)) => field == name,
            Some(Args::Fields(fields)) => fields.iter().any(|field| field == name),
        };
        is_own
            || in_args
            || self.fields.values().any(|field| field.name == name)
            || self.in_template(name)
            || self.ignores(name)
    }

    /// True if a template uses the field.
    fn in_template(&self, name: &str) -> bool {
        let uses = |template: &Template| {
            let args = template.args.iter().flatten();
            args.into_iter().any(|arg| matches!(arg, Arg::Field(field) if field == name))
        };
        self.ops.values().flatten().any(uses)
    }

    fn ignores(&self, name: &str) -> bool {
        self.ignored.iter().any(|ignored| ignored == "*" || ignored == name)
    }

    /// The unit of a time: its own, or that of all times.
    fn unit(&self, target: &str) -> Option<Unit> {
        self.fields.get(target).and_then(|field| field.unit).or(self.time)
    }

    /// Makes sure that the entries fit together.
    fn validate(&self) -> Result<(), MapError> {
        let is_mapped = |target: &&str| self.fields.contains_key(*target);
        if self.fields.contains_key("event") {
            if let Some(target) =
                ["start", "end", "duration", "outcome"].iter().find(|t| is_mapped(t))
            {
                return wrong(format!(
                    "event and {target} are both mapped: a line is either an event or a whole operation"
                ));
            }
        } else if !self.events.is_empty() || is_mapped(&"id") {
            return wrong("event.NAME and id need event=FIELD: the field that says what a line is");
        }
        if !self.outcomes.is_empty() && !is_mapped(&"outcome") {
            return wrong(
                "outcome.NAME needs outcome=FIELD: the field that says how an operation ended",
            );
        }
        if ["start", "end", "duration"].iter().all(is_mapped) {
            return wrong("start, end and duration are all mapped: two of them are enough");
        }
        let times: Vec<(&str, &Field)> = ["start", "end", "duration"]
            .into_iter()
            .filter(|target| self.unit(target).is_none())
            .filter_map(|target| Some((target, self.fields.get(target)?)))
            .collect();
        for pair in times.windows(2) {
            let [(one, first), (other, second)] = pair else { continue };
            let units = (Unit::of_field(&first.name), Unit::of_field(&second.name));
            if let (Some(a), Some(b)) = units
                && a != b
            {
                let (first, second) = (&first.name, &second.name);
                return wrong(format!(
                    "{one}={first} and {other}={second} seem to have different units: say which, as in {one}={first}:{a},{other}={second}:{b}"
                ));
            }
        }
        // A number without a unit cannot be compared with one that has a unit.
        if let (Some((target, field)), Some(_)) = (
            times.first(),
            ["start", "end", "duration"].iter().find(|t| is_mapped(t) && self.unit(t).is_some()),
        ) {
            return wrong(format!("{target}={} needs a unit too: {}", field.name, Unit::NAMES));
        }
        Ok(())
    }
}

fn once<T>(target: &str, place: &mut Option<T>, value: T) -> Result<(), MapError> {
    if place.is_some() {
        return wrong(format!("{target} is mapped twice"));
    }
    *place = Some(value);
    Ok(())
}

/// How an operation ended, by the word for it.
fn ended(word: &str) -> Option<Ended> {
    match word {
        "return" | "ok" => Some(Ended::Returned),
        "fail" => Some(Ended::Failed),
        "info" => Some(Ended::Unknown),
        _ => None,
    }
}

fn happened(word: &str) -> Option<Happened> {
    match word {
        "call" | "invoke" => Some(Happened::Called),
        _ => ended(word).map(Happened::Ended),
    }
}

/// Reads the history of a log. Without a format, a file that begins with a brace or a bracket is JSON, and every other
/// one is a table.
pub fn read(
    source: &Source,
    format: Option<Format>,
    map: &Mapping,
) -> Result<RawHistory, ReadError> {
    map.validate().map_err(|error| {
        ReadError::new(source, format!("the map does not fit together: {error}"))
    })?;
    if is_own_format(source.text()) {
        let message = "this file is in linpoint's own format, which needs no map";
        return Err(ReadError::new(source, message)
            .at(source, 1, 1)
            .help("docs/format.md describes it"));
    }
    match format.unwrap_or_else(|| detect(source.text())) {
        Format::Json => reader::read(source, map, Format::Json, |each| json::rows(source, each)),
        format @ (Format::Csv | Format::Tsv) => {
            reader::read(source, map, format, |each| table::rows(source, format, each))
        }
        other => {
            let message = format!("the format {} needs no map", other.name());
            Err(ReadError::new(source, message).help("a map is for the formats json, csv and tsv"))
        }
    }
}

/// Passes the text of each object of a file in JSON to `each`, with its line and column.
pub(crate) fn objects<'s>(
    source: &'s Source,
    each: &mut dyn FnMut(&'s str, u32, usize) -> Result<(), ReadError>,
) -> Result<(), ReadError> {
    json::objects(source, &mut |object| each(object.text, object.place.line, object.place.column))
}

/// The column of a part of an operation in a log, for messages.
pub(crate) fn locate(source: &Source, format: Format, line: u32, field: &str) -> Option<usize> {
    match format {
        Format::Json => crate::jsonl::key_at(source.line(line)?, field),
        Format::Csv | Format::Tsv => table::locate(source, format, line, field),
        _ => None,
    }
}

/// The format of a log.
fn detect(text: &[u8]) -> Format {
    let text = text.trim_ascii_start();
    if matches!(text.first(), Some(b'{' | b'[')) {
        return Format::Json;
    }
    let header = &text[..memchr::memchr(b'\n', text).unwrap_or(text.len())];
    if header.contains(&b'\t') { Format::Tsv } else { Format::Csv }
}

/// True if the first line is a header of linpoint's own format.
fn is_own_format(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let line = &text[..memchr::memchr(b'\n', text).unwrap_or(text.len())];
    line.starts_with(b"{") && crate::jsonl::key_at(line, "linpoint").is_some()
}

/// A value of a table: whole numbers, `true` and `false` are what they look like, everything else is a text. No two
/// different texts become the same value.
fn value_of_cell(text: &str) -> Value {
    match text {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => match text.parse::<i64>() {
            Ok(n) if n.to_string() == text => Value::Int(n),
            _ => Value::str(text),
        },
    }
}

#[cfg(test)]
mod tests;
