//! The operations in a Jepsen log, as in the etcd histories that Porcupine is tested with.
//!
//! ```text
//! INFO  jepsen.util - 0    :invoke    :read    nil
//! INFO  jepsen.util - 2    :fail    :cas    [3 0]
//! INFO  jepsen.util - 1    :info    :write    :timed-out
//! ```
//!
//! One compare-and-set register that holds nil at first, so that a read of nil is a result. A
//! failed `:cas` has found a value other than the expected one; a failed read is dropped. Lines of
//! other loggers, and of processes that are not numbers, are drawn as events beside the operations.

use crate::edn::parser::Parser;
use crate::jepsen::{Event, Reader, Rules, Type};
use crate::model::ModelName;
use crate::raw::{RawHistory, Sink};
use crate::words::{Words, column_of, parse_int};
use crate::{Format, ReadError, Source, Value};
use linpoint::wire::Part;

const LEVELS: &[&[u8]] = &[b"INFO", b"WARN", b"ERROR", b"DEBUG"];

/// True if the first line is that of a log.
pub(crate) fn recognises(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    let line = &text[..memchr::memchr(b'\n', text).unwrap_or(text.len())];
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    words.next().is_some_and(|word| LEVELS.contains(&word))
        && words.next().is_some_and(|word| word.starts_with(b"jepsen"))
}

/// The column of a part of an operation on a line.
pub(crate) fn locate(line: &[u8], part: Part) -> Option<usize> {
    column_of(line, if part == Part::Name { 5 } else { 6 })
}

/// The rules for these logs.
pub(crate) const RULES: Rules =
    Rules { keyed: false, nil_reads_fit: false, failed_cas_proves: true, meaning: None };

/// The model of these logs.
pub(crate) fn model() -> Option<ModelName> {
    ModelName::parse("cas-register").ok()
}

/// Reads all remaining lines.
pub(crate) fn read_lines<B: Sink>(
    source: &Source,
    reader: &mut Reader<'_, B>,
) -> Result<(), ReadError> {
    for (number, line) in source.lines() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        match event(Words::new(source, number, line), number)? {
            Some(event) => reader.event(event)?,
            None => reader.message(number, &String::from_utf8_lossy(line.trim_ascii()))?,
        }
    }
    Ok(())
}

/// Reads a history.
pub(crate) fn read(source: &Source) -> Result<RawHistory, ReadError> {
    let mut reader = Reader::new(source, RULES);
    read_lines(source, &mut reader)?;
    let mut history = reader.finish(Format::JepsenLog);
    history.model = model();
    Ok(history)
}

/// The event of a line, if it has one.
fn event(mut words: Words<'_>, line: u32) -> Result<Option<Event>, ReadError> {
    let level = words.word();
    if !LEVELS.contains(&level) {
        let error = words.expected("a line of a Jepsen log", level);
        return Err(error.help("such a line is \"INFO  jepsen.util - 0 :invoke :read nil\""));
    }
    let logger = words.word();
    if logger.is_empty() {
        return Err(words.expected("the name of a logger", logger));
    }
    if logger != b"jepsen.util" {
        return Ok(None);
    }
    match words.word() {
        b"-" => {}
        word => return Err(words.expected("a dash", word)),
    }
    let process = words.word();
    let Some(process) = parse_int(process).map(Value::Int) else {
        // A line that is cut off right here is an error.
        return match process {
            b"" => Err(words.expected("a process", process)),
            _ => Ok(None),
        };
    };
    let word = words.word();
    let kind = std::str::from_utf8(word).ok().and_then(Type::from_keyword);
    let Some(kind) = kind else {
        return Err(words.expected(":invoke, :ok, :fail or :info", word));
    };
    let word = words.word();
    let f = std::str::from_utf8(word).ok().and_then(|word| word.strip_prefix(':'));
    let Some(f) = f.filter(|f| !f.is_empty()) else {
        return Err(words.expected("a function such as :read", word));
    };
    let (text, column) = words.rest();
    let mut parser = Parser::new(text, true);
    let value = parser.value(0).map_err(|wrong| {
        let what = if text.is_empty() {
            "the line ends where a value is expected".to_owned()
        } else {
            wrong.message
        };
        words.wrong(what)
    })?;
    if parser.peek().is_some() {
        return Err(words.wrong("more than one value"));
    }
    let (f, key, time, remarks) = (f.into(), None, None, Default::default());
    Ok(Some(Event { line, column, process, kind, f, key, value, time, remarks }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(text: &str) -> Result<RawHistory, String> {
        read(&Source::new("h.log", text)).map_err(|e| e.to_string())
    }

    #[test]
    fn the_rules_of_the_etcd_logs() {
        let text = "INFO  jepsen.util - 0\t:invoke\t:read\tnil
INFO  jepsen.util - 1    :invoke   :cas    [3 0]
INFO  jepsen.core - something else
INFO  jepsen.util - :nemesis :info :start nil
INFO  jepsen.util - 0\t:ok\t:read\tnil
INFO  jepsen.util - 1\t:fail\t:cas\t[3 0]
INFO  jepsen.util - 0\t:invoke\t:read\tnil
INFO  jepsen.util - 0\t:fail\t:read\t:timed-out
INFO  jepsen.util - 1\t:invoke\t:write\t4
INFO  jepsen.util - 1\t:info\t:write\t:timed-out
";
        let history = history(text).unwrap();
        let ops: Vec<String> = history
            .ops
            .iter()
            .map(|op| format!("{} {:?} {:?} {}", op.name, op.args, op.result, op.end.is_some()))
            .collect();
        assert_eq!(
            ops,
            ["read [] Some(null) true", "cas [3, 0] Some(false) true", "write [4] None false"]
        );
        assert_eq!(history.faults.len(), 2);
    }

    #[test]
    fn errors_have_a_position() {
        let first = |text: &str| history(text).err().unwrap().lines().next().unwrap().to_owned();
        for (text, message) in [
            (
                "INFO  jepsen.util - 0",
                "h.log:1:22: the line ends where :invoke, :ok, :fail or :info is expected",
            ),
            (
                "INFO  jepsen.util - 0 :invo :read nil",
                "h.log:1:23: \":invo\" is not :invoke, :ok, :fail or :info",
            ),
            (
                "INFO  jepsen.util - 0 :ok read 3",
                "h.log:1:27: \"read\" is not a function such as :read",
            ),
            (
                "INFO  jepsen.util - 0 :ok :read",
                "h.log:1:32: the line ends where a value is expected",
            ),
            (
                "INFO  jepsen.util - 0 :ok :read [1",
                "h.log:1:33: '[' is never closed: the file is cut off",
            ),
            ("INFO  jepsen.util - 0 :ok :read 1 2", "h.log:1:33: more than one value"),
            ("\nhello", "h.log:2:1: \"hello\" is not a line of a Jepsen log"),
            (
                "INFO  jepsen.util - 0 :ok :read 1",
                "h.log:1:33: :ok of process 0, which has no open operation",
            ),
        ] {
            assert_eq!(first(text), message, "{text}");
        }
    }
}
