//! Jepsen's events in JSON: what `elle-cli` and other tools exchange.
//!
//! ```text
//! [{"type":"invoke","f":"add","value":1,"process":0,"time":10474104701,"index":0},
//!  {"type":"ok","f":"add","value":1,"process":0,"time":10584742951,"index":1}]
//! ```
//!
//! The same as EDN, see [`edn`](crate::edn), with objects in a list or one after the other. Texts are keywords there. Keys of
//! objects are texts in JSON, so an account `0` is `"0"` here.

use serde::Deserialize;

use crate::edn::{self, Events};
use crate::jepsen::{Event, Remarks, Type, remark};
use crate::mapping::objects;
use crate::model::ModelName;
use crate::raw::RawHistory;
use crate::workload::WorkloadChoice;
use crate::{Format, ReadError, Source, Value};

/// True if the first object has a type, a function and a process.
pub(crate) fn recognises(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let text = text.strip_prefix(b"[").map_or(text, <[u8]>::trim_ascii_start);
    let line = &text[..memchr::memchr(b'\n', text).unwrap_or(text.len())];
    let has = |key: &str| crate::jsonl::key_at(line, key).is_some();
    let is_event = ["invoke", "ok", "info", "fail"].iter().any(|kind| {
        crate::jsonl::key_at(line, "type")
            .is_some_and(|at| line[at - 1..].starts_with(format!("\"{kind}\"").as_bytes()))
    });
    line.starts_with(b"{") && is_event && has("f")
}

/// The column of a part of an operation on a line.
pub(crate) fn locate(line: &[u8], part: linpoint::wire::Part) -> Option<usize> {
    crate::jsonl::key_at(line, if part == linpoint::wire::Part::Name { "f" } else { "value" })
}

/// The keys of an event. Others are ignored, as in EDN.
#[derive(Deserialize)]
#[serde(expecting = "an object")]
struct Written {
    process: Option<Value>,
    #[serde(rename = "type")]
    kind: Option<String>,
    f: Option<String>,
    #[serde(default)]
    value: Value,
    time: Option<i64>,
}

/// The keys that say nothing more about an operation than the page shows anyway.
const USUAL: &[&str] = &["process", "type", "f", "value", "time", "index"];

/// The other keys of an event, for people.
fn remarks(text: &str) -> Remarks {
    let Ok(Value::Map(entries)) = serde_json::from_str(text) else { return Remarks::default() };
    let others =
        entries.iter().filter(|(key, value)| !USUAL.contains(&&**key) && *value != Value::Nil);
    others.map(|(key, value)| remark(key, &value.bare())).collect()
}

/// Reads a history.
pub(crate) fn read(
    source: &Source,
    given: Option<&ModelName>,
    workload: WorkloadChoice,
    keep_details: bool,
) -> Result<RawHistory, ReadError> {
    let mut events = Events::default();
    objects(source, &mut |text, line, column| {
        let wrong = |message: String| ReadError::new(source, message).at(source, line, column);
        let written: Written = serde_json::from_str(text).map_err(|error| {
            let message = error.to_string();
            let place = format!(" at line {} column {}", error.line(), error.column());
            let message = message.strip_suffix(&place).unwrap_or(&message).to_owned();
            let column =
                if error.line() <= 1 { column + error.column().saturating_sub(1) } else { column };
            ReadError::new(source, message).at(source, line, column)
        })?;
        let Written { process, kind, f, value, time } = written;
        if process.is_none() {
            events.without_process.push(events.list.len());
        }
        let process = match process.unwrap_or(Value::Int(0)) {
            // In EDN the nemesis is a keyword.
            Value::Str(name) => Value::str(&format!(":{}", name.trim_start_matches(':'))),
            other => other,
        };
        let is_client = process.as_int().is_some();
        let kind = kind.as_deref().unwrap_or_default();
        let kind = match Type::from_keyword(&format!(":{}", kind.trim_start_matches(':'))) {
            Some(kind) => kind,
            None if !is_client => Type::Info,
            None => {
                return Err(wrong(format!("the type {kind:?} is not invoke, ok, fail or info")));
            }
        };
        let f = match f {
            Some(f) => f,
            None if is_client => return Err(wrong("\"f\" is missing in this object".to_owned())),
            None => String::new(),
        };
        let (f, key) = (f.trim_start_matches(':').into(), None);
        let time = time.and_then(|time| u64::try_from(time).ok());
        let remarks = if keep_details { remarks(text) } else { Remarks::default() };
        events.list.push(Event { line, column, process, kind, f, key, value, time, remarks });
        Ok(())
    })?;
    let events = edn::named(source, events)?;
    edn::history_of(source, events, Format::JepsenJson, given, workload)
}
