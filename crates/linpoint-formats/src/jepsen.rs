//! Events as Jepsen records them, independent of the syntax: `:invoke`, `:ok`, `:fail`, `:info` of
//! processes, with a function and a value that is argument or result.

pub(crate) mod write;

use crate::raw::{Aside, Details, End, Mark, RawBuilder, RawHistory, RawId, Reading, Sink};
use crate::words::shown;
use crate::workload::Meaning;
use crate::{Format, ReadError, Source, Thin, Value};

/// The type of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Type {
    Invoke,
    Ok,
    Fail,
    Info,
}

impl Type {
    pub(crate) fn from_keyword(word: &str) -> Option<Type> {
        Some(match word {
            ":invoke" => Type::Invoke,
            ":ok" => Type::Ok,
            ":fail" => Type::Fail,
            ":info" => Type::Info,
            _ => return None,
        })
    }

    fn name(self) -> &'static str {
        match self {
            Type::Invoke => ":invoke",
            Type::Ok => ":ok",
            Type::Fail => ":fail",
            Type::Info => ":info",
        }
    }
}

/// An event of a client or of another process.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) line: u32,
    pub(crate) column: usize,
    /// Clients are numbers.
    pub(crate) process: Value,
    pub(crate) kind: Type,
    /// Without its colon.
    pub(crate) f: Box<str>,
    /// A key beside the value, as in Porcupine's logs.
    pub(crate) key: Option<Value>,
    pub(crate) value: Value,
    /// The clock, in nanoseconds.
    pub(crate) time: Option<u64>,
    /// What else is said about it, if that is kept: `error: :timeout`.
    pub(crate) remarks: Remarks,
}

/// What an event says beside what every event says, for people.
pub(crate) type Remarks = Box<[Box<str>]>;

/// Keep at most this many remarks of an event.
const MOST_REMARKS: usize = 16;
/// Cut longer ones to this many characters.
const MAX_REMARK: usize = 240;

/// A remark: the name of a key, and its value as the file has it.
pub(crate) fn remark(key: &str, value: &str) -> Box<str> {
    let mut text = format!("{}: {value}", key.trim_start_matches(':'));
    if let Some((end, _)) = text.char_indices().nth(MAX_REMARK) {
        text.truncate(end);
        text.push('\u{2026}');
    }
    text.into()
}

impl Event {
    pub(crate) fn is_of_client(&self) -> bool {
        self.process.as_int().is_some()
    }
}

/// The differences between the formats.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    /// Values are tuples of an object and a value.
    pub(crate) keyed: bool,
    /// True if a read of nil matches any state; otherwise it saw nil.
    pub(crate) nil_reads_fit: bool,
    /// True if a failed `:cas` saw a value other than the expected one; otherwise it did not
    /// happen.
    pub(crate) failed_cas_proves: bool,
    /// What the functions are, if the history is one of a workload.
    pub(crate) meaning: Option<Meaning>,
}

/// Functions whose value is the result, even if the call has one too.
const GIVES: &[&str] = &["read", "get", "dequeue", "pop", "peek", "poll"];

/// Turns events into operations.
pub(crate) struct Reader<'a, B = RawBuilder> {
    source: &'a Source,
    rules: Rules,
    builder: B,
}

/// An error message about an event.
type Sentence = String;

impl<'a> Reader<'a> {
    pub(crate) fn new(source: &'a Source, rules: Rules) -> Reader<'a> {
        Reader::with(source, rules, RawBuilder::new())
    }

    pub(crate) fn finish(self, format: Format) -> RawHistory {
        self.builder.finish(format)
    }
}

impl<'a, B: Sink> Reader<'a, B> {
    /// Continues with an existing builder.
    pub(crate) fn with(source: &'a Source, rules: Rules, builder: B) -> Reader<'a, B> {
        Reader { source, rules, builder }
    }

    /// The builder.
    pub(crate) fn into_builder(self) -> B {
        self.builder
    }

    /// A line that is not an event.
    pub(crate) fn message(&mut self, line: u32, text: &str) -> Result<(), ReadError> {
        let (lane, name) = ("events".to_owned(), text.to_owned());
        let aside = Aside { line, lane, name, ..Aside::default() };
        let taken = self.builder.aside(aside);
        taken.map_err(|error| ReadError::new(self.source, error.to_string()))
    }

    pub(crate) fn event(&mut self, event: Event) -> Result<(), ReadError> {
        let (line, column) = (event.line, event.column);
        self.take(event)
            .map_err(|message| ReadError::new(self.source, message).at(self.source, line, column))
    }

    fn take(&mut self, mut event: Event) -> Result<(), Sentence> {
        let open = self.builder.open_of(&event.process);
        if !event.is_of_client() || (event.kind == Type::Info && open.is_none()) {
            return Ok(self.builder.aside(aside(event))?);
        }
        let (time, remarks) = (event.time, std::mem::take(&mut event.remarks));
        let process = (!remarks.is_empty()).then(|| event.process.clone());
        self.operation(event, open)?;
        let op = open.or_else(|| self.builder.open_of(&process?));
        if let Some(op) = op {
            let remarks = remarks.into_iter().take(MOST_REMARKS);
            remarks.for_each(|text| self.builder.remark(op, text.into()));
        }
        time.map(Reading::Whole).into_iter().for_each(|time| self.builder.reading(time));
        Ok(())
    }

    /// The call or the end of an operation.
    fn operation(&mut self, mut event: Event, open: Option<RawId>) -> Result<(), Sentence> {
        let object = self.object(&mut event);
        if event.kind == Type::Invoke {
            return self.invoke(event, object);
        }
        let Some(open) = open else {
            let kind = event.kind.name();
            return Err(format!(
                "{kind} of process {}, which has no open operation",
                event.process
            ));
        };
        let called = self.builder.op(open).name;
        let meaning = self.rules.meaning;
        if called != meaning.and_then(|meaning| meaning.name(&event.f)).unwrap_or(&event.f) {
            let Event { process, f, .. } = &event;
            return Err(format!("process {process} ends {f:?}, but has called {called:?}"));
        }
        let end = match event.kind {
            Type::Ok => End::Returned(self.result(open, &event)?),
            Type::Fail if self.rules.failed_cas_proves && called == "cas" => {
                End::Returned(Some(Value::Bool(false)))
            }
            Type::Fail => End::Failed,
            Type::Info | Type::Invoke => End::Lost,
        };
        self.builder
            .end(event.line, open, end)
            .map_err(|before| format!("it has already ended on line {before}"))
    }

    /// Removes the object from the value, if values are tuples.
    fn object(&self, event: &mut Event) -> Option<Value> {
        let Value::List(items) = &event.value else { return None };
        let [object, value] = &**items else { return None };
        if !self.rules.keyed {
            return None;
        }
        let object = object.clone();
        event.value = value.clone();
        Some(object)
    }

    fn invoke(&mut self, event: Event, object: Option<Value>) -> Result<(), Sentence> {
        if let Some(meaning) = self.rules.meaning {
            let (name, args) = meaning.call(&event.f, &event.value)?;
            let details = Details { object, ..Details::by(event.process) };
            self.builder.call(event.line, name, args, details)?;
            return Ok(());
        }
        let mut args: Vec<Value> = event.key.into_iter().collect();
        match &*event.f {
            "cas" => match &event.value {
                Value::List(pair) if pair.len() == 2 => args.extend_from_slice(pair),
                other => return Err(format!("a cas has the value [expected new], not {other}")),
            },
            "txn" => args.push(steps(&event.value)?.0),
            f if GIVES.contains(&f) => {}
            _ => args.extend(Some(event.value).filter(|value| *value != Value::Nil)),
        }
        let details = Details { object, ..Details::by(event.process) };
        self.builder.call(event.line, &event.f, args, details)?;
        Ok(())
    }

    /// The result of a successful operation; `None` if it is unknown or has no information.
    fn result(&mut self, open: RawId, event: &Event) -> Result<Option<Value>, Sentence> {
        if let Some(meaning) = self.rules.meaning {
            return meaning.result(&event.f, &event.value);
        }
        let called = self.builder.op(open);
        let value = &event.value;
        Ok(match called.name {
            "read" if *value == Value::Nil && self.rules.nil_reads_fit => None,
            "cas" => Some(Value::Bool(true)),
            "txn" => {
                let (again, reads) = steps(value)?;
                if called.args.first() != Some(&again) {
                    return Err("the steps of the txn are not those of its call".to_owned());
                }
                let unknown = reads.iter().any(Value::is_unknown);
                let one_step = matches!(&again, Value::List(steps) if steps.len() == 1);
                let result = match &reads[..] {
                    [] => None,
                    [read] if one_step => Some(read.clone()).filter(|read| !read.is_unknown()),
                    _ => Some(Value::List(reads.into())),
                };
                if unknown && result.is_some() {
                    self.builder.count_partly_unknown();
                }
                result
            }
            name if GIVES.contains(&name) => Some(value.clone()),
            // Most repeat their argument.
            _ if *value == Value::Nil || called.args.last() == Some(value) => None,
            _ => Some(value.clone()),
        })
    }
}

/// An event that is not of an operation. Those of a nemesis begin and end faults; what a client has to say is a message.
fn aside(event: Event) -> Aside {
    let is_of_client = event.is_of_client();
    let Event { line, process, f, value, time, .. } = event;
    let detail = Some(value).filter(|value| *value != Value::Nil);
    let (lane, name, mark) = match is_of_client {
        true => ("events".to_owned(), format!("{process} {f}"), Mark::Moment),
        false => {
            let lane = process.bare();
            let lane = lane.strip_prefix(':').unwrap_or(&lane);
            (lane.to_owned(), f.into(), Mark::Named)
        }
    };
    let detail = detail.map(|value| value.bare());
    let time = time.map(Reading::Whole);
    Aside { line, lane, name, detail, mark, time, ..Aside::default() }
}

/// The steps of a transaction in the form of the model, and the values its reads saw; nil matches
/// anything.
fn steps(value: &Value) -> Result<(Value, Vec<Value>), Sentence> {
    let bad = |step: &Value| {
        let text = shown(step.to_string().as_bytes());
        format!("a step of a txn is [:read key value] or [:write key value], not {text}")
    };
    let Value::List(list) = value else { return Err(bad(value)) };
    let (mut steps, mut reads) = (Vec::new(), Vec::new());
    for step in list.iter() {
        let Value::List(parts) = step else { return Err(bad(step)) };
        let [Value::Str(f), key, value] = &**parts else { return Err(bad(step)) };
        // JSON has no keywords.
        steps.push(Value::List(match f.trim_start_matches(':') {
            "read" | "r" => {
                let known = if *value == Value::Nil { Value::unknown() } else { value.clone() };
                reads.push(known);
                Thin::from([Value::str("read"), key.clone()])
            }
            "write" | "w" => Thin::from([Value::str("write"), key.clone(), value.clone()]),
            _ => return Err(bad(step)),
        }));
    }
    Ok((Value::List(steps.into()), reads))
}
