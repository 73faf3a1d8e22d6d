//! The text of fastlin and PolyLin, and that of FPTLin: a line an operation, in any order.
//!
//! ```text
//! # queue           # stack
//! enq 2 0 1         0 1 5 PUSH 1
//! deq 2 2 3         2 3 7 POP 2
//! ```
//!
//! The first line names the type. On the left: method, values, start, end. On the right, FPTLin:
//! process, start, end, method, values. -1 is what an empty container gives. Every operation is complete, and
//! one that ends when another starts precedes it. Histories in these formats are the longest that there are:
//! a line takes a few dozen nanoseconds.

use linpoint::history::Ties;

use crate::format::Part;
use crate::model::ModelName;
use crate::raw::{Details, NameId, RawBuilder, RawHistory};
use crate::words::{Words, column_of, parse_int, shown};
use crate::{Format, ReadError, Source, Value};

/// A type of object.
struct Kind {
    /// What the first line calls it.
    headers: &'static [&'static str],
    /// The model, with its options.
    model: &'static str,
    /// Method, name in the model, values.
    methods: &'static [(&'static str, &'static str, Values)],
}

/// What the values of a line are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Values {
    /// `v`: the argument.
    Argument,
    /// `v`: the result, -1 for nothing.
    Result,
    /// `v r`: the argument, and 1 or 0 for true or false.
    ArgumentAndTruth,
    /// `1`: nothing.
    One,
    /// `r`: 1 or 0 for true or false.
    Truth,
    /// `r w`: the result, and the argument.
    ResultAndArgument,
}

use Values::{Argument, ArgumentAndTruth, One, Result as Gives, ResultAndArgument, Truth};

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

fn same(word: &[u8], name: &str) -> bool {
    word.eq_ignore_ascii_case(name.as_bytes())
}

/// Which of the two formats it is, if it is one.
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

/// Where on a line a part of an operation is.
pub(crate) fn locate(format: Format, line: &[u8], part: Part) -> Option<usize> {
    let method = if format == Format::Fptlin { 3 } else { 0 };
    column_of(line, if part == Part::Name { method } else { method + 1 })
}

/// Reads a history. Without a header, `model` says what it is of.
pub(crate) fn read(
    format: Format,
    source: &Source,
    model: Option<&ModelName>,
) -> Result<RawHistory, ReadError> {
    let mut lines = source.lines().filter(|(_, line)| !line.trim_ascii().is_empty()).peekable();
    let mut builder = RawBuilder::new();
    let kind = match lines.peek() {
        None => return Ok(builder.finish(format)),
        Some(&(number, line)) if line.trim_ascii_start().starts_with(b"#") => {
            lines.next();
            header(source, number, line)?
        }
        Some(&(number, _)) => kind_of(model).ok_or_else(|| {
            ReadError::new(source, "the header is missing")
                .at_line(source, number)
                .help(format!("the first line names the type: {}", types()))
        })?,
    };
    let names = kind.methods.iter().map(|(_, name, _)| builder.name(name));
    let names: Vec<NameId> =
        names.collect::<Result<_, String>>().map_err(|message| ReadError::new(source, message))?;
    let reader = Reader { format, kind, names };
    for (number, line) in lines {
        reader.line(&mut builder, Words::new(source, number, line), number)?;
    }
    let mut history = builder.finish(format);
    history.model = ModelName::parse(kind.model).ok();
    history.ties = Ties::Ordered;
    Ok(history)
}

fn types() -> String {
    let names: Vec<String> =
        KINDS.iter().flat_map(|kind| kind.headers).map(|name| format!("# {name}")).collect();
    names.join(", ")
}

fn kind_of(model: Option<&ModelName>) -> Option<&'static Kind> {
    let name = &model?.name;
    KINDS.iter().find(|kind| kind.model.split(':').next() == Some(name))
}

fn header(source: &Source, number: u32, line: &[u8]) -> Result<&'static Kind, ReadError> {
    let mut words = Words::new(source, number, line);
    let mut word = words.word();
    word = match word.strip_prefix(b"#") {
        Some(b"") | None => words.word(),
        Some(word) => word,
    };
    let kind = KINDS.iter().find(|kind| kind.headers.iter().any(|header| same(word, header)));
    let kind = kind.ok_or_else(|| {
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
                -1 => return Err(words.wrong("-1 cannot be added: it stands for nothing")),
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
