//! Histories of Jepsen and Knossos in EDN, and Porcupine's key-value logs, which look the same.
//!
//! ```text
//! [{:process 7, :type :invoke, :f :cas, :value [2 3]}
//!  {:process 7, :type :ok, :f :cas, :value [2 3]}
//!  {:process :nemesis, :type :info, :f :kill, :value nil}]
//! ```
//!
//! A vector or list of maps, or one map after the other. The order of the maps is the order of
//! events; `:time` is only shown. `:fail` means that the operation did not happen (so a failed `:cas`
//! proves nothing), `:info` that it may have. Events of a process that is not a number, and an
//! `:info` without an open operation, are faults and other events beside the operations. A read whose value is nil
//! matches any state, and is counted.
//!
//! Values that are all tuples `[k v]` come from several independent objects `k`.

pub(crate) mod parser;

use std::ops::Range;

use crate::jepsen::{Event, Reader, Remarks, Rules, Type, remark};
use crate::model::ModelName;
use crate::raw::{RawHistory, Unit};
use crate::workload::{Recognised, WorkloadChoice, recognise};
use crate::{Format, ReadError, Source, Value};
use parser::{Entries, Parser, Wrong};

/// True if the input begins with a map that has keywords for keys, perhaps in a vector or list.
pub(crate) fn recognises(text: &[u8]) -> bool {
    let mut parser = Parser::new(text, true);
    let in_list = parser.take(b'[') || parser.take(b'(');
    match parser.peek() {
        Some(b'#') => text[parser.position()..].starts_with(b"#jepsen"),
        Some(b'{') => parser.take(b'{') && matches!(parser.peek(), Some(b':')),
        // An empty list is a history without operations.
        Some(b']' | b')') => in_list,
        _ => false,
    }
}

/// True if the input is Porcupine's: the first line has a `:key`.
pub(crate) fn recognises_porcupine(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let line = &text[..memchr::memchr(b'\n', text).unwrap_or(text.len())];
    text.starts_with(b"{:") && memchr::memmem::find(line, b", :key \"").is_some()
}

/// The column of a part of an operation on a line; unknown if several operations are on it.
pub(crate) fn locate(line: &[u8], part: linpoint::wire::Part) -> Option<usize> {
    let key: &[u8] = if part == linpoint::wire::Part::Name { b":f " } else { b":value " };
    let mut found = memchr::memmem::find_iter(line, key);
    let (first, second) = (found.next()?, found.next());
    second.is_none().then_some(first + key.len() + 1)
}

/// The rules for histories of Jepsen and Knossos.
pub(crate) fn rules(keyed: bool) -> Rules {
    Rules { keyed, nil_reads_fit: true, failed_cas_proves: false, meaning: None }
}

/// The rules for Porcupine's logs.
pub(crate) const PORCUPINE: Rules =
    Rules { keyed: false, nil_reads_fit: false, failed_cas_proves: false, meaning: None };

/// The model of Porcupine's logs: keys hold the empty string at first.
pub(crate) fn porcupine_model() -> Option<ModelName> {
    ModelName::parse("kv:initial=\"\"").ok()
}

/// Reads a history of Jepsen or Knossos. `given` is the model that the user gives.
pub(crate) fn read(
    source: &Source,
    given: Option<&ModelName>,
    workload: WorkloadChoice,
    keep_details: bool,
) -> Result<RawHistory, ReadError> {
    let events = named(source, all_events(source, true, keep_details)?)?;
    history_of(source, events, Format::Edn, given, workload)
}

/// The history that events of Jepsen's tell.
pub(crate) fn history_of(
    source: &Source,
    events: Vec<Event>,
    format: Format,
    given: Option<&ModelName>,
    workload: WorkloadChoice,
) -> Result<RawHistory, ReadError> {
    let (events, rules, model, jepsen) = match recognise(source, events, given, workload)? {
        Ok(Recognised { events, meaning, keyed, model, answer }) => {
            let rules = Rules { meaning: Some(meaning), ..rules(keyed) };
            (events, rules, model, Some(Box::new(answer)))
        }
        Err(events) => {
            let (keyed, model) = (is_keyed(&events), model_of(&events));
            (events, rules(keyed), model, None)
        }
    };
    let mut reader = Reader::new(source, rules);
    for event in events {
        reader.event(event)?;
    }
    let mut history = reader.finish(format);
    (history.model, history.jepsen) = (model, jepsen);
    history.unit = Some(Unit::Nanoseconds);
    Ok(history)
}

/// The events with a process each. Without any `:process` in a file, an end belongs to the open call of the same
/// function, if there is only one.
pub(crate) fn named(source: &Source, read: Events) -> Result<Vec<Event>, ReadError> {
    let Events { mut list, without_process } = read;
    if without_process.len() < list.len() || list.is_empty() {
        return match without_process.first().and_then(|at| list.get(*at)) {
            None => Ok(list),
            Some(event) => Err(no_process(source, event)),
        };
    }
    let (mut open, mut next): (Vec<(Box<str>, i64)>, i64) = (Vec::new(), 0);
    for event in &mut list {
        let same = || open.iter().enumerate().filter(|(_, (f, _))| *f == event.f).map(|(at, _)| at);
        let process = match (event.kind, same().count()) {
            (Type::Invoke, _) => {
                open.push((event.f.clone(), next));
                next += 1;
                next - 1
            }
            (_, 1) => {
                let at = same().next().unwrap_or_default();
                open.remove(at).1
            }
            (_, 0) => return Err(no_process(source, event)),
            _ => {
                let message = format!(
                    "without :process, it is not known which {:?} ends here: several calls of it are open",
                    event.f
                );
                return Err(ReadError::new(source, message).at(source, event.line, event.column));
            }
        };
        event.process = Value::Int(process);
    }
    Ok(list)
}

fn no_process(source: &Source, event: &Event) -> ReadError {
    let error = ReadError::new(source, ":process is missing in this map");
    error.at(source, event.line, event.column)
}

/// Reads a log of Porcupine's key-value store.
pub(crate) fn read_porcupine(source: &Source) -> Result<RawHistory, ReadError> {
    let mut reader = Reader::new(source, PORCUPINE);
    for event in events(source, false)? {
        reader.event(event)?;
    }
    let mut history = reader.finish(Format::Porcupine);
    history.model = porcupine_model();
    Ok(history)
}

/// The calls of clients.
fn calls(events: &[Event]) -> impl Iterator<Item = &Event> {
    events.iter().filter(|event| event.kind == Type::Invoke && event.is_of_client())
}

/// The model, if the operations determine it.
fn model_of(events: &[Event]) -> Option<ModelName> {
    let only = |names: &[&str]| calls(events).all(|event| names.contains(&&*event.f));
    calls(events).next()?;
    let models: [(&str, &[&str]); 3] = [
        ("cas-register", &["read", "write", "cas"]),
        ("multi-register", &["txn"]),
        ("mutex", &["acquire", "release"]),
    ];
    let (model, _) = models.into_iter().find(|(_, names)| only(names))?;
    ModelName::parse(model).ok()
}

/// True if the values of all calls are tuples of an object and a value. A `:cas` must have a pair
/// in its tuple, and a `:txn` a list of steps: otherwise `[2 3]` would be mistaken for one.
pub(crate) fn is_keyed(events: &[Event]) -> bool {
    let tuple = |event: &Event| match &event.value {
        Value::List(items) => match (&**items, &*event.f) {
            ([_, Value::List(pair)], "cas") => pair.len() == 2,
            ([key, Value::List(_)], "txn") => !matches!(key, Value::List(_)),
            ([_, _], f) => !matches!(f, "cas" | "txn"),
            _ => false,
        },
        _ => false,
    };
    calls(events).next().is_some() && calls(events).all(tuple)
}

/// Lines and columns of positions in a text, queried in ascending order.
struct Places<'a> {
    text: &'a [u8],
    first_line: u32,
    line: u32,
    line_start: usize,
    until: usize,
}

impl Places<'_> {
    fn of(&mut self, at: usize) -> (u32, usize) {
        let at = at.min(self.text.len());
        if at < self.until {
            (self.line, self.line_start, self.until) = (self.first_line, 0, 0);
        }
        for newline in memchr::memchr_iter(b'\n', &self.text[self.until..at]) {
            self.line = self.line.saturating_add(1);
            self.line_start = self.until + newline + 1;
        }
        self.until = at;
        (self.line, at - self.line_start + 1)
    }
}

/// All events of a file, each with its process.
pub(crate) fn events(source: &Source, escapes: bool) -> Result<Vec<Event>, ReadError> {
    let Events { list, without_process } = all_events(source, escapes, false)?;
    match without_process.first().and_then(|at| list.get(*at)) {
        None => Ok(list),
        Some(event) => Err(no_process(source, event)),
    }
}

/// The events of a file.
#[derive(Default)]
pub(crate) struct Events {
    pub(crate) list: Vec<Event>,
    /// The positions of those that do not say which process they are of.
    pub(crate) without_process: Vec<usize>,
}

fn all_events(source: &Source, escapes: bool, keep_details: bool) -> Result<Events, ReadError> {
    let text = source.text();
    let first_line = source.first_line();
    let mut places = Places { text, first_line, line: first_line, line_start: 0, until: 0 };
    let events = read_events(&mut Parser::new(text, escapes), &mut places, keep_details);
    events.map_err(|wrong| {
        let (line, column) = places.of(wrong.at);
        ReadError::new(source, wrong.message).at(source, line, column)
    })
}

fn read_events(
    parser: &mut Parser<'_>,
    places: &mut Places<'_>,
    keep_details: bool,
) -> Result<Events, Wrong> {
    parser.peek();
    let open = parser.position();
    let close = match () {
        () if parser.take(b'[') => Some(b']'),
        () if parser.take(b'(') => Some(b')'),
        () => None,
    };
    let mut events = Events::default();
    while !close.map_or(Ok(parser.peek().is_none()), |close| parser.closes(close, open))? {
        let at = parser.position();
        let (line, column) = places.of(at);
        let entries = parser.map()?;
        if !entries.iter().any(|(name, ..)| name.as_str() == Some(":process")) {
            events.without_process.push(events.list.len());
        }
        let remarks = match keep_details {
            true => remarks(parser, &entries),
            false => Remarks::default(),
        };
        events.list.push(Event { remarks, ..event(entries, at, line, column)? });
    }
    if parser.peek().is_some() {
        let message = "unexpected input after the end of the history".to_owned();
        return Err(Wrong { at: parser.position(), message });
    }
    Ok(events)
}

/// The keys that say nothing more about an operation than the page shows anyway.
const USUAL: &[&str] = &[":process", ":type", ":f", ":key", ":value", ":time", ":index"];

/// The other keys of an event as they are written, for people.
fn remarks(parser: &Parser<'_>, entries: &Entries) -> Remarks {
    let others = entries.iter().filter_map(|(name, value, range)| match (name.as_str(), value) {
        (_, Value::Nil) => None,
        (Some(name), _) if USUAL.contains(&name) => None,
        (Some(name), Value::Str(text)) => Some(remark(name, text)),
        (name, _) => {
            let text = String::from_utf8_lossy(parser.text(range.clone()));
            Some(remark(name.unwrap_or("?"), &text))
        }
    });
    others.collect()
}

fn event(entries: Entries, at: usize, line: u32, column: usize) -> Result<Event, Wrong> {
    let (mut process, mut kind, mut f, mut key, mut value) = (None, None, None, None, None);
    let mut time = None;
    for (name, entry, Range { start: at, .. }) in entries {
        match name.as_str() {
            Some(":process") => process = Some(entry),
            Some(":type") => kind = Some((entry, at)),
            Some(":f") => f = Some((entry, at)),
            Some(":key") => key = Some(entry),
            Some(":value") => value = Some(entry),
            Some(":time") => time = entry.as_int().and_then(|time| u64::try_from(time).ok()),
            _ => {}
        }
    }
    let missing = |what: &str| Wrong { at, message: format!("{what} is missing in this map") };
    // Without a process it may still be one of a client, see `named`.
    let process = process.unwrap_or(Value::Int(0));
    let (kind, kind_at) = kind.ok_or_else(|| missing(":type"))?;
    let is_client = process.as_int().is_some();
    let kind = match kind.as_str().and_then(Type::from_keyword) {
        Some(kind) => kind,
        None if !is_client => Type::Info,
        None => {
            let message = format!("{} is not :invoke, :ok, :fail or :info", kind.bare());
            return Err(Wrong { at: kind_at, message });
        }
    };
    let f: Box<str> = match f {
        Some((Value::Str(f), _)) => f.strip_prefix(':').unwrap_or(&f).into(),
        Some((other, at)) if is_client => {
            return Err(Wrong { at, message: format!(":f must be a keyword, not {other}") });
        }
        None if is_client => return Err(missing(":f")),
        _ => "".into(),
    };
    let value = value.unwrap_or_default();
    let remarks = Remarks::default();
    Ok(Event { line, column, process, kind, f, key, value, time, remarks })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(text: &str) -> Result<RawHistory, String> {
        read(&Source::new("h.edn", text), None, WorkloadChoice::Recognise, false)
            .map_err(|e| e.to_string())
    }

    fn words(text: &str) -> Vec<String> {
        let history = history(text).unwrap();
        let word = |op: crate::raw::RawOp<'_>| {
            let end = if op.end.is_some() { "" } else { " pending" };
            format!("{} {:?} {:?}{end}", op.name, op.args, op.result)
        };
        history.ops.iter().map(word).collect()
    }

    fn first_line(text: &str) -> String {
        history(text).err().unwrap().lines().next().unwrap_or_default().to_owned()
    }

    #[test]
    fn events_become_operations() {
        let text = "; a comment
            [{:process 1, :type :invoke, :f :cas, :value [2 3]}
             {:process :nemesis :type :info :f :kill :value nil}
             {:process 2 :type :invoke :f :read :value 7}
             {:process 1 :type :ok :f :cas :value [2 3]}
             {:process 2 :type :ok :f :read :value nil}
             {:process 1 :type :invoke :f :write :value 4} {:process 1 :type :fail :f :write :value 4}
             {:process 2 :type :invoke :f :write :value 5} {:process 2 :type :info :f :write :value 5}
             {:process 2 :type :info :f :note}]";
        assert_eq!(
            words(text),
            ["cas [2, 3] Some(true)", "read [] None", "write [5] None pending"]
        );
        let history = history(text).unwrap();
        assert_eq!(history.model.unwrap().to_string(), "cas-register");
        let beside: Vec<_> =
            history.faults.iter().map(|f| (f.line, f.begin.after, f.text())).collect();
        assert_eq!(beside, [(3, 1, "kill".to_owned()), (9, 8, "2 note".to_owned())]);
    }

    #[test]
    fn maps_without_brackets_and_in_a_list() {
        let lines = "{:process 0 :type :invoke :f :acquire}\n{:process 0 :type :ok :f :acquire}\n";
        assert_eq!(words(lines), ["acquire [] None"]);
        assert_eq!(words(&format!("({lines})")), ["acquire [] None"]);
    }

    #[test]
    fn tuples_name_objects() {
        let text = "{:process 0 :type :invoke :f :read :value [:x nil]}
                    {:process 1 :type :invoke :f :cas :value [:y [1 2]]}
                    {:process 0 :type :ok :f :read :value [:x 5]}
                    {:process 1 :type :info :f :cas :value :timed-out}";
        assert_eq!(words(text), ["read [] Some(5)", "cas [1, 2] None pending"]);
        assert_eq!(history(text).unwrap().objects, [Value::str(":x"), Value::str(":y")]);
        // A pair alone is an ordinary value.
        let text = "{:process 1 :type :invoke :f :cas :value [1 2]}";
        assert!(history(text).unwrap().objects.is_empty());
    }

    #[test]
    fn transactions() {
        let text = "{:process 0 :type :invoke :f :txn :value [[:read :x nil] [:write :y 2]]}
                    {:process 0 :type :ok :f :txn :value [[:read :x 1] [:write :y 2]]}
                    {:process 0 :type :invoke :f :txn :value [[:read :x nil] [:read :y nil]]}
                    {:process 0 :type :ok :f :txn :value [[:read :x nil] [:read :y 2]]}";
        let history = history(text).unwrap();
        assert_eq!(history.partly_unknown, 1);
        assert_eq!(
            words(text),
            [
                "txn [[[\"read\", \":x\"], [\"write\", \":y\", 2]]] Some([1])",
                "txn [[[\"read\", \":x\"], [\"read\", \":y\"]]] Some([{unknown: true}, 2])"
            ]
        );
    }

    #[test]
    fn errors_have_a_position() {
        let call = "{:process 0 :type :invoke :f :read}";
        for (text, message) in [
            ("[{:process 0", "h.edn:1:2: '{' is never closed: the file is cut off"),
            ("[1]", "h.edn:1:2: an operation must be a map: {:process 0, :type :invoke, ...}"),
            ("[] 5", "h.edn:1:4: unexpected input after the end of the history"),
            ("[{:type :ok :f :read}]", "h.edn:1:2: :process is missing in this map"),
            (
                "[\n {:process 0 :type :okay :f :r}]",
                "h.edn:2:20: :okay is not :invoke, :ok, :fail or :info",
            ),
            ("{:process 0 :type :ok :f 5}", "h.edn:1:26: :f must be a keyword, not 5"),
            (
                "{:process 0 :type :ok :f :read}",
                "h.edn:1:1: :ok of process 0, which has no open operation",
            ),
            (
                &format!("{call}\n{call}"),
                "h.edn:2:1: process 0 calls while its \"read\" from line 1 is still open",
            ),
            (
                &format!("{call}\n{{:process 0 :type :ok :f :write :value 1}}"),
                "h.edn:2:1: process 0 ends \"write\", but has called \"read\"",
            ),
            (
                "{:process 0 :type :invoke :f :cas :value 3}",
                "h.edn:1:1: a cas has the value [expected new], not 3",
            ),
            (
                "{:process 0 :type :invoke :f :txn :value [[:append :x 3]]}",
                "h.edn:1:1: a step of a txn is [:read key value] or [:write key value], not \"[\\\":append\\\", \\\":x\\\", 3]\"",
            ),
        ] {
            assert_eq!(first_line(text), message, "{text}");
        }
    }

    #[test]
    fn porcupine() {
        let text = "{:process 0, :type :invoke, :f :append, :key \"0\", :value \"x \\ y\"}\n\
                    {:process 1, :type :invoke, :f :get, :key \"0\", :value nil}\n\
                    {:process 0, :type :ok, :f :append, :key \"0\", :value \"x \\ y\"}\n\
                    {:process 1, :type :ok, :f :get, :key \"0\", :value \"\"}\n";
        assert!(recognises_porcupine(text.as_bytes()));
        let history = read_porcupine(&Source::new("h", text)).map_err(|e| e.to_string()).unwrap();
        let ops: Vec<String> = history
            .ops
            .iter()
            .map(|op| format!("{} {:?} {:?}", op.name, op.args, op.result))
            .collect();
        assert_eq!(ops, ["append [\"0\", \"x \\\\ y\"] None", "get [\"0\"] Some(\"\")"]);
    }
}
