//! The text formats of fastlin, PolyLin and FPTLin: one operation per line, in any order.
//!
//! ```text
//! # queue           # stack
//! enq 2 0 1         0 1 5 PUSH 1
//! deq 2 2 3         2 3 7 POP 2
//! ```
//!
//! The first line names the type. On the left: method, values, start, end. On the right, FPTLin:
//! process, start, end, method, values. -1 is the result of an empty container. The lines of a set
//! have the result after the value, except fastlin's own: `insert v`, `contains_true v`. Every
//! operation is complete, and one that ends when another starts precedes it. Histories in these
//! formats are the longest of all: plain ones take the fast path (`stream.rs`), where a line takes
//! a few dozen nanoseconds.

pub(crate) mod stream;

pub(crate) mod write;

use linpoint::history::Ties;

use crate::model::ModelName;
use crate::raw::{Clock, Details, NameId, RawBuilder, RawHistory};
use crate::words::{Words, column_of, parse_int, shown};
use crate::{Format, RawError, ReadError, Source, Value};
use linpoint::wire::Part;

/// A type of object.
struct Kind {
    /// Its names in the first line.
    headers: &'static [&'static str],
    /// The model, with its options.
    model: &'static str,
    /// Method, name in the model, values.
    methods: &'static [(&'static str, &'static str, Values)],
}

/// The meaning of the values of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Values {
    /// `v`: the argument.
    Argument,
    /// `v`: the result, -1 for nothing.
    Result,
    /// `v r`: the argument, and 1 or 0 for true or false.
    ArgumentAndTruth,
    /// `v`: the argument; the method implies this result.
    ArgumentOf(bool),
    /// `1`: no meaning.
    One,
    /// `r`: 1 or 0 for true or false.
    Truth,
    /// `r w`: the result, and the argument.
    ResultAndArgument,
}

use Values::{
    Argument, ArgumentAndTruth, ArgumentOf, One, Result as Gives, ResultAndArgument, Truth,
};

const KINDS: &[Kind] = &[
    Kind {
        headers: &["stack"],
        model: "stack",
        methods: &[("push", "push", Argument), ("pop", "pop", Gives), ("peek", "peek", Gives)],
    },
    Kind {
        headers: &["queue"],
        model: "queue",
        methods: &[
            ("enq", "enqueue", Argument),
            ("deq", "dequeue", Gives),
            ("peek", "peek", Gives),
        ],
    },
    Kind {
        headers: &["deque"],
        model: "deque",
        methods: &[
            ("push_front", "push_front", Argument),
            ("push_back", "push_back", Argument),
            ("pop_front", "pop_front", Gives),
            ("pop_back", "pop_back", Gives),
            ("peek_front", "peek_front", Gives),
            ("peek_back", "peek_back", Gives),
        ],
    },
    Kind {
        headers: &["priorityqueue", "pqueue"],
        model: "priority-queue:max",
        methods: &[
            ("insert", "insert", Argument),
            ("poll", "poll", Gives),
            ("peek", "peek", Gives),
        ],
    },
    Kind {
        headers: &["set"],
        model: "set",
        methods: &[
            ("insert", "insert", ArgumentAndTruth),
            ("remove", "remove", ArgumentAndTruth),
            ("contains", "contains", ArgumentAndTruth),
        ],
    },
    Kind {
        headers: &["semaphore"],
        model: "semaphore:initial=0",
        methods: &[("incr", "release", One), ("decr", "try_acquire", Truth)],
    },
    Kind {
        headers: &["rmw"],
        model: "rmw:initial=0",
        methods: &[("read_modify_write", "swap", ResultAndArgument)],
    },
];

/// fastlin's own set, whose lines have no result: inserts and removes always succeed.
const SET_WITHOUT_RESULTS: Kind = Kind {
    headers: &["set"],
    model: "set",
    methods: &[
        ("insert", "insert", ArgumentOf(true)),
        ("remove", "remove", ArgumentOf(true)),
        ("contains_true", "contains", ArgumentOf(true)),
        ("contains_false", "contains", ArgumentOf(false)),
    ],
};

/// True if a line has as many words as those of [`SET_WITHOUT_RESULTS`].
fn lacks_result(line: &[u8]) -> bool {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count() == 4
}

/// True if a word equals this name, ignoring case. Names are in lower case.
#[inline]
fn same(word: &[u8], name: &str) -> bool {
    word.len() == name.len()
        && word.iter().zip(name.as_bytes()).all(|(a, b)| a.to_ascii_lowercase() == *b)
}

/// Which of the two formats the input has, if any.
pub(crate) fn recognises(text: &[u8]) -> Option<Format> {
    let mut lines = text.split(|b| *b == b'\n').map(<[u8]>::trim_ascii).filter(|l| !l.is_empty());
    let mut line = lines.next()?;
    if let Some(header) = line.strip_prefix(b"#") {
        let word = header.trim_ascii();
        if !KINDS.iter().any(|kind| kind.headers.iter().any(|header| same(word, header))) {
            return None;
        }
        match lines.next() {
            Some(first) => line = first,
            None => return Some(Format::Fastlin),
        }
        let begins_with_a_number = line.first().is_some_and(u8::is_ascii_digit);
        return Some(if begins_with_a_number { Format::Fptlin } else { Format::Fastlin });
    }
    let words: Vec<&[u8]> =
        line.split(u8::is_ascii_whitespace).filter(|w| !w.is_empty()).take(5).collect();
    let method = |word: &[u8]| {
        KINDS.iter().any(|kind| kind.methods.iter().any(|(method, ..)| same(word, method)))
    };
    let numbers = |words: &[&[u8]]| words.iter().all(|word| parse_int(word).is_some());
    match words[..] {
        [a, b, c, name, _] if numbers(&[a, b, c]) && method(name) => Some(Format::Fptlin),
        [name, a, b, c, ..] if numbers(&[a, b, c]) && method(name) => Some(Format::Fastlin),
        _ => None,
    }
}

/// The column of a part of an operation on a line.
pub(crate) fn locate(format: Format, line: &[u8], part: Part) -> Option<usize> {
    let method = if format == Format::Fptlin { 3 } else { 0 };
    column_of(line, if part == Part::Name { method } else { method + 1 })
}

/// Reads a history. Without a header, `model` determines the type.
pub(crate) fn read(
    format: Format,
    source: &Source,
    model: Option<&ModelName>,
) -> Result<RawHistory, ReadError> {
    let mut builder = RawBuilder::new();
    let mut first = source.lines().filter(|(_, line)| !line.trim_ascii().is_empty());
    let mut header_line = 0;
    let kind = match first.next() {
        None => return Ok(builder.finish(format)),
        Some((number, line)) if line.trim_ascii_start().starts_with(b"#") => {
            header_line = number;
            header(source, number, line)?
        }
        Some((number, _)) => kind_of(model).ok_or_else(|| {
            ReadError::new(source, "the header is missing")
                .at_line(source, number)
                .help(format!("the first line names the type: {}", types()))
        })?,
    };
    let mut rest = source.lines().skip(header_line as usize).map(|(_, line)| line);
    let first = rest.find(|line| !line.trim_ascii().is_empty());
    let kind = match first {
        Some(line) if kind.model == "set" && format == Format::Fastlin && lacks_result(line) => {
            &SET_WITHOUT_RESULTS
        }
        _ => kind,
    };
    let names = kind.methods.iter().map(|(_, name, _)| builder.name(name));
    let names: Vec<NameId> =
        names.collect::<Result<_, RawError>>().map_err(|error| ReadError::new(source, error))?;
    let reader = Reader { format, kind, names };
    for (number, line) in source.lines().skip(header_line as usize) {
        reader.line(&mut builder, Words::new(source, number, line), number)?;
    }
    let mut history = builder.finish(format);
    history.model = ModelName::parse(kind.model).ok();
    history.ties = Ties::Ordered;
    history.clock = Clock::Whole;
    Ok(history)
}

fn types() -> String {
    let names: Vec<String> =
        KINDS.iter().flat_map(|kind| kind.headers).map(|name| format!("# {name}")).collect();
    names.join(", ")
}

fn kind_of(model: Option<&ModelName>) -> Option<&'static Kind> {
    kind_named(&model?.name)
}

fn kind_named(model: &str) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.model.split(':').next() == Some(model))
}

/// The model of this name with the options of this format.
pub(crate) fn model_of(name: &str) -> Option<&'static str> {
    kind_named(name).map(|kind| kind.model)
}

/// The type that a header names.
fn header_kind(word: &[u8]) -> Option<&'static Kind> {
    KINDS.iter().find(|kind| kind.headers.iter().any(|header| same(word, header)))
}

fn header(source: &Source, number: u32, line: &[u8]) -> Result<&'static Kind, ReadError> {
    let mut words = Words::new(source, number, line);
    let mut word = words.word();
    word = match word.strip_prefix(b"#") {
        Some(b"") | None => words.word(),
        Some(word) => word,
    };
    let kind = header_kind(word).ok_or_else(|| {
        words
            .expected("a type of object", word)
            .help(format!("the first line is one of {}", types()))
    })?;
    words.end()?;
    Ok(kind)
}

struct Reader {
    format: Format,
    kind: &'static Kind,
    /// Parallel to the methods of the kind.
    names: Vec<NameId>,
}

impl Reader {
    #[inline]
    fn line(
        &self,
        builder: &mut RawBuilder,
        mut words: Words<'_>,
        number: u32,
    ) -> Result<(), ReadError> {
        let mut details = Details::default();
        let (method, args, result, start, end);
        if words.is_blank() {
            return Ok(());
        }
        if self.format == Format::Fptlin {
            details = Details::by(Value::Int(words.int("a process")?));
            (start, end) = (words.time("a start")?, words.time("an end")?);
            self.in_order(&words, start, end)?;
            method = self.method(&mut words)?;
            (args, result) = self.values(&mut words, method)?;
        } else {
            method = self.method(&mut words)?;
            (args, result) = self.values(&mut words, method)?;
            (start, end) = (words.time("a start")?, words.time("an end")?);
            self.in_order(&words, start, end)?;
        }
        words.end()?;
        builder
            .interval(number, self.names[method], args, result, (start, Some(end)), details)
            .map_err(|message| words.wrong(message))
    }

    #[inline]
    fn in_order(&self, words: &Words<'_>, start: u64, end: u64) -> Result<(), ReadError> {
        if end < start {
            return Err(words.wrong("the operation ends before it starts"));
        }
        Ok(())
    }

    /// The position of the method in the list of the kind.
    #[inline]
    fn method(&self, words: &mut Words<'_>) -> Result<usize, ReadError> {
        let word = words.word();
        let known = self.kind.methods.iter().position(|(method, ..)| same(word, method));
        known.ok_or_else(|| {
            if word.starts_with(b"#") {
                return words.wrong("a second header: a file has one history");
            }
            let type_name = self.kind.headers[0];
            let methods: Vec<&str> = self.kind.methods.iter().map(|(method, ..)| *method).collect();
            words
                .wrong(format!("a {type_name} has no method {}", shown(word)))
                .help(format!("its methods are {}", methods.join(", ")))
        })
    }

    /// The argument and the result.
    #[inline]
    fn values(
        &self,
        words: &mut Words<'_>,
        method: usize,
    ) -> Result<(Option<Value>, Option<Value>), ReadError> {
        Ok(match self.kind.methods[method].2 {
            Argument => match words.int("a value")? {
                -1 => return Err(words.wrong("-1 cannot be added: it means \"empty\"")),
                value => (Some(Value::Int(value)), None),
            },
            Gives => match words.int("a value")? {
                -1 => (None, Some(Value::Nil)),
                value => (None, Some(Value::Int(value))),
            },
            ArgumentAndTruth => {
                let value = words.int("a value")?;
                (Some(Value::Int(value)), Some(truth(words)?))
            }
            ArgumentOf(result) => {
                (Some(Value::Int(words.int("a value")?)), Some(Value::Bool(result)))
            }
            Truth => (None, Some(truth(words)?)),
            One => match words.int("a value")? {
                1 => (None, None),
                _ => return Err(words.wrong("the value must be 1")),
            },
            ResultAndArgument => {
                let result = words.int("a value")?;
                (Some(Value::Int(words.int("a value")?)), Some(Value::Int(result)))
            }
        })
    }
}

fn truth(words: &mut Words<'_>) -> Result<Value, ReadError> {
    match words.int("a result")? {
        0 => Ok(Value::Bool(false)),
        1 => Ok(Value::Bool(true)),
        _ => Err(words.wrong("the result must be 1 (it did) or 0 (it did not)")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(text: &str) -> Result<RawHistory, String> {
        let source = Source::new("h.log", text);
        let format = Format::detect(&source).unwrap_or(Format::Fastlin);
        read(format, &source, None).map_err(|e| e.to_string())
    }

    fn words(text: &str) -> Vec<String> {
        let history = history(text).unwrap();
        let word = |op: crate::raw::RawOp<'_>| {
            format!("{}{:?} {:?} {}-{:?}", op.name, op.args, op.result, op.start, op.end)
        };
        history.ops.iter().map(word).collect()
    }

    #[test]
    fn lines_of_fastlin() {
        let text = "# queue\r\nenq 2 0 1\n\n  DEQ -1 2 3\npeek 2 4 5";
        assert_eq!(
            words(text),
            [
                "enqueue[2] None 0-Some(1)",
                "dequeue[] Some(null) 2-Some(3)",
                "peek[] Some(2) 4-Some(5)"
            ]
        );
        let history = history(text).unwrap();
        assert_eq!((history.format, history.ties), (Format::Fastlin, Ties::Ordered));
        assert_eq!(history.model.unwrap().to_string(), "queue");
        assert_eq!(history.ops.iter().map(|op| op.line).collect::<Vec<_>>(), [2, 4, 5]);
    }

    #[test]
    fn lines_of_fptlin() {
        let text = "# stack\n4 1 5 PUSH 1\n2 3 7 POP -1\n";
        assert_eq!(words(text), ["push[1] None 1-Some(5)", "pop[] Some(null) 3-Some(7)"]);
        let history = history(text).unwrap();
        assert_eq!(history.format, Format::Fptlin);
        let processes: Vec<_> = history.ops.iter().map(|op| op.extras.process).collect();
        assert_eq!(processes, [Some(4), Some(2)]);
    }

    #[test]
    fn every_type_has_its_values() {
        for (text, op) in [
            ("# deque\npush_front 1 0 1", "push_front[1] None 0-Some(1)"),
            ("# pqueue\npoll 4 0 1", "poll[] Some(4) 0-Some(1)"),
            ("# set\ninsert 4 0 0 1", "insert[4] Some(false) 0-Some(1)"),
            ("# set\ninsert 4 0 1", "insert[4] Some(true) 0-Some(1)"),
            ("# set\ncontains_false 4 0 1", "contains[4] Some(false) 0-Some(1)"),
            ("# semaphore\nincr 1 0 1", "release[] None 0-Some(1)"),
            ("# semaphore\ndecr 0 0 1", "try_acquire[] Some(false) 0-Some(1)"),
            ("# rmw\nread_modify_write 3 4 0 1", "swap[4] Some(3) 0-Some(1)"),
        ] {
            assert_eq!(words(text), [op]);
        }
    }

    #[test]
    fn a_model_stands_in_for_the_header() {
        let source = Source::new("h", "push 1 0 1\n");
        let model = ModelName::parse("stack").unwrap();
        assert_eq!(read(Format::Fastlin, &source, Some(&model)).unwrap().ops.len(), 1);
        assert_eq!(Format::detect(&source), Ok(Format::Fastlin));
        assert_eq!(Format::detect(&Source::new("h", "0 1 2 PUSH 1")), Ok(Format::Fptlin));
        assert!(read(Format::Fastlin, &source, None).is_err());
    }

    #[test]
    fn more_than_one_chunk() {
        let mut text = "# queue\n".to_owned();
        for i in 0..150_000 {
            text += &format!("enq {i} {i} {}\n", i + 1);
        }
        let history = history(&text).unwrap();
        assert_eq!(history.ops.len(), 150_000);
        assert!((0..).zip(history.ops.iter()).all(|(i, op)| {
            op.args == [Value::Int(i)] && op.line == i as u32 + 2 && op.start == i as u64
        }));
    }

    #[test]
    fn errors_have_a_position() {
        for (text, message) in [
            ("# heap\n", "h.log:1:3: \"heap\" is not a type of object"),
            ("# queue of 3", "h.log:1:9: \"of\" is not the end of the line"),
            ("push 1 2", "h.log:1: the header is missing"),
            ("# queue\nqne 1 2 3", "h.log:2:1: a queue has no method \"qne\""),
            ("# queue\n\nenq x 2 3", "h.log:3:5: \"x\" is not a value (a whole number)"),
            (
                "# queue\nenq 1 2",
                "h.log:2:8: the line ends where an end (a whole number) is expected",
            ),
            ("# queue\nenq 1 2 3 4", "h.log:2:11: \"4\" is not the end of the line"),
            ("# queue\nenq 1 -2 3", "h.log:2:7: a start is negative"),
            ("# queue\nenq 1 5 3", "h.log:2:9: the operation ends before it starts"),
            ("# queue\nenq -1 5 6", "h.log:2:5: -1 cannot be added: it means \"empty\""),
            (
                "# queue\nenq 9999999999999999999 5 6",
                "h.log:2:5: \"9999999999999999999\" is not a value (a whole number)",
            ),
            (
                "# set\ninsert 5 2 5 6",
                "h.log:2:10: the result must be 1 (it did) or 0 (it did not)",
            ),
            ("# semaphore\nincr 2 5 6", "h.log:2:6: the value must be 1"),
            ("# queue\nenq 1 5 6\n# queue\n", "h.log:3:1: a second header: a file has one history"),
            ("# stack\n1 5 3 PUSH 1", "h.log:2:5: the operation ends before it starts"),
            ("# stack\n1 5 7 ENQ 1", "h.log:2:7: a stack has no method \"ENQ\""),
        ] {
            let error = history(text).err().unwrap();
            assert_eq!(error.lines().next(), Some(message), "in full:\n{error}");
        }
    }
}
