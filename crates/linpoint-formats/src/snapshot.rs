//! The snapshot histories of the DISC 2022 paper on verifying snapshot implementations.
//!
//! ```text
//! startScan!4;startUpdate!0,7;endUpdate!0,7;endScan!4,7,0;
//! ```
//!
//! An update by process p sets component p. A scan's result has components 0 and 1 only; the others
//! were not recorded. All components are 0 at first, and there is one for each process.

pub(crate) mod write;

use crate::model::ModelName;
use crate::raw::{Details, End, RawBuilder, RawHistory, Sink};
use crate::words::{parse_int, shown};
use crate::{Format, ReadError, Source, Value};

const EVENTS: &[&str] = &["startUpdate", "endUpdate", "startScan", "endScan"];

/// True if the input begins with one of the events.
pub(crate) fn recognises(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    EVENTS
        .iter()
        .any(|event| text.strip_prefix(event.as_bytes()).is_some_and(|rest| rest.starts_with(b"!")))
}

/// Reads a history.
pub(crate) fn read(source: &Source) -> Result<RawHistory, ReadError> {
    let mut reader =
        Reader { source, builder: RawBuilder::new(), line: 1, column: 1, processes: 2 };
    let mut rest = source.text();
    while !reader.skip_blanks(&mut rest) {
        let Some(end) = memchr::memchr(b';', rest) else {
            return Err(reader
                .wrong("the file ends inside an event")
                .help("every event ends in ;"));
        };
        reader.event(&rest[..end])?;
        reader.column += end + 1;
        rest = &rest[end + 1..];
    }
    let segments = reader.processes;
    let mut history = reader.builder.finish(Format::Snapshot);
    history.model = ModelName::parse(&format!("snapshot:segments={segments},initial=0")).ok();
    Ok(history)
}

struct Reader<'a> {
    source: &'a Source,
    builder: RawBuilder,
    line: u32,
    column: usize,
    /// One more than the largest process, and at least two, the number of components in a scan.
    processes: i64,
}

impl Reader<'_> {
    /// True if nothing is left.
    fn skip_blanks(&mut self, rest: &mut &[u8]) -> bool {
        while let [first, more @ ..] = *rest {
            match first {
                b'\n' => (self.line, self.column) = (self.line.saturating_add(1), 1),
                b if b.is_ascii_whitespace() => self.column += 1,
                _ => return false,
            }
            *rest = more;
        }
        true
    }

    fn wrong(&self, message: impl Into<String>) -> ReadError {
        ReadError::new(self.source, message).at(self.source, self.line, self.column)
    }

    fn event(&mut self, event: &[u8]) -> Result<(), ReadError> {
        let mut parts = event.splitn(2, |b| *b == b'!');
        let (name, values) = (parts.next().unwrap_or_default(), parts.next());
        let known = EVENTS.iter().find(|known| known.as_bytes() == name);
        let (Some(&name), Some(values)) = (known, values) else {
            let message = format!("{} is not an event", shown(event));
            return Err(self.wrong(message).help(format!("the events are {}", EVENTS.join(", "))));
        };
        let numbers = values.split(|b| *b == b',').map(|word| {
            let word = word.trim_ascii();
            parse_int(word)
                .ok_or_else(|| self.wrong(format!("{} is not a whole number", shown(word))))
        });
        let numbers = numbers.collect::<Result<Vec<i64>, ReadError>>()?;
        match (name, &numbers[..]) {
            ("startUpdate", &[p, v]) => self.call(p, "update", vec![Value::Int(p), Value::Int(v)]),
            ("startScan", &[p]) => self.call(p, "scan", Vec::new()),
            ("endUpdate", &[p, v]) => self.end(p, "update", Err(v)),
            ("endScan", &[p, i, j]) => {
                self.end(p, "scan", Ok(Value::List([Value::Int(i), Value::Int(j)].into())))
            }
            _ => {
                let form = match name {
                    "startScan" => "startScan!process",
                    "endScan" => "endScan!process,component 0,component 1",
                    name => {
                        return Err(self.wrong(format!("{name} has the form {name}!process,value")));
                    }
                };
                Err(self.wrong(format!("{name} has the form {form}")))
            }
        }
    }

    fn call(&mut self, process: i64, name: &str, args: Vec<Value>) -> Result<(), ReadError> {
        if process < 0 {
            return Err(self.wrong("a process is numbered from 0 on"));
        }
        self.processes = self.processes.max(process.saturating_add(1));
        let details = Details::by(Value::Int(process));
        let called = self.builder.call(self.line, name, args, details);
        called.map(|_| ()).map_err(|message| self.wrong(message))
    }

    /// `result` is that of a scan, or the value that an update repeats.
    fn end(
        &mut self,
        process: i64,
        name: &str,
        result: Result<Value, i64>,
    ) -> Result<(), ReadError> {
        let open = self.builder.open_of(&Value::Int(process));
        let open = open.filter(|open| self.builder.op(*open).name == name);
        let Some(open) = open else {
            return Err(self.wrong(format!("process {process} has no open {name}")));
        };
        if let (Err(again), Some(Value::Int(written))) =
            (&result, self.builder.op(open).args.last())
            && again != written
        {
            return Err(self.wrong(format!("the update was of {written}, not {again}")));
        }
        self.builder
            .end(self.line, open, End::Returned(result.ok()))
            .map_err(|before| self.wrong(format!("it has already ended on line {before}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(text: &str) -> Result<RawHistory, String> {
        read(&Source::new("h", text)).map_err(|e| e.to_string())
    }

    #[test]
    fn events_become_operations() {
        let text = "startScan!4;startUpdate!0,7;endUpdate!0,7;endScan!4,7,0;\nstartScan!1;";
        assert!(recognises(text.as_bytes()));
        let history = history(text).unwrap();
        let ops: Vec<String> = history
            .ops
            .iter()
            .map(|op| format!("{}{:?} {:?} {}", op.name, op.args, op.result, op.line))
            .collect();
        assert_eq!(ops, ["scan[] Some([7, 0]) 1", "update[0, 7] None 1", "scan[] None 2"]);
        assert_eq!(history.model.unwrap().to_string(), "snapshot:segments=5,initial=0");
    }

    #[test]
    fn errors_have_a_position() {
        for (text, message) in [
            ("startScan!1;endScan!1,0", "h:1:13: the file ends inside an event"),
            ("startScan!1;scan!1;", "h:1:13: \"scan!1\" is not an event"),
            ("startScan;", "h:1:1: \"startScan\" is not an event"),
            ("startScan!x;", "h:1:1: \"x\" is not a whole number"),
            ("startScan!1,2;", "h:1:1: startScan has the form startScan!process"),
            (
                "startScan!1;endScan!1,2;",
                "h:1:13: endScan has the form endScan!process,component 0,component 1",
            ),
            ("startUpdate!1;", "h:1:1: startUpdate has the form startUpdate!process,value"),
            ("startScan!-1;", "h:1:1: a process is numbered from 0 on"),
            ("endScan!1,0,0;", "h:1:1: process 1 has no open scan"),
            ("startScan!1;\nendUpdate!1,0;", "h:2:1: process 1 has no open update"),
            ("startUpdate!1,5;endUpdate!1,6;", "h:1:17: the update was of 5, not 6"),
            (
                "startScan!1;startScan!1;",
                "h:1:13: process 1 calls while its \"scan\" from line 1 is still open",
            ),
        ] {
            let error = history(text).err().unwrap();
            assert_eq!(error.lines().next(), Some(message), "in full:\n{error}");
        }
    }
}
