//! Writes events as Jepsen records them: EDN maps, lines of a log, and Porcupine's logs.

use std::io::Write;

use super::{GIVES, Type};
use crate::raw::{Fault, Lasting, Moment, Reading, Unit, functions};
use crate::write::{
    Call, Ending, FaultPart, Header, Successors, WriteError, Writer, Written, cannot, edn, shown,
};
use crate::{Thin, Value};

/// The syntax of events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Style {
    /// Maps, one per line.
    Edn,
    /// Lines of a Jepsen log.
    Log,
    /// Porcupine's logs of a key-value store.
    Porcupine,
}

/// Writes a line for each event.
pub(crate) struct Events<'w> {
    out: Box<dyn Write + 'w>,
    line: Vec<u8>,
    style: Style,
    /// True for transactions, which have several registers.
    transactions: bool,
    processes: Successors,
    unit: Option<Unit>,
}

impl<'w> Events<'w> {
    pub(crate) fn new(out: Box<dyn Write + 'w>, style: Style) -> Self {
        let processes = Successors::default();
        Events { out, line: Vec::new(), style, transactions: false, processes, unit: None }
    }

    fn event(&mut self, kind: Type, call: &Call<'_>, value: Value) -> Written {
        let process = self.processes.of(call.process.unwrap_or_default());
        let (kind, f) = (kind.name(), if self.transactions { "txn" } else { call.name });
        if f.is_empty() || f.contains(|c: char| !c.is_alphanumeric() && !"-_*!?.".contains(c)) {
            return cannot(format!("{f:?} cannot be the name of a function"));
        }
        let value = match call.object {
            Some(_) if self.style != Style::Edn => {
                return cannot("this format supports one object per file");
            }
            Some(object) => Value::List([object.clone(), value].into()),
            None => value,
        };
        let line = &mut self.line;
        match self.style {
            Style::Log => {
                let _ = write!(line, "INFO  jepsen.util - {process}\t{kind}\t:{f}\t");
                edn(&value, line)?;
            }
            Style::Edn => {
                let _ = write!(line, "{{:process {process}, :type {kind}, :f :{f}, :value ");
                if self.transactions {
                    steps(&value, line)?
                } else {
                    edn(&value, line)?
                };
                let clock = if kind == Type::Invoke.name() { call.clock.0 } else { call.clock.1 };
                time(clock, self.unit, line);
                line.push(b'}');
            }
            Style::Porcupine => {
                let _ = write!(line, "{{:process {process}, :type {kind}, :f :{f}, :key ");
                plain(call.args.first().unwrap_or(&Value::Nil), line)?;
                line.extend(b", :value ");
                match value {
                    Value::Nil => line.extend(b"nil"),
                    value => plain(&value, line)?,
                }
                line.push(b'}');
            }
        }
        line.push(b'\n');
        self.out.write_all(line)?;
        self.line.clear();
        Ok(())
    }

    /// The value with which an operation is called.
    fn argument(&self, call: &Call<'_>) -> Result<Value, WriteError> {
        if self.transactions {
            return transaction(call, None);
        }
        match (call.name, call.args) {
            ("cas", [_, _]) if self.style != Style::Porcupine => Ok(list(call.args)),
            ("get", [_]) if self.style == Style::Porcupine => Ok(Value::Nil),
            (_, [_, value]) if self.style == Style::Porcupine => Ok(value.clone()),
            (_, []) if self.style != Style::Porcupine => Ok(Value::Nil),
            (_, [value]) if self.style != Style::Porcupine => Ok(value.clone()),
            _ => {
                let what = shown(call.name, call.args);
                let arguments = call.args.len();
                cannot(format!(
                    "{what}: there is room for one value, not for {arguments} arguments"
                ))
            }
        }
    }

    /// The value with which it returns.
    fn result(&self, call: &Call<'_>, result: Option<&Value>) -> Result<Value, WriteError> {
        let what = || shown(call.name, call.args);
        if self.transactions {
            return transaction(call, result);
        }
        match (call.name, result) {
            ("cas", Some(Value::Bool(true))) => self.argument(call),
            ("cas", Some(_)) => cannot(format!(
                "{} found another value, which edn cannot express: there, :fail means that it did not happen",
                what()
            )),
            ("cas", None) => cannot(format!("{}: its result is unknown", what())),
            ("read", None) if self.style == Style::Edn => Ok(Value::Nil),
            ("read", Some(Value::Nil)) if self.style == Style::Edn => cannot(format!(
                "{} gave nil, which edn cannot express: there, nil matches any value",
                what()
            )),
            (name, None) if GIVES.contains(&name) => {
                cannot(format!("{}: its result is unknown", what()))
            }
            (_, Some(result)) => Ok(result.clone()),
            // Most repeat their argument.
            (_, None) => self.argument(call),
        }
    }
}

/// The clock in nanoseconds, if the unit is known.
fn time(clock: Option<Reading>, unit: Option<Unit>, line: &mut Vec<u8>) {
    let scale = match unit {
        Some(Unit::Nanoseconds) => 1,
        Some(Unit::Microseconds) => 1_000,
        Some(Unit::Milliseconds) => 1_000_000,
        Some(Unit::Seconds) => 1_000_000_000,
        None => return,
    };
    let nanoseconds = match clock {
        Some(Reading::Whole(n)) => n.checked_mul(scale),
        Some(Reading::Float(x)) => Some((x * scale as f64).round() as u64),
        None => None,
    };
    if let Some(n) = nanoseconds {
        let _ = write!(line, ", :time {n}");
    }
}

/// A text as the name of a keyword.
fn keyword(text: &str) -> String {
    let fits = |c: char| if c.is_alphanumeric() || "-_*!?.".contains(c) { c } else { '-' };
    match text {
        "" => "event".to_owned(),
        text => text.chars().map(fits).collect(),
    }
}

fn list(items: &[Value]) -> Value {
    Value::List(items.iter().cloned().collect())
}

/// A string as Porcupine reads it: without escapes.
fn plain(value: &Value, line: &mut Vec<u8>) -> Written {
    match value {
        Value::Str(text) if !text.contains(['"', '\n', '\r', '\\']) => {
            line.push(b'"');
            line.extend(text.as_bytes());
            line.push(b'"');
            Ok(())
        }
        other => {
            cannot(format!("porcupine has strings without quotes and escapes only, not {other}"))
        }
    }
}

/// The steps of a transaction, with the values its reads saw, where known.
fn transaction(call: &Call<'_>, result: Option<&Value>) -> Result<Value, WriteError> {
    let bad =
        || WriteError::Cannot(format!("{} is not a transaction", shown(call.name, call.args)));
    let one;
    let steps: &[Value] = match (call.name, call.args) {
        ("read" | "write", args) => {
            let name = [Value::str(call.name)];
            one = [Value::List(name.iter().chain(args).cloned().collect())];
            &one
        }
        ("txn", [Value::List(steps)]) => steps,
        _ => return Err(bad()),
    };
    let mut seen = match result {
        Some(Value::List(values)) if steps.len() != 1 => values.iter(),
        Some(value) => std::slice::from_ref(value).iter(),
        None => [].iter(),
    };
    let mut written = Vec::new();
    for step in steps {
        let Value::List(parts) = step else { return Err(bad()) };
        let step: Thin<[Value]> = match &**parts {
            [Value::Str(name), key] if &**name == "read" => {
                let saw = seen.next().filter(|value| !value.is_unknown());
                [Value::str(READ), key.clone(), saw.cloned().unwrap_or_default()].into()
            }
            [Value::Str(name), key, value] if &**name == "write" => {
                [Value::str(WRITE), key.clone(), value.clone()].into()
            }
            _ => return Err(bad()),
        };
        written.push(Value::List(step));
    }
    Ok(Value::List(written.into()))
}

const READ: &str = ":read";
const WRITE: &str = ":write";

/// Appends a value in which the function of a step is a keyword, and other texts are strings.
fn steps(value: &Value, line: &mut Vec<u8>) -> Written {
    let Value::List(items) = value else { return edn(value, line) };
    line.push(b'[');
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            line.push(b' ');
        }
        match (item, items.len()) {
            (Value::Str(word), 3) if i == 0 && matches!(&**word, READ | WRITE) => {
                line.extend(word.as_bytes());
            }
            (Value::List(_), _) => steps(item, line)?,
            _ => edn(item, line)?,
        }
    }
    line.push(b']');
    Ok(())
}

impl Writer for Events<'_> {
    fn begin(&mut self, header: &Header<'_>) -> Written {
        let model = header.model.map_or("", |model| &model.name);
        self.transactions = model == "multi-register" && self.style == Style::Edn;
        let fits = match self.style {
            Style::Edn => true,
            Style::Log => matches!(model, "register" | "cas-register"),
            Style::Porcupine => model == "kv",
        };
        if !fits {
            let (format, only) = match self.style {
                Style::Porcupine => ("porcupine", "kv"),
                _ => ("jepsen-log", "cas-register"),
            };
            let model = if model.is_empty() { "a history without a model" } else { model };
            return cannot(format!("{format} cannot express {model}: it is always a {only}"));
        }
        self.processes = Successors::from(header.processes);
        self.unit = header.unit;
        Ok(())
    }

    fn call(&mut self, call: &Call<'_>) -> Written {
        if self.style == Style::Porcupine && !matches!(call.name, "get" | "put" | "append") {
            let what = shown(call.name, call.args);
            return cannot(format!("porcupine has no {what}: only get, put and append"));
        }
        if self.style == Style::Log && !matches!(call.name, "read" | "write" | "cas") {
            let what = shown(call.name, call.args);
            return cannot(format!("jepsen-log has no {what}: only read, write and cas"));
        }
        // The argument of a read has no meaning.
        let argument = self.argument(call)?;
        self.event(Type::Invoke, call, argument)
    }

    fn end(&mut self, call: &Call<'_>, ending: Ending<'_>) -> Written {
        match (ending, self.style) {
            (Ending::Returned { result: Some(Value::Bool(false)), .. }, Style::Log)
                if call.name == "cas" =>
            {
                let argument = self.argument(call)?;
                self.event(Type::Fail, call, argument)
            }
            (Ending::Returned { result, .. }, _) => {
                let result = self.result(call, result)?;
                self.event(Type::Ok, call, result)
            }
            (Ending::Lost, Style::Porcupine) => {
                self.processes.retire(call.process.unwrap_or_default());
                Ok(())
            }
            (Ending::Lost, _) => {
                let argument = self.argument(call)?;
                self.event(Type::Info, call, argument)
            }
            (Ending::Failed, Style::Edn) => {
                let argument = self.argument(call)?;
                self.event(Type::Fail, call, argument)
            }
            (Ending::Failed, _) => cannot("this format cannot express failed operations"),
        }
    }

    fn fault(&mut self, fault: &Fault, part: FaultPart) -> Written {
        if self.style != Style::Edn {
            return Ok(());
        }
        let name = keyword(&fault.name);
        let (begins, ends) = functions(&name);
        let (function, clock) = match (part, fault.end) {
            (FaultPart::End, Lasting::Until(Moment { time, .. })) => (ends, time),
            (_, Lasting::Moment) => (name, fault.begin.time),
            _ => (begins, fault.begin.time),
        };
        let detail = fault.detail.as_deref().filter(|_| part != FaultPart::End);
        let line = &mut self.line;
        let lane = keyword(&fault.lane);
        let _ = write!(line, "{{:process :{lane}, :type :info, :f :{function}, :value ");
        edn(&detail.map_or(Value::Nil, Value::str), line)?;
        time(clock, self.unit, line);
        line.extend(b"}\n");
        self.out.write_all(line)?;
        self.line.clear();
        Ok(())
    }

    fn finish(&mut self) -> Written {
        Ok(self.out.flush()?)
    }
}
